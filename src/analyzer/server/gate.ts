import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { peerAddress } from '../../base/model/peer-address.ts';
import { channelBindingToken } from '../../base/ntlm/channel-binding.ts';
import type { ChannelBinding } from '../../base/ntlm/verify.ts';
import { createLogonThrottle } from './logon-throttle.ts';
import { createNtlmAcceptor, type NtlmAcceptorOptions } from './ntlm-acceptor.ts';
import { type Reply, tooMany } from './reply.ts';

/** A user who may ask the analyzer. The hash of the password is as good as the password. */
export interface AnalyzerUser {
  readonly name: string;
  readonly ntHash: Buffer;
}

/**
 * Channel binding of logons over TLS: `allow` rejects a logon that is bound to another certificate, as through a man in the
 * middle. `require` also rejects a logon without a binding. `off` checks nothing.
 */
export type ChannelBindingMode = 'off' | 'allow' | 'require';

/** Who may log on, how often a logon may fail, and what is logged of it. */
export interface GateOptions extends Pick<NtlmAcceptorOptions, 'perRequest' | 'requireMic' | 'onVerdict'> {
  /** NetBIOS domain of the users. */
  readonly domain: string;
  /** The default is `allow`. `require` needs TLS. */
  readonly channelBinding?: ChannelBindingMode;
  /** Called at each logon, so that users can change. */
  readonly users: () => readonly AnalyzerUser[];
}

/** Every request passes the gate before it is handled. */
export interface Gate {
  /** Whether a logon is under way on a connection. */
  isExpecting(socket: Socket): boolean;
  /** The user of a request, `domain\user`, or the reply that rejects it. */
  identify(request: IncomingMessage): { readonly user: string } | { readonly refusal: Reply };
}

/** What a reverse proxy asks for that makes a connection of its own for each request. */
function isLast({ httpVersion, headers: { connection = '' } }: IncomingMessage): boolean {
  return /\bclose\b/i.test(connection) || (httpVersion === '1.0' && !/\bkeep-alive\b/i.test(connection));
}

/** For tests behind a server that handles logons. */
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
