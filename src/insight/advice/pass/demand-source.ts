import type { LocalTime } from '../../../base/model/local-time.ts';
import type { Demand, SeriesName } from '../method/demand.ts';
import type { KnownFeatures } from './known-features.ts';

/** A series that advice is computed for. */
export interface ListedSeries {
  readonly series: SeriesName;
  /** Why its history is not read, as the end of a sentence; `undefined` if it is read. */
  readonly exclusion: string | undefined;
  /** Whether it is recorded, but not listed any more. */
  readonly isGone?: boolean;
}

/** The features of which a source knows a history, up to the limit. */
export interface SeriesList {
  readonly items: readonly ListedSeries[];
  /** Features that are not in the list because there are too many. */
  readonly leftOut: number;
}

/** What a pass waits for that has no inventory. */
export const NOT_POLLED = 'the analyzer has not been polled yet';

/** Nothing is known of which there could be advice. It is not a failure: the analyzer may answer soon. */
export class NothingKnown extends Error {}

export interface DemandSource {
  /** The calendar of the recorded days. */
  readonly localTime: LocalTime;
  /** Series that are read at once. */
  readonly concurrency: number;
  /** Whether it can be read as of an earlier day. */
  readonly readsPast: boolean;
  /** Whether figures of series without advice are read too. */
  readonly readsAll: boolean;
  /** Resolves when a first pass makes sense. */
  ready(): Promise<void>;
  /** What it waits for until then, as a clause; `undefined` for nothing. */
  waitsFor(): string | undefined;
  /** Whether the days before this one are recorded completely. @throws Error if that cannot be found out */
  isComplete(today: number): boolean;
  /** The series with advice. @throws NothingKnown before the analyzer has reported any */
  list(known: KnownFeatures): SeriesList;
  /** What is recorded of a series before today. @throws Error if it cannot be read now */
  read(series: SeriesName, today: number, signal: AbortSignal): Promise<Demand>;
  /** Seconds between two collections of a vendor license, if known. */
  intervalOf(vendorLicense: string): number | undefined;
}
