/**
 * Hourly history. Every history endpoint is computed from it, and it is kept for years after the samples are deleted. For each
 * number of licenses in use it contains how long it lasted in the hour, but not when.
 */
export interface HourSummary {
  /** Place of the hour in its local day (`LocalTime.hoursOf`). */
  readonly index: number;
  /** Maximum in the hour. */
  readonly available: number | undefined;
  /** Maximum in the hour. */
  readonly reserved: number | undefined;
  /** Maximum in the hour. */
  readonly users: number | undefined;
  /** Sum over the hour. */
  readonly denials: number | undefined;
  /**
   * Seconds at each number of licenses in use, the highest number first and the unknown last. Together less than the hour
   * where data lacks. The first one has 0 seconds if a log shows a peak between the moments at which use is recorded.
   */
  readonly levels: readonly Level[];
}

/** How long a number of licenses was in use within an hour; `undefined` where it was not known. */
export type Level = readonly [inUse: number | undefined, seconds: number];
