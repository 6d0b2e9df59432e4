import { SourceFailure, type SourceProblem } from '../model/observation/source-failure.ts';

/** How long a reading may be used after the one that failed. */
export interface LastGoodOptions {
  /** Seconds between readings that succeed. */
  readonly interval: number;
  /** Seconds for which the last good value is used. */
  readonly maxAge: number;
  /** Seconds. */
  readonly elapsed: () => number;
}

/** A value that is read more rarely than it is used. */
export class LastGood<T> {
  readonly #read: (signal: AbortSignal) => Promise<T>;
  readonly #options: LastGoodOptions;
  #value: { readonly value: T; readonly at: number } | undefined;
  #problem: SourceProblem | undefined;

  constructor(read: (signal: AbortSignal) => Promise<T>, options: LastGoodOptions) {
    this.#read = read;
    this.#options = options;
  }

  /** Why it could not be read the last time. */
  get problem(): SourceProblem | undefined {
    return this.#problem;
  }

  /** The newest value, read now if it is due. Undefined without one that is young enough. */
  async get(signal: AbortSignal): Promise<T | undefined> {
    const { elapsed, interval, maxAge } = this.#options;
    if (this.#problem !== undefined || this.#value === undefined || elapsed() - this.#value.at >= interval) {
      try {
        this.#value = { value: await this.#read(signal), at: elapsed() };
        this.#problem = undefined;
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        this.#problem = { kind: error.kind, message: error.message, isMinor: true };
      }
    }
    return this.#value !== undefined && elapsed() - this.#value.at <= maxAge ? this.#value.value : undefined;
  }
}
