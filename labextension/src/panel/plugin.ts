import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';

import { CommandIDs, IAgentKernels, IAgentWaiting, PALETTE, PluginIDs } from '../tokens';
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
    const showTrace = (id: string): void => {
      const notebook = notebooks.currentWidget?.content;
      const index = notebook?.widgets.findIndex(cell => cell.model.id === id) ?? -1;
      if (notebook && index >= 0) {
        notebook.activeCellIndex = index;
        void app.commands.execute(CommandIDs.showTrace);
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
