import { describe, expect, it } from 'vitest';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import { noOwners } from '../../../src/base/model/owners.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { combinationsOf } from '../../../src/site/grafana/answers/combinations.ts';
import { answerExpirations } from '../../../src/site/grafana/answers/expiration-answers.ts';
import { answerFeatures, boughtOf } from '../../../src/site/grafana/answers/feature-answers.ts';
import { withLiteralNames } from '../../../src/site/grafana/answers/known-data.ts';
import { flatRows, type Table, type TargetAnswer } from '../../../src/site/grafana/answers/panel-data.ts';
import { answerProducts } from '../../../src/site/grafana/answers/product-answers.ts';
import type { Query } from '../../../src/site/grafana/answers/query.ts';
import { readQuery } from '../../../src/site/grafana/answers/read-query.ts';
import { figuresOf } from '../../../src/site/grafana/answers/site-figures.ts';
import type { TargetName } from '../../../src/site/grafana/answers/targets.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import {
  answer,
  createSnapshot,
  expiration,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../support/scenario.ts';

/** What the tables of the last poll say about states, numbers of licenses, expiries and names. */

const DAY = 86_400;
const localTime = createLocalTime('Europe/Berlin');
const calendar = { localTime, owners: () => noOwners, isSaturated };

const inventoryOf = (parts: Scenario): Inventory =>
  deriveInventoryNow(createSnapshot(parts), NOW, { ...everything, usageWhenNotCurrent: 'withhold' as const });

const siteOf = (records: readonly Parameters<typeof feature>[0][]): Inventory =>
  inventoryOf({
    products: good(answer([product()])),
    down: good(answer([])),
    features: { [WHOLE]: good(answer(records.map(feature))) },
  });

const queryOf = (target: TargetName, payload: object): Query =>
  readQuery({
    target,
    payload: { ...payload },
    range: { from: undefined, to: undefined },
    filters: [],
    prefix: '',
  });

type Row = Readonly<Record<string, unknown>>;
const rowsOf = ({ items }: TargetAnswer): readonly Row[] => [...flatRows([items[0] as Table])];

const productsOf = async (payload: object, inventory: Inventory): Promise<readonly Row[]> =>
  rowsOf(answerProducts(queryOf('products', payload), inventory, calendar, await figuresOf(inventory, isSaturated)));

const featuresOf = (inventory: Inventory, payload: object = {}) => {
  const query = withLiteralNames(queryOf('features', { product: '%', ...payload }), inventory);
  return rowsOf(answerFeatures(query, inventory, calendar));
};

describe('features', () => {
  it('begin with the highest share in use; unknown and uncounted ones are last, by name', () => {
    const inventory = siteOf([
      { feature: 'half', maxAvailable: 10, inUse: 5 },
      { feature: 'unlimited', maxAvailable: 99_999, available: 99_000, inUse: 999 },
      { feature: 'typed', maxAvailable: 12, licenseType: 'uncounted', inUse: 1 },
      { feature: 'full', maxAvailable: 4, inUse: 4 },
      { feature: 'dark', maxAvailable: undefined, inUse: 3 },
      { feature: 'none', maxAvailable: 0, inUse: 0 },
    ]);
    const rows = featuresOf(inventory);
    expect(
      rows.map(({ feature: name, bought, share, max_available: most, available }) => [
        name,
        bought,
        share,
        most,
        available,
      ]),
    ).toEqual([
      ['full', '4', 1, 4, 2],
      ['half', '10', 0.5, 10, 2],
      ['dark', null, null, null, 2],
      ['none', '0', null, 0, 2],
      ['typed', 'uncounted', null, null, null],
      ['unlimited', 'uncounted', null, null, null],
    ]);
  });
});

