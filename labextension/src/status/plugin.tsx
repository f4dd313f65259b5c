import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ReactWidget } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ISignal, Signal } from '@lumino/signaling';
import * as React from 'react';

import { elsewhere, readState, summary, waitingIn } from '../state';
import { CommandIDs, IAgentKernels, PluginIDs } from '../tokens';

/**
 * The mode, and how much runs and waits, in the status bar of the application, where it has one; and what waits in
 * another notebook, whatever is shown.
 */
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
    const changed = new Signal<object, void>({});
    kernels.changed.connect(() => changed.emit());
    notebooks.currentChanged.connect(() => changed.emit());
    const told = (): ITold => tell(kernels, notebooks);
    const open = (): void => {
      const { waitsHere, there } = told();
      const show = there !== '' && !waitsHere;
      void app.commands.execute(show ? CommandIDs.reveal : CommandIDs.openPanel);
    };
    statusBar.registerStatusItem(PluginIDs.status, {
      item: ReactWidget.create(<StatusItem told={told} changed={changed} open={open} />),
      align: 'right',
      rank: 90,
      isActive: () => wordsOf(told()) !== '',
      activeStateChanged: changed
    });
  }
};

interface ITold {
  /** Of the notebook that is shown, `''` when nothing of ours runs there. */
  here: string;
  waitsHere: boolean;
  /** What waits in others, `''` when nothing does. */
  there: string;
}

function tell(kernels: IAgentKernels, notebooks: INotebookTracker): ITold {
  const current = notebooks.currentWidget;
  const kernel = current && kernels.of(current);
  const state = kernel && readState(kernel.state);
  const seen = new Set([kernel?.kernel.id]);
  const places: [string, number][] = [];
  notebooks.forEach(panel => {
    const other = kernels.of(panel);
    if (other !== null && !seen.has(other.kernel.id)) {
      seen.add(other.kernel.id);
      places.push([PathExt.basename(panel.context.path), waitingIn(readState(other.state))]);
    }
  });
  return {
    here: state?.session ? summary(state) : '',
    waitsHere: state ? waitingIn(state) > 0 : false,
    there: elsewhere(places)
  };
}

function wordsOf({ here, there }: ITold): string {
  return [here || (there ? 'Agent' : ''), there].filter(Boolean).join(' · ');
}

function StatusItem(props: {
  told: () => ITold;
  changed: ISignal<object, void>;
  open: () => void;
}): JSX.Element {
  const [told, setTold] = React.useState(props.told());
  React.useEffect(() => {
    const refresh = (): void => setTold(props.told());
    props.changed.connect(refresh);
    refresh(); // what has changed between the first drawing and now
    return () => {
      props.changed.disconnect(refresh);
    };
  }, []);
  return (
    <button
      type="button"
      className="jp-AgentStatus"
      title={told.there && !told.waitsHere ? 'Show what waits' : 'Show the agent tools'}
      onClick={props.open}
    >
      {wordsOf(told)}
    </button>
  );
}
