import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getUsers } from '../../../src/analyzer/server/user-records.ts';
import type {
  Checkout,
  Collected,
  PoolObservation,
  QueuedRequest,
} from '../../../src/base/model/observation/observation.ts';
import { recordFields, type WireUser } from '../../../src/base/query-api/records.ts';

const NOW = 1_800_000_000;

const word = fc.constantFrom('ann', 'Ann', 'BOB', 'bob', 'jürgen', 'JÜRGEN', 'a%b', '(x)');
const checkout: fc.Arbitrary<Checkout> = fc.record(
  {
    user: word,
    host: word,
    display: word,
    since: fc.integer({ min: NOW - 99, max: NOW }),
    licenses: fc.integer({ min: 1, max: 3 }),
    handle: fc.constantFrom('7', '10', 'b', 'A'),
    shareHandle: fc.option(fc.constantFrom('s1', 'S2'), { nil: undefined }),
    borrowed: fc.boolean(),
    server: fc.constantFrom('flexnet:27000@lica', 'rlm:5053@licb/foundry'),
    until: fc.integer({ min: NOW - 99, max: NOW + 99 }),
    status: fc.option(
      fc.record({
        state: fc.constantFrom('active', 'inactive', 'suspended', 'terminated', 'blocked'),
        seconds: fc.nat(9),
      }),
      { nil: undefined },
    ),
  },
  { requiredKeys: ['user', 'host', 'display', 'licenses', 'shareHandle', 'borrowed', 'status'] },
) as fc.Arbitrary<Checkout>;
const queued = fc.record(
  {
    user: word,
    host: word,
    since: fc.integer({ min: NOW - 99, max: NOW }),
    licenses: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['user', 'host', 'licenses'] },
) as fc.Arbitrary<QueuedRequest>;
const pool: fc.Arbitrary<PoolObservation> = fc.record(
  {
    feature: fc.constantFrom('solver', 'Solver', 'mesh'),
    version: fc.constant(''),
    package: fc.constantFrom('', 'Suite'),
    featureType: fc.constantFrom('feature', 'package', 'component'),
    licenseType: fc.constant('floating'),
    licenseModel: fc.constantFrom('concurrent', 'token'),
    token: fc.oneof(
      fc.constant('unknown' as const),
      fc.record({ pool: fc.constantFrom('TOK', 'other'), source: fc.constant('x;y'), cost: fc.constant(1) }),
    ),
    mappedTo: fc.constant('app'),
    increments: fc.constant([]),
    reservations: fc.constant([]),
    checkouts: fc.array(checkout, { maxLength: 5 }),
    unknownOfCheckouts: fc.subarray(['list', 'borrowed', 'status'] as const),
    queued: fc.option(fc.array(queued, { maxLength: 2 }), { nil: undefined }),
    denials: fc.constant(0),
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
) as fc.Arbitrary<PoolObservation>;

const sortFields = [
  'Username',
  'UsageTime',
  'LicenseHandle',
  'ShareHandle',
  'UsedLicenses',
  'QueuedLicenses',
  'BorrowedLicenses',
  'license_model',
] as const;

const parameters = fc.record(
  {
    product: fc.constantFrom('%', 'A;d', 'a;D', 'b%'),
    feature: fc.constantFrom('%', 'SOLVER', 'm%h'),
    package: fc.constantFrom('suite', '%'),
    type: fc.constantFrom('feature', 'component'),
    tokenpool: fc.constantFrom('tok', 'OTH%'),
    sortdatafield: fc.constantFrom(...sortFields),
    sortorder: fc.constantFrom('asc', 'desc'),
    filters: fc.constantFrom('ANN', 'j%', 'A%b'),
  },
  { requiredKeys: ['product', 'feature'] },
);

/** A pattern as a regular expression: another way than the program's. */
const matches = (pattern: string | undefined, value: string): boolean =>
  pattern === undefined ||
  new RegExp(
    `^${pattern
      .split('%')
      .map((part) => part.replace(/[^\w]/g, (c) => (/[()]/.test(c) ? `\\${c}` : c)))
      .join('[^]*')}$`,
    'iu',
  ).test(value);

const numbers = { inactive: 0, active: 1, suspended: 2, terminated: 3, blocked: 4 };

describe('GetUsers', () => {
  it('answers who holds and who waits, field by field, for any parameters', () => {
    fc.assert(
      fc.property(fc.array(pool, { maxLength: 5 }), fc.array(pool, { maxLength: 3 }), parameters, (a, b, asked) => {
        const current: Collected[] = [
          {
            source: '',
            name: 'a;d',
            collectedAt: NOW,
            observation: { server: 'a', daemon: 'd', part: '', reachable: true, pools: a },
          },
          {
            source: '',
            name: 'b;d',
            collectedAt: NOW,
            observation: { server: 'b', daemon: 'd', part: '', reachable: true, pools: b },
          },
        ];
        const wanted: WireUser[] = [];
        for (const { name, observation } of current) {
          for (const one of observation.pools) {
            if (!matches(asked.product, name) || !matches(asked.feature, one.feature)) continue;
            if (!matches(asked.package, one.package)) continue;
            if (asked.type !== undefined && asked.type !== one.featureType) continue;
            const token = typeof one.token === 'object' ? one.token : undefined;
            if (asked.tokenpool !== undefined && (token === undefined || !matches(asked.tokenpool, token.pool)))
              continue;
            const common = { license_model: one.licenseModel, DisplayName: null, Mapped: one.mappedTo ?? null };
            for (const c of one.checkouts) {
              const isIdle = c.status !== undefined && c.status.state !== 'active';
              const isUnsure = one.unknownOfCheckouts?.includes('borrowed') === true;
              const isVague = one.unknownOfCheckouts?.includes('status') === true && c.status === undefined;
              const state = isIdle ? 'inactive' : 'active';
              wanted.push({
                UserName: c.user,
                UserHost: c.host,
                UserDisplay: c.display,
                UsageTime: c.since,
                LicenseHandle: c.handle ?? 'undef',
                ShareHandle: c.shareHandle ?? 'undef',
                UsedLicenses: c.licenses,
                QueuedLicenses: 0,
                BorrowedLicenses: c.borrowed ? c.licenses : isUnsure ? undefined : 0,
                LicenseModelStatus: c.borrowed ? 'borrowed' : isUnsure || isVague ? undefined : state,
                app_status: c.status ? numbers[c.status.state] : null,
                app_duration: c.status?.seconds ?? null,
                ...common,
                Server: c.server,
                Until: c.until,
              });
            }
            for (const q of one.queued ?? []) {
              wanted.push({
                UserName: q.user,
                UserHost: q.host,
                UserDisplay: '',
                UsageTime: q.since,
                LicenseHandle: 'undef',
                ShareHandle: 'undef',
                UsedLicenses: 0,
                QueuedLicenses: q.licenses,
                BorrowedLicenses: 0,
                LicenseModelStatus: 'queued',
                app_status: null,
                app_duration: null,
                ...common,
                Server: undefined,
                Until: undefined,
              });
            }
          }
        }
        const found = wanted.filter(({ UserName }) => matches(asked.filters, UserName));
        const answer = getUsers(current, asked);
        expect(answer.totalCount).toBe(found.length);
        const text = (user: WireUser): string => JSON.stringify(user);
        expect(answer.data.map(text).sort()).toEqual(found.map(text).sort());
        for (const record of answer.data) expect(Object.keys(record)).toEqual(Object.keys(recordFields.GetUsers));

        // in order: no neighbour is the wrong way round, and equal ones stand as they were found
        const field =
          asked.sortdatafield === undefined || asked.sortdatafield === 'Username' ? 'UserName' : asked.sortdatafield;
        for (let i = 1; i < answer.data.length; i += 1) {
          const pair = [answer.data[i - 1], answer.data[i]] as [WireUser, WireUser];
          const [low, high] = asked.sortorder === 'desc' ? [pair[1], pair[0]] : pair;
          const [x, y] = [low[field], high[field]];
          if (typeof x === 'number' && typeof y === 'number') expect(x).toBeLessThanOrEqual(y);
          else if (x === undefined || y === undefined) expect(x).toBeUndefined();
          else expect(String(x).toLowerCase() <= String(y).toLowerCase()).toBe(true);
          if (x !== y) continue;
          const order = pair.map((record) => found.findIndex((one) => text(one) === text(record)));
          expect(order[0]).toBeLessThanOrEqual(order[1] ?? 0);
        }
      }),
      { numRuns: 500 },
    );
  });
});
