import { describe, expect, it } from 'vitest';
import type { PriceEntry } from '../../../src/base/model/prices.ts';
import { moneyOf, noMoney } from '../../../src/insight/advice/pass/money.ts';
import { adviceOf } from '../../support/advice-table.ts';
import { priceEntry } from '../../support/price-entry.ts';

const entry = (fields: Partial<PriceEntry> = {}): PriceEntry => priceEntry({ price: 99.95, ...fields });

const missing = adviceOf({ state: 'missing', count: 3 });

describe('money', () => {
  it('is the count times the price of a year', () => {
    expect(moneyOf(adviceOf(), entry())).toEqual({
      ...noMoney,
      price: 99.95,
      contract: 1999,
      per: 'year',
      currency: 'EUR',
      saving: 399.8,
    });
    expect(moneyOf(missing, entry())).toMatchObject({ saving: undefined, cost: 299.85 });
    expect(moneyOf(adviceOf(), entry({ per: 'month' }))).toMatchObject({ price: 1199.4, saving: 4797.6 });
  });

  it('has no contract of licenses that are those of a pool or a package, or that are not counted', () => {
    for (const figures of [{ hasContract: false }, { bought: undefined }, { bought: 99_999 }]) {
      expect(moneyOf(adviceOf(figures), entry()).contract).toBeUndefined();
    }
  });

  it('is no saving of licenses that were bought once, but a cost of more of them', () => {
    expect(moneyOf(adviceOf(), entry({ per: 'once' }))).toMatchObject({
      price: 99.95,
      contract: undefined,
      per: 'once',
      saving: undefined,
    });
    expect(moneyOf(missing, entry({ per: 'once' }))).toMatchObject({ cost: 299.85 });
  });

  it('is unknown without a price, and without a count, never 0', () => {
    expect(moneyOf(adviceOf(), undefined)).toEqual(noMoney);
    expect(moneyOf(adviceOf({ state: 'missing', count: undefined }), entry()).cost).toBeUndefined();
    for (const state of ['unused', 'tight', 'fine', 'reserved', 'no advice', 'not enough data'] as const) {
      expect(moneyOf(adviceOf({ state, count: undefined }), entry())).toMatchObject({
        saving: undefined,
        cost: undefined,
      });
    }
    // a price of 0 is known
    expect(moneyOf(adviceOf(), entry({ price: 0 })).saving).toBe(0);
  });

  it('is that of a package once, and nothing for its components', () => {
    expect(moneyOf(adviceOf({ featureType: 'package' }), entry()).saving).toBe(399.8);
    expect(moneyOf(adviceOf({ featureType: 'component' }), entry())).toEqual(noMoney);
  });
});
