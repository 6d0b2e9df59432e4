import type { Advice, AdviceContext, RunsOut } from './advice.ts';
import { applied } from './back-test.ts';
import { lastBought, type Regime, regimeOf } from './bought.ts';
import { neededFor } from './curve.ts';
import { curveFigures } from './curve-figures.ts';
import { riseText } from './cut.ts';
import { type Decision, decide } from './decision.ts';
import type { DayColumns, Demand } from './demand.ts';
import { enoughFrom } from './exclusions.ts';
import type { Findings, WindowFigures } from './findings.ts';
import { useDaysOf } from './findings.ts';
import { growthOf } from './growth.ts';
import { HourTally } from './hour-tally.ts';
import {
  busyWeekOf,
  chanceOf,
  enoughOnDays,
  limitOf,
  type Outlook,
  outlookOf,
  tuning,
  weightOfGrowth,
} from './outlook.ts';
import { reasonOf } from './reason.ts';
import { refusalsOf } from './refusals.ts';
import { uncertainReservations } from './reservations.ts';
import {
  countDays,
  demandDays,
  HIGH_DAYS,
  newestWeeks,
  oldestCounted,
  PROVISIONAL_DAYS,
  recentPeakOf,
  WEEK,
  WEEKS,
  type WeeklyPeaks,
  WINDOW_DAYS,
  weeklyPeaks,
  YEAR_HOURS,
} from './window.ts';

/** From the recorded demand of one feature to what is found in it and the advice. */

/** Chances that the licenses are still enough: on the day itself, and at both ends of the range. */
const EVEN = 0.5;
const EARLIEST = 0.95;
const LATEST = 0.05;
/** A date further ahead than this is no end of a range. Weeks. */
const NO_END = 3 * WEEKS;

/**
 * @param historyDays length of the history: no date is further ahead
 * @returns `undefined` unless it is likely that use grows and that the licenses run out within a year
 */
function runsOutOf(
  outlook: Outlook,
  bought: number,
  { today, historyDays }: { today: number; historyDays: number },
): RunsOut | undefined {
  if (weightOfGrowth(outlook, tuning.leastAge) < EVEN) return undefined;
  const weekOf = (chance: number, last: number): number | undefined => {
    for (let week = 0; week <= last; week += 1) {
      if (chanceOf(outlook, 'busyWeek', bought, week) < chance) return week;
    }
    return undefined;
  };
  const week = weekOf(EVEN, Math.min(WEEKS, Math.floor(historyDays / WEEK)));
  if (week === undefined) return undefined;
  const latest = weekOf(LATEST, NO_END);
  return {
    day: today + WEEK * week,
    earliest: today + WEEK * (weekOf(EARLIEST, week) ?? week),
    latest: latest === undefined ? undefined : today + WEEK * latest,
  };
}

/** Chances with which licenses are enough. */
const LIKELY = 0.5;
const ENOUGH = 0.92;
/** As many whole licenses as a limit means. */
const licensesFor = (limit: number): number => Math.max(0, Math.ceil(limit - tuning.noLicense));

/** The days of the window from one to before another. */
const windowOf = (today: number): readonly [from: number, to: number] => [today - WINDOW_DAYS, today];

/** A column of the days of the window, reduced; `undefined` without a known value. */
function reduceWindow(
  { day }: DayColumns,
  column: Float64Array,
  today: number,
  pick: (a: number, b: number) => number,
): number | undefined {
  const [from, to] = windowOf(today);
  let result: number | undefined;
  for (let i = 0; i < day.length; i += 1) {
    const [at, value] = [day[i] ?? to, column[i] ?? Number.NaN];
    if (at < from || at >= to || Number.isNaN(value)) continue;
    result = result === undefined ? value : pick(result, value);
  }
  return result;
}

/** What the days of the window needed before licenses were given back. */
function beforeCut({ day, inUse }: DayColumns, { change }: Regime, today: number): number | undefined {
  if (change === undefined || change.after >= change.before) return undefined;
  const [from] = windowOf(today);
  const peaks = inUse.filter((_, i) => (day[i] as number) >= from && (day[i] as number) < change.day);
  return peaks.length === 0 ? undefined : enoughOnDays(peaks);
}

function readFigures({ days, detail }: Demand, { today, workingTime }: AdviceContext, regime: Regime): WindowFigures {
  if (detail.kind === 'curve') {
    const options = { today, regimeFrom: regime.from, level: regime.level };
    return curveFigures(days, detail.hoursAtLeast, options);
  }
  const peak = reduceWindow(days, days.inUse, today, Math.max) ?? 0;
  const tally = new HourTally({ today, workingTime, regimeFrom: regime.from, peak });
  for (const day of detail.hours(...windowOf(today))) tally.add(day);
  return tally.figures();
}

