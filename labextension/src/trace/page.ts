import { CodeCell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { JSONExt, JSONValue } from '@lumino/coreutils';
import { Panel, Widget } from '@lumino/widgets';

import { IStep, readState } from '../state';
import { IAgentKernels } from '../tokens';
import { TRACE_MIME_TYPE } from './model';
import { make } from './nodes';
import { StepView } from './step';
import { viewOf } from './view';

/** The traces that stand in the outputs of a cell. */
export function tracesOf(cell: CodeCell): JSONValue[] {
  if (cell.model.isDisposed) {
    return []; // it was moved, and the application has not taken the other one for the active one yet
  }
  return cell.model.outputs
    .toJSON()
    .map(output => (output.data as Record<string, JSONValue> | undefined)?.[TRACE_MIME_TYPE])
    .filter((data): data is JSONValue => data !== undefined);
}

/** The calls of a cell that stop between stages. */
export function stepsOf(kernels: IAgentKernels, panel: NotebookPanel, cell: CodeCell): IStep[] {
  const kernel = cell.model.isDisposed ? undefined : kernels.of(panel);
  const steps = kernel ? readState(kernel.state).steps : [];
  return steps.filter(step => step.cell === cell.model.id && kernels.holds(panel, step));
}

/** What one cell did, and what it does: its traces, and while a call of it stops between stages, that call. */
export class CellTrace extends Panel {
  constructor(
    private readonly kernels: IAgentKernels,
    private readonly panel: NotebookPanel,
    private readonly cell: CodeCell
  ) {
    super();
    this.addClass('jp-AgentTrace-page');
    this.node.dataset.cell = cell.model.id;
    this.node.dataset.notebook = panel.id;
    kernels.changed.connect(this.refresh, this);
    cell.model.outputs.changed.connect(this.refresh, this);
    this.refresh();
  }

  /** Let the keyboard go on here. */
  focus(): void {
    const step = this.widgets.find(widget => widget instanceof StepView) as StepView | undefined;
    if (step) {
      step.focus();
    } else {
      this.node.querySelector<HTMLElement>('[data-line]')?.focus();
    }
  }

  /** Asked for by the application, later than whatever had the focus before. */
  protected onActivateRequest(): void {
    if (!this.node.contains(document.activeElement)) {
      this.focus();
    }
  }

  private refresh(): void {
    if (this.isDisposed || this.cell.isDisposed) {
      return;
    }
    const kernel = this.kernels.of(this.panel);
    const steps = stepsOf(this.kernels, this.panel, this.cell);
    const traces = tracesOf(this.cell);
    const now = [steps as unknown as JSONValue, traces];
    if (JSONExt.deepEqual(now, this.shown)) {
      return;
    }
    const hadFocus = this.node.contains(document.activeElement);
    this.shown = now;
    [...this.widgets].forEach(widget => widget.dispose());
    steps.forEach(step => kernel && this.addWidget(new StepView(kernel, step)));
    // While a call stops, the record of an earlier run would only be taken for its own.
    (steps.length ? [] : traces).forEach(data => this.addWidget(viewOf(data)));
    if (!this.widgets.length) {
      this.addWidget(new Widget({ node: make('p', {}, 'Its trace comes when the cell is over.') }));
    }
    if (hadFocus) {
      this.focus();
    }
  }

  private shown: JSONValue = [];
}
