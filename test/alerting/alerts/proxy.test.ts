import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createAlertmanager } from '../../../src/alerting/alerts/alertmanager.ts';
import { createHttpClient, type HttpOptions } from '../../../src/alerting/alerts/http-client.ts';
import { exceptionsOf, proxyKeys } from '../../../src/alerting/alerts/proxy-settings.ts';
import { createCertificate } from '../../support/certificate.ts';
import { type Cleanup, createCleanup, eventually } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { it } from '../../support/side-by-side.ts';
import { startApacheProxy, startForwardProxy } from '../../support/start-forward-proxy.ts';

/** Receivers behind a proxy: what it is asked for, and each way in which it does not lead to them. */

const certificate = createCertificate(createCleanup(), {
  names: 'DNS:hooks.example.com,DNS:localhost,IP:127.0.0.1',
});
const noTls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };
const trusted = { ...noTls, ca: certificate.cert };

/** A receiver that keeps what it gets. */
async function startReceiver(cleanup: Cleanup, isTls: boolean) {
  const requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const server = isTls ? createTlsServer(certificate) : createServer();
  server.on('request', (incoming: IncomingMessage, response) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      requests.push({ url: incoming.url ?? '', headers: incoming.headers, body });
      response.end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

type Settings = Partial<NonNullable<HttpOptions['proxy']>>;

function optionsOf(proxy: Settings, timeout = 10, tls: HttpOptions['tls'] = trusted): HttpOptions {
  return {
    timeout,
    authorization: () => 'Bearer t0ken',
    tls,
    userAgent: 'test',
    proxy: { url: undefined, urlFile: undefined, noProxy: [], ...proxy },
  };
}

function clientOf(cleanup: Cleanup, proxy: Settings, timeout?: number, tls?: HttpOptions['tls']) {
  const client = createHttpClient(optionsOf(proxy, timeout, tls));
  cleanup.add(() => client.close());
  return (url: string) => client.post(url, '{"a":1}', { 'x-id': '7' }, new AbortController().signal);
}

function fileWith(cleanup: Cleanup, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-proxy-url-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'proxy-url');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const refused = (reason: string) => ({ status: undefined, isSent: false, reason });

describe('a receiver behind a proxy', () => {
  it.concurrent('with TLS is reached through one tunnel, whose name only the proxy resolves', async ({ cleanup }) => {
    const receiver = await startReceiver(cleanup, true);
    const proxy = await startForwardProxy(cleanup, { hosts: { 'hooks.example.com:443': receiver.port } });
    const post = clientOf(cleanup, { url: `http://${proxy.place}` });
    expect(await post('https://hooks.example.com/hook?a=b')).toEqual({ status: 200, text: 'thanks' });
    expect(await post('https://hooks.example.com/hook?a=b')).toEqual({ status: 200, text: 'thanks' });
    expect(proxy.asked).toEqual(['CONNECT hooks.example.com:443']);
    expect(receiver.requests).toHaveLength(2);
    expect(receiver.requests[0]).toMatchObject({
      url: '/hook?a=b',
      body: '{"a":1}',
      headers: { host: 'hooks.example.com', authorization: 'Bearer t0ken', 'x-id': '7' },
    });
  });

  it.concurrent('without TLS gets whole requests, which need no tunnel', async ({ cleanup }) => {
    const receiver = await startReceiver(cleanup, false);
    const hosts = { 'hooks.example.com:8080': receiver.port };
    const proxy = await startForwardProxy(cleanup, { hosts, logon: 'me:pass' });
    const post = clientOf(cleanup, { urlFile: fileWith(cleanup, `http://me:pass@${proxy.place}`) });
    expect(await post('http://hooks.example.com:8080/hook?a=b')).toEqual({ status: 200, text: 'thanks' });
    expect(proxy.asked).toEqual(['POST http://hooks.example.com:8080/hook?a=b']);
    expect(receiver.requests).toMatchObject([
      { url: '/hook?a=b', body: '{"a":1}', headers: { host: 'hooks.example.com:8080' } },
    ]);
  });

  it.concurrent('is no other one: its certificate is checked in the tunnel too', async ({ cleanup }) => {
    const receiver = await startReceiver(cleanup, true);
    const proxy = await startForwardProxy(cleanup, { hosts: { 'other.example.com:443': receiver.port } });
    const answer = await clientOf(cleanup, { url: `http://${proxy.place}` })('https://other.example.com/');
    expect(answer).toMatchObject(refused('ERR_TLS_CERT_ALTNAME_INVALID'));
    expect(receiver.requests).toHaveLength(0);
  });

  it.concurrent('is reached through a proxy that speaks TLS itself, under its own name', async ({ cleanup }) => {
    const own = createCertificate(cleanup, { names: 'IP:127.0.0.1' });
    const [secure, plain] = [await startReceiver(cleanup, true), await startReceiver(cleanup, false)];
    const hosts = { 'alias.example.com:443': secure.port, 'alias.example.com:80': plain.port };
    const proxy = await startForwardProxy(cleanup, { certificate: own, hosts });
    const tls = { ...noTls, ca: `${certificate.cert}\n${own.cert}`, serverName: 'hooks.example.com' };
    const post = clientOf(cleanup, { url: `https://${proxy.place}` }, 10, tls);
    expect(await post('https://alias.example.com/')).toMatchObject({ status: 200 });
    expect(await post('http://alias.example.com/')).toMatchObject({ status: 200 });
    expect(proxy.asked).toEqual(['CONNECT alias.example.com:443', 'POST http://alias.example.com/']);
    const untrusted = clientOf(cleanup, { url: `https://${proxy.place}` });
    expect(await untrusted('https://alias.example.com/')).toMatchObject({
      reason: `the proxy ${proxy.place} cannot be reached: the certificate of the proxy ${proxy.place} is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT); set tls_config.ca_file to this certificate (if it is set, it has another one), or give the proxy ${proxy.place} one of an authority`,
    });
  });

  it.concurrent('with a logon at the proxy, whose new password is used for the next connection', async ({
    cleanup,
  }) => {
    const receiver = await startReceiver(cleanup, true);
    const hosts = { 'hooks.example.com:443': receiver.port };
    const proxy = await startForwardProxy(cleanup, { hosts, logon: 'me:p@ss/w:rd' });
    const file = fileWith(cleanup, `http://me:old-Secret@${proxy.place}\n`);
    const post = clientOf(cleanup, { urlFile: file });
    expect(await post('https://hooks.example.com/')).toMatchObject(
      refused(
        `the proxy ${proxy.place} rejected the logon (407); correct user and password in the file of proxy_url_file; other characters than letters and digits are percent-encoded there`,
      ),
    );
    writeFileSync(file, `http://me:p%40ss%2Fw:rd@${proxy.place}\n`);
    expect(await post('https://hooks.example.com/')).toMatchObject({ status: 200 });
    expect(receiver.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.concurrent('may be an Alertmanager', async ({ cleanup }) => {
    const receiver = await startReceiver(cleanup, false);
    const proxy = await startForwardProxy(cleanup, { hosts: { 'am.example.com:9093': receiver.port } });
    const url = 'http://am.example.com:9093/prefix';
    const alertmanager = createAlertmanager({
      ...optionsOf({ url: `http://${proxy.place}` }),
      url,
      now: () => Date.now() / 1000,
    });
    cleanup.add(() => alertmanager.close());
    expect(await alertmanager.post(() => '[]')).toMatchObject({ is: 'accepted' });
    expect(proxy.asked).toEqual([`GET ${url}/api/v2/status`, `POST ${url}/api/v2/alerts`]);
  });

  it.concurrent('is not behind it where no_proxy names it', async ({ cleanup }) => {
    const receiver = await startReceiver(cleanup, false);
    const proxy = await startForwardProxy(cleanup, { hosts: { 'hooks.example.com:80': receiver.port } });
    const post = clientOf(cleanup, { url: `http://${proxy.place}`, noProxy: ['10.0.0.0/8'] });
    expect(await post(`http://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 200 });
    expect(proxy.asked).toEqual([]);
    expect(await post('http://hooks.example.com/')).toMatchObject({ status: 200 });
    expect(proxy.asked).toHaveLength(1);
  });
});

describe('a proxy that does not lead to the receiver is named, with the remedy', () => {
  const both = ['https://hooks.example.com/S3CRET', 'http://hooks.example.com/S3CRET'];

  it.concurrent('where nothing listens', async ({ cleanup }) => {
    const post = clientOf(cleanup, { url: 'http://127.0.0.1:1' });
    for (const url of both) {
      expect(await post(url)).toMatchObject(
        refused(
          'the proxy 127.0.0.1:1 cannot be reached: nothing listens on 127.0.0.1:1 (ECONNREFUSED); start the proxy 127.0.0.1:1 there, or correct host and port in proxy_url',
        ),
      );
    }
  });

  it.concurrent('whose name does not exist', async ({ cleanup }) => {
    const answer = await clientOf(cleanup, { url: 'http://proxy.invalid:3128' })(both[0] ?? '');
    expect(answer).toMatchObject({
      isSent: false,
      reason: expect.stringMatching(/^the proxy proxy\.invalid:3128 cannot be reached: .*proxy\.invalid/),
    });
  });

  it.concurrent('that requires a logon', async ({ cleanup }) => {
    const proxy = await startForwardProxy(cleanup, { logon: 'me:pass' });
    const post = clientOf(cleanup, { url: `http://${proxy.place}` });
    for (const url of both) {
      expect(await post(url)).toMatchObject(
        refused(
          `the proxy ${proxy.place} requires a logon (407); write its URL with user and password into a file, and name it in proxy_url_file`,
        ),
      );
    }
  });

  it.concurrent('that offers other logons only', async ({ cleanup }) => {
    const proxy = await startForwardProxy(cleanup, {
      logon: 'me:pass',
      schemes: 'Negotiate, NTLM, Digest realm="basic"',
    });
    const post = clientOf(cleanup, { url: `http://${proxy.place}` });
    for (const url of both) {
      expect(await post(url)).toMatchObject(
        refused(
          `the proxy ${proxy.place} requires a logon, and does not offer Basic (407: Negotiate, NTLM, Digest); let it accept Basic, or connections of this host without a logon`,
        ),
      );
    }
  });

  it.concurrent('that refuses a tunnel', async ({ cleanup }) => {
    const proxy = await startForwardProxy(cleanup, { status: 403 });
    expect(await clientOf(cleanup, { url: `http://${proxy.place}` })('https://hooks.example.com/')).toMatchObject(
      refused(
        `the proxy ${proxy.place} does not allow connections to hooks.example.com:443 (403); let it allow them, or list the host in no_proxy if it can be reached directly`,
      ),
    );
  });

  it.concurrent('that does not reach it', async ({ cleanup }) => {
    const proxy = await startForwardProxy(cleanup, { hosts: { 'hooks.example.com:8443': 1 } });
    expect(await clientOf(cleanup, { url: `http://${proxy.place}` })('https://hooks.example.com:8443/')).toMatchObject(
      refused(
        `the proxy ${proxy.place} cannot reach hooks.example.com:8443 (502); check that host and port, and the log of the proxy`,
      ),
    );
  });

  it.concurrent('that accepts the connection and says nothing, or closes it', async ({ cleanup }) => {
    let isClosing = false;
    const sockets: { destroy(): void }[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      if (isClosing) socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const post = clientOf(cleanup, { url: `http://${place}` }, 0.2);
    expect(await post('https://hooks.example.com/')).toMatchObject({
      isSent: false,
      reason: expect.stringMatching(`the proxy ${place}`),
    });
    isClosing = true;
    expect(await clientOf(cleanup, { url: `http://${place}` })('https://hooks.example.com/')).toMatchObject({
      isSent: false,
      reason: expect.stringMatching(`^the proxy ${place} cannot be reached: the connection was closed`),
    });
  });

  it.concurrent('whose file has no URL, or cannot be read', async ({ cleanup }) => {
    const file = fileWith(cleanup, 'me:S3CRET@proxy\n');
    expect(await clientOf(cleanup, { urlFile: file })(both[0] ?? '')).toMatchObject(
      refused(
        'the file of proxy_url_file has no URL of a proxy; write it there, such as http://user:password@proxy.example.com:3128',
      ),
    );
    expect(await clientOf(cleanup, { urlFile: `${file}-gone` })(both[1] ?? '')).toMatchObject(
      refused(`proxy_url_file: ${file}-gone does not exist; correct the file, or name another one`),
    );
  });
});

describe.runIf(peer('apache2', 'openssl'))('Apache as a proxy', () => {
  it.concurrent('leads to receivers with and without TLS, with its logon', async ({ cleanup }) => {
    const [secure, plain] = [await startReceiver(cleanup, true), await startReceiver(cleanup, false)];
    const urls = [`https://127.0.0.1:${secure.port}/hook`, `http://127.0.0.1:${plain.port}/hook`];
    const proxy = await startApacheProxy(cleanup, 'pass w:rd');
    const post = clientOf(cleanup, { urlFile: fileWith(cleanup, `http://monitor:pass%20w%3Ard@${proxy.place}`) });
    for (const url of urls) expect(await post(url)).toEqual({ status: 200, text: 'thanks' });
    expect([...secure.requests, ...plain.requests]).toMatchObject([
      { url: '/hook', body: '{"a":1}', headers: { authorization: 'Bearer t0ken' } },
      { url: '/hook', body: '{"a":1}', headers: { authorization: 'Bearer t0ken' } },
    ]);
    const wrong = clientOf(cleanup, { urlFile: fileWith(cleanup, `http://monitor:S3CRET@${proxy.place}`) });
    for (const url of urls) {
      const answer = await wrong(url);
      expect(answer).toMatchObject({
        isSent: false,
        reason: expect.stringMatching(`^the proxy ${proxy.place} rejected the logon \\(407\\); `),
      });
      expect(JSON.stringify(answer)).not.toContain('S3CRET');
    }
    expect(await post('https://127.0.0.1:1/')).toMatchObject({
      reason: expect.stringMatching(`^the proxy ${proxy.place} cannot reach 127\\.0\\.0\\.1:1 \\(50\\d\\); `),
    });
    // the log has what the tunnel was for when it has ended
    await eventually('logged', () => proxy.asked.includes(`POST http://127.0.0.1:${plain.port}/hook`));
  });
});

describe('no_proxy', () => {
  const isException = (noProxy: string, url: string) => exceptionsOf(proxyKeys.no_proxy.parse(noProxy))(new URL(url));

  it.concurrent.for([
    ['*', 'https://hooks.example.com/', true],
    ['example.com', 'https://example.com/', true],
    ['example.com', 'https://hooks.example.com/', true],
    ['example.com', 'https://badexample.com/', false],
    ['Example.COM.', 'https://hooks.example.com./', true],
    ['.example.com', 'https://example.com/', false],
    ['.example.com', 'https://hooks.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'https://example.com:8443/', false],
    ['example.com:80', 'http://example.com/', true],
    ['10.1.2.3', 'http://10.1.2.3:9093/', true],
    ['10.1.2.3', 'http://10.1.2.30/', false],
    ['10.1.2.3:9093', 'http://10.1.2.3:9093/', true],
    ['10.1.2.3:9094', 'http://10.1.2.3:9093/', false],
    ['10.0.0.0/8', 'http://10.9.9.9/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', false],
    ['10.0.0.0/8', 'http://host10.example.com/', false],
    ['fd00::1', 'http://[fd00::1]:9093/', true],
    ['[fd00::1]:9093', 'http://[fd00::1]:9093/', true],
    ['[fd00::1]:9094', 'http://[fd00::1]:9093/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::/8', 'http://[fe80::1]/', false],
    ['a.example.com, 10.0.0.0/8', 'http://10.0.0.1/', true],
    ['a.example.com', 'http://localhost:9093/', true],
    ['a.example.com', 'http://127.0.0.9/', true],
    ['a.example.com', 'http://[::1]/', true],
    ['', 'http://localhost:9093/', false],
  ] as const)('%s: %s without the proxy is %s', ([noProxy, url, expected]) => {
    expect(isException(noProxy, url)).toBe(expected);
  });

  it.concurrent.for(['http://example.com', 'a b', '10.0.0.0/33', '[example.com]', '*example.com', 'example.com:x'])(
    'refuses %s',
    (entry) => {
      expect(proxyKeys.no_proxy.safeParse([entry])).toMatchObject({
        success: false,
        error: { issues: [{ message: expect.stringContaining('is not a host, a domain, an address or a range') }] },
      });
    },
  );
});
