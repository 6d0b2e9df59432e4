import { QueryError } from '../../base/model/failure.ts';

/** A connection that was idle for less is not suspected, milliseconds. */
const LEAST_MS = 5_000;

/** Whether an error means that no byte came in time. */
export function isTimeout(error: unknown): boolean {
  if (error instanceof QueryError) return error.kind === 'timeout';
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT';
}

/**
 * How long connections may be idle and still be used. A firewall can forget one that is idle, and drop what comes later without a word:
 * a request on it waits for its whole timeout. That is learnt if the same question is answered on a connection that was not idle.
 */
export class IdleLimit {
  readonly #onLearnt: (ms: number) => void;
  #ms = Number.POSITIVE_INFINITY;
  #suspicion: { readonly path: string; readonly idleMs: number } | undefined;

  /** @param onLearnt called with each new limit, milliseconds */
  constructor(onLearnt: (ms: number) => void) {
    this.#onLearnt = onLearnt;
  }

  /** A connection that was idle for this long is not used again, milliseconds. */
  get ms(): number {
    return this.#ms;
  }

  /** No byte of an answer came in time. @param idleMs how long the connection was idle before */
  unanswered(path: string, idleMs: number): void {
    if (idleMs >= LEAST_MS) this.#suspicion = { path, idleMs };
    // the server does not answer it on a used connection either
    else if (this.#suspicion?.path === path) this.#suspicion = undefined;
  }

  /** @param idleMs how long the connection was idle before the question */
  answered(path: string, idleMs: number): void {
    const suspicion = this.#suspicion;
    if (suspicion?.path !== path) return;
    this.#suspicion = undefined;
    if (idleMs >= suspicion.idleMs) return;
    // where between the two it was forgotten is not known
    this.#ms = Math.max(LEAST_MS, Math.min(this.#ms, suspicion.idleMs / 2));
    this.#onLearnt(this.#ms);
  }
}
