import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppConfig, createApp } from '../app.ts';
import { loadConfig } from '../config/load.ts';
import { Secret } from '../config/secret.ts';
import type { SettingKey } from '../config/settings.ts';
import { ntHash } from '../ntlm/primitives.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './context.ts';
import { createEmbeddedAnalyzer } from './embedded-analyzer.ts';
import { runApp } from './serve.ts';

const USER = 'exporter';
/** The demo is for whoever sits at this machine. */
const defaults: ReadonlyMap<SettingKey, unknown> = new Map([['web.listen_address', '127.0.0.1:10319']]);

/** An analyzer with a simulated site and the exporter on it, over real HTTP with NTLM, in one process. */
export async function demo(context: CommandContext): Promise<number> {
  const { line, env } = context;
  const loaded = loadConfig({ ...line, env, defaults, requireAnalyzer: false, cronProblem });
  const log = context.createLog(loaded.log);
  const password = randomBytes(18).toString('base64url');
  const { domain } = loaded.embeddedAnalyzer;
  const users = [{ name: USER, ntHash: ntHash(password) }];
  const analyzer = createEmbeddedAnalyzer(loaded, {
    log,
    version: context.version,
    gate: { domain, users: () => users },
    onRequest: (request) => log.debug(request, 'analyzer request'),
  });
  await analyzer.start();

  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-demo-'));
  const credentialsFile = join(folder, 'curl.conf');
  const curl = `curl --ntlm -K ${credentialsFile} ${analyzer.url}/api/GetProducts`;
  writeFileSync(credentialsFile, `user = "${domain}\\\\${USER}:${password}"\n`, { mode: 0o600 });
  try {
    const config: AppConfig = { ...loaded, analyzer: demoAnalyzer(analyzer.url, domain, password) };
    const app = createApp(config, { log, version: context.version, revision: context.revision, demo: true });
    log.warn({}, 'this is the demo: all data is simulated');
    log.info({ address: analyzer.url, try: curl }, 'embedded analyzer listening');
    await runApp(app, log, context);
  } finally {
    await analyzer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

function demoAnalyzer(url: string, domain: string, password: string): AppConfig['analyzer'] {
  return {
    url,
    username: USER,
    domain,
    workstation: '',
    password: new Secret(password),
    passwordFile: undefined,
    authRetry: 1800,
    timeout: 30,
    maxResponseSize: 256 * 1024 * 1024,
    concurrency: 8,
    // whatever certificate the analyzer in this process has
    tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: true },
  };
}
