import { runAtOnce } from '../../../base/scheduling/slices.ts';
import type { Advice, AdviceContext, State } from './advice.ts';
import { applied } from './back-test.ts';
import { lastBought, type Regime, regimeOf } from './bought.ts';
import { confidenceOf, uncertaintiesOf } from './confidence.ts';
import { neededFor } from './curve.ts';
import { curveFigures } from './curve-figures.ts';
import { licensesToKeep } from './cut.ts';
import { decide } from './decision.ts';
import type { DayColumns, Demand } from './demand.ts';
import { enoughFrom } from './exclusions.ts';
import type { Findings, WindowFigures } from './findings.ts';
import { useDaysOf } from './findings.ts';
import { HourTally } from './hour-tally.ts';
import { expectedBy, LOOK_WEEKS, looksOf } from './look.ts';
import { enoughOnDays, tuning } from './outlook.ts';
import { reasonOf } from './reason.ts';
import { refusalsOf } from './refusals.ts';
import { runsOutBy } from './run-out.ts';
import {
  countDays,
  demandDays,
  newestWeeks,
  oldestCounted,
  recentPeakOf,
  someDays,
  WEEK,
  WEEKS,
  type WeeklyPeaks,
  WINDOW_DAYS,
  weeklyPeaks,
  YEAR_HOURS,
} from './window.ts';

/** From the recorded demand of one feature to what is found in it and the advice. */

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
  const tally = new HourTally({ today, workingTime, regimeFrom: regime.from, peak, waits: detail.waits });
  for (const day of detail.hours(...windowOf(today))) tally.add(day);
  return tally.figures();
}

/** Fewer days without use are a weekend or a holiday. */
const UNUSED_DAYS = 7;

/** The day after the last use, if at least a week shows that there was none. */
function unusedSince({ use: { last, lastUse } }: Findings): number | undefined {
  return lastUse === undefined || last === undefined || last - lastUse < UNUSED_DAYS ? undefined : lastUse + 1;
}

function reservedUnneeded({ days }: Demand, today: number, peak: number | undefined): number | undefined {
  const least = reduceWindow(days, days.reserved, today, Math.min);
  return least === undefined || peak === undefined ? undefined : Math.max(0, least - peak);
}

/** States in which the coming year is not known: where licenses are missing, a full pool hides what is needed. */
const unexpectedStates: ReadonlySet<State> = new Set(['no advice', 'not enough data', 'unused', 'missing']);

/** The oldest first. */
function peaksOfYear(weeks: WeeklyPeaks): (number | null)[] {
  const peaks = new Array<number | null>(WEEKS).fill(null);
  const { week, peak } = newestWeeks(weeks, WEEKS);
  for (const [i, one] of week.entries()) peaks[WEEKS - 1 + one] = peak[i] as number;
  return peaks;
}

/** What was counted is a fact; that nobody was denied is known only where denials are recorded. */
function refusalFigures({ refusals, figures }: Findings) {
  const { requests, others, window, regime } = figures.refusals;
  const isKnown = refusals.kind === 'known';
  const isCounted = isKnown || (requests ?? 0) > 0;
  return {
    refusalDays: isKnown ? window.days : undefined,
    refusalHours: isKnown ? window.hours : undefined,
    refusalsNow: isKnown ? { days: regime.days, recordedDays: regime.recordedDays } : undefined,
    otherRefusals: isKnown ? others : undefined,
    denials: isCounted ? requests : undefined,
    deniedDays: isCounted ? window.deniedDays : undefined,
    denialsKnownDays: isCounted ? window.recordedDays : undefined,
  };
}

/** Advice for one series from its recorded demand, in steps of about a millisecond. */
export function* evaluating(demand: Demand, context: AdviceContext): Generator<void, Advice> {
  const { today } = context;
  const lastKnown = context.bought === undefined ? lastBought(demand.days, today) : undefined;
  const bought = context.bought ?? lastKnown?.level;
  const regime = regimeOf(demand.days, bought, today);
  const figures = readFigures(demand, context, regime);
  yield;
  const known = demandDays(figures.days, demand.days, today, LOOK_WEEKS);
  const expected = expectedBy(yield* looksOf(known, today), context.mayRiseBefore);
  const findings: Findings = {
    context,
    bought,
    boughtAsOf: lastKnown?.day,
    regime,
    use: useDaysOf(demand.days, today),
    figures,
    refusals: refusalsOf(figures.refusals, { ...context, hoursFull: figures.full?.hours }, YEAR_HOURS),
    weeks: weeklyPeaks(someDays(known, 0, WEEKS * WEEK)),
    expected,
    likely: expected && licensesFor(expected.likely),
    enough: expected && licensesFor(expected.enough),
    needed: neededFor(figures, context.tolerance),
    beforeCut: beforeCut(demand.days, regime, today),
    mostReserved: reduceWindow(demand.days, demand.days.reserved, today, Math.max),
    days: countDays(figures.days),
  };
  const decision = decide(findings);
  const uncertainties = uncertaintiesOf(findings, decision.state);
  const { use, days } = findings;
  const isExpected = !unexpectedStates.has(decision.state);
  const historyDays = (oldestCounted(figures.days) ?? -1) + 1;
  return {
    ...demand.series,
    computed: today,
    bought,
    boughtAsOf: findings.boughtAsOf,
    peak: figures.peak,
    // a peak of 0 is every day
    peakDay: figures.peak === 0 ? undefined : figures.peakDay,
    recentPeak: recentPeakOf(figures.days),
    p95: figures.p95,
    p99: figures.p99,
    needed: findings.needed,
    lastYear: licensesToKeep(findings)?.ofTheYear,
    hoursAtLeast: figures.hoursAtLeast,
    utilisation: figures.utilisation,
    fullHours: figures.full?.hoursAYear,
    ...refusalFigures(findings),
    growth: expected?.growth ?? { kind: 'unknown' },
    likely: isExpected ? findings.likely : undefined,
    enough: isExpected ? findings.enough : undefined,
    mayRise: expected?.mayRise,
    busyWeek: expected?.busyWeek,
    weeklyPeaks: decision.state === 'could go' || decision.state === 'missing' ? peaksOfYear(findings.weeks) : [],
    runsOut: isExpected && expected && bought !== undefined ? runsOutBy(expected, bought, historyDays) : undefined,
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
    confidence: confidenceOf(findings, uncertainties),
    uncertainties,
    hasContract: context.hasContract ?? true,
    applied: context.yearAgo === undefined ? undefined : applied(context.yearAgo, demand.days, today),
  };
}

/** The same at once. */
export const evaluateDemand = (demand: Demand, context: AdviceContext): Advice =>
  runAtOnce(evaluating(demand, context));
