import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Starts the program of a checkout, asks it, and writes what it says. */

/** What cannot be fixed, what is written for it, and why. */
const replacements: readonly (readonly [pattern: RegExp, by: string, why: string])[] = [
  [/\/tmp\/record-[A-Za-z0-9]{6}/g, 'TMP', 'folder of this run'],
  [/\/tmp\/license-exporter-demo-\d+-[A-Za-z0-9]{6}/g, 'TMP', 'folder of the demo'],
  [/(127\.0\.0\.1|localhost):\d{4,5}\b/g, '$1:PORT', 'ports that the system chose'],
  [/^((?:process|nodejs)_\w+)[ {].*\n/gm, '', 'samples of process and runtime'],
  [/^license_exporter_upstream_request_duration_seconds_.*\n/gm, '', 'durations, in the order of the first answers'],
  [/^(\w*duration_seconds(?:_sum|_bucket)?(?:\{.*?\})?) \S+/gm, '$1 TIME', 'durations; how many stays'],
  [/("evaluationTime":)[\d.e-]+/g, '$1TIME', 'durations'],
  [/-{2,4}_NmP-[\w-]+/g, 'BOUNDARY', 'random boundary of a mail'],
  [/^(Message-ID: ).*$/gim, '$1ID', 'random'],
];

export const withoutChance = (text: string): string =>
  replacements.reduce((all, [pattern, by]) => all.replace(pattern, by), text);

/** Headers that say nothing about the program: the clock of Node, and the length of what was replaced. */
const leftOut = new Set(['date', 'content-length']);

export interface Question {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The answer as text: status, headers and body. */
export const ask = (base: string, { path, method = 'GET', headers = {}, body }: Question): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const asked = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const sent = Buffer.concat(parts);
        const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
        const lines = Object.entries(response.headers)
          .filter(([name]) => !leftOut.has(name))
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => `${name}: ${value}`);
        const head = [`${method} ${path}`, body ?? '', `${response.statusCode} ${response.statusMessage}`, ...lines];
        resolve(`${head.join('\n')}\n\n${text}`);
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });

/** What is written below one folder, one file for each name. */
export function createRecord(target: string) {
  let files = 0;
  let bytes = 0;
  return {
    write: (name: string, text: string): void => {
      const path = join(target, name);
      mkdirSync(dirname(path), { recursive: true });
      const kept = withoutChance(text);
      writeFileSync(path, kept, { flag: 'wx' });
      files += 1;
      bytes += Buffer.byteLength(kept);
    },
    summary: (): string => `${files} files, ${bytes} bytes`,
  };
}
export type Recording = ReturnType<typeof createRecord>;

/** A file name that says what was asked. */
export const nameOf = (number: number, { method = 'GET', path, body = '' }: Question): string =>
  `${String(number + 1).padStart(3, '0')} ${method} ${path} ${body}`.replace(/[^\w.=-]+/g, '_').slice(0, 90);

export async function recordAll(record: Recording, face: string, base: string, questions: readonly Question[]) {
  for (const [i, question] of questions.entries()) {
    record.write(`${face}/${nameOf(i, question)}`, await ask(base, question));
  }
}

const running = new Set<ChildProcess>();
const folder = mkdtempSync(join(tmpdir(), 'record-'));
export const temporary = (name: string, text: string, mode = 0o600): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
  return path;
};

/** Ends everything that was started. */
export function end(): void {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function start(checkout: string, args: readonly string[]): ChildProcess {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'clock.ts'), join(checkout, 'src/launch.js'), ...args],
    { env: { ...env, TZ: 'UTC', LANG: 'C', NO_COLOR: '1' }, cwd: folder, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** Runs a command to its end. @returns its output, errors and exit code */
export const run = (checkout: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = start(checkout, args);
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (data) => (out[name] += data));
    child.on('error', reject);
    child.on('close', (code) => resolve(`exit code ${code}\n\n${out.stdout}\n== stderr\n${out.stderr}`));
  });

export interface Daemon {
  /** The fields of the first log line with this message. */
  readonly line: (message: string, time?: string) => Promise<{ readonly [field: string]: string }>;
  /** Waits until it does nothing. */
  readonly quiet: () => Promise<void>;
  /** Moves the clock forward. */
  readonly advance: (seconds: number) => void;
  readonly reload: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a daemon with a log in JSON. */
export function startDaemon(checkout: string, args: readonly string[]): Daemon {
  const child = start(checkout, [...args, '--log.format=json']);
  const lines: { readonly [field: string]: string }[] = [];
  let rest = '';
  child.stderr?.on('data', (data) => {
    const parts = `${rest}${data}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts)
      if (part.startsWith('{')) lines.push(JSON.parse(part));
      else if (part !== '') lines.push({ msg: part });
  });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    line: async (message, time) => {
      for (let i = 0; i < 6000; i += 1) {
        const found = lines.find((line) => line.msg?.startsWith(message) && (time ?? line.time) === line.time);
        if (found !== undefined) return found;
        if (child.exitCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(
        `no line "${message}" of ${args.join(' ')}:\n${lines.map((line) => JSON.stringify(line)).join('\n')}`,
      );
    },
    quiet: async () => {
      /** Processor time in hundredths of a second, of 14 and 15 of the fields after the name of the process. */
      const spent = (): number => {
        const [, , , , , , , , , , , user, system] =
          readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        return Number(user) + Number(system);
      };
      for (let before = Number.NEGATIVE_INFINITY; spent() - before > 20; ) {
        before = spent();
        await new Promise((resolve) => setTimeout(resolve, 3000));
      }
    },
    advance: (seconds) => void child.send(seconds * 1000),
    reload: () => void child.kill('SIGHUP'),
    stop: () => {
      child.kill('SIGTERM');
      return closed;
    },
  };
}
