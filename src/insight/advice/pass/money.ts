import type { PriceEntry } from '../../../base/model/prices.ts';
import { isUncountedFigure } from '../../../base/model/uncounted.ts';
import type { Advice } from '../method/advice.ts';

/** What advice is worth. What is unknown is `undefined`, never 0. */
export interface Money {
  /** Of one license a year; if it is bought once, of one license. */
  readonly price: number | undefined;
  readonly per: 'year' | 'once' | undefined;
  readonly currency: string | undefined;
  /** Of all licenses that are bought, a year; `undefined` also for those that are bought once, and for what has no contract of its own. */
  readonly contract: number | undefined;
  /** What the licenses that could go cost a year. Whether dropping them saves it, `Effect` tells. */
  readonly saving: number | undefined;
  /** In the first year, if the missing licenses are bought. */
  readonly cost: number | undefined;
}

/** The money of advice without a price, or for who may not see one. */
export const noMoney: Money = {
  price: undefined,
  per: undefined,
  currency: undefined,
  contract: undefined,
  saving: undefined,
  cost: undefined,
};

/** Months of a year. */
const YEAR = 12;

/** An amount without the errors of binary fractions. */
export const roundAmount = (amount: number): number => Math.round(amount * 100) / 100;

/** The licenses of a package are those of the package: its components have no price. */
const isPriced = ({ featureType }: Pick<Advice, 'featureType'>): boolean => featureType !== 'component';

/** What advice is worth, in the currency of its price entry. */
export function moneyOf(
  advice: Pick<Advice, 'featureType' | 'state' | 'count' | 'bought' | 'hasContract'>,
  entry: PriceEntry | undefined,
): Money {
  if (entry === undefined || !isPriced(advice)) return noMoney;
  const { state, count, bought = Number.NaN, hasContract } = advice;
  const { currency } = entry;
  const price = roundAmount(entry.price * (entry.per === 'month' ? YEAR : 1));
  const amountIf = (wanted: Advice['state']): number | undefined =>
    state === wanted && count !== undefined ? roundAmount(count * price) : undefined;
  if (entry.per !== 'once') {
    const [saving, cost] = [amountIf('could go'), amountIf('missing')];
    const isCounted = hasContract && bought >= 0 && !isUncountedFigure(bought);
    const contract = isCounted ? roundAmount(bought * price) : undefined;
    return { price, per: 'year', currency, contract, saving, cost };
  }
  return { price, per: 'once', currency, contract: undefined, saving: undefined, cost: amountIf('missing') };
}
