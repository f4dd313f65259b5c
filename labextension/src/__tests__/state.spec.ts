import { elsewhere, readState, summary } from '../state';

it('takes what is missing or of another kind for empty', () => {
  const state = readState({ mode: 3, waiting: 'x', calls: 2 });
  expect([state.mode, state.waiting, state.calls]).toEqual(['', [], 2]);
});

it('says what goes on in one line', () => {
  const call = { id: 'a', tool: 'Bash', title: 'ls', since: 0 };
  const state = readState({ mode: 'plan', running: [call], jobs: [call, call] });
  expect(summary(state)).toBe('Agent: plan · 1 running · 2 in the background');
});

it('says what waits elsewhere, and where', () => {
  expect(elsewhere([['a.ipynb', 0]])).toBe('');
  expect(
    elsewhere([
      ['q.ipynb', 1],
      ['a.ipynb', 0],
      ['b.ipynb', 2]
    ])
  ).toBe('1 waiting in q.ipynb · 2 waiting in b.ipynb');
});
