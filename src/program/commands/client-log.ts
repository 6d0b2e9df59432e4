import type { Ownership } from '../../analyzer/analyzer.ts';
import { createRefusalLog } from '../../analyzer/server/refusal-log.ts';
import type { Log } from '../../base/model/log.ts';
import type { Config } from '../config/config.ts';

/** How often refused logons are logged, milliseconds. */
const REFUSALS_MS = 10_000;

/** Who may log on to an analyzer of this process. Requests and refused logons are lines of the log. */
export interface LoggedClients {
  readonly clients: NonNullable<Ownership['clients']>;
  /** Logs everything that was not logged yet. */
  end(): void;
}

/** @param users who may log on now */
export function logClients(
  { domain, channelBinding }: Config['embeddedAnalyzer'],
  users: () => NonNullable<Config['embeddedAnalyzer']['users']>,
  log: Log,
): LoggedClients {
  const refusals = createRefusalLog(Date.now, (refused) => log.warn(refused, 'logon refused'));
  const flushing = setInterval(refusals.flush, REFUSALS_MS).unref();
  return {
    clients: {
      gate: { domain, channelBinding, users, onVerdict: refusals.add },
      onRequest: (request) => log.info({ ...request }, 'request'),
    },
    end: () => {
      clearInterval(flushing);
      refusals.end();
    },
  };
}
