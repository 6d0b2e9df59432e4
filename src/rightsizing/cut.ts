import type { Findings } from './findings.ts';
import { sorted } from './statistics.ts';
import { WINDOW_DAYS } from './window.ts';
import { numberText, plural } from './wording.ts';

/** Whether licenses could go, and what stops it. */

/** More days a year with refusals stop it. */
const MOST_REFUSAL_DAYS = 3;
/** Where refusals are not known, so many licenses must have been free at all times. */
const LEAST_FREE = 2;
const LEAST_DAYS = 90;
const MONTHS = 12;
/** Days a year on which more may have been in use than is kept. Samples see about half of the days on which it was. */
export const MOST_DAYS_ABOVE = 6;
/** One license of so many is kept on top of what the year needed: the next year is never the same. */
const MARGIN_OF = 10;

/** The smallest number that was exceeded on few days. */
function enoughOnDays({ figures: { days } }: Findings): number {
  const peaks = sorted(days.peak.filter((peak) => !Number.isNaN(peak)));
  const above = Math.floor((MOST_DAYS_ABOVE * peaks.length) / WINDOW_DAYS);
  return peaks[peaks.length - 1 - above] ?? 0;
}

/** Licenses that must stay, and why they are more than needed. */
export interface Kept {
  readonly licenses: number;
  /** What the recorded year needed. The rest is kept for the next one. */
  readonly ofTheYear: number;
  readonly hasGrowth: boolean;
  readonly isByDays: boolean;
}

/**
 * What the year needed, a tenth more, and what a year of growth adds; at least one. The hours for which more was in use may be
 * minutes of many days, and each of them would be a day with refusals: they are limited too.
 */
export function licensesToKeep(findings: Findings): Kept | undefined {
  const { needed, growth } = findings;
  if (needed === undefined) return undefined;
  const byDays = enoughOnDays(findings);
  const more = growth.kind === 'proven' ? Math.max(0, growth.perMonth * MONTHS) : 0;
  const ofTheYear = Math.max(needed, byDays);
  return {
    // not times 1.1, which is more than 11 for 10
    licenses: Math.max(1, Math.ceil(ofTheYear + ofTheYear / MARGIN_OF + more)),
    ofTheYear: Math.max(1, ofTheYear),
    hasGrowth: more > 0,
    isByDays: byDays > Math.max(1, needed),
  };
}

/**
 * Why use may rise beyond what is kept, as part of a sentence; `undefined` if that can be excluded. Advice that a rise can
 * make wrong is provisional.
 */
export function riseText(findings: Findings): string | undefined {
  const { growth, mostRise } = findings;
  if (growth.kind === 'proven' && growth.perMonth > 0) return 'use grows';
  if (growth.kind === 'step' && growth.by > 0) return 'use rose, and may rise again';
  const kept = licensesToKeep(findings);
  // fewer weeks are a reason of their own
  if (mostRise === undefined || kept === undefined) return undefined;
  const isCovered = mostRise <= kept.licenses - kept.ofTheYear;
  return isCovered ? undefined : `use may rise by up to ${numberText(mostRise)} in a year`;
}

/** @param spare licenses that could go if no guard stops it */
export function guardsOfCut(findings: Findings, spare: number): string[] {
  const { refusals, figures, days, needed } = findings;
  if (needed === undefined) return ['how many are needed is not known'];
  if (spare < 1) return [];
  const guards: string[] = [];
  if (refusals.kind === 'known') {
    if (refusals.days > MOST_REFUSAL_DAYS) {
      guards.push(`refusals on ${plural(refusals.days, 'day')} a year, at most ${MOST_REFUSAL_DAYS} allow it`);
    }
  } else if (figures.leastFree === undefined) {
    guards.push(`refusals are not known (${refusals.because}), nor how many licenses were free`);
  } else if (figures.leastFree < LEAST_FREE) {
    const free = plural(Math.max(0, figures.leastFree), 'license');
    guards.push(`refusals are not known (${refusals.because}) and the peak left ${free} free, not ${LEAST_FREE}`);
  }
  if (days < LEAST_DAYS) guards.push(`only ${plural(days, 'day')} of ${LEAST_DAYS} recorded`);
  return guards.length === 0 ? [] : [`${numberText(spare)} could go, but ${guards.join(' and ')}`];
}
