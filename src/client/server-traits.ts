import type { NtlmScheme } from '../ntlm/challenges.ts';
import type { NtlmError } from '../ntlm/errors.ts';
import type { IncomingHeaders } from './connection.ts';
import { isPaused, retryAfter, throttled } from './verdicts.ts';

/** How long a server counts as one that wants a logon for each request, milliseconds. */
const REPROBE_MS = 3_600_000;

/** How a server wants its logons, as its answers show; shared by the connections to it. */
export class ServerTraits {
  scheme: NtlmScheme = 'NTLM';
  /** When the server last asked for no logon at its cheapest call, so that this cannot prove the credentials. */
  cheapestOpenAt = Number.NEGATIVE_INFINITY;
  /** Whether a query was asked for a logon since the last good verdict. */
  isAsked = false;
  readonly #now: () => number;
  readonly #onPerRequest: () => void;
  #perRequestUntil = 0;
  #pause: NtlmError | undefined;
  /** Connections in a row that were closed between a challenge and the answer to it. */
  #unkept = 0;

  /**
   * @param now epoch milliseconds
   * @param onPerRequest called when the server is first seen to want a logon for each request
   */
  constructor(now: () => number, onPerRequest: () => void) {
    this.#now = now;
    this.#onPerRequest = onPerRequest;
  }

  /** Whether no logon outlives its request, so that each query carries its own. */
  get isPerRequest(): boolean {
    return this.#now() < this.#perRequestUntil;
  }

  /** A connection was closed after its challenge; `true` when that is no accident. */
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

  /** MS-N2HT: the header on a final response says whether the connection stays authenticated. */
  learn(headers: IncomingHeaders): void {
    if (String(headers['persistent-auth'] ?? '').toLowerCase() === 'false') this.setPerRequest();
  }

  /** The error of a server that wants no logons for a while. */
  get pause(): NtlmError | undefined {
    if (!isPaused(this.#pause?.retryAt ?? 0, this.#now())) this.#pause = undefined;
    return this.#pause;
  }

  /** Notes a response to a leg of a logon that asks the client to wait, and gives it as an error. */
  heed(status: number, headers: IncomingHeaders): NtlmError | undefined {
    const wait = retryAfter(status, headers, this.#now());
    if (wait === undefined) return undefined;
    this.#pause = throttled(status, this.#now() + wait);
    return this.#pause;
  }
}
