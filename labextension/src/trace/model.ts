/**
 * The trace of a call or of a turn, as it stands in a saved notebook. Anybody may have written it: what is not as
 * expected is left out.
 */
import { JSONObject, JSONValue } from '@lumino/coreutils';

export const TRACE_MIME_TYPE = 'application/vnd.jupyter-agenttools.trace+json';

export interface IStage {
  name: string;
  status: string;
  ms: number | null;
  reason: string;
  in: JSONValue | undefined;
  out: JSONValue | undefined;
}

export interface ICall {
  tool: string;
  id: string;
  /** What it is about, in one line: its title without the name of the tool. */
  subject: string;
  status: string;
  /** From its first stage to its last. */
  ms: number;
  /** When it waited for the person: from which ms after its beginning on, and for how many. */
  asked: [from: number, ms: number][];
  /** What was decided, as lines. */
  decision: string[];
  stages: IStage[];
  /** How many more stages there were than were kept. */
  leftOut: number;
}

/** When a call was where, in ms since the first of its turn, for whom it waited, and why. */
export interface ITimes {
  queued: number;
  executing: number | null;
  completed: number;
  yielded: number;
  /** The calls that had to end before it began, and why. */
  waited: string[];
  reason: string;
  /** The calls whose results had to leave before its own. */
  held: string[];
  /** Why it was not run. */
  note: string;
}

export interface ITrace {
  calls: ICall[];
  /** By the id of the call. */
  times: Map<string, ITimes>;
  /** How the turn ended; `''` for a single call. */
  ended: string;
}

const isObject = (value: unknown): value is JSONObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const list = (value: unknown): JSONValue[] => (Array.isArray(value) ? (value as JSONValue[]) : []);

/** What the data of an output holds, `null` when it is no trace. */
export function readTrace(data: unknown): ITrace | null {
  if (!isObject(data)) {
    return null;
  }
  if (Array.isArray(data.calls)) {
    const calls = data.calls.filter(isObject).map(readCall);
    return { calls, times: readTimes(data.schedule), ended: text(data.ended) || 'end_turn' };
  }
  return text(data.tool) ? { calls: [readCall(data)], times: new Map(), ended: '' } : null;
}

function readCall(data: JSONObject): ICall {
  const stages = list(data.stages).filter(isObject).map(readStage);
  const tool = text(data.tool) || '?';
  return {
    tool,
    id: text(data.id),
    subject: withoutTool(text(data.title), tool) ?? subjectOf(stages),
    status: text(data.status),
    ms: number(data.ms) ?? 0,
    asked: readAsked(data.asked),
    decision: readDecision(data.decision),
    stages,
    leftOut: number(data.left_out) ?? 0
  };
}

function withoutTool(title: string, tool: string): string | null {
  const said = title.replace(/\s+/g, ' ').trim();
  if (said === '') {
    return null;
  }
  return said === tool ? '' : said.startsWith(`${tool} `) ? said.slice(tool.length + 1) : said;
}

function readAsked(data: unknown): [number, number][] {
  const pairs = list(data).map(each => list(each).map(number));
  return pairs.filter(
    (each): each is [number, number] =>
      each.length === 2 && each.every(value => value !== null && value >= 0)
  );
}

/** Of a trace that has no title, as earlier ones: the first text of the input that the first stage was given. */
function subjectOf([first]: IStage[]): string {
  const use = isObject(first?.in) ? first.in.tool_use : undefined;
  const input = isObject(use) && isObject(use.input) ? Object.values(use.input) : [];
  const said = input.find(value => typeof value === 'string');
  return text(said).replace(/\s+/g, ' ').trim();
}

function readStage(data: JSONObject): IStage {
  return {
    name: text(data.name),
    status: text(data.status),
    ms: number(data.ms),
    reason: text(data.reason),
    in: data.in,
    out: data.out
  };
}