describe('totals of features', () => {
  const totalsOf = (records: Parameters<typeof siteOf>[0]) => featuresOf(siteOf(records), { shape: 'totals' });

  it('are those of the rows; a feature without a known value is in the number of features alone', () => {
    expect(
      totalsOf([
        {
          feature: 'full',
          maxAvailable: 20,
          inUse: 19,
          maxQueued: 3,
          inactiveUse: 2,
          borrowedUse: 1,
          unusedReserve: 0,
        },
        {
          feature: 'half',
          maxAvailable: 20,
          inUse: 18,
          maxQueued: 1,
          inactiveUse: 0,
          borrowedUse: 4,
          unusedReserve: 5,
        },
        { feature: 'dark', maxAvailable: undefined, inUse: undefined, maxQueued: undefined, borrowedUse: undefined },
      ]),
    ).toMatchObject([{ features: 3, saturated: 1, in_use: 37, max_queued: 4, borrowed_use: 5 }]);
  });

  it('are unknown without any known value', () => {
    expect(totalsOf([{ inUse: undefined, maxQueued: undefined }])).toMatchObject([
      { features: 1, saturated: null, in_use: null, max_queued: null },
    ]);
  });
});

describe('20,000 features', () => {
  const large = siteOf(
    Array.from({ length: 20_000 }, (_, i) => ({
      feature: `simulated-feature-number-${i}`,
      maxAvailable: 100,
      inUse: i % 101,
      maxQueued: i,
    })),
  );
  const columns = ['Product', 'Feature', 'Version', 'Bought', 'In use', 'Share', 'Max queued', 'Expires'];
  const bytesOf = (payload: object): number => {
    const query = queryOf('features', { product: '%', ...payload });
    return Buffer.byteLength(JSON.stringify(answerFeatures(query, large, calendar).items));
  };

  it('are an answer of less than 2 MB with eight columns, and a small one with top', () => {
    expect(bytesOf({ columns })).toBeLessThan(2_000_000);
    expect(bytesOf({ columns, top: 100 })).toBeLessThan(20_000);
  });
});

describe('products', () => {
  const stateOf = async (record: Parameters<typeof product>[0], down = false): Promise<Row> => {
    const inventory = inventoryOf({
      products: good(answer([product(record)])),
      down: good(answer(down ? [{ label: 'lic01;cdslmd' }] : [])),
      features: { [WHOLE]: good(answer([feature()])) },
    });
    return (await productsOf({}, inventory))[0] ?? {};
  };

  it('have one word for their state; up only if it is known to be', async () => {
    expect((await stateOf({})).state).toBe('up');
    expect((await stateOf({}, true)).state).toBe('down');
    expect((await stateOf({ isCurrent: false })).state).toBe('outdated');
    expect((await stateOf({ isCurrent: false }, true)).state).toBe('down');
    expect((await stateOf({ isCurrent: undefined })).state).toBe('unknown');
    const noReading = inventoryOf({ products: good(answer([product()])) });
    const [row] = await productsOf({}, noReading);
    expect(row?.state).toBe('unknown');
  });

  it('know nothing before the first collection, even if the analyzer reports figures', async () => {
    const record = { collectionTime: undefined, distinctUsers: 0, minLicenseExpiration: NOW };
    expect(await stateOf(record, true)).toMatchObject({ state: 'down', up: false, collected: null });
    const row = await stateOf(record);
    expect(row).toMatchObject({ state: 'never collected', collected: null });
    const figures = ['distinct_users', 'active', 'inactive', 'mapped', 'max_available', 'expires', 'days_left'];
    expect(figures.map((name) => row[name])).toEqual(figures.map(() => null));
  });

  it('count no uncounted license', async () => {
    const most = async (maxAvailable: number, records: readonly Parameters<typeof feature>[0][]) => {
      const inventory = inventoryOf({
        products: good(answer([product({ maxAvailable })])),
        features: { [WHOLE]: good(answer(records.map(feature))) },
      });
      return (await productsOf({}, inventory))[0]?.max_available;
    };
    const unlimited = [{ feature: 'u', maxAvailable: 99_999 }, { feature: 'c' }];
    expect(await most(100_009, unlimited)).toBe(10);
    expect(await most(200_008, [...unlimited, { feature: 'v', maxAvailable: 99_999 }])).toBe(10);
    expect(await most(10, [{ feature: 'c' }])).toBe(10);
    // the uncounted feature is not known
    expect(await most(100_009, [{ feature: 'c' }])).toBeNull();
    // the analyzer does not add it
    expect(await most(10, unlimited)).toBe(10);
    // it has other licenses, the number of one of which is not known
    expect(await most(100_009, [...unlimited, { feature: 'v', maxAvailable: undefined }])).toBeNull();
    expect(await most(99_999, [{ feature: 'u', maxAvailable: 99_999 }])).toBeNull();
    // there are so many
    expect(await most(120_000, [{ feature: 'c', maxAvailable: 120_000 }])).toBe(120_000);
  });
});

