import { CodeCell } from '@jupyterlab/cells';
import { IOutput } from '@jupyterlab/nbformat';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONExt, JSONObject } from '@lumino/coreutils';

const WIDGET = 'application/vnd.jupyter.widget-view+json';

/** Between two looks whether the page has the widgets of an output by now. */
const LOOK_MS = 100;

/** The outputs of one cell that another page began to run, or this one before it was loaded anew. */
export class GoingOn {
  /**
   * @param cell - the cell.
   * @param kernel - the connection of its notebook.
   * @param count - its number once it is over, `null` when it is over and only something of it is still drawn.
   */
  constructor(
    readonly cell: CodeCell,
    private readonly kernel: Kernel.IKernelConnection,
    private readonly count: number | null
  ) {
    const { model } = cell;
    if (count !== null) {
      if (model.executionCount !== null) {
        model.clearExecution(); // what was saved is of an earlier run
      }
      model.executionState = 'running';
    }
    if (!model.trusted) {
      // What the kernel shows is as trusted as in a page that runs the cell; what a file says is not.
      const plain = model.outputs.toJSON().filter(each => each.output_type === 'stream');
      model.outputs.fromJSON(plain);
      model.trusted = true;
    }
    model.outputs.changed.connect(() => {
      if (model.outputs.length === 0) {
        this.places.clear(); // a person has cleared them: what comes now stands elsewhere
      }
    });
  }

  /** Whether this page has run the cell itself meanwhile: then its outputs come by themselves. */
  get isOver(): boolean {
    return this.cell.isDisposed || isOwn(this.cell);
  }

  /**
   * Draw what stands under a display id.
   *
   * A page that was loaded anew has no widgets before it has asked the kernel for them. Who draws them before that
   * waits for them a while, and may give up for good just when they come: until then only what stands for them is drawn.
   */
  put(display: string, data: JSONObject): void {
    this.awaited.delete(display);
    if (this.hasWidgetsOf(data)) {
      this.draw(display, data);
      return;
    }
    const { [WIDGET]: _, ...rest } = data;
    this.draw(display, rest);
    this.awaited.set(display, data);
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
  }

  /** Draw the widgets that the page has by now. */
  private look(): void {
    for (const [display, data] of this.isOver ? [] : this.awaited) {
      if (this.hasWidgetsOf(data)) {
        this.awaited.delete(display);
        this.draw(display, data);
      }
    }
    if (this.awaited.size === 0 || this.isOver) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  private hasWidgetsOf(data: JSONObject): boolean {
    const view = data[WIDGET] as { model_id?: unknown } | undefined;
    return typeof view?.model_id !== 'string' || this.kernel.hasComm(view.model_id);
  }

  private draw(display: string, data: JSONObject): void {
    const { outputs } = this.cell.model;
    const output = { output_type: 'display_data', data, metadata: {} } as IOutput;
    const at = this.places.get(display) ?? this.savedPlace(data);
    if (at !== null && at < outputs.length) {
      outputs.set(at, output);
      this.places.set(display, at);
    } else {
      outputs.add(output);
      this.places.set(display, outputs.length - 1);
    }
  }

  has(display: string): boolean {
    return this.places.has(display);
  }

  /** Take a message of the cell; whether it was the last one. */
  take(message: KernelMessage.IIOPubMessage): boolean {
    const { model } = this.cell;
    const content = message.content as JSONObject;
    const type = message.header.msg_type as string;
    if (type === 'clear_output') {
      this.isClearDue = true;
      if (content.wait !== true) {
        this.clearIfDue();
      }
    } else if (type === 'status' && content.execution_state === 'idle') {
      this.end(this.count);
      return true;
    } else if (['stream', 'error', 'execute_result', 'display_data'].includes(type)) {
      const { transient, ...rest } = content;
      const display = displayOf(transient);
      this.clearIfDue();
      if (type === 'display_data' && display && this.has(display)) {
        // What takes the place of widgets that nobody shows comes as a display of its own.
        this.put(display, rest.data as JSONObject);
      } else {
        model.outputs.add({ ...rest, output_type: type } as IOutput);
        if (display) {
          this.places.set(display, model.outputs.length - 1);
        }
      }
    }
    return false;
  }

  /** Nothing goes on: the kernel went away. */
  forget(): void {
    this.awaited.clear();
    this.end(null);
  }

  /** The cell is over: as a number says it, or without one when nobody knows how. */
  private end(count: number | null): void {
    if (this.count !== null && !this.isOver) {
      this.cell.model.executionState = 'idle';
      this.cell.model.executionCount = count;
    }
  }

  private clearIfDue(): void {
    if (this.isClearDue) {
      this.isClearDue = false;
      this.places.clear();
      this.awaited.clear();
      this.cell.model.outputs.clear();
    }
  }

  /** Where the notebook, saved while the cell ran, has what now goes on. */
  private savedPlace(data: JSONObject): number | null {
    const taken = new Set(this.places.values());
    const outputs = this.cell.model.outputs.toJSON();
    const isSame =
      (key: string) =>
      (each: IOutput, at: number): boolean => {
        const saved = each.output_type === 'display_data' && (each.data as JSONObject);
        return (
          saved && !taken.has(at) && key in data && JSONExt.deepEqual(saved[key] ?? null, data[key])
        );
      };
    const at = outputs.map(isSame(WIDGET)).lastIndexOf(true);
    const found = at < 0 ? outputs.map(isSame('text/plain')).lastIndexOf(true) : at;
    return found < 0 ? null : found;
  }

  private readonly places = new Map<string, number>();
  private readonly awaited = new Map<string, JSONObject>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private isClearDue = false;
}

/** Whether this page has run a cell itself. */
export function isOwn(cell: CodeCell): boolean {
  return cell.outputArea.future !== null && cell.outputArea.future !== undefined;
}

/** The ids of the widgets that outputs show. */
export function widgetsIn(outputs: readonly IOutput[]): Set<string> {
  const views = outputs.map(each => (each.data as JSONObject | undefined)?.[WIDGET]);
  const ids = views.map(view => (view as { model_id?: unknown } | undefined)?.model_id);
  return new Set(ids.filter((id): id is string => typeof id === 'string'));
}

/** The display id of a message's content. */
export function displayOf(transient: unknown): string {
  const id = (transient as { display_id?: unknown } | undefined)?.display_id;
  return typeof id === 'string' ? id : '';
}
