import type { PoolObservation, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import { countUsers, isKnown, licensesInUse, maxAvailable, reservedLicenses, sumOf, sumOfVersions } from './usage.ts';

/** The unit of history. The history endpoints know no versions, so all versions of a feature are one series. */
export interface Series {
  /** `server;daemon` or `server;daemon;part`. */
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  readonly featureType: string;
}

/**
 * The figures of a series at one collection, `undefined` if the source cannot know them. Names of users are not part of
 * history.
 *
 * An unknown figure is a gap. Over time it is ignored, like a time without samples: a maximum or a sum is that of the known
 * figures, and is unknown only when all of them are. The sum over several series at one time is unknown when one of its
 * figures is. Users are not added up: of several series the highest known number counts.
 */
export interface Figures {
  /** Licenses of all unexpired increments; `UNCOUNTED` if a version is uncounted. */
  readonly available: number | undefined;
  /** Licenses checked out. */
  readonly inUse: number | undefined;
  /** Reserved licenses, used or not. */
  readonly reserved: number | undefined;
  /** Distinct users. */
  readonly users: number | undefined;
  /** Requests refused since the previous collection. */
  readonly denials: number | undefined;
}

/** What is known of a whole slot by a source that sees each change, such as a log, or has only sums. */
export interface WholeSlot {
  /** Licenses in use at most; at the beginning of the slot it may have been less. */
  readonly peak: number | undefined;
  /** Licenses in use times seconds. */
  readonly licenseSeconds: number | undefined;
}

/** Whether a sample has only the figures of a time so long that nobody knows when in it they were. */
export const isSum = ({ seconds, inUse }: Sample): boolean => seconds > 3600 && inUse === undefined;

/** The figures of one feature in one slot. What was not known is `undefined`. */
export interface Sample extends Figures {
  /** Epoch seconds, the beginning of a slot. */
  readonly at: number;
  /** Seconds it stands for, if the next sample or the end of the local day does not come first. */
  readonly seconds: number;
  /** Beside the figures of its moment; without it, only the moment is known. */
  readonly whole?: WholeSlot | undefined;
}

/** The samples of one feature on one local day, the oldest first. */
export interface DayOfSamples {
  readonly series: Series;
  /** Local day. */
  readonly day: number;
  /** In order of time. */
  readonly samples: readonly Sample[];
}

/** A day that was encoded before, so that it need not be again. */
export interface EncodedDay extends DayOfSamples {
  readonly encoded?: Uint8Array | undefined;
}

/** A piece of what a source knows of the past. */
export interface PastPiece {
  readonly series: readonly DayOfSamples[];
  /** With this piece, everything from this local day on has been given. */
  readonly completeFrom: number;
  /** Earlier days that are still to come. */
  readonly daysLeft: number;
}

/**
 * What a source knows of the time before a moment, piece by piece: from the day before another on back. Yields nothing
 * between steps of the work.
 */
export type Past = (until: number, before: number) => Iterable<PastPiece | undefined>;

/** The figures of every series of a vendor license. */
export function figuresOf(
  { pools }: VendorLicenseObservation,
  vendorLicense: string,
  now: number,
): (readonly [Series, Figures])[] {
  const bySeries = new Map<string, PoolObservation[]>();
  for (const pool of pools) {
    const key = JSON.stringify([pool.feature, pool.package, pool.featureType]);
    const versions = bySeries.get(key);
    if (versions === undefined) bySeries.set(key, [pool]);
    else versions.push(pool);
  }
  return [...bySeries.values()].map((versions) => {
    const [{ feature, package: packageName, featureType }] = versions as [PoolObservation];
    const sum = (of: (pool: PoolObservation) => number | undefined): number | undefined => sumOf(versions.map(of));
    return [
      { vendorLicense, feature, package: packageName, featureType },
      {
        available: sumOfVersions(versions.map((pool) => maxAvailable(pool, now))),
        inUse: sum(licensesInUse),
        reserved: sum((pool) => reservedLicenses(pool).total),
        users: isKnown(versions, 'list') ? countUsers(versions.flatMap(({ checkouts }) => checkouts)) : undefined,
        denials: sum(({ denials }) => denials),
      },
    ];
  });
}

/** The higher of two, or the one that is known. */
export function highest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}

/** The sum of two, or the one that is known. */
export function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a + b;
}

/** Two samples of one moment, as one: the higher figures, and the denials of both. */
function combine(a: Sample, b: Sample): Sample {
  return {
    at: a.at,
    seconds: Math.max(a.seconds, b.seconds),
    available: highest(a.available, b.available),
    inUse: highest(a.inUse, b.inUse),
    reserved: highest(a.reserved, b.reserved),
    users: highest(a.users, b.users),
    denials: addKnown(a.denials, b.denials),
  };
}

/** In order of time; of two of one moment one is made. */
export function mergeSamples(a: readonly Sample[], b: readonly Sample[]): readonly Sample[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const byTime = new Map(a.map((sample) => [sample.at, sample]));
  for (const sample of b) {
    const same = byTime.get(sample.at);
    byTime.set(sample.at, same === undefined ? sample : combine(same, sample));
  }
  return [...byTime.values()].sort((x, y) => x.at - y.at);
}
