import { stat } from 'node:fs/promises';
import { fileStamp } from '../../base/files/named-files.ts';
import type { Log } from '../../base/model/log.ts';
import { createOwners, type OwnerMapping } from '../../base/model/owners.ts';
import { createPrices, type Prices } from '../../base/model/prices.ts';
import type { Config } from './config.ts';
import type { NamedPart } from './effects/effect.ts';
import { ownerParts, priceParts } from './effects/entries.ts';
import { type EntryFile, type NamedEntries, placedIn } from './entry-file.ts';
import { readOwnersFile } from './owners-file.ts';
import { readPriceFile } from './price-file.ts';
import { ConfigError } from './problems.ts';

/** What is followed, by the configuration and by a file that is read again when it changes. */
interface Followed<T> {
  /** The same object while nothing has changed. */
  current(): T;
  /** Its patterns and names. */
  parts(): readonly NamedPart[];
  /** Applies another configuration. */
  reload(config: Config): void;
  start(): void;
  stop(): void;
}

/** The prices of licenses. */
export type CurrentPrices = Followed<Prices>;

/** @param onChange called when the file has changed what `current` returns */
export function createCurrentPrices({ prices }: Config, log: Log, onChange: () => void): CurrentPrices {
  let placed = prices.placed;
  let current = createPrices(prices.entries);
  const file = createFollowedFile(prices, {
    what: 'prices',
    read: readPriceFile,
    onChange: (next) => {
      placed = placedIn(next);
      current = createPrices(next.entries);
      onChange();
    },
    log,
  });
  return {
    ...file,
    current: () => current,
    parts: () => priceParts(placed),
    reload: ({ prices: next }) => {
      placed = next.placed;
      current = createPrices(next.entries);
      file.reload(next);
    },
  };
}

/** Who acts on vendor licenses and features. */
export type CurrentOwners = Followed<OwnerMapping>;

/** @param onChange called when the file has changed what `current` returns */
export function createCurrentOwners({ owners }: Config, log: Log, onChange: () => void): CurrentOwners {
  let { own, placed } = owners;
  let current = createOwners(owners.entries);
  const file = createFollowedFile(owners, {
    what: 'owners',
    read: readOwnersFile,
    onChange: (next) => {
      placed = [...own, ...placedIn(next)];
      current = createOwners(placed.map(({ entry }) => entry));
      onChange();
    },
    log,
  });
  return {
    ...file,
    current: () => current,
    parts: () => ownerParts(placed),
    reload: ({ owners: next }) => {
      ({ own, placed } = next);
      current = createOwners(next.entries);
      file.reload(next);
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
  /** Called with the changed file. */
  readonly onChange: (next: EntryFile<T>) => void;
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
    const next = read(path);
    const { entries, problems } = next;
    if (problems.length > 0) {
      log.error({ reason: reasonOf(new ConfigError(problems)) }, `${what} not read again, the last ones are kept`);
      return;
    }
    log.info({ entries: entries.length }, `${what} read again`);
    onChange(next);
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
