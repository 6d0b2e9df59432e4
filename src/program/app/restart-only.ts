import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../base/model/log.ts';
import type { Config } from '../config/config.ts';
import { type SettingKey, settings } from '../config/settings.ts';

/**
 * Warns of changed settings that a reload does not change, as their schema says.
 *
 * @param hasAnalyzer whether this process has an embedded analyzer. Its settings do not matter otherwise
 */
export function warnOfRestart(started: Config, configured: Config, hasAnalyzer: boolean, log: Log): void {
  const matters = (key: SettingKey): boolean =>
    hasAnalyzer || !(key.startsWith('embedded_analyzer.') || settings[key].restart === 'with-analyzer');
  const changed = [...started.restartValues]
    .filter(([key, value]) => matters(key) && !isDeepStrictEqual(value, configured.restartValues.get(key)))
    .map(([key]) => key);
  if (changed.length > 0)
    log.warn({ settings: changed }, 'changed settings are used after a restart, the old values until then');
}
