/**
 * What tools have changed in one notebook and nobody has looked through yet, and the way back.
 */
import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';

import { apply, revisionOf } from '../live/operations';
import { hasOutputs, Ran, restoreOutputs, setOutputs } from '../live/outputs';
import { IApplied } from '../tokens';
import {
  IEntry,
  IMark,
  isLater,
  isOfPlace,
  isSame,
  IWas,
  kindOf,
  sayOf,
  sayOfContent
} from './mark';
import { wayBack } from './way_back';

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

function outputsBefore({ content }: IWas): Ran {
  return content as unknown as Ran;
}
