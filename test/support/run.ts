import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Cleanup, eventually } from './harness.ts';

/** Runs the program as an operator does, in its own process. */

export const launch = join(import.meta.dirname, '../../src/launch.js');

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

interface Running {
  readonly child: ChildProcess;
  readonly lines: Line[];
  output(): string;
  readonly exit: Promise<number | null>;
  line(msg: string): Promise<Line>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The text on standard input. */
  readonly input?: string;
}

function run(cleanup: Cleanup, args: readonly string[], { env = {}, input = '' }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [launch, ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const lines: Line[] = [];
  let text = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    text += `${line}\n`;
    if (line.startsWith('{')) lines.push(JSON.parse(line) as Line);
  });
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanup.add(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const find = (msg: string) => lines.find((line) => line.msg === msg);
  return {
    child,
    lines,
    output: () => text,
    exit,
    line: async (msg) => {
      await eventually(`log line ${msg}, in:\n${text}`, () => find(msg) !== undefined || child.exitCode !== null);
      const line = find(msg);
      if (line === undefined) throw new Error(`ended with:\n${text}`);
      return line;
    },
  };
}

function temporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-process-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** At the end of the test, all processes are killed and all folders removed. */
export const createRunner = (cleanup: Cleanup) => ({
  run: (args: readonly string[], options?: RunOptions): Running => run(cleanup, args, options),
  temporaryFolder: (): string => temporaryFolder(cleanup),
});
