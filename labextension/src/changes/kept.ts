/**
 * The marks of a notebook as data: what a page tells the kernels that keep them, and hears from them.
 */
import type { SharedCell } from '@jupyter/ydoc';
import { JSONObject, JSONValue } from '@lumino/coreutils';

import { digest } from '../live/operations';
import { IEntry, IMark, IWas, Kind } from './mark';

/** Of this form of the data; another one is not read. */
export const FORM = 1;

/** So many characters of marks are told of one notebook; kernels keep no more either. */
export const LIMIT_CHARS = 1_000_000;

export interface IWritten {
  data: JSONObject;
  /** The marks that are too much for it. */
  leftOut: number;
}

/** Entries as data, the latest first to have a place in it. */
export function writeEntries(entries: readonly IEntry[], limit = LIMIT_CHARS): IWritten {
  const orders = new Orders();
  const written: JSONObject[] = [];
  let [room, leftOut] = [limit, 0];
  const latest = [...entries].sort((one, other) => other.number - one.number);
  for (const entry of latest) {
    const order = orders.find(entry.mark?.was?.order);
    const data = writeEntry(entry, order.key);
    const needs = JSON.stringify(data).length + (order.isWritten ? 0 : order.chars);
    if (needs > room) {
      leftOut += entry.mark === null ? 0 : 1;
      continue;
    }
    room -= needs;
    order.isWritten = true;
    written.push(data);
  }
  return { data: { form: FORM, orders: orders.written, entries: written }, leftOut };
}

interface IOrder {
  ids: readonly string[];
  key: string;
  chars: number;
  isWritten: boolean;
}

/** The orders of cells that marks name: most have the same one, which is written once. */
class Orders {
  find(ids: readonly string[] | undefined): IOrder {
    if (ids === undefined) {
      return { ids: [], key: '', chars: 0, isWritten: true };
    }
    const known = this.byIds.get(ids);
    if (known !== undefined) {
      return known;
    }
    const text = JSON.stringify(ids);
    const key = digest(text);
    const made = this.byKey.get(key) ?? { ids, key, chars: text.length, isWritten: false };
    this.byIds.set(ids, made);
    this.byKey.set(key, made);
    return made;
  }

  get written(): JSONObject {
    const all = [...this.byKey.values()].filter(order => order.isWritten);
    return Object.fromEntries(all.map(({ key, ids }) => [key, [...ids]]));
  }

  private readonly byIds = new Map<readonly string[], IOrder>();
  private readonly byKey = new Map<string, IOrder>();
}

function writeEntry({ cell, number, by, mark }: IEntry, order: string): JSONObject {
  if (mark === null) {
    return { cell, number, by, mark };
  }
  const { turn, kind, moved, made } = mark;
  const was = mark.was && {
    order,
    position: mark.was.position,
    content: mark.was.content as unknown as JSONObject
  };
  return { cell, number, by, mark: { turn, kind, moved, was, made } };
}

/** The entries that data holds; what is none is left out. */
export function readEntries(data: JSONValue | undefined): IEntry[] {
  if (!isObject(data) || data.form !== FORM || !Array.isArray(data.entries)) {
    return [];
  }
  const orders = new Map<string, string[]>();
  for (const [key, order] of Object.entries(isObject(data.orders) ? data.orders : {})) {
    if (isTexts(order)) {
      orders.set(key, order);
    }
  }
  return data.entries.flatMap(each => readEntry(each, orders) ?? []);
}

function readEntry(data: unknown, orders: ReadonlyMap<string, string[]>): IEntry | null {
  if (!isObject(data) || typeof data.cell !== 'string' || typeof data.by !== 'string') {
    return null;
  }
  const { cell, by, number } = data;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
    return null;
  }
  const mark = data.mark === null ? null : readMark(cell, data.mark, orders);
  return mark === undefined ? null : { cell, number, by, mark };
}

/** `undefined` for what is no mark. */
function readMark(
  cell: string,
  data: unknown,
  orders: ReadonlyMap<string, string[]>
): IMark | undefined {
  if (!isObject(data) || typeof data.turn !== 'string' || typeof data.moved !== 'boolean') {
    return undefined;
  }
  const was = data.was === null ? null : readWas(cell, data.was, orders);
  const made = data.made === null ? null : readMade(data.made);
  const kind = KINDS.find(each => each === data.kind);
  if (was === undefined || made === undefined || kind === undefined) {
    return undefined;
  }
  const fits = (was === null) === (kind === 'inserted') && (made === null) === (kind === 'deleted');
  return fits ? { cell, turn: data.turn, kind, moved: data.moved, was, made } : undefined;
}

function readWas(
  cell: string,
  data: unknown,
  orders: ReadonlyMap<string, string[]>
): IWas | undefined {
  const order = isObject(data) ? orders.get(String(data.order)) : undefined;
  if (!isObject(data) || order === undefined || typeof data.position !== 'number') {
    return undefined;
  }
  const { content, position } = data;
  const isPlace = Number.isInteger(position) && position >= 0 && position <= order.length;
  const isCell =
    isObject(content) &&
    content.id === cell &&
    typeof content.source === 'string' &&
    TYPES.includes(content.cell_type) &&
    (content.outputs === undefined || Array.isArray(content.outputs));
  return isPlace && isCell
    ? { content: content as unknown as SharedCell.Cell, order, position }
    : undefined;
}

function readMade(data: unknown): IMark['made'] | undefined {
  const isSay = isObject(data) && typeof data.type === 'string' && typeof data.source === 'string';
  return isSay ? { type: String(data.type), source: String(data.source) } : undefined;
}

function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string');
}

const KINDS: readonly Kind[] = ['inserted', 'changed', 'retyped', 'moved', 'deleted'];
const TYPES: readonly unknown[] = ['code', 'markdown', 'raw'];
