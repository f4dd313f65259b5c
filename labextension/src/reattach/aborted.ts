import type * as nbformat from '@jupyterlab/nbformat';
import { Cell, CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';

import { TRACE_MIME_TYPE } from '../trace/model';

interface IKept {
  outputs: nbformat.IOutput[];
  count: nbformat.ExecutionCount;
}

/**
 * A cell that is to run loses its outputs at once, and when a cell before it fails it never runs. Nobody took its record
 * away, so it comes back: without it the model would be asked again the next time.
 */
export function keepRecordsOfAborted(): void {
  const kept = new WeakMap<ICodeCellModel, IKept>();
  NotebookActions.executionScheduled.connect((_, { cell }) => {
    const outputs = isCode(cell) ? cell.model.outputs.toJSON() : [];
    if (isCode(cell) && outputs.some(isRecord)) {
      kept.set(cell.model, { outputs, count: cell.model.executionCount });
    }
  });
  NotebookActions.executed.connect((_, { cell, success }) => {
    if (!isCode(cell) || cell.isDisposed) {
      return;
    }
    const { model } = cell;
    const before = kept.get(model);
    kept.delete(model);
    if (before && !success && !model.executionCount && model.outputs.length === 0) {
      model.outputs.fromJSON(before.outputs);
      model.executionCount = before.count;
    }
  });
}

function isCode(cell: Cell): cell is CodeCell {
  return cell instanceof CodeCell;
}

function isRecord(output: nbformat.IOutput): boolean {
  return TRACE_MIME_TYPE in ((output.data as object | undefined) ?? {});
}
