import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { LabIcon } from '@jupyterlab/ui-components';

import { acceptIcon, revertIcon } from '../icon';
import { followSettings } from '../settings';
import { CommandIDs, IAgentKernels, ILiveDocuments, PALETTE, PluginIDs } from '../tokens';
import { IMark } from './mark';
import { ChangeMarks } from './marks';
import { MarkedNotebooks } from './notebooks';

/** On the body where a person wants to see no marks. */
const HIDDEN_CLASS = 'jp-mod-agentMarksHidden';

/** Shows which cells tools have changed, until the person has accepted it or taken it back. */
export const changesPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.changes,
  description: 'Marks cells that jupyter_agenttools has changed.',
  autoStart: true,
  requires: [IAgentKernels, ILiveDocuments, INotebookTracker],
  optional: [ICommandPalette, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    documents: ILiveDocuments,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null
  ): void => {
    const refresh = (): void =>
      COMMANDS.forEach(({ command }) => app.commands.notifyCommandChanged(command));
    notebooks.activeCellChanged.connect(refresh);
    notebooks.currentChanged.connect(refresh);
    const { contents } = app.serviceManager;
    const marked = new MarkedNotebooks(kernels, notebooks, contents, refresh);
    documents.applied.connect((_, applied) => marked.note(applied));
    const current = (): ChangeMarks | undefined =>
      notebooks.currentWidget ? marked.of(notebooks.currentWidget) : undefined;
    addCommands(app, current);
    COMMANDS.forEach(({ command }) => palette?.addItem({ command, category: PALETTE }));
    followSettings(registry, PluginIDs.changes, settings => {
      document.body.classList.toggle(HIDDEN_CLASS, settings.showMarks === false);
    });
  }
};

const ofCell = (marks: ChangeMarks): readonly IMark[] => marks.current;
const ofTurn = (marks: ChangeMarks): readonly IMark[] => marks.ledger.ofTurn(marks.ledger.lastTurn);
const all = (marks: ChangeMarks): readonly IMark[] => marks.ledger.marks;

const COMMANDS = [
  { command: CommandIDs.acceptChange, label: 'Accept the Change of This Cell', of: ofCell },
  { command: CommandIDs.revertChange, label: 'Revert the Change of This Cell', of: ofCell },
  { command: CommandIDs.acceptTurn, label: 'Accept the Changes of the Last Turn', of: ofTurn },
  { command: CommandIDs.revertTurn, label: 'Revert the Changes of the Last Turn', of: ofTurn },
  { command: CommandIDs.acceptChanges, label: 'Accept All Changes in This Notebook', of: all },
  { command: CommandIDs.revertChanges, label: 'Revert All Changes in This Notebook', of: all }
] as const;

const REVERTS: readonly string[] = [
  CommandIDs.revertChange,
  CommandIDs.revertTurn,
  CommandIDs.revertChanges
];

/** Those that stand in the toolbar of a cell, only while they mean something. */
const ICONS: Record<string, LabIcon> = {
  [CommandIDs.acceptChange]: acceptIcon,
  [CommandIDs.revertChange]: revertIcon
};

function addCommands(app: JupyterFrontEnd, current: () => ChangeMarks | undefined): void {
  for (const { command, label, of } of COMMANDS) {
    const hasMarks = (): boolean => {
      const marks = current();
      return marks !== undefined && of(marks).length > 0;
    };
    app.commands.addCommand(command, {
      label,
      isEnabled: hasMarks,
      ...(command in ICONS ? { icon: ICONS[command], isVisible: hasMarks } : {}),
      execute: () => {
        const marks = current();
        if (marks !== undefined) {
          const chosen = of(marks);
          REVERTS.includes(command) ? marks.revert(chosen) : marks.accept(chosen);
        }
      }
    });
  }
}
