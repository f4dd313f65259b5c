/**
 * Searching past calls. What is searched is what is shown: the very texts that stand in the panel.
 */
import { JSONValue } from '@lumino/coreutils';

import { objectsIn } from './reports';

export interface IPastCall {
  id: string;
  tool: string;
  status: string;
  title: string;
  /** What the model was told, shortened by the kernel. */
  text: string;
}

export function readCalls(data: JSONValue): IPastCall[] {
  return objectsIn(data, 'calls').map(each => ({
    id: String(each.id ?? ''),
    tool: String(each.tool ?? ''),
    status: String(each.status ?? ''),
    title: String(each.title ?? ''),
    text: String(each.text ?? '')
  }));
}

/** The calls in which every word of the query stands, in any of what is shown of them; case does not count. */
export function found(calls: readonly IPastCall[], query: string): IPastCall[] {
  const words = wordsOf(query);
  return calls.filter(call => {
    const shown = [call.status, call.tool, call.title, call.text].join('\n').toLowerCase();
    return words.every(word => shown.includes(word));
  });
}

/** A text in pieces, those in which a word of the query stands marked. */
export function pieces(text: string, query: string): [string, boolean][] {
  const words = wordsOf(query).map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!words.length) {
    return [[text, false]];
  }
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'gi'));
  return parts.map((part, at): [string, boolean] => [part, at % 2 === 1]).filter(([part]) => part);
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}
