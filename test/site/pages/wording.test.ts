import { expect, it } from 'vitest';
import { expiryHtml } from '../../../src/site/pages/wording.ts';

const NOW = Date.UTC(2026, 10, 18, 20, 0) / 1000;
const textOf = (at: number): string =>
  `${expiryHtml(at, { now: NOW, timeZone: 'Europe/Berlin' })}`.replace(/<[^>]*>/g, '');

it('says how far away an expiry is in days of the calendar, as the day beside it', () => {
  const endOf = (day: number): number => Date.UTC(2026, 10, day, 22, 59, 59) / 1000;
  expect(textOf(endOf(18))).toBe('expires 2026-11-18, today');
  expect(textOf(endOf(19))).toBe('expires 2026-11-19, in 1 day');
  // 9 days and 3 hours
  expect(textOf(endOf(27))).toBe('expires 2026-11-27, in 9 days');
  expect(textOf(endOf(17))).toBe('expired 2026-11-17, 1 day ago');
  // 10 minutes after midnight, 20 hours ago
  expect(textOf(Date.UTC(2026, 10, 17, 23, 10) / 1000)).toBe('expired 2026-11-18, today');
});
