/** What an aborted signal ends. */
export interface Abortable {
  abort(reason: unknown): void;
}

/**
 * The requests that one signal aborts. They share one listener, and are in an array that is changed in place. Listeners that
 * come and go, and the old tables of a `Set` or `Map` whose entries do, refer to the next ones. Once V8 has moved one of them
 * to its old space, all later requests stay in memory until a full garbage collection, and each short one copies them.
 */
class AbortWatch {
  readonly #requests: Abortable[] = [];

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => {
      for (const request of this.#requests.splice(0)) request.abort(signal.reason);
    });
  }

  add(request: Abortable): void {
    this.#requests.push(request);
  }

  delete(request: Abortable): void {
    const at = this.#requests.indexOf(request);
    const last = at === -1 ? undefined : this.#requests.pop();
    if (last !== undefined && last !== request) this.#requests[at] = last;
  }
}

const watches = new WeakMap<AbortSignal, AbortWatch>();

/**
 * The watch of a signal that is not aborted yet. It must not be one of `AbortSignal.any`: such a signal is never released
 * while something listens to it.
 */
export function watchOf(signal: AbortSignal): AbortWatch {
  let watch = watches.get(signal);
  if (watch === undefined) {
    watch = new AbortWatch(signal);
    watches.set(signal, watch);
  }
  return watch;
}
