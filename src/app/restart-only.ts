import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import type { Log } from '../model/log.ts';

/** Values of settings that a reload cannot change, by the names of the settings. */
export type RestartOnly = Readonly<Record<string, unknown>>;

/** Settings of the pages and the datasource. */
export const webRestartOnly = ({ web, datasource }: Pick<Config, 'web' | 'datasource'>): RestartOnly => ({
  'web.listen_address': web.listen,
  'web.telemetry_path': web.telemetryPath,
  'datasource.path': datasource.path,
});

/** Settings of the analyzer in this process. */
export const analyzerRestartOnly = ({ embeddedAnalyzer, storagePath }: Config): RestartOnly => {
  const { listen, domain, channelBinding, timeZone, retention, storeMaxSize, limits } = embeddedAnalyzer;
  return {
    'embedded_analyzer.listen_address': listen,
    'embedded_analyzer.domain': domain,
    'embedded_analyzer.channel_binding': channelBinding,
    'embedded_analyzer.time_zone': timeZone,
    'embedded_analyzer.retention': retention,
    'embedded_analyzer.store_max_size': storeMaxSize,
    'embedded_analyzer.limits': limits,
    'storage.path': storagePath,
  };
};

/** Warns of the settings that differ from those with which the process was started. */
export function warnOfRestart(started: RestartOnly, configured: RestartOnly, log: Log): void {
  const settings = Object.keys(started).filter((name) => !isDeepStrictEqual(started[name], configured[name]));
  if (settings.length > 0)
    log.warn({ settings }, 'changed settings are used after a restart, the old values until then');
}
