import type { Advice } from './advice.ts';
import { FULL_WITHOUT_REFUSAL } from './refusals.ts';

/**
 * Whether refused requests are recorded for a vendor license. The features of one log are recorded together: if one of them had
 * a refusal, the others had none. If none had one although licenses ran out, refusals are not recorded.
 */
export type RecordedRefusals = ReadonlyMap<string, boolean>;

/** By vendor license, from the advice for its features. It is unknown, and missing, if nothing ran out. */
export function recordedRefusalsOf(all: Iterable<Advice>): RecordedRefusals {
  const recorded = new Map<string, boolean>();
  for (const { vendorLicense, refusalDays = 0, otherRefusals = 0, fullHours = 0 } of all) {
    if (refusalDays > 0 || otherRefusals > 0) recorded.set(vendorLicense, true);
    else if (fullHours >= FULL_WITHOUT_REFUSAL && !recorded.has(vendorLicense)) recorded.set(vendorLicense, false);
  }
  return recorded;
}

/** Whether the advice for a feature depends on it, and was computed with another assumption. */
export function isMistaken(
  { vendorLicense, refusalDays, state }: Advice,
  assumed: RecordedRefusals,
  found: RecordedRefusals,
): boolean {
  const isRecorded = found.get(vendorLicense);
  if (state === 'no advice' || assumed.get(vendorLicense) === isRecorded) return false;
  return isRecorded === false ? refusalDays === 0 : refusalDays === undefined;
}
