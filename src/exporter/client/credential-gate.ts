import { randomUUID } from 'node:crypto';
import { steadyNow, toWall } from '../../base/model/steady-clock.ts';
import type { Credentials } from '../../base/ntlm/client-codec.ts';
import { NtlmError, type RejectionCode } from '../../base/ntlm/errors.ts';
import {
  type Carrier,
  current,
  type LogonMessage,
  type LogonRecord,
  MARGIN_MS,
  PROVEN_MS,
  provenAt,
  QUIET_MS,
  type Standing,
  type SuspensionReason,
  standing,
  withGoodVerdict,
  withMessage,
  withoutMessage,
  withoutVerdict,
  withRejection,
  withService,
} from './logon-budget.ts';

/** Stores the record of an account's logons. All processes that log on with the account share it. */
export interface LogonStore {
  /** The record of the account, as a process with these credentials sees it. Never throws. */
  read(credentials: Credentials): LogonRecord;
  /** Changes the record atomically. Never throws, but if it cannot be stored, the record that is changed is incomplete. */
  change(credentials: Credentials, change: (record: LogonRecord) => LogonRecord): void;
}

/** The account, as directories compare it. */
export const accountOf = ({ domain, username }: Credentials): string => `${domain}\\${username}`.toLowerCase();

/** A store for this process only. */
export function createMemoryStore(): LogonStore {
  const records = new Map<string, LogonRecord>();
  const read = (credentials: Credentials): LogonRecord => ({
    ...(records.get(accountOf(credentials)) ?? { messages: [], verdicts: {} }),
    password: credentials.password,
  });
  return {
    read,
    change: (credentials, change) => void records.set(accountOf(credentials), change(read(credentials))),
  };
}

const iso = (steady: number): string => new Date(toWall(steady)).toISOString();

/** Why credentials were rejected, if another process got the rejection. */
const REJECTED_BEFORE =
  'an earlier logon with these credentials was rejected: wrong password, locked or disabled account, a policy that denies the logon, or a reverse proxy in between that does not keep one connection for each client';

/** Why no logon is sent until a time, as the end of a sentence that begins with the time. */
const suspensions: Readonly<Record<SuspensionReason, (rejectedBecause: string) => string>> = {
  unconfirmed: (rejectedBecause) =>
    `or until the credentials change. The password was accepted within 24 hours before it was rejected, and is tried once more: ${rejectedBecause}`,
  rejected: (rejectedBecause) => `or until the credentials change: ${rejectedBecause}`,
  rejected_and_spent: (rejectedBecause) =>
    `and a corrected password may wait as long, because analyzer.max_failed_logons logons of the account were rejected or got no verdict: ${rejectedBecause}`,
  spent: () =>
    'or until an earlier one is accepted: analyzer.max_failed_logons logons of the account, with any password, were rejected or got no verdict',
  not_recorded: () =>
    'because the logon file was lost or cannot be used: logons that it may have counted, and one more, could lock the account',
};

/**
 * Why no logon can be sent now. `undefined` if one can be sent, or only waits for a verdict.
 *
 * @param rejectedBecause the most likely cause of the last rejection
 */
export function refusalOf(state: Standing, rejectedBecause: string): NtlmError | undefined {
  if (state.is === 'suspended') {
    const message = `no logon is sent until ${iso(state.until)}, ${suspensions[state.because](rejectedBecause)}`;
    const code = state.because === 'not_recorded' ? 'NTLM_LOGON_NOT_KEPT' : 'NTLM_CREDENTIALS_SUSPENDED';
    return new NtlmError(code, message, { retryAt: state.until });
  }
  if (state.is === 'unchecked') {
    const message = `no logon is sent: the last one got no verdict; the next one is sent after ${iso(state.from)}, once the analyzer answers again`;
    return new NtlmError('NTLM_PATH_UNCHECKED', message, { retryAt: state.from });
  }
  return undefined;
}

/** Lets several callers wait for the same event. */
export interface Waiters {
  /** Resolves when woken, when the signal is aborted, or after `ms` milliseconds. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  wake(): void;
}

/** Waiters of which none waits yet. */
function createWaiters(): Waiters {
  const waiting = new Set<() => void>();
  return {
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      }),
    wake: () => {
      for (const done of [...waiting]) done();
    },
  };
}

/** How many logons may fail before none is sent any more, and for how long. */
export interface GateLimits {
  /** How long no logon is sent after a rejected one. A minute is added, because directories count from the last one. */
  readonly authRetrySeconds: number;
  /** Maximum number of messages that were rejected or have no verdict. */
  readonly maxFailedLogons: number;
}

/** The account, and where its logons are counted. */
export interface CredentialGateOptions extends GateLimits {
  readonly credentials: Credentials;
  readonly store: LogonStore;
  /** Epoch milliseconds of a clock that is never set. */
  readonly now?: () => number;
}

