import { LAST_EXPIRY } from '../../../base/model/expiry-day.ts';
import type { LocalTime } from '../../../base/model/local-time.ts';
import { type Figure, isKnown } from '../../../base/model/unknown.ts';

/** When a license is renewed, and until when its number can be changed. Days are local days of the analyzer. */

/** When a license is renewed. */
export type Renewal =
  /** Epoch seconds, and the local day. */
  | { readonly kind: 'on'; readonly at: number; readonly day: number }
  /** The license never expires. */
  | { readonly kind: 'permanent' }
  | { readonly kind: 'unknown' };

/** Until when the number of licenses can be announced. */
export type Notice =
  /** The last day for it, today or later. */
  | { readonly kind: 'by'; readonly day: number }
  /** The last day for it was before today. */
  | { readonly kind: 'passed'; readonly day: number }
  /** The renewal is known, but not how long before it the number must be announced. */
  | { readonly kind: 'unknown' }
  /** There is no renewal, or none is known. */
  | { readonly kind: 'none' };

/** What comes of dropping licenses. */
export type Effect =
  /** Their price is saved from the renewal on. */
  | 'at renewal'
  /** They were bought permanently, or never expire: dropping them saves only maintenance. */
  | 'maintenance only'
  /** The number for the next renewal can no longer be changed. */
  | 'too late';

/** The dates of some licenses, and what comes of dropping them. */
export interface Dates {
  readonly renewal: Renewal;
  readonly notice: Notice;
  readonly effect: Effect;
}

/**
 * @param priced local day of the price file, which counts before the expiry
 * @param expiration epoch seconds; from `LAST_EXPIRY` on for a license that never does
 */
export function renewalOf(priced: number | undefined, expiration: Figure, localTime: LocalTime): Renewal {
  if (priced !== undefined) return { kind: 'on', at: localTime.startOf(priced), day: priced };
  if (!isKnown(expiration)) return { kind: 'unknown' };
  return expiration <= LAST_EXPIRY
    ? { kind: 'on', at: expiration, day: localTime.dayOf(expiration) }
    : { kind: 'permanent' };
}

/** @param noticeDays days before the renewal, of the price file; `undefined` if they are not known, which is no 0 */
export function noticeOf(renewal: Renewal, noticeDays: number | undefined, today: number): Notice {
  if (renewal.kind !== 'on') return { kind: 'none' };
  if (noticeDays === undefined) return { kind: 'unknown' };
  const day = renewal.day - noticeDays;
  return { kind: day < today ? 'passed' : 'by', day };
}

/** @param isBoughtOnce by the price file: a renewal is then that of the maintenance */
export function datesOf(
  renewal: Renewal,
  { noticeDays, isBoughtOnce }: { readonly noticeDays: number | undefined; readonly isBoughtOnce: boolean },
  today: number,
): Dates {
  const notice = noticeOf(renewal, noticeDays, today);
  const effectOf = (): Effect => {
    switch (renewal.kind) {
      case 'permanent':
        return 'maintenance only';
      case 'unknown':
        return 'at renewal';
      case 'on':
        return notice.kind === 'passed' || renewal.day < today ? 'too late' : 'at renewal';
    }
  };
  return { renewal, notice, effect: isBoughtOnce ? 'maintenance only' : effectOf() };
}
