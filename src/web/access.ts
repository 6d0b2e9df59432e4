import { createHash } from 'node:crypto';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { compare } from 'bcryptjs';

/** Who may ask: TLS of the listener and users of the web config. */

export interface Access {
  /** bcrypt hashes by name; with none everybody may ask. */
  readonly users: ReadonlyMap<string, string>;
  /** Added to every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: AccessTls | undefined;
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

export const openAccess: Access = { users: new Map(), headers: {}, tls: undefined };

/** TLS options of a listener; the first four can be changed while it listens. */
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
 * Whether a client has shown the certificate it needs. Said again where the TLS handshake sees to it: a web config that
 * has become stricter since the listener was made must not let anybody in.
 */
export function isClientAccepted(socket: TLSSocket, { clientAuth }: AccessTls): boolean {
  const isShown = (socket.getPeerCertificate() as Partial<PeerCertificate>).raw !== undefined;
  if (clientAuth === 'RequireAnyClientCert') return isShown;
  if (clientAuth === 'VerifyClientCertIfGiven') return !isShown || socket.authorized;
  return clientAuth !== 'RequireAndVerifyClientCert' || socket.authorized;
}

/** The hash of a password nobody has: an unknown name takes as long as a wrong password. */
const NOBODY = '$2b$10$5NmZrsCC9ZrJvRmQ18oxGu8/YEwKME8zIN2HTl9xNvjd6URtTTO76';
/** Outcomes kept, because a hash takes some 60 ms. */
const MAX_KEPT = 100;
/** Logons that may wait for each other. */
const MAX_WAITING = 20;

export type Verdict = 'accepted' | 'unauthorized' | 'busy';

/** Checks `Authorization: Basic` against the users. One hash at a time: guessing must not hold up scrapes. */
export function createAuthenticator(): (users: Access['users'], header: string | undefined) => Promise<Verdict> {
  const kept = new Map<string, boolean>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const check = async (password: string, hash: string): Promise<boolean> => {
    const digest = createHash('sha256')
      .update(JSON.stringify([password, hash]))
      .digest('base64');
    const known = kept.get(digest);
    if (known !== undefined) return known;
    const checked = last.then(() => compare(password, hash));
    last = checked.catch(() => undefined);
    waiting += 1;
    try {
      const isRight = await checked;
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(digest, isRight);
      return isRight;
    } finally {
      waiting -= 1;
    }
  };

  return async (users, header) => {
    if (users.size === 0) return 'accepted';
    const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header ?? '')?.[1];
    if (encoded === undefined) return 'unauthorized';
    const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    if (waiting >= MAX_WAITING) return 'busy';
    const isRight = await check(password, users.get(name) ?? NOBODY);
    return isRight && users.has(name) ? 'accepted' : 'unauthorized';
  };
}