/** The most likely cause of a rejected logon. */
export interface Rejection {
  readonly code: RejectionCode;
  /** One line. */
  readonly message: string;
  readonly remedy?: string;
}

/** The right to send one AUTHENTICATE message. The first call of a method ends it; later calls are ignored. */
export interface Permit {
  /** The credentials for the message. Those of the gate may have changed since. */
  readonly credentials: Credentials;
  /** A good verdict. */
  accepted(): void;
  /** The server answered 401 to the message. Returns the error to report. */
  rejected(rejection: Rejection): NtlmError;
  /** The message was sent, but its verdict will not come. The server may have counted it as a failure. */
  lost(): void;
  /** The message was not sent, or the credentials were proven just before it or since. */
  release(): void;
}

/** How often it is recorded that connections still serve requests, milliseconds: an earlier process may have logged them on. */
const NOTE_MS = 3_600_000;

/** Interval of checks for a verdict that another process waits for, milliseconds. */
const CHECK_INTERVAL_MS = 250;

const isSame = (a: Credentials, b: Credentials): boolean =>
  a.username === b.username && a.domain === b.domain && a.workstation === b.workstation && a.password === b.password;

/**
 * Controls every logon with one account. Neither a wrong or rotated password nor a server that does not answer can lock
 * the account: the logon budget limits the logons. There is one gate for each account and process, which connections share.
 * Processes share the store.
 */
export class CredentialGate {
  readonly #now: () => number;
  readonly #store: LogonStore;
  readonly #waiters = createWaiters();
  #credentials: Credentials;
  #limits: GateLimits;
  #generation = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #cheapProvenAt = Number.NEGATIVE_INFINITY;
  #servedAt = Number.NEGATIVE_INFINITY;
  /** When the record was last told that the password is right. */
  #notedAt = Number.NEGATIVE_INFINITY;
  #rejectedBecause = REJECTED_BEFORE;
  /** Send time of the query whose verdict is pending in this process. */
  #querySentAt = Number.NEGATIVE_INFINITY;
  /** Ids of the messages whose verdict this process may still get. */
  readonly #awaited = new Set<string>();

  constructor({ now = steadyNow, store, credentials, ...limits }: CredentialGateOptions) {
    this.#now = now;
    this.#store = store;
    this.#credentials = credentials;
    this.#limits = limits;
  }

  get credentials(): Credentials {
    return this.#credentials;
  }

  /** Increases when the credentials change. Connections of an earlier generation must no longer be used. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the newest verdict of any process was good. `undefined` without a verdict, or if a good one is over 24 hours old. */
  get authenticated(): boolean | undefined {
    const { password, verdicts } = this.#read();
    const verdict = verdicts[password];
    if (verdict?.isGood === false) return false;
    return this.#now() - Math.max(provenAt(verdict), this.#servedAt) < PROVEN_MS ? true : undefined;
  }

  /** When the next logon can be sent, epoch milliseconds of the steady clock; 0 if it can be sent now. */
  get retryAt(): number {
    const state = this.standing();
    if (state.is === 'suspended') return state.until;
    return state.is === 'unchecked' ? state.from : 0;
  }

  /** Whether the password was rejected once, and is tried once more because it was accepted before. */
  get isUnconfirmed(): boolean {
    const state = this.standing();
    return state.is === 'suspended' && state.because === 'unconfirmed';
  }

  standing(): Standing {
    return this.#standingOf(this.#read());
  }

