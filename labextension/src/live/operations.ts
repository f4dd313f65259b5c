/**
 * The few things that can be done to an open notebook, all of a list or none of it.
 *
 * What an edit means is worked out in the kernel, on a snapshot. Here is only carried out what came of it, if the
 * notebook is still what the snapshot showed.
 */
import type * as nbformat from '@jupyterlab/nbformat';
import type { ISharedCell, ISharedCodeCell, ISharedNotebook, SharedCell } from '@jupyter/ydoc';
import { JSONObject, JSONValue } from '@lumino/coreutils';

import { Refusal } from '../protocol';

export type Operation =
  | { op: 'source'; cell: string; source: string }
  | { op: 'clear'; cell: string }
  | { op: 'retype'; cell: string; to: nbformat.CellType; source: string }
  | { op: 'insert'; index: number; content: SharedCell.Cell }
  | { op: 'delete'; cell: string }
  | { op: 'move'; cell: string; index: number };

const TYPES: readonly string[] = ['code', 'markdown', 'raw'];

/** The identity of the cells of a notebook, their order, types and sources. */
export function revisionOf(notebook: ISharedNotebook): string {
  const told = notebook.cells.map(cell => [cell.getId(), cell.cell_type, cell.getSource()]);
  return digest(JSON.stringify(told));
}

/**
 * A short name of a text: 53 bits of a multiplicative hash in two lanes (the constants are those of xxHash32 and
 * MurmurHash3's finalizer). It tells versions apart; it does not have to withstand anybody.
 */
export function digest(text: string): string {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e3779b1);
    two = Math.imul(two ^ code, 0x85ebca77);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  const bits = 4294967296 * (2097151 & two) + (one >>> 0);
  return `${bits.toString(16)}-${text.length}`;
}

/** The operations of a request. Throws a `Refusal` for what is none. */
export function readOperations(value: JSONValue | undefined): Operation[] {
  if (!Array.isArray(value)) {
    throw new Refusal('bad-request', 'operations: expected a list');
  }
  return value.map((each, at) => readOperation(each as JSONObject, at));
}

function readOperation(value: JSONObject, at: number): Operation {
  const text = (name: string): string => {
    const found = value?.[name];
    if (typeof found !== 'string') {
      throw new Refusal('bad-request', `operation ${at}: ${name} is no text`);
    }
    return found;
  };
  const index = (): number => {
    if (!Number.isInteger(value.index) || (value.index as number) < 0) {
      throw new Refusal('bad-request', `operation ${at}: index is no position`);
    }
    return value.index as number;
  };
  switch (value?.op) {
    case 'source':
      return { op: 'source', cell: text('cell'), source: text('source') };
    case 'clear':
      return { op: 'clear', cell: text('cell') };
    case 'retype': {
      const to = text('to');
      if (!TYPES.includes(to)) {
        throw new Refusal('bad-request', `operation ${at}: ${to} is no type of cell`);
      }
      return { op: 'retype', cell: text('cell'), to, source: text('source') };
    }
    case 'insert':
      return { op: 'insert', index: index(), content: content(value.content, at) };
    case 'delete':
      return { op: 'delete', cell: text('cell') };
    case 'move':
      return { op: 'move', cell: text('cell'), index: index() };
    default:
      throw new Refusal(
        'bad-request',
        `operation ${at}: there is no operation ${String(value?.op)}`
      );
  }
}

function content(value: JSONValue | undefined, at: number): SharedCell.Cell {
  const cell = value as JSONObject | undefined;
  const texts = [cell?.id, cell?.source, cell?.cell_type];
  if (texts.some(each => typeof each !== 'string') || !TYPES.includes(cell?.cell_type as string)) {
    throw new Refusal('bad-request', `operation ${at}: content is no cell`);
  }
  return cell as unknown as SharedCell.Cell;
}

/** Throw a `Refusal` unless every one of the operations can be done, one after the other. */
export function check(notebook: ISharedNotebook, operations: readonly Operation[]): void {
  const ids = notebook.cells.map(cell => cell.getId());
  const structure = operations.filter(each => each.op !== 'source');
  structure.forEach((each, at) => checkOne(ids, each, at));
  for (const each of operations) {
    if (each.op === 'source') {
      find(ids, each.cell);
    }
  }
}

