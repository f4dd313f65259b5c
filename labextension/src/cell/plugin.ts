import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';

import { stopIcon } from '../icon';
import type { AgentKernel } from '../kernels/kernel';
import { IPlace, readState } from '../state';
import { CommandIDs, IAgentKernels, PALETTE, PluginIDs } from '../tokens';

/**
 * What the active cell runs, and a way to stop it. The schema of this plugin puts it into the toolbar of the cell, with
 * the commands of other plugins that concern one cell; each is seen only while it means something.
 */
export const cellPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.cell,
  description: 'Buttons of jupyter_agenttools in the toolbar of a cell.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null
  ): void => {
    const cell = (): string => notebooks.activeCell?.model.id ?? '';
    // A call that asks does not run yet, but a person may want to stop the turn that it is part of.
    const running = (): AgentKernel | null => {
      const panel = notebooks.currentWidget;
      const kernel = panel && kernels.of(panel);
      const { running, waiting } = readState(kernel?.state ?? {});
      const isHere = (call: IPlace): boolean =>
        panel !== null && call.cell === cell() && kernels.holds(panel, call);
      return cell() && [...running, ...waiting].some(isHere) ? kernel : null;
    };
    const runs = (): boolean => running() !== null;
    app.commands.addCommand(CommandIDs.stopCell, {
      label: 'Stop the Calls of This Cell',
      icon: stopIcon,
      isEnabled: runs,
      isVisible: runs,
      execute: () => running()?.command('stop', { cell: cell() })
    });
    const refresh = (): void => app.commands.notifyCommandChanged(CommandIDs.stopCell);
    notebooks.activeCellChanged.connect(refresh);
    kernels.changed.connect(refresh);
    palette?.addItem({ command: CommandIDs.stopCell, category: PALETTE });
  }
};
