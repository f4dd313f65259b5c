import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';

import { IAgentKernels, PluginIDs, READY_CLASS } from '../tokens';
import { AgentKernels } from './kernels';

/** Knows the kernels in which jupyter_agenttools runs, and tells them which notebooks are open. */
export const kernelsPlugin: JupyterFrontEndPlugin<IAgentKernels> = {
  id: PluginIDs.kernels,
  description: 'Connects the open notebooks with jupyter_agenttools in their kernels.',
  autoStart: true,
  requires: [INotebookTracker],
  provides: IAgentKernels,
  activate: (app: JupyterFrontEnd, notebooks: INotebookTracker): IAgentKernels => {
    void app.started.then(() => document.body.classList.add(READY_CLASS));
    return new AgentKernels(notebooks, app.serviceManager.contents);
  }
};
