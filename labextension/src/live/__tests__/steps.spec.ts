import { YCodeCell, YNotebook } from '@jupyter/ydoc';

import { apply, Operation, revisionOf } from '../operations';
import { byModel, plain, random, someOperations } from './random_operations';

// Yjs warns of every cell that is made before it is in its notebook, which is how a notebook makes them.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => undefined));

const open: YNotebook[] = [];

afterEach(() => open.splice(0).forEach(each => each.dispose()));

function notebook(...sources: string[]): YNotebook {
  return made(true, sources);
}

function made(disableDocumentWideUndoRedo: boolean, sources: string[]): YNotebook {
  const on = new YNotebook({ disableDocumentWideUndoRedo });
  open.push(on);
  sources.forEach((source, at) =>
    on.addCell({ cell_type: 'code', id: `c${at}`, source, metadata: {}, outputs: [] } as never)
  );
  on.undoManager.clear();
  on.cells.forEach(cell => cell.undoManager?.clear());
  return on;
}

const edit = (on: YNotebook, ...operations: Operation[]): void =>
  apply(on, operations, revisionOf(on));
const source = (cell: string, text: string): Operation => ({ op: 'source', cell, source: text });
const insert = (id: string, index: number): Operation => ({
  op: 'insert',
  index,
  content: { cell_type: 'code', id, source: 'new', metadata: {}, outputs: [] } as never
});
const texts = (on: YNotebook): string[] => on.cells.map(cell => cell.getSource());
const cellOf = (on: YNotebook, id: string): YCodeCell =>
  on.cells.find(cell => cell.getId() === id) as YCodeCell;

/** Type at the end of a cell; what is typed later is a step of its own. */
function type(on: YNotebook, id: string, text: string): void {
  const cell = cellOf(on, id);
  cell.undoManager?.stopCapturing();
  cell.updateSource(cell.getSource().length, cell.getSource().length, text);
}

/** What a person does, in a word or two, beginning with what a tool has done. */
const ALL: Operation[] = [
  source('c0', 'A'),
  insert('n', 1),
  { op: 'delete', cell: 'c1' },
  { op: 'move', cell: 'c2', index: 0 }
];
const DONE = ['c', 'A', 'new', 'd'];
const START = ['a', 'b', 'c', 'd'];

describe.each([
  ['an undo of each cell', true],
  ['one undo for all', false]
])('with %s', (_, isOfCells) => {
  it('takes all of an edit back in one step, and does it again', () => {
    const on = made(isOfCells, START);
    edit(on, ...ALL);
    for (let time = 0; time < 3; time++) {
      expect(texts(on)).toEqual(DONE);
      on.undo();
      expect(texts(on)).toEqual(START);
      on.redo();
    }
    expect(on.toJSON().cells.map(cell => Object.keys(cell).sort())).toEqual(
      DONE.map(() => ['cell_type', 'execution_count', 'id', 'metadata', 'outputs', 'source'])
    );
  });

  it('takes two edits back one after the other', () => {
    const on = made(isOfCells, ['a', 'b']);
    edit(on, source('c0', 'A'), source('c1', 'B'));
    edit(on, source('c0', 'AA'));
    on.undo();
    expect(texts(on)).toEqual(['A', 'B']);
    on.undo();
    expect(texts(on)).toEqual(['a', 'b']);
    on.redo();
    on.redo();
    expect(texts(on)).toEqual(['AA', 'B']);
  });
});

it('leaves what was typed before, and what is typed after', () => {
  const on = notebook('a', 'b');
  type(on, 'c0', '1');
  edit(on, source('c0', 'A'), source('c1', 'B'));
  on.undo();
  expect(texts(on)).toEqual(['a1', 'b']);
  cellOf(on, 'c0').undo();
  expect(texts(on)).toEqual(['a', 'b']);
  cellOf(on, 'c0').redo();
  on.redo();
  type(on, 'c1', '2');
  on.undo();
  expect(texts(on)).toEqual(['a1', 'B2']);
  cellOf(on, 'c1').undo();
  cellOf(on, 'c1').undo();
  expect(texts(on)).toEqual(['a1', 'b']);
});

it('goes with the undo of the cell, in any order', () => {
  const on = notebook('a', 'b');
  edit(on, source('c0', 'A'), source('c1', 'B'));
  const cell = cellOf(on, 'c0');
  for (let time = 0; time < 3; time++) {
    cell.undo();
    expect(texts(on)).toEqual(['a', 'B']);
    on.undo();
    expect(texts(on)).toEqual(['a', 'b']);
    on.redo();
    expect(texts(on)).toEqual(['A', 'B']);
    on.undo();
    cell.undo();
    expect(texts(on)).toEqual(['a', 'b']);
    cell.redo();
    expect(texts(on)).toEqual(['A', 'b']);
    on.redo();
    expect(texts(on)).toEqual(['A', 'B']);
    cell.undo();
    cell.redo();
    on.undo();
    expect(texts(on)).toEqual(['a', 'b']);
    on.redo();
  }
});

