import { MOST_SHORT_DAYS } from '../../src/insight/advice/method/back-test.ts';
import { evaluateDemand } from '../../src/insight/advice/method/evaluation.ts';
import { contextOf } from '../support/advice-context.ts';
import { AHEAD, PAST } from '../support/drawn-hours.ts';
import { recordHours, TODAY } from '../support/recorded-hours.ts';
import type { Feature } from './company.ts';

/** How many licenses of a feature to buy for the coming year, in the ways that people count it. All see the same records. */

const HOURS = 24;
const WEEK = 7;
const WEEKS = 52;
const YEAR = 365;
/** Monday to Friday, 8 to 18. */
const WORKING_HOURS = [8, 18] as const;
const WORKING_DAYS = 5;
/** The first day of the drawn past is a Monday. */
const isWorkingDay = (day: number): boolean => (day + PAST) % WEEK < WORKING_DAYS;
/** Of the requests that may be refused in the busiest hour, as it is taken for telephones. */
const MOST_REFUSED = 0.01;

/** Licenses in use in each hour of the last year: a full pool hides what else was wanted. */
const useOf = ({ hours, bought }: Feature): Int32Array =>
  hours.subarray((PAST - YEAR) * HOURS, PAST * HOURS).map((wanted) => Math.min(wanted, bought));

const dayOf = (use: Int32Array, day: number): Int32Array => use.subarray(day * HOURS, (day + 1) * HOURS);

function* workingDays(use: Int32Array): Generator<Int32Array> {
  for (let day = 0; day < YEAR; day += 1) if (isWorkingDay(day - YEAR)) yield dayOf(use, day);
}

const maximum = (values: Int32Array): number => values.reduce((most, value) => Math.max(most, value), 0);

function percentile95(feature: Feature): number {
  const used = [...workingDays(useOf(feature))].flatMap((day) => [...day.subarray(...WORKING_HOURS)]);
  return used.sort((a, b) => a - b)[Math.ceil(0.95 * used.length) - 1] as number;
}

/** Of the peaks of the weeks, to the end of the coming year. */
function straightLine(feature: Feature): number {
  const use = useOf(feature);
  const peaks = Array.from({ length: WEEKS }, (_, week) =>
    maximum(use.subarray((YEAR - (WEEKS - week) * WEEK) * HOURS, (YEAR - (WEEKS - week - 1) * WEEK) * HOURS)),
  );
  const mean = peaks.reduce((sum, peak) => sum + peak, 0) / WEEKS;
  const middle = (WEEKS - 1) / 2;
  const slope =
    peaks.reduce((sum, peak, week) => sum + (week - middle) * (peak - mean), 0) /
    peaks.reduce((sum, _, week) => sum + (week - middle) ** 2, 0);
  return Math.ceil(Math.max(mean + slope * middle, mean + slope * (middle + WEEKS)));
}

/** Erlang's loss formula for the mean of the busiest hour of the working day. */
function erlang(feature: Feature): number {
  const days = [...workingDays(useOf(feature))];
  const load = Math.max(
    ...Array.from(
      { length: HOURS },
      (_, hour) => days.reduce((sum, day) => sum + (day[hour] as number), 0) / days.length,
    ),
  );
  let [licenses, refused] = [0, 1];
  while (refused > MOST_REFUSED) {
    licenses += 1;
    refused = (load * refused) / (licenses + load * refused);
  }
  return licenses;
}

/** @param isSure whether only advice of high confidence is followed, as the sums of the page do; else provisional advice too */
function advised(feature: Feature, isSure: boolean): number {
  const { hours, bought } = feature;
  const demand = recordHours(hours, PAST, () => bought);
  const { state, count, confidence } = evaluateDemand(
    demand,
    contextOf({ today: TODAY, bought, refusalsRecorded: true }),
  );
  if (state === 'missing') return bought + (count ?? Math.ceil(bought / 10));
  return state === 'could go' && (confidence === 'high' || !isSure) ? bought - (count ?? 0) : bought;
}

/** Wanted on each day of the coming year at most. */
const peaksAhead = ({ hours }: Feature): Int32Array =>
  Int32Array.from({ length: AHEAD }, (_, day) => maximum(dayOf(hours, PAST + day)));

/** So few that there are refusals on no more days than a year can have. */
const enough = (feature: Feature): number => peaksAhead(feature).sort().reverse()[MOST_SHORT_DAYS] as number;

/** Names of the ways, in words, and what each of them says. */
export const ways: readonly (readonly [name: string, licenses: (feature: Feature) => number])[] = [
  ['as before', ({ bought }) => bought],
  ['maximum of the year', (feature) => maximum(useOf(feature))],
  ['95th percentile of working time', percentile95],
  ['straight line through weekly peaks', straightLine],
  ["Erlang's formula, busiest hour, 1 %", erlang],
  ['license-exporter, what its sums count', (feature) => advised(feature, true)],
  ['license-exporter, provisional advice too', (feature) => advised(feature, false)],
  ['who knows the year', enough],
];

/** What comes of a number of licenses. Money is EUR a year. */
export interface Outcome {
  readonly givenBack: number;
  readonly saved: number;
  readonly bought: number;
  readonly paid: number;
  /** Features with refusals on more than 12 days, and those of them that gave licenses back. */
  readonly short: number;
  readonly shortByGiving: number;
  /** Hours that people wanted to have a license and had none. */
  readonly refusedHours: number;
}

/** What comes of a way for all features. */
export function outcomeOf(features: readonly Feature[], licensesOf: (feature: Feature) => number): Outcome {
  const each = features.map((feature) => {
    const licenses = Math.max(1, licensesOf(feature));
    const more = licenses - feature.bought;
    const isShort = peaksAhead(feature).filter((peak) => peak > licenses).length > MOST_SHORT_DAYS;
    const refusedHours = feature.hours
      .subarray(PAST * HOURS)
      .reduce((total, wanted) => total + Math.max(0, wanted - licenses), 0);
    return { more, price: feature.price, isShort, refusedHours };
  });
  const sum = (of: (one: (typeof each)[number]) => number): number => each.reduce((total, one) => total + of(one), 0);
  return {
    givenBack: sum(({ more }) => Math.max(0, -more)),
    saved: sum(({ more, price }) => Math.max(0, -more) * price),
    bought: sum(({ more }) => Math.max(0, more)),
    paid: sum(({ more, price }) => Math.max(0, more) * price),
    short: sum(({ isShort }) => Number(isShort)),
    shortByGiving: sum(({ isShort, more }) => Number(isShort && more < 0)),
    refusedHours: sum((one) => one.refusedHours),
  };
}
