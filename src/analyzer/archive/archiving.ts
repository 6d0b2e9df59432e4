import { setTimeout } from 'node:timers';
import { followTls } from '../../base/files/followed-tls.ts';
import { readPasswordFile } from '../../base/files/named-files.ts';
import type { Log } from '../../base/model/log.ts';
import type { ArchiveHealth } from '../../base/model/observation/recording.ts';
import { errorFields } from '../../base/model/operator-error.ts';
import type { Clock } from '../../base/scheduling/clock.ts';
import type { ArchivableHistory, Archiving } from '../history/store-archive.ts';
import { type ArchiveConnection, connectArchive, type DatabaseOptions } from './connection.ts';
import { Exchange, type Exchanged, type ExchangeOptions } from './exchange.ts';
import type { ArchiveConfig } from './settings.ts';

export interface ArchiveOptions extends ExchangeOptions {
  /** Epoch seconds. */
  readonly now: () => number;
  /** Called when the exchange fails for another reason than before. */
  readonly onProblem: (error: unknown) => void;
  /** Called when it works again, with the number of attempts that failed. */
  readonly onRecovery: (failures: number) => void;
  /** Called when days were exchanged. */
  readonly onExchanged: (exchanged: Exchanged) => void;
}

/** Until the history is open, seconds. */
const UNTIL_READY = 1;
/** Between two exchanges, seconds. */
const INTERVAL = 60;
/** Until the attempt after one that failed, seconds. Each further one waits twice as long, up to the longest time. */
const RETRY = 5;
const LONGEST = 120;

/**
 * Exchanges the history with an archive in the background, at the start and then every minute. Nothing waits for it: what is
 * recorded is recorded here, and what the archive does not have yet is given to it later.
 */
export class Archive implements Archiving {
  readonly #options: ArchiveOptions;
  readonly #history: ArchivableHistory;
  readonly #since: number;
  #timer: NodeJS.Timeout | undefined;
  #connection: ArchiveConnection | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #failures = 0;
  #problem: string | undefined;
  #lastSuccessAt: number | undefined;
  #waiting: number | undefined;

  constructor(options: ArchiveOptions, history: ArchivableHistory) {
    this.#options = options;
    this.#history = history;
    this.#since = options.now();
  }

  start(): void {
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.#connection?.close();
    await this.#running;
  }

  health(): ArchiveHealth {
    const [since, lastSuccessAt, problem, waiting] = [this.#since, this.#lastSuccessAt, this.#problem, this.#waiting];
    return { since, lastSuccessAt, problem, waiting };
  }

  #schedule(seconds: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, seconds * 1000).unref();
  }

  async #run(): Promise<void> {
    if (this.#history.days() === undefined) {
      this.#schedule(UNTIL_READY);
      return;
    }
    try {
      this.#waiting = this.#history.days()?.waiting();
      await this.#exchange();
      this.#waiting = this.#history.days()?.waiting();
      this.#lastSuccessAt = this.#options.now();
      if (this.#problem !== undefined) this.#options.onRecovery(this.#failures);
      this.#problem = undefined;
      this.#failures = 0;
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const { message } = error as Error;
      this.#failures += 1;
      if (message !== this.#problem) this.#options.onProblem(error);
      this.#problem = message;
    }
    this.#schedule(this.#failures === 0 ? INTERVAL : Math.min(LONGEST, RETRY * 2 ** (this.#failures - 1)));
  }

  async #exchange(): Promise<void> {
    const connection = await connectArchive(this.#options, this.#stopping.signal);
    this.#connection = connection;
    try {
      if (this.#stopping.signal.aborted) return;
      const exchanged = await new Exchange(connection, this.#options, this.#history).run();
      if (exchanged.taken + exchanged.given > 0) this.#options.onExchanged(exchanged);
    } finally {
      this.#connection = undefined;
      connection.close();
    }
  }
}

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
