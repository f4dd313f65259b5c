import { Cell } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';
import { MessageLoop } from '@lumino/messaging';
import { PanelLayout } from '@lumino/widgets';

import { cursorIn } from './cursor';
import { Operation } from './operations';

/**
 * Carry out operations on the cell in which a person writes, among others: what they go on to type lands where they
 * mean it, or nowhere.
 */
export function keepWriting<T>(
  notebook: Notebook,
  operations: readonly Operation[],
  change: () => T
): T {
  const active = notebook.activeCell;
  const own = operations.flatMap(each =>
    'cell' in each && each.cell === active?.model.id ? [each.op] : []
  );
  if (active === null || own.length === 0 || notebook.mode !== 'edit') {
    return change();
  }
  if (own.includes('delete') && active.node.contains(document.activeElement)) {
    return leaveDeleted(notebook, change);
  }
  const isPutIn = own.some(op => op === 'retype' || op === 'move');
  return isWrittenIn(active) ? goOn(notebook, active, isPutIn, change) : change();
}

/**
 * The notebook would put the cursor into another cell, and what the person goes on to type would land there. Nor may
 * the keyboard stay with the notebook: its shortcuts are single letters, and some delete cells.
 */
function leaveDeleted<T>(notebook: Notebook, change: () => T): T {
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

/**
 * The cell stays: so does the cursor.
 *
 * @param isPutIn - whether it is taken out and put in anew, as another widget with another editor.
 */
function goOn<T>(notebook: Notebook, active: Cell, isPutIn: boolean, change: () => T): T {
  const { id, sharedModel } = active.model;
  const before = sharedModel.getSource();
  const at = active.editor?.getOffsetAt(active.editor.getCursorPosition()) ?? 0;
  if (isPutIn) {
    notebook.mode = 'command'; // else the cell next to it would be opened for writing meanwhile
  }
  try {
    return change();
  } finally {
    const index = notebook.widgets.findIndex(cell => cell.model.id === id);
    if (index >= 0) {
      const cell = notebook.widgets[index];
      if (cell !== active) {
        attach(notebook, cell, index);
      }
      notebook.mode = 'edit';
      MessageLoop.flush(); // a heading that is drawn anew takes the cursor to its first word
      const after = cell.model.sharedModel.getSource();
      if (cell !== active || after !== before) {
        setCursor(cell, cursorIn(before, after, at));
      }
      cell.editor?.focus();
      if (!isWrittenIn(cell)) {
        notebook.mode = 'command';
      }
    }
  }
}

/** At once, and not when the notebook comes to draw it: a key that is pressed till then would be lost. */
function attach(notebook: Notebook, cell: Cell, index: number): void {
  cell.dataset.windowedListIndex = String(index);
  (notebook.layout as PanelLayout).insertWidget(index, cell);
  notebook.activeCellIndex = index;
}

function setCursor({ editor }: Cell, at: number): void {
  const position = editor?.getPositionAt(at);
  if (position) {
    editor?.setCursorPosition(position, { scroll: false });
  }
}

function isWrittenIn({ editor }: Cell): boolean {
  return editor?.host.contains(document.activeElement) ?? false;
}
