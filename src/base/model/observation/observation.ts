import type { WireFeature, WireProduct } from '../../query-api/records.ts';

/**
 * What the analyzer learns from a license manager at one collection. Times are epoch seconds. A value that the source cannot
 * know is missing or `undefined`, never 0. A number is 0 only if the source reported 0, or listed everything and found none.
 */

/** A server of a source. Redundant servers are several. */
export interface Member {
  /** `port@host`, as configured. */
  readonly server: string;
  /** Undefined if the last reading did not show it. */
  readonly up: boolean | undefined;
  readonly isMaster: boolean;
}

/** Licenses that were bought together: they have one expiry. */
export interface Increment {
  /** Licenses; `Infinity` for uncounted ones, `undefined` when the number is not known. */
  readonly count: number | undefined;
  /** When it expires; of a date, the last second of that day of the analyzer; `undefined` for a permanent one. */
  readonly expires: number | 'unknown' | undefined;
}

/** Status of the application that holds a license, where the source can tell. */
export interface ApplicationStatus {
  readonly state: 'inactive' | 'active' | 'suspended' | 'terminated' | 'blocked';
  /** Seconds in that status. */
  readonly seconds?: number;
}

/** Licenses that a user holds now. */
export interface Checkout {
  readonly user: string;
  readonly host: string;
  readonly display: string;
  readonly since?: number;
  readonly licenses: number;
  readonly handle?: string;
  readonly shareHandle: string | undefined;
  readonly borrowed: boolean;
  /** The server that can take it back, as `serverText` has it, where the source names it. */
  readonly server?: string;
  /** When the server takes it back by itself, at the latest: of a borrowed one its end, epoch seconds. */
  readonly until?: number;
  /** Without one the application is indeterminate: the source watches applications, but not this one. */
  readonly status: ApplicationStatus | undefined;
}

/** Licenses that a user waits for now. */
export interface QueuedRequest {
  readonly user: string;
  readonly host: string;
  readonly since?: number;
  readonly licenses: number;
}

/** Licenses that are kept for users or groups. */
export interface Reservation {
  /** User or group the licenses are kept for. */
  readonly holder: string;
  readonly licenses: number;
  readonly used: number;
}

/** Tokens that licenses of a feature cost. */
export interface TokenUse {
  readonly pool: string;
  readonly source: string;
  readonly cost: number;
}

/**
 * What a source cannot know of the checkouts of a pool. It holds even while there is no checkout, so that figures do not
 * come and go.
 *
 * - `list`: not all of them are listed
 * - `borrowed`: which are borrowed
 * - `status`: what their applications do
 * - `ended`: whether their applications have ended, though it is known what they do before
 */
export type UnknownOfCheckouts = 'list' | 'borrowed' | 'status' | 'ended';

/**
 * Why a request was refused.
 *
 * - `all_in_use`: no license was free
 * - `expired`: the license has expired
 * - `not_licensed`: there is no license of the feature, or not of the version
 * - `not_permitted`: rules of the license server keep the user or the host from it, or limit the number
 * - `other`: another reason that the source names
 */
export type DenialCause = 'all_in_use' | 'expired' | 'not_licensed' | 'not_permitted' | 'other';

/**
 * Why a person waits: a `DenialCause`, or where all licenses are in use, what the last collection says of it.
 *
 * - `free_elsewhere`: another vendor license had free ones of the same feature
 * - `reserved_for_others`: some were free, but reserved
 * - `held_idle`: some were held by applications that nobody uses
 * - `all_busy`: none of these
 * - `all_in_use`: no collection says it
 * - `unknown`: the log does not say the cause
 */
export const blockedCauses = [
  'free_elsewhere',
  'reserved_for_others',
  'held_idle',
  'all_busy',
  'all_in_use',
  'expired',
  'not_licensed',
  'not_permitted',
  'other',
  'unknown',
] as const;
export type BlockedCause = (typeof blockedCauses)[number];

/**
 * How the wait of a person ended.
 *
 * - `got`: with a checkout
 * - `gave_up`: no refusal followed for 15 minutes; it ended with the last one, or later
 * - `lost`: nobody has watched any longer
 */
export const endings = ['got', 'gave_up', 'lost'] as const;
export type Ending = (typeof endings)[number];

