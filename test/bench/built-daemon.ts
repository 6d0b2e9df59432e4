import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SettingKey } from '../../src/program/config/settings.ts';
import { account, type Cleanup } from '../support/harness.ts';
import { type Child, controlled } from './child.ts';
import type { DaemonMethods } from './children/daemon.ts';

/** The daemon as it ships: the built program, started by its launcher with what its unit sets. */

const root = join(import.meta.dirname, '../..');

/** The launcher of the built program. */
export const launch = join(root, 'dist/launch.js');

let isBuilt = false;

/** Builds the program once for all benchmarks. */
export function buildProgram(): void {
  if (!isBuilt)
    execFileSync(process.execPath, [join(root, 'deploy/package/build.ts')], { cwd: root, stdio: 'inherit' });
  isBuilt = true;
}

/** The environment of the unit. */
export const unitEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  LICENSE_EXPORTER_ANALYZER_PASSWORD: account.password,
} as const;

/**
 * The address in the log on standard error of a program, when it listens.
 *
 * @param onLine gets every line
 * @throws Error with the log if it ends before
 */
export async function addressIn(
  { stderr }: ChildProcess,
  onLine: (line: string) => void = () => undefined,
): Promise<string> {
  if (stderr === null) throw new Error('the log of the program is not readable');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  createInterface({ input: stderr })
    .on('line', (line) => {
      onLine(line);
      text = `${text}${line}\n`.slice(-10_000);
      const address = /address"?[:=]"?(?:http:\/\/)?([\d.]+:\d+[^\s",]*)/.exec(line)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    })
    .on('close', () => reject(new Error(`the program ended:\n${text}`)));
  return await promise;
}

/** A daemon that answers calls, and what it has logged as a warning or an error. */
export interface BuiltDaemon extends Child<DaemonMethods> {
  readonly url: string;
  readonly problems: readonly string[];
}

/** What flags say: settings, and the file with others. */
export type DaemonFlags = Readonly<Partial<Record<SettingKey | 'config.file', unknown>>>;

/** Starts the daemon. Resolves when it listens. */
export async function startBuiltDaemon(cleanup: Cleanup, given: DaemonFlags): Promise<BuiltDaemon> {
  buildProgram();
  const flags = Object.entries(given).map(([key, value]) => {
    const name = key.replaceAll('_', '-');
    return value === false ? `--no-${name}` : `--${name}=${value}`;
  });
  const execArgv = ['--import', join(import.meta.dirname, 'children/daemon.ts')];
  const child = fork(launch, ['serve', '--log.format=json', ...flags], {
    execArgv,
    env: { ...process.env, ...unitEnvironment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const problems: string[] = [];
  const daemon = controlled<DaemonMethods>(cleanup, child, 'the daemon');
  const url = await addressIn(child, (line) => {
    if (/"level":"(warn|error)"/.test(line) && problems.length < 20) problems.push(line);
  });
  return { ...daemon, url, problems };
}
