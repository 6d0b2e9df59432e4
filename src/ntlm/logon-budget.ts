/**
 * Limits how many AUTHENTICATE messages are sent with one password. Directories lock an account after a few rejected
 * logons, often three, and a message without a verdict may have been rejected. Each message therefore counts, from
 * before it is sent, until a good verdict:
 *
 * | since the last good verdict | the next message |
 * | --- | --- |
 * | nothing was sent | at once |
 * | a message was sent less than 30 s ago and has no verdict yet | waits for the verdict |
 * | messages without verdict, fewer than the budget | 30 s after the last one, if a check of the path succeeds; 3 min after it while this process still waits for its verdict and no logged-on connection was answered since |
 * | messages without verdict, as many as the budget | when the last one stops counting, or one gets a good verdict |
 * | a rejected message | when the last message stops counting |
 *
 * A good verdict clears what was sent at least 30 s before the accepted message: a message reaches the directory within that
 * time, or never. Messages stop counting `auth_retry` + 1 min after the last one was sent. Other credentials have a separate record.
 */

/** What carries a message: the cheapest call of the API, or the query itself if a logon is valid for one request only. */
export type Carrier = 'cheap' | 'query';

/** An AUTHENTICATE message that counts. Times are epoch milliseconds. */
export interface LogonMessage {
  readonly id: string;
  readonly sentAt: number;
  /** When it stops counting, unless another message is sent before. */
  readonly countsUntil: number;
  readonly carrier: Carrier;
  readonly outcome: 'in_flight' | 'no_verdict' | 'rejected';
}

/** The logons with one password, oldest first. */
export interface LogonRecord {
  readonly messages: readonly LogonMessage[];
  /** The newest verdict and when it came, epoch milliseconds. */
  readonly verdict?: { readonly isGood: boolean; readonly at: number };
}

export const emptyRecord: LogonRecord = { messages: [] };

/** Whether a message can be sent now, and if not, when. Times are epoch milliseconds. */
export type Standing =
  | { readonly is: 'ready' }
  /** A verdict is expected soon. */
  | { readonly is: 'waiting' }
  /** From this time on, if a check of the path succeeds. */
  | { readonly is: 'unchecked'; readonly from: number }
  | { readonly is: 'suspended'; readonly until: number; readonly because: 'rejected' | 'no_verdict' };

/** How long a message without a verdict delays the next one, milliseconds. */
export const QUIET_MS = 30_000;

/**
 * How long a message delays the next one while its verdict may still come, milliseconds. If a server answers NEGOTIATE
 * but not the logon, its backend hangs, and another logon would hang too. Both would be lost if the server is restarted.
 */
const PENDING_MS = 180_000;

/** Timeout of a verdict, milliseconds. */
export const VERDICT_MS = 10 * 60_000;

/** Added to the hold, because directories count from when they received the last message, milliseconds. */
export const MARGIN_MS = 60_000;

/** The record without messages that no longer count. If the clock was set back, messages do not count longer. */
export function current(record: LogonRecord, now: number): LogonRecord {
  const messages = record.messages.map((message) => {
    const ahead = message.sentAt - now;
    const known = ahead <= 0 ? message : { ...message, sentAt: now, countsUntil: message.countsUntil - ahead };
    return known.outcome === 'in_flight' && now - known.sentAt >= VERDICT_MS
      ? { ...known, outcome: 'no_verdict' as const }
      : known;
  });
  const last = messages.at(-1);
  return { ...record, messages: last !== undefined && now < last.countsUntil ? messages : [] };
}

/**
 * Whether a message can be sent. After a good verdict, an earlier message without a verdict no longer delays others, but
 * still counts.
 *
 * @param record the result of `current`
 * @param budget maximum number of messages that count
 * @param checkedAt when a check of the path last succeeded, epoch milliseconds
 * @param isAwaited whether this process still waits for the verdict on a message, and nothing shows that the path is well
 */
export function standing(
  record: LogonRecord,
  now: number,
  budget: number,
  checkedAt: number,
  isAwaited: (message: LogonMessage) => boolean,
): Standing {
  const { messages } = record;
  const last = messages.at(-1);
  if (last === undefined) return { is: 'ready' };
  const until = last.countsUntil;
  if (messages.some(({ outcome }) => outcome === 'rejected')) return { is: 'suspended', until, because: 'rejected' };
  const isRecent = ({ outcome, sentAt }: LogonMessage): boolean => outcome === 'in_flight' && now - sentAt < QUIET_MS;
  if (messages.length >= budget) {
    return messages.some(isRecent) ? { is: 'waiting' } : { is: 'suspended', until, because: 'no_verdict' };
  }
  // a query may be slow, and its credentials were proven just before it
  const open = messages.filter(({ carrier, outcome }) => carrier === 'cheap' || outcome !== 'in_flight');
  const newest = open.at(-1);
  if (newest === undefined) return { is: 'ready' };
  const { verdict } = record;
  if (verdict?.isGood === true && verdict.at > newest.sentAt) return { is: 'ready' };
  if (isRecent(newest)) return { is: 'waiting' };
  const from = newest.sentAt + (isAwaited(newest) ? PENDING_MS : QUIET_MS);
  return checkedAt >= from ? { is: 'ready' } : { is: 'unchecked', from };
}

export const withMessage = (record: LogonRecord, message: LogonMessage): LogonRecord => ({
  ...record,
  messages: [...record.messages, message],
});

/** Removes a message that was not sent, or is known not to be a failure. */
export const withoutMessage = (record: LogonRecord, id: string): LogonRecord => ({
  ...record,
  messages: record.messages.filter((message) => message.id !== id),
});

/**
 * After a good verdict, only messages that may reach the directory after it count: those whose own verdict may still come, and
 * that were sent less than 30 s before the accepted one. Directories reset their count at a good logon.
 */
export function withGoodVerdict(record: LogonRecord, id: string, now: number): LogonRecord {
  const accepted = record.messages.find((message) => message.id === id);
  const since = accepted === undefined ? Number.NEGATIVE_INFINITY : accepted.sentAt - QUIET_MS;
  return {
    messages: record.messages.filter(
      (message) => message.outcome === 'in_flight' && message.id !== id && message.sentAt > since,
    ),
    verdict: { isGood: true, at: now },
  };
}

/** The verdict on a message will not come. */
export const withoutVerdict = (record: LogonRecord, id: string): LogonRecord => ({
  ...record,
  messages: record.messages.map((message) => (message.id === id ? { ...message, outcome: 'no_verdict' } : message)),
});

/**
 * The message was rejected. It counts from the time of the verdict, which may have come late. Other messages are dropped,
 * because none is sent before this one stops counting.
 */
export const withRejection = (message: LogonMessage, countsUntil: number, now: number): LogonRecord => ({
  messages: [{ ...message, sentAt: now, countsUntil, outcome: 'rejected' }],
  verdict: { isGood: false, at: now },
});
