import { createRefusalLog } from '../analyzer/refusal-log.ts';
import { createEmbeddedAnalyzer } from '../app/embedded-analyzer.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { ConfigError } from '../config/problems.ts';
import { errorFields } from '../model/operator-error.ts';
import { cronProblem } from '../poll/schedule.ts';
import { type CommandContext, untilStopped } from './command.ts';

const NO_USERS =
  'is required: no user can log on without it. Create the line of a user with "license-exporter analyzer hash-password NAME"';

/** How often refused logons are logged, milliseconds. */
const REFUSALS_MS = 10_000;

type Users = NonNullable<Config['embeddedAnalyzer']['users']>;

function load({ line, env }: CommandContext): { config: Config; users: Users } {
  const config = loadConfig({ ...line, env, requireAnalyzer: false, cronProblem });
  const { users } = config.embeddedAnalyzer;
  if (users !== undefined) return { config, users };
  throw new ConfigError([{ key: 'embedded_analyzer.users_file', where: 'configuration', message: NO_USERS }]);
}

/** Serves only the Query API until the process is stopped. SIGHUP reads the users again. */
export async function analyzer(context: CommandContext): Promise<number> {
  const loaded = load(context);
  const { config } = loaded;
  let { users } = loaded;
  const log = context.createLog(config.log);
  for (const warning of config.warnings) log.warn({}, warning);
  if (config.storagePath === undefined) log.warn({}, 'without storage.path, history is kept in memory only');
  const { domain, channelBinding } = config.embeddedAnalyzer;
  const refusals = createRefusalLog(Date.now, (refused) => log.warn(refused, 'logon refused'));
  const server = createEmbeddedAnalyzer(config, {
    log,
    version: context.version,
    gate: { domain, channelBinding, users: () => users, onVerdict: refusals.add },
    onRequest: (request) => log.info(request, 'request'),
  });
  context.onReload(async () => {
    try {
      users = load(context).users;
      log.info({ users: users.length }, 'users reloaded');
    } catch (error) {
      log.error(errorFields(error), 'users not reloaded, the old ones are kept');
    }
  });
  await server.start();
  const flushing = setInterval(refusals.flush, REFUSALS_MS);
  log.warn({}, 'all data of this analyzer is simulated');
  log.info({ address: server.url, version: context.version }, 'listening');
  await untilStopped(context.stop);
  log.info({}, 'stopping');
  await server.stop();
  clearInterval(flushing);
  refusals.end();
  return 0;
}
