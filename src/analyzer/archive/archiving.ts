import { followTls } from '../../base/files/followed-tls.ts';
import { readPasswordFile } from '../../base/files/named-files.ts';
import type { Log } from '../../base/model/log.ts';
import { errorFields } from '../../base/model/operator-error.ts';
import type { Clock } from '../../base/scheduling/clock.ts';
import type { ArchivableHistory, Archiving } from '../history/archivable-history.ts';
import { Archive } from './archive.ts';
import type { DatabaseOptions } from './connection.ts';
import type { Exchanged } from './exchange.ts';
import type { ArchiveConfig } from './settings.ts';

const PROBLEM = 'the archive of the history cannot be used; recording goes on, and it gets the days later';

/** How to reach the database of the archive. */
export function databaseOf(
  { name: _, passwordFile, tls, isEncrypted, ...where }: ArchiveConfig,
  log: Log,
): DatabaseOptions {
  return {
    ...where,
    password: () => (passwordFile === undefined ? undefined : readPasswordFile(passwordFile).reveal()),
    tls: isEncrypted ? followTls(tls, log) : undefined,
  };
}

/** Exchanges the history of an analyzer with the configured archive. */
export function createArchiving(
  config: ArchiveConfig,
  { log, clock, version }: { readonly log: Log; readonly clock: Clock; readonly version: string },
): (history: ArchivableHistory) => Archiving {
  const options = {
    ...databaseOf(config, log),
    name: config.name,
    version,
    now: clock.now,
    onProblem: (error: unknown) => log.warn(errorFields(error), PROBLEM),
    onRecovery: (failures: number) => log.info({ failures }, 'the archive of the history is in use again'),
    onExchanged: (days: Exchanged) => log.info(days, 'days of features were exchanged with the archive'),
  };
  return (history) => new Archive(options, history);
}
