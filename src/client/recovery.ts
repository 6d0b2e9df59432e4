import type { CredentialGate } from '../ntlm/credential-gate.ts';
import { QUIET_MS } from '../ntlm/logon-budget.ts';
import type { Wait } from './wait.ts';

export interface RecoveryOptions {
  readonly gate: CredentialGate;
  /** Whether the server answers NEGOTIATE with a challenge on a fresh connection. Costs no logon. */
  readonly probe: (timeoutMs: number) => Promise<boolean>;
  /** Logs on once; resolves when the verdict has come, or will not. */
  readonly logOn: () => Promise<void>;
  /** Called when a logon was accepted again. */
  readonly onRecovered: () => void;
  /** Until when the server accepts no logons, epoch milliseconds. */
  readonly pausedUntil: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly wait: Wait;
}

/** Exchanges in a row that must succeed before another logon is spent. */
const PROBES = 3;
const BETWEEN_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
const MAX_BACKOFF_MS = 30_000;
/** How often a verdict that may still come is checked for. */
const LOOK_MS = 1_000;

/**
 * What happens after a message got no verdict: nothing for a while, then NEGOTIATE→CHALLENGE exchanges, which are no
 * logons, until the path is seen to work, and only then the next message. So a hung or flapping server does not use the
 * budget up, and the daemon recovers by itself.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Does nothing while it runs. */
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
      if (standing.is === 'suspended') return;
      if (standing.is === 'ready') break;
      if (standing.is === 'waiting') await this.#wait(LOOK_MS);
      else if (Math.max(standing.from, pausedUntil()) > now()) await this.#wait(LOOK_MS);
      else if (await this.#isPathGood()) {
        gate.pathChecked();
        // a verdict that is overdue must not keep the next message back
        await Promise.race([logOn(), this.#wait(QUIET_MS)]);
      }
    }
    onRecovered();
  }

  /** Tries until the exchanges succeed; `false` when something has changed that comes first. */
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