/** Check one operation, and do it to the list of ids. */
function checkOne(ids: string[], operation: Operation, at: number): void {
  const put = (index: number, id: string): void => {
    if (index > ids.length) {
      throw new Refusal(
        'bad-request',
        `operation ${at}: there are ${ids.length} cells, no ${index}`
      );
    }
    ids.splice(index, 0, id);
  };
  switch (operation.op) {
    case 'insert': {
      const id = String(operation.content.id);
      if (ids.includes(id)) {
        throw new Refusal('bad-request', `operation ${at}: there is a cell ${id} already`);
      }
      put(operation.index, id);
      break;
    }
    case 'move':
      put(operation.index, ids.splice(find(ids, operation.cell), 1)[0]);
      break;
    case 'delete':
      ids.splice(find(ids, operation.cell), 1);
      break;
    default:
      find(ids, operation.cell);
  }
}

function find(ids: readonly string[], id: string): number {
  const index = ids.indexOf(id);
  if (index < 0) {
    throw new Refusal('no-cell', `there is no cell ${id}`);
  }
  return index;
}

/**
 * Do all operations, as one step of the notebook's undo; a new source is one step of its cell's undo.
 *
 * Nothing is awaited: between the check and the last operation nobody else can change the notebook.
 */
export function apply(notebook: ISharedNotebook, operations: Operation[], revision: string): void {
  if (revisionOf(notebook) !== revision) {
    throw new Refusal('content-changed', 'the open document has changed since it was looked at');
  }
  check(notebook, operations);
  const structure = operations.filter(each => each.op !== 'source');
  stopCapturing(notebook);
  if (structure.length > 0) {
    const cells = new Cells(notebook);
    notebook.transact(() => structure.forEach(each => cells.change(each)), true);
    stopCapturing(notebook);
  }
  // A source that is set inside of a transaction cannot be undone in its cell.
  for (const each of operations) {
    if (each.op === 'source') {
      const cell = notebook.cells.find(one => one.getId() === each.cell);
      if (cell !== undefined) {
        stopCapturing(cell); // what a person typed just now is a step of its own
        cell.setSource(each.source);
        stopCapturing(cell);
      }
    }
  }
}

/**
 * The cells of a notebook while a transaction lasts: the notebook itself tells of its changes only when it is over.
 */
class Cells {
  constructor(private readonly notebook: ISharedNotebook) {
    this.cells = [...notebook.cells];
  }

  change(operation: Operation): void {
    switch (operation.op) {
      case 'insert':
        this.insert(operation.index, operation.content);
        break;
      case 'delete':
        this.remove(this.find(operation.cell));
        break;
      case 'move':
        this.insert(operation.index, this.remove(this.find(operation.cell)));
        break;
      case 'clear':
        clearOutputs(this.cells[this.find(operation.cell)]);
        break;
      case 'retype': {
        const index = this.find(operation.cell);
        const made = retyped(this.cells[index], operation.to, operation.source);
        this.remove(index);
        this.insert(index, made);
        break;
      }
    }
  }

  private find(id: string): number {
    return this.cells.findIndex(cell => cell.getId() === id);
  }

  private insert(index: number, content: SharedCell.Cell): void {
    this.cells.splice(index, 0, this.notebook.insertCell(index, content));
  }

  private remove(index: number): SharedCell.Cell {
    const content = this.cells[index].toJSON() as SharedCell.Cell;
    this.notebook.deleteCell(index);
    this.cells.splice(index, 1);
    return content;
  }

  private readonly cells: ISharedCell[];
}

function clearOutputs(cell: ISharedCell): void {
  if (cell.cell_type === 'code') {
    const code = cell as ISharedCodeCell;
    code.setOutputs([]);
    code.execution_count = null;
  }
}

function retyped(cell: ISharedCell, to: nbformat.CellType, source: string): SharedCell.Cell {
  const kept = { cell_type: to, id: cell.getId(), source, metadata: cell.getMetadata() };
  const more = to === 'code' ? { outputs: [], execution_count: null } : {};
  return { ...kept, ...more } as SharedCell.Cell;
}

/** What follows is a step of its own for undo. */
function stopCapturing(of: ISharedNotebook | ISharedCell): void {
  const { undoManager } = of as unknown as { undoManager?: { stopCapturing?: () => void } };
  undoManager?.stopCapturing?.();
}
