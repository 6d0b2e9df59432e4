import type { Diagnostics } from '../../../base/model/observation/source.ts';
import type { Expiry } from '../times.ts';

/** The text of `lmstat -a`, line by line. Times are epoch seconds. What was not printed is undefined. */
export interface LmstatReport {
  /** When the tool ran, by its own output. */
  readonly referenceTime: number | undefined;
  /** For each `License server status` line, the servers that it names: `port@host`, or `host` alone. */
  readonly serverLists: readonly (readonly string[])[];
  readonly members: readonly (LmstatMember & OfServers)[];
  readonly daemons: readonly (LmstatDaemon & OfServers)[];
  /** Errors of the whole request, in the order of the text. */
  readonly errors: readonly (FlexnetError & OfServers)[];
  readonly features: readonly LmstatFeature[];
  /** Whether it has anything but white space. */
  readonly hasText: boolean;
  /** Whether it ends within a line that is not understood. */
  readonly isCut: boolean;
  /** Whether a request waits in it. */
  readonly hasQueue: boolean;
  /** Whether it has the table of `-i`, which `parseLmstatInventory` reads. */
  readonly hasInventory: boolean;
  readonly diagnostics: Diagnostics;
}

/** Which servers a part of the text is about. */
export interface OfServers {
  /** The `License server status` line before it, in lower case; empty without one. */
  readonly servers: string;
}

/** `(-15,570:115 …)`: the error, and where it was found. */
export interface FlexnetError {
  /** Negative. */
  readonly code: number | undefined;
  readonly detail: number | undefined;
}

/** One host can be listed several times, with names that differ. */
export interface LmstatMember {
  readonly host: string;
  readonly up: boolean;
  readonly isMaster: boolean;
  readonly version: string | undefined;
  readonly error: FlexnetError | undefined;
}

/** A vendor daemon as lmstat lists it. */
export interface LmstatDaemon {
  readonly name: string;
  readonly up: boolean;
  readonly version: string | undefined;
  readonly error: FlexnetError | undefined;
}

/** What a line `Users of` says. */
export type LmstatSupply =
  /** Old tools do not print the number in use. */
  | { readonly kind: 'counted'; readonly issued: number; readonly inUse: number | undefined }
  | { readonly kind: 'uncounted' }
  /** In the license file, but not served. */
  | { readonly kind: 'unsupported'; readonly licenses: number }
  | { readonly kind: 'error'; readonly error: FlexnetError };

/** A feature as lmstat lists it, with its pools. */
export interface LmstatFeature extends OfServers {
  readonly name: string;
  readonly supply: LmstatSupply;
  /** Names of the daemons that were listed last before it: it belongs to one of them. */
  readonly listedDaemons: readonly string[];
  /** Empty for features without users. The first one has no head if users or reservations precede the first head. */
  readonly pools: readonly LmstatPool[];
}

/** The kinds of licenses that the head of a pool names. */
export type LmstatLicenseType = 'floating' | 'node-locked' | 'uncounted';

/** The licenses of a feature with one head, and who holds them. */
export interface LmstatPool {
  /** Undefined without a head. */
  readonly feature: string | undefined;
  readonly version: string | undefined;
  readonly vendor: string | undefined;
  /** Unknown if none was printed. */
  readonly expires: Expiry;
  readonly licenseType: LmstatLicenseType | undefined;
  readonly reservations: readonly LmstatReservation[];
  /** Queued requests are among them. */
  readonly checkouts: readonly LmstatCheckout[];
}

/** Reserved licenses that are not in use. */
export interface LmstatReservation {
  readonly licenses: number;
  /** `GROUP`, `USER`, `HOST` and others. */
  readonly kind: string;
  readonly holder: string;
}

/** A checkout, or a request in the queue. */
export interface LmstatCheckout {
  readonly user: string;
  /** Empty if the line has one word only. */
  readonly host: string;
  readonly display: string;
  /** Version that the application asked for, which is not that of the pool. */
  readonly version: string;
  /** `host/port` of the license server. */
  readonly server: string;
  readonly handle: string;
  readonly since: number | undefined;
  readonly licenses: number;
  /** The largest number of `(linger: …)`, seconds. */
  readonly linger: number | undefined;
  /** The other number, of two. */
  readonly lingerPart: number | undefined;
  readonly pid: string | undefined;
  /** The end of the line as far as it was not understood. */
  readonly unknownTail: string | undefined;
  readonly queued: boolean;
}
