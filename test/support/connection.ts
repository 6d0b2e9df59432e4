import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import { authenticate } from '../../src/base/ntlm/client-codec.ts';
import { negotiate } from '../../src/base/ntlm/primitives.ts';

/** HTTP clients that show details which a library hides. */

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Identifies the connection. */
  readonly localPort: number;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Connection {
  /** Sends a request with the exact path, without normalizing it. */
  send(path: string, call?: Call): Promise<Answer>;
  close(): void;
}

/** One kept connection. A request on another connection is recognized by its port. */
export function connectTo(url: string): Connection {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === 'https:';
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = isTls ? new TlsAgent({ ...options, rejectUnauthorized: false }) : new Agent(options);
  return {
    send: (path, { method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const sent = (isTls ? tlsRequest : request)({ hostname, port, agent, path, method, headers }, (response) => {
          // after the response was read, it has no socket any more
          const localPort = response.socket.localPort ?? 0;
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
              localPort,
            });
          });
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Sends bytes and returns the answer: the part received so far, and the whole when the server closes the connection. */
export function sendRaw(url: string, text: string): { arrived: () => string; closed: Promise<string> } {
  const { hostname, port } = new URL(url);
  let answer = '';
  const closed = new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
  return { arrived: () => answer, closed };
}

export async function logOn(
  connection: Connection,
  path: string,
  password = 'S3cret-pass!',
  call: Call = {},
  username = 'svc',
): Promise<Answer> {
  const first = negotiate();
  const offer = await connection.send(path, {
    ...call,
    headers: { authorization: `NTLM ${first.toString('base64')}` },
  });
  const challenge = Buffer.from(String(offer.headers['www-authenticate']).replace(/^NTLM /, ''), 'base64');
  const credentials = { username, domain: 'SIM', workstation: '', password };
  const last = authenticate(challenge, credentials, { negotiate: first, host: '127.0.0.1' });
  return connection.send(path, { ...call, headers: { authorization: `NTLM ${last.toString('base64')}` } });
}
