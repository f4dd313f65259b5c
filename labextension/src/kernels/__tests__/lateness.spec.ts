import { Lateness } from '../lateness';

it.each([0, -7_200_000, 7_200_000])('does not mind a clock that is %d ms off', off => {
  const lateness = new Lateness();
  const isLate = (sent: number, came: number): boolean =>
    lateness.isLate(new Date(sent).toISOString(), came + off);
  expect(isLate(1_000, 1_100)).toBe(false);
  expect(isLate(2_000, 2_010)).toBe(false);
  expect(isLate(3_000, 3_300)).toBe(false);
  expect(isLate(4_000, 9_000)).toBe(true);
  expect(isLate(8_990, 9_000)).toBe(false);
});

it('takes a date that is none for one in time', () => {
  expect(new Lateness().isLate('yesterday')).toBe(false);
});
