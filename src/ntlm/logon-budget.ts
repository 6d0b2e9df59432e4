/**
 * How many AUTHENTICATE messages may be sent with one password. Directories lock an account after a few rejected logons,
 * often three, and a message whose verdict never came may have been one of them. So every message counts from before it
 * is sent until a good verdict:
 *
 * | since the last good verdict | the next message |
 * | --- | --- |
 * | nothing was sent | at once |
 * | a message was sent less than 30 s ago and has no verdict yet | waits for the verdict |
 * | messages without verdict, fewer than the budget | 30 s after the last one, once the path was seen to work; 3 min after it while this process still waits for its verdict |
 * | messages without verdict, as many as the budget | when the last one stops to count, or one gets a good verdict |
 * | a rejected message | when the last message stops to count |
 *
 * A message stops to count `auth_retry` + 1 min after the last one was sent. Other credentials have a record of their own.
 */

/** What carries a message: the cheapest call of the API, or the query itself where a logon does not outlive its request. */
export type Carrier = 'cheap' | 'query';

/** An AUTHENTICATE message that counts. Times are epoch milliseconds. */
export interface LogonMessage {
  readonly id: string;
  readonly sentAt: number;
  /** When it stops to count, unless another message is sent before. */
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

/** Whether a message may be sent now, and if not, when. Times are epoch milliseconds. */
export type Standing =
  | { readonly is: 'ready' }
  /** A verdict is about to come. */
  | { readonly is: 'waiting' }
  /** From then on, and once the path was seen to work. */
  | { readonly is: 'unchecked'; readonly from: number }
  | { readonly is: 'suspended'; readonly until: number; readonly because: 'rejected' | 'no_verdict' };

/** So long a message that has no verdict keeps the next one waiting, milliseconds. */
export const QUIET_MS = 30_000;

/**
 * So long while its verdict may still come, milliseconds. A server that answers NEGOTIATE, but not the logon, hangs behind
 * it, where another logon would hang too; if it is then restarted, none would be left.
 */
const PATIENCE_MS = 180_000;

/** A verdict that comes later than this is not waited for, milliseconds. */
export const VERDICT_MS = 10 * 60_000;

/** Directories count from the last message; clocks and transport differ by less than this, milliseconds. */
export const MARGIN_MS = 60_000;

/** The record without what does not count any more. A clock that was set back must not keep messages for longer. */
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
 * Whether a message may be sent. A message whose verdict is still to come keeps no other waiting once a later verdict was
 * good; it goes on counting.
 *
 * @param record as `current` gives it
 * @param budget messages that may count at a time
 * @param checkedAt when the path was last seen to work, epoch milliseconds
 * @param isAwaited whether this process still waits for the verdict on the message with this id
 */
export function standing(
  record: LogonRecord,
  now: number,
  budget: number,
  checkedAt: number,
  isAwaited: (id: string) => boolean,
): Standing {
  const { messages } = record;
  const last = messages.at(-1);
  if (last === undefined) return { is: 'ready' };
  const until = last.countsUntil;
  if (messages.some(({ outcome }) => outcome === 'rejected')) return { is: 'suspended', until, because: 'rejected' };
  const isYoung = ({ outcome, sentAt }: LogonMessage): boolean => outcome === 'in_flight' && now - sentAt < QUIET_MS;
  if (messages.length >= budget) {
    return messages.some(isYoung) ? { is: 'waiting' } : { is: 'suspended', until, because: 'no_verdict' };
  }
  // a query may be slow; that its credentials are good was seen right before it
  const open = messages.filter(({ carrier, outcome }) => carrier === 'cheap' || outcome !== 'in_flight');
  const newest = open.at(-1);
  if (newest === undefined) return { is: 'ready' };
  const { verdict } = record;
  if (verdict?.isGood === true && verdict.at > newest.sentAt) return { is: 'ready' };
  if (isYoung(newest)) return { is: 'waiting' };
  const from = newest.sentAt + (isAwaited(newest.id) ? PATIENCE_MS : QUIET_MS);
  return checkedAt >= from ? { is: 'ready' } : { is: 'unchecked', from };
}

export const withMessage = (record: LogonRecord, message: LogonMessage): LogonRecord => ({
  ...record,
  messages: [...record.messages, message],
});

/** A message that was not sent after all, or of which it is known that it did no harm. */
export const withoutMessage = (record: LogonRecord, id: string): LogonRecord => ({
  ...record,
  messages: record.messages.filter((message) => message.id !== id),
});

/** After a good verdict only messages count whose own verdict may still come. */
export const withGoodVerdict = (record: LogonRecord, id: string, now: number): LogonRecord => ({
  messages: record.messages.filter((message) => message.outcome === 'in_flight' && message.id !== id),
  verdict: { isGood: true, at: now },
});

/** The verdict on a message will not come. */
export const withoutVerdict = (record: LogonRecord, id: string): LogonRecord => ({
  ...record,
  messages: record.messages.map((message) => (message.id === id ? { ...message, outcome: 'no_verdict' } : message)),
});

/**
 * The message was rejected; it counts anew from the verdict on, which may have come late. The others need not be kept:
 * nothing is sent before it stops to count.
 */
export const withRejection = (message: LogonMessage, countsUntil: number, now: number): LogonRecord => ({
  messages: [{ ...message, sentAt: now, countsUntil, outcome: 'rejected' }],
  verdict: { isGood: false, at: now },
});
