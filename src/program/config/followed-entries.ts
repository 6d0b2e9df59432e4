import { stat } from 'node:fs/promises';
import { fileStamp } from '../../base/files/named-files.ts';
import type { Log } from '../../base/model/log.ts';
import { createOwners, type OwnerMapping } from '../../base/model/owners.ts';
import { createPrices, type Prices } from '../../base/model/prices.ts';
import type { Config } from './config.ts';
import type { EntryFile, NamedEntries } from './entry-file.ts';
import { readOwnersFile } from './owners-file.ts';
import { readPriceFile } from './price-file.ts';
import { ConfigError } from './problems.ts';

/** The prices of licenses, by the configuration. They follow changes of the file. */
export interface CurrentPrices {
  /** The same object while nothing has changed. */
  current(): Prices;
  /** Applies another configuration. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** The prices of the configuration and of its file, which is read again when it changes. */
export function createCurrentPrices({ prices }: Config, log: Log): CurrentPrices {
  let current = createPrices(prices.entries);
  const file = createFollowedFile(prices, {
    what: 'prices',
    read: readPriceFile,
    onChange: (entries) => {
      current = createPrices(entries);
    },
    log,
  });
  return {
    ...file,
    current: () => current,
    reload: ({ prices: next }) => {
      current = createPrices(next.entries);
      file.reload(next);
    },
  };
}

/** Who acts on vendor licenses and features, by the configuration. It follows changes of the file. */
export interface CurrentOwners {
  current(): OwnerMapping;
  /** Applies another configuration. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** @param onChange called when the file has changed what `current` returns */
export function createCurrentOwners(initial: Config, log: Log, onChange: () => void): CurrentOwners {
  let { owners: config } = initial;
  let current = createOwners(config.entries);
  const file = createFollowedFile(config, {
    what: 'owners',
    read: readOwnersFile,
    onChange: (entries) => {
      current = createOwners([...config.own, ...entries]);
      onChange();
    },
    log,
  });
  return {
    ...file,
    current: () => current,
    reload: ({ owners }) => {
      config = owners;
      current = createOwners(owners.entries);
      file.reload(owners);
    },
  };
}

/** Follows changes of a file with entries: of owners, or of prices. */
export interface FollowedFile<T> {
  /** Follows the file of another configuration. */
  reload(next: NamedEntries<T>): void;
  start(): void;
  stop(): void;
}

/** A file that is read again when it changes, and what happens if it cannot be read. */
export interface FollowedFileOptions<T> {
  /** What the file contains, for the log. */
  readonly what: string;
  readonly read: (path: string) => EntryFile<T>;
  /** Called with the entries of the changed file. */
  readonly onChange: (entries: readonly T[]) => void;
  readonly log: Log;
}

/** How often the file is checked for changes, milliseconds. */
const CHECK_MS = 1_000;

/** The first problem, and how many more there are. */
function reasonOf(error: ConfigError): string {
  const [first = ''] = error.message.split('\n');
  const more = error.problems.length - 1;
  return more === 0 ? first : `${first} (and ${more} more; check-config shows all)`;
}

/** If the changed file has problems, they are logged, and the last entries are kept. */
function createFollowedFile<T>(
  initial: NamedEntries<T>,
  { what, read, onChange, log }: FollowedFileOptions<T>,
): FollowedFile<T> {
  let { file, stamp } = initial;
  let isChecking = false;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  const readAgain = (path: string): void => {
    const { entries, problems } = read(path);
    if (problems.length > 0) {
      log.error({ reason: reasonOf(new ConfigError(problems)) }, `${what} not read again, the last ones are kept`);
      return;
    }
    log.info({ entries: entries.length }, `${what} read again`);
    onChange(entries);
  };

  const check = async (): Promise<void> => {
    const path = file;
    if (path === undefined || isChecking) return;
    isChecking = true;
    const stats = await stat(path).catch(() => undefined);
    isChecking = false;
    const found = stats === undefined ? '' : fileStamp(stats);
    // another configuration can have been applied meanwhile
    if (path !== file || found === stamp) return;
    stamp = found;
    readAgain(path);
  };

  const follow = (): void => {
    clearInterval(timer);
    if (isStarted && file !== undefined) timer = setInterval(() => void check(), CHECK_MS).unref();
  };

  return {
    reload: (next) => {
      ({ file, stamp } = next);
      follow();
    },
    start: () => {
      isStarted = true;
      follow();
    },
    stop: () => {
      isStarted = false;
      follow();
    },
  };
}
