import { CodeCell, ICodeCellModel } from '@jupyterlab/cells';

import type { AgentKernel } from '../kernels/kernel';
import { IPlace, readState } from '../state';
import { widgetsIn } from './outputs';

/**
 * Tells the kernel when a person clears the output of something that runs, or waits for them, so that it is drawn again
 * and has a place for its record.
 *
 * The widgets themselves tell how often they are drawn, but not always: after a reload, and now and then in a page that
 * has much to do, nothing is said of it.
 */
export class Cleared {
  /**
   * @param kernel - the kernel of the notebook.
   * @param holds - whether a place is in the notebook.
   * @param find - the cell of an id, when its outputs come to this page; else another page tells.
   */
  constructor(
    private readonly kernel: AgentKernel,
    private readonly holds: (place: IPlace) => boolean,
    private readonly find: (id: string) => CodeCell | undefined
  ) {
    kernel.changed.connect(() => this.refresh());
  }

  /** Watch the cells in which something runs or waits now, and no others. */
  private refresh(): void {
    const { waiting, steps, running } = readState(this.kernel.state);
    const ids = new Set(
      [...waiting, ...steps, ...running].filter(this.holds).map(({ cell }) => cell)
    );
    const cells = [...ids].flatMap(id => this.find(id) ?? []);
    for (const [model, end] of this.watched) {
      if (!cells.some(cell => cell.model === model)) {
        end();
        this.watched.delete(model);
      }
    }
    for (const { model } of cells) {
      if (!this.watched.has(model)) {
        this.watched.set(model, this.watch(model));
      }
    }
  }

  /** Gives what ends it. */
  private watch({ outputs }: ICodeCellModel): () => void {
    let before = widgetsIn(outputs.toJSON());
    let count = outputs.length;
    const look = (): void => {
      const now = widgetsIn(outputs.toJSON());
      // What only takes the place of widgets, the record of what is over, makes the outputs no fewer.
      const gone = outputs.length < count ? [...before].filter(each => !now.has(each)) : [];
      before = now;
      count = outputs.length;
      gone.forEach(widgets => this.kernel.command('cleared', { widgets }));
    };
    outputs.changed.connect(look);
    return () => void outputs.changed.disconnect(look);
  }

  /** By the model: a cell that is moved has another one, with the same id. */
  private readonly watched = new Map<ICodeCellModel, () => void>();
}
