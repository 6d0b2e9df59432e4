import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup } from '../../support/harness.ts';
import { canBeOdd, runOnOddHost } from '../../support/odd-host.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** A site of one source, in the folder where the program runs. */
const site = `
cat > data/licenses.json <<'END'
{"version": 1, "vendor_licenses": [{"server": "1@a", "daemon": "x", "features": [{"feature": "F", "count": 10, "in_use": 3, "expires": "2030-06-30"}]}]}
END
cat > data/config.yml <<'END'
storage: {path: store}
web: {listen_address: '127.0.0.1:0'}
embedded_analyzer:
  listen_address: 127.0.0.1:0
  sources: [{name: site, manager: json, via: {file: licenses.json}}]
END
`;

/** Forms of `TZ`, with the zone that each of them means, and the last second of 2030-06-30 there. */
const zones: readonly (readonly [string, string, number])[] = [
  ['', 'UTC', 1_909_094_399],
  [':', 'UTC', 1_909_094_399],
  ['UTC', 'UTC', 1_909_094_399],
  ['Europe/Berlin', 'Europe/Berlin', 1_909_087_199],
  [':Europe/Berlin', 'Europe/Berlin', 1_909_087_199],
  ['posix/Europe/Berlin', 'Europe/Berlin', 1_909_087_199],
  [':/usr/share/zoneinfo/Asia/Tokyo', 'Asia/Tokyo', 1_909_061_999],
  ['Etc/GMT+5', 'Etc/GMT+5', 1_909_112_399],
];
const unnamed = ['UTC+2', 'Foo/Bar', 'CET-1CEST,M3.5.0,M10.5.0/3', '<+03>-3', ':/etc/hostname'];

describe.runIf(canBeOdd())('a user without an entry, on a root that cannot be written, without HOME', () => {
  it.each(zones)('with TZ=%j has expiries of the zone %s', async (TZ, zone, end) => {
    const script = `${site} license_exporter --once --config.file=data/config.yml && ls -l data/store && touch /var/tmp/x`;
    const { status, stdout, stderr } = await runOnOddHost(cleanup, script, { TZ });
    expect(stderr).toContain(`"time_zone":"${zone}"`);
    expect(stdout).toContain(
      `license_feature_expiration_timestamp_seconds{vendor_license="1@a;x",feature="F",version="",package="",feature_type="feature"} ${end}\n`,
    );
    expect(stdout).toMatch(/^license_source_up\{.*\} 1$/m);
    // the root is what it is meant to be
    expect([status, stderr]).toEqual([1, expect.stringContaining('Read-only file system')]);
    // what is kept is for this user alone
    expect(stdout.slice(stdout.indexOf('total '))).toMatch(/^-rw-------/m);
    expect(stdout.slice(stdout.indexOf('total '))).not.toMatch(/^.rw.{2}[^-]/m);
  });

  it.each(unnamed)('with TZ=%j is told which setting says the zone', async (TZ) => {
    const script = `${site} license_exporter --once --config.file=data/config.yml`;
    const { status, stderr } = await runOnOddHost(cleanup, script, { TZ });
    expect([status, stderr]).toEqual([2, expect.stringContaining(`(TZ=${TZ}) has no name; set it`)]);
    expect(stderr).not.toContain('    at ');
  });

  it.each(['doctor', 'check-config data/config.yml', 'capture site'])(
    'has a %s that ends without a stack',
    async (command) => {
      const script = `${site} license_exporter --once --config.file=data/config.yml > /dev/null 2>&1
license_exporter ${command} ${command.startsWith('check') ? '' : '--config.file=data/config.yml'}`;
      const { status, stdout, stderr } = await runOnOddHost(cleanup, script);
      expect(`${stdout}${stderr}`).not.toMatch(/^ {4}at /m);
      expect([status, stdout, stderr]).toEqual([0, expect.anything(), expect.anything()]);
    },
  );

  it('is told what cannot be written, and serves all the same', async () => {
    const script = `${site} sed -i 's#path: store#path: /srv/store#' data/config.yml
license_exporter --once --config.file=data/config.yml`;
    const { status, stdout, stderr } = await runOnOddHost(cleanup, script);
    expect([status, stderr]).toEqual([0, expect.stringContaining('storage.path: /srv/store')]);
    expect(stdout).toMatch(/^license_source_up\{.*\} 1$/m);
  });
});
