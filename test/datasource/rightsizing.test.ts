import { describe, expect, it } from 'vitest';
import { keyOf, type Table } from '../../src/datasource/panel-data.ts';
import { readQuery } from '../../src/datasource/query.ts';
import { answerRightsizing } from '../../src/datasource/rightsizing-answers.ts';
import type { FeatureRow } from '../../src/inventory/feature-row.ts';
import type { Inventory } from '../../src/inventory/inventory.ts';
import { tableOf } from '../../src/inventory/table.ts';
import { createLocalTime, dateText } from '../../src/model/local-time.ts';
import { createOwners } from '../../src/model/owners.ts';
import { createPrices, type PriceEntry } from '../../src/model/prices.ts';
import { createProposalSource } from '../../src/rightsizing/proposals.ts';
import type { AdviceTable } from '../../src/rightsizing/rightsizing.ts';
import { runAtOnce } from '../../src/scheduling/slices.ts';
import { adviceOf, adviceTable, manyAdvices, rightsizingOf, TODAY } from '../support/advice-table.ts';
import { priceEntry } from '../support/price-entry.ts';

const localTime = createLocalTime('Europe/Berlin');
const AT = TODAY * 86_400;
const REFUSAL = 'prices are not shown: REMEDY';

const inventory = {
  at: AT,
  vendorLicenses: tableOf([]),
  features: tableOf([
    {
      vendorLicense: 'lic01;cadd',
      feature: 'solver',
      version: '1',
      package: '',
      featureType: 'feature',
      inactiveUse: 2,
      borrowedUse: 1,
      expiration: AT + 86_400,
    } as FeatureRow,
  ]),
} as unknown as Inventory;

interface Setup {
  readonly table?: AdviceTable | undefined;
  readonly entries?: readonly PriceEntry[];
  readonly showsPrices?: boolean;
  readonly now?: number;
}

function ask(payload: object, { entries = [], showsPrices = true, now = AT, ...setup }: Setup = {}) {
  const table = 'table' in setup ? setup.table : adviceTable([adviceOf()]);
  const prices = createPrices(entries);
  const proposals = createProposalSource({
    rightsizing: rightsizingOf(table),
    prices: () => prices,
    localTime: () => localTime,
    nextPass: () => AT,
  });
  const backend = {
    proposals,
    prices: { refusal: () => (showsPrices ? undefined : REFUSAL), onServed: () => undefined },
    owners: () => createOwners([{ vendorLicense: 'lic01;*', feature: '*', labels: { owner: 'cad' } }]),
    now: () => now,
  };
  const query = readQuery({
    target: 'rightsizing',
    payload: payload as Record<string, unknown>,
    range: { from: undefined, to: undefined },
    filters: [],
    prefix: 'payload.',
  });
  const { items, notices } = runAtOnce(answerRightsizing(query, inventory, backend));
  const [{ columns, rows }] = items as [Table];
  const cells = [...rows];
  const keys = columns.map(({ text }) => keyOf(text));
  return {
    columns: columns.map(({ text }) => text),
    rows: cells.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]]))),
    notices: notices.map(({ text }) => text),
  };
}

const names = (answer: { readonly rows: readonly Record<string, unknown>[] }) =>
  answer.rows.map(({ feature }) => feature);

