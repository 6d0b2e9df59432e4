import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { type Applied, applied, BackTest, originsOf } from '../../../src/insight/advice/method/back-test.ts';
import type { DayColumns, SeriesName } from '../../../src/insight/advice/method/demand.ts';
import type { DemandSource } from '../../../src/insight/advice/pass/demand-source.ts';
import { NightlyPass, type PassInputs } from '../../../src/insight/advice/pass/nightly-pass.ts';
import { runPass } from '../../../src/insight/advice/pass/pass.ts';
import { appliedText } from '../../../src/insight/advice/pass/totals.ts';
import { workingTime } from '../../support/advice-context.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { drawHours, type Kind, kinds, PAST } from '../../support/drawn-hours.ts';
import { createCleanup, createTestLog, eventually } from '../../support/harness.ts';
import { recordHours, TODAY } from '../../support/recorded-hours.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../support/scenario.ts';

/** What would have come of the advice of earlier months. */

const cleanup = createCleanup();
afterEach(async () => {
  await cleanup.run();
  vi.useRealTimers();
});

const localTime = createLocalTime('UTC');
const DAY = 86_400;
const day = (text: string): number => Date.parse(text) / (DAY * 1000);

describe('the days for which advice is kept', () => {
  it('are the first of this month and of the twelve before it', () => {
    const origins = originsOf(day('2026-11-27'));
    expect(origins.map(dateText).filter((_, i) => i % 4 === 0)).toEqual([
      '2025-11-01',
      '2026-03-01',
      '2026-07-01',
      '2026-11-01',
    ]);
    expect(originsOf(day('2026-11-01')).at(-1)).toBe(day('2026-11-01'));
  });
});

describe('advice of an earlier day', () => {
  const ORIGIN = 20_000;
  const column = (...values: number[]): Float64Array => Float64Array.from(values);
  const columns: DayColumns = {
    day: Int32Array.from([-1, 0, 1, 2, 3, 4, 5, 364, 365], (i) => ORIGIN + i),
    available: column(20, 20, 20, 14, 16, 20, Number.NaN, 16, 20),
    inUse: column(20, 16, 17, 14, 16, Number.NaN, 12, 16, 20),
    reserved: column(0, 0, 0, 0, 0, 0, Number.NaN, 0, 0),
    denials: column(9, 0, 0, 9, 0, 9, 9, 3, 9),
  };

  it('is short on days with more in use than it would have left, and with refusals of a full pool', () => {
    // of day 2 nothing is known, because fewer were there; day 4 has no figures; the others are before it or a year after it
    expect(applied({ origin: ORIGIN, count: 4, kept: 16 }, columns, ORIGIN + 500)).toEqual({
      origin: ORIGIN,
      count: 4,
      kept: 16,
      days: 5,
      shortDays: 2,
    });
    expect(applied({ origin: ORIGIN, count: 4, kept: 16 }, columns, ORIGIN + 1)).toMatchObject({
      days: 1,
      shortDays: 0,
    });
  });

  it('is added up for each day apart, and not at all if nothing is known of the days after it', () => {
    const of = (origin: number, days: number, shortDays: number): Applied => ({
      origin,
      count: 1,
      kept: 1,
      days,
      shortDays,
    });
    const test = new BackTest();
    for (const one of [of(2, 365, 0), of(2, 365, 3), of(2, 300, 13), of(1, 365, 1), of(2, 0, 0)]) test.add(one);
    expect(test.results()).toEqual([
      { origin: 1, features: 1, shortFeatures: 1, shortDays: 1, longShortFeatures: 0 },
      { origin: 2, features: 3, shortFeatures: 2, shortDays: 16, longShortFeatures: 1 },
    ]);
  });

  it('has a headline with its denominator', () => {
    const result = { origin: 1, features: 96, shortFeatures: 2, shortDays: 14, longShortFeatures: 1 };
    expect(appliedText(result)).toBe(
      'Applied a year ago, this advice would have been short on 2 of 96 features, on 14 days in all; on 1 of them on more than 12 days',
    );
    expect(appliedText({ ...result, features: 12 })).toMatch(/2 of 12 features, .*too few features to say/);
    expect(appliedText({ ...result, features: 96, shortFeatures: 0, shortDays: 0, longShortFeatures: 0 })).toBe(
      'Applied a year ago, this advice would have been short on 0 of 96 features',
    );
    expect(appliedText(undefined)).toContain('is not known');
  });
});

const kindOf = (name: string): Kind => kinds.find((kind) => kind.name === name) as Kind;

interface Site {
  readonly source: DemandSource;
  readonly inventory: Inventory;
  /** Days as of which histories were read. */
  readonly read: number[];
  readonly peaks: readonly Int32Array[];
}

const seriesOf = (i: number): SeriesName => ({
  vendorLicense: 'lic01;cdslmd',
  feature: `f${i}`,
  package: '',
  featureType: 'feature',
});