describe('sums of features in products', () => {
  const columns = ['In use', 'Bought', 'Share', 'Next expiry', 'Ended'];
  const sumsOf = async (
    records: readonly Parameters<typeof feature>[0][],
    payload: object = { columns },
  ): Promise<Row> => (await productsOf(payload, siteOf(records)))[0] ?? {};

  it('are those of counted features whose usage is known, and the next expiry is in the future', async () => {
    expect(
      await sumsOf([
        { feature: 'a', maxAvailable: 10, inUse: 4, licenseExpiration: NOW + 40 * DAY },
        { feature: 'b', maxAvailable: 30, inUse: 6, licenseExpiration: NOW + 2 * DAY },
        { feature: 'ended', maxAvailable: 0, inUse: 0, licenseExpiration: NOW - DAY },
        { feature: 'unlimited', maxAvailable: 99_999, inUse: 999, licenseExpiration: Number.POSITIVE_INFINITY },
        { feature: 'dark', maxAvailable: 60, inUse: undefined, licenseExpiration: undefined },
      ]),
    ).toEqual({ in_use: 10, bought: 40, share: 0.25, next_expiry: dateText(localTime.dayOf(NOW + 2 * DAY)), ended: 1 });
  });

  it('are null where nothing is known, and not 0', async () => {
    const dark = { maxAvailable: undefined, inUse: undefined, licenseExpiration: undefined };
    expect(await sumsOf([{ feature: 'dark', ...dark }])).toEqual({
      in_use: null,
      bought: null,
      share: null,
      next_expiry: null,
      ended: null,
    });
    expect(await sumsOf([])).toEqual({ in_use: null, bought: null, share: null, next_expiry: null, ended: null });
  });

  it('are there only if they are asked for, to sort by as well', async () => {
    expect(await sumsOf([{ feature: 'a' }], {})).not.toHaveProperty('share');
    expect(await sumsOf([{ feature: 'a' }], { sort: '-Share', columns: ['Product'] })).toEqual({
      product: 'lic01;cdslmd',
    });
  });
});

