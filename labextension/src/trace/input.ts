import { JSONExt, JSONObject, JSONValue } from '@lumino/coreutils';

/** The whole input that was written, or what is wrong with it. */
export function readInput(text: string): JSONObject | string {
  try {
    const value = JSON.parse(text) as JSONValue;
    return JSONExt.isObject(value)
      ? value
      : 'The input must be a JSON object, e.g. {"field": "value"}';
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
