/** Sites of which everything is known. They are rendered as the output of a license manager, to be read again by its parser. */

export interface Site {
  readonly servers: readonly [SiteServer, ...SiteServer[]];
  /** Time of the output, epoch seconds. */
  readonly now: number;
  readonly daemons: readonly SiteDaemon[];
}

/** A license server. Three are redundant. */
export interface SiteServer {
  readonly host: string;
  readonly port: number;
  readonly isUp: boolean;
  readonly isMaster: boolean;
}

/** A vendor daemon of FlexNet, or an ISV server of RLM. */
export interface SiteDaemon {
  readonly name: string;
  readonly isUp: boolean;
  readonly features: readonly SiteFeature[];
}

/** FlexNet lists a feature once with all its pools; RLM lists pools with product and version. */
export interface SiteFeature {
  readonly name: string;
  readonly pools: readonly SitePool[];
}

export interface SitePool {
  readonly version: string;
  /** `Infinity` for uncounted licenses. */
  readonly count: number;
  readonly expires: SiteDate | 'permanent';
  readonly reservations: readonly SiteReservation[];
  readonly checkouts: readonly SiteCheckout[];
  readonly queued: readonly SiteQueued[];
}

export interface SiteDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly date: number;
}

/** Of FlexNet, the part that is not in use. */
export interface SiteReservation {
  readonly kind: 'USER' | 'HOST' | 'GROUP' | 'HOST_GROUP';
  readonly holder: string;
  readonly licenses: number;
}

export interface SiteCheckout {
  readonly user: string;
  readonly host: string;
  /** Only of FlexNet. */
  readonly display: string;
  /** Epoch seconds; outputs have no seconds. */
  readonly since: number;
  readonly licenses: number;
  /** Hexadecimal for RLM, decimal for FlexNet. */
  readonly handle: string;
  /** RLM lists it with its licenses, but it uses those of an earlier checkout of the same user and host. */
  readonly isShared?: true;
  /** Seconds of a borrowed license of FlexNet. */
  readonly linger?: number;
}

/** Only of FlexNet. */
export interface SiteQueued {
  readonly user: string;
  readonly host: string;
  readonly display: string;
  readonly licenses: number;
  readonly handle: string;
}

/** Licenses of the checkouts, each counted once. */
export const licensesOf = ({ checkouts }: SitePool): number =>
  checkouts.reduce((sum, { licenses, isShared }) => sum + (isShared ? 0 : licenses), 0);

export const reservedOf = ({ reservations }: SitePool): number =>
  reservations.reduce((sum, { licenses }) => sum + licenses, 0);
