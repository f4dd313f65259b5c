/**
 * What tools have changed in one notebook and nobody has looked through yet, and the way back.
 */
import type { ISharedCell, ISharedCodeCell, ISharedNotebook, SharedCell } from '@jupyter/ydoc';

import { apply, Operation, revisionOf } from '../live/operations';
import { hasOutputs, Ran, restoreOutputs, setOutputs } from '../live/outputs';
import { IApplied } from '../tokens';

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

/** What came of taking something back. */
export interface IReverted {
  reverted: number;
  /** Cells that the person has edited since, which stay as they are. */
  edited: number;
}

/**
 * The marks of one notebook. A mark goes when the person accepts it, takes it back, or changes the cell.
 *
 * What other pages tell is kept too, and is a mark here only while it is true of the notebook as it is in this page.
 */
export class Ledger {
  /**
   * @param by - names the page.
   */
  constructor(private readonly by: string) {}

  /** All marks, in the order in which they came. */
  get marks(): readonly IMark[] {
    const open = this.all.filter(entry => this.open.has(entry.cell));
    open.sort((one, other) => one.number - other.number);
    return open.flatMap(({ mark }) => (mark ? [mark] : []));
  }

  /** The turn that changed something last, `''` for none. */
  get lastTurn(): string {
    return this.marks.at(-1)?.turn ?? '';
  }

  /** All that is known, for other pages. */
  get all(): readonly IEntry[] {
    return [...this.entries.values()];
  }

  ofTurn(turn: string): readonly IMark[] {
    return this.marks.filter(mark => mark.turn === turn);
  }

  /** Tells a mark apart from all others, earlier ones of the same cell too. */
  stampOf({ cell }: IMark): string {
    const entry = this.entries.get(cell);
    return entry ? `${entry.number} ${entry.by}` : '';
  }

  /** What has happened here since this was asked last. */
  takeNews(): readonly IEntry[] {
    const news = this.all.filter(entry => this.news.has(entry.cell));
    this.news.clear();
    return news;
  }

  /** What happened in other pages. Says whether a mark came or went. */
  take(notebook: ISharedNotebook, entries: readonly IEntry[]): boolean {
    let changed = false;
    for (const entry of entries) {
      const known = this.entries.get(entry.cell);
      this.count = Math.max(this.count, entry.number);
      if (known === undefined || isLater(entry, known)) {
        changed = this.open.delete(entry.cell) || changed;
        this.news.delete(entry.cell);
        this.overtaken.delete(entry.cell);
        this.undone.delete(entry.cell);
        this.entries.set(entry.cell, entry);
      }
    }
    return this.refresh(notebook) || changed;
  }

  /** Write down what a tool has done to `notebook`. What it changes again is compared with the time before the first. */
  note(
    notebook: ISharedNotebook,
    { turn, order, before, inserted, moved }: Omit<IApplied, 'panel' | 'kernel'>
  ): void {
    const cells = byId(notebook);
    // Where a cell stood is looked up in the order in which nothing had been changed yet.
    const first = wayBack(order, this.marks).ids;
    for (const id of new Set([...before.keys(), ...inserted])) {
      const known = this.openMark(id);
      const content = before.get(id);
      const position = Math.max(0, first.indexOf(id));
      const was = known ? known.was : content ? { content, order: first, position } : null;
      const cell = cells.get(id);
      const isMoved = was !== null && (known?.moved === true || moved.includes(id));
      const kind = kindOf(was, cell, isMoved);
      const made = cell ? sayOf(cell) : null;
      if (kind !== null) {
        this.put(id, { cell: id, turn, kind, moved: isMoved, was, made });
      } else if (known) {
        this.put(id, null);
      }
    }
  }

  /**
   * Let marks go that are true no more, as the person has edited or undone what they are about; and have those that
   * were told by other pages, or were undone and done again, and are true by now. Says whether any.
   *
   * @param byUndo - whether anything was undone or done again since the last time. Only so does the tool's own
   * deletion or move come back: otherwise the person has done the like.
   */
  refresh(notebook: ISharedNotebook, byUndo = false): boolean {
    const view = new View(notebook);
    let changed = false;
    for (const { cell: id, mark } of this.all) {
      const isOpen = this.open.has(id);
      if (mark === null || this.overtaken.has(id)) {
        continue;
      }
      const bears = view.bears(mark);
      if (this.undone.has(id) && (bears ? !byUndo && isOfPlace(mark) : view.isEdited(mark))) {
        this.undone.delete(id);
        this.overtaken.add(id);
      } else if (bears !== isOpen) {
        changed = true;
        if (bears) {
          this.undone.delete(id);
          this.open.add(id);
        } else {
          this.open.delete(id);
          this.leave(mark, view.isEdited(mark));
        }
      }
    }
    this.followOutputs(view);
    return changed;
  }