/** Waits for a feature that have ended for one cause and in one way. */
export interface EndedWaits {
  readonly cause: BlockedCause;
  readonly ended: Ending;
  readonly episodes: number;
  /** Of all episodes together. */
  readonly seconds: number;
  /** Those whose first wait of the day for the feature is one of them: the people of all causes and endings together are a day's. */
  readonly people: number;
}

/** People who wait for a feature for one cause. */
export interface WaitingPeople {
  readonly cause: BlockedCause;
  readonly people: number;
  /** Those of them who have not waited for it before on this day. */
  readonly fresh: number;
  /** The first refusal of the one who waits longest, epoch seconds. */
  readonly since: number;
  /** Of all of them together, so far. */
  readonly seconds: number;
}

/** Another vendor license with free licenses of a feature. */
export interface Elsewhere {
  readonly vendorLicense: string;
  readonly licenses: number;
}

/** People who were refused a license of a feature and wait, in all logs together. */
export interface Blocked {
  readonly now: readonly WaitingPeople[];
  /** The local day of what has ended. */
  readonly day: number;
  /** Since the previous collection. Its people are those who have not waited for it before on this day. */
  readonly ended: readonly EndedWaits[];
  /** Where licenses were free when one of them was refused last. */
  readonly elsewhere?: Elsewhere;
  /** On this day, a person was refused whom the log does not name: who waited is not known. */
  readonly isIncomplete?: true;
}

/** The licenses of one feature version, in one package, from one token pool. */
export interface PoolObservation {
  readonly feature: string;
  readonly version: string;
  readonly package: string;
  readonly featureType: 'feature' | 'package' | 'component';
  readonly licenseType: 'floating' | 'node-locked' | 'uncounted';
  readonly licenseModel: 'concurrent' | 'token' | 'named';
  /** None without tokens. */
  readonly token?: TokenUse | 'unknown';
  /** The application the feature belongs to. */
  readonly mappedTo?: string;
  readonly increments: readonly Increment[];
  /** Licenses in use, by the server's own count; those of the checkouts when it is missing. */
  readonly inUse?: number;
  /** Licenses anyone could check out now, by the server's own count; computed when it is missing. */
  readonly available?: number;
  /** `undefined` when they are not listed with their use. Some of the three figures below can be known all the same. */
  readonly reservations: readonly Reservation[] | undefined;
  /** Reserved licenses that are not in use. */
  readonly unusedReserve?: number;
  /** Reserved licenses in use. */
  readonly usedReserve?: number;
  /** Reserved licenses, used or not. */
  readonly reserved?: number;
  /** Those that are listed. */
  readonly checkouts: readonly Checkout[];
  readonly unknownOfCheckouts?: readonly UnknownOfCheckouts[];
  readonly queued: readonly QueuedRequest[] | undefined;
  /** Requests refused since the previous collection. */
  readonly denials: number | undefined;
  /** How many of them for which cause. Those that are in none have a cause that is not known. */
  readonly denialCauses?: Readonly<Partial<Record<DenialCause, number>>>;
  /** `undefined` if the source does not name the people whose requests were refused. */
  readonly blocked?: Blocked;
  /** What another analyzer says of it: GetFeatures answers that, as it is. */
  readonly record?: WireFeature;
}

/** What a source reports about one vendor license. Everything that it does not know is `undefined`. */
export interface VendorLicenseObservation {
  readonly server: string;
  readonly daemon: string;
  /** Optional third part of the name, empty without one. */
  readonly part: string;
  readonly reachable: boolean;
  /** Of one that was never reached nothing is known, unless the source knows all the same that there is nothing. */
  readonly isKnownToBeEmpty?: true;
  /** It may have pools that are not in the list: sums over the list are not known. */
  readonly hasOtherPools?: true;
  /** Another analyzer says that it is down there, and has its last figures. */
  readonly isDownThere?: true;
  /** What another analyzer says of it: GetProducts answers that, as it is, unless a question is about a part of it. */
  readonly record?: WireProduct;
  /** Of an unreachable one, what is known without its server, for instance from license files. */
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
  /** The name of its source. */
  readonly source: string;
  /** `server;daemon` or `server;daemon;part`. */
  readonly name: string;
  /** Epoch seconds of the last collection with data, 0 without one. */
  readonly collectedAt: number;
  readonly observation: VendorLicenseObservation;
}
