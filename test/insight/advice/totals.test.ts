import { describe, expect, it } from 'vitest';
import { type Money, noMoney } from '../../../src/insight/advice/pass/money.ts';
import type { Proposal } from '../../../src/insight/advice/pass/proposals.ts';
import type { Effect } from '../../../src/insight/advice/pass/renewal.ts';
import type { KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import {
  amountText,
  coveredText,
  provisionalText,
  savingTexts,
  spareLicenses,
  totalsOf,
} from '../../../src/insight/advice/pass/totals.ts';
import { adviceOf, TODAY } from '../../support/advice-table.ts';

const proposal = (advice: Partial<KeptAdvice>, money: Partial<Money> = {}): Proposal => ({
  advice: adviceOf(advice),
  money: { ...noMoney, ...money },
  renewalDay: undefined,
  noticeDays: undefined,
  isBoughtOnce: false,
});

const atRenewal = (): Effect => 'at renewal';

const none = { licenses: 0, features: 0, amount: undefined };

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
];

describe('totals', () => {
  const totals = totalsOf(rows, atRenewal);

  it('are those of each currency, and never across', () => {
    const spare = (licenses: number, features: number, amount: number | undefined) => ({
      'at renewal': { licenses, features, amount },
      'maintenance only': none,
      'too late': none,
    });
    expect(totals.currencies).toEqual([
      { currency: 'CHF', spare: spare(3, 1, 100), missing: 0, missingFeatures: 0, cost: undefined },
      { currency: 'EUR', spare: spare(5, 2, 0.3), missing: 2, missingFeatures: 1, cost: 50 },
      { currency: undefined, spare: spare(12, 2, undefined), missing: 0, missingFeatures: 1, cost: undefined },
    ]);
  });

  it('are apart for what saves only maintenance, and for what is too late', () => {
    const effects: Readonly<Record<string, Effect>> = { p: 'maintenance only', q: 'maintenance only', l: 'too late' };
    const apart = totalsOf(
      [
        proposal({ feature: 'a', count: 2 }, { currency: 'EUR', saving: 200 }),
        proposal({ feature: 'p', count: 3 }, { currency: 'EUR', saving: 3000 }),
        proposal({ feature: 'q', count: 4 }),
        proposal({ feature: 'l', count: 5 }, { currency: 'USD', saving: 50 }),
        proposal({ feature: 'p', count: 6, confidence: 'provisional' }, { currency: 'EUR', saving: 1e6 }),
      ],
      ({ advice }) => effects[advice.feature] ?? 'at renewal',
    );
    expect(apart.couldGo).toEqual({ 'at renewal': 1, 'maintenance only': 2, 'too late': 1 });
    expect(apart.currencies.map(({ currency, spare }) => [currency, spare])).toEqual([
      [
        'EUR',
        {
          'at renewal': { licenses: 2, features: 1, amount: 200 },
          'maintenance only': { licenses: 3, features: 1, amount: 3000 },
          'too late': none,
        },
      ],
      [
        'USD',
        {
          'at renewal': none,
          'maintenance only': none,
          'too late': { licenses: 5, features: 1, amount: 50 },
        },
      ],
      [
        undefined,
        { 'at renewal': none, 'maintenance only': { licenses: 4, features: 1, amount: undefined }, 'too late': none },
      ],
    ]);
    expect(spareLicenses(apart, 'maintenance only')).toBe(7);
    expect(savingTexts(apart)).toEqual([
      'saving of all: EUR 200 a year (with a price: 1 of 1)',
      'permanent licenses, which save only maintenance: EUR 3,000 a year (with a price: 1 of 2)',
      'too late for the next renewal: USD 50 a year (with a price: 1 of 1)',
    ]);
    expect(provisionalText(apart)).toBe(
      '1 more feature may have licenses to spare, but that is not certain yet: it is in no total',
    );
    expect(provisionalText({ ...apart, provisional: 9 })).toBe(
      '9 more features may have licenses to spare, but that is not certain yet: they are in no total',
    );
    expect(provisionalText({ ...apart, provisional: 0 })).toBeUndefined();
  });

  it('count the features with and without a price, and what is in no sum', () => {
    const { currencies: _, ...counts } = totals;
    expect(counts).toEqual({
      couldGo: { 'at renewal': 5, 'maintenance only': 0, 'too late': 0 },
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
    expect(coveredText(totalsOf(contracts, atRenewal))).toBe(
      'EUR 1,200,000 of 1,900,000 a year, USD 20,000 of 20,000 a year',
    );
    expect(coveredText(totals)).toBeUndefined();
  });

  it('are unknown without advice', () => {
    const { currencies, couldGo, denials, otherRefusals, applied, ...counts } = totalsOf([], atRenewal);
    expect([denials, otherRefusals, applied]).toEqual([undefined, undefined, undefined]);
    expect(currencies).toMatchObject([{ currency: undefined, spare: { 'at renewal': none }, cost: undefined }]);
    expect(new Set(Object.values(couldGo))).toEqual(new Set([0]));
    expect(new Set(Object.values(counts))).toEqual(new Set([0]));
  });

  it('are written with the share that has a price', () => {
    expect(savingTexts(totals)).toEqual(['saving of all: CHF 100, EUR 0.30 a year (with a price: 3 of 5)']);
    expect(savingTexts(totalsOf([proposal({})], atRenewal))).toEqual([]);
    expect(amountText(1_240_300, 'EUR')).toBe('EUR 1,240,300');
  });
});
