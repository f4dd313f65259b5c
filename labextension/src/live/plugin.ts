import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';

import { IAgentKernels, PluginIDs } from '../tokens';
import { LiveDocuments } from './documents';

/** Lets the tools of a kernel see and change notebooks that are open here, unsaved work included. */
export const livePlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.live,
  description: 'Edits of open notebooks by jupyter_agenttools, by the ids of their cells.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  activate: (app: JupyterFrontEnd, kernels: IAgentKernels, notebooks: INotebookTracker): void => {
    const documents = new LiveDocuments(notebooks, app.serviceManager.contents);
    kernels.serve('snapshot', documents.snapshot);
    kernels.serve('apply', documents.apply);
    kernels.serve('save', documents.save);
  }
};
