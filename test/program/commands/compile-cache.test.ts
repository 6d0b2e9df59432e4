import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { launch } from '../../support/run.ts';

/** The launcher, and a program that prints where its cache is. */
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'license-exporter-launch-')));
  mkdirSync(join(folder, 'src'));
  for (const name of ['launch.js', 'start.ts']) copyFileSync(join(dirname(launch), name), join(folder, 'src', name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'src/main.ts'),
    `import { getCompileCacheDir } from 'node:module';
    export const main = async (): Promise<void> => void process.stdout.write(String(getCompileCacheDir()));`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, [join(folder, 'src/launch.js')], { encoding: 'utf8', env });

it('compiled code is kept beside the program, for the next start', () => {
  const directory = run();
  expect(directory).toContain(join(folder, 'node_modules/.cache/node-compile'));
  expect(readdirSync(directory)).not.toEqual([]);
});

it('NODE_COMPILE_CACHE names another place, and NODE_DISABLE_COMPILE_CACHE none', () => {
  expect(run({ NODE_COMPILE_CACHE: join(folder, 'elsewhere') })).toContain(join(folder, 'elsewhere'));
  expect(run({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('undefined');
  expect(readdirSync(folder)).not.toContain('node_modules');
});

it('the program starts without a place for it', () => {
  // a file in its place fails for root too
  writeFileSync(join(folder, 'node_modules'), '');
  expect(run()).toBe('undefined');
});
