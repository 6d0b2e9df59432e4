import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PolledEndpoint } from '../../src/model/snapshot.ts';
import { createPoller } from '../../src/poll/poller.ts';
import type { Field } from '../../src/query-api/field.ts';
import { recordFields } from '../../src/query-api/records.ts';
import { policy } from '../support/alert-views.ts';
import { createTestLog } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { createWireSite, type WireLists, type WireRecord } from '../support/wire-site.ts';
import { alertNames, EngineRun } from './histories/engine-run.ts';
import { type Firing, labelsOf } from './histories/firing.ts';
import { timeOf } from './histories/history.ts';
import { evaluateRules, readRules } from './histories/promtool.ts';
import { type Series, SeriesRun } from './histories/series.ts';

/**
 * For each list that is polled and each field that identifies its records: while records are unusable, their series do not end
 * as no longer listed, alerts neither resolve nor begin again on both paths, and something shows it.
 */

const lists = ['GetProducts', 'GetServerDown', 'GetFeatures', 'GetExpirationFeatures'] as const;
type List = (typeof lists)[number];

/** Forms of a value that names nothing. JSON leaves out `undefined`. */
const forms = { missing: undefined, null: null, empty: '', 'an object': {} };
type Form = keyof typeof forms;
const noText: readonly Form[] = ['an object'];

/** The fields without which a record names nothing. In the other identifying fields, nothing is a name too: no version. */
const naming: ReadonlySet<string> = new Set(['Product', 'Label', 'Feature', 'ServerName', 'Daemon']);

interface Case {
  readonly list: List;
  readonly field: string;
  readonly form: Form;
  readonly request: 'all' | 'per_vendor_license';
}

const identifies = (list: List, { merge }: Field): boolean => merge === 'identity' || list === 'GetServerDown';

const cases: readonly Case[] = lists.flatMap((list) =>
  Object.entries<Field>(recordFields[list])
    .filter(([, field]) => identifies(list, field))
    .flatMap(([field]) =>
      (naming.has(field) ? (Object.keys(forms) as Form[]) : noText).flatMap((form) =>
        (list === 'GetFeatures' ? (['all', 'per_vendor_license'] as const) : (['all'] as const))
          // a record of an answer for one vendor license belongs to it
          .filter((request) => request === 'all' || noText.includes(form) || !['ServerName', 'Daemon'].includes(field))
          .map((request): Case => ({ list, field, form, request })),
      ),
    ),
);

/** Epoch seconds of minute 0. */
const EPOCH = 1_790_000_000;
/** The records are unusable in these minutes, the last one excluded. */
const [FROM, TO] = [25, 60];
const END = 90;
const DAY = 86_400;

const SITE = 'lic01;d';
const DOWN = 'lic02;d';

function listsAt(minute: number): WireLists {
  const now = EPOCH + timeOf(minute);
  const productOf = (name: string, isDown: boolean): WireRecord => ({
    CollectionTime: isDown ? EPOCH - DAY : now - 60,
    Product: name,
    IsCurrent: !isDown,
    MappingIcon: isDown ? 'ServerDown' : '',
    MaxAvailable: 30,
  });
  const full = { InUse: 10, MaxAvailable: 10 };
  const features: readonly WireRecord[] = [
    { Feature: 'firing', ...full, MaxQueued: 2, LicenseExpiration: EPOCH + 3 * DAY },
    // met before the records become unusable, and for too short a time to fire
    {
      Feature: 'pending',
      InUse: 1,
      MaxAvailable: 10,
      MaxQueued: minute < FROM - 3 ? 0 : 4,
      LicenseExpiration: minute < FROM - 3 ? EPOCH + 300 * DAY : EPOCH + 5 * DAY,
    },
    { Feature: 'calm', InUse: 1, MaxAvailable: 10, MaxQueued: 0, LicenseExpiration: EPOCH + 400 * DAY },
  ].map((record) => ({
    ...record,
    ServerName: 'lic01',
    Daemon: 'd',
    FeatureType: 'feature',
    Version: '1.0',
    Package: '',
    LicenseType: 'floating',
    LicenseModel: 'concurrent',
    TokenPool: '',
    UnusedReserve: 0,
    Available: 1,
    InactiveUse: 0,
    BorrowedUse: 0,
    MaxInUse: 1,
  }));
  return {
    GetProducts: [productOf(SITE, false), productOf(DOWN, true)],
    GetServerDown: [{ Label: DOWN }, { Label: 'lic03;d' }],
    GetFeatures: features.map((record) => [SITE, record]),
    GetExpirationFeatures: features.map(({ Feature, Version, Package, FeatureType, LicenseExpiration }) => [
      SITE,
      { Feature, Version, Package, FeatureType, LicenseExpiration },
    ]),
  };
}

