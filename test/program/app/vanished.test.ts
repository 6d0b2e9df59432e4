import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/base/scheduling/clock.ts';
import { evaluations } from '../../support/end-to-end.ts';
import { type Fault, type Faulty, startFaulty } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startApp } from '../../support/harness.ts';

/** Alerts of a daemon that compare with the past, or that are about the daemon itself. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const quick = { for: '0s', keep_firing_for: '0s' };
const rules = {
  LicenseVendorLicenseVanished: { for: '0s' },
  LicenseFeatureVanished: { for: '0s' },
  LicenseExporterSeriesLimit: quick,
  LicenseExporterConfigReloadFailed: quick,
};
const settings = {
  'poll.products': '* * * * * *',
  'poll.features': '* * * * * *',
  'poll.expirations': '* * * * * *',
  'alerting.rules': rules,
};

type TestApp = Awaited<ReturnType<typeof startApp>>;

const seldom = Object.fromEntries(
  ['products', 'features', 'expirations', 'server_down', 'concurrent_users'].map((name) => [
    `poll.${name}`,
    '0 0 1 1 *',
  ]),
);

interface Shown {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

async function shown({ url }: TestApp): Promise<readonly Shown[]> {
  const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as { data: { alerts: readonly Shown[] } };
  return data.alerts;
}

/** What fires of one alert: the names of what it is about. */
async function firing(app: TestApp, alert: string): Promise<readonly (string | undefined)[]> {
  return (await shown(app))
    .filter(({ state, labels }) => state === 'firing' && labels.alertname === alert)
    .map(({ labels, annotations }) => annotations.features ?? labels.vendor_license ?? '');
}

type Raw = Readonly<Record<string, unknown>>;

/** What is left of an answer: a list of records, or a list of such lists. */
function rest(answer: unknown, isRemoved: (record: Raw) => boolean): unknown {
  if (!Array.isArray(answer)) return answer;
  return answer.filter((each) => Array.isArray(each) || !isRemoved(each as Raw)).map((each) => rest(each, isRemoved));
}

/** Removes records from all answers. */
const without =
  (isRemoved: (record: Raw) => boolean): Fault =>
  (_, response, body) => {
    const answer: unknown = JSON.parse(body.toString().replaceAll(':NaN', ':null') || 'null');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rest(answer, isRemoved)));
  };

const start = async (
  url: string,
  more: Readonly<Record<string, unknown>> = {},
  deps: Parameters<typeof startApp>[1] = {},
): Promise<TestApp> => {
  const app = await startApp(createConfig(url, { ...settings, ...more }), deps);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= app.stop();
    return stopping;
  };
  cleanup.add(stop);
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return { ...app, stop };
};

/** Removes a vendor license from GetProducts, and returns its name when its series have ended. */
async function removeOne(faulty: Faulty, app: TestApp): Promise<string> {
  const name = /^license_feature_info\{vendor_license="([^"]+)"/m.exec(await app.metrics())?.[1] ?? '';
  faulty.break(
    'GetProducts',
    without(({ Product: product }) => String(product).startsWith(name)),
  );
  await eventually('gone', async () => !(await app.metrics()).includes(`license_server_up{vendor_license="${name}"}`));
  return name;
}

describe('what vanishes while the daemon is away', () => {
  it('is noticed at its first good poll, and is over when it is back', async () => {
    const storage = mkdtempSync(join(tmpdir(), 'license-exporter-vanished-'));
    cleanup.add(() => rmSync(storage, { recursive: true }));
    const faulty = await startFaulty(cleanup);
    const first = await start(faulty.url, { 'storage.path': storage });
    const page = await first.metrics();
    const names = [...page.matchAll(/^license_feature_info\{vendor_license="([^"]+)",feature="([^"]+)"/gm)];
    const [, vendorLicense = '', feature = ''] = names[0] ?? [];
    const other = names.find(([, name]) => name !== vendorLicense)?.[1] ?? 'no other';
    // it has seen the features
    await evaluations(4, { app: first });
    await first.stop();
    const [server = '', daemon = ''] = other.split(';');
    faulty.break(
      'Get',
      without(
        (record) =>
          record.Feature === feature ||
          String(record.Product ?? '').startsWith(other) ||
          (record.ServerName === server && record.Daemon === daemon),
      ),
    );
    const app = await start(faulty.url, { 'storage.path': storage });
    await eventually('feature', async () => (await firing(app, 'LicenseFeatureVanished')).includes(feature));
    await eventually('vendor license', async () => (await firing(app, 'LicenseVendorLicenseVanished')).includes(other));
    expect(await firing(app, 'LicenseVendorLicenseVanished')).toEqual([other]);
    faulty.break(undefined);
    await eventually('back', async () => (await firing(app, 'LicenseFeatureVanished')).length === 0);
    await eventually('back', async () => (await firing(app, 'LicenseVendorLicenseVanished')).length === 0);
  });

  it('is remembered over a reload, and what the configuration excludes is not missed', async () => {
    const faulty = await startFaulty(cleanup);
    const off = { LicenseVendorLicenseVanished: { enabled: false } };
    const app = await start(faulty.url, { 'alerting.rules': off });
    const name = await removeOne(faulty, app);
    // only the memory knows it: there is no alert that goes on
    await app.reload(createConfig(faulty.url, settings));
    await eventually('vanished', async () => (await firing(app, 'LicenseVendorLicenseVanished')).includes(name));
    await app.reload(createConfig(faulty.url, { ...settings, 'select.exclude': [`^${name}$`] }));
    await eventually('excluded', async () => (await firing(app, 'LicenseVendorLicenseVanished')).length === 0);
  });
});

it('is as old as before after the clock was set', async () => {
  let ahead = 0;
  const clock = createClock(() => ({ wall: Date.now() / 1000 + ahead, uptime: uptime() }));
  const faulty = await startFaulty(cleanup);
  const app = await start(faulty.url, {}, { clock });
  const name = await removeOne(faulty, app);
  await eventually('vanished', async () => (await firing(app, 'LicenseVendorLicenseVanished')).includes(name));
  ahead = 2 * 86_400;
  await eventually('followed', () =>
    app.log.entries.some(({ message }) => message.startsWith('the clock of this host')),
  );
  await eventually('known', async () => (await app.sample('license_data_known{data="vendor_licenses"}')) === 1);
  // resolves after the rules were evaluated with what is known now
  await app.reload(createConfig(faulty.url, settings));
  expect(await firing(app, 'LicenseVendorLicenseVanished')).toEqual([name]);
});

describe('the daemon itself', () => {
  it('fires while the last reload was refused', async () => {
    const faulty = await startFaulty(cleanup);
    // no poll and no timer evaluates the rules meanwhile
    const app = await start(faulty.url, { ...seldom, 'alerting.evaluation_interval': '10m' });
    expect(await firing(app, 'LicenseExporterConfigReloadFailed')).toEqual([]);
    app.refuseReload();
    await eventually('refused', async () => (await firing(app, 'LicenseExporterConfigReloadFailed')).length === 1);
    await app.reload(createConfig(faulty.url, settings));
    await eventually('accepted', async () => (await firing(app, 'LicenseExporterConfigReloadFailed')).length === 0);
  });

  it('fires while it leaves out series', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await start(faulty.url, { 'metrics.max_series': 10 });
    await eventually('withheld', async () => (await firing(app, 'LicenseExporterSeriesLimit')).length === 1);
    await app.reload(createConfig(faulty.url, settings));
    await eventually('all', async () => (await firing(app, 'LicenseExporterSeriesLimit')).length === 0);
  });
});
