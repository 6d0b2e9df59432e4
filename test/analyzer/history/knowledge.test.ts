import { afterEach, describe, expect, it } from 'vitest';
import type { PoolObservation } from '../../../src/base/model/observation/observation.ts';
import type { Source } from '../../../src/base/model/observation/source.ts';
import {
  createCleanup,
  createClient,
  createConfig,
  eventually,
  startAnalyzer,
  startApp,
  WORKDAY,
} from '../../support/harness.ts';

/** The simulated site as FlexNet knows it: what `lmstat -a` does not tell is nowhere, neither as 0 nor as an alert. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const size = { vendorLicenses: 8, featuresPerVendorLicense: 14 };

async function start(knowledge: 'full' | 'flexnet', gate?: 'none') {
  const past = { historyDays: 3, interval: 3600 };
  const analyzer = await startAnalyzer({ ...size, ...past, knowledge }, gate === undefined ? {} : { gate });
  cleanup.add(() => analyzer.stop());
  return analyzer;
}

/** Fields that `lmstat -a` knows nothing of, and those of which it knows something at times. */
const neverKnown = {
  GetProducts: ['Active', 'Inactive', 'Mapped'],
  GetFeatures: [
    'Active',
    'Inactive',
    'ActiveUse',
    'InactiveUse',
    'BorrowedActive',
    'BorrowedInactive',
    'BorrowedActiveUse',
    'BorrowedInactiveUse',
    'UsedReserve',
    'MaxQueued',
    'TokenCostValue',
  ],
  GetUsers: [],
  GetExpirationFeatures: [],
} as const;
const sometimesKnown = ['LicenseExpiration', 'MinLicenseExpiration', 'ShowExpired', 'ShowWarning'];

/** Metrics of these fields. */
const unknownMetrics = [
  'license_vendor_license_active',
  'license_vendor_license_inactive',
  'license_vendor_license_mapped',
  'license_feature_active_use',
  'license_feature_inactive_use',
  'license_feature_borrowed_active_use',
  'license_feature_borrowed_inactive_use',
  'license_feature_used_reserve',
  'license_feature_max_queued',
];
const knownMetrics = [
  'license_vendor_license_indeterminate',
  'license_vendor_license_distinct_users',
  'license_vendor_license_max_available',
  'license_feature_max_available',
  'license_feature_in_use',
  'license_feature_available',
  'license_feature_unused_reserve',
  'license_feature_borrowed_use',
  'license_feature_distinct_users',
  'license_feature_expiration_timestamp_seconds',
];

