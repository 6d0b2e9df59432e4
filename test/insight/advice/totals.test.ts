import { describe, expect, it } from 'vitest';
import { type Money, noMoney } from '../../../src/insight/advice/pass/money.ts';
import type { Proposal } from '../../../src/insight/advice/pass/proposals.ts';
import type { KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import { amountText, coveredText, savingText, totalsOf } from '../../../src/insight/advice/pass/totals.ts';
import { adviceOf, TODAY } from '../../support/advice-table.ts';

const proposal = (advice: Partial<KeptAdvice>, money: Partial<Money> = {}): Proposal => ({
  advice: adviceOf(advice),
  money: { ...noMoney, ...money },
  renewalDay: undefined,
  noticeDays: undefined,
});

const missing = { state: 'missing', count: 2 } as const;
const rows = [
  proposal({}, { currency: 'EUR', saving: 0.1 }),
  proposal({ count: 1 }, { currency: 'EUR', saving: 0.2 }),
  proposal({ count: 3 }, { currency: 'CHF', saving: 100 }),
  proposal({ count: 5 }),
  // bought once
  proposal({ count: 7 }, { currency: 'EUR', price: 5 }),
  proposal(missing, { currency: 'EUR', cost: 50 }),
  proposal({ ...missing, count: undefined }, { currency: 'EUR', price: 5 }),
  // in no sum
  proposal({ confidence: 'provisional' }, { currency: 'EUR', saving: 1e6 }),
  proposal({ ...missing, confidence: 'none' }, { currency: 'EUR', cost: 1e6 }),
  proposal({ state: 'unused', count: undefined }, { currency: 'EUR', price: 1e6 }),
  proposal({ state: 'fine', count: undefined, runsOut: { day: TODAY + 120, earliest: TODAY, latest: undefined } }),
  proposal({ state: 'fine', count: undefined, runsOut: { day: TODAY + 121, earliest: TODAY, latest: undefined } }),
  undefined,
];

describe('totals', () => {
  const totals = totalsOf(rows);

  it('are those of each currency, and never across', () => {
    expect(totals.currencies).toEqual([
      { currency: 'CHF', couldGo: 3, couldGoFeatures: 1, saving: 100, missing: 0, missingFeatures: 0, cost: undefined },
      { currency: 'EUR', couldGo: 5, couldGoFeatures: 2, saving: 0.3, missing: 2, missingFeatures: 1, cost: 50 },
      {
        currency: undefined,
        couldGo: 12,
        couldGoFeatures: 2,
        saving: undefined,
        missing: 0,
        missingFeatures: 1,
        cost: undefined,
      },
    ]);
  });

  it('count the features with and without a price, and what is in no sum', () => {
    const { currencies: _, ...counts } = totals;
    expect(counts).toEqual({
      couldGo: 5,
      couldGoPriced: 3,
      missing: 3,
      missingPriced: 1,
      runOut: 1,
      provisional: 1,
      advised: 12,
      denials: 108,
      otherRefusals: 24,
    });
  });

  it('have what all licenses cost, and how much of it is covered by advice', () => {
    const contracts = [
      proposal({}, { currency: 'EUR', contract: 1_200_000.4 }),
      proposal({ state: 'not enough data' }, { currency: 'EUR', contract: 600_000 }),
      proposal({ state: 'no advice' }, { currency: 'EUR', contract: 100_000 }),
      proposal({ state: 'unused' }, { currency: 'USD', contract: 20_000 }),
    ];
    expect(coveredText(totalsOf(contracts))).toBe('EUR 1,200,000 of 1,900,000 a year, USD 20,000 of 20,000 a year');
    expect(coveredText(totals)).toBeUndefined();
  });

  it('are unknown without advice', () => {
    const { currencies, denials, otherRefusals, applied, ...counts } = totalsOf([]);
    expect([denials, otherRefusals, applied]).toEqual([undefined, undefined, undefined]);
    expect(currencies).toMatchObject([{ currency: undefined, couldGo: 0, saving: undefined, cost: undefined }]);
    expect(new Set(Object.values(counts))).toEqual(new Set([0]));
  });

  it('are written with the share that has a price', () => {
    expect(savingText(totals)).toBe('CHF 100, EUR 0.30 (with a price: 3 of 5)');
    expect(savingText(totalsOf([proposal({})]))).toBeUndefined();
    expect(amountText(1_240_300, 'EUR')).toBe('EUR 1,240,300');
  });
});
