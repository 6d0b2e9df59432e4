import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LICENSE_MANAGERS } from '../../../src/analyzer/analyzer.ts';
import type { DayOfSamples } from '../../../src/analyzer/history/sample.ts';
import { openStore } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { createCleanup } from '../../support/harness.ts';
import { createRunner, launch } from '../../support/run.ts';

/** An export of much more than the memory of the process, into pipes and files. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const localTime = createLocalTime('UTC');
const firstDay = localTime.dayOf(Date.parse('2026-06-01') / 1000);
const DAYS = 40;
const FEATURES = 30;
const SLOT = 300;
/** Megabytes of the heap: the text has more. */
const HEAP = 48;

/** A history whose export has about 110 MB. */
function createHistory(): string {
  const folder = temporaryFolder();
  const store = openStore({
    path: join(folder, 'history.db'),
    localTime,
    origin: LICENSE_MANAGERS,
    maxSize: 2 ** 30,
  });
  for (let feature = 0; feature < FEATURES; feature += 1) {
    const series = {
      vendorLicense: '27000@lic1;vend',
      feature: `feature-${feature}`,
      package: '',
      featureType: 'feature',
    };
    const days = Array.from({ length: DAYS }, (_, d): DayOfSamples => {
      const day = firstDay + d;
      const samples = Array.from({ length: 86_400 / SLOT }, (_unused, i) => ({
        at: localTime.startOf(day) + i * SLOT,
        seconds: SLOT,
        available: 20,
        inUse: (i * 7 + feature) % 20,
        reserved: 0,
        users: i % 5,
        denials: 0,
      }));
      return { series, day, samples };
    });
    runAtOnce(store.add(days, ['', '']));
  }
  store.close();
  const config = join(folder, 'config.yml');
  writeFileSync(
    config,
    `storage: {path: ${folder}}\nembedded_analyzer:\n  time_zone: UTC\n  sources: [{name: one, manager: flexnet, servers: [27000@lic1], via: {command: /opt/flexlm/lmutil}}]\n`,
  );
  return config;
}

function start(format: string, stdout: 'pipe' | number) {
  const args = ['history', 'export', `--format=${format}`, `--config.file=${createHistory()}`];
  const env = { PATH: process.env.PATH ?? '', NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
  const child = spawn(process.execPath, [launch, ...args], { env, stdio: ['ignore', stdout, 'pipe'] });
  cleanup.add(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, errors }));
  return { child, ended };
}

describe.each(['openmetrics', 'csv'])('an export as %s', (format) => {
  it('waits for a reader that is slower, in little memory', async () => {
    const { child, ended } = start(format, 'pipe');
    const { stdout } = child;
    if (stdout === null) throw new Error('no pipe');
    await once(stdout, 'readable');
    // nobody reads until all that is written at once would have been
    let bytes = 0;
    let last = '';
    for await (const chunk of stdout) {
      bytes += (chunk as Buffer).length;
      last = String(chunk).slice(-200);
    }
    expect(await ended).toEqual({ code: 0, signal: null, errors: '' });
    expect(bytes).toBeGreaterThan((HEAP * 2 ** 20) / 2);
    expect(last).toContain(format === 'csv' ? '2026-07-10T23:55:00Z' : '# EOF');
  });

  it('ends without a word when its reader has read enough', async () => {
    const { child, ended } = start(format, 'pipe');
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toEqual({ code: 141, signal: null, errors: '' });
  });

  it('ends at a signal while nobody reads', async () => {
    const { child, ended } = start(format, 'pipe');
    if (child.stdout === null) throw new Error('no pipe');
    await once(child.stdout, 'readable');
    child.kill('SIGTERM');
    child.stdout.resume();
    expect(await ended).toEqual({ code: 143, signal: null, errors: '' });
  });

  it('says that the disk is full', async () => {
    const { ended } = start(format, openSync('/dev/full', 'w'));
    const { code, errors } = await ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^the output cannot be written: ENOSPC/);
  });
});
