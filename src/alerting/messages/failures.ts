import type { Log } from '../../base/model/log.ts';

/** Failures of one receiver: when to try again, and what to log. Times are epoch seconds. */

/** Why messages of a receiver are not delivered, and since when. Epoch seconds. */
export interface Failure {
  readonly since: number;
  /** One line, without secrets. */
  readonly reason: string;
  readonly attempts: number;
  readonly retryAt: number;
}

/** A failure with whether the log has it: one line for the receiver is enough. */
type Logged = Failure & { readonly isLogged: boolean };

/** Seconds. A message that is refused for what it says is tried less often than a receiver that cannot be reached. */
const FIRST_RETRY = 1;
const LAST_RETRY = 30;
const LAST_RETRY_OF_MESSAGE = 300;

/** The failures of one receiver, for the log, pages and /metrics. */
export interface Failures {
  /** Of the receiver as a whole, or else of a message. */
  current(): Failure | undefined;
  /** When a message can be tried. @param key what it is about */
  retryAt(key: string): number;
  hasFailed(key: string): boolean;
  /** Notes that the receiver as a whole does not accept messages. */
  fail(at: number, reason: string): void;
  /** Notes that one message is not accepted. */
  failMessage(key: string, at: number, reason: string): void;
  /** Notes that the receiver works. */
  work(): void;
  /** Notes that a message was accepted. */
  settle(key: string): void;
  /** Drops messages that are not needed any more. */
  forget(isNeeded: (key: string) => boolean): void;
}

const next = (before: Failure | undefined, at: number, reason: string, lastRetry: number): Failure => {
  const attempts = (before?.attempts ?? 0) + 1;
  const retryAt = at + Math.min(lastRetry, FIRST_RETRY * 2 ** Math.min(attempts - 1, 20));
  return { since: before?.since ?? at, reason, attempts, retryAt };
};

/** Logs one line when deliveries begin to fail, and one when they work again. */
export function createFailures(receiver: string, target: string, log: Log): Failures {
  let ofReceiver: Failure | undefined;
  const ofMessages = new Map<string, Logged>();

  return {
    current: () => ofReceiver ?? ofMessages.values().next().value,
    retryAt: (key) => Math.max(ofReceiver?.retryAt ?? 0, ofMessages.get(key)?.retryAt ?? 0),
    hasFailed: (key) => ofMessages.has(key),
    fail: (at, reason) => {
      if (ofReceiver === undefined) log.warn({ receiver, target, reason }, 'messages not delivered');
      ofReceiver = next(ofReceiver, at, reason, LAST_RETRY);
    },
    failMessage: (key, at, reason) => {
      const before = ofMessages.get(key);
      const isNew = before === undefined && ofReceiver === undefined;
      if (isNew) log.warn({ receiver, target, message: key, reason }, 'message not delivered');
      ofMessages.set(key, { ...next(before, at, reason, LAST_RETRY_OF_MESSAGE), isLogged: before?.isLogged ?? isNew });
    },
    work: () => {
      if (ofReceiver !== undefined) log.info({ receiver, target }, 'messages are delivered again');
      ofReceiver = undefined;
    },
    settle: (key) => {
      if (ofMessages.get(key)?.isLogged) log.info({ receiver, target, message: key }, 'message is delivered');
      ofMessages.delete(key);
    },
    forget: (isNeeded) => {
      for (const key of ofMessages.keys()) if (!isNeeded(key)) ofMessages.delete(key);
    },
  };
}
