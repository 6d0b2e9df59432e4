import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { baseSystem, childrenOf, collect, type Result, tiedUnshare, tryToRemove } from './bare-machine.ts';
import { type Cleanup, eventually } from './harness.ts';
import type { Machine } from './machine-shell.ts';

/** Debian with systemd as process 1, booted in namespaces: units are started as on a host, with all their restrictions. */
export interface BootedMachine extends Machine {
  /** Runs a command as root to its end. Any exit code is good. */
  run(...command: readonly string[]): Promise<Result>;
}

/** A control group of its own, in which systemd makes those of its units. */
const OUTER = `
mkdir "$1/control" && mount -t cgroup2 none "$1/control" && mkdir "$1/control/$2" && echo $$ > "$1/control/$2/cgroup.procs"
exec unshare --cgroup --pid --net --ipc --uts --fork --kill-child sh -c "$3" sh "$1/root"`;

/** Not chroot but pivot_root: PrivateUsers= is refused in a chroot. LoadCredential= needs the shared mounts. */
const INNER = `
set -e
ip link set lo up
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 none sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
# PrivateDevices= copies these
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
pivot_root . mnt
cd /
umount -l /mnt
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system`;

/** The control groups stay when their processes have ended. */
const REMOVE_GROUPS = `
mount -t cgroup2 none "$1/control"
[ ! -d "$1/control/$2" ] || find "$1/control/$2" -depth -type d -exec rmdir {} +`;

/** Beside systemd: what the pages use. One list, so that the base is made once. */
const PACKAGES = ['systemd', 'systemd-sysv', 'curl', 'openssl', 'python3'];

/** Starts a machine. It ends, and its folder is removed, at the end of the test. */
export async function startBootedMachine(cleanup: Cleanup): Promise<BootedMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-booted-'));
  chmodSync(folder, 0o755);
  const root = join(folder, 'root');
  execFileSync('cp', ['--archive', '--reflink=auto', baseSystem(PACKAGES), root]);
  const group = basename(folder);
  const outer = spawn('setpriv', [...tiedUnshare, '--mount', 'sh', '-c', OUTER, 'sh', folder, group, INNER], {
    stdio: 'pipe',
  });
  const { text, ended } = collect(outer);
  cleanup.add(async () => {
    outer.kill('SIGKILL');
    await ended;
    const removal = ['--mount', 'sh', '-c', REMOVE_GROUPS, 'sh', folder, group];
    await eventually('the control groups are removed', () => succeeds('unshare', removal));
    await eventually('the machine is off', () => tryToRemove(folder));
  });

  const spaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd'];
  const booted = `test "$(systemctl is-system-running)" = running`;
  let enter: readonly string[] = [];
  await eventually('systemd has booted', async () => {
    if (outer.exitCode !== null) throw new Error(`no machine: ${text.both}`);
    // until process 1 is there, other children come and go
    const [init = 0] = childrenOf(outer.pid ?? 0);
    enter = ['nsenter', '--target', String(init), ...spaces];
    return init !== 0 && (await runLine([...enter, 'sh', '-c', booted])).status === 0;
  });
  const run = (...command: readonly string[]): Promise<Result> => runLine([...enter, ...command]);
  return { root, enter, run };
}

const runLine = ([program = '', ...args]: readonly string[]): Promise<Result> =>
  collect(spawn(program, args, { stdio: 'pipe' })).ended;

function succeeds(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
