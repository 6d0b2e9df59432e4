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

/** Of one history. */
export interface Outcome {
  readonly kind: Kind;
  readonly share: number;
  readonly history: number;
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

/** One history with each number of licenses and each length. */
export function outcomesOf(
  kind: Kind,
  size: number,
  seed: number,
  histories: readonly number[] = HISTORIES,
): Outcome[] {
  const hours = drawHours(kind, size, seed);
  const peaks = dailyPeaks(hours);
  const ahead = peaks
    .slice(PAST, PAST + AHEAD)
    .sort()
    .reverse();
  const enough = Math.max(1, ahead[MOST_SHORT_DAYS] as number);
  const peak = Math.max(...peaks.subarray(PAST - YEAR, PAST));
  return SHARES.flatMap((share) => {
    const bought = Math.max(1, Math.round(peak * share));
    return histories.map((history) => {
      const demand = recordHours(hours, history, () => bought);
      const advice = evaluateDemand(demand, contextOf({ today: TODAY, bought, refusalsRecorded: true }));
      const count = advice.state === 'could go' ? (advice.count ?? 0) : 0;
      return {
        kind,
        share,
        history,
        count,
        isSure: advice.confidence === 'high',
        isWrong: count > 0 && bought - count < enough,
        oracle: Math.max(0, bought - enough),
      };
    });
  });
}

/** Shares of some outcomes, percent. */
export interface Figures {
  readonly wrong: number;
  readonly wrongOfAdvised: number;
  /** Licenses of advice that was not wrong, of those of the oracle. */
  readonly given: number;
  readonly outcomes: number;
}

/** Adds up outcomes. NaN without any. */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const advised = outcomes.filter(({ count }) => count > 0);
  const wrong = outcomes.filter(({ isWrong }) => isWrong).length;
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + of(one), 0);
  const given = sum(({ count, isWrong, oracle }) => (isWrong ? 0 : Math.min(count, oracle)));
  return {
    wrong: (100 * wrong) / outcomes.length,
    wrongOfAdvised: (100 * wrong) / advised.length,
    given: (100 * given) / sum(({ oracle }) => oracle),
    outcomes: outcomes.length,
  };
}
