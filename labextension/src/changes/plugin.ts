import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';

import { CommandIDs, IAgentKernels, ILiveDocuments, PALETTE, PluginIDs } from '../tokens';
import { IMark } from './ledger';
import { ChangeMarks } from './marks';
import { MarkedNotebooks } from './notebooks';

/** Shows which cells tools have changed, until the person has accepted it or taken it back. */
export const changesPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.changes,
  description: 'Marks cells that jupyter_agenttools has changed.',
  autoStart: true,
  requires: [IAgentKernels, ILiveDocuments, INotebookTracker],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    documents: ILiveDocuments,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null
  ): void => {
    const { contents } = app.serviceManager;
    const marked = new MarkedNotebooks(kernels, notebooks, contents, () =>
      app.commands.notifyCommandChanged()
    );
    documents.applied.connect((_, applied) => marked.note(applied));
    const current = (): ChangeMarks | undefined =>
      notebooks.currentWidget ? marked.of(notebooks.currentWidget) : undefined;
    addCommands(app, current);
    COMMANDS.forEach(({ command }) => palette?.addItem({ command, category: PALETTE }));
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

function addCommands(app: JupyterFrontEnd, current: () => ChangeMarks | undefined): void {
  for (const { command, label, of } of COMMANDS) {
    app.commands.addCommand(command, {
      label,
      isEnabled: () => {
        const marks = current();
        return marks !== undefined && of(marks).length > 0;
      },
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
