import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { followSettings } from '../settings';
import { CommandIDs, IAgentKernels, IAgentWaiting, PALETTE, PluginIDs } from '../tokens';
import { allowIcon, denyIcon } from '../icon';
import { ChoiceName } from './items';
import { Presses } from './presses';
import { ICellOf, Waiting } from './waiting';

/** What waits for a person, answered by keyboard or from a toast, wherever they are in the page. */
export const promptsPlugin: JupyterFrontEndPlugin<IAgentWaiting> = {
  id: PluginIDs.prompts,
  description:
    'Tells of what waits in jupyter_agenttools for a person, and answers it from anywhere in the page.',
  autoStart: true,
  provides: IAgentWaiting,
  requires: [IAgentKernels, INotebookTracker],
  optional: [ICommandPalette, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null
  ): IAgentWaiting => {
    const waiting = new Waiting(
      kernels,
      notebooks,
      id => app.shell.activateById(id),
      (panel, cell) => void app.commands.execute(CommandIDs.showTrace, { panel, cell })
    );
    // A walk that is closed is no notebook, and its step may be out of view then.
    app.shell.currentChanged?.connect(() => waiting.refresh());
    addCommands(app, waiting);
    addCellCommands(app, waiting, notebooks);
    kernels.changed.connect(() => {
      for (const command of ALL) {
        app.commands.notifyCommandChanged(command);
      }
    });
    for (const command of ALL) {
      palette?.addItem({ command, category: PALETTE });
    }
    followSettings(registry, PluginIDs.prompts, settings => {
      const desktop = settings.desktopNotifications === true;
      waiting.manners = {
        desktop,
        toasts: settings.toasts !== false,
        scroll: settings.scrollToCell === true,
        marks: settings.marks !== false
      };
      if (desktop && 'Notification' in window && window.Notification.permission === 'default') {
        void window.Notification.requestPermission();
      }
    });
    return waiting;
  }
};

const CHOICES: { command: string; label: string; name: ChoiceName }[] = [
  { command: CommandIDs.allow, label: 'Allow the Call that Waits', name: 'allow' },
  { command: CommandIDs.deny, label: 'Deny the Call that Waits', name: 'deny' },
  { command: CommandIDs.nextStage, label: 'Next Stage', name: 'next' },
  { command: CommandIDs.runOn, label: 'Run On', name: 'run_on' },
  { command: CommandIDs.abortStep, label: 'Abort the Step', name: 'abort' }
];

const OF_CELL = [
  { command: CommandIDs.allowCell, label: 'Allow the Call of This Cell', name: 'allow' },
  { command: CommandIDs.denyCell, label: 'Deny the Call of This Cell', name: 'deny' }
] as const;

const ALL = [...CHOICES, ...OF_CELL].map(({ command }) => command).concat(CommandIDs.reveal);

function addCommands(app: JupyterFrontEnd, waiting: Waiting): void {
  const presses = new Presses();
  for (const { command, label, name } of CHOICES) {
    app.commands.addCommand(command, {
      label,
      isEnabled: () => waiting.find(name) !== undefined,
      execute: () => presses.take() && waiting.choose(name)
    });
  }
  app.commands.addCommand(CommandIDs.reveal, {
    label: 'Show What Waits for You',
    isEnabled: () => waiting.all().length > 0,
    execute: () => {
      const [first] = waiting.all();
      if (first) {
        waiting.reveal(first);
      }
    }
  });
}

/** For the toolbar of the active cell: there only while its question waits. */
function addCellCommands(
  app: JupyterFrontEnd,
  waiting: Waiting,
  notebooks: INotebookTracker
): void {
  for (const { command, label, name } of OF_CELL) {
    const here = (): ICellOf | null => {
      const { activeCell, currentWidget: panel } = notebooks;
      return panel && activeCell ? { panel, cell: activeCell.model.id } : null;
    };
    const on = (act: (cell: ICellOf) => boolean): boolean => {
      const cell = here();
      return cell !== null && act(cell);
    };
    const waits = (): boolean => on(cell => waiting.find(name, cell) !== undefined);
    app.commands.addCommand(command, {
      label,
      icon: name === 'allow' ? allowIcon : denyIcon,
      isEnabled: () => on(cell => waiting.may(name, cell)),
      isVisible: waits,
      execute: () => {
        const cell = here();
        if (cell) {
          waiting.choose(name, cell);
        }
      }
    });
  }
  notebooks.activeCellChanged.connect(() => {
    OF_CELL.forEach(({ command }) => app.commands.notifyCommandChanged(command));
  });
}
