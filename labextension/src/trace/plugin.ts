import { ILabShell, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { DocumentRegistry } from '@jupyterlab/docregistry';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { JSONObject } from '@lumino/coreutils';
import { Panel } from '@lumino/widgets';

import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { agentIcon } from '../icon';
import { followSettings } from '../settings';
import { CommandIDs, IAgentKernels, PALETTE, PluginIDs } from '../tokens';
import { TRACE_MIME_TYPE } from './model';
import { CellTrace, stepsOf, tracesOf } from './page';
import { viewOf } from './view';

/** Less wanted than the record in HTML (50): that is what a person reads first, and it stands in the same output. */
const RANK = 90;

/** How the application calls the places where a person may want a trace. */
const MODES: Record<string, DocumentRegistry.IOpenOptions['mode']> = {
  beside: 'split-right',
  below: 'split-bottom',
  tab: 'tab-after'
};

class RenderedTrace extends Panel implements IRenderMime.IRenderer {
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    [...this.widgets].forEach(widget => widget.dispose());
    this.addWidget(viewOf(model.data[TRACE_MIME_TYPE]));
  }
}

/** Traces of calls and turns: as an output, and beside the notebook for the cell that is active. */
export const tracePlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.trace,
  description: 'Shows the traces of jupyter_agenttools, also of a saved notebook without a kernel.',
  autoStart: true,
  requires: [IRenderMimeRegistry, INotebookTracker, IAgentKernels],
  optional: [ICommandPalette, ILabShell, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    registry: IRenderMimeRegistry,
    notebooks: INotebookTracker,
    kernels: IAgentKernels,
    palette: ICommandPalette | null,
    labShell: ILabShell | null,
    settings: ISettingRegistry | null
  ): void => {
    let mode = MODES.beside;
    followSettings(settings, PluginIDs.trace, ({ place }) => {
      mode = MODES[String(place)] ?? MODES.beside;
    });
    const pages = new WeakMap<CodeCell, MainAreaWidget<CellTrace>>();
    registry.addFactory(
      { safe: true, mimeTypes: [TRACE_MIME_TYPE], createRenderer: () => new RenderedTrace() },
      RANK
    );
    const hasTrace = (args: JSONObject): boolean => {
      const { panel, cell } = meant(notebooks, args) ?? {};
      return (
        panel !== undefined &&
        cell !== undefined &&
        (tracesOf(cell).length > 0 || stepsOf(kernels, panel, cell).length > 0)
      );
    };
    app.commands.addCommand(CommandIDs.showTrace, {
      label: 'Show the Trace of the Cell',
      icon: agentIcon,
      isEnabled: args => hasTrace(args as JSONObject),
      isVisible: args => hasTrace(args as JSONObject),
      execute: args => {
        const found = meant(notebooks, args as JSONObject);
        if (found === null) {
          return;
        }
        const { panel, cell } = found;
        let page = pages.get(cell);
        if (page === undefined || page.isDisposed) {
          page = makePage(new CellTrace(kernels, panel, cell));
          pages.set(cell, page);
          // Notebook 7 has room for one document only; all else stands in its side bar.
          app.shell.add(page, labShell ? 'main' : 'right', { mode, ref: panel.id });
        }
        app.shell.activateById(page.id);
        page.content.focus();
      }
    });
    followChanges(notebooks, kernels, () =>
      app.commands.notifyCommandChanged(CommandIDs.showTrace)
    );
    palette?.addItem({ command: CommandIDs.showTrace, category: PALETTE });
  }
};

/** The code cell with the id `cell` in the notebook with the id `panel`; without these the active one. */
function meant(
  notebooks: INotebookTracker,
  args: JSONObject
): { panel: NotebookPanel; cell: CodeCell } | null {
  const panel = args.panel
    ? (notebooks.find(each => each.id === args.panel) ?? null)
    : notebooks.currentWidget;
  const cell = args.cell
    ? panel?.content.widgets.find(each => each.model.id === args.cell)
    : panel?.content.activeCell;
  return panel !== null && cell instanceof CodeCell ? { panel, cell } : null;
}

function makePage(content: CellTrace): MainAreaWidget<CellTrace> {
  const page = new MainAreaWidget({ content });
  page.title.label = 'Trace';
  content.node.setAttribute('aria-label', 'Trace of a cell');
  page.title.icon = agentIcon;
  page.title.closable = true;
  return page;
}

/** Call `changed` whenever the active cell may have a trace that it had not, or the other way round. */
function followChanges(
  notebooks: INotebookTracker,
  kernels: IAgentKernels,
  changed: () => void
): void {
  let followed: CodeCell['model']['outputs'] | null = null;
  notebooks.activeCellChanged.connect((_, cell) => {
    followed?.changed.disconnect(changed);
    followed = cell instanceof CodeCell ? cell.model.outputs : null;
    followed?.changed.connect(changed);
    changed();
  });
  kernels.changed.connect(changed);
}
