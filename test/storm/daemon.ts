import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'yaml';
import { patience } from '../support/extent.ts';
import { createProcessClock } from '../support/process-clock.ts';

const launch = join(import.meta.dirname, '../../src/launch.js');

/** Resources of a process as the system reports them; sizes in bytes. Zeros when the system reports nothing. */
export interface Resources {
  readonly memory: number;
  readonly handles: number;
  readonly sockets: number;
}

export interface DaemonOptions {
  /** Folder of this daemon alone: configuration, password and state. */
  readonly folder: string;
  /** Base URL of the Query API. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Folder of its state. */
  readonly state?: string | undefined;
  /** Settings by their path, as in `analyzer.auth_retry`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The exporter as an operator runs it: a process that can be killed and started again with the same files. */
export interface Daemon {
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Gives every file of its state other bytes. It must not run. */
  damageState(): void;
  setPassword(password: string): void;
  /** Sets the clock of its host, as it sees it. @param seconds what is added to the real one */
  setClock(seconds: number): void;
  /** Stops the process, as the suspension of a machine does, or continues it. */
  setPaused(isPaused: boolean): void;
  /** @throws Error when it does not answer */
  scrape(): Promise<string>;
  resources(): Resources;
  /** The last line of its log that is a warning or worse; empty without one. */
  lastWarning(): string;
}

function nest(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const tree: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(settings)) {
    const [section = '', name = ''] = key.split('.');
    tree[section] = { ...tree[section], [name]: value };
  }
  return tree;
}

function readResources(pid: number | undefined): Resources {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const folder = `/proc/${pid}/fd`;
    const targets = readdirSync(folder).map((name) => {
      try {
        return readlinkSync(join(folder, name));
      } catch {
        return '';
      }
    });
    return {
      memory: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
      handles: targets.length,
      sockets: targets.filter((target) => target.startsWith('socket:')).length,
    };
  } catch {
    return { memory: 0, handles: 0, sockets: 0 };
  }
}

/** Writes the files of a daemon. The caller starts it. */
export function createDaemon(options: DaemonOptions): Daemon {
  mkdirSync(options.folder, { recursive: true });
  const passwordFile = join(options.folder, 'password');
  const setPassword = (password: string): void => writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  setPassword(options.password);
  const clock = createProcessClock(options.folder);
  const configFile = join(options.folder, 'config.yml');
  const settings = {
    'analyzer.url': options.url,
    'analyzer.username': `CORP\\${options.user}`,
    'analyzer.password_file': passwordFile,
    'storage.path': options.state ?? join(options.folder, 'state'),
    'web.listen_address': '127.0.0.1:0',
    // its figures are those of the last night, not of the analyzer now
    'rightsizing.enabled': false,
    ...options.settings,
  };
  writeFileSync(configFile, stringify(nest(settings)));
  let child: ChildProcess | undefined;
  let address = '';
  let lines: string[] = [];
  let lastWarning = '';

  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [launch, 'serve', `--config.file=${configFile}`, '--log.format=json'], {
      env: { PATH: process.env.PATH ?? '', ...clock.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    address = await new Promise<string>((resolve, reject) => {
      started.once('exit', (code) => reject(new Error(`the daemon ended with ${code}:\n${lines.join('\n')}`)));
      createInterface({ input: started.stderr }).on('line', (line) => {
        lines = [...lines.slice(-20), line];
        const { level, msg, address: at } = JSON.parse(line) as { level: string; msg?: string; address?: string };
        if (level === 'warn' || level === 'error') lastWarning = line;
        if (msg === 'listening' && at !== undefined) resolve(at);
      });
    });
  };

  return {
    start,
    setPassword,
    setClock: clock.set,
    setPaused: (isPaused) => void child?.kill(isPaused ? 'SIGSTOP' : 'SIGCONT'),
    damageState: () => {
      const folder = settings['storage.path'];
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isFile()) writeFileSync(join(folder, entry.name), 'other bytes, '.repeat(1000));
      }
    },
    kill: async () => {
      const ended = child;
      if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
      const exit = new Promise((resolve) => ended.once('exit', resolve));
      ended.kill('SIGKILL');
      await exit;
    },
    scrape: async () => {
      const response = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(patience) });
      const page = await response.text();
      if (response.status !== 200) throw new Error(`a scrape was answered with ${response.status}`);
      return page;
    },
    resources: () => readResources(child?.pid),
    lastWarning: () => lastWarning,
  };
}
