/**
 * What the kernel tells only when it is asked: rules, the plan, the history.
 */
import { JSONObject, JSONValue } from '@lumino/coreutils';
import * as React from 'react';

import type { AgentKernel } from '../kernels/kernel';

export interface IRule {
  behavior: string;
  text: string;
  from: string;
  note: string;
  /** Whether it is one of this session, which can be taken away here. */
  session: boolean;
}

/** The objects in a list of data; what is none is left out. */
export function objectsIn(data: JSONValue, name: string): JSONObject[] {
  const list = isObject(data) ? data[name] : [];
  return Array.isArray(list) ? (list as unknown[]).filter(isObject) : [];
}

export function readRules(data: JSONValue): IRule[] {
  return objectsIn(data, 'rules').map(each => ({
    behavior: String(each.behavior ?? ''),
    text: String(each.text ?? ''),
    from: String(each.from ?? ''),
    note: String(each.note ?? ''),
    session: each.session === true
  }));
}

/** A text in a report, `''` when there is none. */
export function textIn(data: JSONValue | null, name: string): string {
  const value = data !== null && typeof data === 'object' && !Array.isArray(data) && data[name];
  return typeof value === 'string' ? value : '';
}

/** A number in data, `0` when there is none. */
export function countIn(data: JSONObject, name: string): number {
  const value = data[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface IAskedFor {
  /** What was told last, `null` before that. */
  told: JSONValue | null;
  /** What it was asked for with; newer arguments may be on their way. */
  args: JSONObject;
  /** Why the last one could not be told, `''` when it could. */
  problem: string;
  /** Whether something newer is being asked for. */
  isBusy: boolean;
}

/**
 * A report, asked for again whenever the arguments or `stamp` are others. What was told before stays until then.
 *
 * One is asked for at a time: what changes meanwhile is asked for once, when that is there, so that a kernel never
 * works on several for one who types.
 *
 * @param wanted - nothing is asked before a person wants to look at it.
 */
export function useAsked(
  kernel: AgentKernel,
  name: string,
  args: JSONObject,
  stamp: number | string,
  wanted: boolean
): IAskedFor {
  const key = JSON.stringify([name, args, stamp]);
  const [asked, setAsked] = React.useState<IAskedFor & { key: string }>({
    told: null,
    args: {},
    problem: '',
    isBusy: false,
    key: ''
  });
  const line = React.useRef({ key: '', isOut: false, isGone: false });
  const [turn, setTurn] = React.useState(0);
  React.useEffect(() => {
    const now = line.current;
    now.isGone = false;
    return () => {
      now.isGone = true;
    };
  }, []);
  React.useEffect(() => {
    const now = line.current;
    if (!wanted || now.isOut || now.key === key) {
      return;
    }
    now.isOut = true;
    now.key = key;
    const done = (change: (before: IAskedFor) => Omit<IAskedFor, 'isBusy'>): void => {
      now.isOut = false;
      if (!now.isGone) {
        setAsked(before => ({ ...change(before), isBusy: false, key }));
        setTurn(before => before + 1);
      }
    };
    kernel.ask(name, args).then(
      told => done(() => ({ told, args, problem: '' })),
      reason => done(before => ({ ...before, problem: wordsOf(reason) }))
    );
  }, [kernel, key, wanted, turn]);
  const { told, args: toldFor, problem } = asked;
  return { told, args: toldFor, problem, isBusy: wanted && asked.key !== key };
}

/** Whether nothing was told yet, or only for other arguments than these. */
export function isForOther({ told, args }: IAskedFor, wanted: JSONObject): boolean {
  return told === null || Object.keys(wanted).some(name => args[name] !== wanted[name]);
}

/** What is said until it is told; nothing when it could not be. */
export function waitingWords({ problem, isBusy }: IAskedFor, query: string): string {
  if (problem && !isBusy) {
    return '';
  }
  return query.trim() ? 'Searching…' : 'Reading…';
}

/** A report that needs no arguments, see {@link useAsked}; a problem is told as its `problem`. */
export function useReport(
  kernel: AgentKernel,
  name: string,
  stamp: number | string,
  wanted: boolean
): JSONValue | null {
  const { told, problem } = useAsked(kernel, name, {}, stamp, wanted);
  return problem ? { problem } : told;
}

/** What went wrong, for a person. */
export function wordsOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** The value once it has stayed the same for a while. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = React.useState(value);
  React.useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
