import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHost, settingsOf } from '../../../src/analyzer/sources/configured-sources.ts';
import { createReader } from '../../../src/analyzer/sources/reading/read-output.ts';
import { createReadingThread } from '../../../src/analyzer/sources/reading/reading-thread.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import { collectors } from '../../../src/exporter/metrics/metric.ts';
import { createSourceAnalyzers } from '../../../src/program/app/source-analyzers.ts';
import { loadConfig } from '../../../src/program/config/load.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { quickPolls } from '../../support/end-to-end.ts';
import { createFakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import {
  account,
  createCleanup,
  createConfig,
  createTestLog,
  eventually,
  startAnalyzer,
  startApp,
  WORKDAY,
} from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';
import { observationOf } from '../../support/source-settings.ts';

/** A site with two analyzers and a FlexNet server, seen by one daemon. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const everything = Object.fromEntries(Object.keys(collectors).map((name) => [`metrics.collectors.${name}`, true]));
const seconds = (): number => Math.floor(Date.now() / 1000);

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-analyzers-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An analyzer of its own site. */
async function other(seed: number, now = seconds) {
  const analyzer = await startAnalyzer({ seed, now });
  cleanup.add(() => analyzer.stop());
  return analyzer;
}

function passwordFile(password = account.password): string {
  const file = join(createFolder(), 'password');
  writeFileSync(file, password, { mode: 0o600 });
  return file;
}

const source = (name: string, url: string, more: object = {}, client: object = {}): object => ({
  name,
  manager: 'query-api',
  prefix: `${name}/`,
  via: { analyzer: { url, username: `CORP\\${account.username}`, password_file: passwordFile(), ...client } },
  ...more,
});

function flexnet(): object {
  const site = createFakeSite(join(createFolder(), 'site'));
  const cad = createLargeSite({ features: 3, users: 2, now: seconds(), host: 'lic1', daemon: 'flexd' });
  const utc = createLocalTime('UTC');
  site.print('27000@lic1', renderLmstat(cad, utc));
  site.print('27000@lic1', renderLmstatInventory(cad, utc), 'i');
  return { name: 'cad', manager: 'flexnet', servers: ['27000@lic1'], via: { command: fakeLmutil }, env: site.env };
}

/** Samples of features and vendor licenses, without the prefix of their source. */
const figuresOn = (page: string, prefix = ''): readonly string[] =>
  page
    .split('\n')
    .filter((line) => /^license_(?:feature|vendor_license)_/.test(line) && line.includes(`"${prefix}`))
    .map((line) => (prefix === '' ? line : line.replaceAll(`"${prefix}`, '"')))
    // the exporter counts the changes that it has seen
    .filter((line) => !/^license_(?:feature|vendor_license)_(?:denials|changes|last_seen)/.test(line))
    .sort();

/** What a daemon that polls it says of an analyzer. */
async function ownFigures(url: string): Promise<readonly string[]> {
  const app = await startApp(createConfig(url, { ...quickPolls, ...everything }));
  cleanup.add(() => app.stop());
  const page = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();
  await eventually('data', async () => /^license_feature_min_expiration_timestamp_seconds\{/m.test(await page()));
  return figuresOn(await page());
}

describe('two analyzers and a license server', () => {
  it('have each figure that a daemon of its own has', async () => {
    const [north, south] = [await other(1), await other(2)];
    const own = [await ownFigures(north.url), await ownFigures(south.url)];
    const app = await startCollectingApp(
      cleanup,
      [source('north', north.url), source('south', south.url), flexnet()],
      everything,
    );
    const isWhole = (text: string): boolean =>
      ['north/', 'south/', '27000@lic1'].every((name) =>
        ['license_feature_in_use', 'license_feature_min_expiration_timestamp_seconds'].every((metric) =>
          new RegExp(`^${metric}\\{[^}]*"${name}`, 'm').test(text),
        ),
      );
    await eventually('data', async () => isWhole(await app.metrics()));
    const page = await app.metrics();
    expect(figuresOn(page, 'north/')).toEqual(own[0]);
    expect(figuresOn(page, 'south/')).toEqual(own[1]);
    expect(own[0]?.length).toBeGreaterThan(1000);
    expect(page).toMatch(/^license_feature_in_use\{[^}]*27000@lic1;flexd/m);
    expect(app.health().map(({ name, up, problems }) => [name, up, problems])).toEqual([
      ['north', true, []],
      ['south', true, []],
      ['cad', true, []],
    ]);
  });

  it('are apart: one that dies, hangs or rejects the password leaves the others as they are', async () => {
    const [north, south] = [await other(1), await other(2)];
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    cleanup.add(() => void hanging.close());
    const { port } = hanging.address() as AddressInfo;
    const wrong = { password_file: passwordFile('not it') };
    const app = await startCollectingApp(cleanup, [
      source('north', north.url),
      source('south', south.url),
      source('east', `http://127.0.0.1:${port}/analyzer`, { timeout: '1s' }),
      source('west', south.url, {}, { ...wrong, username: 'CORP\\other' }),
      flexnet(),
    ]);
    const down = (): readonly unknown[] =>
      app.health().map(({ name, up, isServerDown, problems: [one] }) => [name, up, isServerDown, one?.kind]);
    const inUse = async (prefix: string): Promise<readonly string[]> =>
      (await app.metrics())
        .split('\n')
        .filter((line) => line.startsWith('license_feature_in_use') && line.includes(prefix));
    await eventually('data', async () => (await inUse('"north/')).length > 0 && (await inUse('"south/')).length > 0);
    const before = await inUse('"south/');
    await north.stop();
    await app.collect();
    expect(down()).toEqual([
      // that an analyzer does not answer says nothing of its license servers
      ['north', false, undefined, 'no_analyzer'],
      ['south', true, false, undefined],
      ['east', false, undefined, 'timeout'],
      ['west', false, undefined, 'refused'],
      ['cad', true, false, undefined],
    ]);
    expect(await inUse('"south/')).toEqual(before);
    expect((await inUse('"cad')).length + (await inUse('27000@lic1;flexd')).length).toBeGreaterThan(0);
    // the last figures of the one that died are kept until they are 30 minutes old
    expect((await inUse('"north/')).length).toBeGreaterThan(0);
  });

  it('shows what is down there at once, with its last figures', async () => {
    let [ahead, reachable] = [0, true];
    const read = async (): Promise<readonly VendorLicenseObservation[]> => [{ ...observationOf('vend'), reachable }];
    const north = await startAnalyzer(
      { now: () => seconds() + ahead },
      { sources: [{ name: 'site', interval: 3600, offset: 0, read }] },
    );
    cleanup.add(() => north.stop());
    const app = await startCollectingApp(cleanup, [source('north', north.url)]);
    const labels = '{vendor_license="north/27000@lic1;vend"}';
    await eventually('data', async () => (await app.sample(`license_vendor_license_current${labels}`)) === 1);
    // its own 30 minutes are over
    [ahead, reachable] = [31 * 60, false];
    await north.collector.collect();
    await app.collect();
    await eventually('down', async () => (await app.sample(`license_vendor_license_current${labels}`)) === 0);
    expect(await app.sample(`license_server_up${labels}`)).toBe(0);
    expect(app.health()).toMatchObject([{ name: 'north', up: true, problems: [] }]);
    expect(await app.metrics()).toMatch(/^license_feature_max_available\{[^}]*north\/27000@lic1;vend/m);
  });
});

describe('the users of another analyzer', () => {
  it('are those that it lists for each feature', async () => {
    // at night, hardly anybody works there
    const workday = (): number => WORKDAY;
    const north = await other(1, workday);
    const config = loadConfig({
      flags: new Map<SettingKey, unknown>([
        ['embedded_analyzer.sources', [source('north', north.url, { prefix: undefined })]],
      ]),
      env: {},
      requireAnalyzer: true,
    });
    const host = createHost(config, { askAnalyzers: createSourceAnalyzers, now: workday, log: createTestLog() });
    const thread = createReadingThread();
    const [settings] = config.embeddedAnalyzer.sources.map((one) => settingsOf(one, createTestLog()));
    if (settings === undefined) throw new Error('no source');
    const reader = createReader(settings, host, thread);
    cleanup.add(async () => {
      await reader.close();
      await thread.close();
      host.close();
    });
    const { vendorLicenses, problems } = await reader.read(new AbortController().signal);
    expect(problems).toEqual([]);
    const usersOf = (license: VendorLicenseObservation): readonly unknown[] =>
      [...Map.groupBy(license.pools, ({ feature, package: name }) => `${feature} ${name}`)].map(([feature, pools]) => [
        feature,
        pools
          .flatMap(({ checkouts }) =>
            checkouts.map(({ user, host: where, licenses, since, borrowed, status }) =>
              JSON.stringify([user, where, licenses, since, borrowed, status]),
            ),
          )
          .sort(),
        pools.flatMap(({ queued }) => (queued ?? []).map(({ user, licenses }) => `${user} ${licenses}`)).sort(),
      ]);
    const known = north.collector.current().map(({ observation }) => observation);
    expect(vendorLicenses.map(usersOf)).toEqual(known.map(usersOf));
    expect(JSON.stringify(known.map(usersOf)).length).toBeGreaterThan(5000);
  });
});
