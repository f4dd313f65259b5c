/**
 * The line above a cell that says what a tool has done to it, with the ways to accept it or take it back.
 */
import { Kind } from './mark';

export const STRIP_CLASS = 'jp-AgentChange';

export interface IAct {
  label: string;
  /** For whoever hears it without what stands beside it. */
  name: string;
  act: () => void;
}

export interface IStrip {
  /** The stamps of the marks that it is about. */
  marks: string[];
  kind: Kind;
  words: string;
  acts: IAct[];
}

/** A sign for each kind, so that it is told apart without its colour. */
const SIGNS: Record<Kind, string> = {
  inserted: '+',
  changed: '~',
  retyped: '≈',
  moved: '↕',
  deleted: '−'
};

export function makeStrip({ kind, words, acts }: Omit<IStrip, 'marks'>): HTMLElement {
  const strip = document.createElement('div');
  strip.className = STRIP_CLASS;
  strip.dataset.kind = kind;
  // Else a key for a button would be taken for a command of the notebook.
  strip.dataset.lmSuppressShortcuts = 'true';
  strip.setAttribute('role', 'group');
  strip.setAttribute('aria-label', words);
  const sign = document.createElement('span');
  sign.className = 'jp-AgentChange-sign';
  sign.setAttribute('aria-hidden', 'true');
  sign.textContent = SIGNS[kind];
  const said = document.createElement('span');
  said.textContent = words;
  strip.append(sign, said, ...acts.map(makeButton));
  return strip;
}

function makeButton({ label, name, act }: IAct): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.setAttribute('aria-label', name);
  button.addEventListener('click', act);
  // The notebook would take the focus away before the click is over.
  button.addEventListener('mousedown', event => event.stopPropagation());
  return button;
}
