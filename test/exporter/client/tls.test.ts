import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createNtlmAcceptor } from '../../../src/analyzer/server/ntlm-acceptor.ts';
import { ntHash } from '../../../src/base/ntlm/primitives.ts';
import { NtlmDispatcher } from '../../../src/exporter/client/dispatcher.ts';
import { toQueryError } from '../../../src/exporter/client/failures.ts';
import { createCertificate } from '../../support/certificate.ts';
import {
  account,
  createCleanup,
  createConfig,
  createTestGate,
  eventually,
  startAnalyzer,
  startApp,
} from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { target } from '../../support/scripted-server.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Collects every connection that a server of this process accepts from now on. */
function createSocketLedger(): readonly Socket[] {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', onSocket);
  cleanup.add(() => unsubscribe('net.server.socket', onSocket));
  return sockets;
}

const users = () => [{ name: account.username, ntHash: ntHash(account.password) }];

describe.runIf(peer('openssl'))('over TLS', () => {
  it.each(['sha256', 'sha384'])('binds each logon to the certificate of the server, %s', async (hash) => {
    const certificate = createCertificate(cleanup, { hash, key: 'rsa' });
    const gate = { domain: 'CORP', users, channelBinding: 'require' as const };
    const analyzer = await startAnalyzer({}, { gate, tls: certificate });
    cleanup.add(() => analyzer.stop());
    const logon = createTestGate();
    // idle connections end soon, so that every request needs a new one: a resumed TLS session would show no certificate
    const dispatcher = new NtlmDispatcher({
      origin: analyzer.url,
      logonPath: '/analyzer/api/GetHttpUserName',
      gate: logon,
      tls: () => ({ ca: certificate.cert }),
      keepAliveTimeout: 50,
    });
    cleanup.add(() => dispatcher.destroy());
    const sockets = createSocketLedger();
    for (let i = 1; i <= 3; i += 1) {
      const { statusCode, body } = await request(`${analyzer.url}/api/GetHttpUserName`, { dispatcher });
      expect([statusCode, await body.text()]).toEqual([200, 'CORP\\svc-lic']);
      await eventually(
        'the connection is closed',
        () => sockets.length === i && sockets.every((socket) => socket.destroyed),
      );
    }
    expect(dispatcher.stats).toMatchObject({ sockets: 3, handshakes: 3, rejected: 0 });
  });

  it('polls an analyzer over HTTPS with the configured CA file, and fails without it', async () => {
    const certificate = createCertificate(cleanup);
    const analyzer = await startAnalyzer({}, { tls: certificate });
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url, { 'analyzer.tls.ca_file': certificate.certFile }));
    cleanup.add(() => app.stop());
    await eventually('a good poll', async () => (await app.sample('license_up')) === 1);

    const withoutCa = await startApp(createConfig(analyzer.url));
    cleanup.add(() => withoutCa.stop());
    await eventually('first poll', async () => (await fetch(`${withoutCa.url}/-/ready`)).ok);
    expect(
      await withoutCa.sample('license_exporter_upstream_request_failures_total{endpoint="GetProducts",reason="tls"}'),
    ).toBeGreaterThanOrEqual(1);
    expect(await withoutCa.sample('license_exporter_upstream_handshakes_total')).toBe(0);
  });

  it('F8 reports that connections are closed after the challenge, also while others wait to log on', async () => {
    const { cert, key } = createCertificate(cleanup);
    const acceptor = createNtlmAcceptor({ lookup: () => undefined, target });
    const server = createServer({ cert, key }, ({ socket, headers }, response) => {
      const result = acceptor.authenticate({ socket, authorization: headers.authorization });
      const challenge = result.ok ? '' : result.challenge;
      response.writeHead(401, { 'www-authenticate': challenge, 'content-length': 0 }).end(() => socket.end());
    });
    let closed = 0;
    server.on('secureConnection', (socket) => {
      socket.once('close', () => {
        closed += 1;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => server.close());
    const gate = createTestGate();
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dispatcher = new NtlmDispatcher({ origin, logonPath: '/x', gate, tls: () => ({ ca: cert }) });
    cleanup.add(() => dispatcher.destroy());
    // meanwhile the others get their challenge
    const first = await gate.acquire('cheap', new AbortController().signal);
    const failures = Promise.allSettled([1, 2, 3, 4].map(() => request(`${origin}/x`, { dispatcher })));
    await eventually('all are closed', () => closed === 4);
    first.release();
    const codes = (await failures).map((failure) => failure.status === 'rejected' && failure.reason.code);
    expect(new Set(codes)).toEqual(new Set(['NTLM_CONNECTION_NOT_KEPT']));
  });

  it('F33 uses HTTP/1.1 if the server supports HTTP/2', async () => {
    const { cert, key } = createCertificate(cleanup);
    const versions: string[] = [];
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (incoming, response) => {
      versions.push(incoming.httpVersion);
      response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => server.close());
    const gate = createTestGate();
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dispatcher = new NtlmDispatcher({ origin, logonPath: '/x', gate, tls: () => ({ ca: cert }) });
    cleanup.add(() => dispatcher.destroy());
    await (await request(`${origin}/x`, { dispatcher })).body.dump();
    expect(versions).toEqual(['1.1', '1.1']);
  });
});

describe('toQueryError', () => {
  const withCode = (code: string, cause?: unknown) => Object.assign(new Error(code, { cause }), { code });
  it.each([
    ['ECONNREFUSED', 'connect'],
    ['ENOTFOUND', 'connect'],
    ['UND_ERR_SOCKET', 'connect'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ETIMEDOUT', 'timeout'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'too_large'],
    ['HPE_INVALID_CONSTANT', 'parse'],
    ['SOMETHING_NEW', 'connect'],
  ])('%s is %s, also as a cause', (code, kind) => {
    expect(toQueryError(withCode(code))).toMatchObject({ kind, code });
    expect(toQueryError(new Error('outer', { cause: withCode(code) }))).toMatchObject({ kind, code });
  });
});
