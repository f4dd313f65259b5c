import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel, Widget } from '@lumino/widgets';

import { agentIcon } from '../icon';
import { CommandIDs, PALETTE, PluginIDs } from '../tokens';
import { readTrace, TRACE_MIME_TYPE } from './model';
import { TraceView } from './view';

/** Less wanted than the record in HTML (50): that is what a person reads first, and it stands in the same output. */
const RANK = 90;

class RenderedTrace extends Panel implements IRenderMime.IRenderer {
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    [...this.widgets].forEach(widget => widget.dispose());
    this.addWidget(viewOf(model.data[TRACE_MIME_TYPE]));
  }
}

function viewOf(data: unknown): Widget {
  const trace = readTrace(data);
  if (trace !== null) {
    return new TraceView(trace);
  }
  const node = document.createElement('p');
  node.textContent = 'This trace cannot be read.';
  return new Widget({ node });
}

/** Traces of calls and turns: as an output, and beside the notebook for the cell that is active. */
export const tracePlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.trace,
  description: 'Shows the traces of jupyter_agenttools, also of a saved notebook without a kernel.',
  autoStart: true,
  requires: [IRenderMimeRegistry, INotebookTracker],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null
  ): void => {
    registry.addFactory(
      { safe: true, mimeTypes: [TRACE_MIME_TYPE], createRenderer: () => new RenderedTrace() },
      RANK
    );
    const traces = (): unknown[] => {
      const cell = notebooks.activeCell;
      const outputs = cell instanceof CodeCell ? cell.model.outputs.toJSON() : [];
      return outputs
        .map(output => (output.data as Record<string, unknown> | undefined)?.[TRACE_MIME_TYPE])
        .filter(data => data !== undefined);
    };
    app.commands.addCommand(CommandIDs.showTrace, {
      label: 'Show the Trace of the Cell',
      icon: agentIcon,
      isEnabled: () => traces().length > 0,
      isVisible: () => traces().length > 0,
      execute: () => {
        const content = new Panel();
        content.addClass('jp-AgentTrace-page');
        traces().forEach(data => content.addWidget(viewOf(data)));
        const widget = new MainAreaWidget({ content });
        widget.title.label = 'Trace';
        widget.title.icon = agentIcon;
        app.shell.add(widget, 'main', { mode: 'split-right' });
        content.node.querySelector<HTMLElement>('[data-line]')?.focus();
      }
    });
    palette?.addItem({ command: CommandIDs.showTrace, category: PALETTE });
  }
};