describe('the target rightsizing', () => {
  it('has the columns of the contract, in this order', () => {
    const { columns, rows } = ask({}, { entries: [priceEntry({ renewal: TODAY + 103 })] });
    expect(columns.join(', ')).toBe(
      'Product, Feature, Package, Type, State, Count, Bought, Peak, Peak date, p95, p99, Needed, Full hours, Refusal days, Refusal hours, Other refusals, Growth a month, Busy week, Runs out, Runs out earliest, Runs out latest, Reserved unneeded, Idle now, Borrowed now, Unused since, Reason, Price, Saving, Cost, Currency, Renewal, Days, Coverage, Confidence, Owner, Computed',
    );
    expect(rows[0]).toMatchObject({
      product: 'lic01;cadd',
      count: 4,
      peak_date: dateText(TODAY - 40),
      growth_a_month: null,
      runs_out: null,
      idle_now: 2,
      borrowed_now: 1,
      unused_since: null,
      price: 100,
      saving: 400,
      cost: null,
      currency: 'EUR',
      renewal: dateText(TODAY + 103),
      owner: 'cad',
      computed: (AT - 2400) * 1000,
    });
  });

  it('has null for what is unknown, and never 0, NaN or infinity', () => {
    const unknown = adviceOf({
      feature: 'x',
      state: 'no advice',
      ...Object.fromEntries(
        [
          'bought',
          'peak',
          'peakDay',
          'p95',
          'p99',
          'needed',
          'fullHours',
          'refusalDays',
          'refusalHours',
          'otherRefusals',
          'busyWeek',
          'reservedUnneeded',
          'count',
          'coverage',
        ].map((name) => [name, undefined]),
      ),
      growth: { kind: 'unknown' },
      hoursAtLeast: new Float64Array(),
      days: 0,
      confidence: 'none',
    });
    for (const tolerance of [{}, { tolerance: 9 }]) {
      const { rows } = ask(tolerance, { table: adviceTable([unknown]) });
      const known = Object.entries(rows[0] ?? {}).filter(([, value]) => value !== null);
      expect(known.map(([key]) => key)).toEqual([
        'product',
        'feature',
        'package',
        'type',
        'state',
        'reason',
        'days',
        'confidence',
        'owner',
        'computed',
      ]);
    }
    // an uncounted feature has no number of licenses
    expect(ask({}, { table: adviceTable([adviceOf({ bought: 99_999 })]) }).rows[0]?.bought).toBeNull();
  });

  it('shows since when no use was seen, if there ever was one', () => {
    const table = adviceTable([adviceOf({ unusedSince: TODAY - 300 }), adviceOf({ isNeverUsed: true }), adviceOf()]);
    const day = dateText(TODAY - 300);
    expect(ask({}, { table }).rows.map(({ unused_since: since }) => since)).toEqual([day, null, null]);
  });

  const several = adviceTable([
    adviceOf({ feature: 'a', count: 1 }),
    adviceOf({ feature: 'b', count: 9 }),
    adviceOf({ feature: 'c', count: undefined, state: 'fine' }),
    adviceOf({ feature: 'd', count: 2 }),
    adviceOf({ feature: 'e', count: 30, state: 'missing' }),
  ]);
  const dear = [priceEntry({ feature: 'a', price: 5000 }), priceEntry({ feature: 'd', price: 10 })];

  it('begins with the largest saving, then the largest count', () => {
    expect(names(ask({}, { table: several, entries: dear }))).toEqual(['a', 'd', 'e', 'b', 'c']);
    expect(names(ask({}, { table: several }))).toEqual(['e', 'b', 'd', 'a', 'c']);
    expect(names(ask({ sort: 'Feature', state: ['missing', 'fine'] }, { table: several }))).toEqual(['c', 'e']);
    expect(names(ask({ sort: '-count', top: 2, feature: ['a', 'd', 'e'] }, { table: several }))).toEqual(['e', 'd']);
    expect(names(ask({ product: 'lic02%' }, { table: several }))).toEqual([]);
  });

  it('is the same without prices for those who may not see them, in no order of prices', () => {
    const shown = ask({}, { table: several, entries: dear });
    for (const sort of [undefined, '-Saving', 'price', 'Cost']) {
      const hidden = ask({ sort }, { table: several, entries: dear, showsPrices: false });
      expect(names(hidden)).toEqual(['e', 'b', 'd', 'a', 'c']);
      expect(hidden.notices).toEqual(['5 features', REFUSAL]);
      expect(JSON.stringify(hidden)).not.toMatch(/EUR|5000/);
      const unpriced = (rows: typeof hidden.rows) =>
        rows.map(({ price: _p, saving: _s, cost: _c, currency: _u, ...row }) => JSON.stringify(row)).sort();
      expect(unpriced(hidden.rows)).toEqual(unpriced(shown.rows));
      expect(hidden.rows.map(({ price, saving, cost, currency }) => [price, saving, cost, currency])).toEqual(
        hidden.rows.map(() => [null, null, null, null]),
      );
    }
    // without a price file there is nothing to hide
    expect(ask({}, { table: several, showsPrices: false }).notices).toEqual(['5 features']);
  });

  it('says how many there are, and what all of them save', () => {
    const table = adviceTable([...manyAdvices(4812), adviceOf({ confidence: 'provisional' })], { leftOut: 3 });
    const { rows, notices } = ask(
      {},
      { table, entries: [priceEntry({ vendorLicense: 'lic05;%' })], now: AT + 3 * 86_400 },
    );
    expect(rows).toHaveLength(100);
    const saved = table.rows.filter(
      ({ vendorLicense, state, confidence }) =>
        vendorLicense.startsWith('lic05;') && state === 'could go' && confidence === 'high',
    );
    const sum = saved.reduce((all, { count = 0 }) => all + count * 100, 0);
    const couldGo = table.rows.filter(({ state, confidence }) => state === 'could go' && confidence === 'high').length;
    const saving = `EUR ${sum.toLocaleString('en-US')} (with a price: ${saved.length} of ${couldGo})`;
    expect(saved.length).toBeGreaterThan(10);
    expect(notices).toEqual([
      `100 of 4,813 features, by saving; saving of all: ${saving}; 1 provisional in no total`,
      '3 features have no advice because of rightsizing.max_features',
      'the advice is of 2026-11-17; later passes failed, see the log',
    ]);
  });

  it('counts what is needed for another tolerance, and nothing else', () => {
    const usual = ask({}).rows[0];
    const { rows, notices } = ask({ tolerance: '15' });
    expect(rows[0]).toEqual({ ...usual, needed: 15 });
    expect(notices).toContain('needed for 15 hours a year; states and counts are those for 4 hours a year');
    expect(ask({ tolerance: '4' }).rows[0]).toEqual(usual);
  });

  it('has the steps of one feature, with their saving', () => {
    const { columns, rows } = ask(
      { shape: 'steps', product: 'lic01;cadd', feature: 'solver' },
      { entries: [priceEntry({})] },
    );
    expect(columns).toEqual(['Licenses', 'Hours short a year', 'Saving', 'Currency']);
    expect(rows.slice(0, 3)).toEqual([
      { licenses: 18, hours_short_a_year: 0, saving: 200, currency: 'EUR' },
      { licenses: 17, hours_short_a_year: 1, saving: 300, currency: 'EUR' },
      { licenses: 16, hours_short_a_year: 4, saving: 400, currency: 'EUR' },
    ]);
    expect(ask({ shape: 'steps' }, { entries: [priceEntry({ per: 'once' })] }).rows[0]?.saving).toBeNull();
    const none = adviceOf({ hoursAtLeast: new Float64Array(), reason: 'WHY' });
    expect(ask({ shape: 'steps' }, { table: adviceTable([none]) })).toMatchObject({ rows: [], notices: ['WHY'] });
    expect(ask({ shape: 'steps', feature: 'nothing' }).rows).toEqual([]);
    // a component of the same name has no advice
    const component = adviceOf({ package: 'suite', featureType: 'component', state: 'no advice' });
    expect(ask({ shape: 'steps' }, { table: adviceTable([component, adviceOf()]) }).rows).not.toEqual([]);
    expect(() => ask({ shape: 'steps' }, { table: several })).toThrow(/5 match, for example .*"a".* and .*"b"/);
  });

  it('has totals, a row for each currency, which add up to the rows', () => {
    const entries = [...dear, priceEntry({ feature: 'e', currency: 'USD', price: 7 })];
    const { rows } = ask({ shape: 'totals' }, { table: several, entries });
    expect(rows).toEqual([
      {
        currency: 'EUR',
        could_go: 3,
        saving: 5020,
        missing: 0,
        cost: null,
        with_a_price: 2,
        of: 3,
        features_that_could_go: 3,
        features_missing: 1,
        missing_with_a_price: 1,
        run_out_within_120_days: 0,
        provisional: 0,
      },
      expect.objectContaining({ currency: 'USD', could_go: 0, saving: null, missing: 30, cost: 210, with_a_price: 0 }),
      expect.objectContaining({ currency: null, could_go: 9, saving: null, cost: null, with_a_price: 0 }),
    ]);
    const table = ask({}, { table: several, entries });
    const sum = (currency: string, key: string) =>
      table.rows.filter((row) => row.currency === currency).reduce((all, row) => all + Number(row[key]), 0);
    expect([sum('EUR', 'saving'), sum('USD', 'cost')]).toEqual([5020, 210]);
    const hidden = ask({ shape: 'totals' }, { table: several, entries, showsPrices: false });
    expect(hidden.rows).toMatchObject([{ currency: null, saving: null, cost: null, could_go: 12, missing: 30 }]);
    expect(hidden.notices).toEqual([REFUSAL]);
  });

  it('is refused before the first pass, with the time when it is expected', () => {
    expect(() => ask({}, { table: undefined })).toThrow(
      expect.objectContaining({
        code: 'not_ready',
        status: 503,
        message: expect.stringContaining('it is expected after 2026-11-18T00:00:00Z'),
      }),
    );
  });
});
