import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { collectors } from '../../../src/exporter/metrics/metric.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { evaluations, quickEngine, quickRules } from '../../support/end-to-end.ts';
import { startFakeAlertmanager } from '../../support/fake-alertmanager.ts';
import { createFakeSite, type FakeSite, fakeLmutil, fakeRlmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createHostClock } from '../../support/host-clock.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';
import type { Site, SiteServer } from '../../support/license-site/site.ts';
import { peer } from '../../support/peers.ts';
import { startPrometheus } from '../../support/start-prometheus.ts';

/** From the tools of license managers to the page of metrics. */

const cleanup = createCleanup();
afterEach(async () => {
  await cleanup.run();
});

const utc = createLocalTime('UTC');
const SERVER = '27000@lic1';
const VENDOR_LICENSE = `vendor_license="${SERVER};flexd"`;

function createSite(): FakeSite {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-site-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return createFakeSite(join(folder, 'site'));
}

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Three features with some users each; none of them expires. */
function largeSite(servers?: Site['servers'], users = 2): Site {
  const site = createLargeSite({ features: 3, users, now: seconds(), host: 'lic1', daemon: 'flexd' });
  const daemons = site.daemons.map((daemon) => ({
    ...daemon,
    features: daemon.features.map((feature) => ({
      ...feature,
      pools: feature.pools.map((pool) => ({ ...pool, expires: 'permanent' as const })),
    })),
  }));
  return { ...site, daemons, servers: servers ?? site.servers };
}

const flexnet = (site: FakeSite, more: object = {}): object => ({
  name: 'cad',
  manager: 'flexnet',
  servers: [SERVER],
  via: { command: fakeLmutil },
  env: site.env,
  ...more,
});

function printFlexnet(site: FakeSite): void {
  site.print(SERVER, renderLmstat(largeSite(), utc));
  site.print(SERVER, renderLmstatInventory(largeSite(), utc), 'i');
}

/** Every collector, so that a value can only be missing because it is not known. */
const everything = Object.fromEntries(Object.keys(collectors).map((name) => [`metrics.collectors.${name}`, true]));

