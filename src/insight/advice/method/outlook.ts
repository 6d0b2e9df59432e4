import { type Explanation, type Explanations, explain } from './explanations.ts';
import { leverageOf, quantileOf, sorted } from './least-squares.ts';
import { newestWeeks, WEEK, WEEKS, type WeeklyPeaks, WINDOW_DAYS, type WindowDays } from './window.ts';

/**
 * How many licenses will be needed, as a mixture of log-normal distributions: one for each explanation of the past, with its
 * weight.
 */

/** The constants of the method. They were chosen on drawn histories whose next year is known (`npm run advice-trial`). */
export const tuning = {
  /** Weeks. Fewer explain nothing. */
  leastWeeks: 6,
  /** Newest weeks that show a year, and what came before its first change. */
  yearAndBefore: 57,
  /** Days a year on which more than what is needed may be in use. Samples see about half of the days on which it was. */
  mostDaysAbove: 6,
  /** Weeks. Growth that began later may be a step. */
  leastAge: 13,
  /** Weeks. How far a rise goes that began later is not known yet. */
  riseWeeks: 26,
  /** Logarithms of a factor: the smallest rise that counts, and the smallest fall and return. */
  leastRise: 0.02,
  leastReturn: 0.05,
  /** Logarithms of a factor a year: a smaller rise is no growth, and none is larger. */
  leastGrowth: 0.02,
  mostGrowth: 0.7,
  /** The same for growth that began within half a year, and the most uncertainty of it: what it will be, the past does not show. */
  mostNewGrowth: 0.4,
  /** Logarithms of a factor: the bounds of uncertainty. */
  leastSigma: 1e-3,
  mostSigma: 0.7,
  /** Licenses. The logarithm of fewer is not taken. */
  leastNeed: 0.25,
  /** Newest weeks that show how busy a week is, and the share of them that are less busy than a busy one. */
  newestWeeks: 13,
  busy: 0.75,
  /** A smaller fraction of a license is no license. */
  noLicense: 0.15,
  /** Steps of a search between two logarithms of a number of licenses. */
  halvings: 50,
  lowest: -2,
  highest: 16,
} as const;

/** What one explanation expects. */
interface Expectation {
  readonly weight: number;
  /** The week with which it breaks. */
  readonly from: number | undefined;
  /** Logarithm of what a year at the level of now needs, and of the peak of a busy week. */
  readonly year: number;
  readonly busyWeek: number;
  /** Whether use may rise further than a history can tell. */
  readonly mayRise: boolean;
  /** Growth of the level in some weeks, and how uncertain the level is then: logarithms. */
  readonly growthIn: (weeks: number) => number;
  readonly sigmaIn: (weeks: number) => number;
}

/** What all explanations expect. Their weights add up to 1. */
export interface Outlook {
  readonly expectations: readonly Expectation[];
  /** The explanations of the last year; `undefined` without enough weeks of it. */
  readonly lastYear: Explanations | undefined;
}

/** The distribution function of the normal distribution, to 7 digits (Abramowitz and Stegun, 26.2.17). */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (series * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z >= 0 ? 1 - tail : tail;
}

/** The smallest number of known peaks that is exceeded on few days of a year; 0 without any. */
export function enoughOnDays(peaks: Float64Array): number {
  const known = peaks.reduce((count, peak) => (Number.isNaN(peak) ? count : count + 1), 0);
  if (known === 0) return 0;
  // the highest ones, ascending: sorting all of them for each explanation took a quarter of the method
  const highest = new Float64Array(Math.floor((tuning.mostDaysAbove * known) / WINDOW_DAYS) + 1).fill(
    Number.NEGATIVE_INFINITY,
  );
  for (const peak of peaks) {
    if (!(peak > (highest[0] as number))) continue;
    let at = 0;
    for (; at + 1 < highest.length && peak > (highest[at + 1] as number); at += 1) {
      highest[at] = highest[at + 1] as number;
    }
    highest[at] = peak;
  }
  return highest[0] as number;
}

