import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalTime, weekdayOf } from '../../../src/base/model/local-time.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Pacific/Apia'];
/** Time zones whose clocks change at midnight. A day can start at 01:00 or have its first hour twice. */
const midnightZones = ['America/Havana', 'Africa/Cairo', 'Asia/Beirut', 'America/Santiago', 'America/Asuncion'];
const times = fc.integer({ min: Date.UTC(2015, 0) / 1000, max: Date.UTC(2035, 0) / 1000 });

/** The calendar date from the platform. */
const dateIn = (timeZone: string): ((at: number) => string) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone });
  return (at) => format.format(at * 1000);
};
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

describe('local time', () => {
  it.each([...zones, ...midnightZones])('counts the days of %s as its calendar does', (timeZone) => {
    const { dayOf } = createLocalTime(timeZone);
    const date = dateIn(timeZone);
    fc.assert(
      fc.property(times, (at) => {
        expect(dateOf(dayOf(at))).toBe(date(at));
      }),
    );
  });

  it.each([...zones, ...midnightZones])('starts a day of %s at its first second', (timeZone) => {
    const { dayOf, startOf } = createLocalTime(timeZone);
    const last = Date.UTC(2028, 0) / 86_400_000;
    const wrong: string[] = [];
    // every day of four years, because clock changes are rare
    for (let day = Date.UTC(2024, 0) / 86_400_000; day < last; day += 1) {
      const start = startOf(day);
      if (dayOf(start) !== day || dayOf(start - 1) !== day - 1) wrong.push(dateOf(day));
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ...[...zones, ...midnightZones, 'Antarctica/Troll'].map((zone) => [zone, 2025] as const),
    // by half an hour, and at one minute past midnight
    ['Australia/Lord_Howe', 2025],
    ['America/St_Johns', 2010],
  ] as const)('knows the hours of the days of %s in %i on which the clock changes', (timeZone, year) => {
    const { dayOf, startOf, hoursOf, offsetAt } = createLocalTime(timeZone);
    const last = Date.UTC(year + 1, 0) / 86_400_000;
    for (let day = Date.UTC(year, 0) / 86_400_000; day < last; day += 1) {
      if (startOf(day + 1) - startOf(day) === 86_400) continue;
      const hours: { start: number; hour: number }[] = [];
      for (let at = startOf(day); at < startOf(day + 1); at += 60) {
        const hour = Math.floor((at + offsetAt(at) - dayOf(at) * 86_400) / 3600);
        if (hours.at(-1)?.hour !== hour) hours.push({ start: at, hour });
      }
      expect(hoursOf(day)).toEqual(hours);
    }
  });

  it('knows the day of the week', () => {
    expect(weekdayOf(0)).toBe(4);
    expect(weekdayOf(-4)).toBe(0);
    expect(weekdayOf(Date.UTC(2026, 10, 21) / 86_400_000)).toBe(6);
  });

  it('refuses a time zone that does not exist', () => {
    expect(() => createLocalTime('Mars/Olympus')).toThrow(RangeError);
  });
});