/** Features with demand of these kinds in turn, and 1.3 times their peak of licenses. @param change of the hours that were drawn */
function createSite(
  names: readonly string[],
  count: number,
  { readsPast = true, change = (hours: Int32Array): void => void hours, gone = [] as readonly number[] } = {},
): Site {
  const features = Array.from({ length: count }, (_, i) => {
    const hours = drawHours(kindOf(names[i % names.length] as string), 30, 501 + i);
    const bought = Math.round(1.3 * Math.max(...hours.subarray(0, 365 * 24)));
    change(hours);
    return { hours, bought };
  });
  const read: number[] = [];
  const source: DemandSource = {
    localTime,
    concurrency: 1,
    readsPast,
    readsAll: readsPast,
    ready: async () => undefined,
    waitsFor: () => undefined,
    isComplete: () => true,
    intervalOf: () => 300,
    list: () => ({
      items: features.map((_, i) => ({
        series: seriesOf(i),
        exclusion: gone.includes(i) ? 'is not listed any more' : undefined,
        isGone: gone.includes(i),
      })),
      leftOut: 0,
    }),
    read: async ({ feature: name }, on) => {
      const one = features[Number(name.slice(1))] as (typeof features)[number];
      read.push(on);
      return { ...recordHours(one.hours, PAST, () => one.bought, on - TODAY), series: seriesOf(Number(name.slice(1))) };
    },
  };
  const records = features.flatMap(({ bought }, i) =>
    gone.includes(i) ? [] : [feature({ feature: `f${i}`, maxAvailable: bought })],
  );
  const answers = {
    products: good(answer([product()])),
    down: good(answer([])),
    features: { '': good(answer(records)) },
  };
  const peaks = features.map(({ hours }) =>
    Int32Array.from({ length: hours.length / 24 }, (_, i) => Math.max(...hours.subarray(i * 24, i * 24 + 24))),
  );
  const inventory = deriveInventoryNow(createSnapshot(answers), NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  return { source, inventory, read, peaks };
}

async function startPass({ source, inventory }: Site, on = TODAY): Promise<NightlyPass> {
  vi.useFakeTimers({ toFake: ['Date'], now: (on + 0.5) * DAY * 1000 });
  const log = createTestLog();
  const pass = new NightlyPass({ now: () => Date.now() / 1000, log, writes: createFileWrites('rightsizing.db', log) });
  cleanup.add(() => pass.stop());
  const inputs: PassInputs = {
    enabled: true,
    tolerance: 4,
    workingTime,
    withoutReservations: [],
    analyzer: 'analyzer',
    file: undefined,
    owns: () => true,
    scope: '',
    inventory: () => inventory,
    nextRun: () => Number.MAX_SAFE_INTEGER,
    source,
  };
  await pass.use(inputs);
  pass.begin();
  await eventually('the pass', () => pass.latest()?.day === on && !pass.status().isRunning);
  return pass;
}

const adviceOf = async ({ source, inventory }: Site, today: number): Promise<readonly Advice[]> => {
  const { signal } = new AbortController();
  const of = {
    source,
    inventory: () => inventory,
    tolerance: 4,
    workingTime,
    withoutReservations: [],
    today,
    isEarlier: true,
    lastAdvice: [],
    mayRiseBefore: () => undefined,
    signal,
  };
  return (await runPass(of)).advice;
};

describe('the nightly pass', () => {
  const [yearAgo = 0] = originsOf(TODAY);

  it('shows what would have come of the advice of a year ago, as following it shows', async () => {
    const site = createSite(['steady', '+2 % a month', 'season, peak 90 days ago'], 24, { gone: [3] });
    const pass = await startPass(site);
    const table = pass.latest();
    const then = await adviceOf(site, yearAgo);
    let shortDays = 0;
    let features = 0;
    for (const [i, { state, count = 0, bought = 0 }] of then.entries()) {
      const found = table?.rows[i]?.applied;
      if (state !== 'could go') {
        expect(found).toBeUndefined();
        continue;
      }
      const kept = bought - count;
      const after = site.peaks[i]?.subarray(PAST + yearAgo - TODAY, PAST + yearAgo - TODAY + 365) ?? [];
      const short = after.filter((peak) => peak > kept).length;
      expect(found).toEqual({ origin: yearAgo, count, kept, days: 365, shortDays: short });
      shortDays += short;
      features += 1;
    }
    expect(features).toBeGreaterThan(8);
    expect(then[3]?.state).toBe('could go');
    expect(table?.rows[3]).toMatchObject({ state: 'no advice', applied: { origin: yearAgo } });
    expect(table?.backTest[0]).toMatchObject({ origin: yearAgo, features, shortDays });
    expect(table?.backTest.length).toBeGreaterThan(10);
  });

  it('is computed for each month once', async () => {
    const site = createSite(['steady'], 2);
    const pass = await startPass(site);
    // now, thirteen months, and now with what came of them
    expect(new Set(site.read)).toEqual(new Set([TODAY, ...originsOf(TODAY)]));
    expect(site.read).toHaveLength(2 * 15);
    site.read.length = 0;
    pass.renew();
    await eventually('another pass', () => site.read.length === 2 && !pass.status().isRunning);
    expect(site.read).toEqual([TODAY, TODAY]);
  });

  it('does not depend on anything after the day', async () => {
    const names = ['steady', '+2 % a month', 'projects', 'bursts'];
    const other = createSite(names, 8, {
      change: (hours) => void hours.fill(3, (PAST + yearAgo - TODAY) * 24),
    });
    expect(await adviceOf(other, yearAgo)).toEqual(await adviceOf(createSite(names, 8), yearAgo));
    expect(await adviceOf(other, TODAY)).not.toEqual(await adviceOf(createSite(names, 8), TODAY));
  });

  it('keeps the advice of the first pass of a month where an earlier day cannot be read', async () => {
    const site = createSite(['steady'], 2, { readsPast: false });
    const pass = await startPass(site);
    expect(site.read).toEqual([TODAY, TODAY]);
    expect(pass.latest()?.backTest).toEqual([]);
    vi.setSystemTime((TODAY + 3.5) * DAY * 1000);
    pass.renew();
    await eventually('another pass', () => pass.latest()?.day === TODAY + 3 && !pass.status().isRunning);
    expect(pass.latest()?.backTest).toMatchObject([{ origin: TODAY, features: 2 }]);
  });
});
