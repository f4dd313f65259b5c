import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';

import { CommandIDs, IAgentKernels, IAgentWaiting, PALETTE, PluginIDs } from '../tokens';
import { IPlace } from '../state';
import { AgentPanel } from './panel';

/** A side panel with what waits, what runs, the todo list and the permission mode. */
export const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.panel,
  description: 'The side panel of jupyter_agenttools.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  optional: [ICommandPalette, ILayoutRestorer, IAgentWaiting],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    waiting: IAgentWaiting | null
  ): void => {
    const showTrace = (place: IPlace): void => {
      const current = notebooks.currentWidget;
      const id = current && kernels.of(current)?.kernel.id;
      const panel = notebooks.find(
        each => kernels.of(each)?.kernel.id === id && kernels.holds(each, place)
      );
      if (id && panel) {
        const { widgets } = panel.content;
        panel.content.activeCellIndex = widgets.findIndex(({ model }) => model.id === place.cell);
        const args = { panel: panel.id, cell: place.cell };
        void app.commands.execute(CommandIDs.showTrace, args);
      }
    };
    const panel = new AgentPanel(kernels, notebooks, waiting, showTrace);
    app.shell.add(panel, 'right', { rank: 900 });
    restorer?.add(panel, panel.id);
    app.commands.addCommand(CommandIDs.openPanel, {
      label: 'Show the Agent Tools',
      execute: () => app.shell.activateById(panel.id)
    });
    app.commands.addCommand(CommandIDs.stop, {
      label: 'Stop What Runs',
      isEnabled: () =>
        notebooks.currentWidget !== null && kernels.of(notebooks.currentWidget) !== null,
      execute: () => notebooks.currentWidget && kernels.of(notebooks.currentWidget)?.command('stop')
    });
    for (const command of [CommandIDs.openPanel, CommandIDs.stop]) {
      palette?.addItem({ command, category: PALETTE });
    }
  }
};
