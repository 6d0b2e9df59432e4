import { basename } from 'node:path';
import type { LocalTime } from '../../base/model/local-time.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { createLatestOnly } from '../../base/scheduling/limit.ts';
import type { ImportOrigin } from './imported-table.ts';
import type { Recorder } from './recorder.ts';
import { openImport, refuseStaged, removeStaged, removeWorkFolders, waitingImports } from './staged-import.ts';

/** An import that is in the history now. */
export interface TakenUp extends ImportOrigin {
  readonly series: number;
  /** Days of series. */
  readonly days: number;
}

/** Where imports wait, who takes them up, and who is told. */
export interface ImportWatchOptions {
  readonly folder: string;
  readonly localTime: LocalTime;
  readonly recorder: Recorder;
  readonly onTakenUp: (taken: TakenUp) => void;
  /** Called when imported days know more. */
  readonly onChanged: () => void;
  readonly onProblem: (error: unknown) => void;
}

const INTERVAL_MS = 5_000;
/** Between two looks for numbers of licenses. */
const NUMBERS_SECONDS = 3600;

/** After that, a directory of a command that does not run any more is removed. */
const ABANDONED_SECONDS = 3600;

/** Takes up what `license-exporter import` leaves for a running process. */
export class ImportWatch {
  readonly #options: ImportWatchOptions;
  readonly #look: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  /** The recording after which numbers of licenses are looked for again. */
  #nextNumbersAt = Number.NEGATIVE_INFINITY;

  constructor(options: ImportWatchOptions) {
    this.#options = options;
    this.#look = createLatestOnly(() => this.#lookOnce());
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), INTERVAL_MS).unref();
    void this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Takes up what waits now. Never throws. */
  look(): Promise<void> {
    return this.#look().catch(this.#options.onProblem);
  }

  async #lookOnce(): Promise<void> {
    removeWorkFolders(this.#options.folder, ABANDONED_SECONDS);
    for (const path of waitingImports(this.#options.folder)) {
      if (!(await this.#takeUp(path))) return;
    }
    await this.#addNowBought();
  }

  /** Numbers become known with collections. Of what is not listed any more they never do. */
  async #addNowBought(): Promise<void> {
    const { recorder, onChanged } = this.#options;
    const { lastRecordedAt } = recorder.state();
    if (lastRecordedAt === undefined || lastRecordedAt < this.#nextNumbersAt) return;
    this.#nextNumbersAt = lastRecordedAt + NUMBERS_SECONDS;
    if (await recorder.addNowBought()) onChanged();
  }

  /** @returns whether the next one can follow */
  async #takeUp(path: string): Promise<boolean> {
    const { localTime, recorder, onTakenUp, onProblem } = this.#options;
    if (recorder.state().problem !== undefined) return false;
    try {
      const open = openImport(path, localTime);
      try {
        const days = await recorder.addImport(open);
        // it is tried again at the next look
        if (days === undefined) return false;
        removeStaged(path);
        this.#nextNumbersAt = Number.NEGATIVE_INFINITY;
        onTakenUp({ ...open.staged, series: open.series, days });
      } finally {
        open.close();
      }
    } catch (error) {
      const refused = basename(refuseStaged(path));
      const { message } = error as Error;
      onProblem(
        new OperatorError(`an import cannot be taken up and is kept as ${refused}; import it again (${message})`, {
          cause: error,
        }),
      );
    }
    return true;
  }
}
