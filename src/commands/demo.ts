import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app/app.ts';
import { createDemoAnalyzer, demoDefaults } from '../app/embedded-analyzer.ts';
import type { AppConfig } from '../app/pipeline.ts';
import { loadConfig } from '../config/load.ts';
import { cronProblem } from '../poll/schedule.ts';
import type { CommandContext } from './command.ts';
import { runApp } from './serve.ts';

/** An analyzer with a simulated site and the exporter on it, over real HTTP with NTLM, in one process. */
export async function demo(context: CommandContext): Promise<number> {
  const { line, env } = context;
  const loaded = loadConfig({ ...line, env, defaults: demoDefaults, requireAnalyzer: false, cronProblem });
  const log = context.createLog(loaded.log);
  const { analyzer, account, config } = createDemoAnalyzer(loaded, log, context.version);
  await analyzer.start();

  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-demo-'));
  const credentialsFile = join(folder, 'curl.conf');
  const curl = `curl --ntlm -K ${credentialsFile} ${analyzer.url}/api/GetProducts`;
  const { domain, username, password } = account;
  writeFileSync(credentialsFile, `user = "${domain}\\\\${username}:${password}"\n`, { mode: 0o600 });
  try {
    const timeZone = loaded.datasource.timeZone ?? loaded.embeddedAnalyzer.timeZone;
    const appConfig: AppConfig = { ...loaded, analyzer: config(), datasource: { ...loaded.datasource, timeZone } };
    const app = createApp(appConfig, { log, version: context.version, revision: context.revision, demo: true });
    log.warn({}, 'this is the demo: all data is simulated');
    log.info({ address: analyzer.url, try: curl }, 'embedded analyzer listening');
    await runApp(app, log, context);
  } finally {
    await analyzer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}
