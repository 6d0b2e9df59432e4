import { dateText, type LocalTime } from '../../../base/model/local-time.ts';
import { durationCode, type TimeRange, type Values } from './query.ts';

/** Whole days of the analyzer, epoch milliseconds. `to` is the first moment after them. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Epoch milliseconds. Farther times, such as the end of the calendar of `Date`, are no bounds. */
const FAR = 8e15;

/** Whether the point of a day is shown. */
export const isWithin = ({ from, to }: DayRange, at: number): boolean => at >= from && at < to;

/**
 * The days of the analyzer that a time range means. Charts of history have one point a day, so that a total is right only over
 * whole days. A day belongs to the range if at least half of it does: October in a browser of another time zone is still
 * October. Of today, only the part that has passed counts. A range without such a day means the day in which it ends.
 *
 * @param now epoch milliseconds
 */
export function dayRange(range: TimeRange, now: number, localTime: LocalTime): DayRange {
  const [from, to] = [range.from, range.to].map((at) => (Math.abs(at ?? FAR) < FAR ? at : undefined));
  const dayOf = (at: number): number => localTime.dayOf(at / 1000);
  const startOf = (day: number): number => localTime.startOf(day) * 1000;
  const isMostlyWithin = (day: number): boolean => {
    const [start, midnight] = [startOf(day), startOf(day + 1)];
    const over = now > start && now < midnight ? now : midnight;
    const shown = Math.min(over, to ?? over) - Math.max(start, from ?? start);
    return shown > 0 && 2 * shown >= over - start;
  };
  const first = from === undefined ? Number.NEGATIVE_INFINITY : dayOf(from);
  const last = to === undefined ? Number.POSITIVE_INFINITY : dayOf(to);
  const [begin, end] = [
    from === undefined || isMostlyWithin(first) ? first : first + 1,
    to === undefined || isMostlyWithin(last) ? last : last - 1,
  ];
  if (begin > end) {
    const only = dayOf(Math.max(from ?? 0, (to ?? 0) - 1));
    return { from: startOf(only), to: startOf(only + 1) };
  }
  return {
    from: from === undefined ? begin : startOf(begin),
    to: to === undefined ? end : startOf(end + 1),
  };
}

/** The period of a request of GetEfficiency or GetHeatMap (spec 4.8, 4.9). */
export interface Period {
  readonly year: string;
  /** 1 to 12. */
  readonly month: string;
  readonly last?: string;
}

/** A period, its name, and a sentence that says what is shown and why. */
export interface ShownPeriod {
  readonly period: Period;
  /** `last 365 days` or `2026-10`. */
  readonly name: string;
  readonly notice: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The durations that end now, in days, shortest first. */
const upToNow = [
  ['101', 1],
  ['107', 7],
  ['465', 365],
] as const;

/** What the analyzer answers for a duration (spec 4.8). */
const durationTexts: Readonly<Record<string, string>> = {
  '101': 'last 24 hours',
  '107': 'last 7 days',
  '465': 'last 365 days',
  '201': 'previous week',
  '301': 'previous month',
  '401': 'previous quarter',
};

const lengthOf = ({ from }: TimeRange, to: number): number =>
  from === undefined ? Number.POSITIVE_INFINITY : (to - from) / DAY_MS;

/** The shortest duration that covers the range, else the longest one. */
const covering = (range: TimeRange, to: number): string =>
  upToNow.find(([, length]) => lengthOf(range, to) <= length)?.[0] ?? '465';

const covers = (code: string, range: TimeRange, to: number): boolean =>
  upToNow.some(([name, length]) => name === code && lengthOf(range, to) <= length);

/**
 * A duration counts back from now, so it is only sent if the range ends within an hour of now. Otherwise the month in which
 * the range ends is requested. An end in the future counts as now, because "today" in a dashboard ends at midnight.
 *
 * @param now epoch milliseconds
 */
export function periodOf(values: Values, range: TimeRange, now: number, localTime: LocalTime): ShownPeriod {
  const to = Math.min(range.to ?? now, now);
  const endsNow = now - to <= HOUR_MS;
  // the last day that the range means: October in UTC ends on 1 November in Berlin
  const last = endsNow ? to : dayRange(range, now, localTime).to - 1;
  const [year = '', month = ''] = dateText(localTime.dayOf(last / 1000)).split('-');
  const asked = { year: values.year ?? String(Number(year)), month: values.month ?? String(Number(month)) };
  const name = `${asked.year}-${asked.month.padStart(2, '0')}`;
  const isMonthAsked = values.year !== undefined || values.month !== undefined;
  const explicit = durationCode(values.last);
  if (isMonthAsked && explicit === undefined) return { period: asked, name, notice: `shown: ${name}` };
  if (!endsNow) {
    const what = explicit === undefined ? 'the time range' : `last ${values.last}`;
    return { period: asked, name, notice: `shown: ${name}, because ${what} does not end now` };
  }
  const code = explicit ?? covering(range, to);
  const text = durationTexts[code] ?? code;
  const why = explicit === undefined ? ', the shortest duration of the analyzer that covers the time range' : '';
  const isShort = explicit === undefined && !covers(code, range, to);
  return {
    period: { ...asked, last: code },
    name: text,
    notice: `shown: ${text}${isShort ? ', the longest duration of the analyzer' : why}`,
  };
}
