import { countIn, readRules, textIn } from '../reports';

it('reads rules, and only what a report holds', () => {
  const rule = { behavior: 'deny', text: 'Read(.env)', from: 'session', note: '', session: true };
  expect(readRules({ rules: [rule, 3 as never, {}] })[0]).toEqual(rule);
  expect(readRules([] as never)).toEqual([]);
  expect([textIn(null, 'a'), textIn({ a: 3 }, 'a'), textIn({ a: 'x' }, 'a')]).toEqual([
    '',
    '',
    'x'
  ]);
  expect([countIn({ a: 3 }, 'a'), countIn({ a: '3' }, 'a'), countIn({}, 'a')]).toEqual([3, 0, 0]);
});