  private leave(mark: IMark, isEdited: boolean): void {
    if (isEdited) {
      this.overtaken.add(mark.cell);
      this.edited.set(mark.turn, (this.edited.get(mark.turn) ?? 0) + 1);
    } else {
      this.undone.add(mark.cell);
    }
  }

  /** Undo does not know of outputs: those that came back with a source go with it, and come again. */
  private followOutputs(view: View): void {
    for (const [id, restored] of this.restored) {
      const cell = view.codeCell(id);
      const { made, was } = restored.mark;
      if (cell === undefined || made === null || was === null) {
        continue;
      }
      const source = cell.getSource();
      if (restored.areThere && source === made.source) {
        restored.areThere = false;
        if (hasOutputs(cell, outputsBefore(was))) {
          setOutputs(cell, null);
        }
      } else if (!restored.areThere && source === sayOfContent(was.content).source) {
        restored.areThere = true;
        restoreOutputs(cell, outputsBefore(was));
      }
    }
  }

  /** These need no looking through any more. */
  accept(marks: readonly IMark[]): void {
    marks
      .filter(mark => this.openMark(mark.cell) === mark)
      .forEach(mark => this.put(mark.cell, null));
  }

  /** Take these back, as one step of the notebook's undo. */
  revert(notebook: ISharedNotebook, marks: readonly IMark[]): IReverted {
    const turns = [...new Set(marks.map(mark => mark.turn))];
    const before = turns.map(turn => this.edited.get(turn) ?? 0);
    this.refresh(notebook);
    const open = marks.filter(mark => this.openMark(mark.cell) === mark);
    this.accept(open);
    const { operations } = wayBack(
      notebook.cells.map(cell => cell.getId()),
      open
    );
    apply(notebook, operations, revisionOf(notebook));
    this.restore(notebook, open);
    let edited = marks.length - open.length;
    turns.forEach((turn, at) => {
      if (this.ofTurn(turn).length === 0) {
        edited += before[at];
        this.edited.delete(turn);
      }
    });
    return { reverted: open.length, edited };
  }

  /** The outputs that cells had lost with their sources, where they were not run since. */
  private restore(notebook: ISharedNotebook, marks: readonly IMark[]): void {
    const view = new View(notebook);
    for (const mark of marks) {
      const cell = view.codeCell(mark.cell);
      if (mark.kind === 'changed' && mark.was?.content.cell_type === 'code' && cell) {
        if (restoreOutputs(cell, outputsBefore(mark.was))) {
          this.restored.set(mark.cell, { mark, areThere: true });
        }
      }
    }
  }

  private openMark(cell: string): IMark | null {
    return this.open.has(cell) ? (this.entries.get(cell)?.mark ?? null) : null;
  }

  private put(cell: string, mark: IMark | null): void {
    this.entries.set(cell, { cell, number: ++this.count, by: this.by, mark });
    this.news.add(cell);
    this.overtaken.delete(cell);
    this.undone.delete(cell);
    if (mark === null) {
      this.open.delete(cell);
    } else {
      this.open.add(cell);
      this.restored.delete(cell);
    }
  }

  private count = 0;
  private readonly entries = new Map<string, IEntry>();
  /** The cells whose entry is a mark that is true here. */
  private readonly open = new Set<string>();
  /** Those whose mark was true here, until the person went on. */
  private readonly overtaken = new Set<string>();
  /** Those whose mark was true here, until the change was undone: it may be done again. */
  private readonly undone = new Set<string>();
  /** The cells that got their old outputs back with their old source. */
  private readonly restored = new Map<string, { mark: IMark; areThere: boolean }>();
  private readonly news = new Set<string>();
  private readonly edited = new Map<string, number>();
}

function isLater(one: IEntry, other: IEntry): boolean {
  return one.number !== other.number ? one.number > other.number : one.by > other.by;
}

/** A notebook at one moment, and which marks are true of it. */
class View {
  constructor(notebook: ISharedNotebook) {
    this.cells = byId(notebook);
    this.position = new Map([...this.cells.keys()].map((id, at) => [id, at]));
  }

