import { readRules, textIn } from '../reports';
import { found, pieces, readCalls } from '../search';

const CALLS = readCalls({
  calls: [
    { id: 'a', tool: 'Bash', status: 'ok', title: 'ls docs', text: 'index.md' },
    { id: 'b', tool: 'Read', status: 'error', title: 'a.txt', text: 'There is no such file' },
    null as never,
    { id: 'c' }
  ]
});
const ids = (query: string): string[] => found(CALLS, query).map(call => call.id);

it.each([
  ['', ['a', 'b', 'c']],
  ['  ', ['a', 'b', 'c']],
  ['INDEX', ['a']],
  ['error file', ['b']],
  ['ls nothing', []]
])('finds by %j', (query, expected) => {
  expect(ids(query)).toEqual(expected);
});

it('marks what was found, also where it means something else in an expression', () => {
  expect(pieces('a.b a.B', '.b')).toEqual([
    ['a', false],
    ['.b', true],
    [' a', false],
    ['.B', true]
  ]);
  expect(pieces('text', ' ')).toEqual([['text', false]]);
});

it('finds nothing that is not shown', () => {
  for (const query of ['md', 'such', 'txt', 'bash']) {
    for (const call of found(CALLS, query)) {
      const shown = [call.status, call.tool, call.title, call.text];
      expect(shown.some(text => pieces(text, query).some(([, hit]) => hit))).toBe(true);
    }
  }
});

it('reads rules, and only what a report holds', () => {
  const rule = { behavior: 'deny', text: 'Read(.env)', from: 'session', note: '', session: true };
  expect(readRules({ rules: [rule, 3 as never, {}] })[0]).toEqual(rule);
  expect(readRules([] as never)).toEqual([]);
  expect([textIn(null, 'a'), textIn({ a: 3 }, 'a'), textIn({ a: 'x' }, 'a')]).toEqual([
    '',
    '',
    'x'
  ]);
});
