/** What is known of a cell that a tool has changed. */
import type { ISharedCell, SharedCell } from '@jupyter/ydoc';

export type Kind = 'inserted' | 'changed' | 'retyped' | 'moved' | 'deleted';

/** What is known of a cell last; of two that say something, the one with the higher stamp counts, in every page. */
export interface IEntry {
  cell: string;
  /** Counts what happened: higher than that of all that the page knew of then. */
  number: number;
  /** The page in which it happened. */
  by: string;
  /** `null` once a person has accepted it or taken it back. */
  mark: IMark | null;
}

export interface IMark {
  cell: string;
  turn: string;
  kind: Kind;
  /** Whether it was moved, beside what its kind says. */
  moved: boolean;
  /** The cell as it was, and its place among all; `null` for one that was not there. */
  was: IWas | null;
  /** What it was made to, `null` for one that was deleted. */
  made: { type: string; source: string } | null;
}

export interface IWas {
  content: SharedCell.Cell;
  /** The ids of all cells when nothing had been changed yet, shared by the marks of one edit. */
  order: readonly string[];
  position: number;
}

export function isLater(one: IEntry, other: IEntry): boolean {
  return one.number !== other.number ? one.number > other.number : one.by > other.by;
}

type Say = { type: string; source: string };

export function sayOf(cell: ISharedCell): Say {
  return { type: cell.cell_type, source: cell.getSource() };
}

export function sayOfContent({ cell_type, source }: SharedCell.Cell): Say {
  return {
    type: String(cell_type),
    source: Array.isArray(source) ? source.join('') : String(source)
  };
}

export function isSame(one: Say, other: Say): boolean {
  return one.type === other.type && one.source === other.source;
}

export function kindOf(
  was: IMark['was'],
  cell: ISharedCell | undefined,
  isMoved: boolean
): Kind | null {
  if (was === null || cell === undefined) {
    return was !== null ? 'deleted' : cell !== undefined ? 'inserted' : null;
  }
  const [before, now] = [sayOfContent(was.content), sayOf(cell)];
  if (before.type !== now.type) {
    return 'retyped';
  }
  if (before.source !== now.source) {
    return 'changed';
  }
  return isMoved ? 'moved' : null;
}

/** Whether a person may do the very same, and nothing of the cell tells whose it was. */
export function isOfPlace({ kind }: IMark): boolean {
  return kind === 'deleted' || kind === 'moved';
}
