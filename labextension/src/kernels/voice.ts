import { Kernel } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';

/** So long may the first answer take before another way is tried; an idle kernel answers within milliseconds. */
const PATIENCE_MS = 300;

/**
 * Speaks to a kernel that runs a cell while a page has just come.
 *
 * JupyterLab begins a connection by asking the kernel what it is, and holds everything else back until the answer, for
 * 3 s at most. A kernel that runs a cell does not answer. A second connection, which asks nothing but what we ask, is
 * not held back; it is closed as soon as the first one is free.
 */
export class Voice implements IDisposable {
  /**
   * @param main - the connection of the notebook.
   * @param onOpen - called once when the second connection can be used, if one is needed.
   */
  constructor(
    private readonly main: Kernel.IKernelConnection,
    private readonly onOpen: () => void
  ) {
    main.connectionStatusChanged.connect(this.onMain);
    this.onMain();
  }

  /** The connection over which something arrives at once. */
  get connection(): Kernel.IKernelConnection {
    return this.second?.connectionStatus === 'connected' ? this.second : this.main;
  }

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** The first connection is free, or nothing is to be said. */
  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
    this.main.connectionStatusChanged.disconnect(this.onMain);
    this.second?.dispose();
    this.second = null;
  }

  private readonly onMain = (): void => {
    if (this.main.connectionStatus === 'connected' && this.timer === undefined) {
      this.timer = setTimeout(() => this.open(), PATIENCE_MS);
    }
  };

  private open(): void {
    if (this.main.isDisposed) {
      return;
    }
    const second = this.main.clone();
    this.second = second;
    let isFirst = true;
    second.connectionStatusChanged.connect((_, status) => {
      if (status === 'connected' && isFirst) {
        isFirst = false;
        this.onOpen();
      }
    });
  }

  private second: Kernel.IKernelConnection | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private disposed = false;
}
