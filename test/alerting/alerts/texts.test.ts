import { describe, expect, it } from 'vitest';
import { licensesText, usageText } from '../../../src/alerting/alerts/texts.ts';
import { isUncounted } from '../../../src/base/model/uncounted.ts';
import { type Figure, unknown } from '../../../src/base/model/unknown.ts';
import { localDateText, localTimeText, withWeekday } from '../../../src/base/texts.ts';

type Licenses = Parameters<typeof usageText>[0];

const MIDNIGHT = Date.UTC(2026, 10, 17, 23, 0) / 1000;

describe('times', () => {
  it('are local, with their zone', () => {
    expect(localTimeText(MIDNIGHT, 'Europe/Berlin')).toBe('2026-11-18 00:00 CET');
    expect(localTimeText(MIDNIGHT, 'America/New_York')).toMatch(/^2026-11-17 18:00 (EST|GMT-5)$/);
    expect(localDateText(MIDNIGHT, 'Europe/Berlin')).toBe('2026-11-18');
    expect(withWeekday(localTimeText(MIDNIGHT, 'Europe/Berlin'))).toBe('Wednesday 2026-11-18 00:00 CET');
    expect(withWeekday('2026-11-22')).toBe('Sunday 2026-11-22');
    expect(withWeekday('never')).toBe('never');
  });
});

describe('licenses', () => {
  const row = (maxAvailable: Figure, licenseType: string | undefined = 'floating'): Licenses => ({
    licenseType,
    maxAvailable,
    inUse: 26,
  });

  it.each([
    [row(28), '28 licenses', '26 of 28 licenses', false],
    [row(1), '1 license', '26 in use of 1 license (25 over)', false],
    [row(unknown, 'uncounted'), 'uncounted', '26 uncounted licenses', true],
    [row(unknown), undefined, undefined, false],
    [row(28, undefined), '28 licenses', '26 of 28 licenses', false],
  ])('%j', (of, licenses, usage, uncounted) => {
    expect([licensesText(of), usageText(of), isUncounted(of)]).toEqual([licenses, usage, uncounted]);
  });

  it('have no text while their use is not known', () => {
    expect(usageText({ ...row(28), inUse: unknown })).toBeUndefined();
  });
});
