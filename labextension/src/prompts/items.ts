/**
 * What waits for a person: a question of the gate, or a call that stops between two of its stages.
 */
import { JSONObject } from '@lumino/coreutils';

import { AnswerName, IPlace, IQuestion, ISessionState, IStep } from '../state';

/** Whoever carries out what the person wants: a kernel. */
export interface IHearer {
  mayAllow(question: string): boolean;
  answer(question: string, behavior: AnswerName): void;
  command(name: string, args: JSONObject): void;
}

export type ChoiceName = AnswerName | 'next' | 'run_on' | 'abort';

export interface IChoice {
  name: ChoiceName;
  label: string;
  look: 'accent' | 'default' | 'warn';
  choose: (kernel: IHearer) => void;
  /** Whether it can be made already: nobody allows what they cannot have read. */
  may: (kernel: IHearer) => boolean;
}

export interface IItem extends IPlace {
  kind: 'question' | 'step';
  /** Of this thing alone, among all kernels: a call that stops again has another. */
  key: string;
  /** What waits, in a few words, and what it is about. */
  head: string;
  title: string;
  /** What the way to it is called. */
  show: string;
  choices: IChoice[];
}

const ANSWERS = [
  { name: 'allow', label: 'Allow', look: 'accent' },
  { name: 'deny', label: 'Deny', look: 'warn' }
] as const;
/** The ways on from a stop that need nothing else; `hint` says what comes of one before the stage `next`. */
export const STEPS = [
  {
    name: 'next',
    label: 'Next',
    look: 'accent',
    hint: (next: string) => `Go on to ${next}`
  },
  {
    name: 'run_on',
    label: 'Run on',
    look: 'default',
    hint: () => 'Finish this call without further stops'
  },
  {
    name: 'abort',
    label: 'Abort',
    look: 'warn',
    hint: (next: string) => `End the call before ${next}`
  }
] as const;

/** The class of a button, by its look. */
export const LOOKS = { accent: 'jp-mod-accept', default: '', warn: 'jp-mod-warn' } as const;

/** What waits in a session, questions first. */
export function itemsOf({ waiting, steps }: Pick<ISessionState, 'waiting' | 'steps'>): IItem[] {
  return [...waiting.map(itemOf), ...steps.map(ofStep)];
}

/**
 * The first thing that waits for such a choice, if it can be made there. Never a later one: a person who presses a key
 * means what comes first.
 */
export function firstWith<T extends { item: IItem }>(
  all: readonly T[],
  name: ChoiceName
): T | undefined {
  const kind = ANSWERS.some(each => each.name === name) ? 'question' : 'step';
  const first = all.find(({ item }) => item.kind === kind);
  return first?.item.choices.some(choice => choice.name === name) ? first : undefined;
}

/** A question with the ways in which it can be answered where its card is not. */
export function itemOf({ id, tool, title, cell, notebook, answers }: IQuestion): IItem {
  const can = ANSWERS.filter(({ name }) => answers === undefined || answers.includes(name));
  const choices = can.map(each => ({
    ...each,
    choose: (kernel: IHearer) => kernel.answer(id, each.name),
    may: (kernel: IHearer) => each.name === 'deny' || kernel.mayAllow(id)
  }));
  return {
    kind: 'question',
    key: id,
    cell,
    notebook,
    head: `${tool} asks`,
    title,
    show: 'Show',
    choices
  };
}

/** A call that stops, with the ways on. */
export function ofStep({ id, tool, title, cell, notebook, next }: IStep): IItem {
  const choices = STEPS.map(({ name, label, look }) => ({
    name,
    label,
    look,
    choose: (kernel: IHearer) => kernel.command('step', { id, action: name }),
    may: () => true
  }));
  const head = `${tool} stops before ${next}`;
  return {
    kind: 'step',
    key: `${id} ${next}`,
    cell,
    notebook,
    head,
    title,
    show: 'Show the walk',
    choices
  };
}
