import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRecordedDemand } from '../../../src/analyzer/history/recorded-demand.ts';
import type { Figures } from '../../../src/analyzer/history/sample.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { FeatureRecord, ProductRecord } from '../../../src/base/model/records.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import type { DemandSource } from '../../../src/insight/advice/pass/demand-source.ts';
import { NightlyPass, type PassInputs } from '../../../src/insight/advice/pass/nightly-pass.ts';
import { createRecordedSource } from '../../../src/insight/advice/pass/recorded-demand-source.ts';
import type { KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { createCleanup, createTestLog, eventually } from '../../support/harness.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../support/scenario.ts';
import { onlyFigures } from '../../support/store-samples.ts';

const cleanup = createCleanup();
afterEach(async () => {
  await cleanup.run();
  vi.useRealTimers();
});

const localTime = createLocalTime('Europe/Berlin');
const HOUR = 3600;
const DAY = 86_400;
/** Noon of the day of the first pass. */
const FIRST = NOW - (NOW % DAY) + 11 * HOUR;
const today = localTime.dayOf(FIRST);
const never = Number.MAX_SAFE_INTEGER;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-pass-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `f${i}`);

/** A collection of these features in each hour of a day. */
function recordDay(store: Store, day: number, features: readonly string[], reserved = 0): void {
  for (const { start: from, hour } of localTime.hoursOf(day)) {
    const figures = features.map((name, i) => {
      const series = { vendorLicense: 'lic01;cdslmd', feature: name, package: '', featureType: 'feature' };
      const inUse = Math.min(10, (hour % 7) + i);
      const sample: Figures = { available: 10, inUse, reserved, users: inUse, denials: 0 };
      return [series, sample] as const;
    });
    for (const _ of store.record(from, HOUR, onlyFigures(figures)));
  }
}

function createStore(days: number, features: readonly string[]): Store {
  const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
  cleanup.add(() => store.close());
  for (let day = today - days; day < today; day += 1) recordDay(store, day, features);
  for (const _ of store.seal(today));
  return store;
}

const sourceOf = (
  store: Store,
  more: { pastAdded?: () => Promise<void>; pastDaysLeft?: () => number | undefined } = {},
): DemandSource =>
  createRecordedSource(
    createRecordedDemand({
      store: () => store,
      localTime,
      origin: 'test',
      intervalOf: () => HOUR,
      pastAdded: async () => undefined,
      pastDaysLeft: () => undefined,
      onImported: () => undefined,
      denials: { sinceStart: () => [], today: async () => ({ series: [] }), yesterday: async () => ({ series: [] }) },
      blocked: { sinceStart: () => [], now: () => [] },
      reclaimable: { now: () => [] },
      ...more,
    }),
    () => true,
  );

const inventoryOf = (features: readonly Partial<FeatureRecord>[], of: Partial<ProductRecord> = {}): Inventory =>
  deriveInventoryNow(
    createSnapshot({
      products: good(answer([product(of)])),
      down: good(answer([])),
      features: { '': good(answer(features.map(feature))) },
    }),
    NOW,
    { ...everything, usageWhenNotCurrent: 'withhold' },
  );

interface Started {
  readonly pass: NightlyPass;
  readonly log: ReturnType<typeof createTestLog>;
  /** What the pass was started with. */
  readonly inputs: PassInputs;
  /** A reload, and the first poll after it. */
  reload(changes?: Partial<PassInputs>): Promise<void>;
  rows(): readonly KeptAdvice[];
}

/** A pass that has begun, at a time that the test sets. */
async function start(given: Partial<PassInputs> & Pick<PassInputs, 'source'>): Promise<Started> {
  const log = createTestLog();
  const pass = new NightlyPass({
    now: () => Date.now() / 1000,
    log,
    writes: createFileWrites('rightsizing.db', log),
  });
  cleanup.add(() => pass.stop());
  const inventory = inventoryOf(names(3).map((name) => ({ feature: name })));
  const inputs: PassInputs = {
    enabled: true,
    tolerance: 4,
    workingTime: { weekdays: new Set([1, 2, 3, 4, 5]), from: 8, to: 18 },
    withoutReservations: [],
    analyzer: 'analyzer',
    file: undefined,
    owns: () => true,
    scope: '',
    inventory: () => inventory,
    nextRun: () => never,
    ...given,
  };
  const reload = async (changes: Partial<PassInputs> = {}): Promise<void> => {
    await pass.use({ ...inputs, ...changes });
    pass.begin();
  };
  await reload();
  return { pass, log, inputs, reload, rows: () => pass.latest()?.rows ?? [] };
}

