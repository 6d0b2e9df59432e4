/** What was there before, compared with what is there now. Names are spelled as the newest answer that listed them. */

/** Something that was listed, and is known not to be listed any more. */
export interface Missed {
  readonly vendorLicense: string;
  /** Empty for the vendor license itself. */
  readonly feature: string;
  /** The first good answer without it, epoch seconds. */
  readonly missedAt: number;
}

/** A feature with fewer licenses than a day ago, in all its versions together. */
export interface Drop {
  readonly vendorLicense: string;
  readonly feature: string;
  /** The lowest number within three hours a day ago. */
  readonly before: number;
  readonly licenses: number;
}

/** `unknown`: it may be missing, because no good answer says so, or it may never have been listed. */
export type Presence = 'listed' | 'missed' | 'unknown';

/** The past as rules read it, at one moment. */
export interface Past {
  readonly vendorLicenses: readonly Missed[];
  readonly features: readonly Missed[];
  readonly drops: readonly Drop[];
  vendorLicense(name: string): Presence;
  feature(vendorLicense: string, feature: string): Presence;
  /** Whether both numbers of licenses are known: that of now and that of a day ago. Uncounted licenses are known not to have dropped. */
  isCapacityKnown(vendorLicense: string, feature: string): boolean;
}
