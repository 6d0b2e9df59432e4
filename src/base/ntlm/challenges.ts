import { av, checkMessage, findPair, readAvPairs, readField } from './messages.ts';
import { fromFileTime } from './primitives.ts';

/** What a CHALLENGE message says about the server. */
export interface ChallengeFacts {
  /** NetBIOS name of its domain. */
  readonly domain: string | undefined;
  /** Its clock, epoch milliseconds. */
  readonly time: number | undefined;
}

/** Reads names and time from a CHALLENGE message. @throws MalformedMessage */
export function readChallengeFacts(message: Buffer): ChallengeFacts {
  checkMessage(message, 2, 48);
  const pairs = readAvPairs(readField(message, 40));
  const time = findPair(pairs, av.TIMESTAMP);
  return {
    domain: findPair(pairs, av.NB_DOMAIN)?.toString('utf16le'),
    time: time?.length === 8 ? fromFileTime(time) : undefined,
  };
}

/** The HTTP schemes in which NTLM messages travel (MS-NTHT). */
export type NtlmScheme = 'NTLM' | 'Negotiate';

/** One offer of a `WWW-Authenticate` header that supports NTLM. */
export interface Challenge {
  readonly scheme: NtlmScheme;
  /** Base64; absent in an offer without a challenge. */
  readonly token?: string;
}

/** Splits on commas outside quoted strings. */
function splitList(header: string): string[] {
  const items: string[] = [];
  let item = '';
  let quoted = false;
  for (let i = 0; i < header.length; i += 1) {
    const char = header[i] ?? '';
    if (quoted && char === '\\') {
      item += char + (header[i + 1] ?? '');
      i += 1;
      continue;
    }
    if (char === '"') quoted = !quoted;
    if (char === ',' && !quoted) {
      items.push(item);
      item = '';
    } else {
      item += char;
    }
  }
  return [...items, item];
}

/**
 * Returns the NTLM and Negotiate offers of `WWW-Authenticate` headers: several headers or one comma-separated line, in
 * any case and order, possibly with other schemes (RFC 9110 section 11.6.1).
 */
export function parseChallenges(wwwAuthenticate: string | readonly string[] | undefined): Challenge[] {
  const headers = wwwAuthenticate === undefined ? [] : [wwwAuthenticate].flat();
  return headers.flatMap(splitList).flatMap((item): Challenge[] => {
    const match = /^\s*(ntlm|negotiate)(?:\s+(\S+))?\s*$/i.exec(item);
    if (match === null) return [];
    const scheme = match[1]?.toLowerCase() === 'ntlm' ? 'NTLM' : 'Negotiate';
    return [{ scheme, ...(match[2] !== undefined && { token: match[2] }) }];
  });
}
