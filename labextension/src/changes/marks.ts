import type { ISharedNotebook } from '@jupyter/ydoc';
import { Notification } from '@jupyterlab/apputils';
import { Cell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';

import { Refusal } from '../protocol';
import { IApplied } from '../tokens';
import { keepExecutions } from '../live/executions';
import { IReverted, Ledger } from './ledger';
import { IEntry, IMark, Kind } from './mark';
import { IAct, IStrip, makeStrip, STRIP_CLASS } from './strip';

/** On a cell that a tool has changed. */
export const CHANGED_CLASS = 'jp-mod-agentChanged';

/** On a cell that has lines, and on a line that is above the cell. */
const STRIPS_CLASS = 'jp-mod-agentStrips';
const ABOVE_CLASS = 'jp-mod-above';

const WORDS: Record<Exclude<Kind, 'deleted'>, string> = {
  inserted: 'inserted by the agent',
  changed: 'changed by the agent',
  retyped: 'turned into another type by the agent',
  moved: 'moved by the agent'
};

/** Shows in one notebook what tools have changed there. */
export class ChangeMarks implements IDisposable {
  /**
   * @param page - names the page, in what is told of its marks.
   * @param onNews - called when there is something to tell of them.
   * @param onShown - called when other cells than before may be marked.
   */
  constructor(
    private readonly panel: NotebookPanel,
    page: string,
    private readonly onNews: () => void,
    private readonly onShown: () => void
  ) {
    this.ledger = new Ledger(page);
    this.told.className = 'jp-AgentChange-told';
    this.told.setAttribute('role', 'status');
    panel.node.append(this.told);
    panel.context.model.contentChanged.connect(this.later);
    panel.content.model?.cells.changed.connect(this.later);
    this.undo?.on('stack-item-popped', this.onUndo);
  }

  readonly ledger: Ledger;

  /** The ids of the kernels that have changed the notebook, or have told of changes. */
  readonly kernels = new Set<string>();

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** A tool has changed the notebook. */
  note(applied: IApplied): void {
    this.ledger.note(this.notebook, applied);
    const count = this.ledger.ofTurn(applied.turn).length;
    this.told.textContent = `${cells(count)} of ${this.panel.title.label} changed by the agent`;
    this.onNews();
    this.show();
  }

  /** Something happened to them in another page, or before this page was loaded. */
  take(entries: readonly IEntry[]): void {
    // Before format 4.5 cells have other ids after a reload: what is said of them is not true of any.
    if (hasLastingIds(this.notebook) && this.ledger.take(this.notebook, entries)) {
      this.show();
    }
  }

  /** Marks of so many cells are too much to be told to other pages. */
  sayLeftOut(count: number): void {
    if (count > 0) {
      Notification.warning(
        `${cells(count)} of ${this.panel.title.label} changed by the agent: too much to be marked in other pages, or ` +
          'after a reload.',
        { autoClose: NOTICE_MS }
      );
    }
  }

  /** The marks of the cell that has the focus. */
  get current(): readonly IMark[] {
    const id = this.panel.content.activeCell?.model.id;
    return this.ledger.marks.filter(mark => mark.cell === id);
  }

  accept(marks: readonly IMark[]): void {
    this.ledger.accept(marks);
    this.onNews();
    this.show();
    this.focus();
  }

  revert(marks: readonly IMark[]): void {
    this.refresh();
    const ids = new Set(marks.filter(mark => mark.moved).map(mark => mark.cell));
    let done: IReverted;
    try {
      done = keepExecutions(this.panel.content, ids, () =>
        this.ledger.revert(this.notebook, marks)
      );
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      Notification.warning(`Nothing was taken back: ${error.message}.`, { autoClose: NOTICE_MS });
      return;
    }
    const { reverted, edited } = done;
    this.told.textContent = `${cells(reverted)} taken back`;
    this.onNews();
    if (edited > 0) {
      Notification.info(
        `${cells(reverted)} taken back. ${cells(edited)} edited since then: left alone.`
      );
    }
    this.show();
    this.focus();
  }

  dispose(): void {
    if (!this.disposed) {
      this.disposed = true;
      clearTimeout(this.due);
      this.told.remove();
      this.undo?.off('stack-item-popped', this.onUndo);
    }
  }

  private get undo(): IUndo | undefined {
    return (this.notebook as unknown as { undoManager?: IUndo }).undoManager;
  }

  private readonly onUndo = (): void => {
    this.isUndone = true;
  };

  private get notebook(): NotebookPanel['context']['model']['sharedModel'] {
    return this.panel.context.model.sharedModel;
  }

  /** Soon: a person types fast, and a cell that was changed comes as a cell that goes and one that comes. */
  private readonly later = (): void => {
    if (this.due === undefined && (this.shown.size > 0 || this.ledger.all.length > 0)) {
      this.due = window.setTimeout(() => {
        this.due = undefined;
        if (!this.disposed) {
          this.refresh();
          this.show();
        }
      }, PAUSE_MS);
    }
  };

  private refresh(): void {
    this.ledger.refresh(this.notebook, this.isUndone);
    this.isUndone = false;
  }

  private focus(): void {
    if (document.activeElement === document.body) {
      this.panel.content.activate();
    }
  }

  private show(): void {
    const wanted = this.strips();
    for (const cell of this.panel.content.widgets) {
      const { above, below } = wanted.get(cell.model.id) ?? NOTHING;
      cell.node.classList.toggle(
        CHANGED_CLASS,
        above.some(strip => strip.kind !== 'deleted')
      );
      const key = JSON.stringify([above, below]);
      if ((this.shown.get(cell) ?? EMPTY_KEY) !== key) {
        place(cell, above, below);
        if (key === EMPTY_KEY) {
          this.shown.delete(cell);
        } else {
          this.shown.set(cell, key);
        }
      }
    }
    for (const cell of this.shown.keys()) {
      if (cell.isDisposed) {
        this.shown.delete(cell);
      }
    }
    this.onShown();
  }

  /** What is to be said above and below which cell. */
  private strips(): Map<string, IPlaced> {
    const ids = this.panel.content.widgets.map(cell => cell.model.id);
    const position = new Map(ids.map((id, at) => [id, at]));
    const placed = new Map<string, IPlaced>();
    const at = (id: string): IPlaced => {
      const found = placed.get(id) ?? { above: [], below: [] };
      placed.set(id, found);
      return found;
    };
    const gone = new Map<string, IMark[]>();
    const marks = this.ledger.marks.map(mark => ({ mark, anchor: anchorOf(mark, position) }));
    marks.sort((one, other) => one.anchor - other.anchor);
    const seen = new Set<string>();
    const ofTurn = (mark: IMark): IAct[] => {
      const first = !seen.has(mark.turn);
      seen.add(mark.turn);
      return first ? this.actsOfTurn(mark.turn) : [];
    };
    for (const { mark, anchor } of marks) {
      if (mark.kind !== 'deleted') {
        const acts = [...this.actsOf([mark], 'the change of this cell'), ...ofTurn(mark)];
        const { kind } = mark;
        const stamps = [this.ledger.stampOf(mark)];
        at(mark.cell).above.push({ marks: stamps, kind, words: WORDS[kind], acts });
      } else {
        const id = ids[anchor] ?? '';
        gone.set(id, [...(gone.get(id) ?? []), mark]);
      }
    }
    for (const [id, all] of gone) {
      const acts = [
        ...this.actsOf(all, 'the deletion here', 'Restore'),
        ...all.flatMap(mark => ofTurn(mark))
      ];
      const strip: IStrip = {
        marks: all.map(mark => this.ledger.stampOf(mark)),
        kind: 'deleted',
        words: `${cells(all.length)} deleted by the agent`,
        acts
      };
      if (id === '' && ids.length > 0) {
        at(ids[0]).above.unshift(strip);
      } else {
        at(id).below.push(strip);
      }
    }
    return placed;
  }

  private actsOf(marks: readonly IMark[], what: string, back = 'Revert'): IAct[] {
    return [
      { label: 'Accept', name: `Accept ${what}`, act: () => this.accept(marks) },
      { label: back, name: `${back} ${what}`, act: () => this.revert(marks) }
    ];
  }

  private actsOfTurn(turn: string): IAct[] {
    const count = this.ledger.ofTurn(turn).length;
    if (count < 2) {
      return [];
    }
    const name = (verb: string): string => `${verb} all ${count} changes of this turn`;
    const all = (): readonly IMark[] => this.ledger.ofTurn(turn);
    return [
      { label: `Accept all ${count}`, name: name('Accept'), act: () => this.accept(all()) },
      { label: `Revert all ${count}`, name: name('Revert'), act: () => this.revert(all()) }
    ];
  }

  private readonly told = document.createElement('div');
  private readonly shown = new Map<Cell, string>();
  private due: number | undefined = undefined;
  private isUndone = false;
  private disposed = false;
}

/** The part of Yjs' undo that tells when something was undone or done again. */
interface IUndo {
  on(name: 'stack-item-popped', call: () => void): void;
  off(name: 'stack-item-popped', call: () => void): void;
}

interface IPlaced {
  above: IStrip[];
  below: IStrip[];
}

const PAUSE_MS = 50;
const NOTICE_MS = 10_000;
const NOTHING: IPlaced = { above: [], below: [] };
const EMPTY_KEY = JSON.stringify([[], []]);

function hasLastingIds({ nbformat, nbformat_minor }: ISharedNotebook): boolean {
  return nbformat > 4 || nbformat_minor >= 5;
}

function cells(count: number): string {
  return `${count} cell${count === 1 ? '' : 's'}`;
}

/** The position of a cell; of one that is gone, that of the last one before it which is still there, or -1. */
function anchorOf(mark: IMark, position: ReadonlyMap<string, number>): number {
  const own = position.get(mark.cell);
  if (own !== undefined) {
    return own;
  }
  const preceding = mark.was?.order.slice(0, mark.was.position) ?? [];
  const before = preceding.reverse().find(id => position.has(id));
  return before === undefined ? -1 : (position.get(before) ?? -1);
}

/**
 * Put the lines to a cell: behind its own parts, as the application counts on these being the first ones. Style lifts
 * those that are to be above.
 */
function place(cell: Cell, above: readonly IStrip[], below: readonly IStrip[]): void {
  cell.node.querySelectorAll(`:scope > .${STRIP_CLASS}`).forEach(old => old.remove());
  const lifted = above.map(makeStrip);
  lifted.forEach(strip => strip.classList.add(ABOVE_CLASS));
  cell.node.append(...lifted, ...below.map(makeStrip));
  cell.node.classList.toggle(STRIPS_CLASS, above.length + below.length > 0);
}
