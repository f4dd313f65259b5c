import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Contents } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';

import type { AgentKernel } from '../kernels/kernel';
import { IMarksTold } from '../protocol';
import { IAgentKernels, IApplied } from '../tokens';
import { readEntries, writeEntries } from './kept';
import { IEntry } from './mark';
import { ChangeMarks } from './marks';

/**
 * The marks of all open notebooks, the same in every page: each tells the kernels that have to do with a notebook what
 * happens to its marks, and they tell the other pages, and those that come later.
 */
export class MarkedNotebooks {
  /**
   * @param onChange - called when other cells than before may be marked.
   */
  constructor(
    private readonly kernels: IAgentKernels,
    private readonly notebooks: INotebookTracker,
    private readonly contents: Contents.IManager,
    private readonly onChange: () => void
  ) {
    notebooks.forEach(panel => this.follow(panel));
    notebooks.widgetAdded.connect((_, panel) => this.follow(panel));
    kernels.all.forEach(kernel => this.listen(kernel));
    kernels.changed.connect((_, kernel) => this.listen(kernel));
    contents.fileChanged.connect((_, change) => {
      if (change.type === 'delete' && change.oldValue?.path) {
        this.forget(contents.localPath(change.oldValue.path));
      }
    });
    window.addEventListener('beforeunload', () => this.tell());
  }

  /** The marks of a notebook, if there are any. */
  of(panel: NotebookPanel): ChangeMarks | undefined {
    return this.marked.get(panel);
  }

  /** A tool has changed a notebook. */
  note(applied: IApplied): void {
    const marks = this.marksOf(applied.panel);
    marks.kernels.add(idOf(applied.kernel));
    marks.note(applied);
  }

  private marksOf(panel: NotebookPanel): ChangeMarks {
    const known = this.marked.get(panel);
    if (known !== undefined) {
      return known;
    }
    const marks = new ChangeMarks(panel, this.page, this.later, this.onChange);
    this.marked.set(panel, marks);
    panel.disposed.connect(() => {
      marks.dispose();
      this.marked.delete(panel);
    });
    return marks;
  }

  private follow(panel: NotebookPanel): void {
    let path = this.contents.localPath(panel.context.path);
    panel.context.pathChanged.connect((_, renamed) => {
      const was = path;
      path = this.contents.localPath(renamed);
      const marks = this.marked.get(panel);
      for (const kernel of this.unique(() => true)) {
        // The others may keep marks of it too, which are not known here.
        const isConcerned = marks !== undefined && this.concerns(kernel, panel, marks);
        this.send(kernel, path, isConcerned ? marks.ledger.all : [], was);
      }
    });
  }

  private listen(kernel: AgentKernel): void {
    const isNew = kernel.isPresent && !this.heard.has(kernel);
    if (!kernel.isPresent) {
      this.heard.delete(kernel); // what comes after a restart has kept nothing
    } else if (isNew) {
      this.heard.add(kernel);
      kernel.marked.connect(this.onMarked);
      for (const [panel, marks] of this.marked) {
        if (this.concerns(kernel, panel, marks)) {
          this.send(kernel, this.pathOf(panel), marks.ledger.all);
        }
      }
    }
  }

  private readonly onMarked = (kernel: AgentKernel, { path, marks: data }: IMarksTold): void => {
    const entries = readEntries(data);
    this.notebooks.forEach(panel => {
      if (this.pathOf(panel) === path && panel.context.isReady && entries.length > 0) {
        const marks = this.marksOf(panel);
        marks.kernels.add(idOf(kernel));
        marks.take(entries);
      }
    });
  };

  /** Soon: nothing of this is to hold up an edit. */
  private readonly later = (): void => {
    this.due ??= window.setTimeout(() => this.tell(), PAUSE_MS);
  };

  private tell(): void {
    clearTimeout(this.due);
    this.due = undefined;
    for (const [panel, marks] of this.marked) {
      const news = marks.ledger.takeNews();
      if (news.length > 0) {
        const told = this.unique(kernel => this.concerns(kernel, panel, marks));
        const leftOut = told.map(kernel => this.send(kernel, this.pathOf(panel), news));
        marks.sayLeftOut(Math.max(0, ...leftOut));
      }
    }
  }

  private send(
    kernel: AgentKernel,
    path: string,
    entries: readonly IEntry[],
    was: string | null = null
  ): number {
    const { data, leftOut } = writeEntries(entries);
    if (entries.length > 0 || was !== null) {
      kernel.keepMarks(path, data, was);
    }
    return leftOut;
  }

  private forget(path: string): void {
    this.unique(() => true).forEach(kernel => kernel.keepMarks(path, null));
  }

  /** Those that changed the notebook or told of it, and its own one. */
  private concerns(kernel: AgentKernel, panel: NotebookPanel, marks: ChangeMarks): boolean {
    return marks.kernels.has(idOf(kernel)) || this.kernels.of(panel) === kernel;
  }

  /** The kernels that are there, each once, however many notebooks it has. */
  private unique(wanted: (kernel: AgentKernel) => boolean): AgentKernel[] {
    const there = this.kernels.all.filter(kernel => kernel.isPresent && wanted(kernel));
    return [...new Map(there.map(kernel => [idOf(kernel), kernel])).values()];
  }

  private pathOf(panel: NotebookPanel): string {
    return this.contents.localPath(panel.context.path);
  }

  private readonly page = UUID.uuid4().slice(0, 8);
  private readonly marked = new Map<NotebookPanel, ChangeMarks>();
  private readonly heard = new WeakSet<AgentKernel>();
  private due: number | undefined = undefined;
}

function idOf(kernel: AgentKernel): string {
  return kernel.kernel.id;
}

const PAUSE_MS = 20;
