import { LAST_EXPIRY } from '../../base/model/expiry-day.ts';
import type { LocalTime } from '../../base/model/local-time.ts';
import type { PriceEntry } from '../../base/model/prices.ts';
import { isUncounted } from '../../base/model/uncounted.ts';
import { type Figure, isKnown } from '../../base/model/unknown.ts';
import type { FeatureLabels, FeatureRow } from '../../exporter/inventory/feature-row.ts';
import type { Advice } from '../advice/method/advice.ts';
import { moneyOf } from '../advice/pass/money.ts';
import { type Notice, noticeOf, type Renewal, renewalOf } from '../advice/pass/renewal.ts';

/** The licenses of one version of a feature in the contract calendar. */

/** What licenses cost a year. */
export type Worth =
  | { readonly kind: 'a year'; readonly amount: number; readonly currency: string }
  /** They are bought once. What their maintenance costs is not known. */
  | { readonly kind: 'once' }
  /** They are those of a package or a token pool, which has the value. */
  | { readonly kind: 'of another' }
  | { readonly kind: 'no price' }
  /** They have a price, but the number of licenses is not known, they have expired, or any number can be in use. */
  | { readonly kind: 'no number' }
  /** No prices are shown. */
  | { readonly kind: 'not shown' };

/** Whether one must act on licenses, and whether there is still time. */
export type LineState =
  | 'renewal not known'
  /** They never expire, and the price file has no renewal. */
  | 'permanent'
  | 'expired'
  /** The renewal of the price file is past, and they have not expired. */
  | 'renewal passed'
  /** It was not announced in time how many are renewed, and the renewal is still to come. */
  | 'notice passed'
  | 'due'
  /** After the months that are asked for. */
  | 'later';

/** Advice of high confidence that changes the number of licenses, or that they seem to be unused. */
export type LineAdvice = Pick<Advice, 'state' | 'count' | 'bought'>;

/** The licenses of one version of a feature. Days are local days of the analyzer. */
export interface ContractLine extends FeatureLabels {
  readonly owner: string | undefined;
  readonly licenses: Figure | 'uncounted';
  readonly state: LineState;
  /** The last day for a notice if it is known, else the day of the renewal; the day of the expiry if that is sooner. */
  readonly actBy: number | undefined;
  readonly renewal: Renewal;
  readonly notice: Notice;
  /** When the analyzer says that they expire. */
  readonly expires: number | 'never' | 'not known';
  readonly worth: Worth;
  /** The entry of the price file; `undefined` without one, where prices are not shown, and of what has no value of its own. */
  readonly price: PriceEntry | undefined;
  /** About all versions of the feature together; `undefined` without any. */
  readonly advice: LineAdvice | undefined;
}

/** Whether it matters that its notice is not known: not for what has expired. */
export const lacksNotice = ({ notice, state }: Pick<ContractLine, 'notice' | 'state'>): boolean =>
  notice.kind === 'unknown' && state !== 'expired';

/** What a line is made with. */
export interface LineContext {
  readonly owner: string | undefined;
  readonly entry: PriceEntry | undefined;
  readonly showsPrices: boolean;
  /** Whether its licenses are those of a package or a token pool. */
  readonly isTaking: boolean;
  readonly advice: LineAdvice | undefined;
  readonly localTime: LocalTime;
  /** Epoch seconds, and its local day. */
  readonly now: number;
  readonly today: number;
  /** The first local day that is not listed any more. */
  readonly end: number;
}

function worthOf(row: FeatureRow, { entry, showsPrices, isTaking }: LineContext, isExpired: boolean): Worth {
  if (!showsPrices) return { kind: 'not shown' };
  const { featureType, maxAvailable } = row;
  if (isTaking || featureType === 'component') return { kind: 'of another' };
  if (entry === undefined) return { kind: 'no price' };
  if (entry.per === 'once') return { kind: 'once' };
  // a license manager no longer counts licenses that have expired
  const isGone = isExpired && maxAvailable === 0;
  if (isUncounted(row) || !isKnown(maxAvailable) || isGone) return { kind: 'no number' };
  // the price is that of one license, whichever versions the others have
  const { contract: amount } = moneyOf(
    { featureType, state: 'fine', count: undefined, bought: maxAvailable, hasContract: true },
    entry,
  );
  return amount === undefined ? { kind: 'no number' } : { kind: 'a year', amount, currency: entry.currency };
}

interface LineDates extends Pick<ContractLine, 'renewal' | 'notice' | 'expires'> {
  /** The day of an expiry that has passed. */
  readonly expired?: number | undefined;
}

function lineDatesOf({ expiration }: FeatureRow, { entry, localTime, now, today }: LineContext): LineDates {
  const renewal = renewalOf(entry?.renewal, expiration, localTime);
  const notice = noticeOf(renewal, entry?.noticeDays, today);
  if (!isKnown(expiration)) return { renewal, notice, expires: 'not known' };
  if (expiration > LAST_EXPIRY) return { renewal, notice, expires: 'never' };
  const expires = localTime.dayOf(expiration);
  return { renewal, notice, expires, expired: expiration <= now ? expires : undefined };
}

/** The state, and the day on which one must act. */
function stateOf(
  { renewal, notice, expires, expired }: LineDates,
  { today, end }: LineContext,
): Pick<ContractLine, 'state' | 'actBy'> {
  if (expired !== undefined) return { state: 'expired', actBy: expired };
  switch (renewal.kind) {
    case 'unknown':
      return { state: 'renewal not known', actBy: undefined };
    case 'permanent':
      return { state: 'permanent', actBy: undefined };
    case 'on': {
      const { day } = renewal;
      if (day < today) return { state: 'renewal passed', actBy: day };
      if (notice.kind === 'passed') return { state: 'notice passed', actBy: notice.day };
      const decided = notice.kind === 'by' ? notice.day : day;
      // the price file may have a renewal after the expiry
      const actBy = typeof expires === 'number' ? Math.min(decided, expires) : decided;
      return { state: actBy < end ? 'due' : 'later', actBy };
    }
  }
}

/** Prices decide about the worth only. Renewals and notices of the price file are shown to everyone. */
export function contractLineOf(row: FeatureRow, context: LineContext): ContractLine {
  const { vendorLicense, feature, version, package: pkg, featureType, maxAvailable } = row;
  const { owner, entry, advice } = context;
  const dates = lineDatesOf(row, context);
  const worth = worthOf(row, context, dates.expired !== undefined);
  const { renewal, notice, expires } = dates;
  return {
    vendorLicense,
    feature,
    version,
    package: pkg,
    featureType,
    owner,
    licenses: isUncounted(row) ? 'uncounted' : maxAvailable,
    ...stateOf(dates, context),
    renewal,
    notice,
    expires,
    worth,
    price: worth.kind === 'not shown' || worth.kind === 'of another' ? undefined : entry,
    advice,
  };
}
