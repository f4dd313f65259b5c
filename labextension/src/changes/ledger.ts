/**
 * What tools have changed in one notebook and nobody has looked through yet, and the way back.
 */
import type { ISharedCell, ISharedCodeCell, ISharedNotebook, SharedCell } from '@jupyter/ydoc';

import { apply, Operation, revisionOf } from '../live/operations';
import { IApplied } from '../tokens';

export type Kind = 'inserted' | 'changed' | 'retyped' | 'moved' | 'deleted';

export interface IMark {
  cell: string;
  turn: string;
  kind: Kind;
  /** Whether it was moved, beside what its kind says. */
  moved: boolean;
  /** Counts the marks: a cell that is changed again has another one. */
  number: number;
  /** The cell as it was, and the ids of those before it; `null` for one that was not there. */
  was: { content: SharedCell.Cell; preceding: readonly string[] } | null;
  /** What it was made to, `null` for one that was deleted. */
  made: { type: string; source: string } | null;
}

/** What came of taking something back. */
export interface IReverted {
  reverted: number;
  /** Cells that the person has edited since, which stay as they are. */
  edited: number;
}

/** The marks of one notebook. A mark goes when the person accepts it, takes it back, or changes the cell. */
export class Ledger {
  /** All marks, in the order in which they came. */
  get marks(): readonly IMark[] {
    return [...this.byCell.values()];
  }

  /** The turn that changed something last, `''` for none. */
  get lastTurn(): string {
    return this.marks.at(-1)?.turn ?? '';
  }

  ofTurn(turn: string): readonly IMark[] {
    return this.marks.filter(mark => mark.turn === turn);
  }

  /** Write down what a tool has done to `notebook`. What it changes again is compared with the time before the first. */
  note(
    notebook: ISharedNotebook,
    { turn, order, before, inserted, moved }: Omit<IApplied, 'panel'>
  ): void {
    const cells = byId(notebook);
    // What stood before a cell is looked up in the order in which nothing had been changed yet.
    const first = wayBack(order, this.marks).ids;
    for (const id of new Set([...before.keys(), ...inserted])) {
      const known = this.byCell.get(id);
      const content = before.get(id);
      const preceding = first.slice(0, Math.max(0, first.indexOf(id)));
      const was = known ? known.was : content ? { content, preceding } : null;
      const cell = cells.get(id);
      const isMoved = was !== null && (known?.moved === true || moved.includes(id));
      const kind = kindOf(was, cell, isMoved);
      this.byCell.delete(id); // so that it becomes the last one
      if (kind !== null) {
        const made = cell ? sayOf(cell) : null;
        const number = ++this.count;
        this.byCell.set(id, { cell: id, turn, kind, moved: isMoved, number, was, made });
      }
    }
  }

  /** Let marks go that are true no more, as the person has edited or undone what they are about. Says whether any. */
  refresh(notebook: ISharedNotebook): boolean {
    const cells = byId(notebook);
    let changed = false;
    for (const mark of this.marks) {
      const cell = cells.get(mark.cell);
      if (mark.made === null ? cell === undefined : cell && isSame(sayOf(cell), mark.made)) {
        continue;
      }
      changed = true;
      this.byCell.delete(mark.cell);
      const isBack = cell && mark.was && isSame(sayOf(cell), sayOfContent(mark.was.content));
      if (cell && !isBack) {
        this.edited.set(mark.turn, (this.edited.get(mark.turn) ?? 0) + 1);
      }
    }
    return changed;
  }

  /** These need no looking through any more. */
  accept(marks: readonly IMark[]): void {
    marks.forEach(mark => this.byCell.delete(mark.cell));
  }

  /** Take these back, as one step of the notebook's undo. */
  revert(notebook: ISharedNotebook, marks: readonly IMark[]): IReverted {
    const turns = [...new Set(marks.map(mark => mark.turn))];
    const before = turns.map(turn => this.edited.get(turn) ?? 0);
    this.refresh(notebook);
    const open = marks.filter(mark => this.byCell.get(mark.cell) === mark);
    this.accept(open);
    const { operations } = wayBack(
      notebook.cells.map(cell => cell.getId()),
      open
    );
    apply(notebook, operations, revisionOf(notebook));
    restoreOutputs(notebook, open);
    let edited = marks.length - open.length;
    turns.forEach((turn, at) => {
      if (this.ofTurn(turn).length === 0) {
        edited += before[at];
        this.edited.delete(turn);
      }
    });
    return { reverted: open.length, edited };
  }

  private count = 0;
  private readonly byCell = new Map<string, IMark>();
  private readonly edited = new Map<string, number>();
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

/** The position in `ids` after the last one of `preceding` that is still there. */
function placeAfter(ids: readonly string[], preceding: readonly string[]): number {
  for (let at = preceding.length - 1; at >= 0; at--) {
    const found = ids.indexOf(preceding[at]);
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
  rest.sort((one, other) => one.was.preceding.length - other.was.preceding.length);
  for (const { kind, moved, cell, was } of rest) {
    if (kind === 'deleted') {
      insert(placeAfter(ids, was.preceding), was.content);
    } else if (kind === 'retyped') {
      const at = remove(cell);
      insert(moved ? placeAfter(ids, was.preceding) : at, was.content);
    } else {
      const at = ids.indexOf(cell);
      ids.splice(at, 1);
      const index = moved ? placeAfter(ids, was.preceding) : at;
      ids.splice(index, 0, cell);
      if (index !== at) {
        operations.push({ op: 'move', cell, index });
      }
      operations.push({ op: 'source', cell, source: sayOfContent(was.content).source });
    }
  }
  return { operations, ids };
}

/** The outputs that a cell had lost with its source, where it was not run since. */
function restoreOutputs(notebook: ISharedNotebook, marks: readonly IMark[]): void {
  const cells = byId(notebook);
  for (const { cell: id, kind, was } of marks) {
    const cell = cells.get(id);
    if (kind !== 'changed' || cell?.cell_type !== 'code' || was?.content.cell_type !== 'code') {
      continue;
    }
    const code = cell as ISharedCodeCell;
    if (code.getOutputs().length === 0 && code.execution_count === null) {
      const old = was.content as unknown as Pick<ISharedCodeCell, 'execution_count'> & {
        outputs: ReturnType<ISharedCodeCell['getOutputs']>;
      };
      code.setOutputs(old.outputs ?? []);
      code.execution_count = old.execution_count;
    }
  }
}
