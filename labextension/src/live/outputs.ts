/** The outputs of a cell that go and come with its text. Undo of the application does not know of them. */
import type { ISharedCell, ISharedCodeCell } from '@jupyter/ydoc';

export type Ran = Pick<ISharedCodeCell, 'execution_count'> & {
  outputs: ReturnType<ISharedCodeCell['getOutputs']>;
};

/** Those of a cell, `null` for a cell that has none. */
export function outputsOf(cell: ISharedCell): Ran | null {
  const code = cell as ISharedCodeCell;
  return cell.cell_type === 'code' && hasAny(code)
    ? { outputs: code.getOutputs(), execution_count: code.execution_count }
    : null;
}

/** The outputs that a cell had lost with its source, where it was not run since. Says whether there were any. */
export function restoreOutputs(cell: ISharedCodeCell, ran: Ran): boolean {
  if (hasAny(cell)) {
    return false;
  }
  setOutputs(cell, ran);
  return hasAny(cell);
}

export function setOutputs(cell: ISharedCodeCell, ran: Ran | null): void {
  cell.setOutputs(ran?.outputs ?? []);
  cell.execution_count = ran?.execution_count ?? null;
}

/** Whether a cell has just these. */
export function hasOutputs(cell: ISharedCodeCell, ran: Ran): boolean {
  return (
    cell.execution_count === (ran.execution_count ?? null) &&
    JSON.stringify(cell.getOutputs()) === JSON.stringify(ran.outputs ?? [])
  );
}

function hasAny(cell: ISharedCodeCell): boolean {
  return cell.getOutputs().length > 0 || cell.execution_count !== null;
}
