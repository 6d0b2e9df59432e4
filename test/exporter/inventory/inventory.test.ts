import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTRADICTION } from '../../../src/base/model/failure.ts';
import type { FeatureRecord } from '../../../src/base/model/records.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import { type Figure, unknown } from '../../../src/base/model/unknown.ts';
import { type Inventory, type InventoryPolicy, nextAgeOut } from '../../../src/exporter/inventory/inventory.ts';
import { createSelection } from '../../../src/exporter/inventory/selection.ts';
import { deriveInventoryNow, everything, featureAt } from '../../support/derived-inventory.ts';
import {
  answer,
  createSnapshot,
  expiration,
  failed,
  feature,
  good,
  NOW,
  product,
  type Scenario,
} from '../../support/scenario.ts';

const policy: InventoryPolicy = {
  ...everything,
  usageWhenNotCurrent: 'withhold',
};

const derive = (scenario: Scenario, now = NOW, changed: Partial<InventoryPolicy> = {}): Inventory =>
  deriveInventoryNow(createSnapshot(scenario), now, { ...policy, ...changed });

const licenses = ({ vendorLicenses }: Inventory) =>
  Object.fromEntries([...vendorLicenses].map((entry) => [entry.vendorLicense, entry]));
const poll = ({ polls }: Inventory, endpoint: string) => polls.find((state) => state.endpoint === endpoint);

