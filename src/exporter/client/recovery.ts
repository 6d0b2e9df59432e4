import type { CredentialGate } from './credential-gate.ts';
import { QUIET_MS } from './logon-budget.ts';
import type { Wait } from './wait.ts';

/** How it is found out that logons work again, without a message that an account counts. */
export interface RecoveryOptions {
  readonly gate: CredentialGate;
  /** Whether the server answers NEGOTIATE with a challenge on a new connection. Does not count as a logon. */
  readonly probe: (timeoutMs: number) => Promise<boolean>;
  /** Logs on once. Resolves when the verdict has come, or when it will not come. */
  readonly logOn: () => Promise<void>;
  /** Called when a logon was accepted again, or can be sent again. */
  readonly onRecovered: () => void;
  /** The end of a pause that the server asked for, epoch milliseconds of the steady clock. */
  readonly pausedUntil: () => number;
  /** Epoch milliseconds of the steady clock. */
  readonly now: () => number;
  readonly wait: Wait;
}

/** Consecutive exchanges that must succeed before another logon is sent. */
const PROBES = 3;
const BETWEEN_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
const MAX_BACKOFF_MS = 30_000;
/** Interval of checks for a verdict that may still come. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Recovers after a message got no verdict. It waits for a while, and then sends NEGOTIATE→CHALLENGE exchanges, which do not count as
 * logons. The next message is sent only when these exchanges succeed. A server that hangs or flaps therefore does not use up the
 * logon budget, and the daemon recovers by itself.
 *
 * After one rejection of a password that was accepted before, it waits until that one may be sent once more. Then everything that
 * failed is requested again.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Starts the recovery, unless it is running. */
  start(): void {
    if (this.#running !== undefined || this.#closing.signal.aborted) return;
    this.#running = this.#run()
      // stopped while waiting
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { gate, now, pausedUntil, logOn, onRecovered } = this.#options;
    for (;;) {
      const standing = gate.standing();
      if (standing.is === 'suspended' && !gate.isUnconfirmed) return;
      if (standing.is === 'ready') break;
      // the next logon of a rejected password needs no check of the path: the server has answered
      if (standing.is !== 'unchecked') await this.#wait(CHECK_INTERVAL_MS);
      else if (Math.max(standing.from, pausedUntil()) > now()) await this.#wait(CHECK_INTERVAL_MS);
      else if (await this.#isPathGood()) {
        gate.pathChecked();
        // an overdue verdict must not delay the next message
        await Promise.race([logOn(), this.#wait(QUIET_MS)]);
      }
    }
    onRecovered();
  }

  /** Tries until the exchanges succeed. Returns `false` when the state of the gate has changed, or the server asks for a pause. */
  async #isPathGood(): Promise<boolean> {
    let backoff = BETWEEN_MS;
    let inARow = 0;
    while (inARow < PROBES) {
      const { gate, pausedUntil, now } = this.#options;
      if (gate.standing().is !== 'unchecked' || pausedUntil() > now()) return false;
      if (await this.#options.probe(PROBE_TIMEOUT_MS)) {
        inARow += 1;
        backoff = BETWEEN_MS;
        if (inARow < PROBES) await this.#wait(BETWEEN_MS);
      } else {
        inARow = 0;
        await this.#wait(backoff);
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
      }
    }
    return true;
  }

  #wait(ms: number): Promise<void> {
    return this.#options.wait(ms, this.#closing.signal);
  }
}
