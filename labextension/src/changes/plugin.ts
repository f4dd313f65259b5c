import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import { CommandIDs, ILiveDocuments, PALETTE, PluginIDs } from '../tokens';
import { IMark } from './ledger';
import { ChangeMarks } from './marks';

/** Shows which cells tools have changed, until the person has accepted it or taken it back. */
export const changesPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.changes,
  description: 'Marks cells that jupyter_agenttools has changed.',
  autoStart: true,
  requires: [ILiveDocuments, INotebookTracker],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    documents: ILiveDocuments,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null
  ): void => {
    const marked = new Map<NotebookPanel, ChangeMarks>();
    documents.applied.connect((_, applied) => {
      const { panel } = applied;
      let marks = marked.get(panel);
      if (marks === undefined) {
        marks = new ChangeMarks(panel);
        marked.set(panel, marks);
        panel.disposed.connect(() => {
          marked.get(panel)?.dispose();
          marked.delete(panel);
        });
      }
      marks.note(applied);
      app.commands.notifyCommandChanged();
    });
    const current = (): ChangeMarks | undefined =>
      notebooks.currentWidget ? marked.get(notebooks.currentWidget) : undefined;
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
