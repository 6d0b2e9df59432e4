import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createSecureServer as createHttp2Server } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpSettings } from '../../../../src/analyzer/sources/source-settings.ts';
import { createHttpTransport } from '../../../../src/analyzer/sources/transport/http-transport.ts';
import type { Transport, TransportSettings } from '../../../../src/analyzer/sources/transport/transport.ts';
import { createCertificate } from '../../../support/certificate.ts';
import { createCleanup, eventually } from '../../../support/harness.ts';
import { peer } from '../../../support/peers.ts';
import { createFolder, createHost, failureOf, limits, never, openDescriptors } from './tools.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NO_TLS: HttpSettings['tls'] = {
  ca: undefined,
  cert: undefined,
  key: undefined,
  serverName: undefined,
  insecureSkipVerify: false,
};

async function listen(server: Server & { closeAllConnections?: () => void }): Promise<number> {
  server.listen(0, '127.0.0.1');
  await eventually('the server listens', () => server.listening);
  cleanup.add(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

async function startServer(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}/observations`;
}

function createGet(url: string, settings: Partial<HttpSettings & TransportSettings> = {}): Transport {
  const transport = createHttpTransport(
    { kind: 'http', url, tokenFile: undefined, tls: NO_TLS, ...limits, ...settings },
    createHost(cleanup, { now: () => 55 }),
  );
  cleanup.add(() => transport.close());
  return transport;
}

function writeToken(text: string): string {
  const path = join(createFolder(cleanup), 'token');
  writeFileSync(path, text);
  return path;
}

const fails = async (url: string, settings?: Partial<HttpSettings & TransportSettings>) => {
  const { kind, message } = await failureOf(createGet(url, settings).read([], never));
  return `${kind}: ${message}`;
};

describe('a request', () => {
  it('is a GET that accepts JSON and text, and carries no more than it must', async () => {
    let seen: IncomingMessage | undefined;
    const url = await startServer((request, response) => {
      seen = request;
      response.end('{"version":1}');
    });
    expect(await createGet(`${url}?site=a`).read(['-a'], never)).toEqual({
      stdout: '{"version":1}',
      stderr: '',
      exitCode: undefined,
      at: 55,
    });
    expect([seen?.method, seen?.url]).toEqual(['GET', '/observations?site=a']);
    expect(seen?.headers).toEqual({
      host: new URL(url).host,
      connection: 'close',
      accept: 'application/json, text/plain',
      'accept-encoding': 'gzip',
      'user-agent': 'license-exporter',
    });
  });

  it('reads the token each time', async () => {
    const seen: (string | undefined)[] = [];
    const url = await startServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end();
    });
    const tokenFile = writeToken('first\n');
    const transport = createGet(url, { tokenFile });
    await transport.read([], never);
    writeFileSync(tokenFile, 'second');
    await transport.read([], never);
    expect(seen).toEqual(['Bearer first', 'Bearer second']);
  });

  it.each(['', 'two words', 's3cret\nX-Other: 1', 'sécret'])(
    'is not sent with the unusable token %j, which no message has',
    async (token) => {
      let isSent = false;
      const url = await startServer((_request, response) => {
        isSent = true;
        response.end();
      });
      const tokenFile = writeToken(token);
      expect(await fails(url, { tokenFile })).toBe(
        `refused: the token file ${tokenFile} does not contain a token; write the token into it as one line without blanks`,
      );
      expect(isSent).toBe(false);
      expect(await fails(url, { tokenFile: '/none/token' })).toContain(
        'refused: the token file /none/token cannot be read: ENOENT',
      );
    },
  );

  it('asks whether the text has changed', async () => {
    const seen: (string | undefined)[] = [];
    let version = '"1"';
    const url = await startServer(({ headers }, response) => {
      seen.push(headers['if-none-match']);
      if (headers['if-none-match'] === version) response.writeHead(304).end();
      else response.writeHead(200, { etag: version }).end(`text ${version}`);
    });
    const transport = createGet(url);
    const read = async () => (await transport.read([], never)).stdout;
    expect([await read(), await read()]).toEqual(['text "1"', 'text "1"']);
    version = '"2"';
    expect([await read(), await read()]).toEqual(['text "2"', 'text "2"']);
    expect(seen).toEqual([undefined, '"1"', '"1"', '"2"']);
  });

  it('accepts gzip, and decodes the text', async () => {
    const url = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.from([0x61, 0xe4])));
    });
    expect(await createGet(url).read([], never)).toMatchObject({ stdout: 'aä' });
  });
});

describe('an answer that gives nothing', () => {
  it.each([
    [401, 'refused: URL answered 401: it does not accept the token, or needs one; check token_file'],
    [403, 'refused: URL answered 403: it does not allow this client to read; check the rights of the token'],
    [404, 'missing_tool: URL answered 404: it does not know the path; correct the URL'],
    [429, 'unreachable: URL answered 429: too many requests; set a longer interval'],
    [500, 'unreachable: URL answered 500: the server has a problem; check its log'],
    [503, 'unreachable: URL answered 503: the server has a problem; check its log'],
    [405, 'refused: URL answered 405: it refuses the request; check the URL'],
    [204, 'protocol: URL answered 204 instead of 200; check the URL'],
    [304, expect.stringContaining('URL answered 304')],
  ])('has the status %i', async (status, expected) => {
    const url = await startServer((_request, response) => response.writeHead(status).end());
    expect((await fails(`${url}?key=s3cret`)).replace(url, 'URL')).toEqual(expected);
  });

  it('is a redirect, which would hand the token to another server', async () => {
    let isFollowed = false;
    const other = await startServer((_request, response) => {
      isFollowed = true;
      response.end('x');
    });
    const url = await startServer((_request, response) =>
      response.writeHead(302, { location: `${other}?session=s3cret` }).end(),
    );
    const message = await fails(url, { tokenFile: writeToken('t0k3n') });
    expect(message).toContain(`refused: ${url} answered 302 with a redirect to ${other}, which is not followed`);
    expect(message).not.toMatch(/s3cret|t0k3n/);
    expect(isFollowed).toBe(false);
  });

  it.each<readonly [string, (response: ServerResponse) => void]>([
    [
      'its length says so',
      (response) => void response.writeHead(200, { 'content-length': 1001 }).end('x'.repeat(1001)),
    ],
    [
      'it does not end',
      (response) => {
        const more = (): void => void response.write('x'.repeat(100), () => setImmediate(more));
        more();
      },
    ],
    [
      'it is compressed',
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    ],
  ])('is too large: %s', async (_what, answer) => {
    const url = await startServer((_request, response) => answer(response));
    expect(await fails(url, { maxOutput: 1000 })).toBe(
      `too_large: ${url} sent more than 1000 bytes; ask for less, or set a larger max_output`,
    );
  });

  it.each<readonly [string, (response: ServerResponse) => void, string]>([
    [
      'of the length',
      (response) => void response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy()),
      'unreachable',
    ],
    ['of the chunks', (response) => void response.write('half', () => response.destroy()), 'unreachable'],
    [
      'of the compression',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('whole').subarray(0, 15)),
      'protocol',
    ],
    [
      'of a known coding',
      (response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('half'),
      'protocol',
    ],
  ])('is not %s', async (_what, answer, kind) => {
    const url = await startServer((_request, response) => answer(response));
    expect(await fails(url)).toMatch(new RegExp(`^${kind}: ${url} `));
  });

  it('comes too late: no answer, or an answer that does not end', async () => {
    for (const begin of [() => undefined, (response: ServerResponse) => void response.write('half')]) {
      const url = await startServer((_request, response) => begin(response));
      expect(await fails(url, { timeout: 0.3 })).toBe(
        `timeout: ${url} did not answer completely within 0.3 s; check the server and the network, or set a longer timeout`,
      );
    }
  });

  it('is canceled', async () => {
    const asked = Promise.withResolvers<void>();
    const url = await startServer(() => asked.resolve());
    const transport = createGet(url);
    const read = failureOf(transport.read([], never));
    await asked.promise;
    await transport.close();
    expect(await read).toMatchObject({ kind: 'timeout', message: expect.stringContaining('this process stopped') });
  });
});

describe('a server that cannot be reached', () => {
  it('has no such name', async () => {
    expect(await fails('http://license.invalid/x')).toMatch(
      /^unreachable: http:\/\/license\.invalid\/x cannot be reached: (the name license\.invalid does not exist|DNS does not answer)/,
    );
  });

  it('does not listen', async () => {
    const port = await listen(createTcpServer());
    await cleanup.run();
    expect(await fails(`http://127.0.0.1:${port}/x`)).toContain(
      `unreachable: http://127.0.0.1:${port}/x cannot be reached: nothing listens on port ${port} of 127.0.0.1; start the agent there`,
    );
  });

  it('speaks something else, or nothing', async () => {
    const other = await listen(createTcpServer((socket) => socket.end('220 mail.example.com ESMTP\r\n')));
    expect(await fails(`http://127.0.0.1:${other}/x`)).toContain('protocol: ');
    const plain = await listen(createServer((_request, response) => response.end('x')));
    expect(await fails(`https://127.0.0.1:${plain}/x`)).toBe(
      `protocol: https://127.0.0.1:${plain}/x does not speak TLS; use http:// or the port of HTTPS`,
    );
    const silent = await listen(createTcpServer((socket) => socket.destroy()));
    expect(await fails(`http://127.0.0.1:${silent}/x`)).toContain(
      'closed the connection before the answer was complete',
    );
  });

  it.runIf(peer('openssl'))('has a certificate of an unknown authority, or of another name', async () => {
    const certificate = createCertificate(cleanup);
    const port = await listen(createTlsServer(certificate, (_request, response) => response.end('x')));
    const url = `https://localhost:${port}/x`;
    expect(await fails(url)).toBe(
      `unreachable: ${url} has a certificate of an unknown authority (DEPTH_ZERO_SELF_SIGNED_CERT); set tls.ca_file to the certificate of the authority`,
    );
    const ca = { ...NO_TLS, ca: certificate.cert };
    expect(await createGet(url, { tls: ca }).read([], never)).toMatchObject({ stdout: 'x' });
    expect(await fails(url, { tls: { ...ca, serverName: 'lic1.example.com' } })).toContain(
      'certificate for another name',
    );
    const unchecked = createGet(url, { tls: { ...NO_TLS, insecureSkipVerify: true } });
    expect(await unchecked.read([], never)).toMatchObject({ stdout: 'x' });
  });
});

