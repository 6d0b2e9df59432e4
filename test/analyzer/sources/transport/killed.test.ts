import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isLong } from '../../../support/extent.ts';
import { createCleanup, eventually } from '../../../support/harness.ts';
import {
  createFolder,
  createHost,
  createTool,
  FAMILY,
  failureOf,
  never,
  nodeScript,
  processesWith,
  writeTool,
} from './tools.ts';

/** What is left of tools when this process is killed and can do nothing any more. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

async function startCollecting(workFolder: string, interval: number, tools: readonly string[]): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'collecting-process.ts');
  const child = spawn(process.execPath, [program, workFolder, String(interval), ...tools], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanup.add(() => child.kill('SIGKILL'));
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Everything has the path of the work folder in its command line: the tools, what they start, and the reaper. */
const isGone = (workFolder: string) => () => processesWith(workFolder).length === 0;

describe('when the process is killed', () => {
  it('no tool is left, nor anything that it started, nor its directory', async () => {
    const folder = createFolder(cleanup);
    const work = join(folder, 'work');
    const family = writeTool(folder, 'family', nodeScript(FAMILY));
    // it clears its environment, so that only its group is known
    const cleared = writeTool(folder, 'cleared', `#!/bin/sh\nexec env -i sleep 1000 "$1"\n`);
    const shell = writeTool(folder, 'shell', `#!/bin/sh\nexec env -i sh -c 'trap "" TERM; sleep 1000; :' "$1"\n`);
    const child = await startCollecting(work, 0, [family, cleared, shell]);
    await eventually('the family runs', () => existsSync(`${work}.ready`));
    await eventually('all run', () => readdirSync(work).length === 3 && processesWith(work).length >= 7);
    await kill(child);
    await eventually('all are gone', isGone(work));
    expect(readdirSync(work)).toEqual([]);
  });

  const times = isLong ? 50 : 3;
  it(`at any of ${times} moments, while three tools start and end, nothing is left`, async () => {
    const folder = createFolder(cleanup);
    const family = writeTool(folder, 'family', nodeScript(FAMILY));
    const quick = writeTool(folder, 'quick', `#!/bin/sh\nsleep 0.01; echo "$1"\n`);
    const forking = writeTool(folder, 'forking', `#!/bin/sh\nwhile :; do sleep 0.001 & sleep 0.002; done # "$1"\n`);
    for (let i = 0; i < times; i += 1) {
      const work = join(folder, `work-${i}`);
      const child = await startCollecting(work, 150, [family, quick, forking]);
      // just after the start, and any moment later
      await new Promise((resolve) => setTimeout(resolve, i % 2 === 0 ? (i * 3) % 60 : (i * 37) % 400));
      await kill(child);
      await eventually(`all are gone after kill ${i}`, isGone(work));
      expect(existsSync(work) ? readdirSync(work) : []).toEqual([]);
    }
  });
});

describe('the reaper', () => {
  it('ends with its host, and leaves the tools of others alone', async () => {
    const other = createHost(cleanup);
    const script = nodeScript('require("fs").writeFileSync(process.argv[2], ""); setInterval(() => {}, 1000)');
    const folder = createFolder(cleanup);
    const controller = new AbortController();
    const transport = createTool(cleanup, other, writeTool(folder, 'lmutil', script));
    const read = failureOf(transport.read([join(folder, 'ready')], controller.signal));
    await eventually('it runs', () => existsSync(join(folder, 'ready')));

    const host = createHost(cleanup);
    await createTool(cleanup, host, '/bin/true').read([], never);
    const reapers = () => processesWith(host.folder);
    expect(reapers()).toHaveLength(1);
    host.close();
    await eventually('it has ended', () => reapers().length === 0);
    expect(processesWith(join(folder, 'ready'))).toHaveLength(1);
    controller.abort();
    await read;
  });

  it('is started again if it was killed, and knows the running tools', async () => {
    const folder = createFolder(cleanup);
    const host = createHost(cleanup);
    const script = nodeScript('require("fs").writeFileSync(process.argv[2], ""); setInterval(() => {}, 1000)');
    const hang = createTool(cleanup, host, writeTool(folder, 'hang', script));
    const read = failureOf(hang.read([join(folder, 'ready')], never));
    await eventually('it runs', () => existsSync(join(folder, 'ready')));
    const reaper = () =>
      processesWith(`${host.folder}/run-`).filter((id) => processesWith('license-exporter-reaper').includes(id));
    const [first = 0] = reaper();
    process.kill(first, 'SIGKILL');
    await eventually('its loss is reported', () => host.problems.length === 1);
    await createTool(cleanup, host, '/bin/true').read([], never);
    expect(reaper()).toHaveLength(1);
    expect(reaper()).not.toEqual([first]);
    // what it does when the process is gone: the pipe is closed
    host.close();
    expect(await read).toMatchObject({ kind: 'exit', message: expect.stringContaining('SIGKILL') });
  });

  it('is missed with a sentence, and the tools run nevertheless', async () => {
    const host = createHost(cleanup, { shell: '/none/sh' });
    expect(await createTool(cleanup, host, '/bin/true').read([], never)).toMatchObject({ exitCode: 0 });
    expect(await createTool(cleanup, host, '/bin/true').read([], never)).toMatchObject({ exitCode: 0 });
    expect(host.problems).toEqual([
      expect.stringMatching(/^tools of sources would go on running if this process was killed, because \/none\/sh/),
    ]);
  });
});
