import type { Figure } from '../../base/model/unknown.ts';
import type { FeatureLabels } from '../../exporter/inventory/feature-row.ts';

/** What was there before, compared with what is there now. Names are spelled as the newest answer that listed them. */

/** A vendor license or a feature that was listed, and is known not to be listed any more. */
export interface Missed {
  readonly vendorLicense: string;
  /** Empty for the vendor license itself. */
  readonly feature: string;
  /** The first good answer without it, epoch seconds. */
  readonly missedAt: number;
}

/**
 * A feature with fewer licenses than a day ago, in all its versions together, apart from those that have expired since. On the
 * first day, it is compared with the first poll.
 */
export interface Drop {
  readonly vendorLicense: string;
  readonly feature: string;
  /** The lowest number within three hours a day ago, or that of the first poll. */
  readonly before: number;
  /** When the first poll was, epoch seconds, if it is what it is compared with. */
  readonly firstPoll?: number;
  readonly licenses: number;
}

/**
 * `missed`: it is known not to be listed. `expired`: the same, and all its versions had expired when it was listed last, and people
 * were told so, so that nobody misses it. `unknown`: it may be listed. `forgotten`: nothing is remembered of it. `left out`: the
 * settings do not select it.
 */
export type Listing = 'listed' | 'missed' | 'expired' | 'unknown' | 'forgotten' | 'left out';

/** The past as rules read it, at one moment. */
export interface Past {
  readonly missed: readonly Missed[];
  readonly drops: readonly Drop[];
  /** Vendor licenses with a feature that is listed and may have dropped, see `isCapacityUnknown`. */
  readonly withUnknownCapacity: ReadonlySet<string>;
  /** Whether it may be missing: no good answer says so, or it may have been forgotten. */
  isUnknown(vendorLicense: string, feature?: string): boolean;
  /** Whether a vendor license, or one of its features, is listed now. */
  listingOf(vendorLicense: string, feature?: string): Listing;
  /**
   * Whether a number of licenses is unknown: that of now, or that of before. Uncounted licenses are known not to have dropped, and
   * a number of the first day that has changed is compared with the first poll.
   */
  isCapacityUnknown(vendorLicense: string, feature: string): boolean;
  /** The last number of licenses of a version before its expiry. */
  licensesBefore(version: FeatureLabels): Figure;
}
