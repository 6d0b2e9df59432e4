import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getConcurrentUsers,
  getExpirationFeatures,
  getFeatures,
  getProducts,
  getServerDown,
} from '../../src/analyzer/live.ts';
import type { Checkout, Collected, PoolObservation } from '../../src/analyzer/source.ts';
import { recordFields } from '../../src/query-api/records.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;

const user = fc.constantFrom('sim-ann', 'SIM-ANN', 'sim-bob', 'sim-jürgen', 'SIM-JÜRGEN');
const licenses = fc.integer({ min: 1, max: 4 });
const moment = fc.integer({ min: NOW - 5 * DAY, max: NOW });

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
    token: fc.record({
      pool: fc.constant('sim-tokens'),
      source: fc.constant('s;d'),
      cost: fc.integer({ min: 1, max: 9 }),
    }),
    mappedTo: fc.constantFrom('sim-cad', 'sim-mesh'),
    increments: fc.array(
      fc.record({
        count: fc.oneof(
          { weight: 5, arbitrary: fc.integer({ min: 0, max: 40 }) },
          fc.constant(Number.POSITIVE_INFINITY),
        ),
        expires: fc.option(
          fc.oneof(
            fc.integer({ min: NOW - 40 * DAY, max: NOW + 60 * DAY }),
            fc.constantFrom(NOW - 1, NOW, NOW + 30 * DAY, NOW + 30 * DAY + 1),
          ),
          { nil: undefined },
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    reservations: fc.array(
      fc.integer({ min: 1, max: 5 }).chain((count) =>
        fc.record({
          holder: fc.constant('sim-group'),
          licenses: fc.constant(count),
          used: fc.integer({ min: 0, max: count }),
        }),
      ),
      { maxLength: 2 },
    ),
    checkouts: fc.array(checkout, { maxLength: 5 }),
    queued: fc.array(fc.record({ user, host: fc.constant('sim-ws1'), since: moment, licenses }), { maxLength: 2 }),
    denials: fc.nat({ max: 3 }),
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
  })
  .map(({ server, part, pools, collectedAt }) => ({
    name: part === '' ? `${server};d` : `${server};d;${part}`,
    collectedAt,
    observation: { server, daemon: 'd', part, reachable: true, pools },
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
const log = (value: number): number => (value === 0 || value === 1 ? 0 : Math.log10(value));
const namesOf = (checkouts: readonly Checkout[]): number => new Set(checkouts.map((c) => c.user.toLowerCase())).size;

function capacity(of: PoolObservation): number {
  let sum = 0;
  for (const { count: n, expires } of of.increments) if (expires === undefined || NOW <= expires) sum += n;
  return sum === Number.POSITIVE_INFINITY ? 99_999 : sum;
}
function expiry(pools: readonly PoolObservation[]): number {
  const ends = pools.flatMap(({ increments }) =>
    increments.flatMap(({ expires }) => (expires === undefined ? [] : [expires])),
  );
  return ends.length === 0 ? 2_147_483_647 : Math.min(...ends);
}
const passed = (end: number): boolean => end < NOW;
const near = (end: number): boolean => end >= NOW && end <= NOW + 30 * DAY;

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
          const end = collectedAt === 0 ? undefined : expiry(pools);
          const isOld = NOW - collectedAt >= 1800;
          wanted.push({
            CollectionTime: collectedAt,
            DistinctUsers: namesOf(checkouts),
            Active: active,
            Inactive: inactive,
            Indeterminate: unknown,
            Mapped: checkouts.length - unknown,
            MinLicenseExpiration: end ?? 0,
            MaxAvailable: total(pools, capacity),
            Product: product,
            MappingIcon: isOld ? 'ServerDown' : '',
            ExpiredIcon: end === undefined ? '' : passed(end) ? 'Expired' : near(end) ? 'Warning' : '',
            IsCurrent: !isOld,
            LogActive: unknown > 0 ? Number.NaN : log(active),
            LogInactive: unknown > 0 ? Number.NaN : log(inactive),
          });
        }
        expect(getProducts(current, NOW, given({ filters, package: pkg, feature, user: name }))).toEqual(wanted);
      }),
    );
  });
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
            const inUse = total(checkouts, size);
            const queued = total(p.queued, size);
            const used = total(p.reservations, (r) => r.used);
            const unused = total(p.reservations, (r) => r.licenses - r.used);
            const free = Math.max(0, capacity(p) - inUse - unused);
            const isKnown = !checkouts.some(isUnknown);
            const isBorrowedKnown = !borrowed.some(isUnknown);
            const end = expiry([p]);
            wanted.push({
              Feature: p.feature,
              TokenCost: p.token === undefined ? '' : `${p.token.cost}`,
              TokenPool: p.token === undefined ? '' : p.token.pool,
              TokenSource: p.token === undefined ? '' : p.token.source,
              ServerName: observation.server,
              Daemon: observation.daemon,
              LicenseExpiration: end,
              DistinctUsers: namesOf(checkouts),
              MaxAvailable: capacity(p),
              MaxInUse: inUse,
              MaxBorrowed: total(borrowed, size),
              MaxQueued: queued,
              LicenseType: p.licenseType,
              FeatureType: p.featureType,
              Version: p.version,
              LicenseModel: p.licenseModel,
              Active: count(checkouts, isActive),
              Inactive: count(checkouts, isInactive),
              BorrowedActive: count(borrowed, isActive),
              BorrowedInactive: count(borrowed, isInactive),
              UnusedReserve: unused,
              UsedReserve: used,
              MappedTo: p.mappedTo === undefined ? null : p.mappedTo,
              TokenCostValue: p.token === undefined ? 0 : p.token.cost,
              Available: free,
              InUse: inUse,
              ActiveUse: total(checkouts.filter(isActive), size),
              InactiveUse: total(checkouts.filter(isInactive), size),
              BorrowedUse: total(borrowed, size),
              BorrowedActiveUse: total(borrowed.filter(isActive), size),
              BorrowedInactiveUse: total(borrowed.filter(isInactive), size),
              AvailableUser: checkouts.length + p.queued.length > 0,
              Package: p.package,
              LogAvailable: log(free),
              LogInUse: log(inUse),
              LogUnusedReserve: log(unused),
              LogQueued: log(queued),
              LogUsedReserve: log(used),
              LogBorrowed: log(total(borrowed, size)),
              LogActive: isKnown ? log(count(checkouts, isActive)) : Number.NaN,
              LogInactive: isKnown ? log(count(checkouts, isInactive)) : Number.NaN,
              LogBorrowedActive: isBorrowedKnown ? log(count(borrowed, isActive)) : Number.NaN,
              LogBorrowedInactive: isBorrowedKnown ? log(count(borrowed, isInactive)) : Number.NaN,
              ShowExpired: passed(end),
              ShowWarning: near(end),
            });
          }
        }
        const parameters = given({ product: product ?? '%', package: pkg, filters, user: name });
        expect([...getFeatures(current, NOW, parameters)]).toEqual(wanted);
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
              LicenseExpirationToDate: `/Date(${end}000)/`,
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
  it('counts distinct users over everything, without case', () => {
    fc.assert(
      fc.property(site, (current) => {
        const all = current.flatMap(({ observation }) => observation.pools.flatMap(({ checkouts }) => checkouts));
        expect(getConcurrentUsers(current)).toBe(namesOf(all));
      }),
    );
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
    expect(keys([...getFeatures(current, NOW, { product: '%' })])).toEqual(Object.keys(recordFields.GetFeatures));
    expect(keys(getExpirationFeatures(current, NOW, { product: '%', search: '2' }))).toEqual(
      Object.keys(recordFields.GetExpirationFeatures),
    );
  });
});
