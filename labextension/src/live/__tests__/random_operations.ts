/** Random lists of operations, and what a plain array becomes by them. */
import { YNotebook } from '@jupyter/ydoc';

import { Operation } from '../operations';

export interface IPlain {
  id: string;
  type: string;
  source: string;
}

/** A generator of numbers below 1 that gives the same ones for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Some operations for these cells. About one list in three asks for something that is not there.
 *
 * @param fresh - gives ids of new cells.
 */
export function someOperations(
  cells: readonly IPlain[],
  next: () => number,
  fresh: () => string,
  flaw = 0.05
): Operation[] {
  const ids = cells.map(cell => cell.id);
  const pick = (): string => (next() < flaw ? 'nowhere' : ids[Math.floor(next() * ids.length)]);
  const index = (most: number): number => Math.floor(next() * (most + (next() < flaw ? 3 : 1)));
  const made: Operation[] = [];
  for (let count = Math.floor(next() * 9); count > 0 && ids.length > 0; count--) {
    const cell = pick();
    const source = `s${Math.floor(next() * 5)}`;
    switch (Math.floor(next() * 6)) {
      case 0: {
        const id = next() < flaw ? ids[0] : fresh();
        const at = index(ids.length);
        made.push({
          op: 'insert',
          index: at,
          content: { cell_type: 'code', id, source, metadata: {}, outputs: [] } as never
        });
        ids.splice(at, 0, id);
        break;
      }
      case 1:
        made.push({ op: 'delete', cell });
        if (ids.includes(cell)) {
          ids.splice(ids.indexOf(cell), 1);
        }
        break;
      case 2: {
        const at = index(ids.length - 1);
        made.push({ op: 'move', cell, index: at });
        if (ids.includes(cell)) {
          ids.splice(ids.indexOf(cell), 1);
          ids.splice(at, 0, cell);
        }
        break;
      }
      case 3:
        made.push({ op: 'retype', cell, to: next() < 0.5 ? 'markdown' : 'code', source });
        break;
      case 4:
        made.push({ op: 'clear', cell });
        break;
      default:
        made.push({ op: 'source', cell, source });
    }
  }
  return made;
}

/** What the cells become, `null` when something cannot be done. */
export function byModel(
  cells: readonly IPlain[],
  operations: readonly Operation[]
): IPlain[] | null {
  const now = cells.map(cell => ({ ...cell }));
  const at = (id: string): number => now.findIndex(cell => cell.id === id);
  const later = (each: Operation): boolean => each.op === 'source';
  for (const each of [...operations.filter(e => !later(e)), ...operations.filter(later)]) {
    if (each.op === 'insert') {
      const id = String(each.content.id);
      if (at(id) >= 0 || each.index > now.length) {
        return null;
      }
      now.splice(each.index, 0, { id, type: 'code', source: String(each.content.source) });
      continue;
    }
    const index = at(each.cell);
    if (index < 0) {
      return null;
    }
    if (each.op === 'delete') {
      now.splice(index, 1);
    } else if (each.op === 'move') {
      const [moved] = now.splice(index, 1);
      if (each.index > now.length) {
        return null;
      }
      now.splice(each.index, 0, moved);
    } else if (each.op === 'retype') {
      now[index] = { id: each.cell, type: each.to, source: each.source };
    } else if (each.op === 'source') {
      now[index].source = each.source;
    }
  }
  return now;
}

export function plain(notebook: YNotebook): IPlain[] {
  return notebook.cells.map(cell => ({
    id: cell.getId(),
    type: cell.cell_type,
    source: cell.getSource()
  }));
}

export function someNotebook(next: () => number): YNotebook {
  const notebook = new YNotebook({ disableDocumentWideUndoRedo: true });
  const count = 1 + Math.floor(next() * 7);
  for (let at = 0; at < count; at++) {
    const more = next() < 0.5 ? { cell_type: 'code', outputs: [] } : { cell_type: 'markdown' };
    notebook.addCell({ id: `c${at}`, source: `s${at}`, metadata: {}, ...more } as never);
  }
  notebook.undoManager.clear();
  return notebook;
}
