/** The chart series of the history endpoints (spec 2.6). `undefined` is no data, never 0. */

/** One point: epoch milliseconds and a value. */
export type Point = readonly [at: number, value: number | undefined];

/** GetHistory: one of the three trend series. */
export interface TrendSeries {
  readonly name: string;
  readonly points: readonly Point[];
}

/** GetHistoryReserved: one value per category (local day). */
export interface ReservedHistory {
  readonly categories: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[];
}

/** GetEfficiency: pairs of a category and a value. */
export interface EfficiencyHistory {
  readonly series: readonly {
    readonly name: string;
    readonly pairs: readonly (readonly [category: string, value: number | undefined])[];
  }[];
}

/** GetHeatMap: triples of hour index, weekday index and value. */
export interface HeatMap {
  readonly hours: readonly string[];
  readonly weekdays: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly cells: readonly (readonly [hour: number, weekday: number, value: number | undefined])[];
  }[];
}
