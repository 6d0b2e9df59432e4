import type { NtlmScheme } from '../../base/ntlm/challenges.ts';
import type { NtlmError } from '../../base/ntlm/errors.ts';
import type { IncomingHeaders } from './leg.ts';
import { retryAfter, throttled } from './verdicts.ts';

/** How long a server is assumed to require a logon for each request, milliseconds. */
const REPROBE_MS = 3_600_000;

/** How a server expects logons, learned from its responses and shared by all connections to it. */
export class ServerTraits {
  scheme: NtlmScheme = 'NTLM';
  /** When the cheapest call last required no logon, and so could not prove the credentials. */
  cheapestOpenAt = Number.NEGATIVE_INFINITY;
  /** Whether a query required a logon since the last good verdict. */
  needsLogonForQueries = false;
  readonly #now: () => number;
  readonly #onPerRequest: () => void;
  #perRequestUntil = 0;
  #pause: NtlmError | undefined;
  /** Consecutive connections that were closed between the challenge and the reply to it. */
  #unkept = 0;

  /**
   * @param now epoch milliseconds of the steady clock
   * @param onPerRequest called when the server is first found to require a logon for each request
   */
  constructor(now: () => number, onPerRequest: () => void) {
    this.#now = now;
    this.#onPerRequest = onPerRequest;
  }

  /** Whether a logon is valid for one request only, so that each query carries its own. */
  get isPerRequest(): boolean {
    return this.#now() < this.#perRequestUntil;
  }

  /** Counts a connection that was closed after its challenge. Returns `true` when it happens repeatedly. */
  isUnkept(): boolean {
    this.#unkept += 1;
    return this.#unkept > 1;
  }

  setKept(): void {
    this.#unkept = 0;
  }

  setPerRequest(): void {
    if (this.#perRequestUntil === 0) this.#onPerRequest();
    this.#perRequestUntil = this.#now() + REPROBE_MS;
  }

  /** MS-N2HT: a header of the final response shows whether the connection stays authenticated. */
  learn(headers: IncomingHeaders): void {
    if (String(headers['persistent-auth'] ?? '').toLowerCase() === 'false') this.setPerRequest();
  }

  /** The error while the server asks clients to wait. */
  get pause(): NtlmError | undefined {
    if ((this.#pause?.retryAt ?? 0) <= this.#now()) this.#pause = undefined;
    return this.#pause;
  }

  /** Stores the pause that a response asks for, and returns it as an error. */
  notePause(status: number, headers: IncomingHeaders): NtlmError | undefined {
    const wait = retryAfter(status, headers);
    if (wait === undefined) return undefined;
    this.#pause = throttled(status, this.#now() + wait);
    return this.#pause;
  }
}
