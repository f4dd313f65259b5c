import { SharedCell, YCodeCell, YNotebook } from '@jupyter/ydoc';

import { apply, Operation, revisionOf } from '../../live/operations';
import {
  byModel,
  plain,
  random,
  someNotebook,
  someOperations
} from '../../live/__tests__/random_operations';
import { readEntries, writeEntries } from '../kept';
import { Ledger } from '../ledger';

// Yjs warns of every cell that is made before it is in its notebook, which is how a notebook makes them.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => undefined));

const open: YNotebook[] = [];

afterEach(() => open.splice(0).forEach(each => each.dispose()));

/** What was done so far cannot be undone. */
function forgetSteps(on: YNotebook): void {
  on.undoManager.clear();
  on.cells.forEach(cell => (cell as YCodeCell).undoManager?.clear());
}

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
  const ledger = new Ledger('me');
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
  const ledger = new Ledger('me');
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
  const ledger = new Ledger('me');
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
  const ledger = new Ledger('me');
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

it('has marks again when what was undone is done again, and not when the person does the like', () => {
  const on = notebook('a', 'b', 'c');
  forgetSteps(on);
  const ledger = new Ledger('me');
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'delete', cell: 'c1' },
    insert('n', 1)
  ]);
  const all = kinds(ledger);
  on.undo();
  ledger.refresh(on, true);
  expect([plain(on).map(cell => cell.source), kinds(ledger)]).toEqual([['a', 'b', 'c'], []]);
  on.redo();
  on.cells[0].undo();
  ledger.refresh(on, true);
  expect(kinds(ledger)).toEqual(['c1 deleted', 'n inserted']);
  on.cells[0].redo();
  ledger.refresh(on, true);
  expect(kinds(ledger)).toEqual(all);
  expect(ledger.lastTurn).toBe('t');
  on.undo();
  ledger.refresh(on, true);
  on.deleteCell(1);
  ledger.refresh(on);
  expect(kinds(ledger)).toEqual([]);
  on.undo();
  on.redo();
  ledger.refresh(on, true);
  expect(kinds(ledger)).toEqual([]);
});

it('is undone and done again with what it took back', () => {
  const on = notebook('a', 'b');
  const code = on.cells[0] as YCodeCell;
  code.setOutputs([{ output_type: 'stream', name: 'stdout', text: '1' }]);
  forgetSteps(on);
  const ledger = new Ledger('me');
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'clear', cell: 'c0' },
    insert('n', 1)
  ]);
  const seen = (): unknown => [plain(on).map(cell => cell.source), code.getOutputs().length];
  const times = [[['a', 'b'], 1], seen()];
  ledger.revert(on, ledger.marks);
  times.push(seen());
  expect(times).toEqual([
    [['a', 'b'], 1],
    [['A', 'new', 'b'], 0],
    [['a', 'b'], 1]
  ]);
  for (const at of [1, 0, 1, 2, 1, 0]) {
    on[on.undoManager.undoStack.length > at ? 'undo' : 'redo']();
    ledger.refresh(on, true);
    expect([at, seen()]).toEqual([at, times[at]]);
  }
});

it('takes restored outputs away again when the way back is undone', () => {
  const on = notebook('a');
  const code = on.cells[0] as YCodeCell;
  code.setOutputs([{ output_type: 'stream', name: 'stdout', text: '1' }]);
  const had = code.getOutputs();
  code.undoManager?.clear();
  const ledger = new Ledger('me');
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'b' },
    { op: 'clear', cell: 'c0' }
  ]);
  ledger.revert(on, ledger.marks);
  expect(code.getOutputs()).toEqual(had);
  code.undo();
  ledger.refresh(on, true);
  expect([code.getSource(), code.getOutputs()]).toEqual(['b', []]);
  code.redo();
  ledger.refresh(on, true);
  expect([code.getSource(), code.getOutputs()]).toEqual(['a', had]);
  code.setOutputs([]); // by hand
  ledger.refresh(on);
  expect(code.getOutputs()).toEqual([]);
});

it('gives a cell its outputs back with its source, unless it was run since', () => {
  const on = notebook('a');
  const code = on.cells[0] as never as { setOutputs(of: unknown[]): void; getOutputs(): unknown[] };
  const output = { output_type: 'stream', name: 'stdout', text: '1' };
  code.setOutputs([output]);
  const had = code.getOutputs();
  const ledger = new Ledger('me');
  edit(on, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'b' },
    { op: 'clear', cell: 'c0' }
  ]);
  expect(code.getOutputs()).toEqual([]);
  ledger.revert(on, ledger.marks);
  expect(code.getOutputs()).toEqual(had);
});

/** Edits at random, each of a turn; those that cannot be made are left out. */
function editAnyhow(on: YNotebook, ledger: Ledger, next: () => number, turns: string[]): void {
  let ids = 0;
  for (const turn of turns) {
    const operations = someOperations(plain(on), next, () => `n${ids++}`, 0);
    if (byModel(plain(on), operations) !== null) {
      edit(on, ledger, turn, operations);
    }
  }
}