/** What a year needs if each of its days had been at the level of now. */
function yearAtNow({ levelAt }: Explanation, { peak }: WindowDays): number {
  const now = levelAt(0);
  const peaks = new Float64Array(WINDOW_DAYS);
  for (let first = 0; first < WINDOW_DAYS; first += WEEK) {
    const factor = Math.exp(now - levelAt(-first / WEEK));
    const end = Math.min(first + WEEK, WINDOW_DAYS);
    for (let age = first; age < end; age += 1) peaks[age] = (peak[age] as number) * factor;
  }
  return enoughOnDays(peaks);
}

/** The peak that one in four weeks reaches; `undefined` without weeks. */
export const busyWeekOf = (peaks: readonly number[]): number | undefined =>
  peaks.length === 0 ? undefined : quantileOf(sorted(peaks), tuning.busy);

/** The peak of a busy week if each of the newest weeks had been at the level of now. */
function busyWeekAtNow({ levelAt }: Explanation, { week, peak }: WeeklyPeaks): number {
  const now = levelAt(0);
  const peaks = peak.map((value, i) => value * Math.exp(now - levelAt(week[i] as number)));
  return busyWeekOf(peaks) ?? 0;
}

const logarithmOf = (licenses: number): number => Math.log(Math.max(licenses, tuning.leastNeed));

/**
 * Whether use is higher than half a year ago and before, or has fallen and come back in part: how far it goes on, the past does not
 * show. Between the weeks with which it breaks, the level is a line.
 */
function hasOpenRise({ levelAt, breaks }: Explanation, oldest: number): boolean {
  const half = Math.max(oldest, -tuning.riseWeeks);
  const weeks = [oldest, half, ...breaks.flatMap((week) => [week - 1, week]), 0].sort((a, b) => a - b);
  const now = levelAt(0);
  let highest = Number.NEGATIVE_INFINITY;
  /** The lowest level, and the highest one before it. */
  let lowest = Number.POSITIVE_INFINITY;
  let highestBefore = Number.NEGATIVE_INFINITY;
  let highestToHalf = Number.NEGATIVE_INFINITY;
  for (const week of weeks) {
    const level = levelAt(week);
    if (week <= half) highestToHalf = Math.max(highestToHalf, level);
    highest = Math.max(highest, level);
    if (level >= lowest) continue;
    lowest = level;
    highestBefore = highest;
  }
  const isReturn = now - lowest > tuning.leastReturn && highestBefore - now > tuning.leastReturn;
  return isReturn || now - highestToHalf >= tuning.leastRise;
}

interface Explained {
  readonly explanations: Explanations;
  readonly oldest: number;
  readonly share: number;
}

function expectationsOf(
  { explanations: { items, count, independent }, oldest, share }: Explained,
  newest: WeeklyPeaks,
  days: WindowDays,
): Expectation[] {
  return items.map((one): Expectation => {
    const { levelAt, terms, fit, variance, weight } = one;
    const spread = variance * (count / independent);
    const from = one.breaks.at(-1);
    const isNew = from !== undefined && from >= -tuning.riseWeeks;
    const [mostGrowth, mostSigma] = isNew
      ? [tuning.mostNewGrowth, tuning.mostNewGrowth]
      : [tuning.mostGrowth, tuning.mostSigma];
    const growthIn = (ahead: number): number => Math.min(mostGrowth, levelAt(ahead) - levelAt(0));
    return {
      weight: weight * share,
      from,
      year: logarithmOf(yearAtNow(one, days)),
      busyWeek: logarithmOf(busyWeekAtNow(one, newest)),
      mayRise: isGrowth(growthIn) || hasOpenRise(one, oldest),
      growthIn,
      sigmaIn: (ahead) => {
        const sigma = Math.sqrt(spread * (leverageOf(fit, terms(ahead)) + 1 / WEEKS));
        return Math.min(mostSigma, Math.max(tuning.leastSigma, sigma));
      },
    };
  });
}

