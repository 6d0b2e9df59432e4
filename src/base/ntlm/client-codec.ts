import { randomBytes } from 'node:crypto';
import { channelBindingToken } from './channel-binding.ts';
import { NtlmError } from './errors.ts';
import {
  AV_FLAG_MIC,
  type AvPair,
  av,
  checkMessage,
  findPair,
  flags,
  hasFlag,
  MalformedMessage,
  readAvPairs,
  readField,
  SIGNATURE,
  writeAvPairs,
  writePayload,
} from './messages.ts';
import { fileTime, hmacMd5, ntHash, ntowfv2, upcase, utf16 } from './primitives.ts';

export { negotiate } from './primitives.ts';

/** An account. `domain` is the result of `normaliseDomain`, empty if none is configured. */
export interface Credentials {
  readonly username: string;
  readonly domain: string;
  readonly workstation: string;
  readonly password: string;
}

/** Some servers compute keys with the NetBIOS domain in upper case, so it is always upper-cased. */
export const normaliseDomain = upcase;

/** What an AUTHENTICATE message depends on, besides challenge and account. */
export interface AuthenticateContext {
  /** The NEGOTIATE message as sent. */
  readonly negotiate: Buffer;
  /** Host name of the origin, for the target name. */
  readonly host: string;
  /** DER of the server's certificate, on TLS. */
  readonly certificate?: Buffer;
  /** Used if the server sends no time, epoch milliseconds. */
  readonly now?: number;
  readonly clientChallenge?: Buffer;
}

/** Supported flags. Signing, sealing and key exchange are not needed for HTTP. */
const CLIENT_FLAGS = 0xa2888205;
const VERSION = Buffer.from('0a0063450000000f', 'hex');
const HEADER_LENGTH = 88;
const MIC_AT = 72;

interface Challenge {
  readonly flags: number;
  readonly serverChallenge: Buffer;
  readonly pairs: readonly AvPair[];
}

/** Reads a CHALLENGE message. Refuses a challenge that would lead to anything weaker than NTLMv2. */
function readChallenge(message: Buffer): Challenge {
  checkMessage(message, 2, 48);
  const challengeFlags = message.readUInt32LE(20);
  for (const name of ['UNICODE', 'EXTENDED_SESSIONSECURITY', 'TARGET_INFO'] as const) {
    if (!hasFlag(challengeFlags, flags[name])) throw new MalformedMessage(`the challenge lacks ${name}`);
  }
  readField(message, 12);
  return {
    flags: challengeFlags,
    serverChallenge: message.subarray(24, 32),
    pairs: readAvPairs(readField(message, 40)),
  };
}

/** The server's pairs, with the MIC flag, the target name and the channel binding added. */
function answerPairs(pairs: readonly AvPair[], withMic: boolean, context: AuthenticateContext): AvPair[] {
  const answer = pairs.filter(({ id }) => id !== av.TARGET_NAME && id !== av.CHANNEL_BINDINGS);
  if (withMic) {
    const value = Buffer.alloc(4);
    const given = findPair(pairs, av.FLAGS);
    value.writeUInt32LE(((given?.length === 4 ? given.readUInt32LE() : 0) | AV_FLAG_MIC) >>> 0);
    const at = answer.findIndex(({ id }) => id === av.FLAGS);
    if (at === -1) answer.push({ id: av.FLAGS, value });
    else answer[at] = { id: av.FLAGS, value };
  }
  answer.push({ id: av.TARGET_NAME, value: utf16(`HTTP/${context.host}`) });
  if (context.certificate !== undefined) {
    answer.push({ id: av.CHANNEL_BINDINGS, value: channelBindingToken(context.certificate) });
  }
  return answer;
}

function compose(message: Buffer, credentials: Credentials, context: AuthenticateContext): Buffer {
  const challenge = readChallenge(message);
  const timestamp = findPair(challenge.pairs, av.TIMESTAMP);
  const withMic = timestamp?.length === 8;
  const clientChallenge = context.clientChallenge ?? randomBytes(8);
  const key = ntowfv2(ntHash(credentials.password), credentials.username, credentials.domain);

  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    withMic ? timestamp : fileTime(context.now ?? Date.now()),
    clientChallenge,
    Buffer.alloc(4),
    writeAvPairs(answerPairs(challenge.pairs, withMic, context)),
    Buffer.alloc(4),
  ]);
  const proof = hmacMd5(key, challenge.serverChallenge, blob);
  // MS-NLMP 3.1.5.2.1: with the server's time no LM response is sent
  const lmResponse = withMic
    ? Buffer.alloc(24)
    : Buffer.concat([hmacMd5(key, challenge.serverChallenge, clientChallenge), clientChallenge]);

  const header = Buffer.alloc(HEADER_LENGTH);
  SIGNATURE.copy(header);
  header.writeUInt32LE(3, 8);
  header.writeUInt32LE((challenge.flags & CLIENT_FLAGS) >>> 0, 60);
  VERSION.copy(header, 64);
  const written = writePayload(header, [
    [28, utf16(credentials.domain)],
    [36, utf16(credentials.username)],
    [44, utf16(credentials.workstation)],
    [12, lmResponse],
    [20, Buffer.concat([proof, blob])],
    [52, Buffer.alloc(0)],
  ]);
  if (withMic) {
    hmacMd5(hmacMd5(key, proof), context.negotiate, message, written).copy(written, MIC_AT);
  }
  return written;
}

/** The CHALLENGE message of a base64 token. */
export function decodeToken(token: string): Buffer {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(token) || token.length % 4 !== 0) {
    throw new NtlmError('NTLM_CHALLENGE_INVALID', 'the challenge of the server is not base64');
  }
  return Buffer.from(token, 'base64');
}

/**
 * Composes the AUTHENTICATE message: NTLMv2 with the server's time, a MIC and, on TLS, the channel binding.
 *
 * @throws NtlmError `NTLM_CHALLENGE_INVALID` for a challenge that is malformed or would downgrade the logon
 */
export function authenticate(challenge: Buffer, credentials: Credentials, context: AuthenticateContext): Buffer {
  try {
    return compose(challenge, credentials, context);
  } catch (error) {
    const why = error instanceof MalformedMessage ? error.message : 'it cannot be read';
    throw new NtlmError('NTLM_CHALLENGE_INVALID', `the challenge of the server is not usable: ${why}`, {
      cause: error,
    });
  }
}
