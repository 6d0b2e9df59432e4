import type { LocalHour } from '../../base/model/local-time.ts';
import { isUncountedFigure, UNCOUNTED } from '../../base/model/uncounted.ts';
import type { HourSummary, Level } from './hour-summary.ts';
import { addKnown, type Figures, highest, type Sample, type WholeSlot } from './sample.ts';
import { sumOf } from './usage.ts';

/** What is known of a series, or of several added up, from one second to another. */
export interface Segment extends Figures {
  readonly from: number;
  readonly to: number;
  /** Of the whole time, if it is known. */
  readonly whole?: WholeSlot | undefined;
}

/** A sample stands until its time is over, the next one, or the end of the frame; for a second at least. */
const endOfSample = ({ at, seconds }: Sample, next: Sample | undefined, end: number): number =>
  Math.max(at + 1, Math.min(at + seconds, next?.at ?? end, end));

/** What is known of the whole time of a sample, if it stands so long. */
const wholeUntil = ({ at, seconds, whole }: Sample, to: number): WholeSlot | undefined =>
  to - at === seconds ? whole : undefined;

function segmentsOfSamples(samples: readonly Sample[], end: number): Segment[] {
  return samples.map((sample, i) => {
    const to = endOfSample(sample, samples[i + 1], end);
    const { at, available, inUse, reserved, users, denials } = sample;
    return { from: at, to, available, inUse, reserved, users, denials, whole: wholeUntil(sample, to) };
  });
}

/**
 * Where only the hour is left, its levels are taken to have come in falling order from its beginning. A peak has no time of its
 * own: it is one of the part after it.
 */
function segmentsOfHours(summaries: readonly HourSummary[], hours: readonly LocalHour[]): Segment[] {
  return summaries.flatMap(({ index, levels, available, reserved, users, denials }) => {
    let from = hours[index]?.start ?? 0;
    let peak: number | undefined;
    let isFirst = true;
    return levels.flatMap(([inUse, seconds]): readonly Segment[] => {
      if (seconds === 0) {
        peak = highest(peak, inUse);
        return [];
      }
      const whole = peak === undefined ? undefined : { peak, licenseSeconds: undefined };
      const counted = isFirst || denials === undefined ? denials : 0;
      const segment = { from, to: from + seconds, available, inUse, reserved, users, denials: counted, whole };
      peak = undefined;
      isFirst = false;
      from += seconds;
      return [segment];
    });
  });
}

/** What is known of a day of a series, part by part, in order. Denials count at the beginning of a part. @param end first second after the day */
export function segmentsOf(record: DayRecord, hours: readonly LocalHour[], end: number): readonly Segment[] {
  return 'samples' in record ? segmentsOfSamples(record.samples, end) : segmentsOfHours(record.hours, hours);
}

/** Adds up what several series had at the same time of a day, which begins at `start`. */
type AddUp = (curves: readonly (readonly Segment[])[], start: number) => Segment[];

const HOUR = 3600;

/** Longest local day, seconds, and then some. */
const MAX_SECONDS = 30 * 3600;

/** A figure that changes at some seconds, and how many series do not know it. */
interface Running {
  change(i: number, by: 1 | -1, figure: number | undefined): void;
  /** Applies the changes of a second and forgets them. */
  advance(i: number): void;
  /** Unknown while a series does not know it. */
  value(): number | undefined;
}

function createRunning(): Running {
  const changes = new Float64Array(MAX_SECONDS + 1);
  const unknownChanges = new Int32Array(MAX_SECONDS + 1);
  let sum = 0;
  let unknown = 0;
  return {
    change: (i, by, figure) => {
      if (figure === undefined) unknownChanges[i] = (unknownChanges[i] ?? 0) + by;
      else changes[i] = (changes[i] ?? 0) + by * figure;
    },
    advance: (i) => {
      sum += changes[i] ?? 0;
      unknown += unknownChanges[i] ?? 0;
      changes[i] = unknownChanges[i] = 0;
    },
    value: () => (unknown > 0 ? undefined : sum),
  };
}

