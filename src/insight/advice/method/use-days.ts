import type { DayColumns } from './demand.ts';

/** What all recorded days show of the use of a series. */
export interface UseDays {
  /** The first and the last day on which the use was known. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** The last day on which a license was in use. */
  readonly lastUse: number | undefined;
}

/** @param today does not count, nor do later days */
export function useDaysOf({ day, inUse }: DayColumns, today: number): UseDays {
  let first: number | undefined;
  let last: number | undefined;
  let lastUse: number | undefined;
  for (let i = 0; i < day.length; i += 1) {
    const [at, value] = [day[i] ?? today, inUse[i] ?? Number.NaN];
    if (at >= today || Number.isNaN(value)) continue;
    first ??= at;
    last = at;
    if (value > 0) lastUse = at;
  }
  return { first, last, lastUse };
}
