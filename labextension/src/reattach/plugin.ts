import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IOutput } from '@jupyterlab/nbformat';
import { KernelMessage } from '@jupyterlab/services';
import { JSONObject } from '@lumino/coreutils';

import type { AgentKernel } from '../kernels/kernel';
import { IDisplays } from '../protocol';
import { IAgentKernels, PluginIDs } from '../tokens';

/**
 * Puts outputs that are still being drawn into a page that was loaded anew, and lets them end in their record there.
 *
 * Such a page takes no output of a cell that runs since before it came: it does not know what the cell was asked by.
 */
export const reattachPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.reattach,
  description: 'Outputs of jupyter_agenttools go on after a reload of the page.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  activate: (_: JupyterFrontEnd, kernels: IAgentKernels, notebooks: INotebookTracker): void => {
    const known = new WeakSet<AgentKernel>();
    kernels.changed.connect((_, kernel) => {
      const panel = notebooks.find(each => kernels.of(each) === kernel);
      if (panel && !known.has(kernel)) {
        known.add(kernel);
        new Reattached(kernel, panel);
      }
    });
  }
};

/** The outputs of one notebook that began before the page. */
class Reattached {
  constructor(
    kernel: AgentKernel,
    private readonly panel: NotebookPanel
  ) {
    // A page that is being loaded hears of outputs before it has the cells; what is told waits in its order.
    const ready = panel.context.ready;
    kernel.drawing.connect((_, displays) => void ready.then(() => this.take(displays)));
    kernel.kernel.iopubMessage.connect(
      (_, message) => void ready.then(() => this.onMessage(message))
    );
  }

  private take(displays: IDisplays['displays']): void {
    for (const each of displays) {
      const cell = this.cell(each.cell);
      if (cell === undefined || this.adopted.has(each.display) || this.isOwn(cell)) {
        continue;
      }
      const { model } = cell.outputArea;
      const output = displayData(each.data);
      // What was saved of the cell is of the same run: its last display is the one that goes on.
      const at = lastDisplay(model.toJSON());
      if (at < 0) {
        model.add(output);
      } else {
        model.set(at, output);
      }
      this.adopted.set(each.display, { cell: each.cell, at: at < 0 ? model.length - 1 : at });
    }
  }

  /** A cell that this page has run itself: its outputs come by themselves. */
  private isOwn(cell: CodeCell): boolean {
    return cell.outputArea.future !== null && cell.outputArea.future !== undefined;
  }

  private onMessage(message: KernelMessage.IIOPubMessage): void {
    // What takes the place of widgets that nobody shows comes as a display of its own.
    if (!['update_display_data', 'display_data'].includes(message.header.msg_type)) {
      return;
    }
    const { content } = message as KernelMessage.IUpdateDisplayDataMsg;
    const place = this.adopted.get(content.transient?.display_id ?? '');
    const model = place && this.cell(place.cell)?.outputArea.model;
    if (place && model && place.at < model.length) {
      model.set(place.at, displayData(content.data as JSONObject));
    }
  }

  private cell(id: string): CodeCell | undefined {
    const found = this.panel.content.widgets.find(each => each.model.id === id);
    return found instanceof CodeCell ? found : undefined;
  }

  private readonly adopted = new Map<string, { cell: string; at: number }>();
}

function displayData(data: JSONObject): IOutput {
  return { output_type: 'display_data', data, metadata: {} } as IOutput;
}

function lastDisplay(outputs: IOutput[]): number {
  return outputs.map(each => each.output_type).lastIndexOf('display_data');
}
