import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { artefacts } from '../support/artefacts.ts';
import { canBeBare } from '../support/bare-machine.ts';
import { type BootedMachine, startBootedMachine } from '../support/booted-machine.ts';
import { createFakeSite, fakeLmutil } from '../support/fake-license-tools/fake-site.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { createLargeSite } from '../support/license-site/large-site.ts';
import { renderLmstat } from '../support/license-site/render-lmstat.ts';

/** The unit, started by a real systemd on a Debian that has the archive and nothing else. */

const unit = 'license-exporter@site1';
const program = '/opt/license-exporter/license-exporter';
const files = '/opt/license-exporter/deploy/systemd';
const folder = '/etc/license-exporter/site1';

/** A program of 32 bits, which exits with 0. */
function program32(): Buffer {
  const code = Buffer.from('b801000000bb00000000cd80', 'hex');
  const header = Buffer.alloc(84);
  header.write('7f454c46010101', 'hex');
  const start = 0x08048000;
  const words = [0x00030002, 1, start + 84, 52, 0, 0, 0x00200034, 1, 0, 1, 0, start, start, 96, 96, 5, 0x1000];
  for (const [index, word] of words.entries()) header.writeUInt32LE(word, 16 + 4 * index);
  return Buffer.concat([header, code]);
}

