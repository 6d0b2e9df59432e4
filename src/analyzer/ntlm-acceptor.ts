import { parseChallenges } from '../ntlm/challenges.ts';
import {
  createChallenge,
  type RejectReason,
  type ServerContext,
  type Target,
  type Verdict,
  verify,
} from '../ntlm/verify.ts';
import type { LogonThrottle } from './logon-throttle.ts';

/** Who a request was authenticated as. */
export interface Identity {
  readonly domain: string;
  readonly user: string;
}

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
  readonly channelBinding?: Buffer;
  readonly throttle?: LogonThrottle;
  readonly onVerdict?: (verdict: LogonVerdict) => void;
}

/** For the log; the client is told nothing but 401. */
export interface LogonVerdict {
  readonly ok: boolean;
  readonly reason?: RejectReason | 'throttled';
  readonly user?: string;
  readonly address?: string;
}

/** A request as far as authentication is concerned. The socket is what the identity is bound to. */
export interface AuthenticationRequest {
  readonly socket: object;
  readonly authorization: string | undefined;
  readonly address?: string | undefined;
}

export type Authentication =
  | { readonly ok: true; readonly identity: Identity }
  /** `challenge` is the value of WWW-Authenticate for the 401. */
  | { readonly ok: false; readonly challenge: string };

export interface NtlmAcceptor {
  authenticate(request: AuthenticationRequest): Authentication;
  /** Whether a logon is under way on a connection. */
  isExpecting(socket: object): boolean;
}

const CONTEXT_TIMEOUT_MS = 60_000;
const OFFER: Authentication = { ok: false, challenge: 'NTLM' };

/** NTLM logon of HTTP clients: state per connection, as the protocol has it. */
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

  /** Whoever failed too often is refused for a while, with the right password too. */
  const throttled = (verdict: Verdict, address = ''): Verdict | { ok: false; reason: 'throttled'; user?: string } => {
    const { throttle } = options;
    const { user = '' } = verdict;
    if (throttle?.isHeld(user, address) === true) return { ok: false, reason: 'throttled', user };
    if (verdict.ok) throttle?.succeeded(user, address);
    else throttle?.failed(user, address);
    return verdict;
  };

  const judge = ({ socket, address }: AuthenticationRequest, message: Buffer): Authentication => {
    const context = contexts.get(socket);
    contexts.delete(socket);
    const expired =
      context !== undefined && now() - context.createdAt > (options.contextTimeoutMs ?? CONTEXT_TIMEOUT_MS);
    const verdict =
      context === undefined || expired
        ? { ok: false as const, reason: expired ? ('expired' as const) : ('no-context' as const) }
        : throttled(verify(message, context, { ...options, now: now() }), address);
    options.onVerdict?.({ ...verdict, ...(address !== undefined && { address }) });
    if (!verdict.ok) return OFFER;
    // a client without a domain is one of ours
    const identity = { domain: verdict.domain === '' ? options.target.domain : verdict.domain, user: verdict.user };
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
      // a new logon ends the old one, whatever comes of it
      identities.delete(socket);
      const type = message.length >= 12 ? message.readUInt32LE(8) : 0;
      if (offer !== undefined && type === 1) return challenge(socket, offer.scheme, message);
      if (type === 3) return judge(request, message);
      contexts.delete(socket);
      return OFFER;
    },
  };
}
