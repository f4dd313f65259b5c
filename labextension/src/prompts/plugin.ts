import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { CommandIDs, IAgentKernels, PALETTE, PluginIDs } from '../tokens';
import { WaitingQuestions } from './waiting';

/** Questions of the gate, answered by keyboard or from a toast, wherever the person is in the page. */
export const promptsPlugin: JupyterFrontEndPlugin<void> = {
  id: PluginIDs.prompts,
  description:
    'Tells of the questions of jupyter_agenttools, and answers them from anywhere in the page.',
  autoStart: true,
  requires: [IAgentKernels, INotebookTracker],
  optional: [ICommandPalette, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    kernels: IAgentKernels,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null
  ): void => {
    let desktop = false;
    const questions = new WaitingQuestions(
      kernels,
      notebooks,
      () => desktop,
      id => app.shell.activateById(id)
    );
    addCommands(app, questions);
    for (const command of [CommandIDs.allow, CommandIDs.deny, CommandIDs.reveal]) {
      palette?.addItem({ command, category: PALETTE });
    }
    registry
      ?.load(PluginIDs.prompts)
      .then(settings => {
        const follow = (): void => {
          desktop = settings.composite.desktopNotifications === true;
          if (desktop && 'Notification' in window && Notification.permission === 'default') {
            void Notification.requestPermission();
          }
        };
        follow();
        settings.changed.connect(follow);
      })
      .catch(reason => console.warn(`jupyter-agenttools: no settings: ${String(reason)}`));
  }
};

function addCommands(app: JupyterFrontEnd, questions: WaitingQuestions): void {
  const isEnabled = (): boolean => questions.all().length > 0;
  app.commands.addCommand(CommandIDs.allow, {
    label: 'Allow the Call that Waits',
    isEnabled,
    execute: () => questions.answer('allow')
  });
  app.commands.addCommand(CommandIDs.deny, {
    label: 'Deny the Call that Waits',
    isEnabled,
    execute: () => questions.answer('deny')
  });
  app.commands.addCommand(CommandIDs.reveal, {
    label: 'Show the Question that Waits',
    isEnabled,
    execute: () => {
      const [first] = questions.all();
      if (first) {
        questions.reveal(first);
      }
    }
  });
}