/**
 * Two years tell noise from a change better, and the last year shows a change that has just begun: each has half of the weight. The
 * means of weeks are explained: they tell growth better than their peaks, each of which is that of one hour.
 *
 * @param weeks the newest two years
 * @param days the last year
 * @returns `undefined` without enough weeks
 */
export function outlookOf(weeks: WeeklyPeaks, days: WindowDays): Outlook | undefined {
  const lastYear = newestWeeks(weeks, tuning.yearAndBefore);
  if (weeks.week.length < tuning.leastWeeks) return undefined;
  const newest = newestWeeks(weeks, tuning.newestWeeks);
  const explained = ({ week, mean }: WeeklyPeaks, share: number): Explained => ({
    explanations: explain(week, mean),
    oldest: week[0] as number,
    share,
  });
  const hasYear = lastYear.week.length >= tuning.leastWeeks;
  const hasOlder = lastYear.week.length < weeks.week.length;
  const ofYear = hasYear ? explained(lastYear, hasOlder ? 0.5 : 1) : undefined;
  const ofAll = hasOlder ? explained(weeks, hasYear ? 0.5 : 1) : undefined;
  const all = [ofAll, ofYear].filter((one) => one !== undefined);
  return {
    expectations: all.flatMap((one) => expectationsOf(one, newest, days)),
    lastYear: ofYear?.explanations,
  };
}

interface Normal {
  readonly weight: number;
  readonly mean: number;
  readonly sigma: number;
}

const normalsIn = ({ expectations }: Outlook, what: 'year' | 'busyWeek', weeks: number): Normal[] =>
  expectations.map(({ weight, growthIn, sigmaIn, ...now }) => ({
    weight,
    mean: now[what] + growthIn(weeks),
    sigma: sigmaIn(weeks),
  }));

const shareBelow = (normals: readonly Normal[], at: number): number =>
  normals.reduce((sum, { weight, mean, sigma }) => sum + weight * normalShare((at - mean) / sigma), 0);

/**
 * How likely it is that this many licenses are enough.
 *
 * @param what the coming year, or a busy week some weeks ahead
 */
export function chanceOf(outlook: Outlook, what: 'year' | 'busyWeek', licenses: number, weeks = WEEKS): number {
  return shareBelow(normalsIn(outlook, what, weeks), logarithmOf(licenses));
}

/** The number of licenses, not whole, that is enough for the coming year with this chance. */
export function limitOf(outlook: Outlook, chance: number): number {
  const normals = normalsIn(outlook, 'year', WEEKS);
  let [low, high]: [number, number] = [tuning.lowest, tuning.highest];
  for (let i = 0; i < tuning.halvings; i += 1) {
    const middle = (low + high) / 2;
    if (shareBelow(normals, middle) < chance) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

/** Whether the level will have grown in a year by more than next to nothing. */
const isGrowth = (growthIn: Expectation['growthIn']): boolean => Math.expm1(growthIn(WEEKS)) >= tuning.leastGrowth;

const weightOf = ({ expectations }: Outlook, isMeant: (one: Expectation) => boolean): number =>
  expectations.reduce((sum, one) => sum + (isMeant(one) ? one.weight : 0), 0);

/**
 * The weight of the explanations by which use grows.
 *
 * @param age weeks for which it has grown at least
 */
export const weightOfGrowth = (outlook: Outlook, age = 0): number =>
  weightOf(outlook, ({ growthIn, from }) => isGrowth(growthIn) && (from === undefined || -from >= age));

/** The weight of the explanations by which use may rise further than a history can tell. */
export const weightOfRise = (outlook: Outlook): number => weightOf(outlook, ({ mayRise }) => mayRise);
