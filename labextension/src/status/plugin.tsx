import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ReactWidget } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStatusBar } from '@jupyterlab/statusbar';
import * as React from 'react';

import { readState, summary } from '../state';
import { CommandIDs, IAgentKernels, PluginIDs } from '../tokens';

/** The mode, and how much runs and waits, in the status bar of the application, where it has one. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.status,
  description: 'What jupyter_agenttools does, in the status bar.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  optional: [IStatusBar],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    notebooks: INotebookTracker,
    statusBar: IStatusBar | null
  ): void => {
    if (statusBar === null) {
      return;
    }
    const told = (): string => {
      const kernel = notebooks.currentWidget && kernels.of(notebooks.currentWidget);
      const state = kernel && readState(kernel.state);
      return state?.session ? summary(state) : '';
    };
    const item = ReactWidget.create(
      <StatusItem
        told={told}
        kernels={kernels}
        notebooks={notebooks}
        open={() => void app.commands.execute(CommandIDs.openPanel)}
      />
    );
    statusBar.registerStatusItem(PluginIDs.status, {
      item,
      align: 'right',
      rank: 90,
      isActive: () => told() !== '',
      activeStateChanged: kernels.changed as never
    });
  }
};

function StatusItem(props: {
  told: () => string;
  kernels: IAgentKernels;
  notebooks: INotebookTracker;
  open: () => void;
}): JSX.Element {
  const [text, setText] = React.useState(props.told());
  React.useEffect(() => {
    const refresh = (): void => setText(props.told());
    props.kernels.changed.connect(refresh);
    props.notebooks.currentChanged.connect(refresh);
    return () => {
      props.kernels.changed.disconnect(refresh);
      props.notebooks.currentChanged.disconnect(refresh);
    };
  }, []);
  return (
    <button
      type="button"
      className="jp-AgentStatus"
      title="Show the agent tools"
      onClick={props.open}
    >
      {text}
    </button>
  );
}