  bears(mark: IMark): boolean {
    const cell = this.cells.get(mark.cell);
    if (mark.made === null || cell === undefined) {
      return mark.made === null && cell === undefined;
    }
    return isSame(sayOf(cell), mark.made) && (mark.kind !== 'moved' || this.isElsewhere(mark));
  }

  /** Whether the cell of a mark that is not true is neither gone nor what it was before. */
  isEdited({ cell: id, was }: IMark): boolean {
    const cell = this.cells.get(id);
    return cell !== undefined && !(was && isSame(sayOf(cell), sayOfContent(was.content)));
  }

  codeCell(id: string): ISharedCodeCell | undefined {
    const cell = this.cells.get(id);
    return cell?.cell_type === 'code' ? (cell as ISharedCodeCell) : undefined;
  }

  /** Whether a cell stands on the other side of any other one than it did. */
  private isElsewhere({ cell, was }: IMark): boolean {
    const now = this.position.get(cell) ?? 0;
    return was !== null
      ? was.order.some((id, at) => {
          const other = this.position.get(id) ?? now;
          return other !== now && at < was.position !== other < now;
        })
      : false;
  }

  private readonly cells: Map<string, ISharedCell>;
  private readonly position: Map<string, number>;
}

function byId(notebook: ISharedNotebook): Map<string, ISharedCell> {
  return new Map(notebook.cells.map(cell => [cell.getId(), cell]));
}

type Say = { type: string; source: string };

function sayOf(cell: ISharedCell): Say {
  return { type: cell.cell_type, source: cell.getSource() };
}

function sayOfContent({ cell_type, source }: SharedCell.Cell): Say {
  return {
    type: String(cell_type),
    source: Array.isArray(source) ? source.join('') : String(source)
  };
}

function isSame(one: Say, other: Say): boolean {
  return one.type === other.type && one.source === other.source;
}

function kindOf(was: IMark['was'], cell: ISharedCell | undefined, isMoved: boolean): Kind | null {
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

/** The position in `ids` after the last one that stood before the cell and is still there. */
function placeAfter(ids: readonly string[], { order, position }: IWas): number {
  for (let at = position - 1; at >= 0; at--) {
    const found = ids.indexOf(order[at]);
    if (found >= 0) {
      return found + 1;
    }
  }
  return 0;
}

/** The operations that take changes back, and the order that comes of them. */
function wayBack(
  order: readonly string[],
  marks: readonly IMark[]
): { operations: Operation[]; ids: string[] } {
  const ids = [...order];
  const there = new Set(order);
  marks = marks.filter(mark => there.has(mark.cell) === (mark.kind !== 'deleted'));
  const operations: Operation[] = [];
  const remove = (cell: string): number => {
    operations.push({ op: 'delete', cell });
    const at = ids.indexOf(cell);
    ids.splice(at, 1);
    return at;
  };
  const insert = (index: number, content: SharedCell.Cell): void => {
    operations.push({ op: 'insert', index, content });
    ids.splice(index, 0, String(content.id));
  };
  for (const mark of marks.filter(each => each.was === null)) {
    remove(mark.cell);
  }
  // From the top on, so that what stood before a cell is there again when its own turn comes.
  const rest = marks.flatMap(({ kind, moved, cell, was }) =>
    was ? [{ kind, moved, cell, was }] : []
  );
  rest.sort((one, other) => one.was.position - other.was.position);
  for (const { kind, moved, cell, was } of rest) {
    if (kind === 'deleted') {
      insert(placeAfter(ids, was), was.content);
    } else if (kind === 'retyped') {
      const at = remove(cell);
      insert(moved ? placeAfter(ids, was) : at, was.content);
    } else {
      const at = ids.indexOf(cell);
      ids.splice(at, 1);
      const index = moved ? placeAfter(ids, was) : at;
      ids.splice(index, 0, cell);
      if (index !== at) {
        operations.push({ op: 'move', cell, index });
      }
      operations.push({ op: 'source', cell, source: sayOfContent(was.content).source });
    }
  }
  return { operations, ids };
}

function outputsBefore({ content }: IWas): Ran {
  return content as unknown as Ran;
}

/** Whether a person may do the very same, and nothing of the cell tells whose it was. */
function isOfPlace({ kind }: IMark): boolean {
  return kind === 'deleted' || kind === 'moved';
}
