/**
 * How the session of a kernel is, as it tells its pages (`notebook/lab/state.py`).
 */
import { JSONObject } from '@lumino/coreutils';

/** Where something happens. */
export interface IPlace {
  /** The id of a cell, `''` when there is none, or nobody knows it. */
  cell: string;
  /** The path of its notebook, `''` when the kernel does not know it: a copy has cells with the same ids. */
  notebook: string;
}

export interface IQuestion extends IPlace {
  /** Of this question alone: no other one of the kernel ever has it. */
  id: string;
  tool: string;
  title: string;
  reason: string;
  /** What can be answered outside of its card; an older kernel does not say, and takes both. */
  answers?: readonly AnswerName[];
}

export type AnswerName = 'allow' | 'deny';

/** A call that stops between two of its stages. */
export interface IStep extends IPlace {
  /** Of this walk alone, the same at each of its stops: no other call of the kernel ever has it. */
  id: string;
  tool: string;
  title: string;
  /** The stage that would run next. */
  next: string;
  mayEdit: boolean;
  input: JSONObject;
  /** Its walk so far, as `readTrace` takes it. */
  trace: JSONObject;
}

export interface ICall extends IPlace {
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
  /** Another number when rules, folders or the mode have changed. */
  rights: number;
  /** The plan's file while in plan mode, `''` otherwise. */
  plan: string;
  waiting: IQuestion[];
  steps: IStep[];
  running: ICall[];
  jobs: IJob[];
  todos: ITodo[];
  /** In this kernel. */
  calls: number;
  /** Another number when something was said or called. */
  history: number;
}

const EMPTY: ISessionState = {
  session: '',
  cwd: '',
  mode: '',
  modes: [],
  rights: 0,
  plan: '',
  waiting: [],
  steps: [],
  running: [],
  jobs: [],
  todos: [],
  calls: 0,
  history: 0
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

/** How much waits for the person. */
export function waitingIn({ waiting, steps }: Pick<ISessionState, 'waiting' | 'steps'>): number {
  return waiting.length + steps.length;
}

/** What waits in other notebooks, each with its file's name: `1 waiting in q.ipynb`; `''` when nothing does. */
export function elsewhere(places: readonly (readonly [name: string, waiting: number])[]): string {
  return places
    .filter(([, waiting]) => waiting > 0)
    .map(([name, waiting]) => `${waiting} waiting in ${name}`)
    .join(' · ');
}

/** One line that says what goes on, e.g. for a status bar. */
export function summary(state: ISessionState): string {
  const waiting = waitingIn(state);
  const parts = [
    ...(waiting ? [`${waiting} waiting`] : []),
    ...(state.running.length ? [`${state.running.length} running`] : []),
    ...(state.jobs.length ? [`${state.jobs.length} in the background`] : [])
  ];
  return [`Agent: ${state.mode || 'default'}`, ...parts].join(' · ');
}
