import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Analyzer, createAnalyzer } from '../../../src/analyzer/server/server.ts';
import { createManagerSource, type ManagerSource } from '../../../src/analyzer/sources/manager-source.ts';
import { createReader } from '../../../src/analyzer/sources/reading/read-output.ts';
import { createReadingThread } from '../../../src/analyzer/sources/reading/reading-thread.ts';
import type { SourceSettings } from '../../../src/analyzer/sources/source-settings.ts';
import { decodeOutput } from '../../../src/analyzer/sources/transport/decode-output.ts';
import type { Transport } from '../../../src/analyzer/sources/transport/transport.ts';
import { createTransportHost } from '../../../src/analyzer/sources/transport/transport-host.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createFakeSite, fakeLmutil } from '../../support/fake-license-tools/fake-site.ts';
import { createLargeSite } from '../../support/license-site/large-site.ts';
import { renderLmstat } from '../../support/license-site/render-lmstat.ts';
import { renderObservations } from '../../support/license-site/render-observations.ts';
import { renderRlmstat } from '../../support/license-site/render-rlmstat.ts';
import { sourceSettings } from '../../support/source-settings.ts';
import { answerParent } from '../child.ts';

/**
 * An analyzer that collects from many license managers, in a process that measures itself. It records into a file, as it
 * would at a site.
 */

export interface CollectorSetup {
  readonly sources: number;
  /** Of each source. */
  readonly features: number;
  /** Checkouts of each feature that has any. */
  readonly users: number;
  /** Features of each source that have checkouts. */
  readonly busy: number;
  readonly manager: SourceSettings['manager'];
  /** Whether FlexNet's tool is played by a process. Otherwise its output is in memory, and what remains is our own work. */
  readonly hasProcesses: boolean;
}

/** Milliseconds of one collection from all sources. */
export interface CollectionCost {
  readonly elapsed: number;
  /** Processor time of all threads. */
  readonly cpu: number;
  /** 99 % of the delays of the event loop are shorter. */
  readonly p99: number;
  /** The longest block of the event loop, without the time for which other programs have the processor. */
  readonly longest: number;
}

const MAX_OUTPUT = 2 ** 28;
const utc = createLocalTime('UTC');
const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Each collection is in a slot of its own. */
const INTERVAL = 60;
const start = Math.floor(Date.now() / 1000);
let slots = 0;
let hasProcesses = false;
// the tool prints the time of the clock
const now = (): number => (hasProcesses ? Date.now() / 1000 : start + slots * INTERVAL);

function renderOutput({ manager, features, users, busy }: CollectorSetup): Buffer {
  const site = createLargeSite({ features, users, busy, now: start });
  if (manager === 'json') return Buffer.from(renderObservations(site));
  return Buffer.from(manager === 'rlm' ? renderRlmstat(site, utc) : renderLmstat(site, utc));
}

/** The bytes become text at each reading, as those of a process do. */
function createMemoryTransport(bytes: Buffer): Transport {
  return {
    read: async () => ({ stdout: decodeOutput(bytes), stderr: '', exitCode: 0, at: start }),
    close: async () => undefined,
  };
}

const memorySettings = { via: { kind: 'file', file: '/none', maxAge: Number.POSITIVE_INFINITY } } as const;
const toolSettings = { via: { kind: 'command', command: [fakeLmutil], env: {} } } as const;

function createSources(setup: CollectorSetup): readonly ManagerSource[] {
  const bytes = renderOutput(setup);
  const host = createTransportHost({ workFolder: join(folder, 'work'), now, onProblem: problem });
  const thread = createReadingThread();
  const site = createFakeSite(join(folder, 'site'));
  return Array.from({ length: setup.sources }, (_, i) => {
    const server = `27000@lic${i}`;
    const common = {
      name: `source-${i}`,
      servers: [server],
      manager: setup.manager,
      part: `part${i}`,
      maxOutput: MAX_OUTPUT,
    };
    const settings = setup.hasProcesses
      ? sourceSettings({ ...common, via: { ...toolSettings.via, env: site.env } })
      : sourceSettings({ ...common, ...memorySettings });
    if (setup.hasProcesses) site.print(server, bytes.toString());
    const transport = setup.hasProcesses ? undefined : createMemoryTransport(bytes);
    const reader = createReader(settings, host, thread, { transport });
    return createManagerSource(settings, { reader, now, pseudonymKey: '', log });
  });
}

const problems: string[] = [];
const problem = (what: unknown): void => {
  if (problems.length < 20) problems.push(what instanceof Error ? (what.stack ?? what.message) : JSON.stringify(what));
};
const log = { debug: () => undefined, info: () => undefined, warn: problem, error: problem };

const delays = monitorEventLoopDelay({ resolution: 1 });
const cpuMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
let analyzer: Analyzer | undefined;

const collectOnce = async (): Promise<void> => {
  slots += 1;
  await analyzer?.collector.collect();
};

const methods = {
  /** The first collection is over when it resolves. */
  start: async (setup: CollectorSetup): Promise<void> => {
    hasProcesses = setup.hasProcesses;
    analyzer = createAnalyzer({
      origin: 'bench',
      // they are collected only by `collect`
      sources: createSources(setup).map((source) => ({ ...source, interval: 86_400 })),
      listener: undefined,
      history: { path: join(folder, 'history.db'), timeZone: 'UTC', sampleDays: 30, days: 400, maxSize: 2 ** 34 },
      version: '0.0.0',
      now,
      onProblem: problem,
    });
    await analyzer.start();
  },
  collect: async (): Promise<CollectionCost> => {
    let longest = 0;
    let last = process.threadCpuUsage();
    const watching = setInterval(() => {
      longest = Math.max(longest, cpuMs(process.threadCpuUsage(last)));
      last = process.threadCpuUsage();
    }, 1);
    delays.reset();
    delays.enable();
    const [cpu, begun] = [process.cpuUsage(), performance.now()];
    await collectOnce();
    const [used, elapsed] = [cpuMs(process.cpuUsage(cpu)), performance.now() - begun];
    delays.disable();
    clearInterval(watching);
    return { elapsed, cpu: used, p99: delays.percentile(99) / 1e6, longest };
  },
  collectTimes: async (times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) await collectOnce();
  },
  /** Bytes in memory without garbage. */
  memory: (): number => {
    globalThis.gc?.();
    return process.memoryUsage().rss;
  },
  /** Checkouts that are known of all sources. */
  checkouts: (): number =>
    (analyzer?.collector.current() ?? []).reduce(
      (sum, { observation }) => sum + observation.pools.reduce((all, pool) => all + pool.checkouts.length, 0),
      0,
    ),
  problems: () => problems,
};

export type CollectorMethods = typeof methods;

answerParent(methods);
