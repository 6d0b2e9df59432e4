import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  createNtlmAcceptor,
  type NtlmAcceptor,
  type NtlmAcceptorOptions,
} from '../../src/analyzer/server/ntlm-acceptor.ts';
import { parseChallenges } from '../../src/base/ntlm/challenges.ts';
import { ntHash } from '../../src/base/ntlm/primitives.ts';
import { account } from './harness.ts';

/** The cheapest call: its requests are `logon` in the wire log. */
export const LOGON_PATH = '/logon';

/** One request as a script sees it. */
export interface Call {
  /** Counted from 1 over all sockets. */
  readonly number: number;
  /** `NTLM1`, `NTLM3`, `Negotiate1`, … or nothing without a token. */
  readonly token: string;
  readonly method: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Answers as a correct server does. */
  readonly proceed: () => void;
}

export interface ScriptedServer {
  readonly url: string;
  /** Wire log: `2:logon+NTLM1` is an NTLM NEGOTIATE with the cheapest call on the second socket, `1:GET` a request. */
  readonly log: string[];
  /** Bodies of the requests that were served. */
  readonly bodies: string[];
  readonly failedLogons: () => number;
  /** Changes the accepted password. */
  setPassword(password: string): void;
  /** Maximum number of requests that were served at the same time. */
  readonly peak: () => number;
  /** Number of open connections. */
  readonly openSockets: () => number;
  closeSockets(): void;
  stop(): Promise<void>;
}

export const target = { domain: 'CORP', computer: 'SRV', dnsDomain: 'corp.invalid', dnsComputer: 'srv.corp.invalid' };

/** A server with NTLM that misbehaves as scripted. Without a script it behaves correctly. */
export async function startScripted(
  script: (call: Call) => void = ({ proceed }) => proceed(),
  options: Partial<NtlmAcceptorOptions> = {},
): Promise<ScriptedServer> {
  const log: string[] = [];
  const bodies: string[] = [];
  const sockets: Socket[] = [];
  let hash = ntHash(account.password);
  let failed = 0;
  let running = 0;
  let peak = 0;
  const acceptor: NtlmAcceptor = createNtlmAcceptor({
    lookup: (user) => (user.toLowerCase() === account.username ? hash : undefined),
    target,
    onVerdict: ({ ok }) => {
      if (!ok) failed += 1;
    },
    ...options,
  });

  const tokenOf = (header: string | undefined): string => {
    const [offer] = parseChallenges(header);
    if (offer?.token === undefined) return header === undefined ? '' : '?';
    return `${offer.scheme}${Buffer.from(offer.token, 'base64').readUInt32LE(8)}`;
  };

  const server: Server = createServer((request, response) => {
    const { socket, headers, method = '' } = request;
    if (!sockets.includes(socket)) sockets.push(socket);
    const token = tokenOf(headers.authorization);
    const what = request.url === LOGON_PATH ? 'logon' : method;
    log.push(`${sockets.indexOf(socket) + 1}:${what}${token === '' ? '' : `+${token}`}`);
    const proceed = (): void => {
      const result = acceptor.authenticate({ socket, authorization: headers.authorization });
      if (!result.ok) {
        request.resume();
        response.writeHead(401, { 'www-authenticate': result.challenge, 'content-length': 0 }).end();
        return;
      }
      running += 1;
      peak = Math.max(peak, running);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString());
        running -= 1;
        if (!response.writableEnded) response.end('ok');
      });
    };
    script({ number: log.length, token, method, request, response, socket, proceed });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    bodies,
    failedLogons: () => failed,
    setPassword: (password) => {
      hash = ntHash(password);
    },
    peak: () => peak,
    openSockets: () => sockets.filter(({ destroyed }) => !destroyed).length,
    closeSockets: () => {
      for (const socket of sockets) socket.destroy();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
