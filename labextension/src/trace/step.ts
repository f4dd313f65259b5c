import { JSONObject } from '@lumino/coreutils';
import { Panel, Widget } from '@lumino/widgets';

import type { AgentKernel } from '../kernels/kernel';
import { LOOKS, STEPS } from '../prompts/items';
import { IStep } from '../state';
import { readInput } from './input';
import { button, make } from './nodes';
import { TraceView, viewOf } from './view';

/** A call that stops between two of its stages: its walk so far, and how to go on. */
export class StepView extends Panel {
  constructor(
    private readonly kernel: AgentKernel,
    private readonly step: IStep
  ) {
    super();
    this.addClass('jp-AgentStep');
    const view = viewOf(step.trace);
    if (view instanceof TraceView) {
      view.openLast();
    }
    this.controls = new Widget({ node: this.makeControls() });
    this.addWidget(view);
    this.addWidget(this.controls);
  }

  /** Let the keyboard go on here. */
  focus(): void {
    this.controls.node.querySelector('button')?.focus();
  }

  private makeControls(): HTMLElement {
    const { next, tool, mayEdit } = this.step;
    const buttons = STEPS.map(({ name, label, look, hint }) =>
      button(label, hint(next), () => this.go(name), LOOKS[look])
    );
    if (mayEdit) {
      const hint = 'Change the input; it is judged again';
      buttons.splice(
        -1,
        0,
        button('Edit input…', hint, () => this.edit())
      );
    }
    const row = make('div', { class: 'jp-AgentStep-row' }, ...buttons);
    const label = `${tool} stops before ${next}`;
    return make('div', { role: 'group', 'aria-label': label }, make('p', {}, label), row);
  }

  private edit(): void {
    if (this.editor !== null) {
      this.editor.focus();
      return;
    }
    const text = make('textarea', { rows: '6', 'aria-label': 'Input (JSON)', spellcheck: 'false' });
    text.value = JSON.stringify(this.step.input, undefined, 2);
    // No key of what is written here is one of the application's.
    text.addEventListener('keydown', event => event.stopPropagation());
    const problem = make('p', { role: 'alert' });
    const use = button('Use this input', 'Judge the call again with this input', () => {
      const input = readInput(text.value);
      if (typeof input === 'string') {
        problem.textContent = input;
        text.focus();
      } else {
        this.go('edit', { input });
      }
    });
    this.controls.node.append(text, make('div', { class: 'jp-AgentStep-row' }, use), problem);
    this.editor = text;
    text.focus();
  }

  private go(action: string, more: JSONObject = {}): void {
    if (this.gone) {
      return;
    }
    this.gone = true;
    this.kernel.command('step', { id: this.step.id, action, ...more });
    // Not disabled in earnest: a button that is loses the focus, and the next stop should have it.
    this.controls.node
      .querySelectorAll('button')
      .forEach(each => each.setAttribute('aria-disabled', 'true'));
  }

  private gone = false;
  private editor: HTMLTextAreaElement | null = null;
  private readonly controls: Widget;
}
