import { logonFileOf } from '../app/account.ts';
import { type App, createApp } from '../app/app.ts';
import type { AppConfig } from '../app/pipeline.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Log } from '../model/log.ts';
import { errorFields } from '../model/operator-error.ts';
import { cronProblem } from '../poll/schedule.ts';
import { type CommandContext, untilStopped } from './command.ts';

function loadServeConfig({ line, env }: CommandContext): AppConfig {
  const config = loadConfig({ ...line, env, requireAnalyzer: true, cronProblem });
  return withAnalyzer(config);
}

function withAnalyzer(config: Config): AppConfig {
  const { analyzer } = config;
  if (analyzer === undefined) throw new Error('no analyzer is configured');
  return { ...config, analyzer };
}

/** Polls the configured analyzer and serves metrics until the process is stopped. */
export async function serve(context: CommandContext): Promise<number> {
  const config = loadServeConfig(context);
  const log = context.createLog(config.log);
  for (const warning of config.warnings) log.warn({}, warning);
  if (logonFileOf(config.analyzer, config.storagePath) === undefined) {
    log.warn({}, 'without storage.path or analyzer.logon_file, rejected logons are not counted across restarts');
  } else if (config.shard.total > 1 && config.analyzer.logonFile === undefined) {
    log.warn({}, 'each shard counts its own logons; set the same analyzer.logon_file for all shards on a host');
  }
  const app = createApp(config, { log, version: context.version, revision: context.revision, demo: false });
  if (context.line.once) return runOnce(app, context);
  context.onReload(() => reload(app, log, context));
  await runApp(app, log, context);
  return 0;
}

async function runOnce(app: App, { print }: CommandContext): Promise<number> {
  const { page, up } = await app.runOnce();
  for (const bytes of page) print(bytes);
  await app.stop();
  return up ? 0 : 1;
}

async function reload(app: App, log: Log, context: CommandContext): Promise<void> {
  try {
    await app.reload(loadServeConfig(context));
  } catch (error) {
    app.refuseReload();
    log.error(errorFields(error), 'configuration not reloaded, the old one is kept');
  }
}

/** Runs an application until the process is stopped. */
export async function runApp(app: App, log: Log, { stop, version }: CommandContext): Promise<void> {
  await app.start();
  for (const address of app.addresses()) log.info({ address, version }, 'listening');
  await untilStopped(stop);
  log.info({}, 'stopping');
  await app.stop();
}
