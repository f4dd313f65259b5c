import { Grace, GRACE_MS } from '../grace';

describe('Grace', () => {
  let now = 0;
  let grace = new Grace(() => now);
  const [one, other] = [{}, {}];
  beforeEach(() => {
    now = 1_000;
    grace = new Grace(() => now);
  });

  it('lets a question be allowed only when it has been shown for a while', () => {
    expect(grace.left(one, 'a')).toBeNull();
    grace.look(one, ['a']);
    expect(grace.left(one, 'a')).toBe(GRACE_MS);
    now += GRACE_MS - 1;
    grace.look(one, ['a', 'b']);
    expect([grace.left(one, 'a'), grace.left(one, 'b')]).toEqual([1, GRACE_MS]);
    now += 1;
    expect(grace.left(one, 'a')).toBe(0);
    expect(grace.left(other, 'a')).toBeNull();
  });

  it('begins anew for all that waits when something goes or is answered', () => {
    let told = 0;
    grace.restarted.connect(() => (told += 1));
    grace.look(one, ['a', 'b']);
    grace.look(other, ['c']);
    now += GRACE_MS;
    grace.look(one, ['b']);
    expect([grace.left(one, 'b'), grace.left(other, 'c')]).toEqual([GRACE_MS, GRACE_MS]);
    now += GRACE_MS;
    expect([grace.left(one, 'b'), grace.left(other, 'c')]).toEqual([0, 0]);
    grace.restart();
    expect([grace.left(one, 'a'), grace.left(one, 'b')]).toEqual([null, GRACE_MS]);
    expect(told).toBe(2);
  });
});
