import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Contents } from '@jupyterlab/services';
import { ISignal, Signal } from '@lumino/signaling';

import { IOpenDocument } from '../protocol';
import { IPlace } from '../state';
import { IAgentKernels, Operation } from '../tokens';
import { Grace } from './grace';
import { AgentKernel, Greeting } from './kernel';
import { IOpen, isIn } from './places';

/** Follows the open notebooks and their kernels; see the token. */
export class AgentKernels implements IAgentKernels {
  constructor(
    private readonly notebooks: INotebookTracker,
    private readonly contents: Contents.IManager
  ) {
    notebooks.forEach(panel => this.follow(panel));
    notebooks.widgetAdded.connect((_, panel) => this.follow(panel));
    notebooks.currentChanged.connect(() => this.hello());
    document.addEventListener('visibilitychange', () => this.hello());
    document.addEventListener('resume', () => this.hello()); // of a frozen tab, which may have been forgotten
    window.addEventListener('pagehide', () => this.all.forEach(kernel => kernel.dispose()));
  }

  get all(): readonly AgentKernel[] {
    return [...this.kernels.values()];
  }

  get changed(): ISignal<IAgentKernels, AgentKernel> {
    return this.changes;
  }

  of(panel: NotebookPanel): AgentKernel | null {
    const kernel = this.kernels.get(panel);
    return kernel?.isPresent ? kernel : null;
  }

  holds(panel: NotebookPanel, place: IPlace): boolean {
    const all: NotebookPanel[] = [];
    this.notebooks.forEach(each => all.push(each));
    const openOf = (each: NotebookPanel): IOpen => ({
      path: this.contents.localPath(each.context.path),
      kernel: each.sessionContext.session?.kernel?.id ?? null,
      has: cell =>
        !each.context.isReady || each.content.widgets.some(({ model }) => model.id === cell)
    });
    return isIn(place, openOf(panel), all.map(openOf));
  }

  serve(name: string, operation: Operation): void {
    this.operations.set(name, operation);
  }

  hello(): void {
    this.all.forEach(kernel => kernel.hello());
  }

  private follow(panel: NotebookPanel): void {
    const { sessionContext, context } = panel;
    const onKernel = (): void => this.connect(panel);
    const onChange = (): void => this.hello();
    sessionContext.kernelChanged.connect(onKernel);
    context.pathChanged.connect(onChange);
    context.model.stateChanged.connect((_, change) => {
      if (change.name === 'dirty') {
        this.hello();
      }
    });
    panel.disposed.connect(() => {
      this.kernels.get(panel)?.dispose();
      this.kernels.delete(panel);
      this.hello();
    });
    onKernel();
    this.hello();
    void context.ready.then(onChange); // before that nothing is said of it
  }

  private connect(panel: NotebookPanel): void {
    this.kernels.get(panel)?.dispose();
    this.kernels.delete(panel);
    const connection = panel.sessionContext.session?.kernel;
    if (!connection) {
      return;
    }
    const kernel = new AgentKernel(connection, this.operations, this.grace, () =>
      this.greeting(panel)
    );
    this.kernels.set(panel, kernel);
    kernel.changed.connect(() => this.changes.emit(kernel));
  }

  private greeting(own: NotebookPanel): Greeting {
    const documents: IOpenDocument[] = [];
    this.notebooks.forEach(panel => {
      if (!panel.isDisposed && panel.context.isReady) {
        documents.push(this.describe(panel));
      }
    });
    return {
      since: this.since,
      serverRoot: PageConfig.getOption('serverRoot'),
      own: own.isDisposed ? null : this.contents.localPath(own.context.path),
      visible: document.visibilityState === 'visible',
      documents
    };
  }

  private describe(panel: NotebookPanel): IOpenDocument {
    const { context } = panel;
    return {
      path: this.contents.localPath(context.path),
      dirty: context.model.dirty,
      kernel: panel.sessionContext.session?.kernel?.id ?? null,
      shared: context.model.collaborative ?? false,
      current: this.notebooks.currentWidget === panel
    };
  }

  private readonly since = Date.now();
  private readonly grace = new Grace();
  private readonly kernels = new Map<NotebookPanel, AgentKernel>();
  private readonly operations = new Map<string, Operation>();
  private readonly changes = new Signal<IAgentKernels, AgentKernel>(this);
}
