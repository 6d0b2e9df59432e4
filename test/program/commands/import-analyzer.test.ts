import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { getHistory, getHistoryReserved } from '../../../src/analyzer/history/history-charts.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createSimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import { createLocalTime, type LocalTime } from '../../../src/base/model/local-time.ts';
import { isMatrix } from '../../support/extent.ts';
import { account, createCleanup, startAnalyzer, testHistory } from '../../support/harness.ts';
import { hostileNames } from '../../support/hostile-names.ts';
import { createRunner } from '../../support/run.ts';

/** The history of another analyzer, by its Query API. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const localTime = createLocalTime('Europe/Berlin');
const now = (): number => Date.now() / 1000;
const size = isMatrix
  ? { vendorLicenses: 4, featuresPerVendorLicense: 6, historyDays: 365 }
  : { vendorLicenses: 4, featuresPerVendorLicense: 6, historyDays: 40 };

function writeConfig(url: string, timeZone: string): { config: string; storage: string } {
  const folder = temporaryFolder();
  const storage = join(folder, 'state');
  mkdirSync(storage);
  const password = join(folder, 'password');
  writeFileSync(password, account.password, { mode: 0o600 });
  const config = join(folder, 'c.yml');
  writeFileSync(
    config,
    `storage: {path: ${storage}}
log: {format: json}
embedded_analyzer:
  time_zone: ${timeZone}
  sources:
    - name: old
      manager: query-api
      prefix: old/
      via: {analyzer: {url: "${url}", username: 'CORP\\${account.username}', password_file: ${password}}}
    - {name: eda, manager: flexnet, servers: [27000@lic1], via: {file: /nowhere}}
`,
  );
  return { config, storage };
}

const openHistory = (storage: string, zone: LocalTime): Store =>
  openStore({
    path: join(storage, 'history.db'),
    localTime: zone,
    origin: 'license managers',
    maxSize: 2 ** 30,
    isReadOnly: true,
  });

/** Without today, which is not over. */
const trendBefore = (trend: readonly { name: string; data: readonly (readonly [number, number])[] }[], today: number) =>
  trend.map(({ name, data }) => ({ name, data: data.filter(([at]) => at < localTime.startOf(today) * 1000) }));

it('has each figure of each day that it had there', async () => {
  const path = join(temporaryFolder(), 'history.db');
  const siteOptions = { seed: 1, timeZone: 'Europe/Berlin', interval: 300, now, names: hostileNames, ...size };
  const { past } = createSimulatedSite(siteOptions);
  const other = await startAnalyzer(siteOptions, { past, history: { ...testHistory, path } });
  cleanup.add(() => other.stop());
  await other.demand.pastAdded();
  const { config, storage } = writeConfig(other.url, 'Europe/Berlin');
  const running = run(['import', 'old', `--config.file=${config}`]);
  expect(await running.exit).toBe(0);
  expect(running.output()).toMatch(/^The history has it now\.$/m);
  const today = localTime.dayOf(now());
  const store = openHistory(storage, localTime);
  cleanup.add(() => store.close());
  const here = { store, localTime, now: now() };
  const there = openStore({ path, localTime, origin: 'test', maxSize: 2 ** 30, isReadOnly: true });
  cleanup.add(() => there.close());
  const original = { ...here, store: there };
  const leftOut = /^(.+) cannot be requested alone/gm;
  const ambiguous = new Set([...running.output().matchAll(leftOut)].map(([, name]) => name));
  let compared = 0;
  for (const { vendorLicense, feature, package: packageName, featureType } of other.demand.series()) {
    if (ambiguous.has(feature)) continue;
    const theirName = { product: vendorLicense, feature, package: packageName, featureType };
    const own = { ...theirName, product: `old/${vendorLicense}` };
    const [mine] = await getHistoryReserved(here, own);
    const [theirs] = await getHistoryReserved(original, theirName);
    expect(mine?.categories.length).toBeGreaterThan(size.historyDays - 2);
    const days = mine?.categories.length ?? 0;
    expect(mine).toEqual({
      categories: theirs?.categories.slice(0, days),
      series: theirs?.series.map(({ name, data }) => ({ name, data: data.slice(0, days) })),
    });
    expect(trendBefore(await getHistory(here, own), today)).toEqual(
      trendBefore(await getHistory(original, theirName), today),
    );
    compared += 1;
  }
  expect(compared).toBeGreaterThan(15);
});

it('is refused if its days are not those of the history, and if it is no analyzer', async () => {
  const siteOptions = {
    seed: 1,
    timeZone: 'Europe/Berlin',
    interval: 300,
    now,
    names: hostileNames,
    ...size,
    historyDays: 3,
  };
  const { past } = createSimulatedSite(siteOptions);
  const other = await startAnalyzer(siteOptions, { past });
  cleanup.add(() => other.stop());
  await other.demand.pastAdded();
  const { config } = writeConfig(other.url, 'America/New_York');
  const running = run(['import', 'old', `--config.file=${config}`]);
  expect(await running.exit).toBe(1);
  expect(running.output()).toContain('the days of the other analyzer do not begin at midnight of America/New_York');
  const manager = run(['import', 'eda', `--config.file=${config}`]);
  expect(await manager.exit).toBe(1);
  expect(manager.output()).toContain(
    'the source eda is flexnet, which has no history; pass a file, a folder or an address',
  );
  await other.stop();
  const gone = run(['import', 'old', `--config.file=${config}`]);
  expect(await gone.exit).toBe(1);
  expect(gone.output()).toMatch(/the analyzer http:\S+ of the source old: .*(?:connect|refused)/i);
});
