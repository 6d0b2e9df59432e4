import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isLong } from '../../../support/extent.ts';
import { createCleanup, eventually } from '../../../support/harness.ts';
import {
  childStates,
  createFolder,
  createHost,
  createTool,
  FAMILY,
  failureOf,
  named,
  never,
  nodeScript,
  openDescriptors,
  processesWith,
  writeTool,
} from './tools.ts';

/** Real tools, good and bad. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const SECRETS = ['LICENSE_EXPORTER_ANALYZER_PASSWORD', 'LM_LICENSE_FILE', 'ANSYSLMD_LICENSE_FILE', 'RLM_LICENSE'];

describe('a tool', () => {
  it('gets its arguments, an empty input, and the two outputs are kept apart', async () => {
    const folder = createFolder(cleanup);
    const script = nodeScript(`
      const input = require('fs').readFileSync(0, 'latin1');
      console.log(JSON.stringify({ args: process.argv.slice(2), input }));
      console.error('warning');
      process.exitCode = 241;`);
    const tool = writeTool(folder, 'lmutil', script);
    const transport = createTool(cleanup, createHost(cleanup, { now: () => 77 }), [tool, 'lmstat', 'a b;$(id)']);
    const output = await transport.read(['-c', '1055@lic1'], never);
    expect(output).toEqual({
      stdout: `${JSON.stringify({ args: ['lmstat', 'a b;$(id)', '-c', '1055@lic1'], input: '' })}\n`,
      stderr: 'warning\n',
      exitCode: 241,
      at: 77,
    });
  });

  it('gets nothing of our environment, and its own variables', async () => {
    const host = createHost(cleanup);
    const script = nodeScript('console.log(JSON.stringify({ env: process.env, mask: process.umask() }))');
    const tool = writeTool(createFolder(cleanup), 'lmutil', script);
    for (const name of SECRETS) process.env[name] = '1055@other secret';
    cleanup.add(() => {
      for (const name of SECRETS) delete process.env[name];
    });
    const transport = createTool(cleanup, host, tool, { env: { FLEXLM_TIMEOUT: '3000000', LANG: 'ja_JP' } });
    const { env } = JSON.parse((await transport.read([], never)).stdout);
    expect(env).toEqual({
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'ja_JP',
      LC_ALL: 'C',
      TZ: 'UTC',
      HOME: expect.stringContaining(host.folder),
      FLEXLM_TIMEOUT: '3000000',
      LICENSE_EXPORTER_RUN: expect.stringMatching(/^[0-9a-f-]{36}\.\d+$/),
    });
  });

  it('runs in a private, empty directory that is deleted afterwards', async () => {
    const host = createHost(cleanup);
    const script = nodeScript(`
      const fs = require('fs');
      const before = fs.readdirSync('.');
      fs.mkdirSync('deep/er', { recursive: true });
      fs.writeFileSync('deep/er/.flexlmrc', '');
      console.log(JSON.stringify({ before, mode: fs.statSync('.').mode & 0o777, cwd: process.cwd(), home: process.env.HOME }));`);
    const transport = createTool(cleanup, host, writeTool(createFolder(cleanup), 'lmutil', script));
    const seen = JSON.parse((await transport.read([], never)).stdout);
    expect(seen).toEqual({ before: [], mode: 0o700, cwd: seen.home, home: expect.stringContaining(host.folder) });
    expect(readdirSync(host.folder)).toEqual([]);
  });

  it('is decoded by its own encoding', async () => {
    const script = nodeScript('process.stdout.write(Buffer.from([0x83, 0x65, 0x0a])); process.stderr.write("ä")');
    const tool = writeTool(createFolder(cleanup), 'lmutil', script);
    const host = createHost(cleanup);
    const read = (encoding?: string) => createTool(cleanup, host, tool, { encoding }).read([], never);
    expect(await read('cp932')).toMatchObject({ stdout: 'テ\n' });
    expect(await read()).toMatchObject({ stdout: 'ƒe\n', stderr: 'ä' });
  });

  it('prints all of a large output before it ends', async () => {
    const script = nodeScript('process.stdout.write("x".repeat(8_000_000) + "end")');
    const tool = writeTool(createFolder(cleanup), 'lmutil', script);
    const { stdout } = await createTool(cleanup, createHost(cleanup), tool, { maxOutput: 2 ** 23 }).read([], never);
    expect([stdout.length, stdout.slice(-3)]).toEqual([8_000_003, 'end']);
  });
});

describe('places', () => {
  it('are four; the fifth tool waits outside its timeout, and can be canceled', async () => {
    const folder = createFolder(cleanup);
    const host = createHost(cleanup);
    const wait = writeTool(
      folder,
      'wait',
      nodeScript(`const fs = require('fs');
        fs.writeFileSync(process.argv[2] + '.' + process.pid, '');
        setInterval(() => fs.existsSync(process.argv[3]) && process.exit(0), 10)`),
    );
    const [started, go] = [join(folder, 'started'), join(folder, 'go')];
    const running = Array.from({ length: 4 }, () => createTool(cleanup, host, wait).read([started, go], never));
    const count = () => readdirSync(folder).filter((name) => name.startsWith('started.')).length;
    await eventually('four tools run', () => count() === 4);

    const waiting = createTool(cleanup, host, '/bin/true', { timeout: 0.5 }).read([], never);
    const controller = new AbortController();
    const dropped = createTool(cleanup, host, wait).read([started, go], controller.signal);
    const failure = failureOf(dropped);
    // longer than the timeout of the one that waits
    await new Promise((resolve) => setTimeout(resolve, 700));
    controller.abort();
    expect(await failure).toEqual({ kind: 'timeout', message: expect.stringContaining('took all places') });
    expect(count()).toBe(4);
    writeFileSync(go, '');
    expect(await Promise.all([...running, waiting])).toHaveLength(5);
  });
});

describe('when it is canceled, a read', () => {
  // the tool has 60 s
  it('ends the tool and all that it started, before it rejects', async () => {
    const folder = createFolder(cleanup);
    const tool = writeTool(folder, 'lmutil', nodeScript(FAMILY));
    const transport = createTool(cleanup, createHost(cleanup), named(tool, 'canceled-family'), { timeout: 60 });
    const controller = new AbortController();
    const read = failureOf(transport.read([join(folder, 'ready')], controller.signal));
    await eventually('all three run', () => existsSync(join(folder, 'ready')));
    expect(processesWith('canceled-family')).toHaveLength(3);
    controller.abort();
    expect(await read).toEqual({ kind: 'timeout', message: expect.stringContaining('was stopped before it ended') });
    expect(processesWith('canceled-family')).toEqual([]);
  });

  it('starts no tool', async () => {
    const folder = createFolder(cleanup);
    const tool = writeTool(folder, 'lmutil', nodeScript('require("fs").writeFileSync(process.argv[2], "")'));
    const transport = createTool(cleanup, createHost(cleanup), tool);
    await failureOf(transport.read([join(folder, 'ran')], AbortSignal.abort()));
    await transport.close();
    await failureOf(transport.read([join(folder, 'ran')], never));
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

it('a tool that cannot be killed is stuck: its place stays taken, and no second one is started', async () => {
  const folder = createFolder(cleanup);
  let isImmortal = true;
  const kill = (target: number, signal: NodeJS.Signals): boolean => {
    try {
      return isImmortal || process.kill(target, signal);
    } catch {
      return false;
    }
  };
  const host = createHost(cleanup, { sendSignal: kill });
  const tool = writeTool(
    folder,
    'lmutil',
    nodeScript('require("fs").writeFileSync(process.argv[3] + process.pid, ""); setInterval(() => {}, 1000)'),
  );
  const transport = createTool(cleanup, host, named(tool, 'immortal'), { timeout: 0.5 });
  const starts = join(folder, 'starts');
  mkdirSync(starts);
  const read = (): Promise<unknown> => transport.read([`${starts}/`], never);
  const stuck = { kind: 'stuck', message: expect.stringMatching(/lmutil cannot be stopped \(process \d+\)/) };
  expect(await failureOf(read())).toEqual(stuck);
  expect(await failureOf(read())).toEqual(stuck);
  expect(readdirSync(starts)).toHaveLength(1);

  const others = await Promise.all([1, 2, 3].map(() => host.places.take(never)));
  const waiting = host.places.take(never);
  isImmortal = false;
  const release = await waiting;
  for (const free of [release, ...others]) free();
  expect(processesWith('immortal')).toEqual([]);
  await eventually('its directory is deleted', () => readdirSync(host.folder).length === 0);
  expect(await failureOf(read())).toMatchObject({ kind: 'timeout' });
  expect(readdirSync(starts)).toHaveLength(2);
});

it('leaves no zombie, no descriptor and no directory after many runs', async () => {
  const runs = isLong ? 1000 : 50;
  const host = createHost(cleanup);
  const transports = Array.from({ length: 4 }, () => createTool(cleanup, host, '/bin/true'));
  await Promise.all(transports.map((transport) => transport.read([], never)));
  await eventually('only the reaper is left of this and earlier tests', () => childStates().length === 1);
  const descriptors = openDescriptors();
  const folder = createFolder(cleanup);
  const broken = createTool(cleanup, host, writeTool(folder, 'broken', '#!/none/perl\n'));
  const large = createTool(cleanup, host, [writeTool(folder, 'large', '#!/bin/sh\nexec cat /dev/zero\n')]);
  for (let i = 0; i < runs / 10; i += 1)
    expect(await Promise.all([broken, large].map(async (bad) => (await failureOf(bad.read([], never))).kind))).toEqual([
      'loader',
      'too_large',
    ]);
  for (let i = 0; i < runs; i += 4) {
    const ends = await Promise.all(transports.map((transport) => transport.read([], never)));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  }
  // a closed pipe is handed back in the next turn
  await new Promise((resolve) => setImmediate(resolve));
  await eventually('only the reaper is left, and waits', () => childStates().join() === 'S');
  expect(openDescriptors()).toBeLessThanOrEqual(descriptors);
  expect(readdirSync(host.folder)).toEqual([]);
});

it('shows no token in the list of processes', async () => {
  const folder = createFolder(cleanup);
  const script = nodeScript(`const fs = require('fs');
    const ids = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
    const lines = ids.map((id) => { try { return fs.readFileSync('/proc/' + id + '/cmdline', 'latin1') } catch { return '' } });
    console.log(lines.filter((line) => line.includes('t0k' + '3n')).length, lines.length > 2)`);
  const tool = writeTool(folder, 'lmutil', script);
  const transport = createTool(cleanup, createHost(cleanup), tool, { env: { API_TOKEN: 't0k3n' } });
  expect(await transport.read([], never)).toMatchObject({ stdout: '0 true\n' });
  expect(readFileSync(tool, 'latin1')).not.toContain('t0k3n');
});
