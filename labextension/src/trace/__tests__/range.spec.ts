import { readInput } from '../input';
import { leaves, panned, ticks, zoomed } from '../model';

describe('zoomed', () => {
  it('keeps what it is about where it is', () => {
    expect(zoomed([0, 100], [0, 100], 0.5, 80)).toEqual([40, 90]);
  });

  it('does not go beyond the whole', () => {
    expect(zoomed([40, 90], [0, 100], 4, 80)).toEqual([0, 100]);
  });

  it('has an end', () => {
    const [from, to] = Array.from({ length: 40 }).reduce<readonly [number, number]>(
      range => zoomed(range, [0, 1024], 0.5, 512),
      [0, 1024]
    );
    expect(to - from).toBeCloseTo(1);
  });

  it.each([[0], [50], [1000], [-5]])('takes any place: %j', about => {
    const [from, to] = zoomed([0, 100], [0, 100], 0.5, about);
    expect([from >= 0, to <= 100, to - from]).toEqual([true, true, 50]);
  });

  it('leaves a turn alone that took no time', () => {
    expect(zoomed([5, 5], [5, 5], 0.5, 5)).toEqual([5, 5]);
  });
});

it('goes on, and stops at the ends', () => {
  expect(panned([0, 50], [0, 100], 0.5)).toEqual([25, 75]);
  expect(panned([40, 90], [0, 100], 0.5)).toEqual([50, 100]);
  expect(panned([10, 60], [0, 100], -0.5)).toEqual([0, 50]);
});

it.each([
  [
    [0, 100],
    [0, 20, 40, 60, 80, 100]
  ],
  [
    [0, 1405],
    [0, 500, 1000]
  ],
  [[3, 3], [3]]
])('counts in round numbers over %j', (range, expected) => {
  expect(ticks(range as [number, number], 5)).toEqual(expected);
});

it('lists values by the names that lead to them', () => {
  const data = { block: { content: 'a\nb' }, list: [1, 2], none: {}, many: [{ a: 1 }] };
  expect(leaves(data)).toEqual([
    ['block.content', 'a\nb'],
    ['list', '[1,2]'],
    ['none', '{}'],
    ['many', '[\n  {\n    "a": 1\n  }\n]']
  ]);
  expect(leaves('x')).toEqual([['', 'x']]);
});

it('reads an input, or says what is wrong', () => {
  expect(readInput('{"a": 1}')).toEqual({ a: 1 });
  expect(readInput('[1]')).toMatch(/must be a JSON object/);
  expect(readInput('{')).toMatch(/^Not JSON/);
});
