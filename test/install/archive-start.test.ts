import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { artefacts } from '../support/artefacts.ts';
import { createCleanup } from '../support/harness.ts';

/** The archive on this host, for `.ci/run`. The bare machines of the other files have nothing beside it. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** The address that the demo prints when it has data. @throws Error with its log if it ends before */
async function readyAddress({ stderr }: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  let log = '';
  for await (const line of createInterface({ input: stderr })) {
    log += `${line}\n`;
    const address = /ready: open (http:\/\/[\d.]+:\d+)/.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
  }
  throw new Error(`the demo ended:\n${log}`);
}

it('the archive starts with its own Node, serves the data of the demo, and ends when it is told to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-archive-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-xzf', artefacts.bundle, '-C', folder]);
  const listen = ['--web.listen-address=127.0.0.1:0', '--embedded-analyzer.listen-address=127.0.0.1:0'];
  const demo = spawn(join(folder, artefacts.bundleFolder, 'license-exporter'), ['demo', ...listen], {
    cwd: folder,
    // nothing of this host's environment
    env: { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanup.add(() => demo.kill('SIGKILL'));
  const exit = once(demo, 'exit');
  const url = await readyAddress(demo);
  const page = await (await fetch(`${url}/metrics`)).text();
  expect(page).toMatch(/^license_up 1$/m);
  expect(page).toMatch(/^license_feature_in_use\{/m);
  expect(page).toMatch(/^license_exporter_build_info\{.*,revision="[0-9a-f]{40}(-dirty)?",node_version="v24\./m);
  expect((await fetch(`${url}/`)).status).toBe(200);
  demo.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
