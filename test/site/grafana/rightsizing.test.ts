import { describe, expect, it } from 'vitest';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import { createOwners } from '../../../src/base/model/owners.ts';
import { createPrices, type PriceEntry } from '../../../src/base/model/prices.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { createProposalSource } from '../../../src/insight/advice/pass/proposals.ts';
import type { AdviceTable, KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import type { Backend } from '../../../src/site/grafana/answers/backend.ts';
import { keyOf, type Table } from '../../../src/site/grafana/answers/panel-data.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { answerRightsizing } from '../../../src/site/grafana/answers/rightsizing-answers.ts';
import { answerRows } from '../../../src/site/grafana/protocols/rows.ts';
import { adviceOf, adviceTable, manyAdvices, rightsizingOf, TODAY } from '../../support/advice-table.ts';
import { priceEntry } from '../../support/price-entry.ts';

const localTime = createLocalTime('Europe/Berlin');
const AT = TODAY * 86_400;
const REFUSAL = 'prices are not shown: REMEDY';

const inventory = {
  at: AT,
  vendorLicenses: [],
  features: [
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
  ],
} as unknown as Inventory;

interface Setup {
  readonly table?: AdviceTable | undefined;
  readonly entries?: readonly PriceEntry[];
  readonly showsPrices?: boolean;
  readonly now?: number;
  /** What the last poll knows. */
  readonly known?: Inventory;
}

function backendOf({ entries = [], showsPrices = true, now = AT, ...setup }: Setup) {
  const table = 'table' in setup ? setup.table : adviceTable([adviceOf()]);
  const prices = createPrices(entries);
  const proposals = createProposalSource({
    rightsizing: rightsizingOf(table),
    prices: () => prices,
    localTime: () => localTime,
    nextPass: () => AT,
  });
  return {
    proposals,
    prices: { refusal: () => (showsPrices ? undefined : REFUSAL), onServed: () => undefined },
    owners: () => createOwners([{ vendorLicense: 'lic01;*', feature: '*', labels: { owner: 'cad' } }]),
    now: () => now,
    inventory: () => setup.known ?? inventory,
  };
}

function ask(payload: object, setup: Setup = {}) {
  const query = readQuery({
    target: 'rightsizing',
    payload: payload as Record<string, unknown>,
    range: { from: undefined, to: undefined },
    filters: [],
    prefix: 'payload.',
  });
  const { items, notices } = answerRightsizing(query, setup.known ?? inventory, backendOf(setup));
  const [{ columns, rows }] = items as [Table];
  const cells = [...rows];
  const keys = columns.map(({ text }) => keyOf(text));
  return {
    columns: columns.map(({ text }) => text),
    rows: cells.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]]))),
    notices: notices.map(({ text }) => text),
  };
}

/** The same as rows. */
async function askRows(parameters: Readonly<Record<string, string>>, setup: Setup = {}) {
  const backend = backendOf(setup) as unknown as Backend;
  const { rows, ...answer } = await answerRows('rightsizing', parameters, backend, new AbortController().signal);
  return { ...answer, rows: [...rows] as Record<string, unknown>[] };
}

const names = (answer: { readonly rows: readonly Record<string, unknown>[] }) =>
  answer.rows.map(({ feature }) => feature);