it.each([
  'Content-Length: 2\r\nContent-Length: 5',
  'Content-Length: 2, 5',
  'Content-Length: 2\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 2',
  'Content-Length: x',
])('says what is wrong with %j', async (headers) => {
  const port = await listen(
    createTcpServer((socket) => {
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n[]abc`));
    }),
  );
  expect(await fails(`http://127.0.0.1:${port}/x`)).toMatch(/^protocol: /);
  expect(await fails(`http://127.0.0.1:${port}/x`)).toContain(
    'answers with two lengths (two headers Content-Length, or one beside Transfer-Encoding), or with one that is no number',
  );
});

it('speaks HTTP/1.1 to a server that offers HTTP/2 too', async () => {
  const { key, cert, certFile } = createCertificate(cleanup);
  const port = await listen(
    createHttp2Server({ key, cert, allowHTTP1: true }, (request, response) => response.end(request.httpVersion)),
  );
  const tls = { ...NO_TLS, ca: readFileSync(certFile, 'utf8') };
  expect((await createGet(`https://localhost:${port}/`, { tls }).read([], never)).stdout).toBe('1.1');
});

it('leaves no connection open', async () => {
  const url = await startServer((_request, response) => response.end('x'));
  const broken = await startServer((_request, response) => response.writeHead(500).end('x'.repeat(100_000)));
  const [good, bad] = [createGet(url), createGet(broken)];
  await good.read([], never);
  await failureOf(bad.read([], never));
  const before = openDescriptors();
  for (let i = 0; i < 20; i += 1) await Promise.all([good.read([], never), failureOf(bad.read([], never))]);
  await eventually('all are closed', () => openDescriptors() <= before);
});
