/**
 * Cells that a tool has run, by the notebook's own kernel, as if the person had run them; the focus stays where it is.
 */
import { Cell } from '@jupyterlab/cells';
import { INotebookCellExecutor, NotebookPanel, runCell } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, JSONValue } from '@lumino/coreutils';

import { Refusal } from '../protocol';

export interface IRun {
  run: string;
  /** The cells, and what each must still say. */
  cells: { id: string; source: string }[];
  timeoutMs: number;
}

type End =
  | 'done'
  | 'failed'
  | 'timeout'
  | 'stuck'
  | 'busy'
  | 'queued'
  | 'kernel-died'
  | 'cancelled'
  | 'changed';

/** The arguments of a request. Throws a `Refusal` for what is none. */
export function readRun(args: JSONObject): IRun {
  const cells = args.cells as unknown as IRun['cells'];
  const isCell = (each: IRun['cells'][number]): boolean =>
    typeof each?.id === 'string' && typeof each.source === 'string';
  if (!Array.isArray(cells) || !cells.every(isCell) || typeof args.timeoutMs !== 'number') {
    throw new Refusal('bad-request', 'run: expected cells and a time');
  }
  return { run: String(args.run), cells, timeoutMs: args.timeoutMs };
}

/** Runs cells, and stops doing so. */
export class CellRuns {
  /**
   * @param executor - the application's own way to run a cell, `null` for the usual one.
   */
  constructor(private readonly executor: INotebookCellExecutor | null) {}

  async run(panel: NotebookPanel, wish: IRun): Promise<JSONValue> {
    const kernel = panel.sessionContext.session?.kernel;
    if (!kernel) {
      throw new Refusal('failed', 'the notebook has no kernel');
    }
    if (!wish.cells.every(each => cellOf(panel, each))) {
      throw new Refusal('content-changed', 'a cell is not what it was when it was looked at');
    }
    const run = new Run(panel, kernel, wish, this.executor);
    this.running.set(wish.run, run);
    try {
      return await run.all();
    } finally {
      this.running.delete(wish.run);
    }
  }

  /** Begin with no more cells, and interrupt the one that runs. */
  stop(run: string): boolean {
    this.running.get(run)?.stop();
    return this.running.has(run);
  }

  private readonly running = new Map<string, Run>();
}

class Run {
  constructor(
    private readonly panel: NotebookPanel,
    private readonly kernel: Kernel.IKernelConnection,
    private readonly wish: IRun,
    private readonly executor: INotebookCellExecutor | null
  ) {}

  stop(): void {
    this.halt('cancelled');
  }

  /**
   * Nothing of a run lives on after it: have the cell end, and say whether it did.
   *
   * A cell that the kernel has taken cannot be taken back. While it works on something else nothing is interrupted, as
   * that is somebody else's; ours is as soon as it begins.
   */
  private async endCell(): Promise<boolean> {
    for (let tries = 0; tries < INTERRUPTS && this.lives;) {
      if (this.isExecuting) {
        tries++; // one that comes before the first line is lost
        await this.kernel.interrupt().catch(() => undefined);
        await Promise.race([this.current, pause(INTERRUPT_AGAIN_MS)]);
      } else {
        await this.news(LOOK_AGAIN_MS);
        // ipykernel has no answer for a request that is interrupted before its first line.
        await pause(this.isExecuting ? BEGINS_MS : 0);
      }
    }
    return !this.lives;
  }

  private get lives(): boolean {
    return this.runs && !this.isOver;
  }

  async all(): Promise<JSONValue> {
    const finished: string[] = [];
    const timer = setTimeout(() => this.halt(this.ranOut()), this.wish.timeoutMs);
    this.kernel.statusChanged.connect(this.onStatus);
    this.kernel.anyMessage.connect(this.onMessage);
    let last = '';
    let end: End = 'done';
    for (const each of this.wish.cells) {
      last = each.id;
      this.current = this.one(each);
      end = await Promise.race([this.halted, this.current]);
      if (end === 'done' || end === 'failed') {
        finished.push(each.id);
      }
      if (end !== 'done') {
        break;
      }
    }
    clearTimeout(timer);
    const ended = this.endCell().finally(() => this.leave());
    if (end === 'timeout' && !(await ended)) {
      end = 'stuck';
    }
    return this.told(end, finished, end === 'done' ? '' : last);
  }

  private leave(): void {
    this.kernel.statusChanged.disconnect(this.onStatus);
    this.kernel.anyMessage.disconnect(this.onMessage);
  }

