/**
 * How the session of a kernel is, as it tells its pages (`notebook/lab/state.py`).
 */
import { JSONObject } from '@lumino/coreutils';

export interface IQuestion {
  id: string;
  tool: string;
  title: string;
  reason: string;
  /** The cell in which its card is, `''` when that is not known. */
  cell: string;
}

export interface ICall {
  id: string;
  tool: string;
  title: string;
  /** ms since the epoch. */
  since: number;
}

export interface IJob {
  id: string;
  title: string;
}

export interface ITodo {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

export interface ISessionState {
  session: string;
  cwd: string;
  mode: string;
  modes: string[];
  waiting: IQuestion[];
  running: ICall[];
  jobs: IJob[];
  todos: ITodo[];
  calls: number;
}

const EMPTY: ISessionState = {
  session: '',
  cwd: '',
  mode: '',
  modes: [],
  waiting: [],
  running: [],
  jobs: [],
  todos: [],
  calls: 0
};

/** The state that was told; what is missing in it, or of another kind than expected, is empty. */
export function readState(told: JSONObject): ISessionState {
  const state: Record<string, unknown> = { ...EMPTY };
  for (const [name, empty] of Object.entries(EMPTY)) {
    const value = told[name];
    const same = Array.isArray(empty) ? Array.isArray(value) : typeof value === typeof empty;
    state[name] = same ? value : empty;
  }
  return state as unknown as ISessionState;
}

/** One line that says what goes on, e.g. for a status bar. */
export function summary(state: ISessionState): string {
  const parts = [
    ...(state.waiting.length ? [`${state.waiting.length} waiting`] : []),
    ...(state.running.length ? [`${state.running.length} running`] : []),
    ...(state.jobs.length ? [`${state.jobs.length} in the background`] : [])
  ];
  return [`Agent: ${state.mode || 'default'}`, ...parts].join(' · ');
}