it('goes on where something was typed and deleted again, and stays off what the person has put back', () => {
  const on = notebook('a', 'b');
  edit(on, source('c0', 'A'), source('c1', 'B'));
  type(on, 'c0', '1');
  cellOf(on, 'c0').updateSource(1, 2);
  cellOf(on, 'c1').undo();
  type(on, 'c1', 'x');
  cellOf(on, 'c1').updateSource(0, 2, 'B');
  on.undo();
  expect(texts(on)).toEqual(['a', 'B']);
});

it('keeps what was typed in a cell that was moved or has another type', () => {
  const on = notebook('a', 'b', 'c');
  edit(
    on,
    { op: 'move', cell: 'c0', index: 2 },
    { op: 'retype', cell: 'c1', to: 'markdown', source: '# b' },
    { op: 'move', cell: 'c2', index: 0 },
    source('c2', 'C')
  );
  ['c0', 'c1', 'c2'].forEach(id => type(on, id, ' typed'));
  on.undo();
  expect(texts(on)).toEqual(['a typed', '# b typed', 'C typed']);
  expect(on.cells.map(cell => cell.cell_type)).toEqual(['code', 'code', 'code']);
  on.cells.forEach(cell => cell.undo());
  expect(texts(on)).toEqual(['a', 'b', 'c']);
  on.cells.forEach(cell => cell.redo());
  on.redo();
  expect(texts(on)).toEqual(['C typed', '# b typed', 'a typed']);
});

it('changes a cell that was put in anew since', () => {
  const on = notebook('a', 'b');
  edit(on, source('c0', 'A'));
  on.moveCell(0, 1);
  on.undo();
  type(on, 'c0', ' typed');
  cellOf(on, 'c0').undo();
  on.undo();
  expect(texts(on)).toEqual(['a', 'b']);
  cellOf(on, 'c0').undo();
  cellOf(on, 'c0').redo();
  expect(texts(on)).toEqual(['a', 'b']);
  on.redo();
  expect(texts(on)).toEqual(['A', 'b']);
});

it('doubles nothing where another page had put back what was there', () => {
  const on = notebook('a');
  edit(on, source('c0', 'A'));
  const cell = cellOf(on, 'c0');
  cell.transact(() => cell.setSource('A'), false);
  for (let time = 0; time < 2; time++) {
    on.undo();
    expect(texts(on)).toEqual(['a']);
    on.redo();
    expect(texts(on)).toEqual(['A']);
  }
});

it('brings outputs back with the text, unless the cell was run since', () => {
  const on = notebook('a', 'b');
  const output = { output_type: 'stream', name: 'stdout', text: '1' } as never;
  const of = (id: string): unknown[] => [
    cellOf(on, id).execution_count,
    cellOf(on, id).getOutputs().length
  ];
  on.cells.forEach(cell => {
    (cell as YCodeCell).setOutputs([output]);
    (cell as YCodeCell).execution_count = 3;
  });
  edit(
    on,
    source('c0', 'A'),
    source('c1', 'B'),
    { op: 'clear', cell: 'c0' },
    { op: 'clear', cell: 'c1' }
  );
  expect(of('c0')).toEqual([null, 0]);
  cellOf(on, 'c1').execution_count = 4;
  on.undo();
  expect(texts(on)).toEqual(['a', 'b']);
  expect([of('c0'), of('c1')]).toEqual([
    [3, 1],
    [4, 0]
  ]);
  on.redo();
  expect([of('c0'), of('c1')]).toEqual([
    [null, 0],
    [4, 0]
  ]);
});

it('leaves no step where nothing was changed', () => {
  const on = notebook('a');
  edit(on, source('c0', 'a'));
  expect([on.canUndo(), on.cells[0].undoManager?.canUndo()]).toEqual([false, false]);
});

/** A person and tools at random. */
class Anyhow {
  constructor(
    seed: number,
    private readonly hasCells: boolean
  ) {
    this.next = random(seed);
    const count = 1 + Math.floor(this.next() * 4);
    this.on = notebook(...Array.from({ length: count }, (_, at) => `start${at}`));
    this.start = plain(this.on);
    this.see();
  }

  readonly on: YNotebook;
  readonly start: ReturnType<typeof plain>;
  /** All texts that a cell has had. */
  readonly had = new Map<string, Set<string>>();
  /** What tools have made of what, both ways. */
  readonly steps = new Set<string>();
  /** The cells that were put in anew. */
  readonly anew = new Set<string>();