  private async one(wanted: IRun['cells'][number]): Promise<End> {
    await this.free();
    const { panel } = this;
    const cell = cellOf(panel, wanted);
    if (this.isHalted || cell === undefined) {
      return 'changed';
    }
    this.cell = wanted.id;
    this.request = '';
    this.isOver = false;
    this.begun.push(wanted.id);
    this.runs = cell.model.type === 'code';
    try {
      const run = this.executor === null ? runCell : this.executor.runCell.bind(this.executor);
      const ok = await run({
        cell,
        notebook: panel.context.model,
        notebookConfig: panel.content.notebookConfig,
        onCellExecuted: () => undefined,
        onCellExecutionScheduled: () => undefined,
        sessionContext: panel.sessionContext
      });
      return ok ? 'done' : 'failed';
    } catch {
      return 'failed'; // what went wrong is in the outputs of the cell
    } finally {
      this.runs = false;
      this.wake();
    }
  }

  /** Wait until the kernel does nothing else: what it has taken cannot be taken back. */
  private async free(): Promise<void> {
    const isBusy = (): boolean =>
      this.kernel.status !== 'idle' || this.panel.sessionContext.pendingInput;
    while (isBusy() && !this.isHalted) {
      await this.news(LOOK_AGAIN_MS);
    }
  }

  /** Something happened, or so long nothing did. */
  private news(limitMs: number): Promise<void> {
    return new Promise<void>(done => {
      this.wake = done;
      setTimeout(done, limitMs);
    });
  }

  private ranOut(): End {
    if (!this.runs) {
      return 'busy';
    }
    return this.isExecuting ? 'timeout' : 'queued';
  }

  /** Whether it is our cell that the kernel works on. */
  private get isExecuting(): boolean {
    return this.executing === this.request && this.request !== '';
  }

  private readonly onStatus = (_: Kernel.IKernelConnection, status: Kernel.Status): void => {
    this.wake();
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
      this.halt('kernel-died');
    }
  };

  /** Which request is that of our cell, and which one does the kernel work on? */
  private readonly onMessage = (
    _: Kernel.IKernelConnection,
    { msg, direction }: Kernel.IAnyMessageArgs
  ): void => {
    if (direction === 'send' && msg.header.msg_type === 'execute_request') {
      if ((msg.metadata as JSONObject).cellId === this.cell) {
        this.request = msg.header.msg_id;
      }
    } else if (direction === 'recv' && msg.header.msg_type === 'execute_input') {
      this.executing = (msg.parent_header as KernelMessage.IHeader).msg_id;
      this.wake();
    } else if (direction === 'recv' && KernelMessage.isStatusMsg(msg)) {
      const { msg_id } = msg.parent_header as KernelMessage.IHeader;
      if (msg.content.execution_state === 'idle' && msg_id === this.request) {
        this.isOver = true;
        this.wake();
      }
    }
  };

  private told(end: End, finished: string[], last: string): JSONValue {
    const { sharedModel } = this.panel.context.model;
    const begun = this.begun.flatMap(id => {
      const position = sharedModel.cells.findIndex(cell => cell.getId() === id);
      return position < 0 ? [] : [{ position, cell: sharedModel.cells[position].toJSON() }];
    });
    const content = {
      cells: begun.map(each => each.cell),
      metadata: sharedModel.getMetadata(),
      nbformat: sharedModel.nbformat,
      nbformat_minor: Math.max(sharedModel.nbformat_minor, FIRST_MINOR_WITH_IDS)
    };
    const positions = begun.map(each => each.position);
    return { end, finished, last, positions, content } as unknown as JSONValue;
  }

  private halt(end: End): void {
    this.isHalted = true;
    this.end(end);
    this.wake();
  }

  private readonly begun: string[] = [];
  private cell = '';
  private request = '';
  private executing = '';
  private runs = false;
  /** The kernel is done with our cell, whether it answers or not. */
  private isOver = false;
  private current: Promise<End> = Promise.resolve<End>('done');
  private isHalted = false;
  private wake: () => void = () => undefined;
  private end: (end: End) => void = () => undefined;
  private readonly halted = new Promise<End>(resolve => (this.end = resolve));
}

/** Here the cells have them, whatever the file does. */
const FIRST_MINOR_WITH_IDS = 5;
const INTERRUPTS = 3;
const INTERRUPT_AGAIN_MS = 1000;
const BEGINS_MS = 250;

/** How often it is looked whether a person has answered an `input()`; of all else the kernel tells. */
const LOOK_AGAIN_MS = 500;

function pause(limitMs: number): Promise<void> {
  return new Promise(done => setTimeout(done, limitMs));
}

function cellOf(panel: NotebookPanel, wanted: IRun['cells'][number]): Cell | undefined {
  const cell = panel.content.widgets.find(each => each.model.id === wanted.id);
  return cell?.model.sharedModel.getSource() === wanted.source ? cell : undefined;
}
