import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import {
  createFakeSite,
  type FakeMode,
  type FakeSite,
  fakeLmutil,
  fakeRlmutil,
} from '../../support/fake-license-tools/fake-site.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat, renderLmstatInventory } from '../../support/license-site/render-lmstat.ts';

/** The fake tools do what tests of sources rely on. */

const utc = createLocalTime('UTC');
const server = '27000@lic1.example.com';
let site: FakeSite;

beforeEach(() => {
  site = createFakeSite(mkdtempSync(join(tmpdir(), 'license-exporter-fake-')));
});
afterEach(() => rmSync(site.folder, { recursive: true, force: true }));

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(tool: string, ...args: readonly string[]): Result {
  const { status, stdout, stderr } = spawnSync(tool, args, {
    env: { ...site.env, PATH: '/usr/bin:/bin' },
    encoding: 'latin1',
    maxBuffer: 2 ** 26,
  });
  return { code: status, stdout, stderr };
}

const lmstat = (...args: readonly string[]): Result => run(fakeLmutil, 'lmstat', '-a', '-c', server, ...args);
const rlmstat = (...args: readonly string[]): Result => run(fakeRlmutil, 'rlmstat', '-a', '-c', server, ...args);

describe('a fake tool', () => {
  it('prints the text of the server, of any size, and records its arguments', () => {
    const large = createLargeSite({ features: 500, users: 40, now: 1_700_000_000 });
    site.print(server, renderLmstat(large, utc));
    expect(lmstat()).toEqual({ code: 0, stdout: renderLmstat(large, utc), stderr: '' });
    expect(rlmstat('-z', 'x').stdout).toBe(renderLmstat(large, utc));
    expect(site.callsOf(server)).toEqual([`lmstat -a -c ${server}`, `rlmstat -a -c ${server} -z x`]);
  });

  it('prints narrower texts where there are some', () => {
    const large = createLargeSite({ features: 2, users: 1, now: 1_700_000_000 });
    site.print(server, 'all\n');
    site.print(server, renderLmstatInventory(large, utc), 'i');
    site.print(server, 'one\n', 'vendord');
    expect(run(fakeLmutil, 'lmstat', '-i', '-c', server).stdout).toBe(renderLmstatInventory(large, utc));
    expect(lmstat('-S', 'vendord').stdout).toBe('one\n');
    expect(lmstat('-S', 'other').stdout).toBe('all\n');
    expect(rlmstat('-i', 'vendord').stdout).toBe('one\n');
  });

  it('uses the first server of a list, or the list itself', () => {
    const list = `${server},27000@lic2,27000@lic3`;
    site.print(server, 'first\n');
    expect(run(fakeLmutil, 'lmstat', '-a', '-c', list).stdout).toBe('first\n');
    site.print(list, 'list\n');
    expect(run(fakeLmutil, 'lmstat', '-a', '-c', list).stdout).toBe('list\n');
  });

  it.each<[FakeMode, number, string]>([
    ['down', 241, '(-15,'],
    ['lmgrd_down', 0, '(-96,'],
    ['protocol', 240, '(-16,287)'],
    ['refused', 193, '(-63,'],
    ['daemon_down', 159, 'acmed: The desired vendor daemon is down. (-97,121)'],
    ['garbage', 0, '<html>'],
  ])('of FlexNet in the mode %s exits with %d', (mode, code, text) => {
    site.print(server, 'all\n');
    site.play(server, mode);
    site.nameDaemon(server, 'acmed');
    const result = lmstat();
    expect(result.code).toBe(code);
    expect(result.stdout).toContain(text);
    site.play(server, 'ok');
    expect(lmstat()).toMatchObject({ code: 0, stdout: 'all\n' });
  });

  it.each<[FakeMode, string]>([
    ['down', 'Error connecting to "rlm" server'],
    ['daemon_down', 'acmed              0   No'],
    ['garbage', '<html>'],
  ])('of RLM in the mode %s says so, with exit code 0', (mode, text) => {
    site.play(server, mode);
    site.nameDaemon(server, 'acmed');
    const result = rlmstat();
    expect(result.code).toBe(0);
    expect(result.stdout).toContain(text);
  });

  it('is down without a text, and exits with a code of choice', () => {
    expect(lmstat().code).toBe(241);
    site.print(server, 'all\n');
    site.exitWith(server, 7);
    site.printErrors(server, 'warning\n');
    expect(lmstat()).toEqual({ code: 7, stdout: 'all\n', stderr: 'warning\n' });
    site.remove(server);
    expect(lmstat().code).toBe(241);
    expect(run(fakeLmutil, 'lmstat', '-a').code).toBe(255);
  });

  it('prints nothing, or a half, or ends with a signal', () => {
    site.print(server, 'one\ntwo\n');
    site.play(server, 'empty');
    expect(lmstat()).toEqual({ code: 0, stdout: '', stderr: '' });
    site.play(server, 'cut');
    expect(lmstat()).toMatchObject({ code: 0, stdout: 'one\n' });
    site.play(server, 'crash');
    expect(lmstat()).toMatchObject({ code: null, stdout: 'one\ntwo\n' });
  });

  it('waits before it prints', async () => {
    site.print(server, 'late\n');
    site.delay(server, 0.3);
    writeFileSync(join(site.folder, 'sleep'), '#!/bin/sh\necho "sleeps for $1 s"\n', { mode: 0o755 });
    const { stdout } = await promisify(execFile)(fakeLmutil, ['lmstat', '-c', server], {
      env: { ...site.env, PATH: `${site.folder}:/usr/bin:/bin` },
    });
    expect(stdout).toBe('sleeps for 0.3 s\nlate\n');
  });
});

describe('a fake tool that hangs', () => {
  const start = (mode: FakeMode): ChildProcess => {
    site.print(server, 'all\n');
    site.play(server, mode);
    return spawn(fakeLmutil, ['lmstat', '-a', '-c', server], {
      env: { ...site.env, PATH: '/usr/bin:/bin' },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  };
  const killGroup = (child: ChildProcess, signal: NodeJS.Signals): boolean => process.kill(-(child.pid ?? 0), signal);

  it('ignores SIGTERM, as does what it started', async () => {
    const child = start('hang');
    // the recorded call shows that it runs; a moment later it ignores the signal
    await expect.poll(() => site.callsOf(server)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    killGroup(child, 'SIGTERM');
    const exited = once(child, 'exit');
    // long enough to end, if it wanted to
    const waited = new Promise((resolve) => setTimeout(resolve, 1500, 'runs'));
    expect(await Promise.race([exited, waited])).toBe('runs');
    killGroup(child, 'SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  it('prints forever', async () => {
    const child = start('flood');
    let bytes = 0;
    for await (const chunk of child.stdout ?? []) {
      bytes += (chunk as Buffer).length;
      if (bytes > 2000) break;
    }
    expect(bytes).toBeGreaterThan(2000);
    killGroup(child, 'SIGKILL');
  });

  it('leaves a process that holds the pipe', async () => {
    const child = start('orphan');
    const closed = once(child, 'close');
    expect(await once(child, 'exit')).toEqual([0, null]);
    // the pipe would be closed by now
    expect(await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500, 'open'))])).toBe('open');
    killGroup(child, 'SIGKILL');
    await closed;
  });
});
