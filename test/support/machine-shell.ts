import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { descendantsOf } from './bare-machine.ts';
import { type Cleanup, eventually } from './harness.ts';

/** A machine in namespaces of this host. */
export interface Machine {
  /** The folder on this host that is `/` of the machine. */
  readonly root: string;
  /** The command line in front of a command that is to run in it, as root. */
  readonly enter: readonly string[];
}

/** A command that was run to its end. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A command that goes on. */
export interface RunningCommand {
  /** Resolves when its output contains the text. @throws Error with the output if the command ends before */
  shows(text: string): Promise<void>;
  /** Sends SIGTERM to it and to all that it has started, as Ctrl-C does, and waits for their end. */
  stop(): Promise<void>;
}

/** A shell of root, in which commands are typed one after the other. It remembers `cd`. */
export interface MachineShell {
  run(command: string): Promise<Outcome>;
  start(command: string): RunningCommand;
}

interface ShellOptions {
  readonly directory: string;
  /** What is typed when a command asks, on standard input. */
  readonly input: string;
  /** Beside PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Opens a shell. Commands that still run are stopped at the end of the test. */
export function openShell(
  cleanup: Cleanup,
  { enter }: Machine,
  { input, env = {}, ...options }: ShellOptions,
): MachineShell {
  let directory = options.directory;
  const launch = (command: string): ChildProcess => {
    const line = [...enter, 'sh', '-c', 'cd "$1" && eval "$2"', 'sh', directory, command];
    const child = spawn(line[0] ?? '', line.slice(1), {
      env: { PATH, HOME: '/root', LANG: 'C.UTF-8', ...env },
      stdio: 'pipe',
    });
    // most commands do not read it
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return child;
  };
  return {
    run: async (command) => {
      const child = launch(command);
      const output = collectOutput(child);
      const code = await new Promise<number | null>((closed) => child.once('close', closed));
      const [, target] = /^cd (\S+)$/.exec(command) ?? [];
      if (target !== undefined && code === 0) directory = resolve(directory, target);
      return { code, output: output() };
    },
    start: (command) => {
      const started = running(launch(command));
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
  const output = collectOutput(child);
  let isOver = false;
  const ended = new Promise<void>((done) =>
    child.once('close', () => {
      isOver = true;
      done();
    }),
  );
  return {
    shows: async (text) => {
      await eventually(`${text}, in:\n${output()}`, () => output().includes(text) || isOver);
      if (!output().includes(text)) throw new Error(`it ended without ${text}:\n${output()}`);
    },
    stop: async () => {
      for (const pid of isOver ? [] : [...descendantsOf(child.pid ?? 0), child.pid ?? 0]) signal(pid);
      await ended;
    },
  };
}

/** A process that has ended meanwhile is no error. */
function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
