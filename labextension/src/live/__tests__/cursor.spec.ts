import { cursorIn } from '../cursor';

/** Texts with a `|` where the cursor stands. */
function moved(before: string, after: string): string {
  const at = cursorIn(before.replace('|', ''), after, before.indexOf('|'));
  return `${after.slice(0, at)}|${after.slice(at)}`;
}

it.each([
  ['a = 1|', 'a = 1', 'a = 1|'],
  ['a =| 1\nb = 2', 'a = 1\nb = 3', 'a =| 1\nb = 3'],
  ['a = 1\nb =| 2', 'import x\na = 2\nb = 2', 'import x\na = 2\nb =| 2'],
  ['|a = 1', '# b\na = 1', '|# b\na = 1'],
  ['one t|wo three', 'one three', 'one t|hree'],
  ['what was there|', 'new', 'new|'],
  ['what| was', '', '|'],
  ['a|a', 'aaa', 'a|aa'],
  ['a = 12|3', 'a = 456', 'a = 45|6']
])('%j becomes %j', (before, after, expected) => {
  expect(moved(before, after)).toBe(expected);
});
