import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOwners, type OwnerMapping } from '../../src/base/model/owners.ts';
import type { FeatureRecord } from '../../src/base/model/records.ts';
import { createExposition } from '../../src/exporter/metrics/exposition.ts';
import { isSaturated, policy, settingsOf } from '../support/alert-views.ts';
import { deriveInventoryNow } from '../support/derived-inventory.ts';
import type { Cleanup } from '../support/harness.ts';
import { sayAlerts } from '../support/said-alerts.ts';
import { allCollectors, answer, createSnapshot, feature, good, product } from '../support/scenario.ts';
import { selfMetricsOf } from '../support/self-metrics.ts';

/** The page of an exporter whose site has many conditions, with the gauges and with what the engine says of the same alerts. */

const DAY = 86_400;
const ANALYZER = 'bench:1';
const FEATURES_OF_VENDOR_LICENSE = 1000;
/** Of this many features, as many have a condition as there are in `conditions`: 15 %. */
const CYCLE = 40;

interface Condition {
  readonly alertname: string;
  readonly fields: (now: number) => Partial<FeatureRecord>;
}

/** What the first features of a cycle have. */
const conditions: readonly Condition[] = [
  { alertname: 'LicenseExpired', fields: (now) => ({ licenseExpiration: now - 3 * DAY }) },
  { alertname: 'LicenseExpiringSoon', fields: (now) => ({ licenseExpiration: now + 5 * DAY }) },
  { alertname: 'LicenseExpiringSoon', fields: (now) => ({ licenseExpiration: now + 20 * DAY }) },
  { alertname: 'LicenseFeatureSaturated', fields: () => ({ inUse: 10 }) },
  { alertname: 'LicenseFeatureSaturated', fields: () => ({ inUse: 10 }) },
  { alertname: 'LicenseRequestsQueued', fields: () => ({ maxQueued: 2 }) },
];

const padded = (i: number): string => String(i).padStart(6, '0');

/** The server of a vendor license that is down has no features, and the alert about it is one more condition. */
const DOWN = 'down';

interface BusySite {
  readonly features: readonly FeatureRecord[];
  readonly servers: readonly string[];
  readonly owners: OwnerMapping;
}

function createBusySite(count: number, now: number): BusySite {
  const serverOf = (i: number): string => `lic${padded(Math.floor(i / FEATURES_OF_VENDOR_LICENSE))}`;
  const features = Array.from({ length: count }, (_, i) =>
    feature({
      feature: padded(i),
      serverName: serverOf(i),
      daemon: 'vendord',
      maxAvailable: 10,
      inUse: 5,
      licenseExpiration: now + 400 * DAY,
      ...conditions[i % CYCLE]?.fields(now),
    }),
  );
  // the engine sums up the features of an owner: with an owner of its own, each has an alert
  const owners = createOwners(
    features.map((record) => ({
      vendorLicense: '*',
      feature: record.feature,
      labels: { owner: `team ${record.feature}` },
    })),
  );
  const servers = [...new Set(features.map(({ serverName }) => serverName)), DOWN];
  return { features, servers, owners };
}

/** How many alerts of each name such a site must have in Prometheus. */
export function expectedAlerts(features: number): ReadonlyMap<string, number> {
  const names = Array.from({ length: features }, (_, i) => conditions[i % CYCLE]?.alertname ?? []).flat();
  const ofFeatures = Map.groupBy(names, (name) => name);
  return new Map([['LicenseServerDown', 1], ...[...ofFeatures].map(([name, all]) => [name, all.length] as const)]);
}

/** The whole page of such a site. */
async function renderPage(count: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const { features, servers, owners } = createBusySite(count, now);
  const names = servers.map((server) => `${server};vendord`);
  const snapshot = createSnapshot({
    products: good(answer(names.map((name) => product({ product: name, collectionTime: now }))), now),
    down: good(answer([{ label: `${DOWN};vendord` }]), now),
    features: { '': good(answer(features), now) },
  });
  const inventory = deriveInventoryNow(snapshot, now, policy);
  const rules = settingsOf(Object.fromEntries([...expectedAlerts(count).keys()].map((name) => [name, { for: '0s' }])));
  const state = sayAlerts(snapshot, { rules, analyzer: ANALYZER, now, owners });
  const self = selfMetricsOf({
    identity: () => ({ analyzer: ANALYZER, shard: '', externalUrl: 'http://exporter:10319' }),
    now: () => now,
    alerting: () => state,
    upstream: { authenticated: true },
  });
  self.setReload(true, now - 100);
  const exposition = createExposition({
    metrics: { collectors: allCollectors, maxSeries: 100_000_000 },
    self,
    owners: () => owners,
    isSaturated,
    rightsizing: () => undefined,
    latest: () => inventory,
    isOutdated: () => false,
    renew: async () => undefined,
  });
  exposition.showAlerts(() => ({ state, scope: { analyzer: ANALYZER, shard: '', shards: 1 } }));
  await exposition.read(inventory);
  const { body } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
  return Buffer.concat(Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body)).toString();
}

/**
 * Serves the page of a site.
 *
 * @param read which metrics remain on it: those that no rule reads would only make scrapes cost more
 * @returns its URL, and the number of its series
 */
export async function startPage(
  cleanup: Cleanup,
  features: number,
  read: (metric: string) => boolean,
): Promise<{ readonly url: string; readonly series: number }> {
  const lines = (await renderPage(features)).split('\n');
  const samples = lines.filter((line) => read(/^\w+/.exec(line)?.[0] ?? ''));
  const page = samples.join('\n');
  const server = createServer((_, response) => response.setHeader('content-type', 'text/plain').end(`${page}\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, series: samples.length };
}