function readDecision(data: unknown): string[] {
  if (!isObject(data)) {
    return [];
  }
  const head = [text(data.behavior), data.by ? `by ${who(text(data.by))}` : '', text(data.reason)];
  const steps = list(data.trace).map(step => list(step).map(text).filter(Boolean).join(': '));
  const passed = data.passed ? [`passed: ${text(data.passed)}`] : [];
  return [head.filter(Boolean).join(' · '), ...passed, ...steps].filter(Boolean);
}

function who(by: string): string {
  return by === 'person' ? 'you' : by;
}

function readTimes(data: unknown): Map<string, ITimes> {
  const times = new Map<string, ITimes>();
  for (const [id, value] of Object.entries(isObject(data) ? data : {})) {
    if (!isObject(value)) {
      continue;
    }
    const queued = number(value.queued);
    const completed = number(value.completed);
    if (queued !== null && completed !== null) {
      times.set(id, {
        queued,
        executing: number(value.executing),
        completed,
        yielded: number(value.yielded) ?? completed,
        waited: list(value.waited).map(text).filter(Boolean),
        reason: text(value.reason),
        held: list(value.held).map(text).filter(Boolean),
        note: text(value.note)
      });
    }
  }
  return times;
}

/** A piece of a bar: which status, and from where to where, in percent of the whole. */
export interface ISpan {
  status: 'queued' | 'executing' | 'asked' | 'completed';
  left: number;
  width: number;
}

/**
 * The bar of a call on a line that goes from `from` to `to` (ms). What is outside of it is cut off.
 *
 * @param asked - when it waited for the person, as in `ICall`.
 */
export function spansOf(
  times: ITimes,
  from: number,
  to: number,
  asked: ICall['asked'] = []
): ISpan[] {
  const whole = Math.max(to - from, 1e-9);
  const at = (ms: number): number => Math.min(100, Math.max(0, ((ms - from) / whole) * 100));
  const began = times.executing ?? times.completed;
  const parts: [ISpan['status'], number, number][] = [
    ['queued', times.queued, began],
    ...executing(began, times.completed, asked),
    ['completed', times.completed, times.yielded]
  ];
  return parts
    .map(([status, start, end]) => ({ status, left: at(start), width: at(end) - at(start) }))
    .filter(span => span.width > 0);
}

/** What a call did from its beginning to its end: it ran, and between that it waited for the person. */
function executing(
  began: number,
  completed: number,
  asked: ICall['asked']
): [ISpan['status'], number, number][] {
  const parts: [ISpan['status'], number, number][] = [];
  let at = began;
  for (const [from, ms] of asked) {
    const start = Math.min(Math.max(began + from, at), completed);
    const end = Math.min(Math.max(began + from + ms, start), completed);
    parts.push(['executing', at, start], ['asked', start, end]);
    at = end;
  }
  return [...parts, ['executing', at, completed]];
}

/** From the first beginning to the last end (ms). */
export function extent(times: Iterable<ITimes>): [number, number] {
  const all = [...times];
  const starts = all.map(each => each.queued);
  const ends = all.map(each => each.yielded);
  return all.length ? [Math.min(...starts), Math.max(...ends)] : [0, 0];
}

/** From where to where a line goes (ms). */
export type Range = readonly [number, number];

/** How far one may zoom in. */
const CLOSEST = 1024;

/** So much of `whole`, `span` long and beginning near `from`, that it does not stand out. */
function within(from: number, span: number, [first, last]: Range): Range {
  const start = Math.max(first, Math.min(from, last - span));
  return [start, Math.min(last, start + span)];
}

/** The range made longer or shorter; `about` stays where it is on the line. */
export function zoomed(range: Range, whole: Range, factor: number, about: number): Range {
  const [from, to] = range;
  const all = whole[1] - whole[0];
  const span = Math.min(all, Math.max((to - from) * factor, all / CLOSEST));
  const still = Math.min(to, Math.max(from, about));
  const share = to > from ? (still - from) / (to - from) : 0;
  return within(still - share * span, span, whole);
}

