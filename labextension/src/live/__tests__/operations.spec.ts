import { ISharedNotebook, YNotebook } from '@jupyter/ydoc';

import { apply, digest, Operation, readOperations, revisionOf } from '../operations';

const open: YNotebook[] = [];

// One that is not disposed keeps a timer, and jest would not end.
afterEach(() => open.splice(0).forEach(each => each.dispose()));

function notebook(...sources: string[]): ISharedNotebook {
  const made = new YNotebook();
  open.push(made);
  sources.forEach((source, at) =>
    made.addCell({ cell_type: 'code', id: `c${at}`, source, metadata: {}, outputs: [] } as never)
  );
  return made;
}

const ids = (of: ISharedNotebook): string[] => of.cells.map(cell => cell.getId());
const sources = (of: ISharedNotebook): string[] => of.cells.map(cell => cell.getSource());
const change = (of: ISharedNotebook, ...operations: Operation[]): void =>
  apply(of, operations, revisionOf(of));

it('inserts, deletes, moves and changes in one list', () => {
  const one = notebook('a', 'b', 'c');
  const content = { cell_type: 'markdown', id: 'new', source: '# x', metadata: {} } as never;
  change(
    one,
    { op: 'delete', cell: 'c1' },
    { op: 'insert', index: 1, content },
    { op: 'move', cell: 'c2', index: 0 },
    { op: 'source', cell: 'c0', source: 'A' }
  );
  expect(ids(one)).toEqual(['c2', 'c0', 'new']);
  expect(sources(one)).toEqual(['c', 'A', '# x']);
});

it('changes the type of a cell and keeps its id and metadata', () => {
  const one = notebook('a');
  one.cells[0].setMetadata({ tags: ['t'] });
  change(one, { op: 'retype', cell: 'c0', to: 'markdown', source: '# a' });
  expect([one.cells[0].cell_type, ids(one), sources(one)]).toEqual(['markdown', ['c0'], ['# a']]);
  expect(one.cells[0].getMetadata()).toEqual({ tags: ['t'] });
});

it('does nothing to a notebook that has changed', () => {
  const one = notebook('a', 'b');
  const revision = revisionOf(one);
  one.cells[0].setSource('typed');
  expect(() => apply(one, [{ op: 'delete', cell: 'c1' }], revision)).toThrow(/has changed/);
  expect(sources(one)).toEqual(['typed', 'b']);
});

it('takes a list back in one step of undo', () => {
  const one = notebook('a', 'b');
  (one as YNotebook).undoManager.clear();
  change(one, { op: 'delete', cell: 'c0' }, { op: 'delete', cell: 'c1' });
  expect(ids(one)).toEqual([]);
  one.undo();
  expect(ids(one)).toEqual(['c0', 'c1']);
});

it.each([
  [undefined, /expected a list/],
  [[{ op: 'explode' }], /no operation explode/],
  [[{ op: 'source', cell: 'a' }], /source is no text/],
  [[{ op: 'move', cell: 'a', index: -1 }], /no position/],
  [[{ op: 'retype', cell: 'a', to: 'html', source: '' }], /no type of cell/]
])('refuses %j', (value, why) => {
  expect(() => readOperations(value as never)).toThrow(why);
});

it('tells texts apart', () => {
  const seen = new Set(Array.from({ length: 5000 }, (_, at) => digest(`x = ${at}`)));
  expect(seen.size).toBe(5000);
});
