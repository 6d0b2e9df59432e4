import type { EndedWaits } from '../../../base/model/observation/observation.ts';

/** What is recorded of one feature: the input of its advice. Days are local days of the analyzer, counted from 1970-01-01. */

/** The labels of a recorded series. History has no versions. */
export interface SeriesName {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
}

/** The days with data, ascending, in columns of the same length. NaN is unknown. */
export interface DayColumns {
  readonly day: Int32Array;
  /** Maximum of the day. */
  readonly available: Float64Array;
  /** Maximum of the day. */
  readonly inUse: Float64Array;
  /** Maximum of the day. */
  readonly reserved: Float64Array;
  /** Refused requests. */
  readonly denials: Float64Array;
}

/**
 * The hours of a local day in columns, whose memory is used again for the next day: a pass reads a year of hours of every series,
 * and an object for each hour and level would take more than twice as long. NaN is unknown.
 */
export interface DemandColumns {
  readonly day: number;
  /** Hours with data. */
  readonly count: number;
  /** Hour of the clock, 0 to 23. */
  readonly hour: Float64Array;
  /** Maximum of the hour. */
  readonly available: Float64Array;
  /** Maximum of the hour. */
  readonly reserved: Float64Array;
  /** Refused requests. */
  readonly denials: Float64Array;
  /** The levels of hour `i` are the items of the next columns from `firstLevel[i]` to before `firstLevel[i + 1]`. */
  readonly firstLevel: Int32Array;
  /** Licenses in use. */
  readonly inUse: Float64Array;
  /** Seconds at this number. Those of an hour are less than an hour where data lacks. */
  readonly seconds: Float64Array;
}

/** The people who waited, of the days of which they are known. A day without waits is one on which nobody waited. */
export type WaitsByDay = ReadonlyMap<number, readonly EndedWaits[]>;

/** What an analyzer knows about the time in which the licenses of a series were in use. */
export type DemandDetail =
  /** The hours of days from one to before another, ascending. */
  | { readonly kind: 'hours'; hours(from: number, to: number): Iterable<DemandColumns>; readonly waits: WaitsByDay }
  /**
   * Only a curve over the last 365 days, from GetEfficiency: item `n` is the hours with at least `n` in use, for `n` ≥ 1.
   * Item 0 is the hours with data, if known, else NaN.
   */
  | { readonly kind: 'curve'; readonly hoursAtLeast: Float64Array };

/** The recorded demand of a series. */
export interface Demand {
  readonly series: SeriesName;
  /** All recorded days, without today. */
  readonly days: DayColumns;
  readonly detail: DemandDetail;
}