/** By the second, in memory that is used again for each day: its cost is that of the segments, not of the seconds. */
function createAddUp(): AddUp {
  const isChange = new Uint8Array(MAX_SECONDS + 1);
  const series = createRunning();
  /** The series with uncounted licenses, which are in no sum. */
  const uncounted = createRunning();
  const available = createRunning();
  const inUse = createRunning();
  const reserved = createRunning();

  const change = (i: number, by: 1 | -1, segment: Segment): void => {
    isChange[i] = 1;
    series.change(i, by, 1);
    const isUncounted = segment.available !== undefined && isUncountedFigure(segment.available);
    uncounted.change(i, by, isUncounted ? 1 : 0);
    available.change(i, by, isUncounted ? 0 : segment.available);
    inUse.change(i, by, segment.inUse);
    reserved.change(i, by, segment.reserved);
  };

  return (curves, start) => {
    for (const curve of curves) {
      for (const segment of curve) {
        change(Math.min(segment.from - start, MAX_SECONDS), 1, segment);
        change(Math.min(segment.to - start, MAX_SECONDS), -1, segment);
      }
    }
    const sum: Segment[] = [];
    let from = 0;
    for (let i = isChange.indexOf(1); i !== -1; i = isChange.indexOf(1, i + 1)) {
      if (series.value() !== 0) {
        const licenses = uncounted.value() === series.value() ? UNCOUNTED : available.value();
        const figures = { available: licenses, inUse: inUse.value(), reserved: reserved.value() };
        sum.push({ from: start + from, to: start + i, ...figures, users: undefined, denials: undefined });
      }
      for (const figure of [series, uncounted, available, inUse, reserved]) figure.advance(i);
      isChange[i] = 0;
      from = i;
    }
    return sum;
  };
}

/** The data of one series for a local day: samples, or only hours if the samples were deleted. */
export type DayRecord = { readonly samples: readonly Sample[] } | { readonly hours: readonly HourSummary[] };

/** A local day to summarise. */
export interface DayFrame {
  readonly hours: readonly LocalHour[];
  /** First second after the day, or after now in the unfinished one. */
  readonly end: number;
}

/** The hours of a day of one series, or of several added up. */
export type SummariseDay = (records: readonly DayRecord[], frame: DayFrame) => HourSummary[];

/** Of users at several series the highest number counts. Keeps memory for further days. */
export function createDaySummary(): SummariseDay {
  let addUp: AddUp | undefined;
  return (records, frame) =>
    summarise(records, frame, (curves, start) => {
      addUp ??= createAddUp();
      return addUp(curves, start);
    });
}

interface OpenHour {
  available: number | undefined;
  reserved: number | undefined;
  users: number | undefined;
  /** Of each series. */
  readonly denials: (number | undefined)[];
  readonly levels: Map<number | undefined, number>;
  /** Between the moments of samples; -1 if that is not known. */
  peak: number;
}

/** Called for each hour that a segment touches, with the seconds of it that lie there. */
type Visit = (hour: OpenHour, segment: Segment, seconds: number, isFirst: boolean) => void;

/** The hours of a day that have data. */
class OpenDay {
  readonly #hours: readonly LocalHour[];
  readonly #open = new Map<number, OpenHour>();

  constructor(hours: readonly LocalHour[]) {
    this.#hours = hours;
  }

  at(index: number): OpenHour {
    let hour = this.#open.get(index);
    if (hour === undefined) {
      hour = { available: undefined, reserved: undefined, users: undefined, denials: [], levels: new Map(), peak: -1 };
      this.#open.set(index, hour);
    }
    return hour;
  }

  /** Segments are in order of time. */
  eachHour(segments: readonly Segment[], visit: Visit): void {
    const endOf = (i: number): number => this.#hours[i + 1]?.start ?? Number.POSITIVE_INFINITY;
    let index = 0;
    for (const segment of segments) {
      while (endOf(index) <= segment.from) index += 1;
      let from = segment.from;
      for (let i = index; from < segment.to; i += 1) {
        const to = Math.min(segment.to, endOf(i));
        visit(this.at(i), segment, to - from, i === index);
        from = to;
      }
    }
  }

