import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import type { AdviceTable, Rightsizing } from '../../../src/insight/advice/pass/rightsizing.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp, WORKDAY } from '../../support/harness.ts';
import { hostileNames } from '../../support/hostile-names.ts';

/** The nightly pass in the daemon, with an analyzer outside the process. */

/** The handles of the daemons that were started, in order. */
const handles = vi.hoisted(() => [] as Rightsizing[]);
vi.mock('../../../src/insight/advice/pass/nightly-pass.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/insight/advice/pass/nightly-pass.ts')>();
  return {
    ...original,
    NightlyPass: class extends original.NightlyPass {
      constructor(...args: ConstructorParameters<typeof original.NightlyPass>) {
        super(...args);
        handles.push(this);
      }
    },
  };
});

const cleanup = createCleanup();
afterEach(async () => {
  await cleanup.run();
  handles.length = 0;
});

type Settings = Partial<Record<SettingKey, unknown>>;

const size = { vendorLicenses: 4, featuresPerVendorLicense: 6, historyDays: 20 };

async function startSite() {
  vi.useFakeTimers({ toFake: ['Date'], now: WORKDAY * 1000 });
  cleanup.add(() => vi.useRealTimers());
  const site = createSimulatedSite({
    seed: 1,
    timeZone: 'Europe/Berlin',
    interval: 3600,
    now: () => WORKDAY,
    names: hostileNames,
    ...size,
  });
  const requests: string[] = [];
  const onRequest = ({ path }: { path: string }): void => void requests.push(path.replace('/analyzer/api/', ''));
  const analyzer = await startAnalyzer({ ...size, now: () => WORKDAY }, { past: site.past, onRequest });
  cleanup.add(() => analyzer.stop());
  await analyzer.demand.pastAdded();
  return { url: analyzer.url, requests };
}

async function start(url: string, settings: Settings = {}) {
  const config = createConfig(url, {
    'datasource.time_zone': 'Europe/Berlin',
    'rightsizing.enabled': true,
    ...settings,
  });
  const place = handles.length;
  const started = startApp(config);
  const handle = handles[place];
  const app = await started;
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await app.stop();
    isStopped = true;
  };
  cleanup.add(stop);
  if (handle === undefined) throw new Error('there is no pass');
  const table = async (isWanted: (table: AdviceTable) => boolean = () => true): Promise<AdviceTable> => {
    await eventually('the advice', () => {
      const latest = handle.latest();
      return latest !== undefined && isWanted(latest) && !handle.status().isRunning;
    });
    return handle.latest() as AdviceTable;
  };
  return { app, table, handle, stop };
}

const asked = (requests: readonly string[]): string[] =>
  ['GetHistory', 'GetHistoryReserved', 'GetEfficiency'].map(
    (name) => `${name} ${requests.filter((request) => request === name).length}`,
  );

describe('advice for an analyzer outside the process', () => {
  it('is computed from three requests a feature, up to max_features', async () => {
    const { url, requests } = await startSite();
    const { table, app } = await start(url, { 'rightsizing.max_features': 5 });
    const { rows, leftOut } = await table();
    const read = rows.filter(({ days }) => days > 0);
    expect(asked(requests)).toEqual(['GetHistory 5', 'GetHistoryReserved 5', 'GetEfficiency 5']);
    expect(read).toHaveLength(5);
    // of today nothing counts
    expect(read.every(({ days, peak }) => days <= 20 && peak !== undefined)).toBe(true);
    expect(leftOut).toBeGreaterThan(0);
    expect(app.log.entries.map(({ message }) => message)).toContain(
      'features have no advice: there are more than rightsizing.max_features',
    );
  });

  it('is computed by each shard for its own vendor licenses', async () => {
    const { url } = await startSite();
    const names = async (settings: Settings): Promise<string[]> => {
      const { rows } = await (await start(url, settings)).table();
      return rows.map(({ vendorLicense, feature, featureType }) => `${vendorLicense} ${feature} ${featureType}`).sort();
    };
    const all = await names({});
    const shards = [0, 1].map((index) => names({ 'shard.index': index, 'shard.total': 2 }));
    const [first = [], second = []] = await Promise.all(shards);
    expect([first.length > 0, second.length > 0]).toEqual([true, true]);
    expect([...first, ...second].sort()).toEqual(all);
  });

  it('is computed again with the tolerance of a reload, and kept over a restart', async () => {
    const { url, requests } = await startSite();
    const folder = mkdtempSync(join(tmpdir(), 'license-exporter-advice-'));
    cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
    const settings = { 'storage.path': folder, 'rightsizing.max_features': 3 };
    const first = await start(url, settings);
    expect((await first.table()).tolerance).toBe(4);
    const zone = { 'datasource.time_zone': 'Europe/Berlin', 'rightsizing.enabled': true };
    await first.app.reload(createConfig(url, { ...zone, ...settings, 'rightsizing.tolerance': 40 }));
    const { rows } = await first.table(({ tolerance }) => tolerance === 40);
    expect(asked(requests)).toEqual(['GetHistory 6', 'GetHistoryReserved 6', 'GetEfficiency 6']);
    await first.stop();
    const second = await start(url, { ...settings, 'rightsizing.tolerance': 40 });
    const kept = await second.table();
    expect(kept.rows).toEqual(rows);
    expect(asked(requests)).toEqual(['GetHistory 6', 'GetHistoryReserved 6', 'GetEfficiency 6']);
  });

  it('is off when rightsizing.enabled is false', async () => {
    const { url, requests } = await startSite();
    const { app, handle } = await start(url, { 'rightsizing.enabled': false });
    await eventually('the first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    expect([handle.latest(), handle.status().isEnabled]).toEqual([undefined, false]);
    expect(asked(requests)).toEqual(['GetHistory 0', 'GetHistoryReserved 0', 'GetEfficiency 0']);
  });

  it('waits for an analyzer that cannot be reached, which is no failure of its own', async () => {
    const { handle } = await start('http://127.0.0.1:9');
    const waits = 'the analyzer has not reported any features yet; check that it can be polled';
    await eventually('the attempt', () => handle.status().progress === waits);
    expect(handle.status()).toMatchObject({ failure: undefined, isRunning: false });
  });
});