describe('vendor licenses', () => {
  it('have the time of their collection in both clocks', () => {
    const rowOf = (collectionTime: number | undefined, ahead: object = {}) => {
      const products = good({ ...answer([product({ collectionTime })]), ...ahead });
      const [row] = derive({ products }).vendorLicenses;
      return [row?.collectionTime, row?.collectedAt];
    };
    expect(rowOf(NOW - 60)).toEqual([NOW - 60, NOW - 60]);
    expect(rowOf(NOW - 60, { clockAhead: -7200 })).toEqual([NOW - 60, NOW + 7140]);
    expect(rowOf(undefined, { clockAhead: 7200 })).toEqual([unknown, unknown]);
  });

  it('merge products that differ only in the third part', () => {
    const inventory = derive({
      products: good(
        answer([
          product({
            product: 'a;b',
            distinctUsers: 3,
            maxAvailable: 5,
            isCurrent: true,
            collectionTime: 100,
            minLicenseExpiration: Number.POSITIVE_INFINITY,
          }),
          product({
            product: 'A;B;site2',
            distinctUsers: 7,
            maxAvailable: 6,
            active: undefined,
            collectionTime: 50,
            minLicenseExpiration: 900,
          }),
        ]),
      ),
    });
    expect(inventory.vendorLicenses.length).toBe(1);
    expect(licenses(inventory)['a;b']).toMatchObject({
      distinctUsers: 7,
      maxAvailable: 11,
      collectionTime: 50,
      minLicenseExpiration: 900,
      isCurrent: true,
    });
    // a sum with an unknown value is unknown
    expect(licenses(inventory)['a;b']?.active).toBe(unknown);
    expect(poll(inventory, 'GetProducts')?.mergedRecords).toBe(1);
  });

  it('show labels of GetServerDown in the spelling of GetProducts, and unknown ones unchanged', () => {
    const inventory = derive({
      products: good(answer([product({ product: 'Lic01;Cdslmd' }), product({ product: 'x;y' })])),
      down: good(answer([{ label: 'LIC01;cdslmd;part' }, { label: 'gone;d' }])),
    });
    expect(
      [...inventory.vendorLicenses].map(({ vendorLicense, up, downQualifiers }) => [vendorLicense, up, downQualifiers]),
    ).toEqual([
      ['Lic01;Cdslmd', false, ['part']],
      ['gone;d', false, ['']],
      ['x;y', true, []],
    ]);
  });

  it('are up or down only with a fresh GetServerDown and the last good GetProducts', () => {
    const products = failed({ at: NOW - 9000, value: answer([product({ product: 'a;b' })]) });
    expect(licenses(derive({ products, down: good(answer([])) }))['a;b']).toMatchObject({
      up: true,
      isReported: false,
    });
    expect(
      derive({ products, down: failed({ at: NOW - 9000, value: answer([{ label: 'a;b' }]) }) }).vendorLicenses.length,
    ).toBe(0);
  });

  it('stay without data while an incomplete list lacks them', () => {
    const record = product({ product: 'a;b' });
    const list = { ...answer([record], { bad_record: 1 }), notListed: [{ product: 'c;d', since: NOW - 60 }] };
    const incomplete = (incompleteSince: number) =>
      derive({ products: good({ ...list, incompleteSince }), down: good(answer([])) });
    const inventory = incomplete(NOW - 60);
    expect(licenses(inventory)).toMatchObject({
      'a;b': { isReported: true, up: true },
      'c;d': { isReported: false, up: undefined, collectionTime: unknown },
    });
    expect(inventory.spellings.get('c;d')).toEqual(['c;d']);
    expect(poll(inventory, 'GetProducts')?.isIncomplete).toBe(true);
    // what is missing is gone after a day
    expect([NOW - 60, NOW - 86_400].map((since) => incomplete(since).knowledge.products)).toEqual([false, true]);
  });

  it('have no data while one of their records may be missing', () => {
    const list = answer([product({ product: 'a;b' })], { bad_record: 1 });
    const notListed = [{ product: 'a;b;part', since: NOW }];
    const inventory = derive({ products: good({ ...list, notListed }), down: good(answer([])) });
    expect(licenses(inventory)['a;b']).toMatchObject({ isReported: false, up: undefined });
  });

  it('are not known to be up while GetProducts lists nothing, which is not accepted yet', () => {
    const last = { at: NOW - 60, value: answer([product()]) };
    const upWith = (code: string) =>
      derive({ products: failed(last, code), down: good(answer([])) }).vendorLicenses.map(({ up }) => up);
    expect(upWith(CONTRADICTION)).toEqual([undefined]);
    expect(upWith('ECONNREFUSED')).toEqual([true]);
  });

  it('are not known to be up while GetServerDown has unusable records', () => {
    const products = good(answer([product({ product: 'a;b' }), product({ product: 'c;d' })]));
    const found = licenses(derive({ products, down: good(answer([{ label: 'a;b' }], { bad_record: 1 })) }));
    expect([found['a;b']?.up, found['c;d']?.up]).toEqual([false, undefined]);
  });

  it.each([
    [
      'not current, and its icon says that the server is down',
      { isCurrent: false, mappingIcon: 'ServerDown' },
      undefined,
    ],
    ['not current for another reason', { isCurrent: false, mappingIcon: '' }, true],
    ['current', { isCurrent: true, mappingIcon: 'ServerDown' }, true],
  ])('with an empty GetServerDown are up unless GetProducts contradicts it: %s', (_, fields, up) => {
    const products = good(answer([product({ product: 'a;b', ...fields })]));
    const [row] = derive({ products, down: good(answer([])) }).vendorLicenses;
    expect(row?.up).toBe(up);
    // a list that names another server works
    const listed = derive({ products, down: good(answer([{ label: 'c;d' }])) });
    expect(licenses(listed)['a;b']?.up).toBe(true);
  });

  it.each([
    ['not current', product({ product: 'a;b', isCurrent: false }), []],
    ['listed as down', product({ product: 'a;b' }), [{ label: 'A;B' }]],
  ])('withhold usage if they are %s', (_, record, labels) => {
    const scenario: Scenario = {
      products: good(answer([record])),
      down: good(answer(labels)),
      features: { [WHOLE]: good(answer([feature({ serverName: 'a', daemon: 'b' })])) },
    };
    const inventory = derive(scenario);
    expect(licenses(inventory)['a;b']).toMatchObject({
      maxAvailable: 40,
      distinctUsers: unknown,
      active: unknown,
    });
    expect(featureAt(inventory.features, 0)).toMatchObject({
      maxAvailable: 10,
      tokenCostValue: 0,
      inUse: unknown,
      available: unknown,
      maxQueued: unknown,
      logInUse: unknown,
    });
    expect(featureAt(inventory.features, 0).expiration).toBe(NOW + 86_400);
    expect(featureAt(derive(scenario, NOW, { usageWhenNotCurrent: 'export' }).features, 0).inUse).toBe(6);
  });
});

