import { beforeAll, describe, expect, it, vi } from 'vitest';
import { noOwners } from '../../../src/base/model/owners.ts';
import type { Field } from '../../../src/base/query-api/field.ts';
import { recordFields } from '../../../src/base/query-api/records.ts';
import { sectionDefaults } from '../../../src/base/settings/table.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import type { Family } from '../../../src/exporter/metrics/family.ts';
import { collectVendorLicenses } from '../../../src/exporter/metrics/site-collector.ts';
import { createPoller } from '../../../src/exporter/poll/poller.ts';
import { poll as pollSection } from '../../../src/exporter/poll/settings.ts';
import { policy } from '../../support/alert-views.ts';
import { AlertmanagerModel } from '../../support/alertmanager-model.ts';
import { isLong } from '../../support/extent.ts';
import { createTestLog } from '../../support/harness.ts';
import { allCollectors } from '../../support/scenario.ts';
import { createWireSite, type WireLists, type WireRecord } from '../../support/wire-site.ts';
import { EngineRun } from './histories/engine-run.ts';
import { type Firing, FiringTicks, labelsOf, textOf } from './histories/firing.ts';
import { createTimeline } from './histories/history.ts';

/**
 * For each list that is polled and each field that identifies its records: while records are unusable, they are not taken for gone,
 * alerts neither resolve nor begin again, and something shows it.
 */

const lists = ['GetProducts', 'GetServerDown', 'GetFeatures', 'GetExpirationFeatures'] as const;
type List = (typeof lists)[number];

/** Forms of a value that names nothing. JSON leaves out `undefined`. */
const forms = { missing: undefined, null: null, empty: '', 'an object': {} };
type Form = keyof typeof forms;
const noText: readonly Form[] = ['an object'];
const noName = isLong ? (Object.keys(forms) as Form[]) : (['missing', ...noText] as const);

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
      (naming.has(field) ? noName : noText).flatMap((form) =>
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
  const now = EPOCH + minute * 60;
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

const scheduled = ['products', 'serverDown', 'concurrentUsers', 'features', 'expirations', 'history'];
const poll = {
  ...sectionDefaults(pollSection),
  ...Object.fromEntries(scheduled.map((name) => [name, '* * * * *'])),
  startOffset: 0,
};

interface Outcome {
  readonly firing: Firing;
  /** By minute. */
  readonly inventories: readonly Inventory[];
}

/** Polls for some time. */
async function run(breaking: Case | undefined): Promise<Outcome> {
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
    config: {
      analyzer: { timeout: 30, concurrency: 4 },
      poll,
      features: { request: breaking?.request ?? 'all' },
      expiration: { search: 'none' },
      history: { features: [] },
      metrics: { collectors: { history: false } },
      shard: { index: 0 },
    },
    selection: policy,
    now,
    clockAhead: () => 0,
    log: createTestLog(),
    onCommit: () => undefined,
  });
  const engines = new EngineRun(createTimeline({ ticks: END }), new AlertmanagerModel());
  const firing = new FiringTicks();
  const inventories: Inventory[] = [];
  try {
    for (; minute < END; minute += 1) {
      if (minute === 0) await poller.start();
      else await vi.advanceTimersByTimeAsync(60_000);
      const at = EPOCH + minute * 60;
      const inventory = site.inventoryOf(poller.latest(), at);
      inventories.push(inventory);
      const [running] = await engines.evaluate([
        {
          tick: minute,
          now: at,
          replica: 0,
          begins: minute === 0 ? 'fresh' : undefined,
          isScraped: true,
          inventory,
          authenticated: true,
          sources: undefined,
          forecasts: undefined,
        },
      ]);
      for (const { labels, value } of running?.engine.status().statements?.alerts ?? [])
        if (value !== 0) firing.add(textOf(labels), minute);
    }
  } finally {
    await engines.stop();
    vi.useRealTimers();
    await poller.stop();
  }
  return { firing: firing.all, inventories };
}

const titleOf = ({ list, field, form, request }: Case): string => `${list}.${field} is ${form}, requested ${request}`;