const isBroken = (minute: number): boolean => minute >= FROM && minute < TO;

/** The lists, with records that are unusable: those with alerts, so that one of each list is left. */
function breakRecords(all: WireLists, { list, field, form }: Case): WireLists {
  const value = forms[form];
  const named: ReadonlySet<unknown> = new Set([SITE, DOWN, 'firing', 'pending']);
  const broken = (record: WireRecord): WireRecord =>
    named.has(list === 'GetProducts' ? (record.Product === SITE ? SITE : '') : (record.Label ?? record.Feature))
      ? { ...record, [field]: value }
      : record;
  const pairs = (key: 'GetFeatures' | 'GetExpirationFeatures') =>
    list === key ? all[key].map(([product, record]): [string, WireRecord] => [product, broken(record)]) : all[key];
  return {
    GetProducts: list === 'GetProducts' ? all.GetProducts.map(broken) : all.GetProducts,
    GetServerDown: list === 'GetServerDown' ? all.GetServerDown.map(broken) : all.GetServerDown,
    GetFeatures: pairs('GetFeatures'),
    GetExpirationFeatures: pairs('GetExpirationFeatures'),
  };
}

const rules = readRules(join(import.meta.dirname, '../../deploy/prometheus/license-alerts.yml'), alertNames);
const schedules = Object.fromEntries(
  (
    [
      'GetProducts',
      'GetServerDown',
      'GetConcurrentUsers',
      'GetFeatures',
      'GetExpirationFeatures',
      'GetHistory',
    ] as const
  ).map((endpoint) => [endpoint, '* * * * *']),
) as Readonly<Record<PolledEndpoint, string>>;

interface Outcome {
  readonly engine: Firing;
  readonly series: Series;
}

/** Polls for some time. The clock of promtool begins at 0, so times of series are moved. */
async function run(breaking: Case | undefined, seed: number): Promise<Outcome> {
  vi.useFakeTimers({ now: (EPOCH - 30) * 1000 });
  const now = (): number => Date.now() / 1000;
  let minute = 0;
  const current = (): WireLists => {
    const all = listsAt(minute);
    return breaking !== undefined && isBroken(minute) ? breakRecords(all, breaking) : all;
  };
  const site = createWireSite(current, policy, now);
  const poller = createPoller({
    client: site.client,
    schedules,
    maxDataAge: 'auto',
    startOffset: 0,
    requestTimeout: 30,
    concurrency: 4,
    featuresRequest: breaking?.request ?? 'all',
    expirationSearch: 'none',
    selection: policy,
    ownsSite: true,
    history: [],
    now,
    log: createTestLog(),
    onCommit: () => undefined,
  });
  const engine = new EngineRun([], EPOCH);
  const series = new SeriesRun(
    { seed },
    new Set([...rules.metrics, 'license_feature_expiration_info', 'license_poll_incomplete']),
  );
  try {
    for (; minute < END; minute += 1) {
      if (minute === 0) await poller.start();
      else await vi.advanceTimersByTimeAsync(60_000);
      const inventory = site.inventoryOf(poller.latest(), EPOCH + timeOf(minute));
      const frame = {
        minute,
        replica: 0,
        instance: 'a',
        startedAt: 0,
        inventory,
        authenticated: true,
        sources: undefined,
        forecasts: undefined,
      };
      engine.add({ minute, targets: ['a'], frames: [frame] });
      series.add({ minute, targets: ['a'], frames: [frame] });
    }
  } finally {
    vi.useRealTimers();
    await poller.stop();
  }
  const moved = [...series.all].map(([name, values]): [string, readonly (number | undefined)[]] => [
    name,
    values.map((value) => (value !== undefined && value > 1e9 && value < 1e10 ? value - EPOCH : value)),
  ]);
  return { engine: engine.firing, series: new Map(moved) };
}

const titleOf = ({ list, field, form, request }: Case): string => `${list}.${field} is ${form}, requested ${request}`;

/** Minutes in which an alert fires. */
const minutesOf = (firing: Firing | undefined, alert: string): number[] =>
  [...(firing?.get(alert) ?? [])].flatMap((fires, minute) => (fires === 1 ? [minute] : []));

