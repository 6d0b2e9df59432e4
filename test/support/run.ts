import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createLog, runCommand } from '../../src/main.ts';
import { type Cleanup, eventually } from './harness.ts';

/** Runs the program as an operator does: in this process, or in one of its own. */

export const launch = join(import.meta.dirname, '../../src/launch.js');

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** What a command has written. */
interface Written {
  readonly lines: Line[];
  /** Of standard output and standard error. */
  output(): string;
  /** Of standard output alone. */
  printed(): string;
  line(msg: string): Promise<Line>;
}

interface Running extends Written {
  readonly exit: Promise<number>;
  /** As SIGTERM and SIGHUP do. */
  stop(): void;
  reload(): void;
}

interface RunningProcess extends Written {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The text on standard input. */
  readonly input?: string;
}

function collect(hasEnded: () => boolean) {
  const lines: Line[] = [];
  let text = '';
  let printed = '';
  const find = (msg: string) => lines.find((line) => line.msg === msg);
  const written: Written = {
    lines,
    output: () => text,
    printed: () => printed,
    line: async (msg) => {
      await eventually(`log line ${msg}, in:\n${text}`, () => find(msg) !== undefined || hasEnded());
      const line = find(msg);
      if (line === undefined) throw new Error(`ended with:\n${text}`);
      return line;
    },
  };
  return {
    written,
    print: (part: string | Uint8Array) => {
      const more = Buffer.from(part).toString();
      text += more;
      printed += more;
    },
    addLine: (line: string) => {
      text += `${line}\n`;
      if (line.startsWith('{')) lines.push(JSON.parse(line) as Line);
    },
  };
}

const environment = (env: RunOptions['env'] = {}) => ({
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  ...env,
});

function run(cleanup: Cleanup, args: readonly string[], { env, input = '' }: RunOptions = {}): Running {
  const stopping = new AbortController();
  let hasEnded = false;
  const { written, print, addLine } = collect(() => hasEnded);
  const printError = (text: string): void => text.replace(/\n$/, '').split('\n').forEach(addLine);
  let reload: () => Promise<unknown> = async () => undefined;
  const exit = runCommand(args, {
    env: environment(env),
    columns: undefined,
    input: () => Readable.from([input]),
    print,
    printAll: async (parts) => {
      for (const part of parts) print(part);
    },
    printError,
    createLog: (settings) => createLog(settings, { isTerminal: false, write: printError }),
    stopOf: () => stopping.signal,
    onReload: (given) => {
      reload = given;
    },
  }).finally(() => {
    hasEnded = true;
  });
  const stop = (): void => stopping.abort();
  cleanup.add(async () => {
    stop();
    await exit;
  });
  return { ...written, exit, stop, reload: () => void reload() };
}

function startProcess(cleanup: Cleanup, args: readonly string[], { env, input = '' }: RunOptions = {}): RunningProcess {
  const child = spawn(process.execPath, [launch, ...args], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const { written, print, addLine } = collect(() => child.exitCode !== null);
  createInterface({ input: child.stderr }).on('line', addLine);
  child.stdout.on('data', print);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanup.add(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return { ...written, child, exit };
}

function temporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-process-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** At the end of the test, all commands and processes are ended and all folders removed. */
export const createRunner = (cleanup: Cleanup) => ({
  /** For what the program writes, serves and returns. */
  run: (args: readonly string[], options?: RunOptions): Running => run(cleanup, args, options),
  /** For signals, kills, what is left behind and what only a process has. */
  startProcess: (args: readonly string[], options?: RunOptions): RunningProcess => startProcess(cleanup, args, options),
  temporaryFolder: (): string => temporaryFolder(cleanup),
});
