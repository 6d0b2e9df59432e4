import type { LocalHour } from '../model/local-time.ts';
import type { Sample } from './sample.ts';

/**
 * History by the hour: what every history endpoint is computed from, and what is kept of samples for years. Within an
 * hour it is kept how long how many licenses were in use, not when.
 */
export interface HourSummary {
  /** Place of the hour in its local day (`LocalTime.hoursOf`). */
  readonly index: number;
  /** Maximum in the hour. */
  readonly available: number;
  /** Maximum in the hour. */
  readonly reserved: number;
  /** Maximum in the hour. */
  readonly users: number;
  /** Sum over the hour. */
  readonly denials: number;
  /** Seconds at each number of licenses in use, the highest number first. Together less than the hour where data lacks. */
  readonly levels: readonly Level[];
}

export type Level = readonly [inUse: number, seconds: number];

/** What is known of a series, or of several added up, from one second to another. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly available: number;
  readonly inUse: number;
  readonly reserved: number;
  readonly users: number;
}

/** What one series has of a local day: samples, or where those are gone the hours. */
export type DayRecord = { readonly samples: readonly Sample[] } | { readonly hours: readonly HourSummary[] };

/** A local day to summarise. */
export interface DayFrame {
  readonly hours: readonly LocalHour[];
  /** First second after the day, or after now in the unfinished one. */
  readonly end: number;
}

/** A sample stands until its time is over, the next one, or the end of the frame; for a second at least. */
function segmentsOfSamples(samples: readonly Sample[], end: number): Segment[] {
  return samples.map((sample, i) => {
    const to = Math.min(sample.at + sample.seconds, samples[i + 1]?.at ?? end, end);
    const { available, inUse, reserved, users } = sample;
    return { from: sample.at, to: Math.max(to, sample.at + 1), available, inUse, reserved, users };
  });
}

/** Where only the hour is left, its levels are taken to have come in falling order from its beginning. */
function segmentsOfHours(summaries: readonly HourSummary[], hours: readonly LocalHour[]): Segment[] {
  return summaries.flatMap(({ index, levels, available, reserved, users }) => {
    let from = hours[index]?.start ?? 0;
    return levels.map(([inUse, seconds]) => {
      const segment = { from, to: from + seconds, available, inUse, reserved, users };
      from += seconds;
      return segment;
    });
  });
}

/** Adds up what several series had at the same time, from the first second of a day to the end of its frame. */
type AddUp = (curves: readonly (readonly Segment[])[], start: number, end: number) => Segment[];

/** Longest local day, seconds, and then some. */
const MAX_SECONDS = 30 * 3600;

/** By the second, in memory that is used again for each day: its cost is that of the segments, not of the seconds. */
function createAddUp(): AddUp {
  const isChange = new Uint8Array(MAX_SECONDS + 1);
  const series = new Int32Array(MAX_SECONDS + 1);
  const available = new Float64Array(MAX_SECONDS + 1);
  const inUse = new Float64Array(MAX_SECONDS + 1);
  const reserved = new Float64Array(MAX_SECONDS + 1);

  const change = (i: number, by: 1 | -1, segment: Segment): void => {
    isChange[i] = 1;
    series[i] = (series[i] ?? 0) + by;
    available[i] = (available[i] ?? 0) + by * segment.available;
    inUse[i] = (inUse[i] ?? 0) + by * segment.inUse;
    reserved[i] = (reserved[i] ?? 0) + by * segment.reserved;
  };

  return (curves, start, end) => {
    const last = Math.min(Math.max(0, end - start), MAX_SECONDS);
    for (const curve of curves) {
      for (const segment of curve) {
        change(Math.min(segment.from - start, last), 1, segment);
        change(Math.min(segment.to - start, last), -1, segment);
      }
    }
    const sum: Segment[] = [];
    const now = { series: 0, available: 0, inUse: 0, reserved: 0 };
    let from = 0;
    for (let i = isChange.indexOf(1); i !== -1; i = isChange.indexOf(1, i + 1)) {
      const { series: count, ...figures } = now;
      if (count > 0) sum.push({ from: start + from, to: start + i, ...figures, users: 0 });
      now.series += series[i] ?? 0;
      now.available += available[i] ?? 0;
      now.inUse += inUse[i] ?? 0;
      now.reserved += reserved[i] ?? 0;
      isChange[i] = series[i] = available[i] = inUse[i] = reserved[i] = 0;
      from = i;
    }
    return sum;
  };
}

