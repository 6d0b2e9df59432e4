/**
 * Limits how many AUTHENTICATE messages are sent for one account. Directories lock an account after a few rejected logons,
 * often three, and a message without a verdict may have been rejected. Each message therefore counts, with
 * any password, from before it is sent, until a good verdict:
 *
 * | since the last good verdict | the next message |
 * | --- | --- |
 * | nothing was sent | at once |
 * | a message was sent less than 30 s ago and has no verdict yet | waits for the verdict |
 * | messages without verdict, fewer than the budget | 30 s after the last one, if a check of the path succeeds; 3 min after it while this process still waits for its verdict and no logged-on connection was answered since |
 * | a message with another password was rejected, fewer than the budget | at once |
 * | messages without verdict or with other passwords, as many as the budget | when the last one stops counting, or one gets a good verdict |
 * | a message with this password was rejected for the first time, and the password was proven within 24 h before, later than any other | 60 s after the rejection, if fewer messages than the budget were rejected |
 * | a message with this password was rejected otherwise | when the last message stops counting |
 * | as many messages as the budget were rejected, even before the good verdict, and this password is not proven or one of them was sent with it | when fewer of them count |
 * | the file of the record was lost or cannot be used | when what it may have contained stops counting |
 *
 * A good verdict, also on another password, clears what was sent at least 30 s before the accepted message: a message reaches the
 * directory within that time, or never, and directories reset their count at a good logon. A server that restarts, or cannot
 * reach its directory, can answer 401 to the right password: one rejection of a proven password is not yet a wrong password.
 * Messages stop counting `auth_retry` + 1 min after the last one was sent. Times are epoch milliseconds of the steady clock.
 */

/** What carries a message: the cheapest call of the API, or the query itself if a logon is valid for one request only. */
export type Carrier = 'cheap' | 'query';

/** An AUTHENTICATE message that counts. */
export interface LogonMessage {
  readonly id: string;
  /** Stands for the password that it was sent with. */
  readonly password: string;
  readonly sentAt: number;
  /** When it stops counting, unless another message is sent before. */
  readonly countsUntil: number;
  readonly carrier: Carrier;
  readonly outcome: 'in_flight' | 'no_verdict' | 'rejected';
  /**
   * Whether a password was accepted since. A rejected message then stops its own password, unless that one was accepted, and
   * counts for passwords that are not proven and for its own.
   */
  readonly isReset?: true;
}

/** A verdict, and when it came. */
export interface Verdict {
  readonly isGood: boolean;
  readonly at: number;
  /** When the password was last known to be right, if after a good verdict, or before the first rejection since one. */
  readonly provenAt?: number;
}

/** The logons of an account, as a process with one of its passwords sees them. */
export interface LogonRecord {
  /** Stands for the password of that process. */
  readonly password: string;
  /** With any password, in the order in which they were sent. */
  readonly messages: readonly LogonMessage[];
  /** The newest verdict on each password. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** Messages that were sent until then may be missing. */
  readonly incompleteUntil?: number;
}

/** Whether a message can be sent now, and if not, when. */
export type Standing =
  | { readonly is: 'ready' }
  /** A verdict is expected soon. */
  | { readonly is: 'waiting' }
  /** From this time on, if a check of the path succeeds. */
  | { readonly is: 'unchecked'; readonly from: number }
  | { readonly is: 'suspended'; readonly until: number; readonly because: SuspensionReason };

/**
 * `unconfirmed`: a proven password was rejected once, and is tried once more. `rejected_and_spent`: rejected, and the account has no
 * message left for another password. `spent`: messages without verdict, or with other passwords. `not_recorded`: earlier
 * messages may be missing in the record.
 */
export type SuspensionReason = 'unconfirmed' | 'rejected' | 'rejected_and_spent' | 'spent' | 'not_recorded';

/** How long a message without a verdict delays the next one, milliseconds. */
export const QUIET_MS = 30_000;

/**
 * How long a message delays the next one while its verdict may still come, milliseconds. If a server answers NEGOTIATE
 * but not the logon, its backend hangs, and another logon would hang too. Both would be lost if the server is restarted.
 */