describe('features', () => {
  it('belong to the vendor license that they name or that was requested', () => {
    const products = good(answer([product({ product: 'Lic;D;part' }), product({ product: 'other;d' })]));
    const whole = derive({
      products,
      features: {
        [WHOLE]: good(
          answer([feature({ serverName: 'LIC', daemon: 'd' }), feature({ serverName: 'new', daemon: 'n' })]),
        ),
      },
    });
    expect([...whole.features].map(({ vendorLicense }) => vendorLicense)).toEqual(['Lic;D', 'new;n']);
    const asked = derive({
      products,
      features: { 'other;d': good(answer([feature({ serverName: 'any', daemon: '' })])) },
    });
    expect([...asked.features].map(({ vendorLicense }) => vendorLicense)).toEqual(['other;d']);
  });

  it('with the same labels are merged, also from two parts', () => {
    const a = feature({
      inUse: 2,
      maxAvailable: 5,
      distinctUsers: 4,
      licenseExpiration: Number.POSITIVE_INFINITY,
      showExpired: false,
      availableUser: false,
      logInUse: 0.1,
      mappedTo: 'b',
    });
    const b = feature({
      inUse: 3,
      maxAvailable: undefined,
      distinctUsers: 2,
      licenseExpiration: 50,
      showExpired: true,
      availableUser: true,
      logInUse: 0.9,
      mappedTo: 'a',
    });
    const inventory = derive({ features: { 'x;y;1': good(answer([a])), 'x;y;2': good(answer([b])) } });
    expect(inventory.features.length).toBe(1);
    expect(featureAt(inventory.features, 0)).toMatchObject({
      inUse: 5,
      maxAvailable: unknown,
      distinctUsers: 4,
      expiration: 50,
      expired: true,
      availableUser: true,
      logInUse: 0.9,
      mappedTo: 'a',
    });
    expect(poll(inventory, 'GetFeatures')?.mergedRecords).toBe(1);
  });

  it('are permanent only if every record is, and otherwise expire with the earliest record', () => {
    const never = Number.POSITIVE_INFINITY;
    const merged = (...ends: readonly (number | undefined)[]) => {
      const products = good(answer(ends.map((end, i) => product({ product: `a;b;${i}`, minLicenseExpiration: end }))));
      const features = { [WHOLE]: good(answer(ends.map((end) => feature({ licenseExpiration: end })))) };
      const expirations = {
        'lic01;cdslmd': good(
          answer(
            ends.map((end) => expiration({ feature: 'other', licenseExpiration: end, minLicenseExpiration: end })),
          ),
        ),
      };
      const { vendorLicenses, features: entries } = derive({ products, features, expirations });
      const [base, other] = entries;
      const ab = vendorLicenses.find(({ vendorLicense }) => vendorLicense === 'a;b');
      return [ab?.minLicenseExpiration, base?.expiration, other?.expiration, other?.minExpiration];
    };
    const all = (end: Figure) => [end, end, end, end];
    expect(merged(undefined, never)).toEqual(all(unknown));
    expect(merged(never, undefined, never)).toEqual(all(unknown));
    expect(merged(never, never)).toEqual(all(never));
    expect(merged(NOW, undefined, never)).toEqual(all(NOW));
    expect(merged(never, undefined, NOW)).toEqual(all(NOW));
    expect(merged(undefined, NOW)).toEqual(all(NOW));
  });

  it('take their expiry from GetExpirationFeatures, or else from GetFeatures', () => {
    const inventory = derive({
      features: {
        [WHOLE]: good(
          answer([
            feature({ licenseExpiration: 11, showWarning: true }),
            feature({ feature: 'only', licenseExpiration: 22 }),
          ]),
        ),
      },
      expirations: {
        'lic01;cdslmd': good(
          answer([
            expiration({ licenseExpiration: 33, minLicenseExpiration: 30, showWarning: false }),
            expiration({ feature: 'unused' }),
          ]),
        ),
      },
    });
    expect(
      [...inventory.features].map((entry) => [
        entry.feature,
        entry.expiration,
        entry.minExpiration,
        entry.expirationWarning,
      ]),
    ).toEqual([
      ['base', 33, 30, false],
      ['only', 22, unknown, true],
      ['unused', NOW + 86_400, NOW + 3600, true],
    ]);
    expect(featureAt(inventory.features, 2).isReported).toBe(false);
  });

  it('are left out if another shard owns them', () => {
    const scenario: Scenario = {
      features: { [WHOLE]: good(answer([feature(), feature({ serverName: 'x' }), feature({ feature: 'no' })])) },
    };
    const shard = { index: 0, total: 1 };
    const owned = derive(scenario, NOW, createSelection({ shard, include: [], exclude: [/^x;/, /^no$/] }));
    expect([...owned.features].map(({ vendorLicense, feature: name }) => [vendorLicense, name])).toEqual([
      ['lic01;cdslmd', 'base'],
    ]);
  });
});

