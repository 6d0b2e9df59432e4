import { describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createPrices, type PriceEntry } from '../../../src/base/model/prices.ts';
import { type Figure, unknown } from '../../../src/base/model/unknown.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { AdviceNotReady, createProposalSource, sentenceOf } from '../../../src/insight/advice/pass/proposals.ts';
import type { AdviceTable, KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import { adviceOf, adviceTable, rightsizingOf, TODAY } from '../../support/advice-table.ts';
import { priceEntry } from '../../support/price-entry.ts';

const localTime = createLocalTime('Europe/Berlin');
const AT = TODAY * 86_400;

const entry = (fields: Partial<PriceEntry> = {}): PriceEntry =>
  priceEntry({ vendorLicense: 'lic01;cadd', feature: 'solver', ...fields });

const version = (fields: Partial<FeatureRow>): FeatureRow =>
  ({
    vendorLicense: 'lic01;cadd',
    feature: 'solver',
    version: '1',
    package: '',
    featureType: 'feature',
    inactiveUse: 1,
    borrowedUse: 0,
    expiration: AT + 100,
    ...fields,
  }) as FeatureRow;

const inventoryOf = (rows: readonly FeatureRow[]): Inventory => ({ features: rows, at: AT }) as unknown as Inventory;

function sourceOf(table: AdviceTable | undefined, entries: readonly PriceEntry[] = [entry()], status = {}) {
  let prices = createPrices(entries);
  let rightsizing = rightsizingOf(table, status);
  const source = createProposalSource({
    rightsizing: { latest: () => rightsizing.latest(), status: () => rightsizing.status() },
    prices: () => prices,
    localTime: () => localTime,
    nextPass: () => AT + 1200,
  });
  return {
    ...source,
    setPrices: (next: readonly PriceEntry[]) => {
      prices = createPrices(next);
    },
    setTable: (next: AdviceTable) => {
      rightsizing = rightsizingOf(next);
    },
    of: (rows: readonly FeatureRow[], showsPrices = true) => {
      const read = source.read(inventoryOf(rows), showsPrices);
      const [first] = read.rows;
      if (first === undefined) throw new Error('no row');
      return { first, live: read.live(first), ...read.dates(first), dates: read.dates(first) };
    },
  };
}

describe('proposals', () => {
  it('follow the table and the prices', () => {
    const source = sourceOf(adviceTable([adviceOf()]));
    const saving = () => source.of([]).first.money.saving;
    expect(saving()).toBe(400);
    source.setPrices([entry({ price: 10 })]);
    expect(saving()).toBe(40);
    source.setTable(adviceTable([adviceOf({ count: 1 })]));
    expect(saving()).toBe(10);
  });

  it('have no money for those who may not see prices, also after others have seen it', () => {
    const source = sourceOf(adviceTable([adviceOf()]), [entry({ renewal: TODAY + 10 })]);
    expect(source.of([]).first.money.saving).toBe(400);
    const { first, renewal } = source.of([], false);
    expect(new Set(Object.values(first.money))).toEqual(new Set([undefined]));
    expect(renewal).toEqual({ kind: 'on', at: localTime.startOf(TODAY + 10), day: TODAY + 10 });
  });

  it('add up the versions of a feature, and know nothing if one of them is unknown', () => {
    const { of } = sourceOf(adviceTable([adviceOf()]));
    const versions = [
      version({}),
      version({ version: '2', inactiveUse: 2, borrowedUse: 3 }),
      version({ package: 'suite', inactiveUse: 50 }),
    ];
    expect(of(versions).live).toMatchObject({ idle: 3, borrowed: 3 });
    expect(of([...versions, version({ version: '3', inactiveUse: unknown })]).live).toMatchObject({
      idle: unknown,
      borrowed: 3,
    });
    expect(of([]).live).toEqual({ idle: unknown, borrowed: unknown, expiration: unknown });
  });

  it('are renewed when the first of the versions expires that has not expired', () => {
    const { of } = sourceOf(adviceTable([adviceOf()]), []);
    const expiring = (...times: readonly Figure[]) =>
      of(times.map((expiration, i) => version({ version: String(i), expiration }))).renewal;
    expect(expiring(AT + 200, AT + 100, AT - 5)).toMatchObject({ kind: 'on', at: AT + 100 });
    expect(expiring(AT - 9, AT - 5)).toMatchObject({ kind: 'on', at: AT - 5 });
    expect(expiring(AT - 9, Number.POSITIVE_INFINITY)).toEqual({ kind: 'permanent' });
    expect(expiring(Number.POSITIVE_INFINITY, AT + 7)).toMatchObject({ kind: 'on', at: AT + 7 });
    expect(expiring(unknown, AT + 7)).toMatchObject({ kind: 'on', at: AT + 7 });
    for (const times of [[unknown], [unknown, Number.POSITIVE_INFINITY], [AT - 9, unknown]] as const) {
      expect(expiring(...times)).toEqual({ kind: 'unknown' });
    }
  });

  it('say what dropping permanent licenses saves', () => {
    const never = [version({ expiration: Number.POSITIVE_INFINITY })];
    const said = (advice: Partial<KeptAdvice>, prices: readonly PriceEntry[], rows = never) => {
      const { first, dates } = sourceOf(adviceTable([adviceOf({ reason: 'A.', ...advice })]), prices).of(rows);
      return [dates.effect, sentenceOf(first, dates)];
    };
    expect(said({}, [])).toEqual([
      'maintenance only',
      'A. The licenses are permanent: dropping them saves only their maintenance.',
    ]);
    // those who may not see prices do not read either how they were bought
    const once = 'A. The licenses are permanent: dropping them saves only their maintenance.';
    // a renewal is then that of the maintenance
    for (const renewal of [undefined, TODAY + 40, TODAY - 40]) {
      expect(said({}, [entry({ per: 'once', renewal, noticeDays: 90 })])).toEqual(['maintenance only', once]);
    }
    expect(said({ state: 'fine', count: undefined }, [])).toEqual(['maintenance only', 'A.']);
    // with a renewal in the price file, it is a price of each year
    expect(said({}, [entry({ renewal: TODAY + 40 })])).toEqual(['at renewal', 'A.']);
    expect(said({}, [], [version({ expiration: unknown })])).toEqual(['at renewal', 'A.']);
  });

  it('say that it is too late after the notice, or after the renewal', () => {
    const said = (fields: Partial<PriceEntry>, rows: readonly FeatureRow[] = []) => {
      const { first, dates } = sourceOf(adviceTable([adviceOf({ reason: 'A.' })]), [entry(fields)]).of(rows);
      return [dates.notice.kind, dates.effect, sentenceOf(first, dates)];
    };
    expect(said({ renewal: TODAY + 30, noticeDays: 30 })).toEqual(['by', 'at renewal', 'A.']);
    expect(said({ renewal: TODAY + 30, noticeDays: 31 })).toEqual([
      'passed',
      'too late',
      'A. It is too late for the renewal of 2026-12-18: notice had to be given by 2026-11-17.',
    ]);
    expect(said({ renewal: TODAY + 30 })).toEqual(['unknown', 'at renewal', 'A.']);
    expect(said({ renewal: TODAY })).toEqual(['unknown', 'at renewal', 'A.']);
    // what is over says nothing about the next one
    expect(said({ renewal: TODAY - 1, noticeDays: 9 })).toEqual(['none', 'at renewal', 'A.']);
    expect(said({ renewal: TODAY - 1, noticeDays: 9 }, [version({ expiration: AT + 86_400 * 10 })])).toEqual([
      'by',
      'at renewal',
      'A.',
    ]);
    expect(said({}, [version({ expiration: AT - 86_400 })])).toEqual([
      'unknown',
      'too late',
      'A. It is too late for the renewal of 2026-11-17.',
    ]);
    expect(said({})).toEqual(['none', 'at renewal', 'A.']);
  });

  it.each([
    [{}, 'advice on the number of licenses has not been computed yet; it is expected after 2026-11-18T00:20:00Z'],
    [{ isRunning: true }, 'advice on the number of licenses is being computed for the first time'],
    [{ isEnabled: false }, 'there is no advice on the number of licenses: rightsizing.enabled is false'],
    [
      { failure: 'disk full' },
      'advice on the number of licenses has not been computed yet: the last pass failed (disk full); it is expected after 2026-11-18T00:20:00Z',
    ],
  ])('are not there before the first pass: %o', (status, message) => {
    const source = sourceOf(undefined, [], status);
    expect(() => source.read(undefined, true)).toThrow(AdviceNotReady);
    expect(() => source.read(undefined, true)).toThrow(message);
  });
});
