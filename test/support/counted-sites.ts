import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LICENSE_MANAGERS } from '../../src/analyzer/analyzer.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { createSimulatedSite } from '../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import type { WireFeature, WireProduct } from '../../src/base/query-api/records.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { startCollectingApp } from './collecting-app.ts';
import { startFaulty } from './faulty-analyzer.ts';
import { type Cleanup, createConfig, startAnalyzer, startApp } from './harness.ts';
import { hostileNames } from './hostile-names.ts';

/** Sites whose figures are compared: one that knows everything, one that knows little, and two with troubles of all kinds. */

const DAY = 86_400;

/** Its addresses, and a feature that it has. */
export interface CountedSite {
  readonly url: string;
  readonly product: string;
  readonly feature: string;
}

/** A folder that is removed at the end of a test. */
function createFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-counts-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Every user sees names and prices. Alerts fire at once: none begins to fire while the site is read. */
function settingsOf(cleanup: Cleanup) {
  const prices = join(createFolder(cleanup), 'prices.csv');
  writeFileSync(prices, 'vendor_license,feature,price,currency\n%,%,100,EUR\n');
  return {
    'access.names': '*',
    'access.prices': '*',
    'rightsizing.enabled': true,
    'rightsizing.price_file': prices,
    'alerting.evaluation_interval': '5s',
    'alerting.rules': { LicenseFeatureSaturated: { for: '0s' }, LicenseExpiringSoon: { for: '0s' } },
  };
}

/** A simulated site at one moment. */
async function startSimulated(cleanup: Cleanup, knowledge: 'full' | 'flexnet'): Promise<CountedSite> {
  const moment = Date.now() / 1000;
  const site = { seed: 1, vendorLicenses: 3, featuresPerVendorLicense: 8, knowledge, historyDays: 400 };
  const options = { ...site, timeZone: 'Europe/Berlin', interval: 300, now: () => moment, names: hostileNames };
  const analyzer = await startAnalyzer(options, { past: createSimulatedSite(options).past });
  cleanup.add(() => analyzer.stop());
  const [first] = analyzer.collector.current();
  const settings = { ...settingsOf(cleanup), 'metrics.collectors.history': true };
  const [pool] = first?.observation.pools ?? [];
  const [product = '', feature = ''] = [first?.name, pool?.feature];
  const app = await startApp(
    createConfig(analyzer.url, { ...settings, 'history.features': [{ vendor_license: product, feature }] }),
    { recorded: analyzer.demand },
  );
  cleanup.add(() => app.stop());
  return { url: app.url, product, feature };
}

export const startFullSite = (cleanup: Cleanup): Promise<CountedSite> => startSimulated(cleanup, 'full');

/** FlexNet without license and options files: no expiries of most features, no queue, no status of applications. */
export const startFlexNetSite = (cleanup: Cleanup): Promise<CountedSite> => startSimulated(cleanup, 'flexnet');

type Edit<T> = (records: readonly T[]) => readonly unknown[];

/** An analyzer of another vendor, with zeros of what it has never collected, an endpoint that fails, and odd figures. */
export async function startOddAnalyzer(cleanup: Cleanup): Promise<CountedSite> {
  const moment = Date.now() / 1000;
  const faulty = await startFaulty(cleanup, { vendorLicenses: 4, featuresPerVendorLicense: 6, now: () => moment });
  const names: string[] = [];
  const products: Edit<WireProduct> = (records) =>
    records.map((record, i) => {
      names[i] = record.Product;
      const zeros = { CollectionTime: 0, DistinctUsers: 0, Active: 0, Inactive: 0, Indeterminate: 0, Mapped: 0 };
      return i === 2 ? { ...record, ...zeros, IsCurrent: false, MappingIcon: '' } : record;
    });
  const features: Edit<WireFeature> = (records) =>
    records.map((record, i) => {
      switch (i % 6) {
        // an overdraft
        case 0:
          return { ...record, LicenseType: 'floating', MaxAvailable: 100, InUse: 120 };
        case 1:
          return { ...record, LicenseType: 'uncounted', MaxAvailable: 99_999, InUse: 15 };
        case 2:
          return { ...record, MaxQueued: 2 };
        case 3:
          return { ...record, InUse: undefined, MaxQueued: undefined };
        case 4:
          return { ...record, LicenseModel: 'token', TokenCost: 3 };
        default:
          return { ...record, MaxAvailable: undefined };
      }
    });
  const edited = (body: Buffer, edit: Edit<never>): string => {
    const answer = JSON.parse(body.toString().replace(/:NaN/g, ':null')) as
      | readonly never[]
      | readonly (readonly never[])[];
    return JSON.stringify(Array.isArray(answer[0]) ? [edit(answer[0])] : edit(answer as readonly never[]));
  };
  faulty.break('/api/', (request, response, body) => {
    const path = decodeURIComponent(request.url ?? '');
    const send = (text: string | Buffer): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    };
    if (path.includes('GetProducts')) send(edited(body, products));
    else if (path.includes('GetFeatures')) send(edited(body, features));
    else if (path.includes('GetServerDown')) send(JSON.stringify([{ Label: names[1] }]));
    else if (path.includes('GetConcurrentUsers')) send('NaN');
    else if (path.includes('GetExpirationFeatures') && path.includes(names[3] ?? '')) response.writeHead(503).end();
    else send(body);
  });
  const app = await startApp(createConfig(faulty.url, settingsOf(cleanup)));
  cleanup.add(() => app.stop());
  return { url: app.url, product: names[0] ?? '', feature: 'x' };
}

