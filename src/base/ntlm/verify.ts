import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  AV_FLAG_MIC,
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
import { fileTime, fromFileTime, hmacMd5, ntowfv2, rc4, utf16 } from './primitives.ts';

/** The server side of NTLM: creates challenges and evaluates the replies. No sockets. */

/** Names of the server. */
export interface Target {
  /** NetBIOS names. */
  readonly domain: string;
  readonly computer: string;
  readonly dnsDomain: string;
  readonly dnsComputer: string;
}

/** The state between CHALLENGE and AUTHENTICATE. */
export interface ServerContext {
  readonly negotiate: Buffer;
  readonly challenge: Buffer;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Why a logon was refused, for log and metric. Never sent to the client. */
export type RejectReason =
  | 'malformed'
  | 'anonymous'
  | 'ntlmv1'
  | 'unknown-user'
  | 'bad-password'
  | 'bad-mic'
  | 'no-mic'
  | 'skew'
  | 'channel-binding'
  | 'no-context'
  | 'expired';

/** Whether a logon is accepted, and the name that it claims. */
export type Verdict =
  | { readonly ok: true; readonly user: string; readonly domain: string }
  | { readonly ok: false; readonly reason: RejectReason; readonly user?: string };

/** How a logon is bound to the TLS connection. A logon that is bound to another connection is always refused. */
export interface ChannelBinding {
  readonly token: Buffer;
  /** Whether a logon without channel binding is refused too. */
  readonly required: boolean;
}

/** The users, the challenge and the connection that a logon must belong to. */
export interface VerifyOptions {
  /** Returns the NT hash of a user. Must ignore the case of names. */
  readonly lookup: (user: string) => Buffer | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly requireMic?: boolean;
  /** Maximum difference of the client's clock, seconds. */
  readonly maxSkewSeconds?: number;
  readonly channelBinding?: ChannelBinding;
}

const ECHOED_FLAGS =
  flags.EXTENDED_SESSIONSECURITY |
  flags.ALWAYS_SIGN |
  flags.SIGN |
  flags.SEAL |
  flags.KEY_128 |
  flags.KEY_56 |
  flags.KEY_EXCH;
const VERSION = Buffer.from('0a0063450000000f', 'hex');
const DUMMY_HASH = Buffer.alloc(16, 0x5a);

/**
 * Answers a NEGOTIATE message. OEM must work too, because curl supports only that.
 *
 * @throws MalformedMessage
 */
export function createChallenge(
  negotiate: Buffer,
  target: Target,
  now: number,
  serverChallenge: Buffer = randomBytes(8),
): ServerContext {
  checkMessage(negotiate, 1, 16);
  const asked = negotiate.readUInt32LE(12);
  const unicode = hasFlag(asked, flags.UNICODE);
  const answer =
    (flags.REQUEST_TARGET |
      flags.NTLM |
      flags.TARGET_TYPE_DOMAIN |
      flags.TARGET_INFO |
      flags.VERSION |
      (unicode ? flags.UNICODE : flags.OEM) |
      (asked & ECHOED_FLAGS)) >>>
    0;
  const header = Buffer.alloc(56);
  SIGNATURE.copy(header);
  header.writeUInt32LE(2, 8);
  header.writeUInt32LE(answer, 20);
  serverChallenge.copy(header, 24);
  VERSION.copy(header, 48);
  const pairs = writeAvPairs([
    { id: av.NB_DOMAIN, value: utf16(target.domain) },
    { id: av.NB_COMPUTER, value: utf16(target.computer) },
    { id: av.DNS_DOMAIN, value: utf16(target.dnsDomain) },
    { id: av.DNS_COMPUTER, value: utf16(target.dnsComputer) },
    { id: av.TIMESTAMP, value: fileTime(now) },
  ]);
  const name = unicode ? utf16(target.domain) : Buffer.from(target.domain, 'latin1');
  const challenge = writePayload(header, [
    [12, name],
    [40, pairs],
  ]);
  return { negotiate, challenge, createdAt: now };
}

interface Response {
  readonly user: string;
  readonly domain: string;
  readonly proof: Buffer;
  readonly blob: Buffer;
  readonly flags: number;
  readonly sessionKey: Buffer;
  readonly bytes: Buffer;
}

function readResponse(message: Buffer): Response {
  checkMessage(message, 3, 64);
  const sent = message.readUInt32LE(60);
  const text = (at: number): string =>
    readField(message, at).toString(hasFlag(sent, flags.UNICODE) ? 'utf16le' : 'latin1');
  readField(message, 12);
  text(44);
  const response = readField(message, 20);
  return {
    user: text(36),
    domain: text(28),
    proof: response.subarray(0, 16),
    blob: response.subarray(16),
    flags: sent,
    sessionKey: readField(message, 52),
    bytes: message,
  };
}

/** The key that matches the proof: computed with the domain as sent, or without a domain (MS-NLMP 3.2.5.1.2). */
function provenKey(response: Response, hash: Buffer, serverChallenge: Buffer): Buffer | undefined {
  // both are always computed, to prevent timing attacks
  const keys = [response.domain, ''].map((domain) => ntowfv2(hash, response.user, domain));
  const right = keys.map((key) => timingSafeEqual(hmacMd5(key, serverChallenge, response.blob), response.proof));
  return right[0] ? keys[0] : right[1] ? keys[1] : undefined;
}

function isMicValid(response: Response, key: Buffer, context: ServerContext): boolean {
  if (response.bytes.length < 88) return false;
  const base = hmacMd5(key, response.proof);
  const exchanged = hasFlag(response.flags, flags.KEY_EXCH) && response.sessionKey.length === 16;
  const exported = exchanged ? rc4(base, response.sessionKey) : base;
  const zeroed = Buffer.from(response.bytes);
  zeroed.fill(0, 72, 88);
  return timingSafeEqual(
    hmacMd5(exported, context.negotiate, context.challenge, zeroed),
    response.bytes.subarray(72, 88),
  );
}

function isBindingValid(bound: Buffer | undefined, { token, required }: ChannelBinding): boolean {
  // some clients send zeros if there is no channel binding
  if (bound === undefined || bound.every((byte) => byte === 0)) return !required;
  return bound.length === token.length && timingSafeEqual(bound, token);
}

function evaluate(message: Buffer, context: ServerContext, options: VerifyOptions): Verdict {
  const response = readResponse(message);
  const { user, domain } = response;
  const refuse = (reason: RejectReason): Verdict => ({ ok: false, reason, user });
  if (user === '' || response.proof.length === 0) return refuse('anonymous');
  if (response.proof.length + response.blob.length < 48) return refuse('ntlmv1');

  const hash = options.lookup(user);
  const key = provenKey(response, hash ?? DUMMY_HASH, context.challenge.subarray(24, 32));
  if (hash === undefined) return refuse('unknown-user');
  if (key === undefined) return refuse('bad-password');

  const pairs = readAvPairs(response.blob.subarray(28));
  const avFlags = findPair(pairs, av.FLAGS);
  const announced = avFlags?.length === 4 && hasFlag(avFlags.readUInt32LE(), AV_FLAG_MIC);
  if (announced && !isMicValid(response, key, context)) return refuse('bad-mic');
  if (!announced && options.requireMic === true) return refuse('no-mic');
  if (options.maxSkewSeconds !== undefined) {
    const skew = Math.abs(fromFileTime(response.blob.subarray(8, 16)) - options.now) / 1000;
    if (skew > options.maxSkewSeconds) return refuse('skew');
  }
  const bound = findPair(pairs, av.CHANNEL_BINDINGS);
  if (options.channelBinding !== undefined && !isBindingValid(bound, options.channelBinding)) {
    return refuse('channel-binding');
  }
  return { ok: true, user, domain };
}

/** The unverified user name of an AUTHENTICATE message; empty if it cannot be read. */
export function claimedUser(message: Buffer): string {
  try {
    return readResponse(message).user;
  } catch (error) {
    if (error instanceof MalformedMessage || error instanceof RangeError) return '';
    throw error;
  }
}

/** Evaluates an AUTHENTICATE message against the challenge it answers. Never throws. */
export function verify(message: Buffer, context: ServerContext, options: VerifyOptions): Verdict {
  try {
    return evaluate(message, context, options);
  } catch (error) {
    if (error instanceof MalformedMessage || error instanceof RangeError) return { ok: false, reason: 'malformed' };
    throw error;
  }
}
