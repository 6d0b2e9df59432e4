import { describe, expect, it } from 'vitest';
import { expiryDay, LAST_EXPIRY } from '../../../src/base/model/expiry-day.ts';
import { createLocalTime, dateText, dayOfDate } from '../../../src/base/model/local-time.ts';

const zones = [
  'UTC',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'America/Los_Angeles',
  'Pacific/Pago_Pago',
  'Asia/Kolkata',
];

describe('the day of an expiry', () => {
  it.each(zones)('is the one whose first or last second it is in %s, on every day of two years', (zone) => {
    const localTime = createLocalTime(zone);
    const first = dayOfDate(2026, 1, 1);
    for (let day = first; day < first + 730; day += 1) {
      const found = [localTime.startOf(day), localTime.startOf(day + 1) - 1].map((at) => expiryDay(at, zone));
      expect(found).toEqual([dateText(day), dateText(day)]);
    }
  });

  it('does not exist for a license that never expires, or whose expiry is not known', () => {
    expect(expiryDay(undefined, 'UTC')).toBeUndefined();
    expect(expiryDay(Number.POSITIVE_INFINITY, 'UTC')).toBeUndefined();
    expect(expiryDay(Number.NaN, 'UTC')).toBeUndefined();
    expect(expiryDay(LAST_EXPIRY + 1, 'UTC')).toBeUndefined();
    expect(expiryDay(LAST_EXPIRY, 'Pacific/Kiritimati')).toBe('9999-12-30');
  });

  it('stays the same when more days are asked for than are remembered', () => {
    for (let i = 0; i < 10_001; i += 1) expiryDay(i * 60, 'UTC');
    expect(expiryDay(0, 'UTC')).toBe('1970-01-01');
  });
});
