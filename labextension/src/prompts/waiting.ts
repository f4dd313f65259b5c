import { Notification } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import type { AgentKernel } from '../kernels/kernel';
import { readState } from '../state';
import { IAgentKernels } from '../tokens';
import { ChoiceName, firstWith, IItem, itemsOf } from './items';

/** On the tab of a notebook, and on the cell, in which something of a kind waits. */
export const MARKS: Record<IItem['kind'], string> = {
  question: 'jp-mod-agentQuestion',
  step: 'jp-mod-agentStep'
};

/**
 * On the body while something of a kind waits: what the keyboard shortcuts are scoped by. While a question waits no
 * step has its keys: whoever goes from stage to stage in a hurry comes to a question, and must not answer it unread.
 */
export const BODY_CLASSES: Record<IItem['kind'], string> = {
  question: 'jp-mod-agentWaiting',
  step: 'jp-mod-agentStepping'
};

/** On the body while the question that comes first can be allowed: it has been there for a while. */
export const READ_CLASS = 'jp-mod-agentMayAllow';

export interface IWaiting {
  kernel: AgentKernel;
  panel: NotebookPanel;
  /** Its cell is `''` where the notebook has not got it. */
  item: IItem;
}

/** A cell of a notebook. */
export interface ICellOf {
  panel: NotebookPanel;
  cell: string;
}

/** A cell has left the view, or is back in it, when it has been so for this long. */
const SETTLED_MS = 200;

/** How a person wants to hear of what waits. */
export interface IManners {
  /** A toast, when its cell is out of view. */
  toasts: boolean;
  /** A notification of the desktop, while the page is hidden. */
  desktop: boolean;
  /** Scroll to its cell. */
  scroll: boolean;
  /** A mark on the tab and on the cell. */
  marks: boolean;
}

/** What waits for a person, and how they hear of it: on the tab, in the cell, by a toast, from the desktop. */
export class Waiting {
  /**
   * @param activate - brings the tab with this id to the front.
   * @param showWalk - shows the walk of the call that stops in this cell of the tab with this id.
   */
  constructor(
    private readonly kernels: IAgentKernels,
    private readonly notebooks: INotebookTracker,
    private readonly activate: (id: string) => void,
    private readonly showWalk: (id: string, cell: string) => void
  ) {
    kernels.changed.connect(() => this.refresh());
    notebooks.currentChanged.connect(() => this.refresh());
    this.places = new IntersectionObserver(() => this.lookSoon());
  }

  get manners(): IManners {
    return this.wanted;
  }

  set manners(manners: IManners) {
    this.wanted = manners;
    this.refresh();
  }

  /** All of it, what the current notebook has first, each in the order in which it came. */
  all(): IWaiting[] {
    const found: IWaiting[] = [];
    const seen = new Set<string>();
    const panels: NotebookPanel[] = [];
    this.notebooks.forEach(panel => panels.push(panel));
    const current = this.notebooks.currentWidget;
    panels.sort((one, other) => Number(other === current) - Number(one === current));
    for (const panel of panels) {
      const kernel = this.kernels.of(panel);
      for (const item of kernel ? itemsOf(readState(kernel.state)) : []) {
        if (kernel && !seen.has(item.key)) {
          seen.add(item.key);
          // Of the notebooks with this kernel the one in which it is; a page listens to one of them only.
          const at = panels.find(each => isRunBy(each, kernel) && this.kernels.holds(each, item));
          const cell = at ? item.cell : '';
          found.push({ kernel, panel: at ?? panel, item: { ...item, cell } });
        }
      }
    }
    return found;
  }

  /** The first one that has this choice, only of this cell of this notebook if they are given. */
  find(name: ChoiceName, of?: ICellOf): IWaiting | undefined {
    return firstWith(
      this.all().filter(
        ({ panel, item }) => of === undefined || (panel === of.panel && item.cell === of.cell)
      ),
      name
    );
  }

  /** Make that choice, for the first one that has it. */
  choose(name: ChoiceName, of?: ICellOf): void {
    const found = this.find(name, of);
    found?.item.choices.find(choice => choice.name === name)?.choose(found.kernel);
  }

