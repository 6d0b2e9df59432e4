import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tiedUnshare } from './bare-machine.ts';
import type { Cleanup } from './harness.ts';
import type { Machine } from './machine-shell.ts';
import { root as checkout } from './markdown.ts';

/** Namespaces, writable layers over the files of this host and over those of the checkout, and the loopback interface. */
const SETUP = `set -e
mount -t tmpfs tmpfs "$1"
cover() {
  mkdir "$1/$2" "$1/$2/upper" "$1/$2/work"
  mount -t overlay overlay -o "lowerdir=$3,upperdir=$1/$2/upper,workdir=$1/$2/work" "$1/root$4"
}
mkdir "$1/root"
cover "$1" host / ''
mkdir -p "$1/root$2"
cover "$1" checkout "$2" "$2"
mount --rbind /dev "$1/root/dev"
mount --bind /proc "$1/root/proc"
ip link set lo up
echo ready
exec sleep infinity`;

/**
 * Starts a machine like this host, with its own ports and no network. What is written in it is gone at the end of the test.
 * Needs root, and the programs `unshare`, `nsenter` and `ip`.
 */
export async function startScratchMachine(cleanup: Cleanup): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-scratch-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const holder = spawn('setpriv', [...tiedUnshare, '--mount', '--net', 'sh', '-c', SETUP, 'sh', folder, checkout], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => holder.once('close', () => resolve()));
  cleanup.add(async () => {
    holder.kill('SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: holder.stdout }).once('line', () => resolve());
    void ended.then(() => reject(new Error('the namespaces of the scratch machine cannot be made')));
  });
  const root = join(folder, 'root');
  return {
    root: join(`/proc/${holder.pid}/root`, root),
    enter: ['nsenter', '--target', `${holder.pid}`, '--mount', '--net', 'chroot', root],
  };
}