interface OpenHour {
  available: number;
  reserved: number;
  users: number;
  denials: number;
  readonly levels: Map<number, number>;
}

/** The hours of a day of one series, or of several added up. */
export type SummariseDay = (records: readonly DayRecord[], frame: DayFrame) => HourSummary[];

/** Of users at several series the highest number counts. Keeps memory for further days. */
export function createDaySummary(): SummariseDay {
  let addUp: AddUp | undefined;
  return (records, frame) =>
    summarise(records, frame, (curves, start, end) => {
      addUp ??= createAddUp();
      return addUp(curves, start, end);
    });
}

function summarise(records: readonly DayRecord[], { hours, end }: DayFrame, addUp: AddUp): HourSummary[] {
  const open = new Map<number, OpenHour>();
  const at = (index: number): OpenHour => {
    const known = open.get(index) ?? { available: 0, reserved: 0, users: 0, denials: 0, levels: new Map() };
    open.set(index, known);
    return known;
  };
  const endOf = (index: number): number => hours[index + 1]?.start ?? Number.POSITIVE_INFINITY;
  /** Calls back for each hour that each segment touches; segments are in order of time. */
  const eachHour = (
    segments: readonly Segment[],
    visit: (hour: OpenHour, segment: Segment, seconds: number) => void,
  ): void => {
    let index = 0;
    for (const segment of segments) {
      while (endOf(index) <= segment.from) index += 1;
      let from = segment.from;
      for (let i = index; from < segment.to; i += 1) {
        const to = Math.min(segment.to, endOf(i));
        visit(at(i), segment, to - from);
        from = to;
      }
    }
  };

  const curves = records.map((record) =>
    'samples' in record ? segmentsOfSamples(record.samples, end) : segmentsOfHours(record.hours, hours),
  );
  const isAlone = curves.length === 1;
  const sum = isAlone ? (curves[0] ?? []) : addUp(curves, hours[0]?.start ?? 0, end);
  eachHour(sum, (hour, { inUse, available, reserved }, seconds) => {
    hour.levels.set(inUse, (hour.levels.get(inUse) ?? 0) + seconds);
    hour.available = Math.max(hour.available, available);
    hour.reserved = Math.max(hour.reserved, reserved);
  });
  for (const curve of curves) {
    eachHour(curve, (hour, { users }) => {
      hour.users = Math.max(hour.users, users);
    });
  }
  for (const record of records) {
    if ('hours' in record) {
      for (const { index, denials } of record.hours) at(index).denials += denials;
      continue;
    }
    let index = 0;
    for (const sample of record.samples) {
      if (sample.denials === 0) continue;
      while (endOf(index) <= sample.at) index += 1;
      at(index).denials += sample.denials;
    }
  }
  return [...open]
    .sort(([a], [b]) => a - b)
    .map(([index, { levels, ...rest }]) => ({ index, ...rest, levels: [...levels].sort(([a], [b]) => b - a) }));
}

/** The figures of a day. */
export interface DayTotals {
  /** Maximum of the day. */
  readonly available: number;
  /** Maximum of the day. */
  readonly inUse: number;
  /** Maximum of the day. */
  readonly reserved: number;
  /** Maximum of the day. */
  readonly users: number;
  readonly denials: number;
  /** Licenses in use times seconds. */
  readonly licenseSeconds: number;
}

export function totalsOf(hours: readonly HourSummary[]): DayTotals {
  const totals = { available: 0, inUse: 0, reserved: 0, users: 0, denials: 0, licenseSeconds: 0 };
  for (const { available, reserved, users, denials, levels } of hours) {
    totals.available = Math.max(totals.available, available);
    totals.inUse = Math.max(totals.inUse, levels[0]?.[0] ?? 0);
    totals.reserved = Math.max(totals.reserved, reserved);
    totals.users = Math.max(totals.users, users);
    totals.denials += denials;
    for (const [inUse, seconds] of levels) totals.licenseSeconds += inUse * seconds;
  }
  return totals;
}
