import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine } from '../../../src/program/commands/command-line.ts';
import { doctor } from '../../../src/program/commands/doctor.ts';
import { createCertificate } from '../../support/certificate.ts';
import { startFaulty, status } from '../../support/faulty-analyzer.ts';
import { account, type Cleanup, createTestLog, startAnalyzer } from '../../support/harness.ts';
import { startScripted } from '../../support/scripted-server.ts';
import { freePort } from '../../support/start-proxy.ts';
import { startSmtpServer } from '../../support/start-smtp-server.ts';
import {
  startAnswering,
  startChanging,
  startDropping,
  startHangingUp,
  startSecure,
} from '../../support/wrong-servers.ts';

/** What a new user has written and runs, and what `doctor` says about it. */

export interface Examined {
  readonly exit: number;
  readonly output: string;
  /** The first line with a cross, and the lines of its remedy. */
  readonly first: string;
  readonly remedy: string;
}

/** What `doctor` says. */
export async function examine(
  file: string,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Examined> {
  let output = '';
  const exit = await doctor({
    line: parseCommandLine(['doctor', `--config.file=${file}`, ...flags]),
    env,
    version: '0.0.0',
    revision: 'test',
    createLog: () => createTestLog(),
    print: (text) => {
      output += text;
    },
    printAll: async () => undefined,
    stop: new AbortController().signal,
    input: () => process.stdin,
    onReload: () => undefined,
  });
  const lines = output.split('\n');
  const at = lines.findIndex((line) => line.startsWith('✗'));
  const end = lines.findIndex((line, i) => i > at && !line.startsWith('  '));
  return { exit, output, first: lines[at] ?? '', remedy: lines.slice(at + 1, end).join('\n') };
}

/** What a user has written: a site that works, unless changed. */
export interface Written {
  readonly url?: string;
  readonly user?: string;
  readonly password?: string;
  /** Further lines of the file. */
  readonly more?: string;
  /** The file as a whole. */
  readonly whole?: string;
  readonly storage?: string;
  readonly web?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export type WrongSite = Awaited<ReturnType<typeof startWrongSite>>;

/** Servers of all tests, by what is wrong with them. */
export async function startWrongSite(cleanup: Cleanup) {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const certificate = createCertificate(cleanup);
  const secure = await startAnalyzer({}, { tls: certificate });
  cleanup.add(() => secure.stop());
  const withAnalyzer = async (options: Parameters<typeof createCertificate>[1]) => {
    const own = createCertificate(cleanup, options);
    const started = await startAnalyzer({}, { tls: own });
    cleanup.add(() => started.stop());
    return { ...own, url: started.url, trust: `--analyzer.tls.ca-file=${own.certFile}` };
  };
  const old = await startFaulty(cleanup);
  old.break('GetServerDown', status(404));
  const open = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => open.stop());
  const withCertificate = async (options: Parameters<typeof createCertificate>[1]) => {
    const own = createCertificate(cleanup, options);
    const url = await startSecure(cleanup, own, (_, response) => response.writeHead(401).end());
    return { ...own, url, trust: `--analyzer.tls.ca-file=${own.certFile}` };
  };
  const rejecting = await startScripted();
  cleanup.add(() => rejecting.stop());
  const mail = await startSmtpServer(cleanup, { certificate, password: 'other' });
  const answering = (code: number, headers: Record<string, string>, body = ''): Promise<string> =>
    startAnswering(cleanup, (_, response) => response.writeHead(code, headers).end(body));
  return {
    analyzer: analyzer.url,
    // a server that does not throttle wrong passwords
    rejecting: rejecting.url,
    rejected: () => rejecting.failedLogons(),
    trust: `--analyzer.tls.ca-file=${certificate.certFile}`,
    apiElsewhere: await startAnswering(cleanup, ({ url = '' }, response) => {
      response.writeHead(url.startsWith('/analyzer/') ? 401 : 404, { 'www-authenticate': 'NTLM' }).end();
    }),
    secure: secure.url,
    certificate,
    old: old.url,
    expired: await withCertificate({ days: -1 }),
    otherName: await withCertificate({ names: 'DNS:lic.example.com' }),
    unknownAuthority: await withCertificate({ issuer: createCertificate(cleanup) }),
    clientCertificate: await startSecure(
      cleanup,
      { ...certificate, requestCert: true, rejectUnauthorized: true },
      (_, response) => response.end(),
    ),
    hangingUp: await startHangingUp(cleanup, certificate),
    webUi: await answering(200, { 'content-type': 'text/html' }, '<!doctype html><html><title>Licenses</title></html>'),
    portal: await answering(302, { location: 'https://portal.example.com/logon?session=4711' }),
    basic: await answering(401, { 'www-authenticate': 'Basic realm="x"', server: 'nginx/1.24' }),
    kerberos: await answering(401, { 'www-authenticate': 'Negotiate' }),
    throttling: await answering(429, { 'retry-after': '60' }),
    badGateway: await answering(502, { server: 'nginx/1.24' }, '<html><h1>502 Bad Gateway</h1></html>'),
    nothing: await answering(404, {}),
    fast: await startChanging(cleanup, new URL(open.url).origin, () => ({
      date: new Date(Date.now() + 600_000).toUTCString(),
    })),
    late: await startChanging(cleanup, new URL(open.url).origin, () => ({
      date: new Date(Date.now() - 60_000).toUTCString(),
    })),
    soon: await withAnalyzer({ days: 4 }),
    dropping: await startDropping(cleanup),
    alertmanagerLogon: await answering(401, { 'www-authenticate': 'Basic realm="x"' }),
    mailPlain: `127.0.0.1:${(await startSmtpServer(cleanup)).port}`,
    mailLogon: `localhost:${mail.port}`,
    mails: () => mail.mails.length,
    closed: `http://127.0.0.1:${await freePort()}`,
  };
}

/** Writes the configuration of a user. Returns its file. */
export function writeSite(cleanup: Cleanup, analyzer: string, written: Written): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-mistakes-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'state'));
  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  put('password', written.password ?? account.password);
  for (const [name, text] of Object.entries(written.files ?? {})) put(name, text);
  const { url = analyzer, user = 'CORP\\svc-lic', more = '', storage = 'state', web } = written;
  put(
    'c.yml',
    written.whole ??
      `analyzer: {url: "${url}", username: '${user}', password_file: password, timeout: 3s}
storage: {path: ${storage}}
web: {${web ?? 'listen_address: "127.0.0.1:0"'}}
${more}
`,
  );
  return join(folder, 'c.yml');
}
