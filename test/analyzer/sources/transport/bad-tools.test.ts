import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCleanup } from '../../../support/harness.ts';
import {
  createFolder,
  createHost,
  createTool,
  FAMILY,
  failureOf,
  named,
  never,
  nodeScript,
  processesWith,
  writeTool,
} from './tools.ts';

/** Tools that do not end, print too much, or leave processes behind. */

const badTools: readonly (readonly [what: string, script: string, kind: string])[] = [
  ['ignores SIGTERM and prints nothing', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)', 'timeout'],
  ['prints nothing and ends at SIGTERM', 'setInterval(() => {}, 1000)', 'timeout'],
  ['prints forever', 'setInterval(() => process.stdout.write("x".repeat(65536)))', 'too_large'],
  [
    'prints forever and ignores closed pipes and SIGTERM',
    'process.on("SIGTERM", () => {}); process.stdout.on("error", () => {}); setInterval(() => process.stdout.write("x".repeat(65536)))',
    'too_large',
  ],
  ['prints slowly forever', 'setInterval(() => console.log("x"), 50)', 'timeout'],
  ['starts others, closes nothing and never ends', FAMILY, 'timeout'],
  [
    // it ends when the other one has surely started
    'ends, but leaves a process that holds its output',
    'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", process.argv[2]], { stdio: "inherit" }).unref(); console.log("half"); setTimeout(() => process.exit(0), 100)',
    'exit',
  ],
];

describe('a bad tool', () => {
  it.concurrent.each(badTools)('that %s is gone soon after its timeout', async (what, script, kind) => {
    const cleanup = createCleanup();
    onTestFinished(() => cleanup.run());
    // a machine under load starts two processes in it
    const timeout = kind === 'timeout' ? 5 : 50;
    const folder = createFolder(cleanup);
    const name = `bad-${kind}-${what.replaceAll(' ', '-')}.`;
    const tool = writeTool(folder, 'lmutil', nodeScript(script));
    const host = createHost(cleanup);
    const transport = createTool(cleanup, host, named(tool, name), { timeout, maxOutput: 300_000 });
    expect(await failureOf(transport.read([join(folder, 'ready')], never))).toMatchObject({ kind });
    expect(processesWith(name)).toEqual([]);
    expect(existsSync(join(folder, 'ready'))).toBe(script === FAMILY);
    expect(readdirSync(host.folder)).toEqual([]);
  });

  it.concurrent('that leaves a process which holds only stderr has given its whole output, as ssh does', async () => {
    const cleanup = createCleanup();
    onTestFinished(() => cleanup.run());
    const script = nodeScript(
      'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", process.argv[2]], { stdio: ["ignore", "ignore", "inherit"], detached: true }).unref(); console.log("all")',
    );
    const tool = writeTool(createFolder(cleanup), 'ssh', script);
    const transport = createTool(cleanup, createHost(cleanup), named(tool, 'holds-stderr'));
    expect(await transport.read([], never)).toMatchObject({ stdout: 'all\n', exitCode: 0 });
    expect(processesWith('holds-stderr')).toEqual([]);
  });

  it.concurrent('that leaves a process without output behind, in another session, loses it', async () => {
    const cleanup = createCleanup();
    onTestFinished(() => cleanup.run());
    const script = nodeScript(
      'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", process.argv[2]], { stdio: "ignore", detached: true }).unref(); console.log("all")',
    );
    const tool = writeTool(createFolder(cleanup), 'lmutil', script);
    const transport = createTool(cleanup, createHost(cleanup), named(tool, 'left-behind'));
    expect(await transport.read([], never)).toMatchObject({ stdout: 'all\n' });
    expect(processesWith('left-behind')).toEqual([]);
  });

  it.concurrent('does not delay the tools of other sources', async () => {
    const cleanup = createCleanup();
    onTestFinished(() => cleanup.run());
    const folder = createFolder(cleanup);
    const host = createHost(cleanup);
    const hang = writeTool(folder, 'hang', nodeScript('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'));
    const bad = [1, 2, 3].map(() => createTool(cleanup, host, hang, { timeout: 60 }).read([], never));
    const ends = Promise.allSettled(bad);
    const good = createTool(cleanup, host, '/bin/true');
    for (let i = 0; i < 5; i += 1) expect(await good.read([], never)).toMatchObject({ exitCode: 0 });
    await cleanup.run();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
