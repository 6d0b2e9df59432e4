import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalTime, dateText, dayOfDate } from '../../../src/base/model/local-time.ts';
import { dayRange, isWithin } from '../../../src/site/grafana/answers/period.ts';

const berlin = createLocalTime('Europe/Berlin');
const HOUR = 3_600_000;

/** The first and the last day of a range, and their number. */
function daysOf(from: string, to: string, now = '2027-01-01T00:00:00Z', localTime = berlin) {
  const range = dayRange({ from: Date.parse(from), to: Date.parse(to) }, Date.parse(now), localTime);
  const [first, end] = [localTime.dayOf(range.from / 1000), localTime.dayOf(range.to / 1000)];
  return [dateText(first), dateText(end - 1), end - first];
}

describe('the days of a time range', () => {
  const october = ['2026-10-01', '2026-10-31', 31];

  it('are those of October, in the time zone of any browser', () => {
    // the clock goes back on 25 October
    expect(daysOf('2026-10-01T00:00:00+02:00', '2026-10-31T23:59:59.999+01:00')).toEqual(october);
    expect(daysOf('2026-10-01T00:00:00+02:00', '2026-11-01T00:00:00+01:00')).toEqual(october);
    expect(daysOf('2026-10-01T00:00:00Z', '2026-10-31T23:59:59.999Z')).toEqual(october);
    expect(daysOf('2026-10-01T00:00:00-07:00', '2026-10-31T23:59:59.999-07:00')).toEqual(october);
    expect(daysOf('2026-10-01T00:00:00+09:00', '2026-10-31T23:59:59.999+09:00')).toEqual(october);
  });

  it('are the last 30 days with today, at any time of the day', () => {
    for (const hour of ['00', '01', '08', '12', '18', '23']) {
      const now = `2026-11-18T${hour}:30:00+01:00`;
      const [, last, count] = daysOf(new Date(Date.parse(now) - 720 * HOUR).toISOString(), now, now);
      expect([hour, last]).toEqual([hour, '2026-11-18']);
      expect([30, 31]).toContain(count);
    }
    const now = '2026-11-18T09:00:00+01:00';
    // "today" in Grafana ends at midnight
    expect(daysOf('2026-11-18T00:00:00+01:00', '2026-11-18T23:59:59+01:00', now)).toEqual([
      '2026-11-18',
      '2026-11-18',
      1,
    ]);
  });

  it('are the day in which a short range ends', () => {
    const now = '2026-11-18T15:00:00+01:00';
    expect(daysOf('2026-11-18T09:00:00+01:00', now, now)).toEqual(['2026-11-18', '2026-11-18', 1]);
    expect(daysOf('2026-10-05T20:00:00+02:00', '2026-10-06T02:00:00+02:00')).toEqual(['2026-10-06', '2026-10-06', 1]);
    expect(daysOf('2026-10-05T20:00:00+02:00', '2026-10-06T00:00:00+02:00')).toEqual(['2026-10-05', '2026-10-05', 1]);
    expect(daysOf('2026-10-05T00:00:00+02:00', '2026-10-05T00:00:00+02:00')[2]).toBe(1);
  });

  it('have no end where the range has none, or one that no calendar has', () => {
    const open = dayRange({ from: undefined, to: undefined }, 0, berlin);
    expect([isWithin(open, -1e15), isWithin(open, 1e15)]).toEqual([true, true]);
    const far = dayRange({ from: -8.64e15, to: 8.64e15 }, 0, berlin);
    expect([isWithin(far, -1e15), isWithin(far, 1e15)]).toEqual([true, true]);
    const half = dayRange({ from: Date.parse('2026-10-01T00:00:00+02:00'), to: undefined }, 0, berlin);
    expect(isWithin(half, Date.parse('2026-09-30T22:00:00Z'))).toBe(true);
    expect(isWithin(half, Date.parse('2026-09-30T21:59:59Z'))).toBe(false);
  });

  it('begin and end at midnight, are not empty, and each has its better half in the range', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'].map(createLocalTime);
    const base = dayOfDate(2026, 3, 1) * 24 * HOUR;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.nat(250 * 24 * 60),
        fc.nat(60 * 24 * 60),
        (localTime, start, length) => {
          const from = base + start * 60_000;
          const to = from + length * 60_000;
          const range = dayRange({ from, to }, base - 240 * HOUR, localTime);
          const [first, end] = [localTime.dayOf(range.from / 1000), localTime.dayOf(range.to / 1000)];
          expect([localTime.startOf(first) * 1000, localTime.startOf(end) * 1000]).toEqual([range.from, range.to]);
          expect(end).toBeGreaterThan(first);
          const within = (day: number): number => {
            const [begin, midnight] = [localTime.startOf(day) * 1000, localTime.startOf(day + 1) * 1000];
            return (Math.min(to, midnight) - Math.max(from, begin)) / (midnight - begin);
          };
          // a range without such a day means one day
          if (end - first > 1) for (const day of [first, end - 1]) expect(within(day)).toBeGreaterThanOrEqual(0.5);
          for (const day of [first - 1, end]) expect(within(day)).toBeLessThan(end - first > 1 ? 0.5 : 1);
        },
      ),
    );
  });
});
