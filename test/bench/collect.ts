import { type Cleanup, createCleanup } from '../support/harness.ts';
import { type Child, startChild } from './child.ts';
import type { CollectionCost, CollectorMethods, CollectorSetup } from './children/collector.ts';
import { type Line, median } from './report.ts';
import { type Sample, trendOf } from './trend.ts';

/**
 * Collections from many license managers, all of them at once, compared with their limits: they must not disturb what else
 * the process does.
 */

export interface CollectBench {
  readonly sources: number;
  readonly runs: number;
  /** Collections over which the memory is watched. */
  readonly collections: number;
}

/** Limits of a collection from fifty sources, milliseconds. */
const CPU_LIMIT = 2000;
const DELAY_LIMIT = 50;
const OF_SOURCES = 50;
const FEATURES = 500;
const USERS = 40;

type Case = Omit<CollectorSetup, 'sources'>;

const fewUsers: Omit<Case, 'manager'> = { features: FEATURES, users: 1, busy: USERS, hasProcesses: false };
const manyUsers: Omit<Case, 'manager'> = { features: FEATURES, users: USERS, busy: FEATURES, hasProcesses: false };

const cases: Readonly<Record<string, Case>> = {
  'FlexNet, 40 checkouts each': { ...fewUsers, manager: 'flexnet' },
  'FlexNet, 40 checkouts each, by lmutil': { ...fewUsers, manager: 'flexnet', hasProcesses: true },
  'FlexNet, 20,000 checkouts each': { ...manyUsers, manager: 'flexnet' },
  'RLM, 20,000 checkouts each': { ...manyUsers, manager: 'rlm' },
  'JSON, 20,000 checkouts each': { ...manyUsers, manager: 'json' },
};

async function startCollector(cleanup: Cleanup, setup: CollectorSetup): Promise<Child<CollectorMethods>> {
  const child = startChild<CollectorMethods>(cleanup, 'collector.ts', ['--expose-gc', '--max-old-space-size=8192']);
  await child.call('start', setup);
  // the start does not wait long for the first collection
  await child.call('collect');
  const expected = setup.sources * setup.users * setup.busy;
  const found = await child.call('checkouts');
  if (found !== expected) throw new Error(`${found} checkouts were collected, not ${expected}`);
  return child;
}

async function assertNoProblems(child: Child<CollectorMethods>): Promise<void> {
  const [problem] = await child.call('problems');
  if (problem !== undefined) throw new Error(problem);
}

async function measure(setup: CollectorSetup, runs: number): Promise<CollectionCost> {
  const cleanup = createCleanup();
  try {
    const child = await startCollector(cleanup, setup);
    const costs: CollectionCost[] = [];
    for (let i = 0; i < runs; i += 1) costs.push(await child.call('collect'));
    await assertNoProblems(child);
    const of = (key: keyof CollectionCost): number => median(costs.map((cost) => cost[key]));
    return { elapsed: of('elapsed'), cpu: of('cpu'), p99: of('p99'), longest: of('longest') };
  } finally {
    await cleanup.run();
  }
}

function linesOf(what: string, { cpu, p99, longest }: CollectionCost, cpuLimit: number): Line[] {
  const line = (name: string, ours: number, peer: number): Line => {
    return { what: `A8 ${name} of a collection, ${what}`, ours, peer, unit: 'ms', ratio: peer / ours };
  };
  return [line('CPU', cpu, cpuLimit), line('p99 delay', p99, DELAY_LIMIT), line('longest block', longest, DELAY_LIMIT)];
}

/** A sixth of the collections are there to settle. */
async function measureMemory(collections: number): Promise<Line> {
  const cleanup = createCleanup();
  const [step, settling] = [Math.ceil(collections / 100), collections / 6];
  try {
    const setup = {
      sources: 10,
      features: 100,
      users: 10,
      busy: 100,
      manager: 'flexnet',
      hasProcesses: false,
    } as const;
    const child = await startCollector(cleanup, setup);
    const samples: Sample[] = [];
    for (let at = step; at <= settling + collections; at += step) {
      await child.call('collectTimes', step);
      if (at > settling) samples.push({ at, value: (await child.call('memory')) / 2 ** 20 });
    }
    await assertNoProblems(child);
    const { growth, mean } = trendOf(samples);
    const [before, after] = [mean * (1 - growth / 2), mean * (1 + growth / 2)];
    const what = `A8 memory after ${collections} collections (peer: before them)`;
    return { what, ours: after, peer: before, unit: 'MB', ratio: before / after };
  } finally {
    await cleanup.run();
  }
}

export async function benchCollect({ sources, runs, collections }: CollectBench): Promise<Line[]> {
  const lines: Line[] = [];
  const cpuLimit = (CPU_LIMIT * sources) / OF_SOURCES;
  for (const [name, setup] of Object.entries(cases)) {
    const cost = await measure({ ...setup, sources }, runs);
    lines.push(...linesOf(`${sources} sources of ${name}`, cost, cpuLimit));
  }
  return [...lines, await measureMemory(collections)];
}
