import type { Member, VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { Diagnostics } from '../../base/model/observation/source.ts';
import type { SourceProblem } from '../../base/model/observation/source-failure.ts';

/** `{ [key]: value }`, or nothing of a value that is not known: its key is optional in an observation. */
export const ifKnown = <K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V };

/** What the output of a license manager says. */
export interface Parsed {
  readonly vendorLicenses: readonly VendorLicenseObservation[];
  /** What is wrong with a part of it, for instance one vendor daemon; the rest is good. */
  readonly problems: readonly SourceProblem[];
  readonly members: readonly Member[];
  /** The time at which the tool ran, by its own output, epoch seconds. */
  readonly referenceTime: number | undefined;
  readonly diagnostics: Diagnostics;
}
