import { SourceFailure, type SourceProblem } from '../../base/model/observation/source-failure.ts';

/** Seconds for which the last good value is used: 7 days. */
const MAX_AGE = 7 * 24 * 3600;

/** A value that is read more rarely than it is used. */
export class LastGood<T> {
  readonly #read: (signal: AbortSignal) => Promise<T>;
  readonly #interval: number;
  readonly #elapsed: () => number;
  #value: { readonly value: T; readonly at: number } | undefined;
  #problem: SourceProblem | undefined;

  /** @param interval seconds between readings that succeed @param elapsed seconds */
  constructor(read: (signal: AbortSignal) => Promise<T>, interval: number, elapsed: () => number) {
    this.#read = read;
    this.#interval = interval;
    this.#elapsed = elapsed;
  }

  /** Why it could not be read the last time. */
  get problem(): SourceProblem | undefined {
    return this.#problem;
  }

  /** The newest value, read now if it is due. Undefined without one that is young enough. */
  async get(signal: AbortSignal): Promise<T | undefined> {
    if (
      this.#problem !== undefined ||
      this.#value === undefined ||
      this.#elapsed() - this.#value.at >= this.#interval
    ) {
      try {
        this.#value = { value: await this.#read(signal), at: this.#elapsed() };
        this.#problem = undefined;
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        this.#problem = { kind: error.kind, message: error.message, isMinor: true };
      }
    }
    return this.#value !== undefined && this.#elapsed() - this.#value.at <= MAX_AGE ? this.#value.value : undefined;
  }
}