const at = (seconds: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1000 });
};

const computed = ({ pass }: Started, day = today) =>
  eventually('the pass', () => pass.latest()?.day === day && !pass.status().isRunning);

describe('the nightly pass', () => {
  it('computes advice from the sealed days at the start', async () => {
    at(FIRST);
    const store = createStore(100, names(3));
    recordDay(store, today, ['f0', 'only-today']);
    const started = await start({ source: sourceOf(store) });
    await computed(started);
    expect(started.pass.latest()).toMatchObject({ day: today, tolerance: 4, leftOut: 0 });
    expect(started.rows().map(({ feature: name, days, bought, peak }) => [name, days, bought, peak])).toEqual([
      ['f0', 100, 10, 6],
      ['f1', 100, 10, 7],
      ['f2', 100, 10, 8],
      ['only-today', 0, undefined, undefined],
    ]);
    expect(started.pass.status()).toMatchObject({ isEnabled: true, lastSuccess: FIRST, failure: undefined });
    expect(started.rows().at(-1)?.reason).toContain('is not listed any more');
  });

  it('does not say that features are gone whose license server was never collected', async () => {
    at(FIRST);
    const inventory = inventoryOf([], { collectionTime: undefined });
    const started = await start({ source: sourceOf(createStore(100, names(1))), inventory: () => inventory });
    await computed(started);
    expect(started.rows().map(({ state, reason }) => [state, reason])).toEqual([
      ['no advice', 'No advice: it is not listed, because its license server was never collected.'],
    ]);
  });

  it('computes nothing if it is off, and shows nothing', async () => {
    at(FIRST);
    const source = { ...sourceOf(createStore(2, names(3))), ready: () => Promise.reject(new Error('was asked')) };
    const { pass, log } = await start({ source, enabled: false });
    await pass.pause();
    expect([pass.latest(), pass.status().isEnabled, log.entries]).toEqual([undefined, false, []]);
  });

  it('waits until the past has been added', async () => {
    at(FIRST);
    const past = Promise.withResolvers<void>();
    const store = createStore(2, names(3));
    let left: number | undefined = 12;
    const more = { pastAdded: () => past.promise, pastDaysLeft: () => left };
    const started = await start({ source: sourceOf(store, more) });
    await eventually('the pass', () => started.pass.status().isRunning);
    expect(started.pass.latest()).toBeUndefined();
    expect(started.pass.status().progress).toBe('12 days of earlier history are still being written');
    left = undefined;
    past.resolve();
    await computed(started);
    expect(started.pass.status().progress).toBe('3 of 3 features are done');
  });

  it('waits without a failure while nothing is known yet', async () => {
    at(FIRST);
    const source = sourceOf(createStore(2, names(3)));
    let isKnown = false;
    const inventory = () => (isKnown ? inventoryOf([{ feature: 'f0' }]) : undefined);
    const started = await start({ source, inventory });
    await eventually('the attempt', () => started.pass.status().progress !== undefined);
    expect(started.pass.status()).toMatchObject({
      failure: undefined,
      progress: 'the analyzer has not been polled yet',
    });
    expect(started.log.entries).toEqual([]);
    isKnown = true;
    await started.reload();
    await computed(started);
  });

  it('says before the first poll that it begins with its end, if it does', async () => {
    at(FIRST);
    const started = await start({ source: sourceOf(createStore(2, names(3))) });
    await computed(started);
    await started.pass.use(started.inputs);
    expect(started.pass.status().isRunning).toBe(false);
    await started.pass.use({ ...started.inputs, analyzer: 'another' });
    expect(started.pass.status()).toMatchObject({
      isRunning: true,
      progress: 'the analyzer has not been polled yet',
    });
  });

  it('waits until yesterday is sealed', async () => {
    at(FIRST + DAY);
    const store = createStore(5, names(3));
    let asked = 0;
    const source = sourceOf(store);
    const isComplete = (day: number): boolean => {
      asked += 1;
      return source.isComplete(day);
    };
    const started = await start({ source: { ...source, isComplete } });
    await eventually('the check', () => asked > 0 && !started.pass.status().isRunning);
    expect([started.pass.latest(), started.pass.status().failure]).toEqual([undefined, undefined]);
    recordDay(store, today, names(3));
    for (const _ of store.seal(today + 1));
    await started.reload();
    await computed(started, today + 1);
    expect(started.rows()[0]?.days).toBe(6);
  });

  it('runs by its schedule', async () => {
    at(FIRST);
    const store = createStore(5, names(3));
    let due = FIRST + 60;
    const started = await start({ source: sourceOf(store), nextRun: (after) => (after < due ? due : never) });
    await computed(started);
    at(FIRST + 30);
    // the timer finds that the clock was changed, and looks again
    await started.reload();
    expect(started.pass.status().lastSuccess).toBe(FIRST);
    due = FIRST + 31;
    await started.reload({ nextRun: (after) => (after < due ? due : never) });
    at(FIRST + 31);
    await eventually('the next pass', () => started.pass.status().lastSuccess === FIRST + 31);
  });

  it('answers from what it kept after a restart, and computes nothing twice on a day', async () => {
    at(FIRST);
    const file = join(temporaryFolder(), 'rightsizing.db');
    const source = sourceOf(createStore(50, names(3)));
    const first = await start({ source, file });
    await computed(first);
    const table = first.pass.latest();
    await first.pass.stop();
    at(FIRST + 60);
    const broken = { ...source, read: () => Promise.reject(new Error('was read')) };
    const second = await start({ source: broken, file });
    // at once, before anything is computed
    expect(second.pass.latest()).toEqual(table);
    expect(second.pass.status()).toMatchObject({ lastSuccess: FIRST, failure: undefined, isRunning: false });
  });

  it('does not show what another version of the method computed, and computes again', async () => {
    at(FIRST);
    const file = join(temporaryFolder(), 'rightsizing.db');
    const source = sourceOf(createStore(50, names(3)));
    const first = await start({ source, file });
    await computed(first);
    await first.pass.stop();
    const database = new DatabaseSync(file);
    database.exec(`UPDATE pass SET summary = json_remove(summary, '$.method')`);
    database.close();
    const gate = Promise.withResolvers<void>();
    const second = await start({ source: { ...source, ready: () => gate.promise }, file });
    expect(second.pass.latest()).toBeUndefined();
    gate.resolve();
    await computed(second);
    expect(second.rows()).toHaveLength(3);
  });

  it('computes at the start if what it kept is not of today, also after the clock was set back', async () => {
    const file = join(temporaryFolder(), 'rightsizing.db');
    const store = createStore(5, names(3));
    for (const time of [FIRST, FIRST - 2 * DAY, FIRST - DAY]) {
      at(time);
      const started = await start({ source: sourceOf(store), file });
      await computed(started, localTime.dayOf(time));
      // what is recorded of the days that are to come does not count
      expect(started.rows()[0]?.days).toBe(5 - Math.round((FIRST - time) / DAY));
      await started.pass.stop();
    }
  });

  it('does not show what was kept of another analyzer', async () => {
    at(FIRST);
    const file = join(temporaryFolder(), 'rightsizing.db');
    const source = sourceOf(createStore(5, names(3)));
    const first = await start({ source, file });
    await computed(first);
    const other = { ...source, ready: () => Promise.withResolvers<void>().promise };
    const used = first.pass.use({ ...first.inputs, source: other, analyzer: 'other' });
    expect(first.pass.latest()).toBeUndefined();
    await used;
    expect(first.pass.latest()).toBeUndefined();
    await first.pass.use(first.inputs);
    expect(first.rows()).toHaveLength(3);
  });

  it('computes again after a reload with another setting, and shows the old result meanwhile', async () => {
    at(FIRST);
    const source = sourceOf(createStore(5, names(3)));
    const started = await start({ source });
    await computed(started);
    const gate = Promise.withResolvers<void>();
    const slow = { ...source, ready: () => gate.promise };
    await started.reload({ source: slow, tolerance: 9 });
    expect(started.pass.latest()?.tolerance).toBe(4);
    gate.resolve();
    await eventually('the new tolerance', () => started.pass.latest()?.tolerance === 9);
    const last = started.pass.status().lastSuccess;
    at(FIRST + 5);
    await started.reload({ tolerance: 9 });
    await started.pass.pause();
    expect(started.pass.status().lastSuccess).toBe(last);
  });

  it('names features with reservations that a setting says do not exist, and computes again without it', async () => {
    at(FIRST);
    const store = createStore(99, names(2));
    recordDay(store, today, ['f0'], 2);
    for (const _ of store.seal(today + 1));
    at(FIRST + DAY);
    const withoutReservations = [{ vendorLicense: 'LIC01;%', feature: '%' }];
    const inventory = inventoryOf(names(2).map((name) => ({ feature: name, unusedReserve: 0, usedReserve: 0 })));
    const started = await start({ source: sourceOf(store), inventory: () => inventory, withoutReservations });
    await computed(started, today + 1);
    const said = (): readonly unknown[] => started.log.entries.filter(({ level }) => level === 'warn');
    expect(said()).toMatchObject([
      {
        fields: { features: 'lic01;cdslmd f0' },
        message:
          'rightsizing.without_reservations does not count for features with reservations: limit its entry with from or until',
      },
    ]);
    at(FIRST + DAY + 5);
    await started.reload({ withoutReservations: [] });
    await eventually('a new pass', () => started.pass.status().lastSuccess === FIRST + DAY + 5);
    expect(said()).toHaveLength(1);
  });

  it('waits for the first poll after a reload, and then computes once', async () => {
    at(FIRST);
    const source = sourceOf(createStore(5, names(3)));
    const started = await start({ source });
    await computed(started);
    let reads = 0;
    const read: DemandSource['read'] = (...args) => {
      reads += 1;
      return source.read(...args);
    };
    const used = started.pass.use({ ...started.inputs, source: { ...source, read }, tolerance: 9 });
    // also if the poll is over sooner than what is kept has been read
    started.pass.begin();
    await used;
    await eventually('the new tolerance', () => started.pass.latest()?.tolerance === 9);
    await started.pass.use({ ...started.inputs, source: { ...source, read }, tolerance: 10 });
    await started.pass.pause();
    expect([started.pass.latest()?.tolerance, reads]).toEqual([9, 3]);
  });

  it('hides at once what a reload excludes', async () => {
    at(FIRST);
    const source = sourceOf(createStore(5, names(3)));
    const started = await start({ source });
    await computed(started);
    const blocked = { ...source, ready: () => Promise.withResolvers<void>().promise };
    const owns = (series: { feature: string }): boolean => series.feature !== 'f1';
    await started.reload({ source: blocked, owns, scope: 'without f1' });
    expect(started.rows().map(({ feature: name }) => name)).toEqual(['f0', 'f2']);
  });

  it('knows that refusals are recorded for a feature from the others of its vendor license', async () => {
    at(FIRST);
    /** Both full at all times; one with refusals, the other without. */
    const refusalDaysOf = async (denials: number): Promise<unknown> => {
      const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
      cleanup.add(() => store.close());
      for (let day = today - 100; day < today; day += 1) {
        const figures = [0, denials].map((refused, i) => {
          const series = { vendorLicense: 'lic01;cdslmd', feature: `f${i}`, package: '', featureType: 'feature' };
          return [series, { available: 10, inUse: 10, reserved: 0, users: 10, denials: refused }] as const;
        });
        for (const { start: from } of localTime.hoursOf(day)) {
          for (const _ of store.record(from, HOUR, onlyFigures(figures)));
        }
      }
      for (const _ of store.seal(today));
      const { rows } = await start({ source: { ...sourceOf(store), intervalOf: () => 300 } });
      await eventually('the advice', () => rows().length === 2);
      return rows().map(({ feature: name, refusalDays }) => [name, refusalDays]);
    };
    expect(await refusalDaysOf(0)).toEqual([
      ['f0', undefined],
      ['f1', undefined],
    ]);
    expect(await refusalDaysOf(2)).toEqual([
      ['f0', 0],
      ['f1', 100],
    ]);
  });

  it('leaves out a series that cannot be read, with the reason', async () => {
    at(FIRST);
    const source = sourceOf(createStore(5, names(3)));
    const read: DemandSource['read'] = (series, ...rest) =>
      series.feature === 'f1' ? Promise.reject(new Error('too slow')) : source.read(series, ...rest);
    const started = await start({ source: { ...source, read } });
    await computed(started);
    expect(started.rows().map(({ feature: name, state }) => [name, state])[1]).toEqual(['f1', 'no advice']);
    expect(started.rows()[1]?.reason).toContain('has a history that could not be read: too slow');
    expect(started.log.entries.at(-1)).toMatchObject({ level: 'warn', fields: { features: 1, reason: 'too slow' } });
  });

  it('keeps the old result when a pass fails, says why, and tries again', async () => {
    at(FIRST);
    const source = sourceOf(createStore(5, names(3)));
    const started = await start({ source });
    await computed(started);
    const read = (): Promise<never> => Promise.reject(new Error('connection refused'));
    await started.reload({ source: { ...source, read }, tolerance: 5 });
    await eventually('the failure', () => started.pass.status().failure !== undefined);
    expect(started.pass.status().failure).toBe(
      'the advice could not be computed: connection refused. It is tried again in 15 minutes',
    );
    expect(started.pass.latest()?.tolerance).toBe(4);
  });

  it('sets a damaged file aside, and keeps its result in a new one', async () => {
    at(FIRST);
    const file = join(temporaryFolder(), 'rightsizing.db');
    writeFileSync(file, 'no database, but some text that is long enough');
    const started = await start({ source: sourceOf(createStore(5, names(3))), file });
    await computed(started);
    expect(started.rows()).toHaveLength(3);
    expect(started.log.entries[0]).toMatchObject({
      fields: { file, renamed: expect.stringMatching(/^rightsizing\.db\.damaged-/), reason: 'file is not a database' },
      message: 'damaged file set aside, a new one takes its place',
    });
    await started.pass.stop();
    const again = await start({ source: sourceOf(createStore(5, names(3))), file });
    expect(again.rows()).toHaveLength(3);
  });

  it('goes on in memory while its file cannot be written, and writes it when it can', async () => {
    at(FIRST);
    const folder = join(temporaryFolder(), 'state');
    writeFileSync(folder, 'a file where the directory should be');
    const file = join(folder, 'rightsizing.db');
    const started = await start({ source: sourceOf(createStore(5, names(3))), file });
    await computed(started);
    expect(started.rows()).toHaveLength(3);
    const problems = (): readonly unknown[] => started.log.entries.flatMap(({ fields }) => fields.problem ?? []);
    expect(problems()).toEqual([
      expect.stringContaining(`the advice file ${file} cannot be used: it cannot be opened`),
    ]);
    rmSync(folder);
    await started.reload({ tolerance: 5 });
    await eventually('the second pass', () => started.pass.latest()?.tolerance === 5);
    expect(started.log.entries.map(({ message }) => message)).toContain('state is saved again');
    await started.pass.stop();
    const again = await start({ source: sourceOf(createStore(5, names(3))), file });
    expect(again.rows()).toHaveLength(3);
  });

  it('is canceled when it is stopped', async () => {
    at(FIRST);
    const source = sourceOf(createStore(5, names(3)));
    const aborted = Promise.withResolvers<unknown>();
    const reading = Promise.withResolvers<void>();
    const read: DemandSource['read'] = (_, __, signal) =>
      new Promise((_resolve, reject) => {
        reading.resolve();
        signal.addEventListener('abort', () => {
          aborted.resolve(signal.reason);
          reject(signal.reason as Error);
        });
      });
    const started = await start({ source: { ...source, read } });
    await reading.promise;
    await started.pass.stop();
    expect(await aborted.promise).toBeInstanceOf(Error);
    expect([started.pass.latest(), started.pass.status().failure, started.log.entries]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  it('reads days that are sealed while it runs only up to today', async () => {
    at(FIRST);
    const store = createStore(5, names(3));
    const source = sourceOf(store);
    let reads = 0;
    const read: DemandSource['read'] = async (...args) => {
      reads += 1;
      // a collection, and midnight, while the pass runs
      if (reads === 2) {
        recordDay(store, today, names(3));
        for (const _ of store.seal(today + 1));
      }
      return source.read(...args);
    };
    const started = await start({ source: { ...source, read } });
    await computed(started);
    expect(started.rows().map(({ days }) => days)).toEqual([5, 5, 5]);
  });
});
