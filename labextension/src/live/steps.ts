/**
 * One edit of a tool is one step of the notebook's undo, the texts of its cells included.
 *
 * The application gives each cell an undo of its own, for its text, beside that of the notebook, for the cells. Both
 * are Yjs', and both of them cannot have one and the same change: what is brought back by one is not known to the
 * other, which then takes a text away and brings none back. So the text of a cell is changed by the cell's undo only.
 * The notebook's gets a step, which has the texts go along.
 */
import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';

import { hasOutputs, Ran, restoreOutputs, setOutputs } from './outputs';

/** What an edit made of the text of a cell, which may be the same if the cell was moved or lost its outputs. */
export interface IText {
  cell: string;
  was: string;
  made: string;
  /** The outputs that it lost. */
  lost: Ran | null;
}

/**
 * Do something as one step of the notebook's undo.
 *
 * @param texts - what becomes of the texts of cells that are there before and after.
 * @param structure - changes cells, but no text of one.
 */
export function asStep(
  notebook: ISharedNotebook,
  texts: readonly IText[],
  structure: () => void
): void {
  const undo = undoOf(notebook);
  const traces = undo && tracesOf(notebook, undo);
  stopCapturing(notebook);
  notebook.transact(() => {
    structure();
    traces?.insert(0, [1]);
  }, true);
  undo?.undoStack.at(-1)?.meta.set(TEXTS, texts);
  stopCapturing(notebook);
  for (const text of texts) {
    const cell = notebook.cells.find(each => each.getId() === text.cell);
    if (cell !== undefined) {
      write(cell, text);
    }
  }
}

/** What follows is a step of its own for undo. */
export function stopCapturing(of: ISharedNotebook | ISharedCell): void {
  undoOf(of)?.stopCapturing();
}

/** A new text is a step of its cell's undo too, for the keyboard in the cell. */
function write(cell: ISharedCell, text: IText): void {
  if (text.lost !== null && cell.cell_type === 'code') {
    setOutputs(cell as ISharedCodeCell, null);
  }
  if (cell.getSource() !== text.made) {
    stopCapturing(cell); // what a person typed just now is a step of its own
    cell.setSource(text.made);
    const undo = undoOf(cell);
    undo?.undoStack.at(-1)?.meta.set(TEXT, text);
    if (undo !== undefined) {
      homes.set(text, undo);
      if (!followed.has(undo)) {
        followed.add(undo);
        undo.on('stack-item-popped', event => handOn(undo, event, TEXT));
      }
    }
    stopCapturing(cell);
  }
}

/**
 * Where each edit leaves a trace, so that there is something to undo for the notebook when only texts were changed. It
 * is no part of what is saved.
 */
function tracesOf(notebook: ISharedNotebook, undo: IUndo): ITraces {
  const { ydoc } = notebook as unknown as { ydoc: IDocument };
  const traces = ydoc.getArray('jupyter_agenttools');
  if (!followed.has(undo)) {
    followed.add(undo);
    undo.addToScope(traces);
    let before: ReadonlyMap<string, string> = new Map();
    ydoc.on('beforeTransaction', ({ origin }) => {
      if (origin === undo) {
        before = new Map(notebook.cells.map(cell => [cell.getId(), cell.getSource()]));
      }
    });
    undo.on('stack-item-popped', event => {
      const texts = handOn(undo, event, TEXTS) as readonly IText[] | undefined;
      texts?.forEach(text => follow(notebook, text, event.type, before.get(text.cell)));
    });
  }
  return traces;
}

/** The notebook's step was undone, or done again: have a text go along, unless the person has gone on with it. */
function follow(
  notebook: ISharedNotebook,
  text: IText,
  type: Direction,
  before: string | undefined
): void {
  const cell = notebook.cells.find(each => each.getId() === text.cell);
  if (cell === undefined || before === undefined) {
    return;
  }
  const [from, to] = type === 'undo' ? [text.made, text.was] : [text.was, text.made];
  const wanted = before === from ? to : before;
  if (cell.getSource() !== wanted) {
    change(cell, text, type, wanted);
  }
  if (text.lost !== null && cell.cell_type === 'code' && before === from) {
    const code = cell as ISharedCodeCell;
    if (type === 'undo') {
      restoreOutputs(code, text.lost);
    } else if (hasOutputs(code, text.lost)) {
      setOutputs(code, null);
    }
  }
}

function change(cell: ISharedCell, text: IText, type: Direction, wanted: string): void {
  const undo = undoOf(cell);
  const knows = (): boolean =>
    undo?.[`${type}Stack`].some(item => item.meta.get(TEXT) === text) ?? false;
  if (undo !== undefined && homes.get(text) !== undo && undo.undoStack.length === 0) {
    // A cell that was put in anew, and has no steps of the time before.
    const isOfPerson = wanted !== (type === 'undo' ? text.was : text.made);
    cell.transact(() => cell.setSource(wanted), isOfPerson);
    if (isOfPerson) {
      undo.stopCapturing();
    } else {
      undo.clear(); // what could be done again was done to another text
    }
  }
  if (undo !== undefined && knows()) {
    while (knows()) {
      undo[type](); // more than one where the person has typed something and deleted it again
    }
    if (cell.getSource() !== wanted) {
      // Another page had put the same text there, which this undo knows nothing of: what it knows is of no use.
      cell.transact(() => cell.setSource(wanted), false);
      undo.clear();
      homes.delete(text);
    }
  }
}

/** An undone step goes on as another one, to be done again, and the other way round. Tells what was said of it. */
function handOn(undo: IUndo, { stackItem, type }: IPopped, key: symbol): unknown {
  const said = stackItem.meta.get(key);
  if (said !== undefined) {
    const next = type === 'undo' ? undo.redoStack : undo.undoStack;
    next.at(-1)?.meta.set(key, said);
  }
  return said;
}

function undoOf(of: ISharedNotebook | ISharedCell): IUndo | undefined {
  return (of as unknown as { undoManager?: IUndo | null }).undoManager ?? undefined;
}

type Direction = 'undo' | 'redo';

interface IStep {
  meta: Map<unknown, unknown>;
}

interface IPopped {
  stackItem: IStep;
  type: Direction;
}

/** The parts of Yjs that the interfaces of shared documents leave out. */
interface IUndo {
  readonly undoStack: readonly IStep[];
  readonly redoStack: readonly IStep[];
  undo(): void;
  redo(): void;
  clear(): void;
  stopCapturing(): void;
  addToScope(type: ITraces): void;
  on(name: 'stack-item-popped', call: (event: IPopped) => void): void;
}

interface IDocument {
  getArray(name: string): ITraces;
  on(name: 'beforeTransaction', call: (transaction: { origin: unknown }) => void): void;
}

interface ITraces {
  insert(index: number, content: number[]): void;
}

const TEXTS = Symbol('texts of an edit');
const TEXT = Symbol('text of an edit');

/** Those that are listened to. */
const followed = new WeakSet<IUndo>();
/** The undo of the cell that got a text. */
const homes = new WeakMap<IText, IUndo>();
