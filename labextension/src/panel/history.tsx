import * as React from 'react';

import type { AgentKernel } from '../kernels/kernel';
import {
  historyWords,
  hitWords,
  IEntry,
  IPlace,
  nextPlace,
  readHistory,
  readWindow,
  windowWords
} from './entries';
import { Marked, More, SearchField, useSearch, WalkedList } from './found';
import { isForOther, textIn, useAsked, useSettled, waitingWords } from './reports';
import { Folded } from './section';

/** The history is read again once nothing has happened for so long. */
const QUIET_MS = 250;

/** So much of a text the kernel tells at once (`WINDOW_CHARS`); a shorter one is shown from its beginning on. */
const WINDOW_CHARS = 20_000;

/** What was said and called in this session, the latest first, and a search in it. */
export function HistorySection(props: { kernel: AgentKernel; stamp: number }): JSX.Element {
  return (
    <Folded title="History">
      {open => (
        <History
          {...props}
          session=""
          order="latest"
          open={open}
          label="History"
          none="Nothing was said or called in this session yet."
        />
      )}
    </Folded>
  );
}

/** The transcript of a session, page by page. */
export function History(props: {
  kernel: AgentKernel;
  /** Its id, `''` for the one of the kernel. */
  session: string;
  order: 'latest' | 'first';
  stamp: number | string;
  open: boolean;
  label: string;
  /** What is said when it is empty. */
  none: string;
  query?: string;
}): JSX.Element {
  const { kernel, session, order, open, label, none } = props;
  const stamp = useSettled(props.stamp, QUIET_MS);
  const search = useSearch(props.query);
  const list = React.useRef<HTMLUListElement>(null);
  const wanted = { session, order, query: search.query, limit: search.limit };
  const asked = useAsked(kernel, 'history', wanted, stamp, open);
  const told = readHistory(asked.told);
  const query = textIn(asked.args, 'query');
  const isOther = isForOther(asked, { query: search.written.trim() });
  return (
    <>
      <SearchField label={`Search: ${label}`} search={search} list={list} />
      <p className="jp-AgentPanel-note" role="status">
        {isOther
          ? waitingWords(asked, search.written)
          : told.total === 0
            ? none
            : historyWords(told, query)}
      </p>
      {asked.problem && <p role="alert">{asked.problem}</p>}
      {told.notes.map((note, at) => (
        <p key={at} className="jp-AgentPanel-note">
          {note}
        </p>
      ))}
      {!isOther && told.entries.length > 0 && (
        <WalkedList label={label} list={list} isBusy={asked.isBusy}>
          {told.entries.map(entry => (
            <EntryView
              key={entry.ref}
              kernel={kernel}
              session={session}
              query={query}
              entry={entry}
            />
          ))}
        </WalkedList>
      )}
      {!isOther && <More shown={told.entries.length} found={told.found} search={search} />}
    </>
  );
}

interface IEntryProps {
  kernel: AgentKernel;
  session: string;
  query: string;
  entry: IEntry;
}

function EntryView(props: IEntryProps & { tabIndex?: number }): JSX.Element {
  const { entry, tabIndex } = props;
  const [open, setOpen] = React.useState(false);
  const isCut = entry.start > 0 || entry.end < entry.chars;
  return (
    <li className="jp-AgentPanel-entry" data-kind={entry.kind} tabIndex={tabIndex}>
      <EntryHead entry={entry} />
      {open && isCut ? <WholeText {...props} /> : <Excerpt entry={entry} />}
      {isCut && (
        <button
          type="button"
          className="jp-mod-styled jp-mod-minimal"
          tabIndex={tabIndex}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Show less' : `Show all ${entry.chars.toLocaleString('en-US')} characters`}
        </button>
      )}
      {isCut && !open && <span className="jp-AgentPanel-note"> {hitWords(entry)}</span>}
    </li>
  );
}

/** Who, what and how it ended, on one line. */
export function EntryHead(props: { entry: IEntry }): JSX.Element {
  const { who, title, status } = props.entry;
  return (
    <div className="jp-AgentPanel-entryHead">
      {who.join('') && (
        <strong>
          <Marked pieces={who} />
        </strong>
      )}
      {title.join('') && (
        <code>
          <Marked pieces={title} />
        </code>
      )}
      {status.join('') && (
        <span className="jp-AgentPanel-count" data-status={status.join('')}>
          <Marked pieces={status} />
        </span>
      )}
    </div>
  );
}

/** A part of a text, with a sign where more of it stands. */
export function Excerpt(props: { entry: IEntry }): JSX.Element | null {
  const { text, start, end, chars } = props.entry;
  return chars > 0 ? (
    <pre className="jp-AgentPanel-text jp-mod-excerpt">
      {start > 0 && '…'}
      <Marked pieces={text} />
      {end < chars && '…'}
    </pre>
  ) : null;
}

/** All of a text, a window at a time when it is long. */
function WholeText(props: IEntryProps): JSX.Element {
  const { kernel, session, query, entry } = props;
  const { ref, chars } = entry;
  const first = chars <= WINDOW_CHARS ? 0 : entry.start;
  const [start, setStart] = React.useState(first);
  const [place, setPlace] = React.useState(0);
  const box = React.useRef<HTMLPreElement>(null);
  const asked = useAsked(kernel, 'entry', { session, ref, query, start }, chars, true);
  const shown = readWindow(asked.told);
  React.useEffect(() => {
    const mark = box.current?.querySelectorAll('mark')[place];
    if (box.current && mark) {
      box.current.scrollTop = mark.offsetTop - box.current.offsetTop - box.current.clientHeight / 3;
    }
  }, [asked.told, place]);
  const next = nextPlace(shown, place) ?? { start: first, place: 0 }; // after the last comes the first
  const goTo = (at: IPlace): void => {
    setStart(at.start);
    setPlace(at.place);
  };
  if (asked.problem) {
    return <p role="alert">{asked.problem}</p>;
  }
  if (asked.told === null) {
    return <p className="jp-AgentPanel-note">Reading…</p>;
  }
  const go = (name: string, to: IPlace): JSX.Element => (
    <button type="button" className="jp-mod-styled" onClick={() => goTo(to)}>
      {name}
    </button>
  );
  return (
    <>
      <pre className="jp-AgentPanel-text" tabIndex={0} ref={box}>
        <Marked pieces={shown.text} current={place} />
      </pre>
      <p className="jp-AgentPanel-note" role="status">
        {[windowWords(shown), hitWords(shown)].filter(Boolean).join('; ')}
      </p>
      <div className="jp-AgentPanel-buttons">
        {shown.start > 0 &&
          go('Earlier', { start: Math.max(0, shown.start - WINDOW_CHARS), place: 0 })}
        {shown.end < shown.chars && go('Later', { start: shown.end, place: 0 })}
        {shown.hits > 1 && go('Next place found', next)}
      </div>
    </>
  );
}
