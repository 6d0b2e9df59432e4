import { QueryError } from '../../base/model/failure.ts';

/** A connection that was idle for less is not suspected, milliseconds. */
const LEAST_MS = 5_000;
/** What was learnt is tried again after a day: a firewall may be gone. */
const DAY_MS = 24 * 3600 * 1000;

/** Whether an error means that no byte came in time. */
export function isTimeout(error: unknown): boolean {
  if (error instanceof QueryError) return error.kind === 'timeout';
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT';
}

/** A question was not answered on a connection that was idle for this long, and was answered then on one that was idle for less. */
interface Sign {
  readonly idleMs: number;
  /** When it was answered, milliseconds. */
  readonly at: number;
}

/**
 * How long connections may be idle and still be used. A firewall can forget one that is idle, and drop what comes later without a word:
 * a request on it waits for its whole timeout. That is learnt from two signs, because a server that stalls looks like one. Between them,
 * nothing may be answered on a connection that was idle for as long.
 */
export class IdleLimit {
  readonly #now: () => number;
  readonly #onLearnt: (ms: number) => void;
  #limit: { readonly ms: number; readonly at: number } | undefined;
  #suspicion: { readonly path: string; readonly idleMs: number } | undefined;
  #sign: Sign | undefined;

  /** @param now milliseconds @param onLearnt called with each new limit, milliseconds */
  constructor(now: () => number, onLearnt: (ms: number) => void) {
    this.#now = now;
    this.#onLearnt = onLearnt;
  }

  /** A connection that was idle for this long is not used again, milliseconds. */
  get ms(): number {
    const limit = this.#recent(this.#limit);
    return limit === undefined ? Number.POSITIVE_INFINITY : limit.ms;
  }

  /**
   * No byte of an answer came in time.
   *
   * @param idleMs how long the connection was idle before
   * @param sentAt when the question was sent, milliseconds
   */
  unanswered(path: string, idleMs: number, sentAt: number): void {
    if (idleMs < LEAST_MS) {
      // the server does not answer it on a used connection either
      if (this.#suspicion?.path === path) this.#suspicion = undefined;
      return;
    }
    // one stall can leave several questions unanswered
    if (this.#sign === undefined || sentAt > this.#sign.at) this.#suspicion = { path, idleMs };
  }

  /** @param idleMs how long the connection was idle before the question */
  answered(path: string, idleMs: number): void {
    // connections that are idle for as long are not forgotten
    if (this.#sign !== undefined && idleMs >= this.#sign.idleMs) this.#sign = undefined;
    const suspicion = this.#suspicion;
    if (suspicion?.path !== path) return;
    this.#suspicion = undefined;
    if (idleMs < suspicion.idleMs) this.#add({ idleMs: suspicion.idleMs, at: this.#now() });
  }

  #add(sign: Sign): void {
    const first = this.#recent(this.#sign);
    this.#sign = first === undefined ? sign : undefined;
    if (first === undefined) return;
    // both say that the longer time is too long; how much less is not too long is not known
    const ms = Math.max(LEAST_MS, Math.min(this.ms, Math.max(first.idleMs, sign.idleMs) / 2));
    this.#limit = { ms, at: sign.at };
    this.#onLearnt(ms);
  }

  #recent<T extends { readonly at: number }>(learnt: T | undefined): T | undefined {
    return learnt !== undefined && this.#now() - learnt.at < DAY_MS ? learnt : undefined;
  }
}
