import { Notebook } from '@jupyterlab/notebook';

import { Operation } from './operations';

/**
 * Carry out operations that may delete the cell in which a person writes.
 *
 * The notebook would put the cursor into another cell, and what the person goes on to type would land there. Nor may
 * the keyboard stay with the notebook: its shortcuts are single letters, and some delete cells.
 */
export function leaveDeleted<T>(
  notebook: Notebook,
  operations: readonly Operation[],
  change: () => T
): T {
  const active = notebook.activeCell;
  const isDeleted = operations.some(each => each.op === 'delete' && each.cell === active?.model.id);
  const writes = notebook.mode === 'edit' && active?.node.contains(document.activeElement);
  if (!isDeleted || !writes) {
    return change();
  }
  notebook.mode = 'command';
  leave(notebook);
  try {
    const made = change();
    leave(notebook);
    return made;
  } catch (error) {
    notebook.mode = 'edit'; // it stays, and so does the person
    throw error;
  }
}

function leave({ node }: Notebook): void {
  const at = document.activeElement;
  if (at instanceof HTMLElement && node.contains(at)) {
    at.blur();
  }
}