describe.runIf(canBeBare())('the systemd unit', () => {
  const cleanup = createCleanup();
  let machine: BootedMachine;
  afterAll(() => cleanup.run());

  async function succeed(...command: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await machine.run(...command);
    expect({ command, status, stdout, stderr }).toMatchObject({ command, status: 0, stderr });
    return stdout;
  }
  const place = (path: string): string => join(machine.root, path);
  /** Writes a file of the configuration as an operator does: for root and the daemon. */
  async function configure(name: string, text: string): Promise<void> {
    writeFileSync(place(join(folder, name)), text);
    await succeed('chmod', '640', join(folder, name));
    await succeed('chgrp', 'license-exporter', join(folder, name));
  }
  const journal = async () => (await machine.run('journalctl', '--output=cat', `--unit=${unit}`)).stdout;
  const metrics = async () => (await machine.run('curl', '-s', 'http://127.0.0.1:10319/metrics')).stdout;

  beforeAll(async () => {
    machine = await startBootedMachine(cleanup);
    cpSync(artefacts.bundle, place('/opt/bundle.tar.gz'));
    await succeed('tar', '-xzf', '/opt/bundle.tar.gz', '-C', '/opt');
    await succeed('ln', '-s', artefacts.bundleFolder, '/opt/license-exporter');
    await succeed(
      'install',
      '-D',
      '-m',
      '644',
      `${files}/license-exporter.conf`,
      '/etc/sysusers.d/license-exporter.conf',
    );
    await succeed('install', '-m', '644', `${files}/license-exporter@.service`, '/etc/systemd/system/');
    await succeed('systemd-sysusers');
    await succeed('systemctl', 'daemon-reload');
    await succeed('install', '-d', '-m', '750', '-g', 'license-exporter', '/etc/license-exporter', folder);
  });

  it('is correct for systemd-analyze, and rated 1.5 or better', async () => {
    expect(await machine.run('systemd-analyze', 'verify', `${unit}.service`)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    const rating = ['security', '--offline=true', '--threshold=15', `${unit}.service`];
    expect((await succeed('systemd-analyze', ...rating)).trim()).toMatch(/Overall exposure level .* 1\.\d OK/);
    const text = readFileSync(place('/etc/systemd/system/license-exporter@.service'), 'utf8');
    expect(text).not.toMatch(/^MemoryDenyWriteExecute/m);
  });

  it('polls an analyzer with the password of its credential, reloads, and stops', async () => {
    writeFileSync(place('/srv/password'), 'test-secret');
    const hash = `${program} analyzer hash-password svc-lic < /srv/password > /srv/users && chmod 600 /srv/users`;
    await succeed('sh', '-c', hash);
    const analyzer = ['--embedded-analyzer.users-file=/srv/users', '--embedded-analyzer.domain=CORP'];
    await succeed('systemd-run', '--unit=analyzer', program, 'analyzer', ...analyzer);
    const config = `web: {listen_address: "127.0.0.1:10319"}
analyzer: {url: "http://127.0.0.1:10320/analyzer", username: 'CORP\\svc-lic'}\n`;
    await configure('config.yml', config);

    expect((await machine.run('systemctl', 'start', unit)).stderr).toContain('failed');
    expect(await journal()).toContain('analyzer.password_file: is required with analyzer.url');
    // not tried again
    expect(await succeed('systemctl', 'show', '-p', 'ActiveState,ExecMainStatus,NRestarts', unit)).toBe(
      'NRestarts=0\nExecMainStatus=2\nActiveState=failed\n',
    );

    writeFileSync(place(join(folder, 'analyzer-password')), 'test-secret\n', { mode: 0o600 });
    await succeed('systemctl', 'start', unit);
    // started is: listens
    expect(await metrics()).toContain('license_exporter_build_info');
    await eventually('license_up', async () => /^license_up 1$/m.test(await metrics()));
    const directories = ['site1', 'accounts'].map((name) => `/var/lib/license-exporter/${name}`);
    expect(await succeed('stat', '-c', '%U %a', ...directories)).toBe('license-exporter 700\nlicense-exporter 700\n');
    expect(await succeed('ls', '/var/lib/license-exporter/site1')).toContain('logons.db');

    await configure('config.yml', `${config}log: {level: debug}\n`);
    await succeed('systemctl', 'reload', unit);
    await eventually('reloaded', async () => (await journal()).includes('"configuration reloaded"'));
    await configure('config.yml', `${config}webb: {}\n`);
    expect((await machine.run('systemctl', 'reload', unit)).status).toBe(1);
    expect(await journal()).toContain(`${folder}/config.yml:3: webb: unknown setting, did you mean web?`);
    expect(await metrics()).toMatch(/^license_up 1$/m);

    // a state that is damaged does not keep it down
    await configure('config.yml', config);
    await succeed('systemctl', 'stop', unit);
    const state = '/var/lib/license-exporter/site1';
    await succeed('sh', '-c', `for file in ${state}/*.db ${state}/*.json; do printf '%05000d' 1 > $file; done`);
    await succeed('systemctl', 'start', unit);
    expect(await metrics()).toContain('license_exporter_build_info');
    expect(await succeed('systemctl', 'show', '-p', 'ActiveState,NRestarts', unit)).toBe(
      'NRestarts=0\nActiveState=active\n',
    );
    expect(await succeed('ls', state)).toMatch(/^logons\.db\.damaged-/m);

    await succeed('systemctl', 'stop', unit, 'analyzer');
    expect(await succeed('systemctl', 'show', '-p', 'Result', unit)).toBe('Result=success\n');
    rmSync(place(join(folder, 'analyzer-password')));
  });

  it('runs license tools under its restrictions, and tools of 32 bits with sources.conf', async () => {
    const tools = place('/opt/flexlm');
    const site = createFakeSite(join(tools, 'site'));
    const now = Math.floor(Date.now() / 1000);
    const size = { features: 3, users: 5, host: 'localhost', now, port: 27_000, daemon: 'flexd' };
    site.print('27000@localhost', renderLmstat(createLargeSite(size), createLocalTime('UTC')));
    for (const name of ['fake-lmutil', 'replay.sh']) cpSync(join(fakeLmutil, '..', name), join(tools, name));
    writeFileSync(join(tools, 'bits32'), program32(), { mode: 0o755 });
    // it fails where it may do more than the unit says
    const script = `#!/bin/sh
if [ -n "$NOTIFY_SOCKET$CREDENTIALS_DIRECTORY" ] || touch /etc/x /opt/x /var/x 2> /dev/null; then exit 2; fi
grep -q "^Seccomp:.*2" /proc/self/status && grep -q "^CapBnd:.*0000000000000000" /proc/self/status || exit 3
[ ! -e /opt/flexlm/needs32 ] || /opt/flexlm/bits32 || { echo "32 bits are killed" >&2; exit 4; }
exec /opt/flexlm/fake-lmutil "$@"\n`;
    writeFileSync(join(tools, 'lmutil'), script, { mode: 0o755 });
    await succeed('chmod', '-R', 'a+rX', '/opt/flexlm');
    await configure(
      'config.yml',
      `web: {listen_address: "127.0.0.1:10319"}
embedded_analyzer:
  sources: [{name: tools, manager: flexnet, servers: [27000@localhost], via: {command: /opt/flexlm/lmutil}}]\n`,
    );
    const sourceIs = (up: 0 | 1) =>
      eventually(`the source is ${up}`, async () =>
        (await metrics()).includes(`license_source_up{source="tools",manager="flexnet"} ${up}`),
      );

    await succeed('systemctl', 'reset-failed');
    await succeed('systemctl', 'start', unit);
    await sourceIs(1);
    await eventually('license_up', async () => /^license_up 1$/m.test(await metrics()));
    writeFileSync(join(tools, 'needs32'), '');
    await succeed('systemctl', 'restart', unit);
    await sourceIs(0);
    const dropIn = '/etc/systemd/system/license-exporter@.service.d/sources.conf';
    await succeed('install', '-D', '-m', '644', `${files}/sources.conf`, dropIn);
    await succeed('systemctl', 'daemon-reload');
    await succeed('systemctl', 'restart', unit);
    await sourceIs(1);
    const { stderr } = await machine.run('systemd-analyze', 'verify', `${unit}.service`);
    expect(stderr).toBe('');
  });
});
