import type { LocalTime } from '../../base/model/local-time.ts';

/** Every local day is divided into slots as long as the interval of collections; the last one may be shorter. */
export interface Slots {
  /** Seconds. */
  readonly interval: number;
  /** The beginning of the slot that a time lies in, whole epoch seconds. */
  of(at: number): number;
  /** The beginning of the next one. */
  after(at: number): number;
}

/**
 * Collections are recorded by slot, not by the moment they happened to run: then they neither overlap nor leave gaps
 * between them, and none of them reaches over midnight.
 */
export function createSlots(localTime: LocalTime, interval: number): Slots {
  const begin = (at: number): number => {
    const start = localTime.startOf(localTime.dayOf(at));
    return start + Math.floor((at - start) / interval) * interval;
  };
  return {
    interval,
    of: (at) => Math.floor(begin(at)),
    after: (at) => Math.min(begin(at) + interval, localTime.startOf(localTime.dayOf(at) + 1)),
  };
}
