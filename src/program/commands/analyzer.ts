import { createCollecting, createSimulatedAnalyzer } from '../../analyzer/analyzer.ts';
import { createClock } from '../../base/scheduling/clock.ts';
import { createAnalyzerWeb } from '../app/analyzer-web.ts';
import { ANALYZER_ADDRESS } from '../app/demo-analyzer.ts';
import { warnOfRestart } from '../app/restart-only.ts';
import { createSourceAnalyzers } from '../app/source-analyzers.ts';
import { createStorage } from '../app/storage.ts';
import type { Config } from '../config/config.ts';
import { shortened } from '../config/effects/effect.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/problems.ts';
import type { SettingKey } from '../config/settings.ts';
import { WebAccess } from '../config/web-access.ts';
import { logClients } from './client-log.ts';
import { type CommandContext, reloaded, untilStopped } from './command.ts';

const NO_USERS =
  'is required: no user can log on without it. Create the line of a user with "license-exporter analyzer hash-password NAME"';

type Users = NonNullable<Config['embeddedAnalyzer']['users']>;

function load({ line, env }: CommandContext): { config: Config; users: Users } {
  const defaults = new Map<SettingKey, unknown>([['embedded_analyzer.listen_address', ANALYZER_ADDRESS]]);
  const config = loadConfig({ ...line, env, defaults, requireAnalyzer: false });
  const { users } = config.embeddedAnalyzer;
  if (users !== undefined) return { config, users };
  throw new ConfigError([{ key: 'embedded_analyzer.users_file', where: 'configuration', message: NO_USERS }]);
}

/** Serves only the Query API until the process is stopped. SIGHUP reads the users and the sources again. */
export async function analyzer(context: CommandContext): Promise<number> {
  let loaded = load(context);
  const { config } = loaded;
  const { version, revision } = context;
  const log = context.createLog(config.log);
  for (const warning of [...config.warnings, ...shortened(config.withoutEffect)]) log.warn({}, warning);
  if (config.storage.path === undefined) log.warn({}, 'without storage.path, history is kept in memory only');
  const storage = createStorage(log);
  // before any file in it is opened
  storage.take(config.storage.path);
  const { sources } = config.embeddedAnalyzer;
  const logged = logClients(config.embeddedAnalyzer, () => loaded.users, log);
  const clock = createClock();
  const own = {
    clock,
    log,
    version,
    askAnalyzers: createSourceAnalyzers,
    clients: logged.clients,
  };
  const collecting = sources.length === 0 ? undefined : createCollecting(config, own);
  const server = collecting?.analyzer ?? createSimulatedAnalyzer(config, own);
  const access = new WebAccess(config, log);
  const reload = (): Promise<string | undefined> =>
    reloaded(log, async () => {
      loaded = load(context);
      const { config: next, users } = loaded;
      access.reload(next);
      warnOfRestart(config, next, true, log);
      await collecting?.reload(next);
      log.info({ users: users.length, sources: next.embeddedAnalyzer.sources.length }, 'configuration reloaded');
    });
  context.onReload(reload);
  const web = createAnalyzerWeb(() => loaded.config, {
    access,
    health: () => collecting?.health() ?? [],
    recording: server.recording,
    now: clock.now,
    version,
    revision,
    log,
    reload,
  });
  const stopWatch = clock.watch(() => {
    log.warn({ seconds: Math.round(clock.follow()) }, 'the clock of this host was set; everything is collected again');
  });
  try {
    await server.start();
    await web?.start();
    if (collecting === undefined) log.warn({}, 'all data of this analyzer is simulated');
    log.info(
      { address: server.url, version, ...(collecting !== undefined && { sources: sources.length }) },
      'listening',
    );
    for (const address of web?.addresses() ?? []) log.info({ address }, 'listening for metrics');
    await untilStopped(context, log);
  } finally {
    await web?.stop();
    await (collecting ?? server).stop();
    stopWatch();
    logged.end();
    storage.release();
  }
  return 0;
}
