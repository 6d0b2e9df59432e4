import { evaluateDemand } from '../../../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../../../support/advice-context.ts';
import { AHEAD, drawHours, type Kind, PAST } from '../../../support/drawn-hours.ts';
import { recordHours, TODAY } from '../../../support/recorded-hours.ts';

/** What following "could go" brings in the year after it. */

/** Mean of the busiest hour of a working day. */
export const SIZES = [4, 30, 120];
/** Licenses, as a share of the peak of the last year. */
export const SHARES = [1.3, 1, 0.9];
/** Days of history. */
export const HISTORIES = [400, 730];
/** A year with more days with refusals lacks licenses. */
const MOST_SHORT_DAYS = 12;
const HOURS = 24;
const YEAR = 365;

/** Of one history, on one day. */
export interface Outcome {
  readonly kind: Kind;
  readonly share: number;
  readonly history: number;
  /** Days before the last one on which it was advised. */
  readonly ago: number;
  /** Licenses that could go. */
  readonly count: number;
  /** Whether it is of high confidence. */
  readonly isSure: boolean;
  /** Whether the year after it would have more than 12 days with refusals. */
  readonly isWrong: boolean;
  /** Licenses that could go for who knows the year after it. */
  readonly oracle: number;
}

/** The most that was wanted on each day, the first of the past first. */
const dailyPeaks = (hours: Int32Array): Int32Array =>
  Int32Array.from({ length: hours.length / HOURS }, (_, day) =>
    hours.subarray(day * HOURS, (day + 1) * HOURS).reduce((most, wanted) => Math.max(most, wanted), 0),
  );

/** What a history is tried with. */
export interface OutcomeOptions {
  /** Days that are recorded. */
  readonly histories?: readonly number[];
  /** Days in a row on which there is a pass, each with the year after it. */
  readonly days?: number;
}

/** One history with each number of licenses and each length, the oldest day first. */
export function outcomesOf(
  kind: Kind,
  size: number,
  seed: number,
  { histories = HISTORIES, days = 1 }: OutcomeOptions = {},
): Outcome[] {
  const hours = drawHours(kind, size, seed);
  const peaks = dailyPeaks(hours);
  const peak = Math.max(...peaks.subarray(PAST - YEAR, PAST));
  const enoughAfter = (ago: number): number => {
    const ahead = peaks.slice(PAST - ago, PAST - ago + AHEAD).sort();
    return Math.max(1, ahead.at(-1 - MOST_SHORT_DAYS) as number);
  };
  return SHARES.flatMap((share) => {
    const bought = Math.max(1, Math.round(peak * share));
    return histories.flatMap((history) => {
      let mayRiseBefore: boolean | undefined;
      return Array.from({ length: days }, (_, i): Outcome => {
        const ago = days - 1 - i;
        const demand = recordHours(hours, history, () => bought, -ago);
        const advice = evaluateDemand(
          demand,
          contextOf({ today: TODAY - ago, bought, refusalsRecorded: true, mayRiseBefore }),
        );
        mayRiseBefore = advice.mayRise;
        const count = advice.state === 'could go' ? (advice.count ?? 0) : 0;
        const enough = enoughAfter(ago);
        return {
          kind,
          share,
          history,
          ago,
          count,
          isSure: advice.confidence === 'high',
          isWrong: count > 0 && bought - count < enough,
          oracle: Math.max(0, bought - enough),
        };
      });
    });
  });
}

/** Shares of some outcomes, percent. */
export interface Figures {
  readonly wrong: number;
  readonly wrongOfAdvised: number;
  /** Of the advice of high confidence. */
  readonly wrongOfSure: number;
  /** Licenses of advice that was not wrong, of those of the oracle. */
  readonly given: number;
  readonly outcomes: number;
}

/** Adds up outcomes. NaN without any. */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const advised = outcomes.filter(({ count }) => count > 0);
  const wrongOf = (of: readonly Outcome[]): number => of.filter(({ isWrong }) => isWrong).length;
  const wrong = wrongOf(outcomes);
  const sure = advised.filter(({ isSure }) => isSure);
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + of(one), 0);
  const given = sum(({ count, isWrong, oracle }) => (isWrong ? 0 : Math.min(count, oracle)));
  return {
    wrong: (100 * wrong) / outcomes.length,
    wrongOfAdvised: (100 * wrong) / advised.length,
    wrongOfSure: (100 * wrongOf(sure)) / sure.length,
    given: (100 * given) / sum(({ oracle }) => oracle),
    outcomes: outcomes.length,
  };
}

/** How much advice changes from one day to the next one. */
export interface Steadiness {
  /** By which share the sum of what could go with high confidence changes: of half of the days, and of nine in ten, at most. */
  readonly median: number;
  readonly most: number;
  /** Share of days on which the number of a feature is another one. Percent, all three. */
  readonly changed: number;
}

/** @param outcomes of days in a row */
export function steadinessOf(outcomes: readonly Outcome[]): Steadiness {
  const totals = new Map<number, number>();
  let [changed, pairs] = [0, 0];
  for (const [i, { ago, count, isSure }] of outcomes.entries()) {
    totals.set(ago, (totals.get(ago) ?? 0) + (isSure ? count : 0));
    const before = outcomes[i - 1];
    if (before?.ago !== ago + 1) continue;
    pairs += 1;
    if (before.count !== count) changed += 1;
  }
  const sums = [...totals].sort(([a], [b]) => b - a).map(([, total]) => total);
  const moves = sums
    .slice(1)
    .map((sum, i) => (100 * Math.abs(sum - (sums[i] as number))) / Math.max(1, sum, sums[i] as number))
    .sort((a, b) => a - b);
  const at = (share: number): number => moves[Math.floor(share * moves.length)] ?? Number.NaN;
  return { median: at(0.5), most: at(0.9), changed: (100 * changed) / pairs };
}