const hasData = (page: string): boolean => /^license_feature_in_use\{/m.test(page);

/** Names of the metrics of features and vendor licenses that have samples. */
const namesOn = (page: string): readonly string[] =>
  [...new Set([...page.matchAll(/^(license_(?:feature|vendor_license)_\w+)\{/gm)].map(([, name = '']) => name))].sort();

describe('a finished reading', () => {
  const yearly = Object.fromEntries(
    ['products', 'server_down', 'concurrent_users', 'features', 'expirations'].map((name) => [
      `poll.${name}`,
      '0 0 1 1 *',
    ]),
  );

  it('is on the page at once, and not only after the next scheduled poll', async () => {
    const site = createSite();
    printFlexnet(site);
    const app = await startCollectingApp(cleanup, [flexnet(site)], yearly);
    const inUse = async (): Promise<string | undefined> =>
      /^license_feature_in_use\{.*feature="feature_1".*\} (\d+)$/m.exec(await app.metrics())?.[1];
    await eventually('data', async () => hasData(await app.metrics()));
    expect(await inUse()).toBe('3');
    site.print(SERVER, renderLmstat(largeSite(undefined, 5), utc));
    await app.collect();
    await eventually('the change', async () => (await inUse()) === '6');
  });
});

describe('what FlexNet does not report', () => {
  it('has no sample, also not 0', async () => {
    const site = createSite();
    printFlexnet(site);
    const app = await startCollectingApp(cleanup, [flexnet(site)], everything);
    // features and expiries are two answers
    await eventually('data', async () => {
      const page = await app.metrics();
      return hasData(page) && page.includes('license_feature_min_expiration_timestamp_seconds{');
    });
    expect(namesOn(await app.metrics())).toEqual([
      'license_feature_available',
      'license_feature_borrowed_use',
      'license_feature_distinct_users',
      'license_feature_expiration_timestamp_seconds',
      'license_feature_in_use',
      'license_feature_info',
      'license_feature_log_available',
      'license_feature_log_borrowed',
      'license_feature_log_in_use',
      'license_feature_log_unused_reserve',
      'license_feature_max_available',
      'license_feature_max_borrowed',
      'license_feature_max_in_use',
      'license_feature_min_expiration_timestamp_seconds',
      'license_feature_unused_reserve',
      'license_feature_user_data_available',
      'license_vendor_license_current',
      'license_vendor_license_data_known',
      'license_vendor_license_distinct_users',
      'license_vendor_license_icon_info',
      'license_vendor_license_indeterminate',
      'license_vendor_license_info',
      'license_vendor_license_last_collection_timestamp_seconds',
      'license_vendor_license_max_available',
      'license_vendor_license_min_expiration_timestamp_seconds',
      'license_vendor_license_saturated_features',
    ]);
    // neither active nor inactive use, nor reservations in use, nor a queue, nor denials
    const kinds = /^license_reclaimable_licenses\{.*kind="(\w+)"\} (\d+)$/gm;
    const reclaimable = Array.from((await app.metrics()).matchAll(kinds), ([, kind, count]) => `${kind} ${count}`);
    expect(reclaimable).toEqual(['duplicate 0', 'borrowed 0']);
  });

  it('appears when it becomes known: a queue is known from the first request in it', async () => {
    const site = createSite();
    printFlexnet(site);
    const app = await startCollectingApp(cleanup, [flexnet(site)]);
    await eventually('data', async () => hasData(await app.metrics()));
    expect(await app.metrics()).not.toContain('license_feature_max_queued{');
    const [daemon, ...others] = largeSite().daemons;
    if (daemon === undefined) throw new Error('unreachable');
    const [first, ...rest] = daemon.features;
    const queued = [{ user: 'ada', host: 'ws1', display: ':0', licenses: 2, handle: '901' }];
    const pools = first?.pools.map((pool) => ({ ...pool, queued })) ?? [];
    const features = [{ name: first?.name ?? '', pools }, ...rest];
    site.print(SERVER, renderLmstat({ ...largeSite(), daemons: [{ ...daemon, features }, ...others] }, utc));
    await app.collect();
    await eventually('queue', async () => (await app.metrics()).includes('license_feature_max_queued{'));
    const values = [...(await app.metrics()).matchAll(/^license_feature_max_queued\{.*\} (\S+)$/gm)].map(([, n]) => n);
    expect(values).toEqual(['2', '0', '0']);
  });
});

describe('a vendor daemon that is down', () => {
  it('is seen at the next collection, and after half an hour its server is down and its capacity stays', async () => {
    const site = createSite();
    printFlexnet(site);
    const host = createHostClock();
    const app = await startCollectingApp(cleanup, [flexnet(site)], { 'poll.max_data_age': '1h' }, host.clock);
    await eventually('data', async () => hasData(await app.metrics()));
    const capacity = await app.sample(`license_vendor_license_max_available{${VENDOR_LICENSE}}`);
    expect(capacity).toBeGreaterThan(0);
    site.nameDaemon(SERVER, 'flexd');
    site.play(SERVER, 'daemon_down');
    await app.collect();
    await eventually('seen', async () => (await app.sample('license_source_up{source="cad",manager="flexnet"}')) === 0);
    expect(await app.sample(`license_server_up{${VENDOR_LICENSE}}`)).toBe(1);
    expect(hasData(await app.metrics())).toBe(true);

    host.pass(31 * 60);
    await eventually('down', async () => (await app.sample(`license_server_up{${VENDOR_LICENSE}}`)) === 0);
    expect(await app.sample(`license_vendor_license_max_available{${VENDOR_LICENSE}}`)).toBe(capacity);
    await eventually('no usage', async () => !hasData(await app.metrics()));
  });
});

describe('alerts about a source', () => {
  const firing = async (url: string): Promise<readonly Record<string, string>[]> => {
    const answer = await (await fetch(`${url}/api/v1/alerts`)).json();
    const { alerts } = (answer as { data: { alerts: { labels: Record<string, string>; state: string }[] } }).data;
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
  };
  const rules = {
    LicenseSourceDown: { keep_firing_for: '0s' },
    LicenseRedundancyLost: { for: '0s', keep_firing_for: '0s' },
  };

  it('fire after the second failed collection for each vendor license, and end with a good one', async () => {
    const site = createSite();
    printFlexnet(site);
    const app = await startCollectingApp(cleanup, [flexnet(site)], { 'alerting.rules': rules });
    await eventually('data', async () => hasData(await app.metrics()));
    site.play(SERVER, 'down');
    await app.collect();
    await eventually('evaluated', async () => app.health()[0]?.failedReadings === 1);
    expect(await firing(app.url)).toEqual([]);
    await app.collect();
    await eventually('fires', async () => (await firing(app.url)).length === 1);
    const labels = { alertname: 'LicenseSourceDown', license_source: 'cad', manager: 'flexnet' };
    expect((await firing(app.url))[0]).toMatchObject({ ...labels, vendor_license: `${SERVER};flexd` });
    expect((await firing(app.url))[0]?.analyzer).toMatch(/^embedded@/);
    site.play(SERVER, 'ok');
    await app.collect();
    await eventually('ends', async () => (await firing(app.url)).length === 0);
  });

  it('fire while one of several servers is down', async () => {
    const site = createSite();
    const servers = ['27000@lic1', '27001@lic2', '27002@lic3'];
    const group = servers.map((_, i) => ({ host: `lic${i + 1}`, port: 27_000 + i, isUp: i < 2, isMaster: i === 0 }));
    const down = largeSite(group as unknown as Site['servers']);
    site.print(servers.join(), renderLmstat(down, utc));
    const app = await startCollectingApp(cleanup, [flexnet(site, { servers })], { 'alerting.rules': rules });
    await eventually('fires', async () => (await firing(app.url)).length === 1);
    expect((await firing(app.url))[0]).toMatchObject({ alertname: 'LicenseRedundancyLost', license_source: 'cad' });
  });
});

describe.runIf(peer('prometheus'))('a real Prometheus', () => {
  const collectionsOf = (site: FakeSite, server = SERVER): number =>
    site.callsOf(server).filter((call) => call.includes(' -a ')).length;

  it('sees within one collection that a server has stopped, and that it is back', async () => {
    const site = createSite();
    printFlexnet(site);
    const app = await startCollectingApp(cleanup, [flexnet(site)]);
    const { query } = await startPrometheus(cleanup, app.url);
    const values = async (metric: string): Promise<unknown> => (await query(metric)).map(([, value]) => value);
    await eventually('up', async () => (await query('license_source_up == 1')).length === 1);
    const before = collectionsOf(site);
    site.play(SERVER, 'down');
    await app.collect();
    await eventually('down', async () => (await query('license_source_up == 0')).length === 1);
    expect(collectionsOf(site) - before).toBe(1);
    expect(await values('license_source_member_up')).toEqual(['0']);
    expect(await values('license_server_up')).toEqual(['1']);
    site.play(SERVER, 'ok');
    await app.collect();
    await eventually('up', async () => (await query('license_source_up == 1')).length === 1);
  });

  it('sees each server of a redundant group', async () => {
    const site = createSite();
    const servers = ['27000@lic1', '27001@lic2', '27002@lic3'];
    const group = (...areUp: readonly boolean[]): Site['servers'] =>
      areUp.map((isUp, i) => ({
        host: `lic${i + 1}`,
        port: 27_000 + i,
        isUp,
        isMaster: isUp && areUp.indexOf(true) === i,
      })) as unknown as readonly [SiteServer, ...SiteServer[]];
    const print = (...areUp: readonly boolean[]): void =>
      site.print(servers.join(), renderLmstat(largeSite(group(...areUp)), utc));
    print(true, true, true);
    const app = await startCollectingApp(cleanup, [flexnet(site, { servers })]);
    const { query } = await startPrometheus(cleanup, app.url);
    const all = async (...values: string[]): Promise<boolean> => {
      const found = await Promise.all(
        servers.map(async (server) => (await query(`license_source_member_up{server="${server}"}`))[0]?.[1]),
      );
      return found.join() === values.join();
    };
    await eventually('all up', () => all('1', '1', '1'));
    print(true, true, false);
    await app.collect();
    await eventually('one down', () => all('1', '1', '0'));
    expect((await query('license_feature_in_use')).length).toBe(3);
    site.print(servers.join(), renderLmstat({ ...largeSite(group(false, true, false)), daemons: [] }, utc));
    await app.collect();
    await eventually('two down', () => all('0', '1', '0'));
    expect(app.health()[0]?.problems.map(({ kind }) => kind)).toEqual(['no_quorum']);
  });

  it('and the engine raise no alert for what FlexNet and RLM do not report', async () => {
    const site = createSite();
    printFlexnet(site);
    const rlmSite = createLargeSite({
      features: 3,
      users: 0,
      now: seconds(),
      host: 'lic2',
      port: 5053,
      daemon: 'acme',
    });
    site.print('5053@lic2', renderRlmstat(rlmSite, utc));
    const alertmanager = await startFakeAlertmanager(cleanup);
    const rlm = { name: 'rlm', manager: 'rlm', servers: ['5053@lic2'], via: { command: fakeRlmutil }, env: site.env };
    const app = await startCollectingApp(cleanup, [flexnet(site), rlm], quickEngine([alertmanager.url]));
    const prometheus = await startPrometheus(cleanup, app.url, { rules: quickRules(cleanup) });
    await eventually('data', async () => (await prometheus.query('license_feature_in_use')).length === 6);
    await evaluations(40, { app, prometheus });
    expect(await prometheus.query('ALERTS{alertname!="LicenseWatchdog"}')).toEqual([]);
    expect(alertmanager.requests.flatMap(({ alerts }) => alerts)).toEqual([]);
  });
});
