import { dateText } from '../../../base/model/local-time.ts';
import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import { roundedCountText, roundedText } from '../../../base/texts.ts';
import type { Findings } from './findings.ts';
import { laterWeeks, WEEKS, type WindowDays } from './window.ts';

/** Why there is no advice at all, or not yet. Each text is a part of a sentence. */

/** Older data says nothing about now. */
const MOST_AGE_DAYS = 3;
const LEAST_WEEKS = 13;
const LEAST_SHARE = 0.8;
const RAISED_DAYS = 90;

/** Why no advice can be given on a feature, each as the end of a sentence; empty if it can. */
export function exclusionsOf({ context, bought, use: { last } }: Findings): string[] {
  const texts: string[] = [];
  const isExcluded = context.exclusion !== undefined;
  // its history may not have been read, and says nothing then
  if (isExcluded) texts.push(`it ${context.exclusion}`);
  else if (bought === undefined || Number.isNaN(bought)) texts.push('the number of licenses is not known');
  else if (isUncountedFigure(bought)) texts.push('its licenses are not counted');
  else if (bought <= 0) texts.push('it has no valid license now');
  if (last === undefined) {
    if (!isExcluded) texts.push('no use is recorded');
  } else if (context.today - last > MOST_AGE_DAYS) {
    texts.push(`its last data is of ${dateText(last)}`);
  }
  return texts;
}

interface Recorded {
  readonly weeks: Pick<Findings['weeks'], 'week'>;
  readonly regime: Pick<Findings['regime'], 'change'>;
  readonly context: Pick<Findings['context'], 'today'>;
}

/** The first day on which the history can be enough: if every day is recorded from now on, and no more is bought. */
export function enoughFrom(
  { regime, context: { today } }: Omit<Recorded, 'weeks'>,
  days: WindowDays,
): number | undefined {
  for (const { later, week } of laterWeeks(days)) {
    if (dataGuards({ regime, weeks: { week }, context: { today: today + later } }).length === 0) return today + later;
  }
  return undefined;
}

/** Why the history is not enough yet. */
export function dataGuards({ weeks: { week }, regime: { change }, context: { today } }: Recorded): string[] {
  const texts: string[] = [];
  const recent = week.filter((one) => one > -WEEKS);
  const recorded = recent.length;
  const since = 1 - (recent[0] ?? 1);
  if (recorded < LEAST_WEEKS) texts.push(`${recorded} of ${LEAST_WEEKS} weeks are recorded`);
  if (recorded < LEAST_SHARE * since)
    texts.push(`${recorded} of the last ${roundedCountText(since, 'week')} are recorded`);
  if (change !== undefined && change.after > change.before && today - change.day < RAISED_DAYS) {
    const [before, after] = [roundedText(change.before), roundedText(change.after)];
    texts.push(`bought rose from ${before} to ${after} on ${dateText(change.day)}, less than ${RAISED_DAYS} days ago`);
  }
  return texts;
}
