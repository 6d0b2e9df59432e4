import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artefacts } from '../support/artefacts.ts';
import { type BareMachine, canBeBare, startBareMachine } from '../support/bare-machine.ts';
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

  /** Starts the demo, waits until it serves the data of its site, and stops it. */
  async function demoServes(command: readonly string[], directory = home): Promise<void> {
    const demo = machine.start([...command, 'demo'], { directory });
    await demo.printed('"msg":"listening"');
    let lines: string[] = [];
    await eventually('license_up 1', async () => {
      lines = (await machine.curl('http://127.0.0.1:10319/metrics')).stdout.split('\n');
      return lines.includes('license_up 1');
    });
    expect(lines.find((line) => line.startsWith('license_exporter_build_info{'))).toMatch(
      /,revision="[0-9a-f]{40}(-dirty)?",/,
    );
    const { status } = await demo.stop('SIGTERM');
    expect(demo.output()).toContain('"msg":"stopping"');
    expect(status).toBe(0);
  }

  it('there is no Node, and no network', async () => {
    expect((await machine.run(['node', '--version'])).status).toBe(127);
    expect((await machine.run(['cat', '/proc/net/dev'])).stdout.match(/^ *\w+:/gm)?.map((name) => name.trim())).toEqual(
      ['lo:'],
    );
  });

  it('the archive starts from its folder, and through a link from anywhere', async () => {
    machine.copy(artefacts.bundle, join(home, 'bundle.tar.gz'));
    expect(await machine.run(['tar', '-xzf', 'bundle.tar.gz'])).toMatchObject({ status: 0, stderr: '' });
    await demoServes(['./license-exporter'], join(home, artefacts.bundleFolder));
    const links = ['/opt/license-exporter', '/usr/local/bin/license-exporter'] as const;
    await machine.run(['ln', '-s', join(home, artefacts.bundleFolder), links[0]], { user: 'root' });
    await machine.run(['ln', '-s', `${links[0]}/license-exporter`, links[1]], { user: 'root' });
    for (const command of [`${links[0]}/license-exporter`, 'license-exporter']) {
      const { status, stdout } = await machine.run([command, '--version'], { directory: '/' });
      expect({ command, status, version: stdout.split(' (')[0] }).toEqual({
        command,
        status: 0,
        version: `license-exporter, version ${artefacts.version}`,
      });
    }
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
    await demoServes(['npx', 'license-exporter'], directory);
  });
});
