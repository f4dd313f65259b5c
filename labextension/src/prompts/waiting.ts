import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import type { AgentKernel } from '../kernels/kernel';
import { IQuestion, readState } from '../state';
import { IAgentKernels } from '../tokens';

/** On the body while any question waits: what the keyboard shortcuts are scoped by. */
export const WAITING_CLASS = 'jp-mod-agentWaiting';

/** On the tab of a notebook, and on the cell, in which a question waits. */
export const TAB_CLASS = 'jp-mod-agentQuestion';

export interface IWaiting {
  kernel: AgentKernel;
  panel: NotebookPanel;
  question: IQuestion;
}

/** The questions that wait, and how a person hears of them: on the tab, in the cell, by a toast, from the desktop. */
export class WaitingQuestions {
  /**
   * @param desktop - whether a hidden page may use a notification of the desktop.
   * @param activate - brings the tab with this id to the front.
   */
  constructor(
    private readonly kernels: IAgentKernels,
    private readonly notebooks: INotebookTracker,
    private readonly desktop: () => boolean,
    private readonly activate: (id: string) => void
  ) {
    kernels.changed.connect(() => this.refresh());
    notebooks.currentChanged.connect(() => this.refresh());
  }

  /** All of them, those of the current notebook first, each kind in the order in which they were asked. */
  all(): IWaiting[] {
    const found: IWaiting[] = [];
    const seen = new Set<string>();
    const panels: NotebookPanel[] = [];
    this.notebooks.forEach(panel => panels.push(panel));
    const current = this.notebooks.currentWidget;
    panels.sort((one, other) => Number(other === current) - Number(one === current));
    for (const panel of panels) {
      const kernel = this.kernels.of(panel);
      for (const question of kernel ? readState(kernel.state).waiting : []) {
        if (kernel && !seen.has(question.id)) {
          seen.add(question.id);
          found.push({ kernel, panel, question });
        }
      }
    }
    return found;
  }

  /** Answer the first one. Says whether there was one. */
  answer(behavior: 'allow' | 'deny'): boolean {
    const [first] = this.all();
    first?.kernel.answer(first.question.id, behavior);
    return first !== undefined;
  }

  /** Bring the card of a question into view, and its notebook to the front. */
  reveal({ panel, question }: IWaiting): void {
    this.activate(panel.id);
    const index = cellIndex(panel, question.cell);
    if (index >= 0) {
      panel.content.activeCellIndex = index;
      void panel.content.scrollToItem(index, 'smart');
    }
  }

  private refresh(): void {
    const all = this.all();
    document.body.classList.toggle(WAITING_CLASS, all.length > 0);
    this.markTabs(all);
    this.markCells(all);
    this.tell(all);
  }

  /** By a class, never by the title's label: that would rename the file. */
  private markTabs(all: IWaiting[]): void {
    this.notebooks.forEach(panel => {
      const names = panel.title.className.split(' ').filter(name => name && name !== TAB_CLASS);
      const waits = all.some(each => each.panel === panel);
      panel.title.className = [...names, ...(waits ? [TAB_CLASS] : [])].join(' ');
    });
  }

  private markCells(all: IWaiting[]): void {
    this.notebooks.forEach(panel => {
      const ids = new Set(all.filter(each => each.panel === panel).map(each => each.question.cell));
      panel.content.widgets.forEach(cell =>
        cell.node.classList.toggle(TAB_CLASS, ids.has(cell.model.id))
      );
    });
  }

  private tell(all: IWaiting[]): void {
    const open = new Set(all.map(each => each.question.id));
    for (const [id, toast] of this.toasts) {
      if (!open.has(id)) {
        Notification.dismiss(toast);
        this.toasts.delete(id);
      }
    }
    for (const each of all) {
      if (!this.told.has(each.question.id)) {
        this.told.add(each.question.id);
        this.tellOf(each);
      }
    }
  }

  private tellOf(waiting: IWaiting): void {
    const { kernel, question } = waiting;
    if (document.visibilityState !== 'visible') {
      this.tellDesktop(waiting);
    }
    if (this.isInView(waiting)) {
      return;
    }
    const answer = (behavior: 'allow' | 'deny') => () => kernel.answer(question.id, behavior);
    const toast = Notification.emit(`${question.tool} asks: ${question.title}`, 'warning', {
      autoClose: false,
      actions: [
        { label: 'Show', callback: () => this.reveal(waiting), displayType: 'default' },
        { label: 'Allow', callback: answer('allow'), displayType: 'accent' },
        { label: 'Deny', callback: answer('deny'), displayType: 'warn' }
      ]
    });
    this.toasts.set(question.id, toast);
  }

  private isInView({ panel, question }: IWaiting): boolean {
    const cell = panel.content.widgets[cellIndex(panel, question.cell)];
    if (cell === undefined || this.notebooks.currentWidget !== panel || !panel.isVisible) {
      return false;
    }
    const shown = cell.node.getBoundingClientRect();
    const view = panel.content.node.getBoundingClientRect();
    return shown.bottom > view.top && shown.top < view.bottom;
  }

  private tellDesktop(waiting: IWaiting): void {
    const { question } = waiting;
    if (
      this.desktop() &&
      'Notification' in window &&
      window.Notification.permission === 'granted'
    ) {
      const told = new window.Notification(`${question.tool} asks to run`, {
        body: question.title,
        tag: question.id
      });
      told.onclick = () => {
        window.focus();
        this.reveal(waiting);
      };
    }
  }

  private readonly told = new Set<string>();
  private readonly toasts = new Map<string, string>();
}

function cellIndex(panel: NotebookPanel, id: string): number {
  return id ? panel.content.widgets.findIndex(cell => cell.model.id === id) : -1;
}