describe('expirations', () => {
  const dates = {
    soon: NOW + 2 * DAY,
    later: NOW + 40 * DAY,
    old: NOW - 40 * DAY,
    recent: NOW - DAY,
    never: Number.POSITIVE_INFINITY,
    // 23:30 UTC on 31 January 2027 is February in Berlin
    february: Date.UTC(2027, 0, 31, 23, 30) / 1000,
    far: NOW + 1000 * DAY,
  };
  const inventory = inventoryOf({
    products: good(answer([product(), product({ product: 'b;d' })])),
    features: { [WHOLE]: good(answer([feature({ feature: 'dark', licenseExpiration: undefined })])) },
    expirations: {
      'lic01;cdslmd': good(
        answer(
          Object.entries(dates).map(([name, licenseExpiration]) => expiration({ feature: name, licenseExpiration })),
        ),
      ),
      'b;d': good(answer([expiration({ feature: 'soon', licenseExpiration: dates.soon - 60 })])),
    },
  });
  const answerOf = (payload: object) =>
    answerExpirations(queryOf('expirations', { product: 'lic01;cdslmd', ...payload }), inventory, calendar);
  const names = (payload: object) => rowsOf(answerOf(payload)).map(({ feature: name }) => name);

  it('begin with the next one, then the last one that ended, then permanent ones', () => {
    expect(names({})).toEqual(['soon', 'february', 'later', 'far', 'recent', 'old', 'never']);
    expect(names({ sort: 'Expires' })).toEqual(['old', 'recent', 'soon', 'february', 'later', 'far', 'never']);
  });

  it('have permanent ones in the order of their names, however many there are', () => {
    const many = Array.from({ length: 200 }, (_, i) => ({
      feature: `f${String(i).padStart(3, '0')}`,
      licenseExpiration: Infinity,
    }));
    const found = answerExpirations(queryOf('expirations', { product: '%' }), siteOf(many), calendar);
    expect(rowsOf(found).map(({ feature: name }) => name)).toEqual(many.map(({ feature: name }) => name));
  });

  it('are those of a status, and those within some days', () => {
    expect(names({ status: 'upcoming' })).toEqual(['soon', 'february', 'later', 'far']);
    expect(names({ status: ['ended', 'permanent'] })).toEqual(['recent', 'old', 'never']);
    expect(names({ within: 30 })).toEqual(['soon', 'february', 'recent']);
    expect(names({ within: 30, status: 'ended' })).toEqual(['recent']);
    expect(names({ within: 30, status: ['upcoming', 'permanent'] })).toEqual(['soon', 'february', 'never']);
  });

  it('name the vendor license where there are several, or where it is asked for', () => {
    const columns = (payload: object) => (answerOf(payload).items[0] as Table).columns.map(({ text }) => text);
    expect(columns({})[0]).toBe('Feature');
    expect(columns({ product: '%' })[0]).toBe('Product');
    expect(columns({ columns: ['Feature', 'Product', 'Owner'] })).toEqual(['Feature', 'Product']);
  });

  it('have a calendar of thirteen months, then later and permanent ones; those that ended are not in it', () => {
    const rows = rowsOf(answerOf({ product: '%', shape: 'months' }));
    const day = (at: number): string => dateText(localTime.dayOf(at));
    expect(rows.map(({ month }) => month)).toEqual([
      ...Array.from({ length: 12 }, (_, i) => `2027-${String(i + 1).padStart(2, '0')}`),
      '2028-01',
      'later',
      'permanent',
    ]);
    const counts = rows.map(({ month, licenses_expiring: count, vendor_licenses: owners, first }) => [
      month,
      count,
      owners,
      first,
    ]);
    expect(counts.filter(([, count]) => count !== 0)).toEqual([
      ['2027-01', 2, 2, day(dates.soon - 60)],
      ['2027-02', 2, 1, day(dates.february)],
      ['later', 1, 1, day(dates.far)],
      ['permanent', 1, 1, 'permanent'],
    ]);
    expect(counts[2]).toEqual(['2027-03', 0, 0, null]);
  });

  it('have totals: nearer expiries are in those of longer periods too', () => {
    const totals = (payload: object) => rowsOf(answerOf({ shape: 'totals', ...payload }));
    expect(totals({ product: '%' })).toEqual([
      {
        expired: 2,
        within_7_days: 2,
        within_21_days: 3,
        within_30_days: 3,
        within_90_days: 4,
        later: 1,
        permanent: 1,
        without_date: 1,
      },
    ]);
    expect(totals({ product: '%', status: ['upcoming'], columns: ['Expired', 'Later'] })).toEqual([
      { expired: 0, later: 1 },
    ]);
  });
});

