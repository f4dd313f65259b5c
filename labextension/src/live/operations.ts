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
import { outputsOf, Ran, setOutputs } from './outputs';
import { asStep, IText, stopCapturing } from './steps';

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
 * Do all operations, as one step of the notebook's undo; a new source is one step of its cell's undo too.
 *
 * Nothing is awaited: between the check and the last operation nobody else can change the notebook.
 */
export function apply(notebook: ISharedNotebook, operations: Operation[], revision: string): void {
  if (revisionOf(notebook) !== revision) {
    throw new Refusal('content-changed', 'the open document has changed since it was looked at');
  }
  check(notebook, operations);
  // Sources come last: what is inserted is there by then.
  const ordered = [...operations].sort((one, other) => Number(isText(one)) - Number(isText(other)));
  if (!notebook.disableDocumentWideUndoRedo) {
    const cells = new Cells(notebook);
    stopCapturing(notebook);
    notebook.transact(() => ordered.forEach(each => cells.change(each)), true);
    stopCapturing(notebook);
    return;
  }
  const structure = ordered.filter(each => !isText(each) && each.op !== 'clear');
  const texts = textsOf(notebook, ordered);
  if (structure.length > 0 || texts.some(each => each.made !== each.was || each.lost !== null)) {
    asStep(notebook, texts, () => {
      const cells = new Cells(notebook);
      structure.forEach(each => cells.change(withText(each, texts)));
    });
  }
}

/** What is put in has the text at once that it is to have in the end. */
function withText(operation: Operation, texts: readonly IText[]): Operation {
  const made = (id: string): string => texts.find(each => each.cell === id)?.made ?? '';
  if (operation.op === 'insert') {
    const { content } = operation;
    return { ...operation, content: { ...content, source: made(String(content.id)) } };
  }
  return operation.op === 'retype' ? { ...operation, source: made(operation.cell) } : operation;
}

function isText({ op }: Operation): boolean {
  return op === 'source';
}

/** What becomes of the texts of all cells that these operations are about; those that are deleted keep theirs. */
function textsOf(notebook: ISharedNotebook, operations: readonly Operation[]): IText[] {
  const before = new Map(notebook.cells.map(cell => [cell.getId(), cell]));
  const texts = new Map<string, IText>();
  const outputs = new Map<string, Ran>();
  const textOf = (cell: string, source = ''): IText => {
    const was = before.get(cell)?.getSource() ?? source;
    const text = texts.get(cell) ?? { cell, was, made: was, lost: null };
    texts.set(cell, text);
    return text;
  };
  for (const each of operations) {
    if (each.op === 'insert') {
      const { id, source } = each.content;
      const made = Array.isArray(source) ? source.join('') : String(source);
      textOf(String(id), made).made = made;
      outputs.set(String(id), each.content as unknown as Ran);
    } else if (each.op === 'source' || each.op === 'retype') {
      textOf(each.cell).made = each.source;
    } else if (each.op === 'clear') {
      const cell = before.get(each.cell);
      textOf(each.cell).lost = outputs.get(each.cell) ?? (cell ? outputsOf(cell) : null);
    } else {
      textOf(each.cell);
    }
  }
  return [...texts.values()];
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
      case 'clear': {
        const cell = this.cells[this.find(operation.cell)];
        if (cell.cell_type === 'code') {
          setOutputs(cell as ISharedCodeCell, null);
        }
        break;
      }
      case 'source':
        this.cells[this.find(operation.cell)].setSource(operation.source);
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

function retyped(cell: ISharedCell, to: nbformat.CellType, source: string): SharedCell.Cell {
  const kept = { cell_type: to, id: cell.getId(), source, metadata: cell.getMetadata() };
  const more = to === 'code' ? { outputs: [], execution_count: null } : {};
  return { ...kept, ...more } as SharedCell.Cell;
}
