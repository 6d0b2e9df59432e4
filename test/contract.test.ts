import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getEfficiency, getHeatMap, getHistory, getHistoryReserved } from '../src/analyzer/history/history-charts.ts';
import type { Recorded } from '../src/analyzer/history/recorded-days.ts';
import { Recorder } from '../src/analyzer/history/recorder.ts';
import { figuresOf } from '../src/analyzer/history/sample.ts';
import { createSlots } from '../src/analyzer/history/slots.ts';
import { openStore } from '../src/analyzer/history/store.ts';
import { getExpirationFeatures } from '../src/analyzer/server/expiration-records.ts';
import { findPools, toFeature } from '../src/analyzer/server/feature-records.ts';
import { getProducts, getServerDown } from '../src/analyzer/server/product-records.ts';
import { getUsers } from '../src/analyzer/server/user-records.ts';
import { createLocalTime } from '../src/base/model/local-time.ts';
import type { PoolObservation, VendorLicenseObservation } from '../src/base/model/observation/observation.ts';
import type { Source } from '../src/base/model/observation/source.ts';
import { type EndpointName, endpointNames, endpoints } from '../src/base/query-api/endpoints.ts';
import { recordFields } from '../src/base/query-api/records.ts';
import { decodeAnswer } from '../src/exporter/inventory/decoding/decode.ts';
import { isLong } from './support/extent.ts';
import { createClient, type OwnedClient, startAnalyzer, testHistory, WORKDAY } from './support/harness.ts';
import { onlyFigures } from './support/store-samples.ts';
import { columnOf } from './support/trend.ts';

/** Our client and our analyzer, over real HTTP with NTLM: the client reads what the analyzer reports. */

const never = new AbortController().signal;
let observations: readonly VendorLicenseObservation[] = [];
let stop: () => Promise<unknown>;
let client: OwnedClient;
let collect: () => Promise<void>;

const localTime = createLocalTime('Europe/Berlin');
/** Keeps the recordings of the analyzer. */
const shadow = new Recorder({
  open: () => openStore({ ...testHistory, origin: 'test', localTime }),
  localTime,
  sampleDays: 30,
  days: 400,
  onProblem: (error) => {
    throw error;
  },
  onRecovery: () => {},
});

const source: Source = { name: 'property', interval: 3600, offset: 0, read: async () => observations };

beforeAll(async () => {
  const analyzer = await startAnalyzer({}, { sources: [source] });
  const made = createClient(analyzer.url);
  client = made.client;
  collect = () => analyzer.collector.collect();
  stop = async () => {
    await client.close();
    await analyzer.stop();
  };
});
afterAll(() => stop());

/** Names with difficult characters, but without `;`, which separates the parts of a vendor license. */
const awkward = [
  'NaN',
  'a:NaN,b',
  '"LogActive":NaN,',
  'back\\',
  '100%',
  '%',
  'a b',
  "it's",
  'ünï→✓',
  '+',
  '&x=1',
  '#',
  '\u2028',
  '{}',
];
const name = fc.oneof(
  fc.constantFrom(...awkward),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => !text.includes(';') && text.trim() === text && text !== ''),
);

const checkout = fc.record({
  user: name,
  host: name,
  display: name,
  since: fc.integer({ min: 0, max: WORKDAY }),
  licenses: fc.integer({ min: 1, max: 9 }),
  handle: name,
  shareHandle: fc.constant(undefined),
  borrowed: fc.boolean(),
  status: fc.option(
    fc.record({
      state: fc.constantFrom('active', 'inactive', 'suspended', 'terminated', 'blocked'),
      seconds: fc.nat(999),
    }),
    { nil: undefined },
  ),
});

