/** A reverse proxy that authenticates users itself, and names them in headers. */

/** Stands for every client whose certificate the client CA of the web config has signed. */
export const CLIENT_CERTIFICATE = 'client_certificate';

/** The addresses that have the first `prefix` bits of `address`. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** A proxy that says who its users are. */
export interface TrustedProxy {
  /** Where it connects from. */
  readonly from: readonly (AddressRange | typeof CLIENT_CERTIFICATE)[];
  readonly userHeader: string;
  /** Undefined if the proxy names no groups. */
  readonly groupsHeader: string | undefined;
}
