import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, eventually } from './harness.ts';
import { findProgram } from './peers.ts';

/** Reverse proxies as operators use them in front of an analyzer, each with its relevant configuration. */

/** The ports of a proxy: the one it listens on, and the one of the server behind it. */
interface Ports {
  readonly port: number;
  readonly backend: number;
}

const nginx = (folder: string, location: string, upstream = '') => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${upstream}
  server { ${location} }
}
`;

const nginxPooled =
  (connections: number) =>
  (folder: string, { port, backend }: Ports) =>
    nginx(
      folder,
      `listen 127.0.0.1:${port}; location / { proxy_pass http://analyzer; proxy_http_version 1.1; proxy_set_header Connection ""; }`,
      `upstream analyzer { server 127.0.0.1:${backend}; keepalive ${connections}; }`,
    );

const haproxy = (folder: string, { port, backend }: Ports, options: readonly string[]) => `
global
  maxconn 256
  stats socket ${folder}/admin.sock
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend in
  bind 127.0.0.1:${port}
  default_backend analyzer
backend analyzer
  ${options.join('\n  ')}
  server analyzer 127.0.0.1:${backend}
`;

const configurations = {
  'nginx with its defaults': (folder: string, { port, backend }: Ports) =>
    nginx(folder, `listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${backend}; }`),
  'nginx with pooled upstream connections': nginxPooled(16),
  'nginx with one pooled upstream connection': nginxPooled(1),
  'haproxy with its defaults': (folder: string, ports: Ports) => haproxy(folder, ports, []),
  'haproxy with http-reuse never': (folder: string, ports: Ports) => haproxy(folder, ports, ['http-reuse never']),
  'haproxy with http-reuse always': (folder: string, ports: Ports) => haproxy(folder, ports, ['http-reuse always']),
  'haproxy with http-server-close': (folder: string, ports: Ports) =>
    haproxy(folder, ports, ['option http-server-close']),
  'haproxy with httpclose': (folder: string, ports: Ports) => haproxy(folder, ports, ['option httpclose']),
} as const;

export type ProxyName = keyof typeof configurations;

/** A free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** nginx that asks another server, here one like oauth2-proxy with `set_xauthrequest`, who sends a request. */
const nginxWithLogon = (folder: string, { port, backend }: Ports, logon: number) =>
  nginx(
    folder,
    `listen 127.0.0.1:${port};
  location = /oauth2/auth {
    internal;
    proxy_pass http://127.0.0.1:${logon};
    proxy_pass_request_body off;
    proxy_set_header Content-Length "";
  }
  location / {
    auth_request /oauth2/auth;
    auth_request_set $user $upstream_http_x_auth_request_user;
    auth_request_set $groups $upstream_http_x_auth_request_groups;
    proxy_set_header X-Forwarded-User $user;
    proxy_set_header X-Forwarded-Groups $groups;
    proxy_pass http://127.0.0.1:${backend};
  }`,
  );

/**
 * Starts nginx in front of a server on loopback, with a server that knows the users.
 *
 * @param sessions the headers for the cookie `session=NAME`
 * @returns its base URL
 */
export async function startAuthProxy(
  cleanup: Cleanup,
  behind: string,
  sessions: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<string> {
  const logon = createHttpServer(({ headers }, response) => {
    const found = sessions[/^session=(\w+)$/.exec(headers.cookie ?? '')?.[1] ?? ''];
    response.writeHead(found === undefined ? 401 : 202, found).end();
  });
  await new Promise<void>((resolve) => logon.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => logon.close());
  const { port } = logon.address() as AddressInfo;
  return run(cleanup, 'nginx with a logon', behind, (folder, ports) => nginxWithLogon(folder, ports, port));
}

/**
 * Starts a proxy in front of a server on loopback, and returns the base URL of the proxy. It ends with the test.
 * @throws Error with the output of the proxy when it does not start
 */
export const startProxy = (cleanup: Cleanup, name: ProxyName, behind: string): Promise<string> =>
  run(cleanup, name, behind, configurations[name]);

async function run(
  cleanup: Cleanup,
  name: string,
  behind: string,
  configuration: (folder: string, ports: Ports) => string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-proxy-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, part));
  const target = new URL(behind);
  const port = await freePort();
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, configuration(folder, { port, backend: Number(target.port) }));
  const program = name.startsWith('nginx') ? 'nginx' : 'haproxy';
  const args = program === 'nginx' ? ['-p', folder, '-e', join(folder, 'error.log'), '-c', file] : ['-db', '-f', file];
  const child = spawn(findProgram(program) ?? program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  cleanup.add(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const url = `http://127.0.0.1:${port}${target.pathname}`;
  await eventually(`${name} ready`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${output}`);
    return fetch(`http://127.0.0.1:${port}/`).then(
      async (response) => {
        await response.body?.cancel();
        return true;
      },
      () => false,
    );
  });
  return url;
}