it('takes any turn back to what there was', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const on = someNotebook(next);
    const before = plain(on);
    const ledger = new Ledger('me');
    editAnyhow(on, ledger, next, ['t', 't']);
    ledger.revert(on, ledger.marks);
    expect({ seed, cells: plain(on) }).toEqual({ seed, cells: before });
    on.dispose();
  }
});

/** What another page with this notebook knows after it was told. */
function told(on: YNotebook, ledger: Ledger, by = 'other'): Ledger {
  const other = new Ledger(by);
  const { data } = writeEntries(ledger.all);
  other.take(on, readEntries(JSON.parse(JSON.stringify(data))));
  return other;
}

const stamps = (ledger: Ledger): string[] => ledger.marks.map(mark => ledger.stampOf(mark));

it('survives the way through a kernel, and takes back just the same', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const on = someNotebook(next);
    const before = plain(on);
    const ledger = new Ledger('me');
    editAnyhow(on, ledger, next, ['t0', 't1', 't2']);
    ledger.refresh(on);
    const other = told(on, ledger);
    expect({ seed, marks: other.marks }).toEqual({ seed, marks: ledger.marks });
    expect(stamps(other)).toEqual(stamps(ledger));
    other.revert(on, other.marks);
    expect({ seed, cells: plain(on) }).toEqual({ seed, cells: before });
    ledger.take(on, readEntries(writeEntries(other.takeNews()).data));
    expect(ledger.marks).toEqual([]);
    on.dispose();
  }
});

it('never shows or takes back what is not true of the notebook here', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const [there, here] = [someNotebook(random(seed)), someNotebook(random(seed))];
    const ledger = new Ledger('me');
    const operations = someOperations(plain(there), random(seed + 1), () => 'n', 0);
    if (byModel(plain(there), operations) !== null) {
      edit(there, ledger, 't', operations);
    }
    const before = plain(here);
    const other = told(here, ledger); // this one has not got the edit, as after a reload without a save
    expect({ seed, marks: other.marks }).toEqual({ seed, marks: [] });
    other.revert(here, ledger.marks);
    expect(plain(here)).toEqual(before);
    expect(other.takeNews()).toEqual([]);
    there.dispose();
    here.dispose();
  }
});

it('has marks of another page once their edit has arrived, and lets them go for good when they are edited', () => {
  const [there, here] = [notebook('a', 'b'), notebook('a', 'b')];
  const ledger = new Ledger('me');
  edit(there, ledger, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'delete', cell: 'c1' }
  ]);
  const other = told(here, ledger);
  expect(kinds(other)).toEqual([]);
  here.cells[0].setSource('A');
  here.deleteCell(1);
  expect(other.refresh(here)).toBe(true);
  expect(kinds(other)).toEqual(['c0 changed', 'c1 deleted']);
  here.cells[0].setSource('by hand');
  other.refresh(here);
  here.cells[0].setSource('A');
  expect(other.refresh(here)).toBe(false);
  expect(kinds(other)).toEqual(['c1 deleted']);
});

it('goes by what happened last, in whichever order it is told', () => {
  const on = notebook('a', 'b');
  const one = new Ledger('one');
  edit(on, one, 't', [
    { op: 'source', cell: 'c0', source: 'A' },
    { op: 'source', cell: 'c1', source: 'B' }
  ]);
  const first = one.takeNews();
  const two = told(on, one, 'two');
  two.accept(two.marks.filter(mark => mark.cell === 'c0'));
  const second = two.takeNews();
  expect(second.map(entry => entry.mark)).toEqual([null]);
  for (const order of [
    [...first, ...second],
    [...second, ...first]
  ]) {
    const third = new Ledger('three');
    third.take(on, order);
    expect(kinds(third)).toEqual(['c1 changed']);
  }
  one.take(on, second);
  expect(kinds(one)).toEqual(['c1 changed']);
  edit(on, one, 'u', [{ op: 'source', cell: 'c0', source: 'AA' }]);
  two.take(on, one.takeNews());
  expect(kinds(two)).toEqual(['c0 changed', 'c1 changed']);
});

it('leaves out what is too much, the earliest first, and what is no entry', () => {
  const on = notebook('a'.repeat(900), 'b', 'c');
  const ledger = new Ledger('me');
  edit(on, ledger, 't', [{ op: 'source', cell: 'c0', source: 'A' }]);
  edit(on, ledger, 't', [{ op: 'source', cell: 'c1', source: 'B' }]);
  const { data, leftOut } = writeEntries(ledger.all, 600);
  expect(leftOut).toBe(1);
  expect(readEntries(data).map(entry => entry.cell)).toEqual(['c1']);
  const [good] = data.entries as never[];
  const bad = [
    null,
    { ...(good as object), number: '1' },
    { ...(good as object), mark: { kind: 'changed' } },
    { ...(good as object), cell: 'c2' }
  ];
  expect(readEntries({ ...data, entries: [...bad, good] as never })).toHaveLength(1);
  expect(readEntries({ ...data, form: 2 })).toEqual([]);
  expect(readEntries('x')).toEqual([]);
});
