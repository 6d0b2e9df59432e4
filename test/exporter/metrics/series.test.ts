import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import type { Metric } from '../../../src/exporter/metrics/metric.ts';
import { processMetrics } from '../../../src/exporter/metrics/process-metrics.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { quickPolls } from '../../support/end-to-end.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { metricOf } from '../../support/promql.ts';

/** How many series a daemon has, and which of them are always there. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Of the page of 0.2.0 about the vendor license with 200 features: its series, and those that were 0. With one feature, it had 427. */
const before = { series: 2028, zeros: 612 } as const;

/** A series by the name of its metric, with its value. */
interface Series {
  readonly name: string;
  readonly value: number;
}

const seriesOf = (page: string): readonly Series[] =>
  page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ name: /^\w+/.exec(line)?.[0] ?? '', value: Number(line.slice(line.lastIndexOf(' ') + 1)) }));

/** The page of a daemon that reads one vendor license from a file. */
async function collected(features: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-series-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'observations.json');
  const listed = Array.from({ length: features }, (_, i) => ({
    feature: `CAD${i}`,
    count: 20,
    in_use: 7,
    expires: '2099-06-30',
  }));
  const license = { server: '4084@lic1.example.com', daemon: 'acme', features: listed };
  writeFileSync(file, JSON.stringify({ version: 1, vendor_licenses: [license] }));
  const app = await startCollectingApp(cleanup, [{ name: 'acme', manager: 'json', via: { file } }], {
    'storage.path': join(folder, 'state'),
  });
  await eventually('all features', async () => {
    const names = seriesOf(await app.metrics()).map(({ name }) => name);
    const count = (name: string): number => names.filter((one) => one === name).length;
    return (
      count('license_feature_expiration_timestamp_seconds') === features &&
      count('license_feature_in_use') === features &&
      count('license_alerts_evaluated_timestamp_seconds') === 1
    );
  });
  return app.metrics();
}

/** The page of a daemon that polls an analyzer with one feature, of which everything is known. */
async function polled(): Promise<string> {
  const analyzer = await startAnalyzer({ vendorLicenses: 1, featuresPerVendorLicense: 1 });
  cleanup.add(() => analyzer.stop());
  const app = await startApp(createConfig(analyzer.url, quickPolls));
  cleanup.add(() => app.stop());
  await eventually('all data', async () => {
    const names = new Set(seriesOf(await app.metrics()).map(({ name }) => name));
    return ['license_feature_in_use', 'license_feature_expiration_timestamp_seconds', 'license_concurrent_users'].every(
      (name) => names.has(name),
    );
  });
  return app.metrics();
}

describe('one vendor license with one feature', () => {
  it('has at most 220 series if it is collected', async () => {
    const series = seriesOf(await collected(1));
    expect(series.length).toBeGreaterThan(100);
    expect(series.length).toBeLessThanOrEqual(220);
  });

  it('has at most 220 series if it is polled', async () => {
    const series = seriesOf(await polled());
    expect(series.length).toBeGreaterThan(100);
    expect(series.length).toBeLessThanOrEqual(220);
  });
});

describe('the page', () => {
  it('has what is always there, what is known, and no 0 of what is only there while it is not 0', async () => {
    const all: readonly (readonly [string, Metric])[] = Object.entries(catalogue);
    for (const [page, groups] of [
      [await collected(1), ['default', 'sources', 'alerts', 'alerting']],
      [await polled(), ['default', 'logons', 'alerts', 'alerting']],
    ] as const) {
      const series = seriesOf(page);
      const names = new Set(series.map(({ name }) => name));
      const expected = all
        .filter(([, { group, presence }]) => presence === 'always' && (groups as readonly string[]).includes(group))
        // there is no Alertmanager, and GetFeatures reports the feature
        .filter(([name, { labels }]) => !labels.includes('alertmanager') && name !== 'license_feature_expiration_info')
        .map(([name]) => name);
      expect(expected.length).toBeGreaterThan(20);
      expect([...expected, ...Object.keys(processMetrics)].filter((name) => !names.has(name))).toEqual([]);
      expect(
        series.filter(({ name, value }) => metricOf(name)?.presence === 'not 0' && value === 0).map(({ name }) => name),
      ).toEqual([]);
      expect([...names].filter((name) => metricOf(name) === undefined && !(name in processMetrics))).toEqual([]);
      expect([...names].filter((name) => metricOf(name)?.presence === 'seen').length).toBeGreaterThan(1);
    }
  });
});

describe('200 features', () => {
  it('have no more series than before without those that were 0, and the page passes the lint', async () => {
    const page = await collected(200);
    const { length } = seriesOf(page);
    expect(length).toBeGreaterThan(200 * 6);
    expect(length).toBeLessThanOrEqual(before.series - before.zeros);
    if (peer('promtool')) expect(execFileSync('promtool', ['check', 'metrics'], { input: page }).toString()).toBe('');
  });
});
