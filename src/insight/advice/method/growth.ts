import type { Growth } from './advice.ts';
import type { Explanation, Explanations } from './explanations.ts';
import { tuning } from './outlook.ts';
import { firstDayOf, WEEK, WEEKS_A_YEAR } from './window.ts';

/** What use did in the last year: the explanation with the most weight, by its effect. */

/** Fewer weeks show no growth. */
const ENOUGH_WEEKS = 26;
const WEEKS_A_MONTH = WEEKS_A_YEAR / 12;
/** Less is no change: licenses, and share of what is in use; of growth a year. */
const LEAST_LICENSES = 1;
const LEAST_GROWTH = 0.02;
const LEAST_STEP = 0.05;
/** More in a month is no growth that goes on: use that is rare looks so. */
const MOST_GROWTH = 0.3;
/** What has less weight is not proven. */
const LEAST_WEIGHT = 0.5;

/** Whether use is known to grow. */
export const isProvenRise = (growth: Growth): boolean => growth.kind === 'proven' && growth.perMonth > 0;

/** The share by which a logarithm changes what it is of. */
const shareOf = (logarithm: number): number => Math.exp(logarithm) - 1;

/** Weeks ahead in which a season is at its highest, less than a year. */
function highestWeek({ fit: { coefficients } }: Explanation): number {
  const [cosine = 0, sine = 0] = coefficients.slice(-2);
  const week = (Math.atan2(sine, cosine) / (2 * Math.PI)) * WEEKS_A_YEAR;
  return week < 0 ? week + WEEKS_A_YEAR : week;
}

interface Step {
  /** The week with which it begins. */
  readonly week: number;
  readonly logarithm: number;
}

/** The higher one of steps in one direction; of a dip, what it has changed permanently. Steps are the last terms. */
function stepOf({ breaks, fit: { coefficients } }: Explanation): Step {
  const steps = coefficients.slice(-breaks.length).map((logarithm, i) => ({ week: breaks[i] as number, logarithm }));
  const [first, last] = [steps[0] as Step, steps.at(-1) as Step];
  if (first.logarithm * last.logarithm >= 0) return first.logarithm / last.logarithm > 1 ? first : last;
  const both = first.logarithm + last.logarithm;
  return { week: both > 0 ? last.week : first.week, logarithm: both };
}

/**
 * What an explanation says that use did.
 *
 * @param level licenses that are in use now
 */
function effectOf(one: Explanation, level: number, today: number): Growth {
  const { kind, levelAt, breaks } = one;
  const from = breaks.at(-1) ?? 0;
  const day = firstDayOf(from, today);
  const monthly = shareOf(levelAt(WEEKS_A_MONTH) - levelAt(0));
  const yearly = shareOf(levelAt(WEEKS_A_YEAR) - levelAt(0));
  const isGrowth =
    Math.abs(yearly) >= LEAST_GROWTH && Math.abs(yearly * level) >= LEAST_LICENSES && monthly < MOST_GROWTH;
  const grows = (since?: number): Growth =>
    isGrowth ? { kind: 'proven', share: monthly, perMonth: monthly * level, since } : { kind: 'not proven' };
  switch (kind) {
    case 'level':
      return { kind: 'not proven' };
    case 'line':
      return grows();
    case 'line that begins':
      // a step can look the same
      return -from < tuning.leastAge ? { kind: 'not proven' } : grows(day);
    case 'line that has ended': {
      const change = shareOf(levelAt(from) - levelAt(from - WEEKS_A_YEAR / 2));
      return Math.abs(change) >= LEAST_STEP && Math.abs(change * level) >= LEAST_LICENSES
        ? { kind: 'ended', day }
        : { kind: 'not proven' };
    }
    case 'season':
      return { kind: 'season', day: today + Math.round(WEEK * highestWeek(one)) };
    case 'line and season':
      return isGrowth ? grows() : { kind: 'season', day: today + Math.round(WEEK * highestWeek(one)) };
    case 'step':
    case 'two steps':
    case 'step and line': {
      const { week, logarithm } = stepOf(one);
      const share = shareOf(logarithm);
      const after = level * Math.exp(levelAt(week) - levelAt(0));
      const by = after - after / (1 + share);
      const isStep = Math.abs(share) >= Math.max(LEAST_STEP, Math.abs(yearly)) && Math.abs(by) >= LEAST_LICENSES;
      return isStep ? { kind: 'step', by, share, day: firstDayOf(week, today) } : grows();
    }
  }
}

/** The same for effects that say the same in other figures. */
const labelOf = (effect: Growth): string => {
  const change = effect.kind === 'proven' ? effect.perMonth : effect.kind === 'step' ? effect.by : 0;
  return `${effect.kind} ${Math.sign(change)}`;
};

/**
 * What use did: the effect that the explanations with most of the weight have in common, with the figures of the heaviest of them.
 *
 * @param lastYear its explanations; `undefined` without enough weeks
 * @param level licenses that are in use now
 * @param today the day after the newest week
 */
export function growthOf(lastYear: Explanations | undefined, level: number, today: number): Growth {
  if (lastYear === undefined || lastYear.count < ENOUGH_WEEKS) return { kind: 'unknown' };
  const found = new Map<string, { readonly effect: Growth; weight: number }>();
  for (const one of lastYear.items) {
    const effect = effectOf(one, level, today);
    const label = labelOf(effect);
    const same = found.get(label) ?? { effect, weight: 0 };
    same.weight += one.weight;
    found.set(label, same);
  }
  const proven = found.values().find(({ weight }) => weight >= LEAST_WEIGHT);
  return proven?.effect ?? { kind: 'not proven' };
}
