import { randomUUID } from 'node:crypto';
import { steadyNow } from '../model/steady-clock.ts';
import type { Credentials } from './client-codec.ts';
import { NtlmError, type RejectionCode } from './errors.ts';
import {
  type Carrier,
  current,
  type LogonMessage,
  type LogonRecord,
  MARGIN_MS,
  QUIET_MS,
  type Standing,
  standing,
  withGoodVerdict,
  withMessage,
  withoutMessage,
  withoutVerdict,
  withRejection,
} from './logon-budget.ts';
import { REJECTED_BEFORE, refusalOf } from './logon-refusal.ts';
import type { LogonStore } from './logon-store.ts';
import { createWaiters } from './waiters.ts';

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

/**
 * Controls every logon with one account. Neither a wrong or rotated password nor a server that does not answer can lock
 * the account: the logon budget limits the logons. There is one gate for each account and process. Processes share the
 * store.
 */
export interface CredentialGate {
  readonly credentials: Credentials;
  /** Increases when the credentials change. Connections of an earlier generation must no longer be used. */
  readonly generation: number;
  /** Whether the newest verdict of any process was good. `undefined` without a verdict, or if a good one is over 24 hours old. */
  readonly authenticated: boolean | undefined;
  /** When the next logon can be sent, epoch milliseconds of the steady clock; 0 if it can be sent now. */
  readonly retryAt: number;
  standing(): Standing;
  /** Why no logon can be sent now. `undefined` if one can be sent, or only waits for a verdict. */
  refusal(): NtlmError | undefined;
  /** Waits until a logon can be sent. @throws NtlmError as `refusal`, or the signal's reason */
  acquire(carrier: Carrier, signal: AbortSignal): Promise<Permit>;
  /** The path to the server was checked and works. */
  pathChecked(): void;
  /** An authenticated connection has served a request. */
  served(): void;
  /** Whether the cheapest call got a good verdict since this time, epoch milliseconds. */
  isProvenSince(time: number): boolean;
  /** Applies new credentials and limits. Returns whether the credentials differ. */
  reconfigure(credentials: Credentials, limits?: GateLimits): boolean;
}

/** How long a good verdict is valid, milliseconds. */
const PROVEN_MS = 24 * 3_600_000;

/** Interval of checks for a verdict that another process waits for, milliseconds. */
const CHECK_INTERVAL_MS = 250;

const isSame = (a: Credentials, b: Credentials): boolean =>
  a.username === b.username && a.domain === b.domain && a.workstation === b.workstation && a.password === b.password;

