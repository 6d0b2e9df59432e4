/**
 * History by the hour: what every history endpoint is computed from, and what is kept of samples for years. Within an
 * hour it is kept how long how many licenses were in use, not when.
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
   * where data lacks.
   */
  readonly levels: readonly Level[];
}

export type Level = readonly [inUse: number | undefined, seconds: number];
