import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

/** The owners on the page follow their file. */

const files = vi.hoisted(() => ({ checks: 0 }));
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const stat = async (path: string) => {
    const stats = await original.stat(path);
    files.checks += 1;
    return stats;
  };
  return { ...original, stat };
});

/** The file was looked at again, and what followed from that is over. */
async function checkedAgain(): Promise<void> {
  const before = files.checks;
  await eventually('two checks', () => files.checks >= before + 2);
}

const cleanup = createCleanup();
afterEach(() => cleanup.run());

async function start(content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-owners-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'owners.csv');
  writeFileSync(file, content);
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const settings = {
    owners_file: file,
    owners: [{ vendor_license: '*', feature: 'none', site: 'paris' }],
    // each license that expires has an alert
    'alerting.rules': { LicenseExpiringSoon: { for: '0s', info: '36500d' } },
  };
  const config = createConfig(analyzer.url, settings);
  const app = await startApp(config);
  cleanup.add(() => app.stop());
  /** The label sets of owners, of vendor licenses and of features. */
  const shownOn = (page: string): readonly string[] =>
    ['license_vendor_license_info', 'license_feature_info'].map((name) => {
      const lines = [...page.matchAll(new RegExp(`^${name}\\{.*?,(owner=.*)\\} 1$`, 'gm'))].map(([, labels]) => labels);
      return [...new Set(lines)].sort().join(' | ');
    });
  const eventuallyShows = (...expected: readonly string[]): Promise<void> =>
    eventually(expected.join(), async () => shownOn(await app.metrics()).join() === expected.join());
  /** Replaces the file at once, as tools do that distribute configurations. */
  const replace = (next: string): void => {
    writeFileSync(`${file}.new`, next);
    renameSync(`${file}.new`, file);
  };
  const logged = (level: string) => app.log.entries.filter((entry) => entry.level === level);
  return { file, folder, analyzer, settings, app, eventuallyShows, replace, logged };
}

describe('a file of owners', () => {
  it('is read again when it changes, and the page is rendered again at once', async () => {
    const { eventuallyShows, replace, logged } = await start('vendor_license,owner\n*,cad\n');
    await eventuallyShows('owner="cad",site=""', 'owner="cad",site=""');
    replace('vendor_license,owner,team\n*,eda,chips\n');
    await eventuallyShows('owner="eda",site="",team="chips"', 'owner="eda",site="",team="chips"');
    await checkedAgain();
    expect(logged('info').filter(({ message }) => message === 'owners read again')).toHaveLength(1);
    expect(logged('error')).toEqual([]);
  });

  it('gives its labels to alerts, which follow it', async () => {
    const { app, eventuallyShows, replace } = await start('vendor_license,owner,team\n*,cad,\n');
    const ownersOfAlerts = async (): Promise<string> => {
      const response = await fetch(`${app.url}/api/v1/alerts`);
      const { data } = (await response.json()) as { data: { alerts: { labels: Record<string, string> }[] } };
      const owners = data.alerts.map(({ labels: { owner, team, site } }) => JSON.stringify({ owner, team, site }));
      return [...new Set(owners)].join();
    };
    // labels without a value are left out
    await eventually('alerts with an owner', async () => (await ownersOfAlerts()) === '{"owner":"cad"}');
    replace('vendor_license,owner,team\n*,eda,chips\n');
    await eventuallyShows('owner="eda",site="",team="chips"', 'owner="eda",site="",team="chips"');
    await eventually('another owner', async () =>
      (await ownersOfAlerts()).split(/(?<=\}),/).includes('{"owner":"eda","team":"chips"}'),
    );
  });

  it('with a mistake leaves the last owners, and says once what to do', async () => {
    const { file, app, eventuallyShows, replace, logged } = await start('vendor_license,owner\n*,cad\n');
    await eventuallyShows('owner="cad",site=""', 'owner="cad",site=""');
    replace('vendor_license,owner\n*,eda\n,x\n,y\n');
    await eventually('an error', () => logged('error').length > 0);
    rmSync(file);
    await eventually('another error', () => logged('error').length > 1);
    expect(logged('error').map(({ fields, message }) => [message, fields.reason])).toEqual([
      [
        'owners not read again, the last ones are kept',
        `${file}:3: vendor_license: is empty; write * for all vendor licenses (and 1 more; check-config shows all)`,
      ],
      ['owners not read again, the last ones are kept', `${file}: the file does not exist`],
    ]);
    expect(await app.metrics()).toContain('owner="cad",site=""');
    replace('vendor_license,owner\n*,eda\n');
    await eventuallyShows('owner="eda",site=""', 'owner="eda",site=""');
    expect(logged('error')).toHaveLength(2);
  });

  it('is that of the configuration after a reload', async () => {
    const { folder, analyzer, settings, app, eventuallyShows, logged } = await start('vendor_license,owner\n*,cad\n');
    await eventuallyShows('owner="cad",site=""', 'owner="cad",site=""');
    const other = join(folder, 'other.yml');
    writeFileSync(other, '- {vendor_license: "*", owner: eda}');
    await app.reload(createConfig(analyzer.url, { ...settings, owners_file: other }));
    await eventuallyShows('owner="eda",site=""', 'owner="eda",site=""');
    await checkedAgain();
    expect(logged('info').filter(({ message }) => message === 'owners read again')).toEqual([]);
    writeFileSync(other, '- {vendor_license: "*", owner: another team}');
    await eventuallyShows('owner="another team",site=""', 'owner="another team",site=""');
  });
});
