import { setTimeout as sleep } from 'node:timers/promises';
import { createCleanup } from '../support/harness.ts';
import { startChild } from './child.ts';
import type { Block } from './children/daemon.ts';
import type { NaiveExporterMethods } from './children/naive-exporter.ts';
import type { ReceiverMethods } from './children/receiver.ts';
import { startScrapes } from './paced-scrapes.ts';
import { type PolledSite, sizeOf, spentOn, startPolledSite } from './polled-site.ts';
import { readMemory, resetPeak, untilQuiet } from './processes.ts';
import { type Line, median } from './report.ts';
import { createSite } from './site.ts';

/** A poll of all features of a large site, 5 % of them changed, compared with a naive exporter on the same answers. */

const MB = 2 ** 20;
const ms = (microseconds: number): number => microseconds / 1000;
const medianOf = <T>(items: readonly T[], value: (item: T) => number): number => median(items.map(value));
/** How long the event loop of an idle daemon is watched: about as long as a poll, milliseconds. */
const IDLE_MS = 1000;
/** Differences below this are noise, milliseconds. */
const LEAST_MS = 0.1;

async function repeat<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < times; i += 1) results.push(await run());
  return results;
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

/** When the data on a page was polled. */
const polledAt = (page: string): string =>
  /^license_poll_last_success_timestamp_seconds\{endpoint="GetFeatures"\} (\S+)$/m.exec(page)?.[1] ?? '';

/**
 * Memory and processor time of the daemon in polls.
 *
 * @param before runs before each poll
 */
export async function measurePolls(
  site: PolledSite,
  polls: number,
  before: () => Promise<void> = async () => undefined,
) {
  const { daemon, idleMemory } = site;
  await site.poll();
  resetPeak(daemon.pid);
  const steady: number[] = [];
  const times = await spentOn(daemon, polls, async () => {
    await before();
    await site.poll();
    steady.push(readMemory(daemon.pid).now);
  });
  return {
    main: ms(medianOf(times, ({ main }) => main)),
    all: ms(medianOf(times, ({ all }) => all)),
    steady: (median(steady) - idleMemory) / MB,
    peak: (readMemory(daemon.pid).peak - idleMemory) / MB,
  };
}

/** Scrapes of a small page while the daemon polls, and before it does. */
async function measureLoop({ daemon, page, analyzer, poll }: PolledSite, polls: number) {
  const url = `${page}?collect[]=vendor_licenses`;
  const before = startScrapes(url);
  await sleep(2000);
  const idle = await before.stop();
  const idleBlocks = await repeat(polls, async () => {
    await daemon.call('watch');
    await sleep(IDLE_MS);
    return await daemon.call('longestBlock');
  });
  const blocks: Block[] = [];
  const during = await repeat(polls, async () => {
    const last = polledAt(await (await fetch(url)).text());
    await analyzer.call('change');
    await daemon.call('watch');
    const scrapes = startScrapes(url);
    const isShown = scrapes.until((text) => polledAt(text) !== last);
    await analyzer.call('release', 'GetFeatures');
    await isShown;
    const times = await scrapes.stop();
    blocks.push(await daemon.call('longestBlock'));
    await analyzer.call('untilHeld', 'GetFeatures');
    await untilQuiet(daemon.pid);
    return times;
  });
  await poll();
  return {
    block: { time: medianOf(blocks, ({ time }) => time), cpu: medianOf(blocks, ({ cpu }) => cpu) },
    idleBlock: medianOf(idleBlocks, ({ time }) => time),
    idle: percentile(idle, 0.99),
    during: percentile(during.flat(), 0.99),
  };
}

/** The same polls by the naive exporter. The first creates the series. */
async function measureNaive(site: PolledSite, features: number, polls: number) {
  const cleanup = createCleanup();
  try {
    const naive = startChild<NaiveExporterMethods>(cleanup, 'naive-exporter.ts', ['--max-old-space-size=8192']);
    await naive.call('pollExpirations', site.base, []);
    await untilQuiet(naive.pid);
    const idle = readMemory(naive.pid).now;
    const { vendorLicenses } = createSite({ ...sizeOf(features), features: 0 });
    await naive.call('pollExpirations', site.base, vendorLicenses);
    await naive.call('poll', site.body);
    resetPeak(naive.pid);
    const times = await repeat(polls, () => naive.call('poll', site.body));
    const { now, peak } = readMemory(naive.pid);
    return {
      main: ms(medianOf(times, ({ main }) => main)),
      all: ms(medianOf(times, ({ all }) => all)),
      block: medianOf(times, ({ block }) => block),
      steady: (now - idle) / MB,
      peak: (peak - idle) / MB,
    };
  } finally {
    await cleanup.run();
  }
}

/**
 * Polls of the daemon, and the same answers received with bare `net`, in milliseconds of processor time. They take turns,
 * because the time that the system needs to receive bytes varies by half between one minute and another.
 */
async function measureWithReceiving(site: PolledSite, polls: number) {
  const cleanup = createCleanup();
  try {
    const receiver = startChild<ReceiverMethods>(cleanup, 'receiver.ts');
    await receiver.call('receive', site.body);
    const received: number[] = [];
    const daemon = await measurePolls(site, polls, async () => {
      received.push(ms((await receiver.call('receive', site.body)).main));
    });
    return { receiving: median(received), ...daemon };
  } finally {
    await cleanup.run();
  }
}

/** @param runs measured polls of the daemon; the naive exporter polls at most twice, because it takes long */
export async function benchPoll(features: number, runs: number): Promise<Line[]> {
  const cleanup = createCleanup();
  try {
    const site = await startPolledSite(cleanup, features);
    const { receiving, ...ours } = await measureWithReceiving(site, runs);
    const loop = await measureLoop(site, runs);
    const naive = await measureNaive(site, features, Math.min(runs, 2));
    const main = Math.max(ours.main - receiving, LEAST_MS);
    const line = (what: string, unit: string, mine: number, peer: number): Line => ({
      what: what.replace('FEATURES', features.toLocaleString('en-US')),
      ours: mine,
      peer,
      unit,
      ratio: peer / mine,
    });
    return [
      line('G3 longest block of the event loop in a poll of FEATURES features', 'ms', loop.block.time, naive.block),
      line(
        'G3 idle daemon: longest block of the event loop (peer: in a poll of FEATURES features)',
        'ms',
        loop.idleBlock,
        loop.block.time,
      ),
      line('G3 longest block in a poll of FEATURES features, processor time', 'ms', loop.block.cpu, naive.block),
      line('G3 p99 of a scrape in a poll of FEATURES features (peer: without a poll)', 'ms', loop.during, loop.idle),
      line('G4 memory of FEATURES features', 'MB', ours.steady, naive.steady),
      line('G4 memory of FEATURES features, peak in a poll', 'MB', ours.peak, naive.peak),
      line('G10 main thread in a poll of FEATURES features', 'ms', ours.main, naive.main),
      line('G10 main thread in a poll of FEATURES features, beyond receiving', 'ms', main, naive.main - receiving),
      line('G10 receiving the bytes with bare net (peer: main thread of the poll)', 'ms', receiving, ours.main),
      line('G11 all threads in a poll of FEATURES features', 'ms', ours.all, naive.all),
    ];
  } finally {
    await cleanup.run();
  }
}