  /** Whether that choice can be made already. */
  may(name: ChoiceName, of?: ICellOf): boolean {
    const found = this.find(name, of);
    const choice = found?.item.choices.find(each => each.name === name);
    return found !== undefined && choice !== undefined && choice.may(found.kernel);
  }

  /** Bring its card into view, and its notebook to the front; of a step also its walk. */
  reveal({ panel, item }: IWaiting): void {
    this.activate(panel.id);
    const index = cellIndex(panel, item.cell);
    if (index >= 0) {
      panel.content.activeCellIndex = index;
      void panel.content.scrollToItem(index, 'smart');
      if (item.kind === 'step') {
        this.showWalk(panel.id, item.cell);
      }
    }
  }

  /** The same for what has this key, if it still waits. */
  revealKey(key: string): void {
    const found = this.all().find(({ item }) => item.key === key);
    if (found) {
      this.reveal(found);
    }
  }

  /** Look anew at what waits, and tell of it. */
  refresh(): void {
    const all = this.all();
    const has = (kind: IItem['kind']): boolean => all.some(each => each.item.kind === kind);
    document.body.classList.toggle(BODY_CLASSES.question, has('question'));
    document.body.classList.toggle(BODY_CLASSES.step, has('step') && !has('question'));
    document.body.classList.toggle(READ_CLASS, this.may('allow'));
    const marked = this.wanted.marks ? all : [];
    this.notebooks.forEach(panel => markTab(panel, marked));
    this.notebooks.forEach(panel => markCells(panel, marked));
    this.tell(all);
    this.watch(all);
  }

  private tell(all: IWaiting[]): void {
    const open = new Set(all.map(each => each.item.key));
    for (const [key, told] of this.told) {
      if (!open.has(key)) {
        this.told.delete(key);
        dismiss(told);
      }
    }
    for (const each of all) {
      if (!this.told.has(each.item.key)) {
        this.told.set(each.item.key, this.tellOf(each));
      }
    }
  }

  private tellOf(waiting: IWaiting): ITold {
    if (document.visibilityState !== 'visible') {
      this.tellDesktop(waiting);
    }
    const inView = this.isInView(waiting) || this.scrollTo(waiting);
    return { inView, toast: inView ? null : this.toast(waiting) };
  }

  /** Be told when the cell of something that waits, or the walk of a step, comes into view or leaves it. */
  private watch(all: IWaiting[]): void {
    const nodes = new Set<Element>();
    for (const { panel, item } of all) {
      const cell = panel.content.widgets[cellIndex(panel, item.cell)];
      [...(cell ? [cell.node] : []), ...walksOf(panel, item)].forEach(node => nodes.add(node));
    }
    for (const node of this.watched) {
      if (!nodes.has(node)) {
        this.places.unobserve(node);
      }
    }
    for (const node of nodes) {
      if (!this.watched.has(node)) {
        this.places.observe(node);
      }
    }
    this.watched = nodes;
  }

  /** Once it is quiet: while a person scrolls past, or an output grows, a toast would only come and go. */
  private lookSoon(): void {
    window.clearTimeout(this.looking);
    this.looking = window.setTimeout(() => this.look(), SETTLED_MS);
  }

  /** A toast for what has gone out of view; none any more for what is back. One that was closed stays away till then. */
  private look(): void {
    const all = this.all();
    for (const each of all) {
      const told = this.told.get(each.item.key);
      const inView = this.isInView(each);
      if (told !== undefined && told.inView !== inView) {
        dismiss(told);
        this.told.set(each.item.key, { inView, toast: inView ? null : this.toast(each) });
      }
    }
    this.watch(all);
  }