const pool: fc.Arbitrary<PoolObservation> = fc.record({
  feature: name,
  version: fc.constantFrom('', '1.0', 'NaN'),
  package: fc.oneof(fc.constant(''), name),
  featureType: fc.constantFrom('feature' as const, 'package' as const, 'component' as const),
  licenseType: fc.constantFrom('floating' as const, 'uncounted' as const),
  licenseModel: fc.constant('concurrent' as const),
  increments: fc.array(
    fc.record({
      count: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(Number.POSITIVE_INFINITY)),
      expires: fc.oneof(
        fc.option(fc.integer({ min: WORKDAY - 1e6, max: WORKDAY + 1e8 }), { nil: undefined }),
        fc.constant('unknown' as const),
      ),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  inUse: fc.nat(9),
  reservations: fc.constantFrom([], undefined),
  checkouts: fc.array(checkout, { maxLength: 4 }),
  unknownOfCheckouts: fc.subarray(['list', 'borrowed', 'status'] as const),
  queued: fc.option(
    fc.array(fc.record({ user: name, host: name, since: fc.integer({ min: 0, max: WORKDAY }), licenses: fc.nat(5) }), {
      maxLength: 2,
    }),
    { nil: undefined },
  ),
  denials: fc.option(fc.nat(3), { nil: undefined }),
});

const site = fc.uniqueArray(
  fc.record({
    server: name,
    daemon: name,
    part: fc.oneof(fc.constant(''), name),
    reachable: fc.boolean(),
    pools: fc.array(pool, { maxLength: 4 }),
  }),
  { selector: ({ server, daemon, part }) => JSON.stringify([server, daemon, part]), maxLength: 4 },
);

/** The expected records of the client: the records of the analyzer, decoded without HTTP in between. */
const expected = <E extends EndpointName>(endpoint: E, wire: unknown) =>
  decodeAnswer(
    endpoint,
    Buffer.from(JSON.stringify(wire, (_, value) => (Number.isNaN(value) ? '' : value))),
    2_147_483_641,
  );

describe('client and analyzer', () => {
  it('agree on every record of random sites, and on names of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(site, async (random) => {
        observations = random.map((observation) => ({
          ...observation,
          pools: observation.reachable ? observation.pools : [],
        }));
        await collect();
        const current = observations.map((observation) => {
          const { server, daemon, part, reachable } = observation;
          const label = part === '' ? `${server};${daemon}` : `${server};${daemon};${part}`;
          return { source: '', name: label, collectedAt: reachable ? WORKDAY : 0, observation };
        });
        // the collector keeps vendor licenses of an earlier round: only fresh ones are compared
        const fresh = new Set(current.filter(({ collectedAt }) => collectedAt > 0).map((collected) => collected.name));
        const products = await client.getProducts({}, never);
        const wanted = expected('GetProducts', getProducts(current, WORKDAY, {}));
        expect(products.records.filter((record) => fresh.has(record.product))).toEqual(
          wanted.records.filter((record) => fresh.has((record as { product: string }).product)),
        );
        const reached = current.filter(({ collectedAt }) => collectedAt > 0);
        await shadow.record(
          createSlots(localTime, 3600).of(WORKDAY),
          3600,
          onlyFigures(reached.flatMap((collected) => [...figuresOf(collected.observation, collected.name, WORKDAY)])),
        );
        const recorded: Recorded = { store: shadow.store(), localTime, now: WORKDAY };
        const window = { year: '2026', month: '11' };
        for (const { vendorLicense: product, feature, package: packageName } of recorded.store.series().slice(-5)) {
          const whose = { product, feature, package: packageName };
          expect(await client.getHistory(whose, never)).toEqual(
            expected('GetHistory', await getHistory(recorded, whose)),
          );
          expect(await client.getHistoryReserved(whose, never)).toEqual(
            expected('GetHistoryReserved', await getHistoryReserved(recorded, whose)),
          );
          expect(await client.getEfficiency({ ...whose, ...window }, never)).toEqual(
            expected('GetEfficiency', await getEfficiency(recorded, whose, window)),
          );
          expect(await client.getHeatMap({ ...whose, ...window }, never)).toEqual(
            expected('GetHeatMap', await getHeatMap(recorded, whose, window)),
          );
        }
        for (const { name: product } of current.filter(({ collectedAt }) => collectedAt > 0)) {
          const parameters = { product };
          expect(await client.getFeatures(parameters, never)).toEqual(
            expected('GetFeatures', [findPools(current, parameters).map((found) => toFeature(found, WORKDAY))]),
          );
          const expirations = expected(
            'GetExpirationFeatures',
            getExpirationFeatures(current, WORKDAY, { product, search: '2' }),
          );
          expect(await client.getExpirationFeatures({ product, search: '2' }, never)).toEqual(expirations);
          const down = expected('GetServerDown', getServerDown(current, WORKDAY, { filters: product }));
          expect(await client.getServerDown({ filters: product }, never)).toEqual(down);
          const whose = { product, feature: '%' };
          const asked = { format: 'mdx', sortdatafield: 'UsageTime', sortorder: 'desc', ...whose };
          const users = await client.getUsers(asked, never);
          expect(users).toEqual(expected('GetUsers', getUsers(current, asked)));
        }
      }),
      { numRuns: isLong ? 60 : 15 },
    );
  });

  it('agree on histories that are not empty', async () => {
    const [trend] = await client.getHistory({ product: '%', feature: '%' }, never);
    expect(trend?.at).toHaveLength(1);
    const { series } = await client.getHeatMap(
      { product: '%', feature: '%', package: '', year: '2026', month: '11' },
      never,
    );
    expect(series[0]?.values).toHaveLength(1);
  });

  it('agree on the bare text and the bare integer', async () => {
    observations = [{ server: 'lic01', daemon: 'cdslmd', part: '', reachable: true, pools: [] }];
    await collect();
    expect(await client.getHttpUserName({}, never)).toBe('CORP\\svc-lic');
    expect(await client.getConcurrentUsers({}, never)).toBe(0);
  });

  it('agree on every field: the client reads every field of the contract', () => {
    // when LicenseExpiration has a date
    const notRead = ['LicenseExpirationToDate'];
    const texts: Readonly<Record<string, string>> = {
      DisplayName: 'x',
      Product: 'lic01;cdslmd',
      Label: 'lic01;cdslmd',
    };
    const isTruth = (field: string): boolean => field === 'IsCurrent' || /^(Show|AvailableUser)/.test(field);
    for (const [endpoint, names] of Object.entries(recordFields)) {
      const record = Object.fromEntries(
        Object.keys(names).map((field, i) => [field, texts[field] ?? (isTruth(field) ? true : 1e9 + i)]),
      );
      const wrap =
        endpoint === 'GetFeatures'
          ? [[record]]
          : endpoint === 'GetUsers'
            ? { totalCount: 1, data: [record] }
            : [record];
      const answer = decodeAnswer(endpoint as 'GetProducts', Buffer.from(JSON.stringify(wrap)), 2 ** 40);
      const values = Object.values(answer.records[0] ?? {}).filter((value) => value !== undefined);
      expect({ endpoint, read: values.length }).toEqual({
        endpoint,
        read: Object.keys(names).filter((field) => !notRead.includes(field)).length,
      });
    }
  });

  it('has the 11 endpoints of the specification', () => {
    expect(endpointNames).toHaveLength(11);
    expect(Object.values(endpoints).map(({ path }) => path.slice('/api/'.length))).toEqual([...endpointNames]);
  });
});

