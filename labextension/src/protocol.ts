/**
 * What the kernel and a page say to each other, and how each is checked.
 *
 * The kernel speaks over one comm, which every page hears; `to` says whom it means. A page answers over the kernel's
 * control channel, which is served while a cell runs, whether the cell awaits or blocks.
 */
import { JSONObject, JSONValue } from '@lumino/coreutils';

import type { IPlace } from './state';

export const VERSION = 1;

export const COMM_TARGET = 'jupyter_agenttools.lab';

/** A notebook that is open in a page. Paths are those of the server's contents, without a drive. */
export interface IOpenDocument {
  path: string;
  /** Whether something of it is not saved. */
  dirty: boolean;
  /** The kernel that runs its cells, `null` for none. */
  kernel: string | null;
  /** Whether others edit the same model (jupyter-collaboration). */
  shared: boolean;
  /** Whether it is the one that the person looks at. */
  current: boolean;
}

/** From a page: it is there, with these notebooks. Said on arrival and whenever something of it changes. */
export interface IHello {
  type: 'hello';
  v: number;
  client: string;
  /** When the page came, in ms since the epoch: of two pages with one notebook the later one is used. */
  since: number;
  serverRoot: string;
  /** The notebook whose kernel this is, `null` for a console. */
  own: string | null;
  visible: boolean;
  /** Whether it was cut off, and may have missed something. */
  back: boolean;
  documents: IOpenDocument[];
}

export interface IBye {
  type: 'bye';
  v: number;
  client: string;
}

/** From a page: what came of a request. */
export interface IReply {
  type: 'reply';
  v: number;
  client: string;
  id: string;
  ok: boolean;
  /** The result, or `{kind, message}` of what went wrong. */
  data: JSONValue;
}

/** From a page: a person answered a question. */
export interface IAnswer {
  type: 'answer';
  v: number;
  client: string;
  question: string;
  behavior: 'allow' | 'deny';
  message: string;
}

/** From a page: a person wants a command of the kernel's session. */
export interface ICommand {
  type: 'command';
  v: number;
  client: string;
  name: string;
  args: JSONObject;
  /** When it is given, a report with this id tells what came of it. */
  id?: string;
}

/** From a page: a person wants to look at something, e.g. the rules. */
export interface IAsk {
  type: 'ask';
  v: number;
  client: string;
  id: string;
  name: string;
  args: JSONObject;
}

/**
 * From a page: what happened to the marks of changed cells in a notebook (`changes/kept.ts`). The kernel keeps it, and
 * tells it to everybody and to whoever opens the notebook later.
 */
export interface IMarks {
  type: 'marks';
  v: number;
  client: string;
  path: string;
  /** The path that it had before, when it was renamed. */
  was: string | null;
  /** `null` when the notebook was deleted. */
  marks: JSONObject | null;
}

export type FromPage = IHello | IBye | IReply | IAnswer | ICommand | IAsk | IMarks;

/** Without what the connection adds: the version and who it is. */
export type Unsigned<M> = M extends FromPage ? Omit<M, 'v' | 'client'> : never;

/** From the kernel: do this, and reply with the same id. The op `withdraw` takes the request of that id back. */
export interface IRequest {
  type: 'request';
  v: number;
  id: string;
  to: string;
  op: string;
  args: JSONObject;
}

/** From the kernel, to everybody: pages say hello again. */
export interface IWhoIsThere {
  type: 'who';
  v: number;
}

/** From the kernel, to everybody: how the session is now. */
export interface IState {
  type: 'state';
  v: number;
  state: JSONObject;
}

/** From the kernel, to everybody: something that a person should know, e.g. why a wish was not done. */
export interface INotice {
  type: 'notice';
  v: number;
  text: string;
}

/**
 * From the kernel, to everybody: cells that run, and outputs that are still being drawn. A page that was loaded anew
 * has none of them unless the notebook had been saved, and would not see how they go on and end.
 */
export interface IDisplays {
  type: 'displays';
  v: number;
  displays: (IPlace & { display: string; data: JSONObject })[];
  /** `request` is the id of the message that asked for the cell, `count` its number. */
  cells: (IPlace & { request: string; count: number })[];
}

/** From the kernel, to the page that asked: what it wants to look at, or why not. */
export interface IReport {
  type: 'report';
  v: number;
  to: string;
  id: string;
  ok: boolean;
  data: JSONValue;
}

/** From the kernel, to everybody: what is new of the marks in a notebook. */
export interface IMarksTold {
  type: 'marks';
  v: number;
  path: string;
  marks: JSONObject;
}

export type FromKernel =
  IRequest | IReport | IWhoIsThere | IState | INotice | IDisplays | IMarksTold;

/** A request that cannot be done; `kind` is what the kernel goes by. */
export class Refusal extends Error {
  constructor(
    readonly kind: 'not-open' | 'content-changed' | 'no-cell' | 'bad-request' | 'failed',
    message: string
  ) {
    super(message);
  }
}

function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDisplay(value: unknown): boolean {
  const texts =
    isObject(value) && [value.cell, value.display].every(each => typeof each === 'string');
  return texts && isObject((value as JSONObject).data);
}

function isRunningCell(value: unknown): boolean {
  const texts =
    isObject(value) && [value.cell, value.request].every(each => typeof each === 'string');
  return texts && typeof (value as JSONObject).count === 'number';
}

/** What the kernel said, or `null` when it is nothing that this version knows. */
export function readMessage(data: unknown): FromKernel | null {
  if (!isObject(data) || data.v !== VERSION) {
    return null;
  }
  if (data.type === 'who') {
    return { type: 'who', v: VERSION };
  }
  if (data.type === 'state' && isObject(data.state)) {
    return { type: 'state', v: VERSION, state: data.state };
  }
  if (data.type === 'notice' && typeof data.text === 'string') {
    return { type: 'notice', v: VERSION, text: data.text };
  }
  if (data.type === 'displays' && Array.isArray(data.displays)) {
    const displays = data.displays as unknown as IDisplays['displays'];
    const cells = (Array.isArray(data.cells) ? data.cells : []) as unknown as IDisplays['cells'];
    return {
      type: 'displays',
      v: VERSION,
      displays: displays.filter(isDisplay),
      cells: cells.filter(isRunningCell)
    };
  }
  if (data.type === 'marks' && typeof data.path === 'string' && isObject(data.marks)) {
    return { type: 'marks', v: VERSION, path: data.path, marks: data.marks };
  }
  const { id, to, op, args } = data;
  const isReport = data.type === 'report' && typeof id === 'string' && typeof to === 'string';
  if (isReport && typeof data.ok === 'boolean' && data.data !== undefined) {
    return { type: 'report', v: VERSION, id, to, ok: data.ok, data: data.data };
  }
  const isRequest = data.type === 'request' && typeof id === 'string' && typeof to === 'string';
  if (isRequest && typeof op === 'string' && isObject(args)) {
    return { type: 'request', v: VERSION, id, to, op, args };
  }
  return null;
}