/** The alerts that show it. Without GetServerDown, Prometheus alone takes a server that is down for one that is not collected. */
const shown = ({ list }: Case, path: number): readonly string[] => [
  'LicensePollPartial',
  'LicenseRecordsDiscarded',
  ...(list === 'GetServerDown' && path === 1 ? ['LicenseCollectionStale'] : []),
];

const from = (first: number, last = END): number[] => Array.from({ length: last - first }, (_, i) => first + i);

describe.runIf(peer('promtool'))('records that are unusable for 35 minutes', () => {
  const outcomes = new Map<Case | undefined, Outcome>();
  let prometheus: ReadonlyMap<string, Firing> = new Map();

  beforeAll(async () => {
    for (const [seed, breaking] of [undefined, ...cases].entries()) outcomes.set(breaking, await run(breaking, seed));
    prometheus = await evaluateRules(
      rules,
      [...outcomes.values()].map(({ series }) => series),
    );
  }, 300_000);

  const firingOf = (breaking: Case | undefined): readonly Firing[] => {
    const seed = [undefined, ...cases].indexOf(breaking);
    return [outcomes.get(breaking)?.engine ?? new Map(), prometheus.get(`analyzer-${seed}`) ?? new Map()];
  };

  it('have alerts to lose, some of which have just begun to wait', () => {
    for (const firing of firingOf(undefined)) {
      const begun = [...firing.keys()].map((alert) => [
        labelsOf(alert).alertname,
        labelsOf(alert).feature ?? '',
        minutesOf(firing, alert)[0] ?? END,
      ]);
      expect(begun.map(([name, feature]) => [name, feature])).toContainEqual(['LicenseFeatureSaturated', 'firing']);
      expect(begun.length).toBeGreaterThan(5);
      expect(begun.filter(([, feature, first]) => feature === 'pending' && Number(first) >= FROM)).toHaveLength(2);
    }
  });

  it.each(cases.map((each) => [titleOf(each), each] as const))('%s: no alert ends, and one shows it', (_, breaking) => {
    for (const [path, firing] of firingOf(breaking).entries()) {
      const calm = firingOf(undefined)[path];
      for (const alert of calm?.keys() ?? []) {
        const begun = minutesOf(calm, alert)[0] ?? END;
        // in the engine, what waits goes on where it was; in Prometheus it begins again, which is documented
        const late = path === 0 ? 1 : 4;
        const expected = from(begun < FROM ? begun : begun + TO - FROM + late);
        const found = new Set(minutesOf(firing, alert));
        const lost = expected.filter((minute) => !found.has(minute));
        expect({ path, alert, lost: lost.join() }).toEqual({ path, alert, lost: '' });
      }
      const partial = [...firing.keys()].find(
        (alert) => alert.startsWith('LicensePollPartial') && labelsOf(alert).endpoint === breaking.list,
      );
      expect(partial).toBeDefined();
      const further = [...firing.keys()].filter((alert) => calm?.has(alert) !== true);
      const names = new Set(further.map((alert) => labelsOf(alert).alertname));
      expect([...names].filter((name) => !shown(breaking, path).includes(name ?? ''))).toEqual([]);
    }
  });

  it.each(cases.map((each) => [titleOf(each), each] as const))('%s: nothing is gone that is known', (_, breaking) => {
    const series = outcomes.get(breaking)?.series ?? new Map();
    const valuesOf = (name: string, ...labels: string[]) =>
      [...series]
        .filter(([key]) => key.startsWith(`${name}{`) && labels.every((label) => key.includes(label)))
        .map(([, values]) => values as readonly (number | undefined)[]);
    const known = (data: string, minute: number) =>
      valuesOf('license_vendor_license_data_known', `vendor_license="${SITE}"`, `data="${data}"`)[0]?.[minute];
    for (const minute of from(FROM, TO)) {
      expect(valuesOf('license_poll_incomplete', `endpoint="${breaking.list}"`)[0]?.[minute]).toBe(1);
      expect(valuesOf('license_vendor_license_info', `vendor_license="${SITE}"`)[0]?.[minute]).toBe(1);
      for (const feature of ['firing', 'pending', 'calm']) {
        expect(valuesOf('license_feature_info', `feature="${feature}"`).some((values) => values[minute] === 1)).toBe(
          true,
        );
      }
      if (breaking.list === 'GetFeatures')
        expect(['features', 'usage', 'expirations'].map((data) => known(data, minute))).toEqual([0, 0, 0]);
      if (breaking.list === 'GetExpirationFeatures') expect(known('expirations', minute)).toBe(0);
    }
    for (const data of ['features', 'usage', 'expirations']) expect(known(data, TO + 1)).toBe(1);
  });
});
