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
