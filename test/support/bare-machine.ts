import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, eventually } from './harness.ts';
import { peer } from './peers.ts';

/**
 * A machine with Debian and nothing else: no Node, no compiler, no network but loopback, not even curl. What is started in it
 * sees neither the files nor the processes nor the ports of this host. It is a folder, a few namespaces and chroot: no
 * container engine, and no init; process 1 only sleeps.
 */
export interface BareMachine {
  /** The folder on this host that is `/` of the machine. */
  readonly root: string;
  /** Copies a file or folder of this host into the machine, where every user may read it. */
  copy(from: string, to: string): void;
  /** Starts a command. It is killed at the end of the test. */
  start(command: readonly string[], options?: CommandOptions): Started;
  /** Runs a command to its end. No exit code is an error here. */
  run(command: readonly string[], options?: CommandOptions): Promise<Result>;
  /** What `curl` gets from inside the machine. Arguments, such as `--user`, are curl's. */
  curl(...args: readonly string[]): Promise<Result>;
}

interface CommandOptions {
  /** Who runs it, by default the unprivileged `user`. */
  readonly user?: string;
  /** By default `/home/user`. */
  readonly directory?: string;
  /** Beside HOME, PATH and LANG; nothing of this host's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Result {
  /** The exit code, or the name of the signal that ended it. */
  readonly status: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  /** All that it has printed, on both outputs. */
  output(): string;
  /** Waits until it has printed the text. Fails if it ends before. */
  printed(text: string): Promise<void>;
  /** Sends the signal to the command itself, or to all that it started too, as systemd does, and waits for the end of all. */
  stop(signal?: NodeJS.Signals, whom?: 'command' | 'all'): Promise<Result>;
  readonly ended: Promise<Result>;
}

/** Arguments of `setpriv` before those of `unshare`, which then ends with this process: tests that are killed leave no machine. */
export const tiedUnshare = ['--pdeathsig', 'KILL', 'unshare'] as const;

/** What a machine is made with: root rights, and programs of this host. For `describe.runIf`. */
export function canBeBare(): boolean {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && process.env.REQUIRE_PEERS === '1') throw new Error('a bare machine needs root');
  return peer('debootstrap', 'ip', 'unshare', 'setpriv', 'nsenter', 'chroot', 'curl') && isRoot;
}

const cache = join(import.meta.dirname, '../../node_modules/.cache/bare-machine');
const release = 'bookworm';

/** The mirror that apt of this host uses. */
function mirror(): string {
  const wanted = ['Created-By: Packages', `Codename: ${release}`, 'Component: main'];
  const found = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...wanted], { encoding: 'utf8' });
  return found.split('\n')[0] || 'http://deb.debian.org/debian';
}

/** Debian's minimal system with the packages, made once: some twenty seconds. */
export function baseSystem(packages: readonly string[]): string {
  const base = join(cache, [release, ...packages].join('+'));
  if (existsSync(base)) return base;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, 'making-'));
  const include = packages.length === 0 ? [] : [`--include=${packages.join(',')}`];
  try {
    execFileSync('debootstrap', ['--variant=minbase', ...include, release, making, mirror()], { stdio: 'pipe' });
    execFileSync('chroot', [making, 'useradd', '--create-home', '--shell', '/bin/sh', 'user']);
    for (const folder of ['var/cache/apt/archives', 'var/lib/apt/lists'])
      rmSync(join(making, folder), { recursive: true, force: true });
    chmodSync(making, 0o755);
    renameSync(making, base);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return base;
}

export function collect(child: ChildProcess): {
  text: { out: string; err: string; both: string };
  ended: Promise<Result>;
} {
  const text = { out: '', err: '', both: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text.out += chunk;
    text.both += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text.err += chunk;
    text.both += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    status: (code ?? signal) as Result['status'],
    stdout: text.out,
    stderr: text.err,
  }));
  return { text, ended };
}

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

/** All that a process has started, the innermost first. */
export const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [...descendantsOf(child), child]);

/** Process 1 of the machine, which holds its namespaces. With it, everything in the machine ends. */
async function startHolder(cleanup: Cleanup, folder: string, root: string): Promise<number> {
  const script = 'ip link set lo up && mount -t proc proc "$1/proc" && echo ready && exec sleep infinity';
  const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child'];
  const unshare = spawn('setpriv', [...tiedUnshare, ...namespaces, 'sh', '-c', script, 'sh', root], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { text, ended } = collect(unshare);
  cleanup.add(async () => {
    unshare.kill('SIGKILL');
    await ended;
    // the processes in it end right after; some may still write
    await eventually('the machine is off', () => tryToRemove(folder));
  });
  await eventually('a bare machine', () => text.out === 'ready\n' || unshare.exitCode !== null);
  const [holder] = unshare.exitCode === null ? childrenOf(unshare.pid ?? 0) : [];
  if (holder === undefined) throw new Error(`no bare machine: ${text.err}`);
  return holder;
}

export function tryToRemove(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a machine. It ends, and its folder is removed, at the end of the test.
 * @param packages Debian packages beside those of the minimal system
 * @throws Error with the output of debootstrap when there is no mirror, or of unshare when namespaces are not allowed
 */
export async function startBareMachine(cleanup: Cleanup, packages: readonly string[] = []): Promise<BareMachine> {
  const base = baseSystem(packages);
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bare-'));
  chmodSync(folder, 0o755);
  const root = join(folder, 'root');
  // with owners, modes and devices, which cpSync does not keep
  execFileSync('cp', ['--archive', '--reflink=auto', base, root]);
  const holder = await startHolder(cleanup, folder, root);
  const enter = ['--target', String(holder), '--net'];

  const start = (command: readonly string[], options: CommandOptions = {}): Started => {
    const { user = 'user', directory = '/home/user', env = {} } = options;
    const home = user === 'root' ? '/root' : '/home/user';
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const variables = Object.entries({ HOME: home, PATH: path, LANG: 'C.UTF-8', ...env });
    const clean = ['env', '-i', '-C', directory, ...variables.map(([name, value]) => `${name}=${value}`)];
    const inside = [...enter, '--mount', '--pid', '--ipc', '--uts', 'chroot', `--userspec=${user}`, root];
    const child = spawn('nsenter', [...inside, ...clean, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
    const { text, ended } = collect(child);
    return {
      output: () => text.both,
      printed: async (wanted) => {
        await eventually(`${wanted} from ${command.join(' ')}`, () => text.both.includes(wanted) || isOver(child));
        if (!text.both.includes(wanted)) throw new Error(`${command.join(' ')} ended with:\n${text.both}`);
      },
      stop: async (signal = 'SIGTERM', whom = 'command') => {
        // nsenter waits in front of the command, and would not pass the signal on
        const [pid] = childrenOf(child.pid ?? 0);
        const pids = pid === undefined ? [] : whom === 'all' ? [...descendantsOf(pid), pid] : [pid];
        for (const each of pids) process.kill(each, signal);
        return ended;
      },
      ended,
    };
  };
  return {
    root,
    copy: (from, to) => {
      cpSync(from, join(root, to), { recursive: true, verbatimSymlinks: true });
      execFileSync('chmod', ['--recursive', 'a+rX', join(root, to)]);
    },
    start,
    run: (command, options) => start(command, options).ended,
    curl: (...args) => collect(spawn('nsenter', [...enter, 'curl', '--silent', '--show-error', ...args])).ended,
  };
}

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
