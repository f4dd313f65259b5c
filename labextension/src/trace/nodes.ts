/**
 * Nodes made by hand: nothing of a trace is ever read as HTML.
 */
export type Child = Node | string;

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  node.append(...children);
  return node;
}

/** A button; `hint` is what a screen reader says, and what stands there while the mouse waits. */
export function button(label: string, hint: string, act: () => void, kind = ''): HTMLButtonElement {
  const attributes = { type: 'button', title: hint, 'aria-label': hint };
  const node = make('button', { ...attributes, class: `jp-mod-styled ${kind}`.trim() }, label);
  node.addEventListener('click', act);
  return node;
}

const MARKS: Record<string, string> = {
  ok: '✓',
  skipped: '–',
  edited: '✎',
  denied: '⊘',
  error: '✗',
  interrupted: '■',
  waiting: '?'
};

/** A sign for how a call or a stage went. */
export function markOf(status: string): HTMLElement {
  const attributes = { class: 'jp-AgentTrace-mark', 'aria-hidden': 'true' };
  return make('span', attributes, MARKS[status] ?? '·');
}