describe('age', () => {
  const old = (age: number) => ({ at: NOW - age, value: answer([feature()]) });

  it('removes each part separately', () => {
    const features = { 'a;b': failed(old(899)), 'c;d': failed(old(901)), 'e;f': good(answer([feature()])) };
    expect([...derive({ features }).features].map(({ vendorLicense }) => vendorLicense)).toEqual(['a;b', 'e;f']);
    expect(nextAgeOut(createSnapshot({ features }), NOW)).toBe(NOW + 1);
    // as long as it is shown, it will be too old at some time
    expect(nextAgeOut(createSnapshot({ features }), NOW + 1)).toBe(NOW + 1);
  });

  it('removes everything that is too old, and then has no next time', () => {
    const scenario: Scenario = { features: { 'a;b': failed(old(2000)) }, users: failed({ at: NOW - 301, value: 4 }) };
    const inventory = derive(scenario);
    expect(inventory).toMatchObject({ concurrentUsers: unknown, up: false });
    expect(inventory.features.length).toBe(0);
    expect(nextAgeOut(createSnapshot(scenario), NOW)).toBeUndefined();
  });
});

describe('polls', () => {
  it('leave out endpoints that are absent or off, but not their data', () => {
    const snapshot = createSnapshot({ products: good(answer([product()])), users: failed({ at: NOW - 60, value: 3 }) });
    const users = snapshot.endpoints.GetConcurrentUsers;
    const endpoints = {
      ...snapshot.endpoints,
      ...(users !== undefined && { GetConcurrentUsers: { ...users, isAbsent: true as const } }),
    };
    const inventory = deriveInventoryNow({ ...snapshot, endpoints, off: ['GetServerDown'] }, NOW, policy);
    expect(inventory.polls.map(({ endpoint }) => endpoint)).toEqual(['GetProducts']);
    expect([inventory.up, inventory.concurrentUsers]).toEqual([true, 3]);
    expect(inventory.availability).toEqual([
      { endpoint: 'GetConcurrentUsers', state: 'absent' },
      { endpoint: 'GetProducts', state: 'polled' },
      { endpoint: 'GetServerDown', state: 'off' },
    ]);
  });

  it('are up when every endpoint got at least one good answer', () => {
    const products = good(answer([product()]));
    const partly = derive({ products, features: { a: failed(), b: good(answer([feature()])) } });
    expect(partly.up).toBe(true);
    expect(poll(partly, 'GetFeatures')).toMatchObject({ success: false, answered: true });
    // if the others failed, an empty answer, such as that of a server that is down, does not count
    expect(derive({ products, features: { a: failed(), b: good(answer([])) } }).up).toBe(false);
    expect(derive({ products, features: { b: good(answer([])) } }).up).toBe(true);
    expect(derive({ products, features: { a: failed() } }).up).toBe(false);
    expect(derive({ products, features: {} }).up).toBe(false);
    expect(derive({}).up).toBe(false);
  });

  it('are not up with nothing that is listed or selected, unless a shard has none', () => {
    const products = good(answer([product({ product: 'lic1;d' }), product({ product: 'lic2;d' })]));
    const selecting = (
      rules: { include?: readonly RegExp[]; exclude?: readonly RegExp[] },
      shard = { index: 0, total: 1 },
    ) => {
      const { up, emptiness } = derive(
        { products },
        NOW,
        createSelection({ shard, include: [], exclude: [], ...rules }),
      );
      return { up, emptiness };
    };
    expect(selecting({ include: [/^lic.*;ansyslmd$/] })).toEqual({ up: false, emptiness: 'not selected' });
    expect(selecting({ exclude: [/^lic/] })).toEqual({ up: false, emptiness: 'not selected' });
    expect(selecting({ include: [/^lic1;/] })).toEqual({ up: true, emptiness: undefined });
    // two vendor licenses in a hundred shards: most have none
    const shards = Array.from({ length: 100 }, (_, index) => selecting({}, { index, total: 100 }));
    expect(shards.every(({ up, emptiness }) => up && emptiness === undefined)).toBe(true);
    expect(selecting({ include: [/^x/] }, { index: 3, total: 100 }).up).toBe(false);
    expect(derive({ products: good(answer([])) })).toMatchObject({ up: false, emptiness: 'not listed' });
    // a poll that fails says nothing of it
    expect(derive({ products: failed() })).toMatchObject({ up: false, emptiness: undefined });
  });

  it('count records and discarded values', () => {
    const features = {
      a: good(answer([feature(), feature()], { nan: 2 }, ['maxAvailable', 'x'])),
      b: failed({ at: NOW - 5, value: answer([feature()], { nan: 1, bad_record: 4 }, ['maxAvailable']) }),
    };
    expect(poll(derive({ features, users: good(7) }), 'GetFeatures')).toMatchObject({
      records: 3,
      // a field counts once, even if several answers have it
      discarded: { nan: 3, bad_record: 4, negative: 0, unknown_field: 2 },
    });
    expect(poll(derive({ users: good(7) }), 'GetConcurrentUsers')?.records).toBe(1);
  });
});

it('sums of random records equal the simple sums, in any order', () => {
  const record = fc
    .record({ feature: fc.constantFrom('a', 'b'), version: fc.constantFrom('', '1'), inUse: fc.nat(9) })
    .map((fields) => feature(fields as Partial<FeatureRecord>));
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), (records) => {
      const { features } = derive({ features: { [WHOLE]: good(answer(records)) } });
      const expected = new Map<string, number>();
      for (const { feature: name, version, inUse = 0 } of records)
        expected.set(`${name}|${version}`, (expected.get(`${name}|${version}`) ?? 0) + inUse);
      expect(new Map(Iterator.from(features).map((row) => [`${row.feature}|${row.version}`, row.inUse]))).toEqual(
        expected,
      );
      const keys = Iterator.from(features).map(({ key }) => key);
      const sorted = [...features].map(({ key }) => key).sort();
      expect([...keys]).toEqual(sorted);
    }),
  );
});
