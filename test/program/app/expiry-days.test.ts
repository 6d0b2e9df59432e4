import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AlertState } from '../../../src/alerting/alerts/alert.ts';
import { digestMail } from '../../../src/alerting/messages/digest-mail.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { type Target, targets } from '../../../src/site/grafana/answers/targets.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createFakeSite, fakeLmutil, fakeRlmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';

/**
 * A license that expires on 31-dec-2026 does so in every reader, wherever the license server, the analyzer, the daemon and the
 * viewer are: a date is a day of the analyzer, not an instant.
 */

const cleanup = createCleanup();
const zone = process.env.TZ;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 11, 20, 10) });
});
afterEach(async () => {
  await cleanup.run();
  vi.useRealTimers();
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const DAY = '2026-12-31';
const SERVER = '27000@lic1';
const VENDOR_LICENSE = `${SERVER};flexd`;

interface Place {
  /** Zone of the process. */
  readonly system: string;
  /** `embedded_analyzer.time_zone`. */
  readonly analyzer?: string;
  /** `time_zone` of the source. */
  readonly source?: string;
  readonly manager?: 'rlm';
}

const zones = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kolkata'];
const places: readonly Place[] = [
  ...zones.map((system) => ({ system })),
  ...zones.map((system) => ({ system, manager: 'rlm' as const })),
  { system: 'UTC', analyzer: 'Pacific/Auckland' },
  { system: 'Pacific/Auckland', analyzer: 'America/Los_Angeles', source: 'Europe/Berlin' },
  { system: 'America/Los_Angeles', analyzer: 'UTC', source: 'Pacific/Auckland' },
];

/** The site that the fake tool prints. All licenses expire on the day. */
function printSite(manager: Place['manager']): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-days-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const fake = createFakeSite(join(folder, 'site'));
  const large = createLargeSite({ features: 2, users: 1, now: Date.now() / 1000, host: 'lic1', daemon: 'flexd' });
  const expires = { year: 2026, month: 12, date: 31 };
  const daemons = large.daemons.map((daemon) => ({
    ...daemon,
    features: daemon.features.map((one) => ({ ...one, pools: one.pools.map((pool) => ({ ...pool, expires })) })),
  }));
  const site = { ...large, daemons };
  const utc = createLocalTime('UTC');
  if (manager === 'rlm') fake.print(SERVER, renderRlmstat(site, utc));
  else {
    fake.print(SERVER, renderLmstat(site, utc));
    fake.print(SERVER, renderLmstatInventory(site, utc), 'i');
  }
  return fake.env;
}

async function startSite({ system, analyzer, source, manager }: Place): Promise<string> {
  process.env.TZ = system;
  const one = {
    name: 'cad',
    manager: manager ?? 'flexnet',
    servers: [SERVER],
    via: { command: manager === 'rlm' ? fakeRlmutil : fakeLmutil },
    env: printSite(manager),
    ...(source !== undefined && { time_zone: source }),
  };
  const { url } = await startCollectingApp(cleanup, [one], {
    'embedded_analyzer.time_zone': analyzer ?? system,
    'alerting.rules': { LicenseExpiringSoon: { for: '0s' } },
    'alerting.evaluation_interval': '250ms',
  });
  await eventually('the expiry', async () => (await textOf(`${url}/metrics`)).includes('min_expiration_timestamp'));
  await eventually('the alert', async () => (await textOf(`${url}/api/v1/alerts`)).includes('LicenseExpiringSoon'));
  return url;
}

const textOf = async (address: string): Promise<string> => (await fetch(address)).text();

/** Every answer about expiries that the daemon gives, by its name. The queries are all shapes of all targets. */
async function* answersOf(url: string): AsyncGenerator<readonly [name: string, text: string]> {
  const pages = ['/', '/alerts', '/expirations.csv', '/expirations.ics', '/api/v1/alerts'];
  const byName = `vendor-license?vendor_license=${encodeURIComponent(VENDOR_LICENSE)}`;
  for (const path of [...pages, `/${byName}`]) yield [path, await textOf(url + path)];
  const all = { product: '%', feature: '%' };
  for (const [target, { keys, shapes, from }] of Object.entries(targets) as [string, Target][]) {
    if (from === 'analyzer') continue;
    yield [`/grafana/rows/${target}`, await textOf(`${url}/grafana/rows/${target}?product=%25`)];
    for (const shape of shapes) {
      const known = {
        ...all,
        shape,
        columns: target === 'products' ? ['Product', 'Expires', 'Next expiry'] : undefined,
      };
      const payload = Object.fromEntries(Object.entries(known).filter(([key]) => keys.some((one) => one === key)));
      const body = JSON.stringify({ targets: [{ refId: 'A', target, payload }] });
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      yield [`${target} ${shape}`, await (await fetch(`${url}/grafana/query`, request)).text()];
    }
  }
}

/** The moments and dates around the end of the year that a text names. An instant is drawn in the zone of the viewer. */
function daysIn(text: string): readonly string[] {
  const near = (at: number): boolean => Math.abs(at - Date.UTC(2026, 11, 31, 12) / 1000) < 3 * 86_400;
  const numbers = [...text.matchAll(/(?<![\w.])(\d{10})(\d{3})?(?![\w.])/g)]
    .filter(([, seconds]) => near(Number(seconds)))
    .map(([number]) => `the instant ${number}`);
  const dates = [...text.matchAll(/(202[67])-?(12|01)-?(29|30|31|01|02)(T[\d:.]+Z?)?/g)].map(
    ([, year, month, day, time = '']) => `${year}-${month}-${day}${time}`,
  );
  return [...new Set([...numbers, ...dates])];
}

/** Annotations have a place on the axis of time, and are about the day in their text. */
const isOnAxis = (name: string): boolean => name.endsWith(' annotations');

describe('31-dec-2026', () => {
  it.each(places)('is that day in every reader: %o', async (place) => {
    const url = await startSite(place);
    const found: Record<string, readonly string[]> = {};
    for await (const [name, text] of answersOf(url)) {
      const days = daysIn(text).filter((day) => !(isOnAxis(name) && day.startsWith('the instant')));
      if (days.length > 0) found[name] = days;
    }
    const { data } = JSON.parse(await textOf(`${url}/api/v1/alerts`)) as { data: { alerts: AlertState[] } };
    const texts = {
      analyzer: 'http://analyzer',
      alertsUrl: url,
      timeZone: place.analyzer ?? place.system,
      thresholds: { critical: 7 * 86_400, warning: 30 * 86_400, info: 60 * 86_400 },
    };
    const alerts = data.alerts.filter(({ labels }) => labels.alertname === 'LicenseExpiringSoon');
    const at = Date.now() / 1000;
    const episodes = [{ startsAt: at, state: 'firing', at, dueSince: at }] as const;
    const notices = alerts.map((alert, i) => ({ ...alert, key: `${i}`, episodes, isNew: true, alert: undefined }));
    const group = { key: 'digest', labels: {}, kind: 'digest' } as const;
    const mail = digestMail({ group, notices, isReminder: false }, at, texts);
    for (const [part, content] of Object.entries(mail))
      if (daysIn(String(content)).length > 0) found[`mail ${part}`] = daysIn(String(content));
    // those that are known to show it; any other one may
    for (const name of [
      '/',
      '/expirations.csv',
      '/expirations.ics',
      '/api/v1/alerts',
      '/grafana/rows/expirations',
      'features table',
    ])
      expect(Object.keys(found)).toContain(name);
    expect(Object.keys(found).filter((name) => name.startsWith('mail '))).toHaveLength(3);
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, [DAY]])));
  });
});
