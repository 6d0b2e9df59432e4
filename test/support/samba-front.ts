import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parseChallenges } from '../../src/base/ntlm/challenges.ts';
import type { Cleanup } from './harness.ts';
import type { SambaAccounts } from './samba-accounts.ts';

type Helper = ReturnType<SambaAccounts['takeHelper']>;

/** An HTTP server whose NTLM logons Samba verifies, in front of an analyzer that checks no logons. */
export interface SambaFront {
  /** Base URL of the Query API. */
  readonly url: string;
}

interface ConnectionState {
  identity?: string;
  helper?: Helper;
}

const typeOf = (token: string): number => Buffer.from(token, 'base64')[8] ?? 0;

function forward(behind: URL, agent: Agent, identity: string, asked: IncomingMessage, response: ServerResponse): void {
  const upstream = request(
    {
      agent,
      host: behind.hostname,
      port: behind.port,
      path: asked.url ?? '/',
      method: asked.method ?? 'GET',
      headers: { 'x-remote-user': identity },
    },
    (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        const type = answer.headers['content-type'] ?? 'text/plain';
        response.writeHead(answer.statusCode ?? 502, { 'content-type': type, 'content-length': body.length }).end(body);
      });
    },
  );
  upstream.on('error', () => response.writeHead(502, { 'content-length': 0 }).end());
  upstream.end();
}

/** Starts the server in front of the base URL of an analyzer. It ends with the test. */
export async function startSambaFront(
  cleanup: Cleanup,
  accounts: SambaAccounts,
  analyzer: string,
): Promise<SambaFront> {
  const behind = new URL(analyzer);
  const agent = new Agent({ keepAlive: true });
  cleanup.add(() => agent.destroy());
  const states = new WeakMap<Socket, ConnectionState>();

  const stateOf = (socket: Socket): ConnectionState => {
    const known = states.get(socket);
    if (known !== undefined) return known;
    const state: ConnectionState = {};
    states.set(socket, state);
    socket.once('close', () => {
      if (state.helper !== undefined) accounts.returnHelper(state.helper);
    });
    return state;
  };

  const refuse = (response: ServerResponse, token = ''): void => {
    const offer = token === '' ? 'NTLM' : `NTLM ${token}`;
    response.writeHead(401, { 'www-authenticate': offer, 'content-length': 0 }).end();
  };

  const handle = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const state = stateOf(asked.socket);
    const token = parseChallenges(asked.headers.authorization)[0]?.token;
    asked.resume();
    if (token !== undefined && typeOf(token) === 1) {
      delete state.identity;
      state.helper ??= accounts.takeHelper();
      refuse(response, await state.helper.challenge(token));
      return;
    }
    if (token !== undefined) {
      const { helper } = state;
      delete state.identity;
      delete state.helper;
      const verdict = await helper?.verify(token);
      if (helper !== undefined) accounts.returnHelper(helper);
      if (verdict?.ok === true) state.identity = verdict.identity;
    }
    if (state.identity === undefined) refuse(response);
    else forward(behind, agent, state.identity, asked, response);
  };

  const server = createServer({ keepAliveTimeout: 150_000 }, (asked, response) => void handle(asked, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${behind.pathname}` };
}
