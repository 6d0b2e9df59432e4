import type { LocalTime } from '../../base/model/local-time.ts';
import {
  type Collected,
  type DenialCause,
  type EndedWaits,
  vendorLicenseName,
} from '../../base/model/observation/observation.ts';
import { waitsWith } from './blocked-table.ts';
import { StoreError } from './history-file.ts';
import { eachSliced } from './recorded-days.ts';
import type { Series } from './sample.ts';
import type { Store } from './store.ts';

/** Refused requests of a series since the start of the process. */
export interface CountedDenials extends Series {
  /** `undefined` if it is not known. */
  readonly cause: DenialCause | undefined;
  readonly count: number;
}

/** Refused requests of a series on a day. */
export interface DeniedSeries extends Series {
  readonly denials: number;
  /** The people who waited; undefined if they are not known. */
  readonly waits: readonly EndedWaits[] | undefined;
}

/** What is known of a local day so far. */
export interface DeniedDay {
  /** Of which the denials of that day are known, also if there were none. */
  readonly series: readonly DeniedSeries[];
}

/** The refused requests that sources report, for readers in the same process. */
export interface RecordedDenials {
  /** Of every series that had one since the start. */
  sinceStart(): Iterable<CountedDenials>;
  /** Of today. The same until the next collection is recorded. @throws StoreError if the history cannot be read */
  today(): Promise<DeniedDay>;
  /** Of the local day before. @throws StoreError as above */
  yesterday(): Promise<DeniedDay>;
}

/** The history that denials are counted from, and its calendar. */
export interface RecordedDenialsOptions {
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
  /** @throws StoreError */
  readonly store: () => Store;
  /** What changes with each recording. */
  readonly recordedAt: () => number | undefined;
  /** Whether the history has what was before the start. Until then, the days are not known. */
  readonly isPastAdded: () => boolean;
}

/** Counts the denials of each collection, and reads those of today from the store. */
export interface DenialRecord extends RecordedDenials {
  add(reached: readonly Collected[]): void;
}

/** Counts the denials of today and yesterday. What is recorded meanwhile is added without reading the days again. */
export function createDenialRecord(options: RecordedDenialsOptions): DenialRecord {
  const { localTime, now, store, recordedAt, isPastAdded } = options;
  const counts = new Map<string, CountedDenials>();
  const known = new Map<'today' | 'yesterday', { readonly key: string; readonly day: Promise<DeniedDay> }>();

  const count = (series: Series, cause: DenialCause | undefined, more: number): void => {
    if (more === 0) return;
    const key = JSON.stringify([...Object.values(series), cause]);
    counts.set(key, { ...series, cause, count: (counts.get(key)?.count ?? 0) + more });
  };

  const read = async (day: number): Promise<DeniedDay> => {
    const series: DeniedSeries[] = [];
    await eachSliced(store().series(), (stored) => {
      const record = store().read(stored, day);
      const samples = record !== undefined && 'samples' in record ? record.samples : [];
      const figures = samples.flatMap((sample) => sample.denials ?? []);
      if (figures.length === 0) return;
      const { vendorLicense, feature, package: packageName, featureType } = stored;
      const denials = figures.reduce((sum, figure) => sum + figure, 0);
      const waits = waitsWith(denials, store().blocked(stored, day, day + 1)[0]?.waits);
      series.push({ vendorLicense, feature, package: packageName, featureType, denials, waits });
    });
    return { series };
  };

  const readOnce = async (name: 'today' | 'yesterday', day: number, key: string): Promise<DeniedDay> => {
    if (!isPastAdded()) throw new StoreError('the history before the start is still being added');
    const found = known.get(name);
    if (found?.key === key) return found.day;
    const reading = read(day);
    known.set(name, { key, day: reading });
    // it is tried again: the store may be there then
    reading.catch(() => known.delete(name));
    return reading;
  };

  return {
    add: (reached) => {
      for (const { observation } of reached) {
        for (const {
          feature,
          package: packageName,
          featureType,
          denials = 0,
          denialCauses = {},
        } of observation.pools) {
          const series = { vendorLicense: vendorLicenseName(observation), feature, package: packageName, featureType };
          const causes = Object.entries(denialCauses) as [DenialCause, number][];
          for (const [cause, some] of causes) count(series, cause, some);
          count(series, undefined, denials - causes.reduce((sum, [, some]) => sum + some, 0));
        }
      }
    },
    sinceStart: () => counts.values(),
    today: () => {
      const day = localTime.dayOf(now());
      return readOnce('today', day, `${day} ${recordedAt()}`);
    },
    yesterday: () => {
      const day = localTime.dayOf(now()) - 1;
      return readOnce('yesterday', day, `${day}`);
    },
  };
}
