import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { TrustedProxy } from '../../base/settings/addresses.ts';

/** Access to the web server: TLS of the listener, users of the web config, and a proxy that names users. */

/** Who may send requests, and with which headers and certificate they are answered. */
export interface Access {
  /** bcrypt hashes by name. Without users, no authentication is required. */
  readonly users: ReadonlyMap<string, string>;
  /** Added to every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: AccessTls | undefined;
  /** A proxy that authenticates users itself; `undefined` without one. */
  readonly proxy: TrustedProxy | undefined;
  /** Names under which people reach the daemon. Only requests for one of them, or for an address, can name a user from this host. */
  readonly names: readonly string[];
}

interface AccessTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  readonly clientAuth:
    | 'NoClientCert'
    | 'RequestClientCert'
    | 'RequireAnyClientCert'
    | 'VerifyClientCertIfGiven'
    | 'RequireAndVerifyClientCert';
  readonly minVersion: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
}

/** The access without a web config: every client, without TLS. */
export const openAccess: Access = { users: new Map(), headers: {}, tls: undefined, proxy: undefined, names: [] };

/** TLS options of a listener. The first four can be changed while it listens. */
export function tlsOptions(tls: AccessTls) {
  const { cert, key, clientCa, clientAuth, minVersion, maxVersion } = tls;
  return {
    cert,
    key,
    minVersion,
    maxVersion,
    ...(clientCa !== undefined && { ca: clientCa }),
    requestCert: clientAuth !== 'NoClientCert',
    rejectUnauthorized: clientAuth === 'RequireAndVerifyClientCert',
  };
}

/**
 * Whether a client has presented the required certificate. It is checked after the TLS handshake too, because the web config
 * may have become stricter since the listener was created.
 */
export function isClientAccepted(socket: TLSSocket, { clientAuth }: AccessTls): boolean {
  const isShown = (socket.getPeerCertificate() as Partial<PeerCertificate>).raw !== undefined;
  if (clientAuth === 'RequireAnyClientCert') return isShown;
  if (clientAuth === 'VerifyClientCertIfGiven') return !isShown || socket.authorized;
  return clientAuth !== 'RequireAndVerifyClientCert' || socket.authorized;
}
