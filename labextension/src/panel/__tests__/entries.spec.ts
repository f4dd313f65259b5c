import {
  historyWords,
  hitWords,
  nextPlace,
  plain,
  readHistory,
  readSessions,
  readWindow,
  sessionsWords,
  stepTo,
  windowWords
} from '../entries';

const ENTRY = {
  ref: 'call:a',
  kind: 'call',
  who: [''],
  title: ['', 'Bash', ' ls'],
  status: ['ok'],
  text: ['one ', 'ls', ' two'],
  start: 100,
  end: 500,
  chars: 12_345,
  hits: 3,
  later: 600
};

it('reads what a kernel tells', () => {
  const told = readHistory({ entries: [ENTRY], found: 1, total: 2, notes: ['a line was torn'] });
  expect(told).toEqual({ entries: [ENTRY], found: 1, total: 2, notes: ['a line was torn'] });
  expect(plain(told.entries[0].title)).toBe('Bash ls');
});

it.each([null, 3, 'x', [], {}, { entries: [null, 3], notes: 'x', found: 'x' }])(
  'takes %j for an empty history, and for no sessions',
  data => {
    expect(readHistory(data as never)).toEqual({ entries: [], found: 0, total: 0, notes: [] });
    expect(readSessions(data as never).sessions).toEqual([]);
  }
);

it('shows nothing of what is no text', () => {
  const [entry] = readHistory({
    entries: [{ ...ENTRY, text: ['a', 3 as never], who: 'x' }]
  }).entries;
  expect([entry.text, entry.who]).toEqual([[], []]);
  expect(readWindow({ text: ['a'], later: 'x' }).later).toBeNull();
});

it('reads sessions, with the first place that was found', () => {
  const [one, two] = readSessions({
    sessions: [
      { id: 'a', title: ['', 'Bash'], calls: 3, current: true, first: ENTRY, count: 2 },
      {}
    ]
  }).sessions;
  expect([one.id, one.calls, one.current, one.running, one.count]).toEqual([
    'a',
    3,
    true,
    false,
    2
  ]);
  expect([one.first, two.first]).toEqual([ENTRY, null]);
});

const history = (shown: number, found: number, total: number): never =>
  ({ entries: Array(shown), found, total }) as never;

it.each([
  [history(1, 1, 1), '', '1 entry'],
  [history(50, 1024, 1024), ' ', '50 of 1,024 entries'],
  [history(3, 3, 1024), 'x', '3 found in 1,024 entries'],
  [history(50, 312, 1024), 'x', '50 of 312 found in 1,024 entries'],
  [history(0, 0, 7), 'x', '0 found in 7 entries']
])('says how much of the history is shown: %#', (told, query, words) => {
  expect(historyWords(told, query)).toBe(words);
});

const sessions = (shown: number, found: number, total: number, left: number): never =>
  ({ sessions: Array(shown), found, total, left }) as never;

it.each([
  [sessions(1, 1, 1, 0), '', '1 session'],
  [sessions(50, 200, 200, 0), '', '50 of 200 sessions'],
  [sessions(2, 2, 200, 80), 'x', '2 found in 120 of 200 sessions, searching'],
  [sessions(2, 2, 200, 0), 'x', '2 found in 200 sessions']
])('says how many sessions are shown and searched: %#', (told, query, words) => {
  expect(sessionsWords(told, query)).toBe(words);
});

it('says what a part of a text leaves out, and how many places it holds', () => {
  expect(windowWords(readWindow(ENTRY))).toBe('Characters 101 to 500 of 12,345');
  expect(hitWords(readWindow(ENTRY))).toBe('1 of 3 places');
  const whole = readWindow({ text: ['a', 'b', ''], start: 0, end: 2, chars: 2, hits: 1 });
  expect([windowWords(whole), hitWords(whole)]).toEqual(['', '1 place']);
  expect(hitWords(readWindow({ text: ['a'], chars: 1, end: 1 }))).toBe('');
});

it('walks from place to place, through windows', () => {
  const shown = readWindow({
    text: ['', 'a', ' ', 'a', ''],
    start: 7,
    end: 10,
    chars: 99,
    later: 50
  });
  expect(nextPlace(shown, 0)).toEqual({ start: 7, place: 1 });
  expect(nextPlace(shown, 1)).toEqual({ start: 50, place: 0 });
  expect(nextPlace({ ...shown, later: null }, 1)).toBeNull();
});

it.each([
  ['ArrowDown', 0, 3, 1],
  ['ArrowDown', 2, 3, 2],
  ['ArrowUp', 0, 3, 0],
  ['End', 0, 3, 2],
  ['Home', 2, 3, 0],
  ['ArrowDown', 0, 0, null],
  ['a', 0, 3, null]
])('steps with %s from %i of %i to %j', (key, at, length, to) => {
  expect(stepTo(key, at, length)).toBe(to);
});