  act(): void {
    const { on } = this;
    const cells = [...on.cells];
    const cell = cells[Math.floor(this.next() * cells.length)] as YCodeCell | undefined;
    const way = this.next() < 0.6 ? 'undo' : 'redo';
    const what = this.next();
    const ids = cells.map(each => each.getId());
    const before = new Map(cells.map(each => [each.getId(), each.getSource()]));
    if (what < 0.25 && cell) {
      this.write(cell);
    } else if (what < 0.45) {
      this.edit();
    } else if (what < 0.6 && this.hasCells && cell) {
      this.arrange(cells.indexOf(cell));
    } else if (what < 0.8 && cell) {
      cell[way]();
      this.isKnown();
    } else {
      on[way]();
      this.isKnown();
      if (!this.hasCells) {
        this.isOfTool(before);
      }
    }
    ids.forEach((id, at) => on.cells.includes(cells[at]) || this.anew.add(id));
    this.see();
  }

  /** Everything: the text of each cell first, as a person goes from the last to the first. */
  undoAll(): void {
    do {
      for (const cell of [...this.on.cells]) {
        while (cell.undoManager?.canUndo()) {
          cell.undo();
        }
      }
      this.on.undo();
      this.isKnown();
    } while (this.on.canUndo());
  }

  /** At either end, or all: Yjs takes half of a text for the whole once it was brought back and then cut in two. */
  private write(cell: YCodeCell): void {
    if (this.next() < 0.7) {
      cell.undoManager?.stopCapturing();
    }
    const { length } = cell.getSource();
    const at = this.next() < 0.5 ? 0 : length;
    if (this.next() < 0.7) {
      cell.updateSource(at, at, `<${this.count++}>`);
    } else {
      cell.updateSource(0, length);
    }
  }

  private edit(): void {
    const before = plain(this.on);
    const operations = someOperations(before, this.next, () => `n${this.count++}`, 0);
    const isNew = this.next() < 0.5;
    for (const each of isNew ? operations : []) {
      if (each.op === 'source' || each.op === 'retype') {
        each.source = `tool${this.count++}`;
      }
    }
    if (byModel(before, operations) !== null) {
      apply(this.on, operations, revisionOf(this.on));
      for (const { id, source: was } of before) {
        const now = this.on.cells.find(each => each.getId() === id)?.getSource();
        this.steps.add(JSON.stringify([id, was, now])).add(JSON.stringify([id, now, was]));
      }
    }
  }

  private arrange(at: number): void {
    const { length } = this.on.cells;
    const to = Math.floor(this.next() * length);
    if (this.next() < 0.3) {
      this.on.insertCell(to, { cell_type: 'code', id: `p${this.count++}`, source: '' } as never);
    } else if (this.next() < 0.5) {
      this.on.deleteCell(at);
    } else if (at !== to) {
      this.on.moveCell(at, to);
    }
    this.on.undoManager.stopCapturing();
  }

  private see(): void {
    for (const { id, source: text } of plain(this.on)) {
      this.had.set(id, (this.had.get(id) ?? new Set()).add(text));
    }
  }

  /** Nothing is lost or there twice: each cell says what it has said before. */
  private isKnown(): void {
    for (const { id, source: text } of plain(this.on)) {
      expect([id, [...(this.had.get(id) ?? [])]]).toEqual([id, expect.arrayContaining([text])]);
    }
  }

  /** The notebook's undo has changed texts of tools, and no others. */
  private isOfTool(before: ReadonlyMap<string, string>): void {
    for (const { id, source: text } of plain(this.on)) {
      const was = before.get(id);
      if (was !== undefined && was !== text) {
        expect([...this.steps]).toContain(JSON.stringify([id, was, text]));
      }
    }
  }

  private readonly next: () => number;
  private count = 0;
}

it.each([
  ['a person who types', false],
  ['a person who types and moves cells about', true]
])(
  'never loses or doubles a text with %s, and undo of everything gives the start',
  (_, hasCells) => {
    for (let seed = 1; seed <= 120; seed++) {
      const any = new Anyhow(seed, hasCells);
      try {
        for (let count = 0; count < 30; count++) {
          any.act();
        }
        any.undoAll();
        const now = plain(any.on);
        expect(now.map(({ id, type: kind }) => [id, kind])).toEqual(
          any.start.map(({ id, type: kind }) => [id, kind])
        );
        const same = ({ id }: { id: string }): boolean => !any.anew.has(id);
        expect(now.filter(same)).toEqual(any.start.filter(same));
      } catch (error) {
        throw new Error(`seed ${seed}: ${String(error)}`);
      }
      any.on.dispose();
    }
  }
);