/** The range further on by this share of itself, or further back. */
export function panned([from, to]: Range, whole: Range, share: number): Range {
  return within(from + (to - from) * share, to - from, whole);
}

/** Round numbers on a line, about `count` of them. */
export function ticks([from, to]: Range, count: number): number[] {
  const raw = (to - from) / count;
  if (!(raw > 0)) {
    return [from];
  }
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find(each => each * power >= raw) ?? 10);
  const begin = Math.ceil(from / step);
  const end = Math.floor(to / step + 1e-9);
  return Array.from({ length: end - begin + 1 }, (_, at) => (begin + at) * step);
}

/** The values that stand in data, each with the names that lead to it. */
export function leaves(value: JSONValue, path: string[] = []): [string, string][] {
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, each]) =>
      each === undefined ? [] : leaves(each as JSONValue, [...path, name])
    );
  }
  const said =
    typeof value === 'string'
      ? value
      : JSON.stringify(value, undefined, isFlat(value) ? undefined : 2);
  return [[path.join('.'), said]];
}

function isFlat(value: JSONValue): boolean {
  return !Array.isArray(value) || value.every(each => typeof each !== 'object');
}

/** The times of a call in words: how long it ran, for whom it waited and why, and what kept its result. */
export function timesInWords(
  call: ICall,
  times: ITimes | undefined,
  names: Map<string, string>
): string {
  const said = times === undefined ? ranFor(call) : wordsOf(call, times, names);
  return `${call.tool}: ${[call.status, ...said].join(', ')}`;
}

/** As in the record, but what the person took is told apart. */
function ranFor({ ms, asked }: ICall): string[] {
  const person = asked.reduce((sum, [, each]) => sum + each, 0);
  return person > 0
    ? [`ran ${inMs(Math.max(0, ms - person))}`, `waited ${inMs(person)} for you`]
    : [`ran ${inMs(ms)}`];
}

function wordsOf(call: ICall, times: ITimes, names: Map<string, string>): string[] {
  const { queued, executing: began, completed, yielded, waited, reason, held, note } = times;
  const wait = (began ?? completed) - queued;
  const kept = yielded - completed;
  const all = (ids: string[]): string => listed(ids.map(id => names.get(id) ?? id));
  const why = reason ? `: it ${reason}` : '';
  return [
    ...(began === null ? ['never ran'] : ranFor(call)),
    ...(began !== null && isMore(completed - began, call.ms)
      ? [`held its place for ${inMs(completed - began)}`]
      : []),
    ...(waited.length ? [`waited ${inMs(wait)} for ${all(waited)}${why}`] : []),
    ...(!waited.length && wait >= NOTICED_MS ? [`waited ${inMs(wait)}${why}`] : []),
    ...(held.length && kept >= NOTICED_MS
      ? [`result kept ${inMs(kept)} until after ${all(held)}`]
      : []),
    ...(note ? [note] : [])
  ];
}

/** Whether the executor, which begins a call and takes its result, took a time of its own that one sees. */
function isMore(place: number, ran: number): boolean {
  return place - ran >= 10 * NOTICED_MS && place > 1.1 * ran;
}

/** Shorter than this is not worth a word. */
const NOTICED_MS = 1;

/** So many of a list are named. */
const NAMED = 4;

function listed(names: string[]): string {
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

export function inMs(ms: number): string {
  const digits = ms < 10 ? 10 : 1;
  return ms < 1000 ? `${Math.round(ms * digits) / digits} ms` : `${Math.round(ms / 10) / 100} s`;
}

/** The same for numbers that stand on one line: all of them in seconds, or none. */
export function onLine(ms: number, [from, to]: Range): string {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(Math.max(to - from, 1e-6) / 1000)));
  return to < 1000 ? `${Number(ms.toFixed(3))} ms` : `${Number((ms / 1000).toFixed(digits))} s`;
}
