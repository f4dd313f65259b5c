import { readState, summary } from '../state';

it('takes what is missing or of another kind for empty', () => {
  const state = readState({ mode: 3, waiting: 'x', calls: 2 });
  expect([state.mode, state.waiting, state.calls]).toEqual(['', [], 2]);
});

it('says what goes on in one line', () => {
  const call = { id: 'a', tool: 'Bash', title: 'ls', since: 0 };
  const state = readState({ mode: 'plan', running: [call], jobs: [call, call] });
  expect(summary(state)).toBe('Agent: plan · 1 running · 2 in the background');
});