/** Lets logons of one account pass while they cannot lock it. Connections share it. */
export function createCredentialGate(options: CredentialGateOptions): CredentialGate {
  const now = options.now ?? steadyNow;
  const { store } = options;
  const waiters = createWaiters();
  let { credentials } = options;
  let limits: GateLimits = options;
  let generation = 0;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let cheapProvenAt = Number.NEGATIVE_INFINITY;
  let servedAt = Number.NEGATIVE_INFINITY;
  let rejectedBecause = REJECTED_BEFORE;
  /** Send time of the query whose verdict is pending in this process. */
  let querySentAt = Number.NEGATIVE_INFINITY;
  /** Ids of the messages whose verdict this process may still get. */
  const awaited = new Set<string>();

  const holdMs = (): number => limits.authRetrySeconds * 1000 + MARGIN_MS;
  /** If a logged-on connection was answered since, only the message was lost, and not the path. */
  const isAwaited = ({ id, sentAt }: LogonMessage): boolean => awaited.has(id) && servedAt <= sentAt;
  const standingOf = (known: LogonRecord): Standing =>
    standing(known, { now: now(), budget: limits.maxFailedLogons, holdMs: holdMs(), checkedAt, isAwaited });
  const read = (): LogonRecord => current(store.read(credentials), now());
  const change = (of: Credentials, next: (known: LogonRecord) => LogonRecord): void =>
    store.change(of, (before) => {
      const known = current(before, now());
      const after = next(known);
      return after === known ? before : after;
    });
  const currentStanding = (): Standing => standingOf(read());

  /** Whether this process waits for the verdict on a query that is not overdue. For the cheapest call, the record shows it. */
  const isQueryOpen = (): boolean => now() - querySentAt < QUIET_MS;

  /** Records a message before it is sent. Returns `undefined` if it must wait. @throws NtlmError when no logon can be sent */
  const register = (carrier: Carrier): LogonMessage | undefined => {
    const state = currentStanding();
    const refusal = refusalOf(state, rejectedBecause);
    if (refusal !== undefined) throw refusal;
    if (state.is === 'waiting' || (carrier === 'query' && isQueryOpen())) return undefined;
    const sentAt = now();
    const sent: Omit<LogonMessage, 'password'> = {
      id: randomUUID(),
      sentAt,
      countsUntil: sentAt + holdMs(),
      carrier,
      outcome: 'in_flight',
    };
    let message: LogonMessage | undefined;
    change(credentials, (known) => {
      message = standingOf(known).is === 'ready' ? { ...sent, password: known.password } : undefined;
      return message === undefined ? known : withMessage(known, message);
    });
    return message;
  };

  const createPermit = (sent: LogonMessage): Permit => {
    const { carrier, sentAt, id } = sent;
    const messageCredentials = credentials;
    const ownGeneration = generation;
    let open = true;
    awaited.add(id);
    /** Ends the permit once. The verdict counts for the credentials of the message, even if they were replaced since. */
    const end = (next: (record: LogonRecord) => LogonRecord): boolean => {
      if (!open) return false;
      open = false;
      awaited.delete(id);
      if (carrier === 'query' && querySentAt === sentAt) querySentAt = Number.NEGATIVE_INFINITY;
      change(messageCredentials, next);
      waiters.wake();
      return true;
    };
    return {
      credentials: messageCredentials,
      accepted: () => {
        if (!end((before) => withGoodVerdict(before, sent, now())) || ownGeneration !== generation) return;
        if (carrier === 'cheap') cheapProvenAt = now();
      },
      rejected: ({ code, message, remedy }) => {
        const retryAt = now() + holdMs();
        const error = new NtlmError(code, message, { retryAt, ...(remedy !== undefined && { remedy }) });
        end((before) => withRejection(before, sent, retryAt, now()));
        if (ownGeneration === generation) {
          servedAt = Number.NEGATIVE_INFINITY;
          rejectedBecause = error.message;
        }
        return error;
      },
      lost: () => void end((before) => withoutVerdict(before, id)),
      release: () => void end((before) => withoutMessage(before, id)),
    };
  };

  return {
    get credentials() {
      return credentials;
    },
    get generation() {
      return generation;
    },
    get authenticated() {
      const { password, verdicts } = read();
      const verdict = verdicts[password];
      if (verdict?.isGood === false) return false;
      const good = Math.max(verdict?.at ?? Number.NEGATIVE_INFINITY, servedAt);
      return now() - good < PROVEN_MS ? true : undefined;
    },
    get retryAt() {
      const state = currentStanding();
      if (state.is === 'suspended') return state.until;
      return state.is === 'unchecked' ? state.from : 0;
    },
    standing: () => currentStanding(),
    refusal: () => refusalOf(currentStanding(), rejectedBecause),
    acquire: async (carrier, signal) => {
      for (;;) {
        signal.throwIfAborted();
        const message = register(carrier);
        if (message !== undefined) {
          if (carrier === 'query') querySentAt = message.sentAt;
          return createPermit(message);
        }
        await waiters.wait(CHECK_INTERVAL_MS, signal);
      }
    },
    pathChecked: () => {
      checkedAt = now();
      waiters.wake();
    },
    served: () => {
      servedAt = now();
    },
    isProvenSince: (time) => cheapProvenAt >= time,
    reconfigure: (next, nextLimits) => {
      limits = nextLimits ?? limits;
      if (isSame(credentials, next)) return false;
      credentials = next;
      generation += 1;
      querySentAt = Number.NEGATIVE_INFINITY;
      checkedAt = Number.NEGATIVE_INFINITY;
      cheapProvenAt = Number.NEGATIVE_INFINITY;
      servedAt = Number.NEGATIVE_INFINITY;
      rejectedBecause = REJECTED_BEFORE;
      waiters.wake();
      return true;
    },
  };
}