describe('the target rightsizing', () => {
  it('has the columns of the contract, in this order', () => {
    const { columns, rows } = ask({}, { entries: [priceEntry({ renewal: TODAY + 103 })] });
    expect(columns.join(', ')).toBe(
      'Product, Feature, Package, Type, State, Count, Bought, Peak, Peak date, p95, p99, Needed, Full hours, Refusal days, Refusal hours, Other refusals, Denials, Days with denials, Days with known denials, Next year likely, Next year enough, Growth a month, Busy week, Runs out, Runs out earliest, Runs out latest, Reserved unneeded, Year ago could go, Year ago short days, Year ago days, Idle now, Borrowed now, Unused since, Reason, Price, Saving, Maintenance only, Too late, Cost, Currency, Renewal, Notice, Notice state, Days, Coverage, Confidence, Owner, Computed',
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
      notice: null,
      notice_state: 'not known',
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
          'denials',
          'deniedDays',
          'denialsKnownDays',
          'likely',
          'enough',
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
        'notice_state',
        'days',
        'confidence',
        'owner',
        'computed',
      ]);
    }
    // an uncounted feature has no number of licenses
    expect(ask({}, { table: adviceTable([adviceOf({ bought: 99_999 })]) }).rows[0]?.bought).toBeNull();
  });

  it('has the shares of what is bought for those who ask, and none of uncounted licenses', () => {
    const columns = ['Feature', 'Utilisation', 'Peak share'];
    const table = adviceTable([
      adviceOf({ feature: 'a', count: 9, utilisation: 0.25, peak: 25 }),
      adviceOf({ feature: 'b', count: 8, utilisation: undefined, peak: undefined }),
      adviceOf({ feature: 'c', count: 7, bought: 99_999 }),
      adviceOf({ feature: 'd', count: 6, bought: 0 }),
      adviceOf({ feature: 'e', count: 5, bought: undefined }),
    ]);
    const answer = ask({ columns }, { table });
    expect(answer.rows.map(({ utilisation, peak_share: peak }) => [utilisation, peak])).toEqual([
      [0.25, 1.25],
      [null, null],
      [null, null],
      [null, null],
      [null, null],
    ]);
    expect(answer.columns).toEqual(columns);
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
    const saving = `EUR ${sum.toLocaleString('en-US')} a year (with a price: ${saved.length} of ${couldGo})`;
    expect(saved.length).toBeGreaterThan(10);
    expect(notices).toEqual([
      `100 of 4,813 features, by saving; saving of all: ${saving}; 1 more feature may have licenses to spare, but that is not certain yet: it is in no total`,
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
    expect(columns).toEqual(['Licenses', 'Hours short a year', 'Advice', 'Saving', 'Currency']);
    expect(rows.slice(0, 4)).toEqual([
      { licenses: 18, hours_short_a_year: 0, advice: 'more than is kept', saving: 200, currency: 'EUR' },
      { licenses: 17, hours_short_a_year: 1, advice: 'more than is kept', saving: 300, currency: 'EUR' },
      { licenses: 16, hours_short_a_year: 4, advice: 'kept', saving: 400, currency: 'EUR' },
      { licenses: 15, hours_short_a_year: 13, advice: 'not advised', saving: null, currency: null },
    ]);
    const more = adviceOf({ enough: 17, count: 3 });
    const steps = ask({ shape: 'steps' }, { table: adviceTable([more]), entries: [priceEntry({})] }).rows;
    expect(steps.slice(1, 3)).toEqual([
      { licenses: 17, hours_short_a_year: 1, advice: 'kept', saving: 300, currency: 'EUR' },
      {
        licenses: 16,
        hours_short_a_year: 4,
        advice:
          'not advised: 16 were enough in the last year, but for 4 h; 17 are kept, because the coming year may need more',
        saving: null,
        currency: null,
      },
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
        permanent: 0,
        maintenance_only: null,
        notice_passed: 0,
        too_late: null,
        missing: 0,
        cost: null,
        contract: 100_200,
        covered: 100_200,
        with_a_price: 2,
        of: 3,
        features_that_could_go: 3,
        features_permanent: 0,
        features_too_late: 0,
        features_missing: 1,
        missing_with_a_price: 1,
        run_out_within_120_days: 0,
        provisional: 0,
        denials: 45,
        other_refusals: 10,
        year_ago_features: null,
        year_ago_short_features: null,
        year_ago_short_days: null,
        year_ago_short_longer: null,
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

  it('says what to do and what it comes to in the words of its totals, and leaves out features with nothing to do', async () => {
    const of = (feature: string, fields: Partial<KeptAdvice> = {}) => adviceOf({ feature, ...fields });
    const nothing = { count: undefined, confidence: 'high' } as const;
    const runsOut = { day: TODAY + 94, earliest: TODAY + 40, latest: undefined };
    const rows = [
      of('spare'),
      of('uncertain', { confidence: 'provisional' }),
      of('late'),
      of('owned'),
      of('short', { ...nothing, state: 'missing', count: 12 }),
      of('unpriced', { ...nothing, state: 'missing' }),
      of('idle', { ...nothing, state: 'unused' }),
      of('kept back', { ...nothing, state: 'reserved' }),
      of('growing', { ...nothing, state: 'tight', runsOut }),
      of('enough', { ...nothing, state: 'fine' }),
      of('new', { ...nothing, state: 'not enough data' }),
    ];
    const later = { renewal: TODAY + 200, noticeDays: 60 };
    const price = (feature: string, fields: Partial<PriceEntry>) => priceEntry({ feature, price: 100, ...fields });
    const entries = [
      ...['spare', 'uncertain', 'short'].map((feature) => price(feature, later)),
      price('late', { renewal: TODAY + 30, noticeDays: 60 }),
      price('owned', {}),
    ];
    const owned = { ...inventory.features[0], feature: 'owned', expiration: Number.POSITIVE_INFINITY };
    const known = { ...inventory, features: [owned] } as unknown as Inventory;
    const setup = { table: adviceTable(rows), entries, known };
    const columns = JSON.stringify(['feature', 'advice', 'money', 'act_by']);
    const asked = { columns, with: JSON.stringify(['Advice']), sort: 'Feature' };
    const said = (answer: Awaited<ReturnType<typeof askRows>>) =>
      answer.rows.map(({ feature, advice, money }) => [feature, advice, money]);
    const days = (await askRows({ ...asked, sort: 'Act by' }, setup)).rows.map((row) => [row.feature, row.act_by]);
    // the day of notice, else none: what is too late, permanent, or has no renewal stands last
    expect(days.slice(0, 3).sort()).toEqual(
      ['short', 'spare', 'uncertain'].map((feature) => [feature, dateText(TODAY + 140)]),
    );
    expect(days.slice(3).map(([, day]) => day)).toEqual(Array.from({ length: 6 }, () => null));
    expect(said(await askRows(asked, setup))).toEqual([
      ['growing', 'runs out 2027-02-20', null],
      ['idle', 'no use seen', null],
      ['kept back', 'reserved too many', null],
      ['late', '4, notice passed', 'EUR 400 too late'],
      ['owned', '4, permanent', null],
      ['short', '12 missing', 'costs EUR 1,200'],
      ['spare', '4 could go', 'saves EUR 400'],
      ['uncertain', '4, maybe', 'saves EUR 400'],
      ['unpriced', 'missing', null],
    ]);
    // who may not see prices sees no amount
    const hidden = said(await askRows(asked, { ...setup, showsPrices: false }));
    expect(hidden.map(([, , money]) => money)).toEqual(Array.from({ length: 9 }, () => null));
    expect(hidden).toHaveLength(9);
  });

  it('has what saves only maintenance, and what is too late, in columns and totals of their own', () => {
    const table = adviceTable(['a', 'p', 'l', 'o'].map((feature, i) => adviceOf({ feature, count: i + 1 })));
    const entries = [
      priceEntry({ feature: 'a', renewal: TODAY + 40, noticeDays: 30 }),
      priceEntry({ feature: 'l', renewal: TODAY + 40, noticeDays: 90 }),
      priceEntry({ feature: 'o', per: 'once', price: 5000 }),
      priceEntry({ feature: 'p' }),
    ];
    const permanent = (feature: string) =>
      ({ ...inventory.features[0], feature, expiration: Number.POSITIVE_INFINITY }) as FeatureRow;
    const known = { ...inventory, features: [permanent('p'), permanent('o')] } as unknown as Inventory;
    const answers = ask({}, { table, entries, known });
    expect(
      answers.rows.map((row) => [
        ...[row.feature, row.saving, row.maintenance_only, row.too_late],
        ...[row.renewal, row.notice, row.notice_state],
      ]),
    ).toEqual([
      ['a', 100, null, null, '2026-12-28', '2026-11-28', 'by'],
      ['o', null, null, null, null, null, 'permanent'],
      ['l', null, null, 300, '2026-12-28', '2026-09-29', 'passed'],
      ['p', null, 200, null, null, null, 'permanent'],
    ]);
    expect(answers.notices[0]).toBe(
      '4 features; saving of all: EUR 100 a year (with a price: 1 of 1); permanent licenses, which save only maintenance: EUR 200 a year (with a price: 1 of 2); too late for the next renewal: EUR 300 a year (with a price: 1 of 1)',
    );
    expect(ask({ shape: 'totals' }, { table, entries, known }).rows).toMatchObject([
      {
        ...{ currency: 'EUR', could_go: 1, saving: 100, permanent: 2, maintenance_only: 200, notice_passed: 3 },
        ...{ too_late: 300, with_a_price: 1, of: 1, features_that_could_go: 1, features_permanent: 2 },
        features_too_late: 1,
      },
      { currency: null, could_go: 0, saving: null, permanent: 4, maintenance_only: null, too_late: null },
    ]);
    // the dates are no prices, and what is too late is so for all users
    const hidden = ask({ shape: 'totals' }, { table, entries, known, showsPrices: false });
    expect(hidden.rows).toMatchObject([{ could_go: 1, permanent: 6, notice_passed: 3, saving: null, too_late: null }]);
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

const waiting = (feature: string, fields: Partial<KeptAdvice> = {}) =>
  adviceOf({
    feature,
    state: 'not enough data',
    count: undefined,
    confidence: 'none',
    reason: 'Not enough data: 5 of 13 weeks are recorded.',
    enoughFrom: TODAY + 50,
    ...fields,
  });
const none = (feature: string) => adviceOf({ feature, state: 'no advice', count: undefined, confidence: 'none' });

describe('totals', () => {
  const numbers = [
    ...['could_go', 'missing', 'with_a_price', 'of', 'features_that_could_go', 'features_missing'],
    ...['missing_with_a_price', 'run_out_within_120_days', 'provisional'],
  ];

  it('are not known while no feature has advice, and no 0', async () => {
    for (const rows of [[waiting('a'), none('b')], [none('a')], []]) {
      const table = adviceTable(rows);
      const [row] = ask({ shape: 'totals' }, { table }).rows;
      expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(numbers));
      for (const key of numbers) expect([key, row?.[key]]).toEqual([key, null]);
      expect((await askRows({ shape: 'totals' }, { table })).rows).toEqual([row]);
    }
  });

  it('are numbers as soon as one feature has advice', () => {
    const [row] = ask({ shape: 'totals' }, { table: adviceTable([waiting('a'), adviceOf({ state: 'fine' })]) }).rows;
    for (const key of numbers) expect([key, row?.[key]]).toEqual([key, 0]);
  });
});

describe('steps', () => {
  it('of a feature that lacks licenses, or has no advice, save nothing', () => {
    const of = (state: KeptAdvice['state']) => {
      const table = adviceTable([adviceOf({ state })]);
      return ask({ shape: 'steps' }, { table, entries: [priceEntry({})] }).rows;
    };
    expect(of('could go')[0]).toMatchObject({ licenses: 18, saving: 200, currency: 'EUR' });
    expect(of('fine')[0]).toMatchObject({ licenses: 20, advice: 'kept' });
    expect(of('missing').length).toBe(of('fine').length);
    expect(of('no advice')[0]).toMatchObject({ licenses: 18, advice: null });
    for (const row of [...of('missing'), ...of('fine'), ...of('no advice')]) {
      expect([row.saving, row.currency]).toEqual([null, null]);
    }
  });
});

describe('steps of a feature of which little is recorded', () => {
  it('have no row: hours of a year cannot be told from a few days', async () => {
    const table = adviceTable([waiting('solver')]);
    expect(ask({ shape: 'steps' }, { table }).rows).toEqual([]);
    const { rows } = await askRows({ shape: 'steps', columns: '["licenses","note"]' }, { table });
    expect(rows).toEqual([{ licenses: null, note: expect.stringContaining('Not enough data') }]);
  });
});

describe('the note', () => {
  const noteOf = async (parameters: Readonly<Record<string, string>>, rows: readonly KeptAdvice[], now = AT) => {
    const answer = await askRows({ columns: '["feature","note"]', ...parameters }, { table: adviceTable(rows), now });
    return answer.rows.map(({ feature, note }) => [feature, note]);
  };
  const day = dateText(TODAY + 50);

  it('says when there can be advice, for any state that is asked for', async () => {
    const text = `Not enough data until ${day}`;
    for (const parameters of [{ state: 'could go' }, { state: 'missing', none: 'None is missing' }]) {
      expect(await noteOf(parameters, [waiting('later', { enoughFrom: TODAY + 60 }), waiting('a'), none('b')])).toEqual(
        [[null, text]],
      );
    }
    expect(await noteOf({ state: 'not enough data' }, [waiting('a')])).toEqual([['a', null]]);
    // of the features that are asked for
    const both = [waiting('a'), adviceOf({ feature: 'b', state: 'fine' })];
    expect(await noteOf({ state: 'could go', feature: 'a' }, both)).toEqual([[null, text]]);
    expect(await noteOf({ state: 'could go' }, both)).toEqual([[null, 'Nothing']]);
    expect(await noteOf({ state: 'could go', none: 'None' }, [adviceOf({ state: 'fine' })])).toEqual([[null, 'None']]);
  });

  it('promises no date for what does not come with the advice', async () => {
    const rows = [waiting('a'), none('b')];
    const unused = 'Not enough data: no use must be recorded for 180 days';
    expect(await noteOf({ state: 'unused' }, rows)).toEqual([[null, unused]]);
    const denied = (denials: number | undefined) => waiting('a', { denials });
    const unknown = 'None is known, but there is no data about denials of 1 feature';
    expect(await noteOf({ with: 'Denials' }, [denied(undefined)])).toEqual([[null, unknown]]);
    expect(await noteOf({ with: 'Denials' }, [denied(0)])).toEqual([[null, 'Nothing']]);
    expect(await noteOf({ with: 'Denials' }, [denied(3), denied(0)])).toEqual([['a', null]]);
    // without proven growth, a feature is known not to run out
    const fine = adviceOf({ state: 'fine', runsOut: undefined });
    expect(await noteOf({ with: 'Runs out' }, [fine])).toEqual([[null, 'Nothing']]);
  });

  it('says what is not recorded, if no day can be said', async () => {
    const reason = 'Not enough data: 4 of the last 20 weeks are recorded and bought rose from 5 to 6.';
    const rows = [waiting('a', { enoughFrom: undefined, reason }), waiting('b')];
    const text = 'Not enough data yet: 5 of 13 weeks are recorded';
    expect(await noteOf({ state: 'could go' }, rows)).toEqual([[null, text]]);
    // the day has passed, and no pass since
    const later = await noteOf({ state: 'could go' }, [waiting('a')], AT + 51 * 86_400);
    expect(later).toEqual([
      [null, 'the advice is of 2026-11-17; later passes failed, see the log'],
      [null, text],
    ]);
  });

  it('says in the first pass that no use is recorded', async () => {
    const unrecorded = adviceOf({ feature: 'a', state: 'no advice', count: undefined, confidence: 'none', days: 0 });
    const text = 'Not enough data yet: no use is recorded';
    expect(await noteOf({ state: 'could go' }, [unrecorded])).toEqual([[null, text]]);
    // others have advice
    expect(await noteOf({ state: 'could go' }, [unrecorded, adviceOf({ state: 'fine' })])).not.toEqual([[null, text]]);
  });

  it('says that nothing is known of features without advice', async () => {
    const text = 'None is known, but there is no data about 1 feature';
    for (const more of [{ none: 'None' }, {}]) {
      const rows = [none('a'), adviceOf({ state: 'fine' })];
      expect(await noteOf({ state: 'could go', ...more }, rows)).toEqual([[null, text]]);
    }
  });

  it('says that old advice is old, before the rows', async () => {
    const warning = 'the advice is of 2026-11-17; later passes failed, see the log';
    expect(await noteOf({}, [adviceOf()], AT + 3 * 86_400)).toEqual([
      [null, warning],
      ['solver', null],
    ]);
  });

  it('says why a feature has no step', async () => {
    const of = async (rows: readonly KeptAdvice[]) =>
      (await askRows({ shape: 'steps', columns: '{licenses,note}' }, { table: adviceTable(rows) })).rows;
    const unknown = { hoursAtLeast: new Float64Array() };
    expect(await of([adviceOf({ ...unknown, reason: 'WHY.' })])).toEqual([{ licenses: null, note: 'WHY.' }]);
    expect(await of([waiting('a', unknown)])).toEqual([{ licenses: null, note: `Not enough data until ${day}` }]);
    expect((await of([adviceOf()]))[0]).toEqual({ licenses: 18, note: null });
  });

  it('says in place of an error that there is no advice yet', async () => {
    const { rows, total } = await askRows({ columns: '{feature,note}' }, { table: undefined });
    expect([rows, total]).toEqual([[{ feature: null, note: expect.stringContaining('it is expected after') }], 0]);
    await expect(askRows({ columns: 'feature' }, { table: undefined })).rejects.toThrow('it is expected after');
  });
});
