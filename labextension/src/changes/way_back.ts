import type { SharedCell } from '@jupyter/ydoc';

import { Operation } from '../live/operations';
import { IMark, IWas, sayOfContent } from './mark';

/** The position in `ids` after the last one that stood before the cell and is still there. */
function placeAfter(ids: readonly string[], { order, position }: IWas): number {
  for (let at = position - 1; at >= 0; at--) {
    const found = ids.indexOf(order[at]);
    if (found >= 0) {
      return found + 1;
    }
  }
  return 0;
}

/** The operations that take changes back, and the order that comes of them. */
export function wayBack(
  order: readonly string[],
  marks: readonly IMark[]
): { operations: Operation[]; ids: string[] } {
  const ids = [...order];
  const there = new Set(order);
  marks = marks.filter(mark => there.has(mark.cell) === (mark.kind !== 'deleted'));
  const operations: Operation[] = [];
  const remove = (cell: string): number => {
    operations.push({ op: 'delete', cell });
    const at = ids.indexOf(cell);
    ids.splice(at, 1);
    return at;
  };
  const insert = (index: number, content: SharedCell.Cell): void => {
    operations.push({ op: 'insert', index, content });
    ids.splice(index, 0, String(content.id));
  };
  for (const mark of marks.filter(each => each.was === null)) {
    remove(mark.cell);
  }
  // From the top on, so that what stood before a cell is there again when its own turn comes.
  const rest = marks.flatMap(({ kind, moved, cell, was }) =>
    was ? [{ kind, moved, cell, was }] : []
  );
  rest.sort((one, other) => one.was.position - other.was.position);
  for (const { kind, moved, cell, was } of rest) {
    if (kind === 'deleted') {
      insert(placeAfter(ids, was), was.content);
    } else if (kind === 'retyped') {
      const at = remove(cell);
      insert(moved ? placeAfter(ids, was) : at, was.content);
    } else {
      const at = ids.indexOf(cell);
      ids.splice(at, 1);
      const index = moved ? placeAfter(ids, was) : at;
      ids.splice(index, 0, cell);
      if (index !== at) {
        operations.push({ op: 'move', cell, index });
      }
      operations.push({ op: 'source', cell, source: sayOfContent(was.content).source });
    }
  }
  return { operations, ids };
}
