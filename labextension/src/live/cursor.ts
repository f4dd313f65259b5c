/** Where the cursor of a text stands in the one that takes its place: what is the same before or behind it stays so. */
export function cursorIn(before: string, after: string, at: number): number {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) {
    start++;
  }
  if (at <= start) {
    return at;
  }
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) {
    end++;
  }
  const behind = before.length - at;
  return behind <= end ? after.length - behind : Math.min(at, after.length - end);
}
