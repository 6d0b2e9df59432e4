import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createFakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../../support/harness.ts';

/** Outputs of lmstat that do not say everything, from the tool or a file to metrics and alerts. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SERVERS = ['27000@lic1', '27000@lic2', '27000@lic3'];
const UP = 'license server UP v11.19';
const LOST = 'Cannot connect to license server system. (-15,570:115 "Operation now in progress")';

/** The time in the form of the tool, in UTC. */
function printedNow(): string {
  const now = new Date();
  const day = now.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  const clock = `${now.getUTCHours()}:${String(now.getUTCMinutes()).padStart(2, '0')}`;
  return `${day} ${now.getUTCMonth() + 1}/${now.getUTCDate()}/${now.getUTCFullYear()} ${clock}`;
}

/** Two vendor daemons under one lmgrd. Only the line of a used feature names one. */
const lmstat = (members: readonly string[]): string => `lmstat - Copyright (c) 1989-2022 Flexera.
Flexible License Manager status on ${printedNow()}

License server status: ${SERVERS.slice(0, members.length).join()}
${members.map((state, at) => `lic${at + 1}: ${state}`).join('\n')}

Vendor daemon status (on lic1):
   one: UP v11.19
   two: UP v11.19
Feature usage info:

Users of used:  (Total of 7 licenses issued;  Total of 1 license in use)

  "used" v3.0, vendor: one, expiry: permanent(no expiration date)
  floating license

    ada ws1 :0 (v3.0) (lic1/27000 101), start Tue 3/17 9:05

Users of idle:  (Total of 5 licenses issued;  Total of 0 licenses in use)

Users of still:  (Total of 4 licenses issued;  Total of 0 licenses in use)
`;

/** A source by its transport, and how the text that it gets is changed. */
function sourceVia(kind: 'command' | 'file', servers: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-site-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const source = { name: 'cad', manager: 'flexnet', servers };
  if (kind === 'file') {
    const file = join(folder, 'lmstat.txt');
    const print = (text: string): void => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    };
    return { print, source: { ...source, via: { file } } };
  }
  const site = createFakeSite(join(folder, 'site'));
  const print = (text: string): void => site.print(servers.join(), text);
  return { print, source: { ...source, via: { command: fakeLmutil }, env: site.env } };
}

const rules = { LicenseSourceDown: { readings: 1, keep_firing_for: '0s' } };

async function firing(url: string): Promise<readonly string[]> {
  const answer = await (await fetch(`${url}/api/v1/alerts`)).json();
  const { alerts } = (answer as { data: { alerts: { labels: { alertname: string }; state: string }[] } }).data;
  return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
}

const UP_OF_SOURCE = 'license_source_up{source="cad",manager="flexnet"}';
const ofFeatures = (page: string, metric: string): readonly (readonly string[])[] =>
  [...page.matchAll(new RegExp(`^${metric}\\{(.*)\\} (\\S+)$`, 'gm'))]
    .map(([, labels = '', value = '']) => [
      /vendor_license="[^"]*;([^"]*)"/.exec(labels)?.[1] ?? '',
      /feature="([^"]*)"/.exec(labels)?.[1] ?? '',
      value,
    ])
    .toSorted((a, b) => a.join().localeCompare(b.join()));

describe.each(['command', 'file'] as const)('an output by %s', (kind) => {
  it('that does not name the daemon of a feature is good: the feature is under undef, and nothing is down', async () => {
    const { print, source } = sourceVia(kind, SERVERS.slice(0, 1));
    print(lmstat([UP]));
    const app = await startCollectingApp(cleanup, [source], { 'alerting.rules': rules });
    await eventually('data', async () => (await app.metrics()).includes('license_feature_in_use{'));
    const page = await app.metrics();
    expect(await app.sample(UP_OF_SOURCE)).toBe(1);
    expect(ofFeatures(page, 'license_feature_max_available')).toEqual([
      ['one', 'used', '7'],
      ['undef', 'idle', '5'],
      ['undef', 'still', '4'],
    ]);
    expect(ofFeatures(page, 'license_feature_in_use').map(([, , value]) => value)).toEqual(['1', '0', '0']);
    expect(ofFeatures(page, 'license_server_up').map(([daemon, , value]) => [daemon, value])).toEqual([
      ['one', '1'],
      ['two', '1'],
      ['undef', '1'],
    ]);
    expect(app.health()[0]).toMatchObject({ isServerDown: false, failedReadings: 0 });
    await app.collect();
    expect(await firing(app.url)).toEqual([]);
  });

  it('of a triad without a majority gives no figures, and is down', async () => {
    const { print, source } = sourceVia(kind, SERVERS);
    print(lmstat([UP, UP, LOST]));
    const app = await startCollectingApp(cleanup, [source], { 'alerting.rules': rules });
    await eventually('data', async () => (await app.metrics()).includes('license_feature_in_use{'));
    expect(await firing(app.url)).not.toContain('LicenseSourceDown');
    // other figures, which must not be taken
    print(lmstat([UP, LOST, LOST]).replaceAll('Total of 7', 'Total of 70'));
    await app.collect();
    await eventually('down', async () => (await app.sample(UP_OF_SOURCE)) === 0);
    expect(app.health()[0]).toMatchObject({ isServerDown: true, problems: [{ kind: 'no_quorum' }] });
    await eventually('fires', async () => (await firing(app.url)).includes('LicenseSourceDown'));
    const capacity = ofFeatures(await app.metrics(), 'license_feature_max_available');
    expect(capacity.find(([, feature]) => feature === 'used')).toEqual(['one', 'used', '7']);
    const members = SERVERS.map((server) =>
      app.sample(`license_source_member_up{source="cad",manager="flexnet",server="${server}"}`),
    );
    expect(await Promise.all(members)).toEqual([1, 0, 0]);
  });
});
