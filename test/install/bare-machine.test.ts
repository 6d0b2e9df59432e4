import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artefacts } from '../support/artefacts.ts';
import { type BareMachine, canBeBare, type Started, startBareMachine } from '../support/bare-machine.ts';
import { createCleanup, eventually } from '../support/harness.ts';
import { findProgram } from '../support/peers.ts';

/** The package and the archive, installed by an unprivileged user on a machine that has nothing else and no network. */

const home = '/home/user';

describe.runIf(canBeBare())('on a bare machine', () => {
  const cleanup = createCleanup();
  let machine: BareMachine;
  beforeAll(async () => {
    machine = await startBareMachine(cleanup);
  });
  afterAll(() => cleanup.run());

  /** Starts the demo, and waits until it serves the data of its site. */
  async function startDemo(command: readonly string[], directory: string): Promise<Started> {
    const demo = machine.start([...command, 'demo'], { directory });
    await demo.printed('INFO: listening');
    let lines: string[] = [];
    await eventually('license_up 1', async () => {
      lines = (await machine.curl('http://127.0.0.1:10319/metrics')).stdout.split('\n');
      return lines.includes('license_up 1');
    });
    const build = lines.find((line) => line.startsWith('license_exporter_build_info{'));
    expect(build).toMatch(/,revision="[0-9a-f]{40}(-dirty)?",/);
    return demo;
  }

  it('there is no Node, and no network', async () => {
    expect((await machine.run(['node', '--version'])).status).toBe(127);
    expect((await machine.run(['cat', '/proc/net/dev'])).stdout.match(/^ *\w+:/gm)?.map((name) => name.trim())).toEqual(
      ['lo:'],
    );
  });

  it('the archive starts from its folder, and through a link from anywhere', async () => {
    machine.copy(artefacts.bundle, '/root/bundle.tar.gz');
    const root = { user: 'root', directory: '/root' };
    expect(await machine.run(['tar', '-xzf', 'bundle.tar.gz', '-C', '/opt'], root)).toMatchObject({
      status: 0,
      stderr: '',
    });
    await machine.run(['ln', '-s', artefacts.bundleFolder, '/opt/license-exporter'], root);
    await machine.run(['ln', '-s', '/opt/license-exporter/license-exporter', '/usr/local/bin'], root);
    // as a user who cannot write to its folder
    const demo = await startDemo(['./license-exporter'], join('/opt', artefacts.bundleFolder));
    const pages = ['', 'runbooks', 'style.css', 'refresh.js', 'favicon.svg'].map(
      (path) => `http://127.0.0.1:10319/${path}`,
    );
    expect(await machine.curl('--fail', '--fail-early', ...pages)).toMatchObject({
      status: 0,
    });
    expect((await demo.stop('SIGTERM')).status).toBe(0);
    expect(demo.output()).toContain('INFO: stopping');
    for (const command of ['/opt/license-exporter/license-exporter', 'license-exporter']) {
      const { status, stdout } = await machine.run([command, '--version'], { directory: '/' });
      expect({ command, status, version: stdout.split(' (')[0] }).toEqual({
        command,
        status: 0,
        version: `license-exporter, version ${artefacts.version}`,
      });
    }
  });

  it('each endpoint of the demo is as the contract says', async () => {
    expect(await machine.run(['/opt/license-exporter/license-exporter', 'doctor', '--demo'])).toMatchObject({
      status: 0,
    });
  });

  it('the npm package installs without a registry, and npx starts it', async () => {
    const npm = dirname(dirname(realpathSync(findProgram('npm') ?? 'npm')));
    machine.copy(npm, '/usr/local/lib/node_modules/npm');
    machine.copy(process.execPath, '/usr/local/bin/node');
    for (const name of ['npm', 'npx'])
      await machine.run(['ln', '-s', `../lib/node_modules/npm/bin/${name}-cli.js`, `/usr/local/bin/${name}`], {
        user: 'root',
      });
    machine.copy(artefacts.package, join(home, 'site/package.tgz'));
    await machine.run(['chown', 'user', `${home}/site`], { user: 'root' });
    const directory = `${home}/site`;
    expect(await machine.run(['npm', 'install', './package.tgz'], { directory })).toMatchObject({ status: 0 });
    const demo = await startDemo(['npx', 'license-exporter'], directory);
    // npx and its shell end at once, without passing a signal on
    await demo.stop('SIGTERM', 'all');
    expect(demo.output()).toContain('INFO: stopping');
    const started = await startDemo(['node_modules/.bin/license-exporter'], directory);
    expect((await started.stop('SIGTERM')).status).toBe(0);
  });
});