const samplesOf = (text: string, metric: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${metric}{`));

type Wire = Readonly<Record<string, unknown>>;
type AlertLabels = Readonly<Record<'alertname' | 'vendor_license', string>>;

describe('the simulated site as FlexNet knows it', () => {
  it('answers without the fields that it cannot know, and with what it knows', async () => {
    const { url, site } = await start('flexnet', 'none');
    const ask = async (question: string): Promise<unknown> =>
      JSON.parse((await (await fetch(`${url}/api/${question}`)).text()).replaceAll(':NaN', ':"NaN"'));
    const [features] = (await ask('GetFeatures?product=%25')) as [Wire[]];
    const { data: users } = (await ask('GetUsers?format=sql&product=%25&feature=%25&sortdatafield=Username')) as {
      data: Wire[];
    };
    const found = {
      GetProducts: (await ask('GetProducts')) as Wire[],
      GetFeatures: features,
      GetUsers: users,
      GetExpirationFeatures: (await ask('GetExpirationFeatures?product=%25&search=2')) as Wire[],
    };
    for (const [endpoint, records] of Object.entries(found)) {
      const missing = neverKnown[endpoint as keyof typeof neverKnown] as readonly string[];
      expect(records.length).toBeGreaterThan(5);
      for (const record of records) expect(Object.keys(record).filter((key) => missing.includes(key))).toEqual([]);
    }
    // when licenses end is printed beside checkouts and reservations only
    const dated = features.filter((record) => 'LicenseExpiration' in record);
    const undated = features.filter((record) => !('LicenseExpiration' in record));
    expect([dated.length > 5, undated.length > 1]).toEqual([true, true]);
    for (const record of undated) {
      expect([record.InUse, record.UnusedReserve]).toEqual([0, 0]);
      expect(Object.keys(record).filter((key) => sometimesKnown.includes(key))).toEqual([]);
    }
    // versions and packages are one, and counted together
    expect(new Set(features.map(({ Version, Package }) => `${Version}${Package}`))).toEqual(new Set(['']));
    const pools = site.observe(WORKDAY).flatMap((license) => license.pools);
    expect(features.length).toBeLessThan(pools.length);
    const sum = (values: readonly unknown[]): number => values.reduce<number>((all, one) => all + Number(one), 0);
    const inUse = pools.map(({ checkouts }) => sum(checkouts.map(({ licenses }) => licenses)));
    expect(sum(features.map(({ InUse }) => InUse))).toBe(sum(inUse));
    expect(users).toHaveLength(sum(pools.map(({ checkouts }) => checkouts.length)));
  });

  it('has gaps in history where it cannot know, and nowhere else', async () => {
    const full = await start('full');
    const flexnet = await start('flexnet');
    const answersOf = async ({ url }: { readonly url: string }) => {
      const { client } = createClient(url);
      cleanup.add(() => client.close());
      const { signal } = new AbortController();
      const selector = { product: '%', feature: '%' };
      return {
        trend: await client.getHistory(selector, signal),
        reserved: await client.getHistoryReserved(selector, signal),
        efficiency: await client.getEfficiency({ ...selector, package: '', year: '2026', month: '11' }, signal),
        heatMap: await client.getHeatMap({ ...selector, package: '', year: '2026', month: '11' }, signal),
      };
    };
    const [all, some] = [await answersOf(full), await answersOf(flexnet)];
    const points = ({ trend }: typeof all, name: string) => trend.find((series) => series.name === name);
    expect(points(all, 'Denials')?.at.length).toBeGreaterThan(0);
    expect(points(some, 'Denials')?.at).toHaveLength(0);
    expect(points(some, 'Elapsed Time')).toEqual(points(all, 'Elapsed Time'));
    expect(points(some, 'Max Available')?.at).toEqual(points(all, 'Max Available')?.at);
    expect(some.reserved.categories).toEqual(all.reserved.categories);
    const values = ({ reserved }: typeof all, name: string) =>
      reserved.series.find((series) => series.name === name)?.values;
    expect(values(some, 'Reserved Licenses')?.every(Number.isNaN)).toBe(true);
    expect(values(some, 'Max In Use')).toEqual(values(all, 'Max In Use'));
    expect(some.efficiency).toEqual(all.efficiency);
    expect(some.heatMap).toEqual(all.heatMap);
  });

  it('gives its past the same gaps', async () => {
    const piecesOf = async (knowledge: 'full' | 'flexnet') => {
      const { site } = await start(knowledge);
      const steps = [...site.past(WORKDAY, Number.POSITIVE_INFINITY)].filter((step) => step !== undefined);
      return steps.flatMap(({ series }) => series);
    };
    const [full, flexnet] = [await piecesOf('full'), await piecesOf('flexnet')];
    const types = flexnet.map(({ series }) => `${series.package}/${series.featureType}`);
    expect(new Set(types)).toEqual(new Set(['/feature']));
    const samples = flexnet.flatMap((piece) => piece.samples);
    expect(samples.length).toBeGreaterThan(100);
    for (const { denials, reserved } of samples) expect([denials, reserved]).toEqual([undefined, undefined]);
    const inUse = (pieces: typeof full): number =>
      pieces.flatMap((piece) => piece.samples).reduce((sum, sample) => sum + (sample.inUse ?? Number.NaN), 0);
    expect(inUse(flexnet)).toBe(inUse(full));
  });

  it('has no sample and no alert of it in the exporter', async () => {
    const settings = {
      'alerting.alertmanagers': ['http://127.0.0.1:1'],
      'alerting.evaluation_interval': '100ms',
      'alerting.rules': {
        LicenseRequestsQueued: { for: '0s' },
        LicenseFeatureSaturated: { for: '0s' },
        LicenseDenials: { for: '0s' },
      },
      'metrics.collectors.history': true,
      'history.features': [{ vendor_license: 'sim-lic01;sim_cadd', feature: 'sim-mesh-2' }],
    };
    const look = async (knowledge: 'full' | 'flexnet') => {
      const { url } = await start(knowledge);
      const app = await startApp(createConfig(url, settings));
      cleanup.add(() => app.stop());
      await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
      const ofHistory = 'license_feature_history_elapsed_time{';
      await eventually('history', async () => (await app.metrics()).includes(ofHistory));
      const alerts = async (): Promise<readonly AlertLabels[]> => {
        const { data } = (await (await fetch(`${app.url}/api/v1/alerts`)).json()) as {
          data: { alerts: { labels: AlertLabels }[] };
        };
        return data.alerts.map(({ labels }) => labels);
      };
      const isSaturated = ({ alertname }: AlertLabels): boolean => alertname === 'LicenseFeatureSaturated';
      await eventually('an evaluation', async () => (await alerts()).some(isSaturated));
      return { text: await app.metrics(), alerts: await alerts() };
    };
    const full = await look('full');
    for (const metric of unknownMetrics)
      expect([metric, samplesOf(full.text, metric).length > 0]).toEqual([metric, true]);
    expect(full.text).toContain('license_feature_history_denials{');
    expect(full.alerts.map(({ alertname }) => alertname)).toContain('LicenseRequestsQueued');

    const flexnet = await look('flexnet');
    for (const metric of unknownMetrics) expect([metric, samplesOf(flexnet.text, metric)]).toEqual([metric, []]);
    for (const metric of knownMetrics) {
      expect([metric, samplesOf(flexnet.text, metric).length > 0]).toEqual([metric, true]);
    }
    expect(flexnet.text).not.toContain('license_feature_history_denials{');
    const expiries = samplesOf(flexnet.text, 'license_feature_expiration_timestamp_seconds');
    for (const { alertname, vendor_license: vendorLicense } of flexnet.alerts) {
      expect(['LicenseRequestsQueued', 'LicenseDenials']).not.toContain(alertname);
      if (!alertname.startsWith('LicenseExp')) continue;
      expect(expiries.filter((line) => line.includes(`vendor_license=${JSON.stringify(vendorLicense)}`))).not.toEqual(
        [],
      );
    }
    expect(flexnet.text).toMatch(/^license_up 1$/m);
    expect(flexnet.text).toMatch(/^license_concurrent_users \d+$/m);
  });
});

describe('a source that does not list every user', () => {
  it('leaves the count of users out of answers, and of the exporter', async () => {
    const { site } = await start('full');
    /** The names of one vendor license are hidden; the server counts its licenses. */
    const source: Source = {
      name: 'hidden',
      interval: 60,
      offset: 0,
      read: async (signal) => {
        const [first, ...others] = await site.read(signal);
        if (first === undefined) throw new Error('unreachable: the site has vendor licenses');
        const hide = (pool: PoolObservation): PoolObservation => ({
          ...pool,
          inUse: pool.checkouts.length,
          checkouts: [],
          unknownOfCheckouts: ['list'],
        });
        return [{ ...first, pools: first.pools.map(hide) }, ...others];
      },
    };
    const analyzer = await startAnalyzer({}, { sources: [source], gate: 'none' });
    cleanup.add(() => analyzer.stop());
    const answer = await fetch(`${analyzer.url}/api/GetConcurrentUsers`, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([200, 'NaN']);
    const app = await startApp(createConfig(analyzer.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const text = await app.metrics();
    expect(text).toMatch(/^license_up 1$/m);
    expect(text).not.toMatch(/^license_concurrent_users /m);
    const ofHidden = (metric: string): string[] =>
      samplesOf(text, metric).filter((line) => line.includes('vendor_license="sim-lic01;'));
    expect(ofHidden('license_vendor_license_distinct_users')).toEqual([]);
    expect(samplesOf(text, 'license_vendor_license_distinct_users').length).toBeGreaterThan(1);
    expect(ofHidden('license_feature_distinct_users')).toEqual([]);
    expect(ofHidden('license_feature_borrowed_use')).toEqual([]);
    expect(ofHidden('license_feature_in_use').some((line) => !line.endsWith(' 0'))).toBe(true);
  });
});

describe('a vendor license that was never reached', () => {
  it('has no figures, and is not in the number of users', async () => {
    const { site } = await start('full');
    const source: Source = {
      name: 'one down',
      interval: 60,
      offset: 0,
      read: async (signal) => {
        const [first, ...others] = await site.read(signal);
        if (first === undefined) throw new Error('unreachable: the site has vendor licenses');
        return [{ ...first, reachable: false, pools: [] }, ...others];
      },
    };
    const analyzer = await startAnalyzer({}, { sources: [source], gate: 'none' });
    cleanup.add(() => analyzer.stop());
    const body = await (await fetch(`${analyzer.url}/api/GetProducts`)).text();
    const [down] = JSON.parse(body.replaceAll(':NaN', ':"NaN"')) as [Wire];
    expect(down).toEqual({
      CollectionTime: 0,
      Product: 'sim-lic01;sim_cadd',
      MappingIcon: 'ServerDown',
      ExpiredIcon: '',
      IsCurrent: false,
      LogActive: 'NaN',
      LogInactive: 'NaN',
    });
    const users = await (await fetch(`${analyzer.url}/api/GetConcurrentUsers`, { method: 'POST' })).text();
    expect(Number(users)).toBeGreaterThan(0);
    const app = await startApp(createConfig(analyzer.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const page = await app.metrics();
    const samples = samplesOf(page, 'license_vendor_license_max_available');
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.filter((line) => line.includes('sim-lic01;sim_cadd'))).toEqual([]);
    expect(page).toContain(`license_concurrent_users ${users}\n`);
    expect(page).toContain('license_poll_success{endpoint="GetProducts"} 1');
    expect(page).not.toContain('license_poll_discarded_values{endpoint="GetProducts",reason="bad_record"}');
  });
});
