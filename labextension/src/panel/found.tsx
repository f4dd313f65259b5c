import * as React from 'react';

import { Pieces, stepTo } from './entries';
import { useSettled } from './reports';

/** So long may a person pause while typing before something is searched. */
const TYPING_MS = 250;

/** A longer query is refused by the kernel. */
const QUERY_CHARS = 1_000;

/** So many more are shown with each press of the button. */
export const PAGE = 50;

/** A text with what was found in it marked; the place `current`, counted from 0, stands out. */
export function Marked(props: { pieces: Pieces; current?: number }): JSX.Element {
  const mark = (piece: string, at: number): JSX.Element => (
    <mark key={at} aria-current={(at - 1) / 2 === props.current || undefined}>
      {piece}
    </mark>
  );
  return <>{props.pieces.map((piece, at) => (at % 2 ? mark(piece, at) : piece || null))}</>;
}

export interface ISearch {
  /** What stands in the field. */
  written: string;
  /** What is to be searched: that, once nothing was typed for a while. */
  query: string;
  limit: number;
  write(query: string): void;
  showMore(): void;
}

/** What is looked for, and how much of what is found is shown: the first page for each new query. */
export function useSearch(initial = ''): ISearch {
  const [written, setWritten] = React.useState(initial);
  const [pages, setPages] = React.useState({ query: '', count: 1 });
  const query = useSettled(written.trim(), TYPING_MS);
  const count = pages.query === query ? pages.count : 1;
  return {
    written,
    query,
    limit: count * PAGE,
    write: setWritten,
    showMore: () => setPages({ query, count: count + 1 })
  };
}

/** The field of a search. Its arrow down leads into the list of what was found. */
export function SearchField(props: {
  label: string;
  search: ISearch;
  list: React.RefObject<HTMLUListElement>;
}): JSX.Element {
  const { label, search, list } = props;
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const first = event.key === 'ArrowDown' && list.current?.querySelector<HTMLElement>('li');
    if (first) {
      event.preventDefault();
      first.focus();
    }
  };
  return (
    <input
      type="search"
      className="jp-mod-styled jp-AgentPanel-search"
      aria-label={label}
      placeholder="Search for words"
      maxLength={QUERY_CHARS}
      spellCheck={false}
      value={search.written}
      onChange={event => search.write(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}

/**
 * A list of which the Tab key reaches one item and its buttons: arrows, Home and End walk through the items, Enter
 * presses the first button of one that shows more of it.
 */
export function WalkedList(props: {
  label: string;
  list: React.RefObject<HTMLUListElement>;
  /** Whether another list is on its way. */
  isBusy: boolean;
  children: React.ReactElement<{ tabIndex?: number }>[];
}): JSX.Element {
  const { label, list, isBusy, children } = props;
  const [active, setActive] = React.useState(0);
  const items = (): HTMLElement[] => [...(list.current?.children ?? [])] as HTMLElement[];
  const onFocus = (event: React.FocusEvent): void => {
    const at = items().findIndex(item => item.contains(event.target));
    if (at >= 0) {
      setActive(at);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(event.target as HTMLElement); // not from a field or a list inside of an item
    const to = at < 0 ? null : stepTo(event.key, at, all.length);
    if (to !== null) {
      event.preventDefault();
      all[to].focus();
    } else if (at >= 0 && event.key === 'Enter') {
      event.preventDefault();
      all[at].querySelector<HTMLElement>('button[aria-expanded]')?.click();
    }
  };
  const stop = Math.min(active, children.length - 1);
  return (
    <ul ref={list} aria-label={label} aria-busy={isBusy} onKeyDown={onKeyDown} onFocus={onFocus}>
      {children.map((child, at) => React.cloneElement(child, { tabIndex: at === stop ? 0 : -1 }))}
    </ul>
  );
}

/** The button under a list of which not all is shown. */
export function More(props: { shown: number; found: number; search: ISearch }): JSX.Element | null {
  const { shown, found, search } = props;
  return shown < found ? (
    <button type="button" className="jp-mod-styled" onClick={search.showMore}>
      Show {Math.min(PAGE, found - shown)} more of {(found - shown).toLocaleString('en-US')}
    </button>
  ) : null;
}
