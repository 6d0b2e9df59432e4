import { execFileSync } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { findPools, toFeature } from '../../src/analyzer/server/feature-records.ts';
import { getConcurrentUsers, getProducts } from '../../src/analyzer/server/product-records.ts';
import { UNCOUNTED } from '../../src/base/model/uncounted.ts';
import { collectors } from '../../src/exporter/metrics/metric.ts';
import { type Cleanup, createConfig, eventually, startAnalyzer, startApp, WORKDAY } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { it } from '../support/side-by-side.ts';
import { startPrometheus } from '../support/start-prometheus.ts';

/** Forwards scrapes and keeps the content types of the answers. `accept` replaces the Accept header of Prometheus. */
async function startObserver(
  cleanup: Cleanup,
  target: string,
  accept?: string,
): Promise<{ url: string; contentTypes: Set<string> }> {
  const contentTypes = new Set<string>();
  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = { accept: accept ?? incoming.headers.accept ?? '' };
    const answer = await fetch(`${target}${incoming.url}`, { headers });
    const contentType = answer.headers.get('content-type') ?? '';
    contentTypes.add(contentType);
    response.writeHead(answer.status, { 'content-type': contentType }).end(await answer.text());
  };
  const server = createServer((incoming, response) => {
    // at its end, a test stops the target before Prometheus, which may scrape once more
    forward(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, contentTypes };
}

const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

describe.runIf(peer('prometheus'))('a real Prometheus', () => {
  // each test waits 5 s until Prometheus discovers its targets
  it.concurrent.for<[what: string, scrape: string, accept: string | undefined, contentType: string]>([
    ['the whole page, as it asks', '', undefined, OPENMETRICS],
    ['the whole page, in the text format', '', 'text/plain;version=0.0.4', TEXT],
    ['chosen blocks', "params: {'collect[]': [vendor_licenses, site, expirations, features]}", undefined, OPENMETRICS],
  ])('scrapes what the site says, %s', async ([, scrape, accept, contentType], { cleanup }) => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const observer = await startObserver(cleanup, app.url, accept);
    const { query } = await startPrometheus(cleanup, observer.url, { scrape });
    await eventually('up', async () => (await query('up == 1')).length === 1);

    const current = analyzer.collector.current();
    const features = findPools(current, { product: '%' }).map((pool) => toFeature(pool, WORKDAY));
    const products = getProducts(current, WORKDAY, {});
    const live = features.filter(({ ServerName, Daemon }) =>
      products.some(({ Product, IsCurrent }) => Product.startsWith(`${ServerName};${Daemon}`) && IsCurrent),
    );
    const sum = (values: (number | undefined)[]) => values.reduce<number>((a, b) => a + (b ?? Number.NaN), 0);
    const expected: Record<string, number> = {
      license_up: 1,
      license_exporter_demo: 0,
      'sum(license_feature_in_use)': sum(live.map(({ InUse }) => InUse)),
      'sum(license_feature_max_available)': sum(
        features.map(({ MaxAvailable }) => MaxAvailable).filter((bought) => bought !== UNCOUNTED),
      ),
      'sum(license_feature_max_queued)': sum(live.map(({ MaxQueued }) => MaxQueued)),
      'sum(license_vendor_license_distinct_users)': sum(
        products.filter(({ IsCurrent }) => IsCurrent).map(({ DistinctUsers }) => DistinctUsers),
      ),
      'count(license_feature_info)': features.length,
      'count(license_server_up)': products.length,
      license_concurrent_users: sum([getConcurrentUsers(current, WORKDAY)]),
      'count(license_feature_expiration_timestamp_seconds == Inf)': features.filter(
        ({ LicenseExpiration }) => LicenseExpiration === 2_147_483_647,
      ).length,
    };
    expect(expected['sum(license_feature_in_use)']).toBeGreaterThan(50);
    expect(expected['sum(license_feature_max_queued)']).toBeGreaterThan(0);
    for (const [promql, value] of Object.entries(expected)) {
      expect({ promql, value: (await query(promql)).map(([, text]) => Number(text)) }).toEqual({
        promql,
        value: [value],
      });
    }
    expect([...observer.contentTypes]).toEqual([contentType]);
  });
});

describe.runIf(peer('promtool'))('promtool check metrics', () => {
  it.for<[what: string, settings: Parameters<typeof createConfig>[1]]>([
    ['default', {}],
    [
      'all collectors and the alert engine',
      {
        ...Object.fromEntries(Object.keys(collectors).map((name) => [`metrics.collectors.${name}`, true])),
        'alerting.alertmanagers': ['http://127.0.0.1:1'],
      },
    ],
  ])('finds nothing on the whole page, %s', async ([, settings], { cleanup }) => {
    const analyzer = await startAnalyzer({ vendorLicenses: 8, featuresPerVendorLicense: 20 });
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url, settings));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const page = await app.metrics();
    expect(page).toContain('license_feature_in_use{');
    // exit code 3 and the findings on standard error, if there are any
    expect(execFileSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' })).toBe('');
  });
});
