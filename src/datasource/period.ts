import { dateText, type LocalTime } from '../model/local-time.ts';
import { durationCode, type TimeRange, type Values } from './query.ts';

/** The period of a request of GetEfficiency or GetHeatMap (spec 4.8, 4.9). */
export interface Period {
  readonly year: string;
  /** 1 to 12. */
  readonly month: string;
  readonly last?: string;
  /** A notice if another period than the requested one is shown. */
  readonly notice?: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The durations that end now, in days, shortest first. */
const upToNow = [
  ['101', 1],
  ['107', 7],
  ['465', 365],
] as const;

/** The shortest duration that covers the range, else the longest one. */
function covering({ from }: TimeRange, to: number): string {
  const days = from === undefined ? Number.POSITIVE_INFINITY : (to - from) / DAY_MS;
  return upToNow.find(([, length]) => days <= length)?.[0] ?? '465';
}

/**
 * A duration counts back from now, so it is only sent if the range ends within an hour of now. Otherwise the month in which
 * the range ends is requested. An end in the future counts as now, because "today" in a dashboard ends at midnight.
 *
 * @param now epoch milliseconds
 */
export function periodOf(values: Values, range: TimeRange, now: number, localTime: LocalTime): Period {
  const to = Math.min(range.to ?? now, now);
  const [year = '', month = ''] = dateText(localTime.dayOf(to / 1000)).split('-');
  const asked = { year: values.year ?? String(Number(year)), month: values.month ?? String(Number(month)) };
  const name = `${asked.year}-${asked.month.padStart(2, '0')}`;
  const isMonthAsked = values.year !== undefined || values.month !== undefined;
  const explicit = durationCode(values.last);
  if (isMonthAsked && explicit === undefined) return asked;
  if (now - to > HOUR_MS) {
    const what = explicit === undefined ? 'this range' : `last ${values.last}`;
    return { ...asked, notice: `${what} does not end now, so the month ${name} is shown` };
  }
  return { ...asked, last: explicit ?? covering(range, to) };
}
