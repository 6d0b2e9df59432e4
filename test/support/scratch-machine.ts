import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Cleanup, eventually } from './harness.ts';

/** A command that was run to its end. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A command that goes on. */
export interface RunningCommand {
  output(): string;
  /** Resolves when its output contains the text. @throws Error with the output if the command ends before */
  shows(text: string): Promise<void>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
}

/**
 * A machine like this one, in which commands can be run as a page has them: with their own ports, paths and host names. What
 * they write is gone at the end, and they reach nothing but the machine itself.
 */
export interface ScratchMachine {
  /** Runs a command line of the shell. @param input text on standard input */
  run(command: string, options?: { readonly cwd?: string; readonly input?: string }): Promise<Outcome>;
  start(command: string, options?: { readonly cwd?: string }): RunningCommand;
}

/** Namespaces, a writable layer over the files of this machine, and the loopback interface. It prints `ready` and waits. */
const setup = `set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mount --bind /proc "$1/root/proc"
ip link set lo up
echo ready
exec sleep infinity`;

/** Needs root, and the programs `unshare`, `nsenter` and `ip`. */
export async function startScratchMachine(cleanup: Cleanup): Promise<ScratchMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-machine-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const holder = spawn('unshare', ['--mount', '--net', 'sh', '-c', setup, 'sh', folder], {
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
  const shell = (command: string, cwd: string): ChildProcess => {
    const enter = ['--target', `${holder.pid}`, '--mount', '--net', 'chroot', root, 'sh', '-c', 'cd "$1" && eval "$2"'];
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' };
    return spawn('nsenter', [...enter, 'sh', cwd, command], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  };
  return {
    run: (command, { cwd = '/root', input = '' } = {}) => {
      const child = shell(command, cwd);
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
      const output = collectOutput(child);
      return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: output() })));
    },
    start: (command, { cwd = '/root' } = {}) => {
      const started = running(shell(`exec ${command}`, cwd));
      cleanup.add(started.stop);
      return started;
    },
  };
}

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk;
    });
  }
  return () => text;
}

function running(child: ChildProcess): RunningCommand {
  child.stdin?.end();
  const output = collectOutput(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    output,
    shows: async (text) => {
      await eventually(`${text}, in:\n${output()}`, () => output().includes(text) || child.exitCode !== null);
      if (!output().includes(text)) throw new Error(`the command ended without ${text}:\n${output()}`);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
