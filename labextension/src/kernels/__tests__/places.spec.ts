import { IOpen, isIn } from '../places';

function open(path: string, kernel: string | null, ...cells: string[]): IOpen {
  return { path, kernel, has: cell => cells.includes(cell) };
}

describe('isIn', () => {
  const a = open('a.ipynb', 'k', 'c1', 'c2');
  const copy = open('copy.ipynb', 'k', 'c1');
  const own = open('own.ipynb', 'other', 'c1');
  const all = [a, copy, own];

  it('goes by the notebook where it is known', () => {
    const place = { cell: 'c1', notebook: 'a.ipynb' };
    expect(all.map(each => isIn(place, each, all))).toEqual([true, false, false]);
    expect(isIn({ ...place, cell: 'gone' }, a, all)).toBe(false);
    expect(isIn({ ...place, cell: '' }, a, all)).toBe(false);
    expect(isIn({ ...place, notebook: 'closed.ipynb' }, a, [a])).toBe(false);
  });

  it('takes none where two can be meant', () => {
    const place = { cell: 'c1', notebook: '' };
    expect(isIn(place, a, all)).toBe(false);
    expect(isIn(place, copy, all)).toBe(false);
    expect(isIn({ ...place, cell: 'c2' }, a, all)).toBe(true);
    expect(isIn(place, a, [a, own])).toBe(true);
    expect(isIn(place, a, [a, open('loads.ipynb', null, 'c1')])).toBe(false);
  });
});
