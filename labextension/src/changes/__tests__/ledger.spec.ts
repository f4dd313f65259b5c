import { SharedCell, YNotebook } from '@jupyter/ydoc';

import { apply, Operation, revisionOf } from '../../live/operations';
import {
  byModel,
  plain,
  random,
  someNotebook,
  someOperations
} from '../../live/__tests__/random_operations';
import { Ledger } from '../ledger';

// Yjs warns of every cell that is made before it is in its notebook, which is how a notebook makes them.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => undefined));

const open: YNotebook[] = [];

afterEach(() => open.splice(0).forEach(each => each.dispose()));

function notebook(...sources: string[]): YNotebook {
  const made = new YNotebook({ disableDocumentWideUndoRedo: true });
  open.push(made);
  sources.forEach((source, at) =>
    made.addCell({ cell_type: 'code', id: `c${at}`, source, metadata: {}, outputs: [] } as never)
  );
  return made;
}

/** A tool's edit, noted as the page does it. */
function edit(on: YNotebook, ledger: Ledger, turn: string, operations: Operation[]): void {
  const order = on.cells.map(cell => cell.getId());
  const touched = new Set(operations.flatMap(each => ('cell' in each ? [each.cell] : [])));
  const before = new Map(
    on.cells
      .filter(cell => touched.has(cell.getId()))
      .map(cell => [cell.getId(), cell.toJSON() as SharedCell.Cell])
  );
  apply(on, operations, revisionOf(on));
  const inserted = operations.flatMap(e => (e.op === 'insert' ? [String(e.content.id)] : []));
  const moved = operations.flatMap(e => (e.op === 'move' ? [e.cell] : []));
  ledger.note(on, { turn, order, before, inserted, moved });
}

const insert = (id: string, index: number): Operation => ({
  op: 'insert',
  index,
  content: { cell_type: 'code', id, source: 'new', metadata: {}, outputs: [] } as never
});

const kinds = (ledger: Ledger): string[] =>
  ledger.marks.map(mark => `${mark.cell} ${mark.kind}`).sort();

it('says what was done to each cell', () => {
  const on = notebook('a', 'b', 'c', 'd');
  const ledger = new Ledger();
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'delete', cell: 'c1' },
    { op: 'move', cell: 'c3', index: 0 },
    { op: 'retype', cell: 'c2', to: 'markdown', source: '# c' },
    insert('n', 1)
  ]);
  expect(kinds(ledger)).toEqual([
    'c0 changed',
    'c1 deleted',
    'c2 retyped',
    'c3 moved',
    'n inserted'
  ]);
  expect(ledger.revert(on, ledger.ofTurn('t'))).toEqual({ reverted: 5, edited: 0 });
  expect(plain(on).map(cell => cell.source)).toEqual(['a', 'b', 'c', 'd']);
  expect(ledger.marks).toEqual([]);
});

it('compares with the time before the first of several edits', () => {
  const on = notebook('a');
  const ledger = new Ledger();
  edit(on, ledger, 't', [{ op: 'source', cell: 'c0', source: 'b' }, insert('n', 1)]);
  edit(on, ledger, 'u', [
    { op: 'source', cell: 'c0', source: 'c' },
    { op: 'delete', cell: 'n' }
  ]);
  expect(kinds(ledger)).toEqual(['c0 changed']);
  ledger.revert(on, ledger.marks);
  expect(plain(on).map(cell => cell.source)).toEqual(['a']);
});

it('leaves a cell alone that the person has edited since, and says so', () => {
  const on = notebook('a', 'b');
  const ledger = new Ledger();
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'source', cell: 'c1', source: 'B' }
  ]);
  const marks = ledger.ofTurn('t');
  on.cells[0].setSource('by hand');
  expect(ledger.revert(on, marks)).toEqual({ reverted: 1, edited: 1 });
  expect(plain(on).map(cell => cell.source)).toEqual(['by hand', 'b']);
});

it('forgets what was undone by hand', () => {
  const on = notebook('a', 'b');
  on.undoManager.clear();
  const ledger = new Ledger();
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'delete', cell: 'c1' }
  ]);
  on.undo();
  on.cells[0].setSource('a');
  expect(ledger.refresh(on)).toBe(true);
  expect(ledger.marks).toEqual([]);
  expect(ledger.refresh(on)).toBe(false);
});

it('gives a cell its outputs back with its source, unless it was run since', () => {
  const on = notebook('a');
  const code = on.cells[0] as never as { setOutputs(of: unknown[]): void; getOutputs(): unknown[] };
  const output = { output_type: 'stream', name: 'stdout', text: '1' };
  code.setOutputs([output]);
  const had = code.getOutputs();
  const ledger = new Ledger();
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'b' },
    { op: 'clear', cell: 'c0' }
  ]);
  expect(code.getOutputs()).toEqual([]);
  ledger.revert(on, ledger.marks);
  expect(code.getOutputs()).toEqual(had);
});

it('takes any turn back to what there was', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const on = someNotebook(next);
    const before = plain(on);
    const ledger = new Ledger();
    let ids = 0;
    for (let turn = 0; turn < 2; turn++) {
      const operations = someOperations(plain(on), next, () => `n${ids++}`, 0);
      if (byModel(plain(on), operations) !== null) {
        edit(on, ledger, 't', operations);
      }
    }
    ledger.revert(on, ledger.marks);
    expect({ seed, cells: plain(on) }).toEqual({ seed, cells: before });
    on.dispose();
  }
});
