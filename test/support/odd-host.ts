import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, type Result, tiedUnshare } from './bare-machine.ts';
import type { Cleanup } from './harness.ts';
import { root as checkout } from './markdown.ts';
import { peer } from './peers.ts';

/**
 * A host as containers are: a user without an entry in `/etc/passwd` and without rights, a root that cannot be written, no
 * HOME, no files that others may read by default. Only `/data` of it can be written.
 */

/** Whether this host can make one. For `describe.runIf`. */
export const canBeOdd = (): boolean => peer('unshare', 'setpriv') && process.getuid?.() === 0;

/** What no entry of the user database has. */
const USER = 47_113;

const SETUP = `set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/app" "$1/data"
touch "$1/node"
mount --bind "$2" "$1/app"
mount --bind "$3" "$1/node"
chown ${USER}:${USER} "$1/data"
chmod 700 "$1/data"
mount -t tmpfs -o mode=700,uid=${USER} tmpfs "$1/data"
mount -o remount,bind,ro "$1"
mount -o remount,bind,ro /
cd "$1"
umask 077
shift 3
exec setpriv --reuid ${USER} --regid ${USER} --clear-groups --no-new-privs env -i "$@"`;

/**
 * Runs the program in one.
 *
 * @param script of a shell, in the folder that has `data`, where `license_exporter` is the program
 * @param env beside PATH
 */
export function runOnOddHost(
  cleanup: Cleanup,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-odd-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const program = `license_exporter() { ./node app/src/launch.js "$@"; }\n${script}`;
  const variables = Object.entries({ PATH: '/usr/bin:/bin', ...env }).map(([name, value]) => `${name}=${value}`);
  const run = ['sh', '-c', SETUP, 'sh', folder, checkout, process.execPath, ...variables, 'sh', '-c', program];
  const child = spawn('setpriv', [...tiedUnshare, '--mount', ...run], { stdio: ['ignore', 'pipe', 'pipe'] });
  return collect(child).ended;
}
