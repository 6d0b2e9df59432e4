import type { Log } from '../../base/model/log.ts';
import { inOneLine, OperatorError } from '../../base/model/operator-error.ts';
import { createClock } from '../../base/scheduling/clock.ts';
import { logonFileOf } from '../../exporter/client/account.ts';
import { type App, createApp } from '../app/app.ts';
import { createStorage } from '../app/storage.ts';
import type { Config } from '../config/config.ts';
import { exposureOf } from '../config/listeners.ts';
import { loadConfig } from '../config/load.ts';
import { type CommandContext, reloaded, untilStopped } from './command.ts';
import { NEEDS_RESTART, type Upstream } from './upstream.ts';

const load = ({ line, env }: CommandContext): Config => loadConfig({ ...line, env, requireAnalyzer: true });

/** The analyzer at `analyzer.url`. */
const remoteUpstream: Upstream = {
  configOf: (config) => {
    if (config.analyzer === undefined) throw new OperatorError(NEEDS_RESTART);
    return config;
  },
  reload: async () => undefined,
  stop: async () => undefined,
};

function warn(config: Config, log: Log): void {
  for (const warning of config.warnings) log.warn({}, warning);
  const { analyzer, storage, shard } = config;
  if (analyzer === undefined) {
    if (storage.path === undefined) log.warn({}, 'without storage.path, history is kept in memory only');
  } else if (logonFileOf(analyzer, storage.path) === undefined) {
    log.warn({}, 'without storage.path or analyzer.logon_file, rejected logons are not counted across restarts');
  } else if (shard.total > 1 && analyzer.logonFile === undefined) {
    log.warn({}, 'each shard counts its own logons; set the same analyzer.logon_file for all shards on a host');
  }
}

/** Without the files and the port of a daemon that may run beside it. */
const alone = (config: Config): Config => ({
  ...config,
  storage: { ...config.storage, path: undefined },
  embeddedAnalyzer: { ...config.embeddedAnalyzer, listen: undefined },
});

/**
 * Polls the configured analyzer and serves metrics until the process is stopped. Without one, it collects from the configured
 * sources itself.
 */
export async function serve(context: CommandContext): Promise<number> {
  const { version, revision, line } = context;
  const config = load(context);
  const log = context.createLog(config.log);
  const analyzer = config.analyzer?.url ?? 'embedded, on license managers';
  log.info(
    { version, config: line.configFile, analyzer, time_zone: config.datasource.timeZone },
    'license-exporter starts',
  );
  warn(config, log);
  const isOnce = line.switches.has('once');
  const collected = isOnce ? alone(config) : config;
  const storage = createStorage(log);
  // before any file in it is opened
  storage.take(collected.storage.path);
  const clock = createClock();
  // what reads license managers is a tenth of the program
  const own =
    config.analyzer === undefined
      ? (await import('./own-upstream.ts')).ownUpstream(collected, {
          clock,
          log,
          version,
          logonsIn: config.storage.path,
        })
      : undefined;
  const upstream = own ?? remoteUpstream;
  try {
    await own?.start();
    const ofOwn = own && { own: own.analyzer, sources: own.health, recorded: own.recorded, recording: own.recording };
    const reloadApp = (): Promise<string | undefined> => reload(app, upstream, log, context);
    const deps = { clock, log, version, revision, demo: false, storage, reload: reloadApp, ...ofOwn };
    const app: App = createApp(upstream.configOf(config), deps);
    if (isOnce) {
      await own?.firstCollection();
      return await runOnce(app, context);
    }
    context.onReload(reloadApp);
    const exposure = exposureOf(config.web);
    if (exposure !== undefined) log.warn({}, inOneLine(exposure));
    await runApp(app, log, context);
    return 0;
  } finally {
    await upstream.stop();
    storage.release();
  }
}

async function runOnce(app: App, { printAll }: CommandContext): Promise<number> {
  const { page, up } = await app.runOnce();
  await printAll(page);
  await app.stop();
  return up ? 0 : 1;
}

async function reload(app: App, upstream: Upstream, log: Log, context: CommandContext): Promise<string | undefined> {
  const reason = await reloaded(log, async () => {
    const config = load(context);
    const ofApp = upstream.configOf(config);
    await upstream.reload(config);
    await app.reload(ofApp);
  });
  if (reason !== undefined) app.refuseReload();
  return reason;
}

/** Runs an application until the process is stopped. */
export async function runApp(app: App, log: Log, context: CommandContext): Promise<void> {
  await app.start();
  for (const address of app.addresses()) log.info({ address }, 'listening');
  await untilStopped(context, log);
  await app.stop();
}
