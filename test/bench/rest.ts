import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalTime } from '../../src/base/model/local-time.ts';
import { createFakeSite, fakeLmutil } from '../support/fake-license-tools/fake-site.ts';
import { account, type Cleanup, createCleanup, eventually } from '../support/harness.ts';
import { createLargeSite } from '../support/license-site/large-site.ts';
import { renderLmstat } from '../support/license-site/render-lmstat.ts';
import { addressIn, buildProgram, launch, unitEnvironment } from './built-daemon.ts';
import { readMemory, readProcessorTime, readSwitches } from './processes.ts';
import type { Line } from './report.ts';

/**
 * The built daemon at rest, as its unit starts it: 200 features of an analyzer that answers, the schedules that are the default.
 * Beside it, exporters of Debian that do nothing either.
 */

/** What the daemon may need: megabytes, wake-ups a second, and seconds of processor time a day. */
const GOAL = { memory: 130, wakeUps: 5, processor: 60 };
/** The same for one that reads a license server each minute. */
const SOURCE_GOAL = { memory: 125, wakeUps: 4, processor: 120 };
const SCRAPE_MS = 15_000;
const DAY = 86_400;
const MB = 2 ** 20;

interface Program {
  readonly pid: number;
  readonly url: string;
}

/** Starts a program. @throws Error with the log if it ends before it listens */
async function start(cleanup: Cleanup, command: string, args: readonly string[]): Promise<Program> {
  const child = spawn(command, args, {
    env: { ...process.env, ...unitEnvironment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanup.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  await once(child, 'spawn');
  return { pid: child.pid ?? 0, url: await addressIn(child) };
}

/** The daemon when its first poll is over. */
async function startDaemon(cleanup: Cleanup, folder: string, name: string, analyzer: string): Promise<Program> {
  const daemon = await start(cleanup, process.execPath, [
    launch,
    `--analyzer.url=${analyzer}`,
    `--analyzer.username=${account.domain}\\${account.username}`,
    '--web.listen-address=127.0.0.1:0',
    `--storage.path=${join(folder, name)}`,
    '--log.format=json',
  ]);
  const isReady = async (): Promise<boolean> => (await fetch(`${daemon.url}/-/ready`)).ok;
  await eventually('the first poll is over', isReady, { every: 200 });
  return daemon;
}

async function scrape({ url }: Program): Promise<void> {
  await (await fetch(`${url}/metrics`)).arrayBuffer();
}

interface Rest {
  readonly memory: number;
  readonly wakeUps: number;
  readonly processor: number;
}

/** Wake-ups of all threads. What a thread did that has ended meanwhile is not known. */
const wakeUpsBetween = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number =>
  [...after].reduce((sum, [thread, count]) => sum + count - (before.get(thread) ?? 0), 0);

/** What a program needs while nothing is asked of it but scrapes. */
async function measure({ pid }: Program, seconds: number): Promise<Rest> {
  const before = { switches: readSwitches(pid), processor: readProcessorTime(pid) };
  await sleep(seconds * 1000);
  return {
    memory: readMemory(pid).now / MB,
    wakeUps: wakeUpsBetween(before.switches, readSwitches(pid)) / seconds,
    processor: ((readProcessorTime(pid) - before.processor) / 1000 / seconds) * DAY,
  };
}

const lineOf =
  (of: string) =>
  (what: string, unit: string, ours: number, peer: number): Line => ({
    what: `${of}: ${what}`,
    ours,
    peer,
    unit,
    ratio: peer / ours,
  });

/** A license server of FlexNet with 200 features and 1,000 checkouts, which is read each minute. */
function writeSource(folder: string): string {
  const site = createFakeSite(join(folder, 'site'));
  const now = Math.floor(Date.now() / 1000);
  site.print('27000@lic', renderLmstat(createLargeSite({ features: 200, users: 5, now }), createLocalTime('UTC')));
  const config = join(folder, 'source.yml');
  const source = { name: 'lic', manager: 'flexnet', servers: ['27000@lic'], interval: '60s', env: site.env };
  const sources = [{ ...source, via: { command: fakeLmutil } }];
  writeFileSync(config, JSON.stringify({ embedded_analyzer: { sources } }));
  return config;
}

/** A daemon with a source at rest. @param wait seconds after the start @param seconds how long the rest is measured */
export async function benchSourceRest(wait: number, seconds: number): Promise<Line[]> {
  const cleanup = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-source-'));
  try {
    buildProgram();
    const daemon = await start(cleanup, process.execPath, [
      launch,
      `--config.file=${writeSource(folder)}`,
      '--web.listen-address=127.0.0.1:0',
      `--storage.path=${join(folder, 'state')}`,
      '--log.format=json',
    ]);
    await sleep(wait * 1000);
    const { memory, wakeUps, processor } = await measure(daemon, seconds);
    const line = lineOf('G14 source at rest');
    return [
      line('memory (peer: its goal)', 'MB', memory, SOURCE_GOAL.memory),
      line('wake-ups a second (peer: its goal)', '/s', wakeUps, SOURCE_GOAL.wakeUps),
      line('processor time a day (peer: its goal)', 's', processor, SOURCE_GOAL.processor),
    ];
  } finally {
    await cleanup.run();
    rmSync(folder, { recursive: true });
  }
}

/** @param wait seconds after the start @param seconds how long the rest is measured */
export async function benchRest(wait: number, seconds: number): Promise<Line[]> {
  const cleanup = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-rest-'));
  try {
    buildProgram();
    const users = join(folder, 'users');
    const hash = [launch, 'analyzer', 'hash-password', account.username, `--output=${users}`];
    execFileSync(process.execPath, hash, { input: account.password });
    const { url } = await start(cleanup, process.execPath, [
      launch,
      'analyzer',
      `--embedded-analyzer.users-file=${users}`,
      `--embedded-analyzer.domain=${account.domain}`,
      '--embedded-analyzer.listen-address=127.0.0.1:0',
      '--log.format=json',
    ]);
    const daemon = await startDaemon(cleanup, folder, 'alone', url);
    const scraped = await startDaemon(cleanup, folder, 'scraped', url);
    const node = await start(cleanup, 'prometheus-node-exporter', ['--web.listen-address=127.0.0.1:0']);
    const blackbox = await start(cleanup, 'prometheus-blackbox-exporter', [
      '--config.file=/etc/prometheus/blackbox.yml',
      '--web.listen-address=127.0.0.1:0',
    ]);
    const scraping = setInterval(() => void Promise.all([scraped, node, blackbox].map(scrape)), SCRAPE_MS);
    cleanup.add(async () => clearInterval(scraping));
    await sleep(wait * 1000);
    const all = await Promise.all([daemon, scraped, node, blackbox].map((program) => measure(program, seconds)));
    const [alone, ours, nodeExporter, blackboxExporter] = all as [Rest, Rest, Rest, Rest];
    const line = lineOf('G13 rest');
    return [
      line('memory without scrapes (peer: its goal)', 'MB', alone.memory, GOAL.memory),
      line('wake-ups a second without scrapes (peer: its goal)', '/s', alone.wakeUps, GOAL.wakeUps),
      line('processor time a day without scrapes (peer: its goal)', 's', alone.processor, GOAL.processor),
      line('memory (peer: node_exporter)', 'MB', ours.memory, nodeExporter.memory),
      line('memory (peer: blackbox_exporter)', 'MB', ours.memory, blackboxExporter.memory),
      line('wake-ups a second (peer: node_exporter)', '/s', ours.wakeUps, nodeExporter.wakeUps),
      line('processor time a day (peer: node_exporter)', 's', ours.processor, nodeExporter.processor),
    ];
  } finally {
    await cleanup.run();
    rmSync(folder, { recursive: true });
  }
}
