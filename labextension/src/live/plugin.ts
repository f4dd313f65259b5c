import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookCellExecutor, INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { followSettings } from '../settings';
import { IAgentKernels, ILiveDocuments, PluginIDs } from '../tokens';
import { LiveDocuments } from './documents';
import { keepDisplaysOfMoves, keepExecutionsOfUndo } from './executions';
import { CellRuns } from './run';

/** Lets the tools of a kernel see, change and run notebooks that are open here, unsaved work included. */
export const livePlugin: JupyterFrontEndPlugin<ILiveDocuments> = {
  id: PluginIDs.live,
  description: 'Edits of open notebooks by jupyter_agenttools, by the ids of their cells.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  optional: [INotebookCellExecutor, ISettingRegistry],
  provides: ILiveDocuments,
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    notebooks: INotebookTracker,
    executor: INotebookCellExecutor | null,
    registry: ISettingRegistry | null
  ): ILiveDocuments => {
    let saves = false;
    const { contents } = app.serviceManager;
    const runs = new CellRuns(executor);
    const documents = new LiveDocuments(notebooks, contents, runs, () => saves);
    notebooks.forEach(panel => follow(panel));
    notebooks.widgetAdded.connect((_, panel) => follow(panel));
    kernels.serve('snapshot', documents.snapshot);
    kernels.serve('apply', documents.apply);
    kernels.serve('save', documents.save);
    kernels.serve('run', documents.run);
    kernels.serve('stop-run', documents.stopRun);
    followSettings(registry, PluginIDs.live, settings => {
      saves = settings.saveAfterEdit === true;
    });
    return documents;
  }
};

function follow(panel: NotebookPanel): void {
  keepDisplaysOfMoves(panel.content);
  void panel.context.ready.then(() => keepExecutionsOfUndo(panel.content));
}
