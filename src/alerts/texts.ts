import type { FeatureRow } from '../inventory/feature-row.ts';
import { isUncounted } from '../model/uncounted.ts';

/** Times and figures as an engineer on call reads them. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-18 10:30 CET`. @param at epoch seconds @param timeZone IANA name */
export function localTimeText(at: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`;
}

/** `2026-11-18`. @param at epoch seconds @param timeZone IANA name */
export const localDateText = (at: number, timeZone: string): string => localTimeText(at, timeZone).slice(0, 10);

/** `2027-03`. @param day local day, counted from 1970-01-01 */
export const monthText = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 7);

/** `28` or `uncounted`; `undefined` if the number is not known. */
export const countText = (row: Pick<FeatureRow, 'licenseType' | 'maxAvailable'>): string | undefined =>
  isUncounted(row) ? 'uncounted' : row.maxAvailable?.toString();

/** `28 licenses`, `1 license` or `uncounted`; `undefined` if the number is not known. */
export function licensesText(row: Pick<FeatureRow, 'licenseType' | 'maxAvailable'>): string | undefined {
  if (isUncounted(row)) return 'uncounted';
  const { maxAvailable: count } = row;
  return count === undefined ? undefined : `${count} ${count === 1 ? 'license' : 'licenses'}`;
}

/** `26 of 28 licenses`, or `26 licenses` of uncounted ones; `undefined` if a number is not known. */
export function usageText(row: Pick<FeatureRow, 'licenseType' | 'maxAvailable' | 'inUse'>): string | undefined {
  const { inUse, maxAvailable } = row;
  if (inUse === undefined) return undefined;
  if (isUncounted(row)) return `${inUse} uncounted licenses`;
  return maxAvailable === undefined ? undefined : `${inUse} of ${maxAvailable} licenses`;
}
