import type { Expiry } from '../times.ts';

/** What license files, options files and `lmstat -i` tell that `lmstat -a` does not. */

/** Licenses of one version of a feature with one expiry date. Several of them add up. */
export interface LicenseSupply {
  readonly feature: string;
  readonly daemon: string;
  readonly version: string;
  /** `Infinity` for uncounted licenses, `undefined` when the number is not known. */
  readonly count: number | undefined;
  readonly expires: Expiry;
  readonly licenseType: 'floating' | 'node-locked' | 'uncounted';
  /** Whether the license can be borrowed; `undefined` when that is not known. */
  readonly mayBorrow?: boolean;
  /** The package a component belongs to. */
  readonly package?: string;
  readonly featureType: 'feature' | 'package' | 'component';
}

/** A RESERVE line of an options file. */
export interface OptionsReserve {
  readonly daemon: string;
  readonly feature: string;
  /** Without one, the line holds for all versions. */
  readonly version?: string;
  readonly licenses: number;
}
