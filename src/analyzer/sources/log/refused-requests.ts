/** Which lines about refusals are one denial, where a log has a line for each attempt: live for FlexNet, and in imports of all logs. */

/**
 * Seconds in which a client counts once for a feature: clients repeat a refused request each second, and one request can be
 * refused by each INCREMENT line of the feature. Only another process, or a checkout in between, shows another request.
 */
const SAME_REQUEST = 60;
/** A refusal is false if the client gets the license within these seconds, for instance from another pool. */
const FALSE_WITHIN = 5;
export const MAX_REMEMBERED = 20_000;
/** Seconds. Older refusals do not count: a log that was not readable for days would count them all at once. A day, and a wrong zone. */
export const MAX_REFUSAL_AGE = 26 * 3600;

/** What one request is known by. Features are the same in letters of another case. */
export const requestKey = (feature: string, client: string): string => `${feature.toLowerCase()}\0${client}`;

/** The first of the requests of a client that count once. */
export interface Refusal<W> {
  readonly what: W;
  /** Seconds of the log. */
  at: number;
  readonly readAt: number;
}

/** Finds out which lines about refusals are requests that were refused: each counts once, and not if it is false. */
export class RefusedRequests<W> {
  /** By client and feature, the oldest first: those that count once, and of them those that may be false still. */
  readonly #refusals = new Map<string, Refusal<W>>();
  readonly #uncertain = new Map<string, Refusal<W>>();
  readonly #onCertain: (refusal: Pick<Refusal<W>, 'what' | 'at'>) => void;

  /** @param onCertain gets each request that was refused */
  constructor(onCertain: (refusal: Pick<Refusal<W>, 'what' | 'at'>) => void) {
    this.#onCertain = onCertain;
  }

  get isEmpty(): boolean {
    return this.#refusals.size === 0;
  }

  /** A line says so. @param key of client and feature; undefined if the line does not name the client */
  refuse(key: string | undefined, refusal: Refusal<W>): void {
    if (key === undefined) {
      this.#onCertain(refusal);
      return;
    }
    const known = this.#refusals.get(key);
    if (known !== undefined && Math.abs(refusal.at - known.at) <= SAME_REQUEST) return;
    this.#remove(key);
    this.#removeOld(refusal.at);
    this.#refusals.set(key, refusal);
    this.#uncertain.set(key, refusal);
  }

  /** The client got its license: what is refused from now on is another request. One that is certain counts. */
  forget(key: string): void {
    if (this.#refusals.size === 0) return;
    this.#uncertain.delete(key);
    this.#refusals.delete(key);
  }

  /** The log has come to this time. */
  passTo(at: number): void {
    this.makeCertain(({ at: since }) => at - since > FALSE_WITHIN || at < since - SAME_REQUEST);
  }

  /** All lines that exist now were read. @param now in the time of `readAt` */
  settle(now: number): void {
    this.makeCertain(({ readAt }) => now - readAt > FALSE_WITHIN);
  }

  /** The oldest ones count up to the first that is not certain. */
  makeCertain(isCertain: (refusal: Refusal<W>) => boolean): void {
    for (const [key, refusal] of this.#uncertain) {
      if (!isCertain(refusal)) return;
      this.#uncertain.delete(key);
      this.#onCertain(refusal);
    }
  }

  /** The log has another date than was thought. */
  shift(seconds: number): void {
    for (const refusal of this.#refusals.values()) refusal.at += seconds;
  }

  #removeOld(now: number): void {
    // several at once, because each search for the oldest passes those that were removed
    const most = this.#refusals.size < MAX_REMEMBERED ? MAX_REMEMBERED : MAX_REMEMBERED / 2;
    for (const [key, { at }] of this.#refusals) {
      if (Math.abs(now - at) <= SAME_REQUEST && this.#refusals.size <= most) return;
      this.#remove(key);
    }
  }

  /** The minute of a client is over. */
  #remove(key: string): void {
    this.#refusals.delete(key);
    const uncertain = this.#uncertain.get(key);
    if (!this.#uncertain.delete(key) || uncertain === undefined) return;
    this.#onCertain(uncertain);
  }
}
