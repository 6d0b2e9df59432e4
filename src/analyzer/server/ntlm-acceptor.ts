import { parseChallenges } from '../../base/ntlm/challenges.ts';
import {
  type ChannelBinding,
  claimedUser,
  createChallenge,
  type RejectReason,
  type ServerContext,
  type Target,
  verify,
} from '../../base/ntlm/verify.ts';
import type { LogonThrottle } from './logon-throttle.ts';

/** The authenticated user of a request. The domain is that of the account, not the one that the client sent. */
export interface Identity {
  readonly domain: string;
  readonly user: string;
}

/** The users and the name of the server that NTLM needs. */
export interface NtlmAcceptorOptions {
  /** The NT hash of a user, whose name is compared without case. */
  readonly lookup: (user: string) => Buffer | undefined;
  readonly target: Target;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Milliseconds between CHALLENGE and AUTHENTICATE. */
  readonly contextTimeoutMs?: number;
  /** Forgets the identity after each request, as some servers do. */
  readonly perRequest?: boolean;
  readonly requireMic?: boolean;
  readonly maxSkewSeconds?: number;
  readonly channelBinding?: ChannelBinding;
  readonly throttle?: LogonThrottle;
  readonly onVerdict?: (verdict: LogonVerdict) => void;
}

/** For the log. The client only gets 401, or 429 if it is throttled. */
export interface LogonVerdict {
  readonly ok: boolean;
  /** `throttled`: the password was not checked. */
  readonly reason?: RejectReason | 'throttled';
  readonly user?: string;
  readonly address?: string;
}

/** The parts of a request that authentication needs. The identity is bound to the socket. */
export interface AuthenticationRequest {
  readonly socket: object;
  readonly authorization: string | undefined;
  readonly address?: string | undefined;
  /** Whether the connection ends with this request. */
  readonly isLast?: boolean;
}

/** Who sends a request, or what to answer instead. */
export type Authentication =
  | { readonly ok: true; readonly identity: Identity }
  /** `challenge` is the value of WWW-Authenticate for the 401; with `retryAfter`, in seconds, the answer is 429. */
  | { readonly ok: false; readonly challenge: string; readonly retryAfter?: number };

/** The server's side of NTLM over HTTP (MS-NTHT): a logon is of its connection, or of one request. */
export interface NtlmAcceptor {
  authenticate(request: AuthenticationRequest): Authentication;
  /** Whether a logon is under way on a connection. */
  isExpecting(socket: object): boolean;
}

const CONTEXT_TIMEOUT_MS = 60_000;
const OFFER = { ok: false, challenge: 'NTLM' } as const satisfies Authentication;

/** NTLM logon of HTTP clients. The state belongs to the connection, as the protocol requires. */
export function createNtlmAcceptor(options: NtlmAcceptorOptions): NtlmAcceptor {
  const now = options.now ?? Date.now;
  const contexts = new WeakMap<object, ServerContext>();
  const identities = new WeakMap<object, Identity>();

  const challenge = (socket: object, scheme: string, message: Buffer): Authentication => {
    try {
      const context = createChallenge(message, options.target, now());
      contexts.set(socket, context);
      return { ok: false, challenge: `${scheme} ${context.challenge.toString('base64')}` };
    } catch {
      return OFFER;
    }
  };

  const evaluate = ({ socket, address = '' }: AuthenticationRequest, message: Buffer): Authentication => {
    const report = (outcome: LogonVerdict): void =>
      options.onVerdict?.({ ...outcome, ...(address !== '' && { address }) });
    const context = contexts.get(socket);
    contexts.delete(socket);
    if (context === undefined || now() - context.createdAt > (options.contextTimeoutMs ?? CONTEXT_TIMEOUT_MS)) {
      report({ ok: false, reason: context === undefined ? 'no-context' : 'expired' });
      return OFFER;
    }
    const user = claimedUser(message);
    // a message without a user name does not count as a guess
    const throttle = user === '' ? undefined : options.throttle;
    const waitMs = throttle?.wait(user, address) ?? 0;
    if (waitMs > 0) {
      report({ ok: false, reason: 'throttled', user });
      return { ...OFFER, retryAfter: Math.ceil(waitMs / 1000) };
    }
    const verdict = verify(message, context, { ...options, now: now() });
    if (verdict.ok) throttle?.succeeded(user, address);
    else throttle?.failed(user, address);
    report(verdict);
    if (!verdict.ok) return OFFER;
    const identity = { domain: options.target.domain, user };
    if (options.perRequest !== true) identities.set(socket, identity);
    return { ok: true, identity };
  };

  return {
    isExpecting: (socket) => contexts.has(socket),
    authenticate: (request) => {
      const { socket, authorization } = request;
      if (authorization === undefined) {
        const identity = identities.get(socket);
        return identity === undefined ? OFFER : { ok: true, identity };
      }
      const [offer] = parseChallenges(authorization);
      const message = Buffer.from(offer?.token ?? '', 'base64');
      // a new logon ends the old one, even if it fails
      identities.delete(socket);
      const type = message.length >= 12 ? message.readUInt32LE(8) : 0;
      // the connection ends with this request, so the client could not answer a challenge
      if (offer !== undefined && type === 1 && request.isLast !== true) return challenge(socket, offer.scheme, message);
      if (type === 3) return evaluate(request, message);
      contexts.delete(socket);
      return OFFER;
    },
  };
}