/** Minutes in which an alert fires. */
const minutesOf = (firing: Firing, alert: string): number[] => [...(firing.get(alert) ?? [])].sort((a, b) => a - b);

/** The alerts that show it. */
const shown: ReadonlySet<string | undefined> = new Set(['LicensePollPartial', 'LicenseRecordsDiscarded']);

const from = (first: number, last = END): number[] => Array.from({ length: last - first }, (_, i) => first + i);

describe('records that are unusable for 35 minutes', () => {
  const outcomes = new Map<Case | undefined, Outcome>();

  beforeAll(async () => {
    for (const breaking of [undefined, ...cases]) outcomes.set(breaking, await run(breaking));
  });

  const firingOf = (breaking: Case | undefined): Firing => outcomes.get(breaking)?.firing ?? new Map();

  it('have alerts to lose, some of which have just begun to wait', () => {
    const firing = firingOf(undefined);
    const begun = [...firing.keys()].map((alert) => {
      const { alertname, team: feature = '' } = labelsOf(alert);
      return [alertname, feature, minutesOf(firing, alert)[0] ?? END] as const;
    });
    expect(begun.map(([name, feature]) => [name, feature])).toContainEqual(['LicenseFeatureSaturated', 'firing']);
    expect(begun.length).toBeGreaterThan(5);
    expect(begun.filter(([, feature, first]) => feature === 'pending' && first >= FROM)).toHaveLength(2);
  });

  const titled = cases.map((each) => [titleOf(each), each] as const);

  it.each(titled)('%s: no alert ends, and one shows it', (_, breaking) => {
    const calm = firingOf(undefined);
    const firing = firingOf(breaking);
    for (const alert of calm.keys()) {
      const begun = minutesOf(calm, alert)[0] ?? END;
      // what waits goes on where it was
      const expected = from(begun < FROM ? begun : begun + TO - FROM + 1);
      const found = new Set(minutesOf(firing, alert));
      const lost = expected.filter((minute) => !found.has(minute));
      expect({ alert, lost: lost.join() }).toEqual({ alert, lost: '' });
    }
    const further = [...firing.keys()].filter((alert) => !calm.has(alert)).map(labelsOf);
    expect(further).toContainEqual(
      expect.objectContaining({ alertname: 'LicensePollPartial', endpoint: breaking.list }),
    );
    expect(further.filter(({ alertname }) => !shown.has(alertname))).toEqual([]);
  });

  it.each(titled)('%s: nothing is gone that is known', (_, breaking) => {
    const { inventories = [] } = outcomes.get(breaking) ?? {};
    const knownAt = (data: string, minute: number): number | undefined => {
      const families = collectVendorLicenses(inventories[minute] as Inventory, allCollectors, noOwners);
      const { rows, value } = families.find(({ name }) => name === 'license_vendor_license_data_known') as Family;
      const texts = Array.from({ length: rows.count }, (__, i) =>
        rows.arena.subarray(rows.offsets[i], rows.offsets[i + 1]).toString(),
      );
      return value(texts.indexOf(`{vendor_license="${SITE}",data="${data}"}`));
    };
    for (const minute of from(FROM, TO)) {
      const { polls, vendorLicenses, features } = inventories[minute] as Inventory;
      expect(polls.find(({ endpoint }) => endpoint === breaking.list)?.isIncomplete).toBe(true);
      expect([...vendorLicenses].map(({ vendorLicense }) => vendorLicense)).toContain(SITE);
      // a scan moves one row
      const names: string[] = [];
      for (const { isReported, feature } of features) if (isReported) names.push(feature);
      expect(names).toEqual(expect.arrayContaining(['firing', 'pending', 'calm']));
      if (breaking.list === 'GetFeatures')
        expect(['features', 'usage', 'expirations'].map((data) => knownAt(data, minute))).toEqual([0, 0, 0]);
      if (breaking.list === 'GetExpirationFeatures') expect(knownAt('expirations', minute)).toBe(0);
    }
    for (const data of ['features', 'usage', 'expirations']) expect(knownAt(data, TO + 1)).toBe(1);
  });
});
