import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { noOwners } from '../../../src/base/model/owners.ts';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import { createExposition, type Exposition } from '../../../src/exporter/metrics/exposition.ts';
import { fieldMetrics } from '../../../src/exporter/metrics/field-metrics.ts';
import { isSaturated } from '../../support/alert-views.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { forecast, startOf } from '../../support/forecasts.ts';
import { peer } from '../../support/peers.ts';
import { allCollectors, createSnapshot, NOW, scenario } from '../../support/scenario.ts';
import { selfMetricsOf } from '../../support/self-metrics.ts';

/** The whole page of one fixed scenario, without metrics of the process, which differ on every machine. */
async function createPage(enabled = allCollectors): Promise<Exposition> {
  const self = selfMetricsOf({
    version: '1.2.3',
    revision: 'abcdef',
    nodeVersion: 'v24.0.0',
    web: () => ({ refused: { scrapes: 3, logons: 0 }, cut: { stalled: 2 } }),
    upstream: { authenticated: true, connectionsOpened: 2, roundTrips: 9, handshakes: 2, staleRetries: 1 },
  });
  self.observeRequest({ endpoint: 'GetProducts', seconds: 0.2, bytes: 1000 });
  self.observeRequest({ endpoint: 'GetFeatures', seconds: 3, bytes: 0, failure: 'timeout' });
  self.setReload(true, NOW - 100);
  const inventory = deriveInventoryNow(createSnapshot(scenario), NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  const exposition = createExposition({
    metrics: { collectors: enabled, maxSeries: 500_000 },
    self,
    owners: () => noOwners,
    isSaturated,
    rightsizing: () => ({
      computedAt: NOW - 7200,
      durationSeconds: 12.5,
      rows: [
        { ...forecast({ feature: 'back\\slash\nline', package: 'pk "q"' }), needed: 8 },
        { ...forecast({ feature: 'unknown' }), confirmedRunsOut: undefined, needed: undefined },
        { ...forecast({ vendorLicense: 'größe;undef' }), confirmedRunsOut: undefined, needed: 0 },
      ],
      startOf,
    }),
    latest: () => inventory,
    isOutdated: () => false,
    renew: async () => undefined,
  });
  await exposition.read(inventory);
  return exposition;
}

async function render(exposition: Exposition, accept?: string): Promise<string> {
  const { body } = await exposition.page({ accept, acceptEncoding: undefined, collect: [] });
  return Buffer.concat(Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body)).toString();
}

/** Compares with the file. `UPDATE_GOLDEN=1` writes the file instead; review it before a commit. */
function expectGolden(name: string, text: string): void {
  const path = join(import.meta.dirname, name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}

describe('the whole page of a fixed scenario', () => {
  it('in the text format', async () => {
    expectGolden('page.golden.prom', await render(await createPage()));
  });

  it('in OpenMetrics', async () => {
    expectGolden(
      'page.golden.openmetrics',
      await render(await createPage(), 'application/openmetrics-text;version=1.0.0'),
    );
  });

  it('is the same when compressed, in one gzip stream', async () => {
    const exposition = await createPage();
    const { body, headers } = await exposition.page({ accept: undefined, acceptEncoding: 'gzip', collect: [] });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(body as Buffer).toString()).toBe(await render(exposition));
    const python = 'import gzip,sys; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))';
    expect(execFileSync('python3', ['-c', python], { input: body as Buffer }).toString()).toBe(
      await render(exposition),
    );
  });

  it.runIf(peer('promtool'))('passes the lint', async () => {
    expect(execFileSync('promtool', ['check', 'metrics'], { input: await render(await createPage()) }).toString()).toBe(
      '',
    );
  });

  it('has every metric that does not show a field, an alert or a source', async () => {
    const page = await render(await createPage());
    const others = ['alerts', 'alerting', 'messages', 'sources'];
    // a file to write, an unusable record and a missing field are not in the scenario
    const absent = [
      'license_exporter_state_write_errors_total',
      'license_poll_incomplete',
      'license_poll_field_missing',
    ];
    const names = Object.entries(catalogue)
      .filter(([name, { group }]) => !(name in fieldMetrics) && !others.includes(group))
      .map(([name]) => name)
      .filter((name) => !absent.includes(name));
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !page.includes(`# TYPE ${name} `))).toEqual([]);
  });

  it('shows no series twice', async () => {
    const names = (await render(await createPage()))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(100);
  });
});
