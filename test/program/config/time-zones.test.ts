import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig, readHostZone } from '../../../src/program/config/load.ts';
import { ConfigError } from '../../../src/program/config/problems.ts';
import { createCleanup } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder, startProcess } = createRunner(cleanup);

/** Forms of `TZ`, and the zone that each of them means. */
const forms: readonly (readonly [string, string | undefined])[] = [
  ['', 'UTC'],
  [':', 'UTC'],
  ['UTC', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin'],
  [':Europe/Berlin', 'Europe/Berlin'],
  ['posix/Europe/Berlin', 'Europe/Berlin'],
  ['/usr/share/zoneinfo/Europe/Berlin', 'Europe/Berlin'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['EST5EDT', 'America/New_York'],
  ['UTC+2', undefined],
  ['Foo/Bar', undefined],
  ['CET-1CEST,M3.5.0,M10.5.0/3', undefined],
  ['<+03>-3', undefined],
  ['/etc/hostname', undefined],
];

const source = '{name: one, manager: flexnet, servers: [27000@lic1], via: {command: /opt/flexlm/lmutil}}';

function zonesWith(TZ: string, text: string) {
  const configFile = join(temporaryFolder(), 'config.yml');
  writeFileSync(configFile, text);
  try {
    const { embeddedAnalyzer, datasource } = loadConfig({
      configFile,
      flags: new Map(),
      env: { TZ },
      requireAnalyzer: false,
    });
    return [embeddedAnalyzer.timeZone, datasource.timeZone];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, message }) => `${key} ${message}`);
  }
}

describe('the time zone of the host', () => {
  it.each(forms)('TZ=%j is %s', (written, zone) => {
    expect(readHostZone(written)).toEqual(zone === undefined ? { unnamed: `TZ=${written}` } : { name: zone });
  });

  it('is that of a link to the database, and has no name if it is a file of its own', () => {
    const folder = temporaryFolder();
    const [link, copy] = [join(folder, 'link'), join(folder, 'copy')];
    symlinkSync('/usr/share/zoneinfo/Asia/Tokyo', link);
    copyFileSync('/usr/share/zoneinfo/Asia/Tokyo', copy);
    expect(readHostZone(`:${link}`)).toEqual({ name: 'Asia/Tokyo' });
    expect(readHostZone(`:${copy}`)).toEqual({ unnamed: `TZ=:${copy}` });
  });

  it('must have a name where no setting says the zone', () => {
    const why =
      'is required, because the time zone of this host (TZ=UTC+2) has no name; set it, for example to Europe/Berlin';
    const sources = `embedded_analyzer:\n  sources: [${source}]\n`;
    const analyzer = 'analyzer: {url: http://a, domain: D, username: u, password_file: /dev/null}\n';
    expect(zonesWith('UTC+2', sources)).toEqual([`embedded_analyzer.time_zone ${why}`]);
    expect(zonesWith('UTC+2', `${sources}  time_zone: Asia/Tokyo\n`)).toEqual(['Asia/Tokyo', 'Asia/Tokyo']);
    expect(zonesWith('UTC+2', analyzer)).toContain(`datasource.time_zone ${why}`);
    expect(zonesWith('Europe/Berlin', sources)).toEqual(['Europe/Berlin', 'Europe/Berlin']);
  });

  it('is found before anything runs, in a process with each of them', async () => {
    const config = join(temporaryFolder(), 'config.yml');
    writeFileSync(config, `embedded_analyzer:\n  sources: [${source}]\n`);
    for (const [TZ, zone] of forms) {
      const checked = startProcess(['check-config', config], { env: { TZ } });
      expect([TZ, await checked.exit]).toEqual([TZ, zone === undefined ? 2 : 0]);
      expect(checked.output()).toContain(
        zone === undefined ? `the time zone of this host (TZ=${TZ}) has no name` : 'OK',
      );
    }
  });
});
