import type {
  Blocked,
  Collected,
  EndedWaits,
  PoolObservation,
  VendorLicenseObservation,
} from '../../base/model/observation/observation.ts';
import type { BlockedChange } from './blocked-table.ts';
import { isDown } from './collector.ts';
import type { Series } from './sample.ts';
import { seriesKey } from './series-table.ts';

/** The people who wait for licenses, and those who have waited, for readers in the same process. */

/** A feature whose people are known; `elsewhere` is of its day. */
export interface BlockedFeature extends Series, Pick<Blocked, 'now' | 'day' | 'elsewhere'> {}

/** Waits for a feature since the start of the process, for one cause and with one ending. */
export interface CountedWaits extends Series, Omit<EndedWaits, 'people'> {}

/** What sources report of people. */
export interface RecordedBlocked {
  /** The features whose people are known, as the last collections have them. */
  now(): Iterable<BlockedFeature>;
  /** Of every feature that people have waited for. */
  sinceStart(): Iterable<CountedWaits>;
}

/** Counts the waits of each collection. */
export interface BlockedRecord extends RecordedBlocked {
  add(reached: readonly Collected[]): void;
}

const seriesOf = (vendorLicense: string, { feature, package: packageName, featureType }: PoolObservation): Series => ({
  vendorLicense,
  feature,
  package: packageName,
  featureType,
});

/**
 * What is recorded of a collection: its waits, and whether people are known where requests were refused. While people wait, that is not
 * said: without their waits, nobody would have waited.
 */
export function* blockedOf(reached: Iterable<Collected>): Generator<readonly [Series, BlockedChange], void> {
  for (const { name, observation } of reached) {
    for (const pool of observation.pools) {
      const { blocked, denials = 0 } = pool;
      if (blocked === undefined) continue;
      const { day, ended, now, isIncomplete } = blocked;
      if (isIncomplete) yield [seriesOf(name, pool), { day, waits: undefined }];
      else if (ended.length > 0 || (denials > 0 && now.length === 0))
        yield [seriesOf(name, pool), { day, waits: ended }];
    }
  }
}

type Latest = ReadonlyMap<string, BlockedFeature>;

/** @param before of the collection before */
function featuresOf(name: string, { pools }: VendorLicenseObservation, before: Latest | undefined): Latest {
  const features = new Map<string, BlockedFeature>();
  for (const pool of pools) {
    if (pool.blocked === undefined || pool.blocked.isIncomplete) continue;
    const series = seriesOf(name, pool);
    const key = seriesKey(series);
    const { now, day } = pool.blocked;
    const known = before?.get(key);
    const elsewhere = pool.blocked.elsewhere ?? (known?.day === day ? known.elsewhere : undefined);
    features.set(key, { ...series, now, day, ...(elsewhere !== undefined && { elsewhere }) });
  }
  return features;
}

/** @param current the last collection of all vendor licenses @param now epoch seconds */
export function createBlockedRecord(current: () => readonly Collected[], now: () => number): BlockedRecord {
  const counts = new Map<string, CountedWaits>();
  /** By vendor license, since the start. */
  const latest = new Map<string, Latest>();
  return {
    add: (reached) => {
      for (const { name, observation } of reached) latest.set(name, featuresOf(name, observation, latest.get(name)));
      for (const [series, { waits }] of blockedOf(reached)) {
        for (const { cause, ended, episodes, seconds } of waits ?? []) {
          const key = JSON.stringify([...Object.values(series), cause, ended]);
          const known = counts.get(key);
          const sum = { episodes: (known?.episodes ?? 0) + episodes, seconds: (known?.seconds ?? 0) + seconds };
          counts.set(key, { ...series, cause, ended, ...sum });
        }
      }
    },
    sinceStart: () => counts.values(),
    now: function* () {
      for (const collected of current())
        if (!isDown(collected, now())) yield* latest.get(collected.name)?.values() ?? [];
    },
  };
}