const PENDING_MS = 180_000;

/** How long a password is proven, milliseconds. */
export const PROVEN_MS = 24 * 3_600_000;

/** How long after its rejection a proven password is tried once more, milliseconds. */
const CONFIRM_MS = 60_000;

/** Timeout of a verdict, milliseconds. */
export const VERDICT_MS = 10 * 60_000;

/** Added to the hold, because directories count from when they received the last message, milliseconds. */
export const MARGIN_MS = 60_000;

/** When the last of the messages stops counting. */
const endOf = (messages: readonly LogonMessage[]): number =>
  Math.max(...messages.map((message) => message.countsUntil));

const isCounted = ({ isReset }: LogonMessage): boolean => isReset !== true;

/** When a password was last known to be right: it was accepted, or a connection that is logged on with it was answered. */
export const provenAt = (verdict: Verdict | undefined): number =>
  verdict?.provenAt ?? (verdict?.isGood === true ? verdict.at : Number.NEGATIVE_INFINITY);

/** The record without messages that no longer count. */
export function current(record: LogonRecord, now: number): LogonRecord {
  const messages = record.messages.map((message) =>
    message.outcome === 'in_flight' && now - message.sentAt >= VERDICT_MS
      ? { ...message, outcome: 'no_verdict' as const }
      : message,
  );
  const end = endOf(messages.filter(isCounted));
  return { ...record, messages: messages.filter((message) => now < (isCounted(message) ? end : message.countsUntil)) };
}

/** The limits and the moment for which the messages of an account are counted. */
export interface StandingOptions {
  readonly now: number;
  /** Maximum number of messages that count. */
  readonly budget: number;
  /** How long a message counts, milliseconds. */
  readonly holdMs: number;
  /** When a check of the path last succeeded. */
  readonly checkedAt: number;
  /** Whether this process still waits for the verdict on a message, and nothing shows that the path is well. */
  isAwaited(message: LogonMessage): boolean;
}

/**
 * When a rejected password is tried once more; `undefined` if it is not. It was proven within 24 hours before, not rejected
 * since, and no other one was proven later: that would be its successor.
 *
 * @param own the rejected messages with this password
 */
function secondTryAt({ password, verdicts }: LogonRecord, own: readonly LogonMessage[]): number | undefined {
  const [rejected] = own;
  const verdict = verdicts[password];
  if (rejected === undefined || own.length > 1 || verdict === undefined) return undefined;
  const proven = provenAt(verdict);
  const isNewest = Object.values(verdicts).every((other) => provenAt(other) <= proven);
  if (!isNewest || verdict.at - proven >= PROVEN_MS) return undefined;
  return Math.max(verdict.at, rejected.sentAt) + CONFIRM_MS;
}

/**
 * Whether a message can be sent. After a verdict, an earlier message without a verdict no longer delays others, but still
 * counts: the path is well.
 *
 * @param record the result of `current`
 */