/** People who waited on two days before today. */
function recordWaits(path: string, today: number): void {
  const localTime = createLocalTime('UTC');
  const store = openStore({ path, localTime, origin: LICENSE_MANAGERS, maxSize: 2 ** 30 });
  const series = { vendorLicense: '4084@alpha;meshd', feature: 'full', package: '', featureType: 'feature' };
  const unknown = { available: undefined, inUse: undefined, reserved: undefined, users: undefined };
  const wait = { cause: 'all_busy', ended: 'got', episodes: 2, people: 1, seconds: 90 } as const;
  for (const day of [today - 3, today - 1]) {
    const samples = Array.from({ length: 24 }, (_, hour) => {
      const at = localTime.startOf(day) + hour * 3600;
      return { ...unknown, at, seconds: 3600, denials: hour === 9 ? 5 : 0 };
    });
    runAtOnce(store.add([{ series, day, samples }], ['people', `${day}`]));
    runAtOnce(store.addBlocked([[series, { day, waits: [wait, { ...wait, cause: 'held_idle', ended: 'gave_up' }] }]]));
  }
  store.close();
}

/** Sources: one with troubles of all kinds, one with lines that nobody understands, and one that was never reached. */
export async function startTroubledSources(cleanup: Cleanup): Promise<CountedSite> {
  const now = Math.floor(Date.now() / 1000);
  const folder = createFolder(cleanup);
  const file = join(folder, 'site.json');
  const checkouts = (users: number, licenses: number) =>
    Array.from({ length: users }, (_, i) => ({ user: `user${i}`, host: 'h', since: now - 600, licenses }));
  const trouble = {
    server: '4084@alpha',
    daemon: 'meshd',
    reports: ['borrowed'],
    features: [
      { feature: 'over', count: 100, expires: 'permanent', checkouts: checkouts(12, 10), queued: [] },
      { feature: 'unlimited', count: 'uncounted', expires: 'permanent', checkouts: checkouts(22, 1), queued: [] },
      {
        feature: 'full',
        count: 4,
        expires: now + 10 * DAY,
        checkouts: checkouts(4, 1),
        queued: [{ user: 'w', host: 'h' }],
      },
      { feature: 'old', count: 5, expires: now - 3 * DAY, checkouts: [], queued: [] },
      { feature: 'two', version: '1', count: 5, expires: now + 400 * DAY, checkouts: [], queued: [], denials: 3 },
      { feature: 'two', version: '2', count: 6, expires: now + 20 * DAY, checkouts: checkouts(1, 1), queued: [] },
      {
        feature: 'token',
        count: 60,
        token: { pool: 'tokens', cost: 3 },
        expires: now + 200 * DAY,
        checkouts: checkouts(2, 3),
      },
      { feature: 'dark' },
    ],
  };
  const quiet = { server: '4084@beta', daemon: 'routed', features: [{ feature: 'route', count: 3, in_use: 1 }] };
  const silent = { server: '4084@gamma', daemon: 'drcd', reachable: false };
  writeFileSync(file, JSON.stringify({ version: 1, vendor_licenses: [trouble, quiet, silent] }));
  const missing = join(folder, 'missing.json');
  const sources = [
    { name: 'site', manager: 'json', via: { file } },
    { name: 'never', manager: 'json', via: { file: missing } },
  ];
  recordWaits(join(folder, 'history.db'), Math.floor(now / DAY));
  const { url } = await startCollectingApp(cleanup, sources, { ...settingsOf(cleanup), 'storage.path': folder });
  return { url, product: '4084@alpha;meshd', feature: 'full' };
}
