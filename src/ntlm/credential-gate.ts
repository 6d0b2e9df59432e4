import type { Credentials } from './client-codec.ts';
import { NtlmError } from './errors.ts';

/** A time during which no logon may be sent. Epoch milliseconds. */
export interface Hold {
  readonly since: number;
  readonly retryAt: number;
}

/** Keeps a hold across restarts, bound to the credentials it came from. */
export interface HoldStore {
  load(credentials: Credentials): Hold | undefined;
  save(credentials: Credentials, hold: Hold | undefined): void;
}

export interface CredentialGateOptions {
  readonly credentials: Credentials;
  /** How long nothing is sent after a rejected logon. */
  readonly holdSeconds: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly store?: HoldStore;
}

/** The right to log on once. Exactly one of the methods ends it; what comes after the first is ignored. */
export interface Permit {
  /** The server accepted the AUTHENTICATE message. */
  accepted(): void;
  /** The server answered 401 to the AUTHENTICATE message. Returns the error to report. */
  rejected(): NtlmError;
  /** The AUTHENTICATE message was sent, but no verdict came: the server may have counted it as a failure. */
  lost(): void;
  /** No AUTHENTICATE message was sent. `asked`: whether the server wanted a logon, where that is known. */
  release(asked?: boolean): void;
}

/**
 * Stands before every logon with one account, so that a wrong or rotated password cannot lock it: at most one
 * AUTHENTICATE message without verdict at any time, nothing at all for a while after a rejected one, and at most two
 * without verdict in that while. One gate per account and process, shared by everything that logs on with it.
 */
export interface CredentialGate {
  readonly credentials: Credentials;
  /** Rises when the credentials change: connections authenticated before must not be used any more. */
  readonly generation: number;
  readonly state: 'unknown' | 'open' | 'proven' | 'rejected';
  /** Whether the last verdict was good; `undefined` before the first one. */
  readonly authenticated: boolean | undefined;
  /** Epoch milliseconds, 0 without a hold. */
  readonly retryAt: number;
  /** @throws NtlmError `NTLM_CREDENTIALS_SUSPENDED` during a hold */
  check(): void;
  /** Waits for the turn to log on. @throws NtlmError as `check`, and the signal's reason */
  acquire(signal: AbortSignal): Promise<Permit>;
  /** Takes new credentials over; a hold ends only when they differ. Returns whether they do. */
  resetCredentials(credentials: Credentials): boolean;
}

const MAX_LOST = 2;

const isSame = (a: Credentials, b: Credentials): boolean =>
  a.username === b.username && a.domain === b.domain && a.password === b.password;

export function createCredentialGate(options: CredentialGateOptions): CredentialGate {
  const now = options.now ?? Date.now;
  const holdMs = options.holdSeconds * 1000;
  let credentials = options.credentials;
  let generation = 0;
  let state: 'unknown' | 'open' | 'proven' | 'rejected' = 'unknown';
  let authenticated: boolean | undefined;
  let hold = options.store?.load(credentials);
  /** When messages without verdict were sent, epoch milliseconds. */
  let lost: number[] = [];
  let busy = false;
  let waiting: (() => void)[] = [];
  if (hold !== undefined && hold.retryAt > now()) {
    state = 'rejected';
    authenticated = false;
  } else {
    hold = undefined;
  }

  const suspend = (): void => {
    hold = { since: now(), retryAt: now() + holdMs };
    options.store?.save(credentials, hold);
  };

  const endHold = (): void => {
    if (hold === undefined) return;
    hold = undefined;
    options.store?.save(credentials, undefined);
  };

  const expire = (): void => {
    if (lost.length > 0) lost = lost.filter((at) => at > now() - holdMs);
    if (hold === undefined || now() < hold.retryAt) return;
    endHold();
    lost = [];
    state = 'unknown';
  };

  const check = (): void => {
    expire();
    if (hold === undefined) return;
    const until = new Date(hold.retryAt).toISOString();
    throw new NtlmError(
      'NTLM_CREDENTIALS_SUSPENDED',
      `nothing is sent until ${until}, or until the credentials change, because an earlier logon was not accepted`,
      { retryAt: hold.retryAt },
    );
  };

  const passOn = (): void => {
    busy = false;
    const next = waiting;
    waiting = [];
    // all of them look again: the verdict may have suspended them
    for (const wake of next) wake();
  };

  const createPermit = (): Permit => {
    const mine = generation;
    let open = true;
    /** Ends the permit once; a verdict on credentials that were replaced meanwhile says nothing about the new ones. */
    const end = (effect: () => void): void => {
      if (!open) return;
      open = false;
      if (mine === generation) effect();
      passOn();
    };
    return {
      accepted: () =>
        end(() => {
          state = 'proven';
          authenticated = true;
          lost = [];
          endHold();
        }),
      rejected: () => {
        end(() => {
          state = 'rejected';
          authenticated = false;
          suspend();
        });
        return new NtlmError(
          'NTLM_CREDENTIALS_REJECTED',
          'the analyzer rejected the logon: wrong password, locked or disabled account, or a policy against it',
          { retryAt: now() + holdMs },
        );
      },
      lost: () =>
        end(() => {
          lost = [...lost, now()];
          if (lost.length >= MAX_LOST) suspend();
        }),
      release: (asked) =>
        end(() => {
          if (asked === false && state === 'unknown') state = 'open';
        }),
    };
  };

  const turn = async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  };

  return {
    get credentials() {
      return credentials;
    },
    get generation() {
      return generation;
    },
    get state() {
      expire();
      return state;
    },
    get authenticated() {
      return authenticated;
    },
    get retryAt() {
      expire();
      return hold?.retryAt ?? 0;
    },
    check,
    acquire: async (signal) => {
      signal.throwIfAborted();
      check();
      while (busy) {
        await turn(signal);
        signal.throwIfAborted();
        check();
      }
      busy = true;
      return createPermit();
    },
    resetCredentials: (next) => {
      if (isSame(credentials, next)) return false;
      endHold();
      credentials = next;
      generation += 1;
      state = 'unknown';
      authenticated = undefined;
      lost = [];
      return true;
    },
  };
}
