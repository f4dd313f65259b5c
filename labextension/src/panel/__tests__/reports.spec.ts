import { countIn, isForOther, readRules, textIn, waitingWords } from '../reports';
import { shortened } from '../section';

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

const asked = { told: {}, args: { query: 'a', limit: 50 }, problem: '', isBusy: true };

it('knows what was told for another search', () => {
  expect(isForOther(asked, { query: 'a' })).toBe(false);
  expect(isForOther(asked, { query: 'ab' })).toBe(true);
  expect(isForOther(asked, { query: 'a', everywhere: true })).toBe(true);
  expect(isForOther({ ...asked, told: null, args: {} }, {})).toBe(true);
});

it('says that it searches, unless it could not', () => {
  expect(waitingWords(asked, 'a')).toBe('Searching…');
  expect(waitingWords(asked, ' ')).toBe('Reading…');
  expect(waitingWords({ ...asked, problem: 'gone', isBusy: false }, 'a')).toBe('');
});

it('shortens a text at a word, and only one that is clearly too long', () => {
  expect(shortened('one two three', 11)).toBe('one two three');
  expect(shortened('one two three four', 10)).toBe('one two…');
  expect(shortened('😀'.repeat(20), 10)).toBe(`${'😀'.repeat(10)}…`);
});
