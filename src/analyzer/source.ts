/** What the analyzer learns from a licence manager at one collection. All times are epoch seconds. */

export interface Increment {
  /** Licenses; `Infinity` for uncounted ones. */
  readonly count: number;
  /** Last second of the local day on which it expires; `undefined` for a permanent one. */
  readonly expires: number | undefined;
}

/** Status of the application that holds a license, where the source can tell. */
export interface ApplicationStatus {
  readonly state: 'inactive' | 'active' | 'suspended' | 'terminated' | 'blocked';
  /** Seconds in that status. */
  readonly seconds: number;
}

export interface Checkout {
  readonly user: string;
  readonly host: string;
  readonly display: string;
  readonly since: number;
  readonly licenses: number;
  readonly handle: string;
  readonly shareHandle: string | undefined;
  readonly borrowed: boolean;
  readonly status: ApplicationStatus | undefined;
}

export interface QueuedRequest {
  readonly user: string;
  readonly host: string;
  readonly since: number;
  readonly licenses: number;
}

export interface Reservation {
  /** User or group the licenses are kept for. */
  readonly holder: string;
  readonly licenses: number;
  readonly used: number;
}

/** The licenses of one feature version, in one package, from one token pool. */
export interface PoolObservation {
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: 'feature' | 'package' | 'component';
  readonly licenseType: 'floating' | 'node-locked' | 'uncounted';
  readonly licenseModel: 'concurrent' | 'token' | 'named';
  readonly token?: { readonly pool: string; readonly source: string; readonly cost: number };
  /** The application the feature belongs to. */
  readonly mappedTo?: string;
  readonly increments: readonly Increment[];
  readonly reservations: readonly Reservation[];
  readonly checkouts: readonly Checkout[];
  readonly queued: readonly QueuedRequest[];
  /** Requests refused since the previous collection. */
  readonly denials: number;
}

export interface VendorLicenseObservation {
  readonly server: string;
  readonly daemon: string;
  /** Optional third part of the name, empty without one. */
  readonly part: string;
  /** An unreachable vendor license reports no pools. */
  readonly reachable: boolean;
  readonly pools: readonly PoolObservation[];
}

/** `server;daemon`, or with a third part `server;daemon;part`: what the API calls a product. */
export const vendorLicenseName = ({
  server,
  daemon,
  part,
}: Pick<VendorLicenseObservation, 'server' | 'daemon' | 'part'>): string =>
  part === '' ? `${server};${daemon}` : `${server};${daemon};${part}`;

/** What is known of one vendor license: its last good observation. */
export interface Collected {
  /** `server;daemon` or `server;daemon;part`. */
  readonly name: string;
  /** Epoch seconds of the last collection with data, 0 without one. */
  readonly collectedAt: number;
  readonly observation: VendorLicenseObservation;
}

/** Where the analyzer learns usage from: one per kind of licence manager. */
export interface Source {
  readonly name: string;
  read(signal: AbortSignal): Promise<readonly VendorLicenseObservation[]>;
}