describe('a name with %', () => {
  const inventory = siteOf([
    { feature: 'sim-100%' },
    { feature: 'sim-100x' },
    { feature: ' spaced ' },
    { feature: 'other' },
  ]);
  const asked = (payload: object) => {
    const {
      asked: combinations,
      notices,
      areSeveralFeatures,
    } = combinationsOf(queryOf('history', { product: 'lic01;cdslmd', ...payload }), inventory, false);
    return [combinations.map(({ feature: name }) => name), areSeveralFeatures, notices.map(({ text }) => text)];
  };

  it('is asked literally if the last poll has it', () => {
    // the analyzer cannot do that
    const warning = '"sim-100%": the analyzer adds up every name that matches, also sim-100x';
    expect(asked({ feature: 'sim-100%' })).toEqual([['sim-100%'], false, [warning]]);
    expect(asked({ feature: 'sim-10%' })).toEqual([['sim-100%', 'sim-100x'], true, [warning]]);
    expect(asked({ feature: ['sim-100%', 'oth%'] })).toEqual([['sim-100%', 'other'], true, [warning]]);
    expect(asked({ feature: '%' })[0]).toEqual([' spaced ', 'other', 'sim-100%', 'sim-100x']);
    const names = (payload: object) => featuresOf(inventory, payload).map(({ feature: name }) => name);
    expect(names({ filters: 'sim-100%' })).toEqual(['sim-100%']);
    expect(names({ filters: 'sim-10%' })).toEqual(['sim-100%', 'sim-100x']);
  });

  it('is a pattern if the payload says so', () => {
    expect(asked({ feature: 'sim-100%', pattern: true })[0]).toEqual(['sim-100%', 'sim-100x']);
    const names = featuresOf(inventory, { filters: 'sim-100%', pattern: 'true' }).map(({ feature: name }) => name);
    expect(names).toEqual(['sim-100%', 'sim-100x']);
  });

  it('needs no other one to be exact', () => {
    const alone = siteOf([{ feature: 'sim-100%' }, { feature: 'other' }]);
    const query = queryOf('history', { product: '%', feature: 'sim-100%' });
    expect(combinationsOf(query, alone, false).notices).toEqual([]);
  });

  it('can begin and end with a space', () => {
    expect(asked({ feature: ' spaced ' })[0]).toEqual([' spaced ']);
  });
});

describe('the licenses that are bought now of what a chart is about', () => {
  const inventory = siteOf([
    { feature: 'cad', maxAvailable: 10 },
    { feature: 'cad', version: '2', maxAvailable: 5 },
    { feature: 'cam', maxAvailable: 7, package: 'suite' },
    { feature: 'free', licenseType: 'uncounted', maxAvailable: undefined },
    { feature: 'new', maxAvailable: undefined },
  ]);
  const of = (name: string, more: object = {}, known: Inventory | undefined = inventory) => {
    const query = queryOf('heatmap', { product: 'lic01;cdslmd', feature: name, ...more });
    return boughtOf(query, { product: 'lic01;cdslmd', feature: name }, known);
  };

  it('are those of all versions and packages', () => {
    expect([of('cad'), of('cam'), of('cam', { package: 'suite' }), of('ca%')]).toEqual([15, 7, 7, 22]);
    expect(of('%', { package: 'suite', wildcard: 'upstream' })).toBe(7);
  });

  it('are not known if those of one are not, or if one is uncounted', () => {
    const all = [
      of('free'),
      of('new'),
      of('%'),
      of('none'),
      of('cad', { type: 'package' }),
      of('cad', { package: 'x' }),
    ];
    expect(all).toEqual(all.map(() => unknown));
    const query = queryOf('heatmap', { product: 'lic01;cdslmd', feature: 'cad' });
    expect(boughtOf(query, { product: 'lic01;cdslmd', feature: 'cad' }, undefined)).toBe(unknown);
    expect(boughtOf(query, { product: 'lic02;mlm', feature: 'cad' }, inventory)).toBe(unknown);
  });
});