  /** Why no logon can be sent now. `undefined` if one can be sent, or only waits for a verdict. */
  refusal(): NtlmError | undefined {
    return refusalOf(this.standing(), this.#rejectedBecause);
  }

  /** Waits until a logon can be sent. @throws NtlmError as `refusal`, or the signal's reason */
  async acquire(carrier: Carrier, signal: AbortSignal): Promise<Permit> {
    for (;;) {
      signal.throwIfAborted();
      const message = this.#register(carrier);
      if (message !== undefined) {
        if (carrier === 'query') this.#querySentAt = message.sentAt;
        return this.#createPermit(message);
      }
      await this.#waiters.wait(CHECK_INTERVAL_MS, signal);
    }
  }

  /** The path to the server was checked and works. */
  pathChecked(): void {
    this.#checkedAt = this.#now();
    this.#waiters.wake();
  }

  /** An authenticated connection has served a request. */
  served(): void {
    const now = this.#now();
    this.#servedAt = now;
    if (now - this.#notedAt < NOTE_MS) return;
    this.#notedAt = now;
    this.#change(this.#credentials, (known) => withService(known, now));
  }

  /** Whether the cheapest call got a good verdict since this time, epoch milliseconds. */
  isProvenSince(time: number): boolean {
    return this.#cheapProvenAt >= time;
  }

  /** Applies new credentials and limits. Returns whether the credentials differ. */
  reconfigure(credentials: Credentials, limits: GateLimits = this.#limits): boolean {
    this.#limits = limits;
    if (isSame(this.#credentials, credentials)) return false;
    this.#credentials = credentials;
    this.#generation += 1;
    this.#querySentAt = Number.NEGATIVE_INFINITY;
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#cheapProvenAt = Number.NEGATIVE_INFINITY;
    this.#servedAt = Number.NEGATIVE_INFINITY;
    this.#notedAt = Number.NEGATIVE_INFINITY;
    this.#rejectedBecause = REJECTED_BEFORE;
    this.#waiters.wake();
    return true;
  }

  #holdMs(): number {
    return this.#limits.authRetrySeconds * 1000 + MARGIN_MS;
  }

  #standingOf(known: LogonRecord): Standing {
    return standing(known, {
      now: this.#now(),
      budget: this.#limits.maxFailedLogons,
      holdMs: this.#holdMs(),
      checkedAt: this.#checkedAt,
      // if a logged-on connection was answered since, only the message was lost, and not the path
      isAwaited: ({ id, sentAt }) => this.#awaited.has(id) && this.#servedAt <= sentAt,
    });
  }

  #read(of: Credentials = this.#credentials): LogonRecord {
    return current(this.#store.read(of), this.#now());
  }

  #change(of: Credentials, next: (known: LogonRecord) => LogonRecord): void {
    this.#store.change(of, (before) => {
      const known = current(before, this.#now());
      const after = next(known);
      return after === known ? before : after;
    });
  }

  /** Whether this process waits for the verdict on a query that is not overdue. For the cheapest call, the record shows it. */
  #isQueryOpen(): boolean {
    return this.#now() - this.#querySentAt < QUIET_MS;
  }

  /** Records a message before it is sent. Returns `undefined` if it must wait. @throws NtlmError when no logon can be sent */
  #register(carrier: Carrier): LogonMessage | undefined {
    const state = this.standing();
    const refusal = refusalOf(state, this.#rejectedBecause);
    if (refusal !== undefined) throw refusal;
    if (state.is === 'waiting' || (carrier === 'query' && this.#isQueryOpen())) return undefined;
    const sentAt = this.#now();
    const sent: Omit<LogonMessage, 'password'> = {
      id: randomUUID(),
      sentAt,
      countsUntil: sentAt + this.#holdMs(),
      carrier,
      outcome: 'in_flight',
    };
    let message: LogonMessage | undefined;
    this.#change(this.#credentials, (known) => {
      message = this.#standingOf(known).is === 'ready' ? { ...sent, password: known.password } : undefined;
      return message === undefined ? known : withMessage(known, message);
    });
    return message;
  }

  #createPermit(sent: LogonMessage): Permit {
    const { carrier, sentAt, id } = sent;
    const credentials = this.#credentials;
    const generation = this.#generation;
    let open = true;
    this.#awaited.add(id);
    /** Ends the permit once. The verdict counts for the credentials of the message, even if they were replaced since. */
    const end = (next: (record: LogonRecord) => LogonRecord): boolean => {
      if (!open) return false;
      open = false;
      this.#awaited.delete(id);
      if (carrier === 'query' && this.#querySentAt === sentAt) this.#querySentAt = Number.NEGATIVE_INFINITY;
      this.#change(credentials, next);
      this.#waiters.wake();
      return true;
    };
    return {
      credentials,
      accepted: () => {
        const isEnded = end((before) => withGoodVerdict(before, sent, this.#now()));
        if (!isEnded || generation !== this.#generation) return;
        this.#notedAt = this.#now();
        if (carrier === 'cheap') this.#cheapProvenAt = this.#now();
      },
      rejected: ({ code, message, remedy }) => {
        const now = this.#now();
        const isCurrent = generation === this.#generation;
        const servedAt = isCurrent ? this.#servedAt : Number.NEGATIVE_INFINITY;
        end((before) => withRejection(before, sent, { now, countsUntil: now + this.#holdMs(), servedAt }));
        const state = this.#standingOf(this.#read(credentials));
        const retryAt = state.is === 'suspended' ? state.until : now;
        const error = new NtlmError(code, message, { retryAt, ...(remedy !== undefined && { remedy }) });
        if (isCurrent) {
          this.#servedAt = Number.NEGATIVE_INFINITY;
          this.#rejectedBecause = error.message;
        }
        return error;
      },
      lost: () => void end((before) => withoutVerdict(before, id)),
      release: () => void end((before) => withoutMessage(before, id)),
    };
  }
}