function confidenceOf(findings: Findings, { state }: Decision): Advice['confidence'] {
  const { days } = findings;
  if (days < PROVISIONAL_DAYS) return 'none';
  const mayBeWrong = state === 'could go' && riseText(findings) !== undefined;
  const isUncertain = uncertainReservations(findings, state) !== undefined;
  return days >= HIGH_DAYS && !isUncertain && !mayBeWrong ? 'high' : 'provisional';
}

/** The day after the last use, if a later day shows that there was none. */
function unusedSince({ use: { last, lastUse } }: Findings): number | undefined {
  return lastUse === undefined || last === undefined || last <= lastUse ? undefined : lastUse + 1;
}

function reservedUnneeded({ days }: Demand, today: number, peak: number | undefined): number | undefined {
  const least = reduceWindow(days, days.reserved, today, Math.min);
  return least === undefined || peak === undefined ? undefined : Math.max(0, least - peak);
}

/** The oldest first. */
function peaksOfYear(weeks: WeeklyPeaks): (number | null)[] {
  const peaks = new Array<number | null>(WEEKS).fill(null);
  const { week, peak } = newestWeeks(weeks, WEEKS);
  for (const [i, one] of week.entries()) peaks[WEEKS - 1 + one] = peak[i] as number;
  return peaks;
}

/** Advice for one series from its recorded demand. With a year of hours, it takes a few milliseconds. */
export function evaluateDemand(demand: Demand, context: AdviceContext): Advice {
  const { today } = context;
  const lastKnown = context.bought === undefined ? lastBought(demand.days, today) : undefined;
  const bought = context.bought ?? lastKnown?.level;
  const regime = regimeOf(demand.days, bought, today);
  const figures = readFigures(demand, context, regime);
  const weeks = weeklyPeaks(demandDays(figures.days, demand.days, today, 2 * WEEKS));
  const outlook = outlookOf(weeks, figures.days);
  const [likely, enough] = [LIKELY, ENOUGH].map((chance) => outlook && licensesFor(limitOf(outlook, chance)));
  const busyWeek = busyWeekOf(newestWeeks(weeks, tuning.newestWeeks).peak);
  const findings: Findings = {
    context,
    bought,
    boughtAsOf: lastKnown?.day,
    regime,
    use: useDaysOf(demand.days, today),
    figures,
    refusals: refusalsOf(figures.refusals, { ...context, hoursFull: figures.full?.hours }, YEAR_HOURS),
    weeks,
    growth: growthOf(weeks, busyWeek ?? 0, today),
    outlook,
    likely,
    enough,
    busyWeek,
    needed: neededFor(figures, context.tolerance),
    beforeCut: beforeCut(demand.days, regime, today),
    mostReserved: reduceWindow(demand.days, demand.days.reserved, today, Math.max),
    days: countDays(figures.days),
  };
  const decision = decide(findings);
  const { refusals, use, days } = findings;
  const historyDays = (oldestCounted(figures.days) ?? -1) + 1;
  // a rise of some weeks may be anything: without enough data, a date would be a guess
  const hasAdvice = decision.state !== 'no advice' && decision.state !== 'not enough data';
  const canRunOut = hasAdvice && bought !== undefined && outlook !== undefined;
  return {
    ...demand.series,
    computed: today,
    bought,
    boughtAsOf: findings.boughtAsOf,
    peak: figures.peak,
    peakDay: figures.peakDay,
    recentPeak: recentPeakOf(figures.days),
    p95: figures.p95,
    p99: figures.p99,
    needed: findings.needed,
    hoursAtLeast: figures.hoursAtLeast,
    fullHours: figures.full?.hoursAYear,
    refusalDays: refusals.kind === 'known' ? refusals.days : undefined,
    refusalHours: refusals.kind === 'known' ? refusals.hours : undefined,
    otherRefusals: refusals.kind === 'known' ? figures.refusals.others : undefined,
    // what was counted is a fact; that nobody was denied is known only where denials are recorded
    denials: refusals.kind === 'known' ? figures.refusals.requests : figures.refusals.requests || undefined,
    growth: findings.growth,
    likely,
    enough,
    busyWeek: findings.busyWeek,
    weeklyPeaks: decision.state === 'could go' || decision.state === 'missing' ? peaksOfYear(weeks) : [],
    runsOut: canRunOut ? runsOutOf(outlook, bought, { today, historyDays }) : undefined,
    reservedUnneeded: reservedUnneeded(demand, today, figures.peak),
    unusedSince: unusedSince(findings),
    isNeverUsed: use.last !== undefined && use.lastUse === undefined,
    state: decision.state,
    count: decision.count,
    countRange: decision.countRange,
    reason: reasonOf(findings, decision),
    enoughFrom: decision.state === 'not enough data' ? enoughFrom(findings, figures.days) : undefined,
    days,
    coverage: days / WINDOW_DAYS,
    confidence: confidenceOf(findings, decision),
    hasContract: context.hasContract ?? true,
    applied: context.yearAgo === undefined ? undefined : applied(context.yearAgo, demand.days, today),
  };
}