describe('history answers', () => {
  const decode = <E extends 'GetHistory' | 'GetHistoryReserved' | 'GetEfficiency' | 'GetHeatMap'>(
    endpoint: E,
    text: string,
  ) => decodeAnswer(endpoint, Buffer.from(text), 0);

  it('are read in the shapes of spec 2.6, NaN as no value', () => {
    expect(
      decode(
        'GetHistory',
        '[{"name":"Denials","data":[[1700000002000,NaN],[1700000001000,3]],"type":"column","yAxis":2}]',
      ),
    ).toEqual([
      {
        name: 'Denials',
        at: columnOf([1_700_000_001_000, 1_700_000_002_000]),
        values: columnOf([3, undefined]),
        discarded: 0,
      },
    ]);
    expect(
      decode(
        'GetHistoryReserved',
        '[{"series":[{"name":"Max In Use","data":[1,NaN]}],"categories":["2026-11-01","2026-11-02"]}]',
      ),
    ).toEqual({
      categories: ['2026-11-01', '2026-11-02'],
      series: [{ name: 'Max In Use', values: columnOf([1, undefined]) }],
    });
    expect(decode('GetEfficiency', '[{"series":[{"name":"Total Duration","data":[["1",10.5],["NaN",2]]}]}]')).toEqual({
      series: [
        {
          name: 'Total Duration',
          categories: ['1', 'NaN'],
          values: columnOf([10.5, 2]),
        },
      ],
    });
    expect(
      decode(
        'GetHeatMap',
        '[{"categories":[["0","1"],["Sun"]],"series":[{"name":"Max In Use","data":[[0,0,5],[1,0,null]]}]}]',
      ),
    ).toEqual({
      hours: ['0', '1'],
      weekdays: ['Sun'],
      series: [
        {
          name: 'Max In Use',
          hourIndexes: columnOf([0, 1]),
          weekdayIndexes: columnOf([0, 0]),
          values: columnOf([5, undefined]),
        },
      ],
    });
    expect(decode('GetHeatMap', '[]')).toEqual({ hours: [], weekdays: [], series: [] });
  });

  it.each(['[1]', '[{"data":1}]', '{}'])('reject %s as a trend', (text) => {
    expect(() => decode('GetHistory', text)).toThrow(expect.objectContaining({ kind: 'schema' }));
  });
});
