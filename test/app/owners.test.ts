import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../support/harness.ts';

/** The owners on the page follow their file. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

async function start(content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-owners-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'owners.csv');
  writeFileSync(file, content);
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const settings = { owners_file: file, owners: [{ vendor_license: '*', feature: 'none', site: 'paris' }] };
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
    expect(logged('info').map(({ message }) => message)).toContain('owners read again');
    expect(logged('error')).toEqual([]);
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
    const { folder, analyzer, settings, app, eventuallyShows } = await start('vendor_license,owner\n*,cad\n');
    await eventuallyShows('owner="cad",site=""', 'owner="cad",site=""');
    const other = join(folder, 'other.yml');
    writeFileSync(other, '- {vendor_license: "*", owner: eda}');
    await app.reload(createConfig(analyzer.url, { ...settings, owners_file: other }));
    await eventuallyShows('owner="eda",site=""', 'owner="eda",site=""');
    writeFileSync(other, '- {vendor_license: "*", owner: another team}');
    await eventuallyShows('owner="another team",site=""', 'owner="another team",site=""');
  });
});
