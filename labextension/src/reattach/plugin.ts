import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage } from '@jupyterlab/services';
import { JSONObject } from '@lumino/coreutils';

import type { AgentKernel } from '../kernels/kernel';
import { IDisplays } from '../protocol';
import { IPlace } from '../state';
import { IAgentKernels, PluginIDs } from '../tokens';
import { keepRecordsOfAborted } from './aborted';
import { Cleared } from './cleared';
import { displayOf, GoingOn, isOwn } from './outputs';

/**
 * Puts outputs that are still being drawn into a page that was loaded anew, lets them end in their record there, and
 * takes what else the cells that run put out. What waits for a person comes again when they clear the output. A cell
 * that was to run and never did keeps its record.
 *
 * By itself such a page takes no output of a cell that runs since before it came: it does not know what the cell was
 * asked by.
 */
export const reattachPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.reattach,
  description: 'Outputs of jupyter_agenttools go on after a reload of the page.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  activate: (_: JupyterFrontEnd, kernels: IAgentKernels, notebooks: INotebookTracker): void => {
    keepRecordsOfAborted();
    const known = new WeakSet<AgentKernel>();
    kernels.changed.connect((_, kernel) => {
      const panel = notebooks.find(each => kernels.of(each) === kernel);
      if (panel && !known.has(kernel)) {
        known.add(kernel);
        new Reattached(kernel, panel, place => kernels.holds(panel, place));
      }
    });
  }
};

/** The outputs of one notebook that began before the page. */
class Reattached {
  constructor(
    private readonly kernel: AgentKernel,
    private readonly panel: NotebookPanel,
    private readonly holds: (place: IPlace) => boolean
  ) {
    // A page that is being loaded hears of outputs before it has the cells; what is told waits in its order.
    const ready = panel.context.ready;
    kernel.drawing.connect((_, told) => {
      const early = kernel.takeEarly();
      void ready.then(() => this.take(told, early));
    });
    kernel.kernel.iopubMessage.connect(
      (_, message) => void ready.then(() => this.onMessage(message))
    );
    kernel.changed.connect(() => {
      if (!kernel.isPresent) {
        this.forget();
      }
    });
    new Cleared(kernel, holds, id => {
      const cell = this.cell(id);
      return cell && (isOwn(cell) || this.goingOn.has(id)) ? cell : undefined;
    });
  }

  private take(
    { displays, cells }: IDisplays,
    early: readonly KernelMessage.IIOPubMessage[]
  ): void {
    // A copy of a notebook has cells with the same ids, and may have the same kernel.
    for (const { cell: id, request, count } of cells.filter(this.holds)) {
      const cell = this.cell(id);
      // Where all pages edit one document, what one of them takes is there for the others too.
      if (cell && !isOwn(cell) && !this.running.has(request) && !this.isShared) {
        this.running.set(request, this.goOn(id, cell, count));
      }
    }
    early.forEach(message => this.takeOfCell(message));
    for (const { cell: id, display, data } of displays.filter(this.holds)) {
      const cell = this.cell(id);
      if (cell && !isOwn(cell) && !this.goingOn.get(id)?.has(display)) {
        (this.goingOn.get(id) ?? this.goOn(id, cell, null)).put(display, data);
      }
    }
  }

  private goOn(id: string, cell: CodeCell, count: number | null): GoingOn {
    const going = new GoingOn(cell, this.kernel.kernel, count);
    this.goingOn.set(id, going);
    return going;
  }

  private onMessage(message: KernelMessage.IIOPubMessage): void {
    const { msg_type } = message.header;
    const { transient, data } = message.content as JSONObject;
    const display = displayOf(transient);
    const ofCell = this.takeOfCell(message);
    const isDrawn = msg_type === 'update_display_data' || (msg_type === 'display_data' && !ofCell);
    if (isDrawn && display) {
      const place = [...this.goingOn.values()].find(each => !each.isOver && each.has(display));
      place?.put(display, data as JSONObject);
    }
  }

  /** Take a message of a cell that runs; whether it is one. */
  private takeOfCell(message: KernelMessage.IIOPubMessage): boolean {
    const { msg_id } = message.parent_header as Partial<KernelMessage.IHeader>;
    const going = this.running.get(msg_id ?? '');
    if (going === undefined || going.isOver) {
      return false;
    }
    if (going.take(message)) {
      this.running.delete(msg_id ?? '');
    }
    return true;
  }

  /** The kernel went away: nothing goes on. */
  private forget(): void {
    this.goingOn.forEach(each => each.forget());
    this.running.clear();
    this.goingOn.clear();
  }

  private get isShared(): boolean {
    return this.panel.context.model.collaborative ?? false;
  }

  private cell(id: string): CodeCell | undefined {
    const found = this.panel.content.widgets.find(each => each.model.id === id);
    return found instanceof CodeCell ? found : undefined;
  }

  private readonly running = new Map<string, GoingOn>();
  private readonly goingOn = new Map<string, GoingOn>();
}
