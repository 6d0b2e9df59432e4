import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandSettings } from '../../../../src/analyzer/sources/source-settings.ts';
import { createCommandTransport } from '../../../../src/analyzer/sources/transport/command-transport.ts';
import type { Transport, TransportSettings } from '../../../../src/analyzer/sources/transport/transport.ts';
import {
  createTransportHost,
  type TransportHost,
  type TransportHostOptions,
} from '../../../../src/analyzer/sources/transport/transport-host.ts';
import type { Cleanup } from '../../../support/harness.ts';

/** Tools that a test writes, and how it runs them. */

export const limits: TransportSettings = { label: 'ansys', timeout: 300, maxOutput: 2 ** 20, encoding: undefined };

export const never = new AbortController().signal;

/** A private directory that is deleted after the test. */
export function createFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-sources-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeTool(folder: string, name: string, content: string | Uint8Array, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** A script that this Node runs; PATH does not matter. */
export const nodeScript = (body: string): string => `#!${process.execPath}\n${body}\n`;

interface TestHost extends TransportHost {
  readonly folder: string;
  readonly problems: string[];
}

export function createHost(cleanup: Cleanup, options: Partial<TransportHostOptions> = {}): TestHost {
  const folder = join(createFolder(cleanup), 'work');
  const problems: string[] = [];
  const host = createTransportHost({
    workFolder: folder,
    now: () => Date.now() / 1000,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  cleanup.add(() => host.close());
  return { ...host, folder: options.workFolder ?? folder, problems };
}

export function createTool(
  cleanup: Cleanup,
  host: TransportHost,
  tool: string | readonly string[],
  settings: Partial<CommandSettings & TransportSettings> = {},
): Transport {
  const command = typeof tool === 'string' ? [tool] : tool;
  const transport = createCommandTransport({ kind: 'command', env: {}, ...limits, ...settings, command }, host);
  cleanup.add(() => transport.close());
  return transport;
}

/** A tool whose processes carry a name that can be searched for. */
export const named = (tool: string, name: string): readonly string[] => [tool, name];

/** Prints its own start, ignores SIGTERM, and starts a second process like it, in a session of its own. */
export const FAMILY = `
  const { spawn } = require('child_process');
  process.on('SIGTERM', () => {});
  const sleeper = ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")', process.argv[2]];
  const isReady = [false, true].map((detached) => new Promise((resolve) => {
    spawn(process.execPath, sleeper, { detached, stdio: ['ignore', 'pipe', 'inherit'] }).stdout.on('data', resolve);
  }));
  Promise.all(isReady).then(() => require('fs').writeFileSync(process.argv[3], ''));
  setInterval(() => {}, 1000);`;

/** The failure of a read, as kind and sentence. @throws if it does not fail */
export async function failureOf(read: Promise<unknown>): Promise<{ readonly kind: string; readonly message: string }> {
  try {
    await read;
  } catch (error) {
    const { kind, message } = error as { kind: string; message: string };
    return { kind, message };
  }
  throw new Error('it did not fail');
}

/** Processes that have a text in their command line or environment, zombies not counted. */
export function processesWith(text: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((id) => {
    if (id === process.pid) return false;
    try {
      return ['cmdline', 'environ'].some((name) => readFileSync(`/proc/${id}/${name}`, 'latin1').includes(text));
    } catch {
      return false;
    }
  });
}

/** The children of this process by state, `Z` for those that were not waited for. */
export function childStates(): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
      const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === process.pid ? [state] : [];
    } catch {
      return [];
    }
  });
}

export const openDescriptors = (): number => readdirSync('/proc/self/fd').length;
