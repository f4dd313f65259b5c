/**
 * The history as the kernel tells it (`notebook/lab/history.py`, `notebook/lab/sessions.py`), and what is said of it.
 *
 * The kernel searches, and marks what it found in the very texts that it tells: nothing is searched here.
 */
import { JSONObject, JSONValue } from '@lumino/coreutils';

import { countIn, isObject, objectsIn, textIn } from './reports';

/** A text in pieces: plain, marked, plain, marked and so on. */
export type Pieces = readonly string[];

/** A part of a text, with what was found marked. */
export interface IWindow {
  text: Pieces;
  /** Which characters of all `chars` it holds. */
  start: number;
  end: number;
  chars: number;
  /** How many places were found in the whole text. */
  hits: number;
  /** Where the next window with one begins, `null` when there is none. */
  later: number | null;
}

export interface IEntry extends IWindow {
  ref: string;
  kind: string;
  who: Pieces;
  title: Pieces;
  status: Pieces;
}

export interface IHistory {
  entries: IEntry[];
  /** How many there are with what is looked for, and how many at all. */
  found: number;
  total: number;
  notes: string[];
}

export interface ISession {
  id: string;
  /** The beginning of the id, as `%agent resume` takes it. */
  short: Pieces;
  title: Pieces;
  folder: Pieces;
  model: Pieces;
  when: string;
  /** ms since the epoch. */
  time: number;
  calls: number;
  /** Whether it is the one of this kernel. */
  current: boolean;
  /** Whether some kernel holds it. */
  running: boolean;
  /** In how many of its entries something was found, and the first of them. */
  count: number;
  first: IEntry | null;
}

export interface ISessions {
  sessions: ISession[];
  found: number;
  total: number;
  /** How many are still to be searched. */
  left: number;
  /** How many there was no time to look at. */
  unlisted: number;
  project: string;
}

export function readWindow(data: JSONValue | null): IWindow {
  const each = isObject(data) ? data : {};
  return {
    text: piecesIn(each, 'text'),
    start: countIn(each, 'start'),
    end: countIn(each, 'end'),
    chars: countIn(each, 'chars'),
    hits: countIn(each, 'hits'),
    later: typeof each.later === 'number' ? each.later : null
  };
}

export function readHistory(data: JSONValue | null): IHistory {
  const each = isObject(data) ? data : {};
  const notes = Array.isArray(each.notes) ? each.notes : [];
  return {
    entries: objectsIn(each, 'entries').map(readEntry),
    found: countIn(each, 'found'),
    total: countIn(each, 'total'),
    notes: notes.map(String)
  };
}

export function readSessions(data: JSONValue | null): ISessions {
  const each = isObject(data) ? data : {};
  return {
    sessions: objectsIn(each, 'sessions').map(readSession),
    found: countIn(each, 'found'),
    total: countIn(each, 'total'),
    left: countIn(each, 'left'),
    unlisted: countIn(each, 'unlisted'),
    project: textIn(each, 'project')
  };
}

function readEntry(data: JSONObject): IEntry {
  return {
    ...readWindow(data),
    ref: textIn(data, 'ref'),
    kind: textIn(data, 'kind'),
    who: piecesIn(data, 'who'),
    title: piecesIn(data, 'title'),
    status: piecesIn(data, 'status')
  };
}

function readSession(data: JSONObject): ISession {
  return {
    id: textIn(data, 'id'),
    short: piecesIn(data, 'short'),
    title: piecesIn(data, 'title'),
    folder: piecesIn(data, 'folder'),
    model: piecesIn(data, 'model'),
    when: textIn(data, 'when'),
    time: countIn(data, 'time'),
    calls: countIn(data, 'calls'),
    current: data.current === true,
    running: data.running === true,
    count: countIn(data, 'count'),
    first: isObject(data.first) ? readEntry(data.first) : null
  };
}

function piecesIn(data: JSONObject, name: string): string[] {
  const value = data[name];
  return Array.isArray(value) && value.every(each => typeof each === 'string')
    ? (value as string[])
    : [];
}

export function plain(pieces: Pieces): string {
  return pieces.join('');
}

/** How many of how many are shown, e.g. `50 of 312 found in 1,024 entries`. */
export function historyWords(history: IHistory, query: string): string {
  const { entries, found, total } = history;
  if (!query.trim()) {
    return total > entries.length
      ? `${counted(entries.length)} of ${entriesOf(total)}`
      : entriesOf(total);
  }
  const shown = found > entries.length ? `${counted(entries.length)} of ` : '';
  return `${shown}${counted(found)} found in ${entriesOf(total)}`;
}

/** The same of sessions; what is not searched yet is said. */
export function sessionsWords(told: ISessions, query: string): string {
  const { sessions, found, total, left } = told;
  const shown = found > sessions.length ? `${counted(sessions.length)} of ` : '';
  if (!query.trim()) {
    return `${shown}${sessionsOf(total)}`;
  }
  const searched = left
    ? `${counted(total - left)} of ${sessionsOf(total)}, searching`
    : sessionsOf(total);
  return `${shown}${counted(found)} found in ${searched}`;
}

/** What a window leaves out of the text, `''` when that is nothing. */
export function windowWords({ start, end, chars }: IWindow): string {
  return start > 0 || end < chars
    ? `Characters ${counted(start + 1)} to ${counted(end)} of ${counted(chars)}`
    : '';
}

/** How many places were found in a text, and how many of them a window holds. */
export function hitWords(shown: IWindow): string {
  const here = Math.floor(shown.text.length / 2);
  if (!shown.hits) {
    return '';
  }
  return here < shown.hits
    ? `${counted(here)} of ${counted(shown.hits)} places`
    : `${counted(shown.hits)} ${shown.hits === 1 ? 'place' : 'places'}`;
}

/** A place in a long text: the window that begins at `start`, and which of those that were found in it. */
export interface IPlace {
  start: number;
  place: number;
}

/** The next place that was found, in this window or behind it; `null` when it is the last. */
export function nextPlace(shown: IWindow, place: number): IPlace | null {
  if (place + 1 < Math.floor(shown.text.length / 2)) {
    return { start: shown.start, place: place + 1 };
  }
  return shown.later === null ? null : { start: shown.later, place: 0 };
}

function entriesOf(number: number): string {
  return `${counted(number)} ${number === 1 ? 'entry' : 'entries'}`;
}

function sessionsOf(number: number): string {
  return `${counted(number)} ${number === 1 ? 'session' : 'sessions'}`;
}

function counted(number: number): string {
  return number.toLocaleString('en-US');
}

/** Where a step with a key leads in a list, `null` when the key is none that does. */
export function stepTo(key: string, at: number, length: number): number | null {
  const to: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: length - 1
  };
  return key in to && length > 0 ? Math.min(Math.max(to[key], 0), length - 1) : null;
}
