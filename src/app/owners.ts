import { stat } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { ownersStampOf, readOwnersFile } from '../config/owners-file.ts';
import { ConfigError } from '../config/problems.ts';
import type { Log } from '../model/log.ts';
import { createOwners, type OwnerMapping } from '../model/owners.ts';

/** Who acts on vendor licenses and features, by the configuration. It follows changes of the file. */
export interface CurrentOwners {
  current(): OwnerMapping;
  /** Applies another configuration. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** How often the file is checked for changes, milliseconds. */
const CHECK_MS = 1_000;

/** The first problem, and how many more there are. */
function reasonOf(error: ConfigError): string {
  const [first = ''] = error.message.split('\n');
  const more = error.problems.length - 1;
  return more === 0 ? first : `${first} (and ${more} more; check-config shows all)`;
}

/** @param onChange called when the file has changed what `current` returns */
export function createCurrentOwners(initial: Config, log: Log, onChange: () => void): CurrentOwners {
  let { owners: config } = initial;
  let current = createOwners(config.entries);
  let { stamp } = config;
  let isChecking = false;
  let timer: NodeJS.Timeout | undefined;

  const readAgain = (path: string): void => {
    const { entries, problems } = readOwnersFile(path);
    if (problems.length > 0) {
      log.error({ reason: reasonOf(new ConfigError(problems)) }, 'owners not read again, the last ones are kept');
      return;
    }
    current = createOwners([...config.own, ...entries]);
    log.info({ entries: entries.length }, 'owners read again');
    onChange();
  };

  const check = async (): Promise<void> => {
    const { file } = config;
    if (file === undefined || isChecking) return;
    isChecking = true;
    const stats = await stat(file).catch(() => undefined);
    isChecking = false;
    const found = stats === undefined ? '' : ownersStampOf(stats);
    // another configuration can have been applied meanwhile
    if (file !== config.file || found === stamp) return;
    stamp = found;
    readAgain(file);
  };

  return {
    current: () => current,
    reload: (next) => {
      config = next.owners;
      current = createOwners(config.entries);
      stamp = config.stamp;
    },
    start: () => {
      timer = setInterval(() => void check(), CHECK_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
