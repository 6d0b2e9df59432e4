import { roundedCountText, roundedText } from '../../../base/texts.ts';
import type { Findings } from './findings.ts';
import { isProvenRise } from './growth.ts';
import { enoughOnDays } from './outlook.ts';
import { refusedDaysText } from './refusals.ts';

/** Whether licenses could go, and what stops it. */

/** More days with refusals, at the rate of a year, stop it. */
export const MOST_REFUSAL_DAYS = 3;
/** Where refusals are not known, so many licenses must have been free at all times. */
const LEAST_FREE = 2;
const LEAST_DAYS = 90;

/** Licenses that must stay. */
export interface Kept {
  readonly licenses: number;
  /** What the recorded year needed: by hours, or more by days. The rest is for the coming year. */
  readonly ofTheYear: number;
  readonly isByDays: boolean;
}

/**
 * What the coming year needs with a chance of 9 in 10, and no less than the last year needed; at least one. The hours for which
 * more was in use may be minutes of many days, and each of them would be a day with refusals: they are limited too.
 */
export function licensesToKeep({ needed, enough = 0, figures }: Findings): Kept | undefined {
  if (needed === undefined) return undefined;
  const byDays = enoughOnDays(figures.days.peak);
  const ofTheYear = Math.max(1, needed, Math.ceil(byDays));
  return { licenses: Math.max(ofTheYear, enough), ofTheYear, isByDays: byDays > Math.max(1, needed) };
}

/**
 * Why use may rise beyond what is expected, as a clause; `undefined` if that is unlikely. Advice that a rise can make wrong is
 * provisional.
 */
export function riseText({ expected }: Findings): string | undefined {
  if (expected?.mayRise !== true) return undefined;
  const { growth } = expected;
  if (isProvenRise(growth)) return 'use grows';
  if (growth.kind === 'step' && growth.by > 0) return 'use rose, and may rise again';
  return 'use may rise';
}

/** @param spare licenses that could go if no guard stops it */
export function guardsOfCut(findings: Findings, spare: number): string[] {
  const { refusals, figures, days, needed } = findings;
  if (needed === undefined) return ['how many are needed is not known'];
  if (spare < 1) return [];
  const guards: string[] = [];
  if (refusals.kind === 'known') {
    if (refusals.daysAYear > MOST_REFUSAL_DAYS) {
      guards.push(`${refusedDaysText(figures.refusals)}, and at most ${MOST_REFUSAL_DAYS} a year allow it`);
    }
  } else if (figures.leastFree === undefined) {
    guards.push(`refusals are not known (${refusals.because}), nor how many licenses were free`);
  } else if (figures.leastFree < LEAST_FREE) {
    const free = roundedCountText(Math.max(0, figures.leastFree), 'license');
    guards.push(`refusals are not known (${refusals.because}) and the peak left ${free} free, not ${LEAST_FREE}`);
  }
  if (days < LEAST_DAYS) guards.push(`only ${roundedCountText(days, 'day')} of ${LEAST_DAYS} are recorded`);
  return guards.length === 0 ? [] : [`${roundedText(spare)} could go, but ${guards.join(' and ')}`];
}