  /** Gives the id of the toast, `null` where a person wants none. */
  private toast(waiting: IWaiting): string | null {
    const { kernel, item } = waiting;
    if (!this.wanted.toasts) {
      return null;
    }
    return Notification.emit(`${item.head}: ${item.title}`, 'warning', {
      autoClose: false,
      actions: [
        // Where it is may have become known since, or have changed.
        { label: item.show, callback: () => this.revealKey(item.key), displayType: 'default' },
        ...item.choices.map(({ label, look, choose, may }) => ({
          label,
          callback: (event: MouseEvent) =>
            // A toast that is pressed too early stays.
            may(kernel) ? choose(kernel) : event.preventDefault(),
          displayType: look
        }))
      ]
    });
  }

  private isInView({ panel, item }: IWaiting): boolean {
    if (isWalkShown(panel, item)) {
      return true;
    }
    const cell = panel.content.widgets[cellIndex(panel, item.cell)];
    if (cell === undefined || this.notebooks.currentWidget !== panel || !panel.isVisible) {
      return false;
    }
    const shown = cell.node.getBoundingClientRect();
    const view = panel.content.node.getBoundingClientRect();
    return shown.bottom > view.top && shown.top < view.bottom;
  }

  /** Where a person wants it, and does not just write in a cell; says whether the cell is in view now. */
  private scrollTo({ panel, item }: IWaiting): boolean {
    const index = cellIndex(panel, item.cell);
    const writes = panel.content.mode === 'edit' && panel.node.contains(document.activeElement);
    const isThere = panel.isVisible && this.notebooks.currentWidget === panel;
    if (!this.wanted.scroll || index < 0 || writes || !isThere) {
      return false;
    }
    void panel.content.scrollToItem(index, 'smart');
    return true;
  }

  private tellDesktop(waiting: IWaiting): void {
    const { item } = waiting;
    if (
      this.wanted.desktop &&
      'Notification' in window &&
      window.Notification.permission === 'granted'
    ) {
      const told = new window.Notification(item.head, { body: item.title, tag: item.key });
      told.onclick = () => {
        window.focus();
        this.reveal(waiting);
      };
    }
  }

  private wanted: IManners = { toasts: true, desktop: false, scroll: false, marks: true };
  private readonly told = new Map<string, ITold>();
  private readonly places: IntersectionObserver;
  private watched = new Set<Element>();
  private looking = 0;
}

/** How a person was told of something: whether they had it in view when we last looked, and the toast if there is one. */
interface ITold {
  inView: boolean;
  toast: string | null;
}

function dismiss({ toast }: ITold): void {
  if (toast !== null) {
    Notification.dismiss(toast);
  }
}

/** By a class, never by the title's label: that would rename the file. */
function markTab(panel: NotebookPanel, all: IWaiting[]): void {
  const ours = Object.values(MARKS);
  const others = panel.title.className.split(' ').filter(name => name && !ours.includes(name));
  const kinds = all.filter(each => each.panel === panel).map(each => each.item.kind);
  panel.title.className = [...others, ...new Set(kinds.map(kind => MARKS[kind]))].join(' ');
}

function markCells(panel: NotebookPanel, all: IWaiting[]): void {
  const here = all.filter(each => each.panel === panel).map(each => each.item);
  for (const { model, node } of panel.content.widgets) {
    for (const kind of ['question', 'step'] as const) {
      const waits = here.some(item => item.kind === kind && item.cell === model.id);
      node.classList.toggle(MARKS[kind], waits);
    }
  }
}

/** Whether a person has the walk of this step before them, with the ways to go on. */
function isWalkShown(panel: NotebookPanel, item: IItem): boolean {
  return walksOf(panel, item).some(page => page.checkVisibility());
}

function walksOf(panel: NotebookPanel, { kind, cell }: IItem): HTMLElement[] {
  const pages = [...document.querySelectorAll<HTMLElement>('.jp-AgentTrace-page')];
  return kind === 'step'
    ? pages.filter(({ dataset }) => dataset.cell === cell && dataset.notebook === panel.id)
    : [];
}

function isRunBy({ sessionContext }: NotebookPanel, { kernel }: AgentKernel): boolean {
  return sessionContext.session?.kernel?.id === kernel.id;
}

function cellIndex(panel: NotebookPanel, id: string): number {
  return id ? panel.content.widgets.findIndex(cell => cell.model.id === id) : -1;
}
