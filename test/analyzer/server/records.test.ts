import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDown } from '../../../src/analyzer/history/collector.ts';
import { earliestOf, isExpired, PERMANENT } from '../../../src/analyzer/history/usage.ts';
import { getExpirationFeatures } from '../../../src/analyzer/server/expiration-records.ts';
import { findPools, toFeature } from '../../../src/analyzer/server/feature-records.ts';
import { getConcurrentUsers, getProducts, getServerDown } from '../../../src/analyzer/server/product-records.ts';
import type { Checkout, Collected, PoolObservation } from '../../../src/base/model/observation/observation.ts';
import type { Fields } from '../../../src/base/query-api/field.ts';
import { readJson, writeJson } from '../../../src/base/query-api/json.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;

const user = fc.constantFrom('sim-ann', 'SIM-ANN', 'sim-bob', 'sim-jürgen', 'SIM-JÜRGEN');
const licenses = fc.integer({ min: 1, max: 4 });
const moment = fc.integer({ min: NOW - 5 * DAY, max: NOW });

/** Something that a source may not know. */
const unlessUnknown = <T>(known: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(known, { nil: undefined, freq: 9 });

const checkout: fc.Arbitrary<Checkout> = fc.record({
  user,
  host: fc.constant('sim-ws1'),
  display: fc.constant(':0'),
  since: moment,
  licenses,
  handle: fc.nat({ max: 999 }).map(String),
  shareHandle: fc.constant(undefined),
  borrowed: fc.boolean(),
  status: fc.option(
    fc.record({
      state: fc.constantFrom('active', 'inactive', 'suspended', 'terminated', 'blocked'),
      seconds: fc.nat({ max: 900 }),
    }),
    { nil: undefined },
  ),
});

const pool: fc.Arbitrary<PoolObservation> = fc.record(
  {
    feature: fc.constantFrom('sim-a', 'sim-A', 'sim-a%b', 'NaN'),
    version: fc.constantFrom('', '1.0', '2.0'),
    package: fc.constantFrom('', 'sim-suite', 'sim-Suite'),
    featureType: fc.constantFrom('feature', 'package', 'component'),
    licenseType: fc.constantFrom('floating', 'node-locked', 'uncounted'),
    licenseModel: fc.constantFrom('concurrent', 'token', 'named'),
    token: fc.oneof(
      fc.constant('unknown' as const),
      fc.record({ pool: fc.constant('sim-tokens'), source: fc.constant('s;d'), cost: fc.integer({ min: 1, max: 9 }) }),
    ),
    mappedTo: fc.constantFrom('sim-cad', 'sim-mesh'),
    increments: fc.array(
      fc.record({
        count: fc.oneof(
          { weight: 10, arbitrary: fc.integer({ min: 0, max: 40 }) },
          { weight: 2, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
          fc.constant(undefined),
        ),
        expires: fc.option(
          fc.oneof(
            fc.integer({ min: NOW - 40 * DAY, max: NOW + 60 * DAY }),
            fc.constantFrom(NOW - 1, NOW, NOW + 30 * DAY, NOW + 30 * DAY + 1, 'unknown' as const),
          ),
          { nil: undefined },
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    inUse: fc.nat({ max: 20 }),
    available: fc.nat({ max: 20 }),
    reservations: unlessUnknown(
      fc.array(
        fc.integer({ min: 1, max: 5 }).chain((size) =>
          fc.record({
            holder: fc.constant('sim-group'),
            licenses: fc.constant(size),
            used: fc.integer({ min: 0, max: size }),
          }),
        ),
        { maxLength: 2 },
      ),
    ),
    unusedReserve: fc.nat({ max: 5 }),
    usedReserve: fc.nat({ max: 5 }),
    reserved: fc.integer({ min: 5, max: 9 }),
    checkouts: fc.array(checkout, { maxLength: 5 }),
    unknownOfCheckouts: fc.subarray(['list', 'borrowed', 'status'] as const),
    queued: unlessUnknown(
      fc.array(fc.record({ user, host: fc.constant('sim-ws1'), since: moment, licenses }), { maxLength: 2 }),
    ),
    denials: unlessUnknown(fc.nat({ max: 3 })),
  },
  {
    requiredKeys: [
      'feature',
      'version',
      'package',
      'featureType',
      'licenseType',
      'licenseModel',
      'increments',
      'reservations',
      'checkouts',
      'queued',
      'denials',
    ],
  },
);

const collected: fc.Arbitrary<Collected> = fc
  .record({
    server: fc.constantFrom('sim-lic01', 'sim-LIC01', 'sim-größe'),
    part: fc.constantFrom('', 'sim-b'),
    pools: fc.array(pool, { maxLength: 5 }),
    collectedAt: fc.constantFrom(0, NOW - 3600, NOW - 1800, NOW - 1799, NOW),
    isEmpty: fc.boolean(),
  })
  .map(({ server, part, pools, collectedAt, isEmpty }) => ({
    source: '',
    name: part === '' ? `${server};d` : `${server};d;${part}`,
    collectedAt,
    observation: {
      server,
      daemon: 'd',
      part,
      reachable: collectedAt > 0,
      pools,
      ...(isEmpty && { isKnownToBeEmpty: true as const }),
    },
  }));
const site = fc.array(collected, { maxLength: 4 });

const pattern = (...texts: string[]): fc.Arbitrary<string | undefined> => fc.constantFrom(undefined, '%', ...texts);
const products = pattern('sim-lic01;d', 'sim-%', '%;d', 'sim-LIC01%', 'none', '%größe%');
const packages = pattern('sim-suite', 'sim-_uite', '%uite');
const features = pattern('sim-a', 'sim-a%b', 'NaN', '%A', 'nan');
const users = pattern('sim-ann', '%ANN', 'nobody');

/** The parameters that are given. */
const given = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** A slow, obvious matcher: every way to spread the text over the pattern. */
function matches(text: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === '') return text === '';
  if (wanted.startsWith('%')) return matches(text, wanted.slice(1)) || (text !== '' && matches(text.slice(1), wanted));
  return text[0] === wanted[0] && matches(text.slice(1), wanted.slice(1));
}

const count = <T>(items: readonly T[], is: (item: T) => boolean): number =>
  items.reduce((n, item) => (is(item) ? n + 1 : n), 0);
const total = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
const isActive = (c: Checkout): boolean => c.status?.state === 'active';
const isInactive = (c: Checkout): boolean => c.status !== undefined && c.status.state !== 'active';
const isUnknown = (c: Checkout): boolean => c.status === undefined;
const log = (value: number | undefined): number =>
  value === undefined ? Number.NaN : value === 0 || value === 1 ? 0 : Math.log10(value);
const namesOf = (checkouts: readonly Checkout[]): number => new Set(checkouts.map((c) => c.user.toLowerCase())).size;

function capacity(of: PoolObservation): number | undefined {
  let sum: number | undefined = 0;
  for (const { count: n, expires } of of.increments) {
    if (typeof expires === 'number' && expires < NOW) continue;
    if (n === Number.POSITIVE_INFINITY) return 99_999;
    sum = n === undefined || sum === undefined ? undefined : sum + n;
  }
  // one that is uncounted may come after one that is not known
  const isUncounted = of.increments.some(
    ({ count: n, expires }) => n === Number.POSITIVE_INFINITY && !(typeof expires === 'number' && expires < NOW),
  );
  return isUncounted ? 99_999 : sum;
}
function counted(pools: readonly PoolObservation[]): number | undefined {
  const numbers = pools.flatMap((p) => (p.licenseType === 'uncounted' || capacity(p) === 99_999 ? [] : [capacity(p)]));
  return numbers.length === 0 && pools.length > 0 ? undefined : totalKnown(numbers);
}
function expiry(pools: readonly PoolObservation[]): number | undefined {
  const all = pools.flatMap(({ increments }) => {
    const ends = increments.map(({ expires }) => expires);
    const valid = ends.filter((end) => typeof end !== 'number' || end >= NOW);
    return valid.length > 0 ? valid : ends;
  });
  const ends = all.filter((end) => typeof end === 'number');
  if (ends.length > 0) return Math.min(...ends);
  return all.includes('unknown') ? undefined : 2_147_483_647;
}
const ignores = (p: PoolObservation, what: 'list' | 'borrowed' | 'status'): boolean =>
  p.unknownOfCheckouts?.includes(what) === true;
/** The value, where everything that it rests on is known. */
const when = <T>(isKnown: boolean, value: T): T | undefined => (isKnown ? value : undefined);
const totalKnown = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
function reserve(p: PoolObservation): { used: number | undefined; unused: number | undefined } {
  if (p.reservations !== undefined) {
    return {
      used: total(p.reservations, (r) => r.used),
      unused: total(p.reservations, (r) => r.licenses - r.used),
    };
  }
  const { usedReserve: used, unusedReserve: unused, reserved } = p;
  if (reserved === undefined) return { used, unused };
  return {
    used: used ?? (unused === undefined ? undefined : reserved - unused),
    unused: unused ?? (used === undefined ? undefined : reserved - used),
  };
}
const passed = (end: number | undefined): boolean | undefined => (end === undefined ? undefined : end < NOW);
const near = (end: number | undefined): boolean | undefined =>
  end === undefined ? undefined : end >= NOW && end <= NOW + 30 * DAY;

describe('GetProducts', () => {
  it('answers what a slow recomputation does', () => {
    fc.assert(
      fc.property(site, products, packages, features, users, (current, filters, pkg, feature, name) => {
        const wanted = [];
        for (const { name: product, collectedAt, observation } of current) {
          if (!matches(product, filters)) continue;
          const pools = observation.pools.filter((p) => matches(p.package, pkg) && matches(p.feature, feature));
          const checkouts = pools.flatMap((p) => p.checkouts.filter((c) => matches(c.user, name)));
          if ((pkg !== undefined || feature !== undefined) && pools.length === 0) continue;
          if (name !== undefined && checkouts.length === 0) continue;
          const unknown = count(checkouts, isUnknown);
          const active = count(checkouts, isActive);
          const inactive = count(checkouts, isInactive);
          const end = collectedAt === 0 || pools.length === 0 ? undefined : expiry(pools);
          const isOld = NOW - collectedAt >= 1800;
          const isReached = collectedAt > 0 || observation.isKnownToBeEmpty === true;
          const isListed = isReached && !pools.some((p) => ignores(p, 'list'));
          const isStatusKnown = isListed && !pools.some((p) => ignores(p, 'status'));
          wanted.push({
            CollectionTime: collectedAt,
            DistinctUsers: when(isListed, namesOf(checkouts)),
            Active: when(isStatusKnown, active),
            Inactive: when(isStatusKnown, inactive),
            Indeterminate: when(isListed, unknown),
            Mapped: when(isStatusKnown, checkouts.length - unknown),
            MinLicenseExpiration: collectedAt === 0 ? when(isReached, 0) : end,
            MaxAvailable: isReached ? counted(pools) : undefined,
            Product: product,
            MappingIcon: isOld ? 'ServerDown' : '',
            ExpiredIcon: end === undefined ? '' : passed(end) ? 'Expired' : near(end) ? 'Warning' : '',
            IsCurrent: !isOld,
            LogActive: log(when(isStatusKnown && unknown === 0, active)),
            LogInactive: log(when(isStatusKnown && unknown === 0, inactive)),
          });
        }
        expect(getProducts(current, NOW, given({ filters, package: pkg, feature, user: name }))).toEqual(wanted);
      }),
    );
  });
});

it('GetProducts gives no expiry of a vendor license without features, which is not permanent', () => {
  const observation = { server: 'sim-lic01', daemon: 'd', part: '', reachable: true, pools: [] };
  const [record] = getProducts([{ source: '', name: 'sim-lic01;d', collectedAt: NOW, observation }], NOW, {});
  expect(record).toMatchObject({ CollectionTime: NOW, MinLicenseExpiration: undefined, ExpiredIcon: '' });
});

/** A pool of which nothing is known. */
const nothing: PoolObservation = {
  feature: 'sim-a',
  version: '',
  package: '',
  featureType: 'feature',
  licenseType: 'floating',
  licenseModel: 'concurrent',
  token: 'unknown',
  increments: [{ count: undefined, expires: 'unknown' }],
  reservations: undefined,
  checkouts: [],
  unknownOfCheckouts: ['list', 'borrowed', 'status'],
  queued: undefined,
  denials: undefined,
};

it('GetProducts has uncounted licenses in no sum', () => {
  const poolOf = (licenseType: 'floating' | 'uncounted', ...counts: number[]): PoolObservation => ({
    ...nothing,
    licenseType,
    increments: counts.map((each) => ({ count: each, expires: undefined })),
  });
  const sumOf = (...pools: PoolObservation[]) => {
    const observation = { server: 'lic', daemon: 'd', part: '', reachable: true, pools };
    return getProducts([{ source: '', name: 'lic;d', collectedAt: NOW, observation }], NOW, {})[0]?.MaxAvailable;
  };
  const countedPool = poolOf('floating', 1000, 303);
  expect(sumOf(countedPool, poolOf('uncounted', Number.POSITIVE_INFINITY))).toBe(1303);
  expect(sumOf(countedPool, poolOf('floating', 4, Number.POSITIVE_INFINITY), poolOf('uncounted', 7))).toBe(1303);
  expect(sumOf(poolOf('floating', Number.POSITIVE_INFINITY))).toBeUndefined();
  expect(sumOf()).toBe(0);
});

it('GetProducts gives no sum over features of which some may belong to another vendor license', () => {
  const observation = {
    server: 'lic',
    daemon: 'd',
    part: '',
    reachable: true,
    hasOtherPools: true,
    pools: [],
  } as const;
  const [record] = getProducts([{ source: '', name: 'lic;d', collectedAt: NOW, observation }], NOW, {});
  expect(record).toMatchObject({ CollectionTime: NOW, IsCurrent: true, MaxAvailable: undefined, Active: undefined });
  expect(record).toMatchObject({ DistinctUsers: undefined, MinLicenseExpiration: undefined, LogActive: Number.NaN });
});

it('a date after the time that stands for permanent is earlier than permanent', () => {
  const [january, later] = [2_147_558_399, 4_102_444_799];
  expect(earliestOf([PERMANENT, january])).toBe(january);
  expect(earliestOf([later, undefined, january])).toBe(january);
  expect(earliestOf([PERMANENT, PERMANENT])).toBe(PERMANENT);
  expect(earliestOf([PERMANENT, undefined])).toBeUndefined();
  expect(isExpired(january, january + 1)).toBe(true);
});

describe('GetFeatures', () => {
  it('answers what a slow recomputation does, in one array within an array', () => {
    fc.assert(
      fc.property(site, products, packages, features, users, (current, product, pkg, filters, name) => {
        const wanted = [];
        for (const { name: label, observation } of current) {
          if (!matches(label, product)) continue;
          for (const p of observation.pools) {
            if (!matches(p.package, pkg) || !matches(p.feature, filters)) continue;
            if (name !== undefined && !p.checkouts.some((c) => matches(c.user, name))) continue;
            const { checkouts } = p;
            const borrowed = checkouts.filter((c) => c.borrowed);
            const size = (c: { licenses: number }): number => c.licenses;
            const isListed = !ignores(p, 'list');
            const isStatusKnown = isListed && !ignores(p, 'status');
            const isBorrowedKnown = isListed && !ignores(p, 'borrowed');
            const isLent = isStatusKnown && isBorrowedKnown;
            const inUse = p.inUse ?? when(isListed, total(checkouts, size));
            const queued = p.queued && total(p.queued, size);
            const { used, unused } = reserve(p);
            const whole = capacity(p);
            const rest =
              whole === undefined || inUse === undefined || unused === undefined
                ? undefined
                : Math.max(0, whole - inUse - unused);
            const free = p.available ?? rest;
            const isEach = isStatusKnown && !checkouts.some(isUnknown);
            const isEachLent = isLent && !borrowed.some(isUnknown);
            const lent = when(isBorrowedKnown, total(borrowed, size));
            const token = typeof p.token === 'object' ? p.token : undefined;
            const end = expiry([p]);
            wanted.push({
              Feature: p.feature,
              TokenCost: token === undefined ? '' : `${token.cost}`,
              TokenPool: token === undefined ? '' : token.pool,
              TokenSource: token === undefined ? '' : token.source,
              ServerName: observation.server,
              Daemon: observation.daemon,
              LicenseExpiration: end,
              DistinctUsers: when(isListed, namesOf(checkouts)),
              MaxAvailable: whole,
              MaxInUse: inUse,
              MaxBorrowed: lent,
              MaxQueued: queued,
              LicenseType: p.licenseType,
              FeatureType: p.featureType,
              Version: p.version,
              LicenseModel: p.licenseModel,
              Active: when(isStatusKnown, count(checkouts, isActive)),
              Inactive: when(isStatusKnown, count(checkouts, isInactive)),
              BorrowedActive: when(isLent, count(borrowed, isActive)),
              BorrowedInactive: when(isLent, count(borrowed, isInactive)),
              UnusedReserve: unused,
              UsedReserve: used,
              MappedTo: p.mappedTo === undefined ? null : p.mappedTo,
              TokenCostValue: when(p.token !== 'unknown', token === undefined ? 0 : token.cost),
              Available: free,
              InUse: inUse,
              ActiveUse: when(isStatusKnown, total(checkouts.filter(isActive), size)),
              InactiveUse: when(isStatusKnown, total(checkouts.filter(isInactive), size)),
              BorrowedUse: lent,
              BorrowedActiveUse: when(isLent, total(borrowed.filter(isActive), size)),
              BorrowedInactiveUse: when(isLent, total(borrowed.filter(isInactive), size)),
              AvailableUser: checkouts.length + (p.queued ?? []).length > 0,
              Package: p.package,
              LogAvailable: log(free),
              LogInUse: log(inUse),
              LogUnusedReserve: log(unused),
              LogQueued: log(queued),
              LogUsedReserve: log(used),
              LogBorrowed: log(lent),
              LogActive: log(when(isEach, count(checkouts, isActive))),
              LogInactive: log(when(isEach, count(checkouts, isInactive))),
              LogBorrowedActive: log(when(isEachLent, count(borrowed, isActive))),
              LogBorrowedInactive: log(when(isEachLent, count(borrowed, isInactive))),
              ShowExpired: passed(end),
              ShowWarning: near(end),
            });
          }
        }
        const parameters = given({ product: product ?? '%', package: pkg, filters, user: name });
        expect(findPools(current, parameters).map((found) => toFeature(found, NOW))).toEqual(wanted);
      }),
    );
  });
});

describe('GetServerDown', () => {
  it('lists what has sent no data for 30 minutes', () => {
    fc.assert(
      fc.property(site, products, (current, filters) => {
        const wanted = current
          .filter(({ name, collectedAt }) => matches(name, filters) && collectedAt <= NOW - 1800)
          .map(({ name }) => ({ Label: name }));
        expect(getServerDown(current, NOW, given({ filters }))).toEqual(wanted);
      }),
    );
  });
});

describe('GetExpirationFeatures', () => {
  it('answers what a slow recomputation does', () => {
    const search = fc.constantFrom(undefined, '0', '1', '2', '02');
    fc.assert(
      fc.property(site, products, packages, features, search, (current, product, pkg, filters, level) => {
        const shown = ['feature', 'package', 'component'].slice(0, Number(level ?? 0) + 1);
        const wanted = [];
        for (const { name, observation } of current) {
          if (!matches(name, product)) continue;
          for (const p of observation.pools) {
            if (!shown.includes(p.featureType) || !matches(p.package, pkg) || !matches(p.feature, filters)) continue;
            const end = expiry([p]);
            wanted.push({
              Feature: p.feature,
              Version: p.version,
              Package: p.package,
              LicenseExpiration: end,
              MinLicenseExpiration: expiry(
                observation.pools.filter((other) => other.feature === p.feature && other.package === p.package),
              ),
              ShowExpired: passed(end),
              ShowWarning: near(end),
              LicenseType: p.licenseType,
              FeatureType: p.featureType,
              LicenseExpirationToDate: end === undefined ? undefined : `/Date(${end}000)/`,
            });
          }
        }
        const parameters = given({ product: product ?? '%', package: pkg, filters, search: level });
        expect(getExpirationFeatures(current, NOW, parameters)).toEqual(wanted);
      }),
    );
  });
});

describe('GetConcurrentUsers', () => {
  it('counts distinct users over all that is not down, without case, or says nothing when some are hidden', () => {
    fc.assert(
      fc.property(site, (current) => {
        const served = current.filter((c) => c.collectedAt > 0 && !isDown(c, NOW));
        const pools = served.flatMap(({ observation }) => observation.pools);
        const isListed = served.length > 0 && !pools.some((p) => ignores(p, 'list'));
        const all = pools.flatMap(({ checkouts }) => checkouts);
        expect(getConcurrentUsers(current, NOW)).toBe(when(isListed, namesOf(all)));
      }),
    );
  });
});

describe('a value that no source can know', () => {
  it('has no key in the body', () => {
    const current = [
      {
        source: '',
        name: 'sim-lic01;d',
        collectedAt: NOW,
        observation: { server: 'sim-lic01', daemon: 'd', part: '', reachable: true, pools: [nothing] },
      },
    ];
    const answers = {
      GetProducts: getProducts(current, NOW, {}),
      GetFeatures: findPools(current, { product: '%' }).map((found) => toFeature(found, NOW)),
      GetExpirationFeatures: getExpirationFeatures(current, NOW, { product: '%' }),
    };
    for (const [endpoint, records] of Object.entries(answers) as [keyof typeof answers, object[]][]) {
      const fields: Fields = recordFields[endpoint];
      // AvailableUser is known: GetUsers has no records
      const wanted = Object.keys(fields).filter((f) => fields[f]?.unknown !== 'absent' || f === 'AvailableUser');
      const [record] = readJson(Buffer.from(writeJson(records))) as Record<string, unknown>[];
      expect(Object.keys(record ?? {})).toEqual(wanted);
      for (const field of wanted) if (fields[field]?.unknown === 'NaN') expect(record?.[field]).toBe('');
    }
  });
});

describe('records', () => {
  it('carry the fields of the contract in its order', () => {
    const [sample] = fc.sample(
      collected.filter(({ observation }) => observation.pools.length > 0),
      { numRuns: 1, seed: 1 },
    );
    const current = sample === undefined ? [] : [sample];
    const keys = (records: readonly object[]): string[] => Object.keys(records[0] ?? {});
    expect(keys(getProducts(current, NOW, {}))).toEqual(Object.keys(recordFields.GetProducts));
    expect(keys(findPools(current, { product: '%' }).map((found) => toFeature(found, NOW)))).toEqual(
      Object.keys(recordFields.GetFeatures),
    );
    expect(keys(getExpirationFeatures(current, NOW, { product: '%', search: '2' }))).toEqual(
      Object.keys(recordFields.GetExpirationFeatures),
    );
  });
});
