import type { Member } from '../../base/model/observation/member.ts';
import type { VendorLicenseObservation } from '../../base/model/observation/observation.ts';
import type { Diagnostics } from '../../base/model/observation/source.ts';
import type { SourceProblem } from '../../base/model/observation/source-failure.ts';

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
