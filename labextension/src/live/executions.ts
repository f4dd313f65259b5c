/**
 * Cells that run, or wait to, while they are taken out of a notebook and put in elsewhere.
 *
 * To move a cell is to delete it and to insert another one with the same id. What the kernel goes on to say would be
 * lost with the first one, so it is handed on to the other.
 */
import type * as nbformat from '@jupyterlab/nbformat';
import { CodeCell } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';

import { Refusal } from '../protocol';

type Future = Kernel.IShellFuture<KernelMessage.IExecuteRequestMsg, KernelMessage.IExecuteReplyMsg>;

interface IExecution {
  id: string;
  cell: CodeCell;
  future: Future;
  isRunning: boolean;
  outputs: nbformat.IOutput[];
  /** Which outputs are updated by which name; a part of the application that it does not hand on itself. */
  displays: Displays;
}

type Displays = readonly (readonly [name: string, at: readonly number[]])[];

/** Do something that may move these cells, and keep what their kernel says of them. */
export function keepExecutions<T>(
  notebook: Notebook,
  ids: ReadonlySet<string>,
  change: () => T
): T {
  const cells = codeCells(notebook).filter(cell => ids.has(cell.model.id));
  for (const cell of cells) {
    if (cell.outputArea.pendingInput) {
      throw new Refusal('failed', `cell ${cell.model.id} waits for an input and cannot be moved`);
    }
    if (isRunning(cell) && !canHandOn(cell)) {
      throw new Refusal('failed', `cell ${cell.model.id} runs and cannot be moved in this page`);
    }
  }
  const kept = detach(cells);
  const active = notebook.activeCell?.model.id;
  try {
    return change();
  } finally {
    attach(notebook, kept);
    const now = notebook.widgets.findIndex(cell => cell.model.id === active);
    if (now >= 0 && now !== notebook.activeCellIndex) {
      notebook.activeCellIndex = now; // the keyboard stays where it was
    }
  }
}

/**
 * Keep what updates the outputs of cells that a person moves. The application hands on what the kernel goes on to say,
 * and not which output is meant by which name: what takes the place of another output would be lost. Ends with the
 * notebook.
 */
export function keepDisplaysOfMoves(notebook: Notebook): void {
  const move = notebook.moveCell.bind(notebook);
  notebook.moveCell = (from: number, to: number, n = 1): void => {
    const moved = new Set(notebook.widgets.slice(from, from + n));
    const kept = codeCells(notebook)
      .filter(cell => moved.has(cell))
      .map(cell => ({ id: cell.model.id, cell, displays: displaysIn(cell) }));
    move(from, to, n);
    for (const { id, cell: old, displays } of kept) {
      const cell = codeCells(notebook).find(each => each.model.id === id);
      if (cell !== undefined && cell !== old) {
        handOn(displays, cell);
      }
    }
  };
}

/** Keep it also when a move is undone or done again. Ends with the notebook. */
export function keepExecutionsOfUndo(notebook: Notebook): void {
  const shared = notebook.model?.sharedModel as unknown as {
    ydoc?: { on(name: string, call: (transaction: { origin: unknown }) => void): void };
    undoManager?: unknown;
  };
  let kept: IExecution[] = [];
  shared?.ydoc?.on('beforeTransaction', ({ origin }) => {
    if (origin === shared.undoManager && !notebook.isDisposed) {
      kept.push(...detach(codeCells(notebook).filter(isRunning)));
    }
  });
  shared?.ydoc?.on('afterAllTransactions', () => {
    const those = kept;
    kept = [];
    if (those.length > 0 && !notebook.isDisposed) {
      attach(notebook, those);
    }
  });
}

function codeCells(notebook: Notebook): CodeCell[] {
  return notebook.widgets.filter((cell): cell is CodeCell => cell instanceof CodeCell);
}

function isRunning(cell: CodeCell): boolean {
  return cell.model.executionState === 'running';
}

/** Releases of the application before 4.5 or so know no way. */
function canHandOn({ outputArea }: CodeCell): boolean {
  return typeof (outputArea as { detachFuture?: unknown }).detachFuture === 'function';
}

function detach(cells: readonly CodeCell[]): IExecution[] {
  return cells.filter(canHandOn).flatMap(cell => {
    const running = isRunning(cell);
    const displays = displaysIn(cell);
    const outputs = cell.model.outputs.toJSON();
    const future = cell.outputArea.detachFuture();
    return future
      ? [{ id: cell.model.id, cell, future, isRunning: running, outputs, displays }]
      : [];
  });
}

function attach(notebook: Notebook, kept: readonly IExecution[]): void {
  for (const { id, cell: old, future, isRunning: running, outputs, displays } of kept) {
    const cell = codeCells(notebook).find(each => each.model.id === id);
    if (cell === undefined) {
      future.dispose(); // it was deleted
      continue;
    }
    if (cell !== old) {
      if (cell.model.outputs.length !== outputs.length) {
        cell.model.outputs.fromJSON(outputs); // an undo brings back those of an earlier time
      }
      handOn(displays, cell);
    }
    cell.outputArea.reattachFuture(future);
    if (cell !== old && running) {
      cell.model.executionState = 'running';
      endWith(cell, future);
    }
  }
}

/** Whoever began to run the first cell tells only that one that it is over. */
function endWith(cell: CodeCell, future: Future): void {
  void future.done.then(
    reply => {
      if (!cell.isDisposed && cell.outputArea.future === future) {
        cell.model.executionCount = reply?.content.execution_count ?? null;
        cell.model.executionState = 'idle';
      }
    },
    () => {
      if (!cell.isDisposed && cell.outputArea.future === future) {
        cell.model.executionState = 'idle';
      }
    }
  );
}

function displaysIn(cell: CodeCell): Displays {
  return [...(displaysOf(cell) ?? [])].map(([name, at]) => [name, [...at]]);
}

function handOn(displays: Displays, cell: CodeCell): void {
  displays.forEach(([name, at]) => displaysOf(cell)?.set(name, [...at]));
}

function displaysOf({ outputArea }: CodeCell): Map<string, number[]> | undefined {
  const { _displayIdMap: map } = outputArea as unknown as { _displayIdMap?: unknown };
  return map instanceof Map ? (map as Map<string, number[]>) : undefined;
}
