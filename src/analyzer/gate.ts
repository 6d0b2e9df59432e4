import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { channelBindingToken } from '../ntlm/channel-binding.ts';
import type { ChannelBinding } from '../ntlm/verify.ts';
import { createLogonThrottle } from './logon-throttle.ts';
import { createNtlmAcceptor, type NtlmAcceptorOptions } from './ntlm-acceptor.ts';
import { peerAddress } from './peer-address.ts';
import { type Reply, tooMany } from './reply.ts';

export interface AnalyzerUser {
  readonly name: string;
  readonly ntHash: Buffer;
}

/**
 * Whether logons over TLS are bound to the certificate of this server: `allow` refuses those that are bound to another
 * one, as those of a man in the middle are, `require` also those that are bound to none, `off` nothing.
 */
export type ChannelBindingMode = 'off' | 'allow' | 'require';

export interface GateOptions extends Pick<NtlmAcceptorOptions, 'perRequest' | 'requireMic' | 'onVerdict'> {
  /** NetBIOS domain of the users. */
  readonly domain: string;
  /** `allow` when it is left out. `require` needs TLS. */
  readonly channelBinding?: ChannelBindingMode;
  /** Asked at each logon, so that they can change. */
  readonly users: () => readonly AnalyzerUser[];
}

/** What every request passes before anything else is done for it. */
export interface Gate {
  /** Whether a logon is under way on a connection. */
  isExpecting(socket: Socket): boolean;
  /** Who a request is from, `domain\user`, or what is answered instead. */
  identify(request: IncomingMessage): { readonly user: string } | { readonly refusal: Reply };
}

/** What a reverse proxy asks for that makes a connection of its own for each request. */
function isLast({ httpVersion, headers: { connection = '' } }: IncomingMessage): boolean {
  return /\bclose\b/i.test(connection) || (httpVersion === '1.0' && !/\bkeep-alive\b/i.test(connection));
}

/** For tests behind a server that does the logon. */
export const noGate: Gate = {
  isExpecting: () => false,
  identify: ({ headers }) => ({ user: String(headers['x-remote-user'] ?? '') }),
};

function bindingOf(mode: ChannelBindingMode, cert: string | undefined): ChannelBinding | undefined {
  if (mode === 'require' && cert === undefined) throw new Error('channel binding can be required over TLS only');
  if (mode === 'off' || cert === undefined) return undefined;
  return { token: channelBindingToken(Buffer.from(cert)), required: mode === 'require' };
}

/**
 * NTLM for the users, and the limits on failed logons.
 *
 * @param cert the certificate of the server in PEM, where it speaks TLS
 * @param now epoch milliseconds
 */
export function createGate(options: GateOptions, cert: string | undefined, now: () => number): Gate {
  const { domain, users, channelBinding: mode = 'allow', ...acceptorOptions } = options;
  const dnsDomain = `${domain.toLowerCase()}.invalid`;
  const channelBinding = bindingOf(mode, cert);
  const acceptor = createNtlmAcceptor({
    ...acceptorOptions,
    ...(channelBinding !== undefined && { channelBinding }),
    lookup: (user) => users().find(({ name }) => name.toLowerCase() === user.toLowerCase())?.ntHash,
    target: { domain, computer: 'ANALYZER', dnsDomain, dnsComputer: `analyzer.${dnsDomain}` },
    throttle: createLogonThrottle(now),
  });
  return {
    isExpecting: (socket) => acceptor.isExpecting(socket),
    identify: (request) => {
      const { socket, headers } = request;
      const { authorization } = headers;
      const address = peerAddress(socket.remoteAddress);
      const result = acceptor.authenticate({ socket, authorization, address, isLast: isLast(request) });
      if (result.ok) return { user: `${result.identity.domain}\\${result.identity.user}` };
      const { challenge, retryAfter } = result;
      const refusal =
        retryAfter === undefined
          ? { status: 401, body: [], headers: { 'www-authenticate': challenge } }
          : tooMany('too_many_logons', 'too many logons failed; the password was not looked at', retryAfter);
      return { refusal };
    },
  };
}
