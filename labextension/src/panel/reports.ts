/**
 * What the kernel tells only when it is asked: rules, past calls, the plan.
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
  const isObject = (value: unknown): value is JSONObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
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

/**
 * A report, asked for again whenever `stamp` is another one. `null` until it is there.
 *
 * @param wanted - nothing is asked before a person wants to look at it.
 */
export function useReport(
  kernel: AgentKernel,
  name: string,
  stamp: number | string,
  wanted: boolean
): JSONValue | null {
  const [told, setTold] = React.useState<JSONValue | null>(null);
  React.useEffect(() => {
    let current = wanted;
    if (wanted) {
      kernel.ask(name).then(
        data => current && setTold(data),
        reason => current && setTold({ problem: String(reason) })
      );
    }
    return () => {
      current = false;
    };
  }, [kernel, name, stamp, wanted]);
  return told;
}