describe('what the analyzer is asked if there are too many combinations', () => {
  const many = siteOf(
    Array.from({ length: 30 }, (_, i) => ({
      feature: `f${String(i).padStart(2, '0')}`,
      maxAvailable: 30,
      maxInUse: i,
      inUse: i,
      maxQueued: i === 3 ? 1 : 0,
    })),
  );
  const asked = (target: TargetName, payload: object) => combinationsOf(queryOf(target, payload), many, false);

  it('are all of them for what was, and of users those with requests waiting, then those with the highest share in use', () => {
    expect(asked('history', { product: 'lic01;cdslmd', feature: '%' }).asked).toHaveLength(30);
    for (const name of ['%', Array.from({ length: 30 }, (_, i) => `f${String(i).padStart(2, '0')}`)]) {
      const { asked: shown, total, choice } = asked('users', { product: 'lic01;cdslmd', feature: name });
      expect(shown.map(({ feature: f }) => f)).toEqual(['f03', ...Array.from({ length: 19 }, (_, i) => `f${29 - i}`)]);
      // a name is asked, and of those of a pattern only one that is in use
      expect([total, choice]).toEqual([
        name === '%' ? 29 : 30,
        'those with the most requests waiting and the highest share in use at the last poll',
      ]);
    }
  });

  it('are, for rows of users, 1,000 of an analyzer in this process and 100 of another one, those with most in use first', () => {
    const whole = siteOf(
      Array.from({ length: 1200 }, (_, i) => ({
        feature: `f${i}`,
        maxAvailable: i === 7 ? 1 : 5000,
        inUse: i === 7 ? 1 : i + 10,
        maxQueued: i === 5 ? 3000 : 0,
      })),
    );
    const query = readQuery({
      ...{ target: 'users', payload: { product: '%', feature: '%' }, filters: [], prefix: '', isForRows: true },
      range: { from: undefined, to: undefined },
    });
    for (const [isHere, most] of [[true, 1000] as const, [false, 100] as const]) {
      const { asked: shown, total, choice } = combinationsOf(query, whole, isHere);
      expect([shown.length, total, choice]).toEqual([
        most,
        1200,
        'those with the most licenses in use and requests waiting at the last poll',
      ]);
      expect(shown.slice(0, 3).map(({ feature: f }) => f)).toEqual(['f5', 'f1199', 'f1198']);
    }
  });

  it('are, for users, none of those that nobody uses', () => {
    const idle = siteOf([
      { feature: 'used', inUse: 1, maxQueued: 0 },
      { feature: 'waited', inUse: 0, maxQueued: 1 },
      { feature: 'idle', inUse: 0, maxQueued: 0 },
      { feature: 'unknown', inUse: undefined, maxQueued: 0 },
    ]);
    const of = (payload: object) => {
      const { asked: shown, notices } = combinationsOf(queryOf('users', { product: '%', ...payload }), idle, false);
      return [shown.map(({ feature: f }) => f), notices.map(({ text }) => text)];
    };
    const left = ['left out: 1 without a user at the last poll'];
    expect(of({ feature: '%' })).toEqual([['unknown', 'used', 'waited'], left]);
    // a name is always asked
    expect(of({ feature: 'idle' })).toEqual([['idle'], []]);
  });

  it('leave out, of idle checkouts, features of which it is known that none is idle', () => {
    const active = feature({ feature: 'active', inUse: 2, inactiveUse: 0 });
    const idle = feature({ feature: 'idle', inUse: 2, inactiveUse: 1 });
    const unsaid = feature({ feature: 'unsaid', inUse: 2, inactiveUse: undefined });
    const site = inventoryOf({
      products: good(answer([product()])),
      features: { [WHOLE]: good(answer([active, idle, unsaid])) },
    });
    const query = queryOf('users', { product: '%', feature: '%', with: ['Idle for'] });
    const { asked: shown, notices } = combinationsOf(query, site, false);
    expect(shown.map((one) => one.feature)).toEqual(['idle', 'unsaid']);
    expect(notices.map(({ text }) => text)).toEqual(['left out: 1 without an idle checkout at the last poll']);
  });
});
