import type { LocalHour } from '../model/local-time.ts';
import { isUncountedFigure, UNCOUNTED } from '../model/uncounted.ts';
import type { HourSummary } from './hour-summary.ts';
import type { Figures, Sample } from './sample.ts';

/** What is known of a series, or of several added up, from one second to another. */
export interface Segment extends Figures {
  readonly from: number;
  readonly to: number;
}

/** A sample stands until its time is over, the next one, or the end of the frame; for a second at least. */
export function segmentsOfSamples(samples: readonly Sample[], end: number): Segment[] {
  return samples.map((sample, i) => {
    const to = Math.min(sample.at + sample.seconds, samples[i + 1]?.at ?? end, end);
    const { available, inUse, reserved, users, denials } = sample;
    return { from: sample.at, to: Math.max(to, sample.at + 1), available, inUse, reserved, users, denials };
  });
}

/** Where only the hour is left, its levels are taken to have come in falling order from its beginning. */
export function segmentsOfHours(summaries: readonly HourSummary[], hours: readonly LocalHour[]): Segment[] {
  return summaries.flatMap(({ index, levels, available, reserved, users, denials }) => {
    let from = hours[index]?.start ?? 0;
    return levels.map(([inUse, seconds]) => {
      const segment = { from, to: from + seconds, available, inUse, reserved, users, denials };
      from += seconds;
      return segment;
    });
  });
}

/** Adds up what several series had at the same time of a day, which begins at `start`. */
export type AddUp = (curves: readonly (readonly Segment[])[], start: number) => Segment[];

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
export function createAddUp(): AddUp {
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
