import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import type { Cleanup } from './harness.ts';
import { freePort } from './start-proxy.ts';

/** Proxies that lead out of a network, unlike those in front of an analyzer. */

interface ForwardProxy {
  /** `127.0.0.1:PORT`. */
  readonly place: string;
  /** What it was asked for, such as `CONNECT hooks.example.com:443`. */
  readonly asked: readonly string[];
}

interface ForwardProxyOptions {
  /** Ports of loopback by what the proxy is asked for, such as `hooks.example.com:443`. Others are reached as they are. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** `user:password`. */
  readonly logon?: string;
  /** The value of Proxy-Authenticate. */
  readonly schemes?: string;
  /** What it answers to everything. */
  readonly status?: number;
  /** With it, the proxy speaks TLS. */
  readonly certificate?: Certificate;
}

/** A proxy that resolves names itself, so that only what passes through it reaches them. */
export async function startForwardProxy(cleanup: Cleanup, options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const { hosts = {}, logon, schemes = 'Basic realm="proxy"', certificate } = options;
  const asked: string[] = [];
  const sockets = new Set<Socket>();

  /** `undefined` if the request may pass. */
  const refusalOf = ({ method = '', url = '', headers }: IncomingMessage): number | undefined => {
    asked.push(`${method} ${url}`);
    const expected = logon === undefined ? undefined : `Basic ${Buffer.from(logon).toString('base64')}`;
    return expected === headers['proxy-authorization'] ? options.status : 407;
  };
  const placeOf = (host: string, port: number) =>
    hosts[`${host}:${port}`] === undefined ? { host, port } : { host: '127.0.0.1', port: hosts[`${host}:${port}`] };

  const server = certificate === undefined ? createServer() : createTlsServer(certificate);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('request', (incoming, response) => {
    const status = refusalOf(incoming);
    if (status !== undefined) {
      response.writeHead(status, { 'proxy-authenticate': schemes }).end();
      return;
    }
    const { hostname, port, pathname, search } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const place = placeOf(hostname, Number(port || 80));
    const onward = send({ ...place, method: incoming.method, path: `${pathname}${search}`, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    client.on('error', () => undefined);
    const status = refusalOf(incoming);
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\nProxy-Authenticate: ${schemes}\r\nContent-Length: 6\r\n\r\nsecret`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const onward = connect({ ...placeOf(hostname, Number(port || 80)) } as { host: string; port: number }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { place: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Apache as a forward proxy for any target, with the account `monitor` and a password. */
export async function startApacheProxy(cleanup: Cleanup, password: string): Promise<ForwardProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-forward-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'logs'), { mode: 0o777 });
  const port = await freePort();
  const hash = execFileSync('openssl', ['passwd', '-apr1', password], { encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'users'), `monitor:${hash}\n`, { mode: 0o644 });
  const modules = 'mpm_event authn_core authn_file auth_basic authz_core authz_user proxy proxy_http proxy_connect';
  writeFileSync(
    join(folder, 'httpd.conf'),
    [
      `ServerRoot ${folder}`,
      'ServerName localhost',
      `DefaultRuntimeDir ${folder}`,
      `PidFile ${folder}/pid`,
      ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
      `Listen 127.0.0.1:${port}`,
      ...modules.split(' ').map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      `ErrorLog ${folder}/logs/error.log`,
      `CustomLog ${folder}/logs/access.log "%r"`,
      'ProxyRequests On',
      'AllowCONNECT 1-65535',
      '<Proxy "*">',
      'AuthType Basic',
      'AuthName proxy',
      'AuthBasicProvider file',
      `AuthUserFile ${folder}/users`,
      'Require valid-user',
      '</Proxy>',
      '',
    ].join('\n'),
  );
  const control = (action: string) =>
    execFileSync('/usr/sbin/apache2', ['-d', folder, '-f', join(folder, 'httpd.conf'), '-k', action]);
  // it listens before it goes to the background
  control('start');
  cleanup.add(() => control('stop'));
  return {
    place: `127.0.0.1:${port}`,
    get asked() {
      const lines = readFileSync(join(folder, 'logs/access.log'), 'utf8').trimEnd().split('\n');
      return lines.map((line) => line.replace(/ HTTP\/1\.1$/, ''));
    },
  };
}