  summaries(): HourSummary[] {
    return [...this.#open]
      .sort(([a], [b]) => a - b)
      .map(([index, { denials, levels, peak, ...rest }]) => ({
        index,
        ...rest,
        denials: sumOf(denials),
        levels: withPeak(levels.size === 1 ? [...levels] : [...levels].sort(([a = -1], [b = -1]) => b - a), peak),
      }));
  }
}

/** A peak between the moments of samples is a level of no time. */
function withPeak(levels: readonly Level[], peak: number): readonly Level[] {
  const [highestLevel] = levels[0] ?? [];
  return peak > (highestLevel ?? -1) ? [[peak, 0], ...levels] : levels;
}

function summarise(records: readonly DayRecord[], { hours, end }: DayFrame, addUp: AddUp): HourSummary[] {
  const day = new OpenDay(hours);
  const curves = records.map((record) =>
    'samples' in record ? segmentsOfSamples(record.samples, end) : segmentsOfHours(record.hours, hours),
  );
  const isAlone = curves.length === 1;
  const sum = isAlone ? (curves[0] ?? []) : addUp(curves, hours[0]?.start ?? 0);
  day.eachHour(sum, (hour, { from, to, inUse, available, reserved, whole }, seconds) => {
    // of a longer time nobody knows in which hour the peak was
    if (whole?.peak !== undefined && to - from <= HOUR) hour.peak = Math.max(hour.peak, whole.peak);
    hour.levels.set(inUse, (hour.levels.get(inUse) ?? 0) + seconds);
    hour.available = highest(hour.available, available);
    hour.reserved = highest(hour.reserved, reserved);
  });
  for (const [i, record] of records.entries()) {
    const refused = new Map<OpenHour, number | undefined>();
    day.eachHour(curves[i] ?? [], (hour, { users, denials }, _, isFirst) => {
      hour.users = highest(hour.users, users);
      // the denials of a sample count in the hour where it begins
      const count = denials === undefined || isFirst ? denials : 0;
      refused.set(hour, addKnown(refused.get(hour), count));
    });
    if ('hours' in record) for (const { index, denials } of record.hours) refused.set(day.at(index), denials);
    for (const [hour, denials] of refused) hour.denials.push(denials);
  }
  return day.summaries();
}

/** The figures of a day; `undefined` for what was not known at any time of it. */
export interface DayTotals {
  /** Maximum of the day. */
  readonly available: number | undefined;
  /** Maximum of the day. */
  readonly inUse: number | undefined;
  /** Maximum of the day. */
  readonly reserved: number | undefined;
  /** Maximum of the day. */
  readonly users: number | undefined;
  readonly denials: number | undefined;
  /** Licenses in use times seconds. */
  readonly licenseSeconds: number | undefined;
}

type OpenTotals = { -readonly [F in keyof DayTotals]?: number | undefined };

/** What the hours of a day add up to. A total of which no hour is known is not known. */
export function totalsOf(hours: readonly HourSummary[]): DayTotals {
  const totals: OpenTotals = {};
  for (const { available, reserved, users, denials, levels } of hours) {
    totals.available = highest(totals.available, available);
    totals.inUse = highest(totals.inUse, levels[0]?.[0]);
    totals.reserved = highest(totals.reserved, reserved);
    totals.users = highest(totals.users, users);
    totals.denials = addKnown(totals.denials, denials);
    for (const [inUse, seconds] of levels) {
      if (inUse !== undefined) totals.licenseSeconds = addKnown(totals.licenseSeconds, inUse * seconds);
    }
  }
  const { available, inUse, reserved, users, denials, licenseSeconds } = totals;
  return { available, inUse, reserved, users, denials, licenseSeconds };
}

/**
 * The totals of a day of one series. What is known of whole slots counts: the license-hours of a log are exact, and those of a day
 * of which nothing else is known are in no hour.
 */
export function totalsOfDay(samples: readonly Sample[], hours: readonly HourSummary[], end: number): DayTotals {
  const totals = totalsOf(hours);
  let { inUse } = totals;
  let licenseSeconds: number | undefined;
  for (const [i, sample] of samples.entries()) {
    const to = endOfSample(sample, samples[i + 1], end);
    const whole = wholeUntil(sample, to);
    const known = whole?.licenseSeconds ?? (sample.inUse === undefined ? undefined : sample.inUse * (to - sample.at));
    licenseSeconds = addKnown(licenseSeconds, known);
    inUse = highest(inUse, whole?.peak);
  }
  return { ...totals, inUse, licenseSeconds };
}