export function standing(record: LogonRecord, options: StandingOptions): Standing {
  const { now, budget, holdMs, checkedAt, isAwaited } = options;
  const { messages, password, verdicts, incompleteUntil = Number.NEGATIVE_INFINITY } = record;
  const counted = messages.filter(isCounted);
  const bad = messages.filter(({ outcome }) => outcome === 'rejected');
  const own = bad.filter((message) => message.password === password);
  const isAccepted = verdicts[password]?.isGood === true;
  const rejected = own.filter((message) => isCounted(message) || !isAccepted);
  const until = endOf([...counted, ...rejected]);
  const isSpent = Math.max(counted.length, bad.length) >= budget;
  const retryAt = rejected.length > 0 && bad.length < budget ? secondTryAt(record, own) : undefined;
  if (rejected.length > 0 && retryAt === undefined) {
    return { is: 'suspended', until, because: isSpent ? 'rejected_and_spent' : 'rejected' };
  }
  const isRecent = ({ outcome, sentAt }: LogonMessage): boolean => outcome === 'in_flight' && now - sentAt < QUIET_MS;
  if (counted.length >= budget) {
    return counted.some(isRecent) ? { is: 'waiting' } : { is: 'suspended', until, because: 'spent' };
  }
  if (bad.length >= budget && !(isAccepted && own.length === 0)) {
    const ends = bad.map((message) => message.countsUntil).toSorted((a, b) => b - a);
    return { is: 'suspended', until: ends[budget - 1] ?? until, because: 'spent' };
  }
  if (retryAt !== undefined && now < retryAt) return { is: 'suspended', until: retryAt, because: 'unconfirmed' };
  const complete = incompleteUntil + holdMs;
  if (now < complete) return { is: 'suspended', until: Math.max(complete, until), because: 'not_recorded' };
  // a query may be slow, and its credentials were proven just before it
  const open = counted.filter(({ carrier, outcome }) =>
    outcome === 'in_flight' ? carrier === 'cheap' : outcome === 'no_verdict',
  );
  const newest = open.at(-1);
  if (newest === undefined) return { is: 'ready' };
  if (Object.values(verdicts).some(({ at }) => at > newest.sentAt)) return { is: 'ready' };
  if (isRecent(newest)) return { is: 'waiting' };
  const from = newest.sentAt + (isAwaited(newest) ? PENDING_MS : QUIET_MS);
  return checkedAt >= from ? { is: 'ready' } : { is: 'unchecked', from };
}

/** The record with one more message that was sent and has no verdict yet. */
export const withMessage = (record: LogonRecord, message: LogonMessage): LogonRecord => ({
  ...record,
  messages: [...record.messages, message],
});

/** Removes a message that was not sent, or is known not to be a failure. */
export const withoutMessage = (record: LogonRecord, id: string): LogonRecord => ({
  ...record,
  messages: record.messages.filter((message) => message.id !== id),
});

const withVerdict = (record: LogonRecord, password: string, verdict: Verdict): LogonRecord['verdicts'] => ({
  ...record.verdicts,
  [password]: verdict,
});

/**
 * After a good verdict, only messages that may reach the directory after the accepted one count: those that were sent less
 * than 30 s before it, or later.
 */
export function withGoodVerdict(record: LogonRecord, accepted: LogonMessage, now: number): LogonRecord {
  const since = accepted.sentAt - QUIET_MS;
  const isOlder = ({ id, sentAt }: LogonMessage): boolean => id === accepted.id || sentAt <= since;
  return {
    ...record,
    messages: record.messages.flatMap((message) => {
      if (!isOlder(message)) return message;
      return message.outcome === 'rejected' ? { ...message, isReset: true as const } : [];
    }),
    verdicts: withVerdict(record, accepted.password, { isGood: true, at: now }),
  };
}

/** The verdict on a message will not come. */
export const withoutVerdict = (record: LogonRecord, id: string): LogonRecord => ({
  ...record,
  messages: record.messages.map((message) => (message.id === id ? { ...message, outcome: 'no_verdict' } : message)),
});

/** A connection that is logged on with the password of this process was answered. */
export function withService(record: LogonRecord, now: number): LogonRecord {
  const { password, verdicts } = record;
  const verdict = verdicts[password];
  if (verdict?.isGood !== true) return record;
  return { ...record, verdicts: withVerdict(record, password, { ...verdict, provenAt: now }) };
}

/** How a message was rejected. Times are those of the steady clock. */
export interface RejectionTimes {
  readonly now: number;
  readonly countsUntil: number;
  /** When a connection that is logged on with the password was last answered. */
  readonly servedAt: number;
}

/** The message was rejected. It counts from the time of the verdict, which may have come late. */
export function withRejection(
  record: LogonRecord,
  rejected: LogonMessage,
  { now, countsUntil, servedAt }: RejectionTimes,
): LogonRecord {
  const before = record.verdicts[rejected.password];
  const proven = before?.isGood === true ? { provenAt: Math.max(provenAt(before), servedAt) } : {};
  return {
    ...record,
    messages: [
      ...record.messages.filter(({ id }) => id !== rejected.id),
      { ...rejected, countsUntil, outcome: 'rejected' as const },
    ],
    verdicts: withVerdict(record, rejected.password, { isGood: false, at: now, ...proven }),
  };
}
