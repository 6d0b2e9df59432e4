import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeSamples, encodeHours, encodeSamples } from '../../../src/analyzer/history/day-codec.ts';
import { getHistory, getHistoryReserved } from '../../../src/analyzer/history/history-charts.ts';
import { DamagedStore, StoreError } from '../../../src/analyzer/history/history-file.ts';
import { decodeHours } from '../../../src/analyzer/history/hour-columns.ts';
import { eachHourIn, type Recorded, totalsOfDays } from '../../../src/analyzer/history/recorded-days.ts';
import type { Figures, Sample, Series } from '../../../src/analyzer/history/sample.ts';
import { openStore, type Store, type StoreOptions } from '../../../src/analyzer/history/store.ts';
import { random } from '../../../src/analyzer/simulated/simulated-random.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { Collected, VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { isLong } from '../../support/extent.ts';
import { createCleanup } from '../../support/harness.ts';
import { randomFigure, randomHours } from '../../support/hour-summaries.ts';
import { seed } from '../../support/seed.ts';
import { begin, figuresAt, INTERVAL, onlyFigures, origin, series, timeZone } from '../../support/store-samples.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const localTime = createLocalTime(timeZone);
const DAY = 86_400;
const today = localTime.dayOf(begin);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-store-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(options: Partial<StoreOptions> = {}): Store {
  return openStore({ path: undefined, localTime, origin, maxSize: 2 ** 30, ...options });
}

const messageOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

function finish(steps: Iterable<void>): void {
  for (const _ of steps);
}

/** Records one collection of all series. */
const recordAt = (store: Store, i: number): void =>
  finish(store.record(begin + i * INTERVAL, INTERVAL, onlyFigures(series.map((one, s) => [one, figuresAt(i, s)]))));

/** Every sample of a series that the store still has, by number of the collection. */
function samplesOf(store: Store, s: number): Map<number, Sample> {
  const stored = store.series().find(({ feature }) => feature === series[s]?.feature);
  const found = new Map<number, Sample>();
  const extent = stored === undefined ? undefined : store.days([stored]);
  if (stored === undefined || extent === undefined) return found;
  for (let day = extent.first; day <= extent.last; day += 1) {
    const record = store.read(stored, day);
    if (record === undefined || !('samples' in record)) continue;
    for (const sample of record.samples) found.set((sample.at - begin) / INTERVAL, sample);
  }
  return found;
}

describe('day codec', () => {
  const sample = fc.record({
    seconds: fc.integer({ min: 1, max: 3600 }),
    available: randomFigure,
    inUse: randomFigure,
    reserved: randomFigure,
    users: randomFigure,
    denials: randomFigure,
  });

  it('gives samples back as they were', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 200 }), fc.nat({ max: 300 }), (figures, step) => {
        const samples = figures.map((one, i) => ({ at: begin + i * (step + 1), ...one }));
        expect(decodeSamples(encodeSamples(samples, begin), begin)).toEqual(samples);
      }),
    );
  });

  it('gives hours back as they were', () => {
    fc.assert(
      fc.property(randomHours(6), (hours) => {
        expect(decodeHours(encodeHours(hours))).toEqual(hours);
      }),
    );
  });

  it('refuses bytes that are cut off or none of its own, and nothing else is thrown', () => {
    const good = encodeSamples(
      Array.from({ length: 50 }, (_, i) => ({ at: begin + i * 60, seconds: 60, ...figuresAt(i * i, 3) })),
      begin,
    );
    for (let length = 0; length < good.length; length += 1) {
      expect(() => decodeSamples(good.subarray(0, length), begin)).toThrow(
        expect.objectContaining({ name: 'DamagedRecord' }),
      );
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const decode of [() => decodeSamples(bytes, begin), () => decodeHours(bytes)]) {
          try {
            decode();
          } catch (error) {
            expect(error).toMatchObject({ name: 'DamagedRecord' });
          }
        }
      }),
      { numRuns: isLong ? 2000 : 500 },
    );
  });
});

describe('store', () => {
  it('keeps samples over a restart, before and after they are sealed', () => {
    const path = join(temporaryFolder(), 'a/history.db');
    const first = open({ path });
    for (let i = 0; i < 30; i += 1) recordAt(first, i);
    finish(first.seal(today + 1));
    first.setNote('x', 'y');
    first.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = open({ path });
    expect([again.sealedUntil(), again.note('x'), again.series().length]).toEqual([today + 1, 'y', series.length]);
    for (const s of [0, 7, 59]) {
      const found = samplesOf(again, s);
      expect(found.size).toBe(30);
      for (const [i, found_] of found) expect(found_).toMatchObject(figuresAt(i, s));
    }
    again.close();
  });

  it('keeps the last observation of each vendor license there is, and no older one', () => {
    const path = join(temporaryFolder(), 'history.db');
    const observation: VendorLicenseObservation = {
      server: 'a',
      daemon: 'd',
      part: '',
      reachable: true,
      pools: [
        {
          feature: 'f',
          version: '',
          package: '',
          featureType: 'feature',
          licenseType: 'uncounted',
          licenseModel: 'concurrent',
          increments: [{ count: Number.POSITIVE_INFINITY, expires: undefined }],
          reservations: [],
          checkouts: [
            {
              user: 'former-user',
              host: 'h',
              display: '',
              since: begin,
              licenses: 1,
              handle: '1',
              shareHandle: undefined,
              borrowed: false,
              status: undefined,
            },
          ],
          queued: [],
          denials: 0,
        },
      ],
    };
    const first = { source: 'one', name: 'a;d', collectedAt: begin, observation };
    const later = { source: 'two', name: 'b;d', collectedAt: begin + 60, observation: { ...observation, pools: [] } };
    const store = open({ path });
    const record = (at: number, observations: Collected[], ...names: string[]): void =>
      finish(store.record(at, 60, { figures: [], observations, vendorLicenses: new Set(names) }));
    record(begin, [first, later], 'a;d', 'b;d');
    expect(runAtOnce(store.known())).toEqual([first, later]);
    // one that is not reached stays, one that is no more goes
    record(begin + 60, [later], 'a;d', 'b;d');
    expect(runAtOnce(store.known())).toEqual([first, later]);
    store.close();
    const again = open({ path });
    expect(runAtOnce(again.known())).toEqual([first, later]);
    finish(again.record(begin + 120, 60, { figures: [], observations: [], vendorLicenses: new Set(['b;d']) }));
    expect(runAtOnce(again.known())).toEqual([later]);
    again.close();
    expect(readdirSync(dirname(path))).toEqual(['history.db']);
  });

  it('makes one sample of two in one slot', () => {
    const store = open();
    const [one] = series as [Series];
    const record = (figures: Partial<Figures>): void =>
      finish(
        store.record(
          begin,
          60,
          onlyFigures([[one, { available: 5, inUse: 2, reserved: 0, users: 1, denials: 1, ...figures }]]),
        ),
      );
    record({});
    record({ inUse: 1, users: 4, denials: 2 });
    expect(samplesOf(store, 0).get(0)).toMatchObject({ available: 5, inUse: 2, users: 4, denials: 3 });
    // and the same again when the day was sealed in between, because the clock was set back
    finish(store.seal(today + 1));
    record({ available: 6 });
    expect(store.sealedUntil()).toBe(today);
    expect(samplesOf(store, 0).get(0)).toMatchObject({ available: 6, inUse: 2, users: 4, denials: 4 });
    finish(store.seal(today + 1));
    expect(samplesOf(store, 0).get(0)).toMatchObject({ available: 6, denials: 4 });
  });

  it('undoes a collection that is given up half way', () => {
    const store = open();
    const many: [Series, Figures][] = Array.from({ length: 1200 }, (_, i) => [
      { vendorLicense: 'v;d', feature: `f${i}`, package: '', featureType: 'feature' },
      figuresAt(i, 1),
    ]);
    const steps = store.record(begin, 60, onlyFigures(many));
    steps.next();
    steps.return();
    expect(store.series()).toEqual([]);
    expect(store.days()).toBeUndefined();
    finish(store.record(begin, 60, onlyFigures(many)));
    expect(store.series()).toHaveLength(1200);
  });

  it('forgets samples first, then hours and totals, then the series', async () => {
    const store = open();
    for (let i = 0; i < 72; i += 1) recordAt(store, i);
    finish(store.seal(today + 3));
    const recorded: Recorded = { store, localTime, now: begin + 3 * DAY };
    const one = { product: 'server0;daemon', feature: 'feature0' };
    const all = { product: '%', feature: '%' };
    const before = [await getHistory(recorded, one), await getHistory(recorded, all)] as const;
    const reserved = await getHistoryReserved(recorded, all);

    finish(store.prune(today + 2, today));
    expect([...samplesOf(store, 0).keys()]).toEqual(Array.from({ length: 24 }, (_, i) => 48 + i));
    // a single series loses nothing
    expect(await getHistory(recorded, one)).toEqual(before[0]);
    // the clock set back for a while: what is open again loses nothing
    finish(store.record(begin, 60, onlyFigures([])));
    expect(store.sealedUntil()).toBe(today);
    expect(await getHistory(recorded, one)).toEqual(before[0]);
    finish(store.seal(today + 3));
    expect(await getHistory(recorded, one)).toEqual(before[0]);
    // one sample an hour: the sum of many loses nothing either
    expect(await getHistory(recorded, all)).toEqual(before[1]);
    expect(await getHistoryReserved(recorded, all)).toEqual(reserved);

    finish(store.prune(today + 2, today + 2));
    expect((await getHistory(recorded, one))[0]?.data).toHaveLength(1);
    finish(store.prune(today + 3, today + 3));
    expect(store.series()).toEqual([]);
    expect(store.days()).toBeUndefined();
  });

  it('loses no day that is sealed while history is read', async () => {
    const store = open();
    for (let i = 0; i < 48; i += 1) recordAt(store, i);
    finish(store.seal(today + 1));
    const recorded: Recorded = { store, localTime, now: begin + 2 * DAY };
    const one = store.series().slice(0, 1);
    const hours: number[] = [];
    const reading = [
      totalsOfDays(recorded, one),
      totalsOfDays(recorded, store.series()),
      eachHourIn({ from: begin, to: begin + 2 * DAY }, recorded, one, (_, day) => hours.push(day)),
    ] as const;
    finish(store.seal(today + 2));
    const [ofOne, ofAll] = await Promise.all(reading);
    for (const found of [ofOne, ofAll]) expect(found.map(({ day }) => day)).toEqual([today, today + 1]);
    expect([...new Set(hours)]).toEqual([today, today + 1]);
  });

  it('without samples adds several series up to no less than they had together', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 96 }), async (inUse) => {
        const store = open();
        for (const [i, uses] of inUse.entries()) {
          const both = uses.map((used, s): [Series, Figures] => [
            series[s] as Series,
            { available: 10, inUse: used, reserved: 1, users: used, denials: 1 },
          ]);
          finish(store.record(begin + i * 900, 900, onlyFigures(both)));
        }
        finish(store.seal(today + 1));
        const recorded: Recorded = { store, localTime, now: begin + DAY };
        const all = { product: '%', feature: '%' };
        const trend = await getHistory(recorded, all);
        const most = (await getHistoryReserved(recorded, all))[0]?.series[2]?.data[0] ?? 0;
        finish(store.prune(today + 1, today));
        // what is a sum stays exact
        expect(await getHistory(recorded, all)).toEqual(trend);
        const later = (await getHistoryReserved(recorded, all))[0]?.series[2]?.data[0] ?? 0;
        expect(later).toBeGreaterThanOrEqual(most);
        const apart = [0, 1].map((s) => Math.max(...inUse.map((uses) => uses[s] ?? 0)));
        expect(later).toBeLessThanOrEqual((apart[0] ?? 0) + (apart[1] ?? 0));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a store that cannot be used', () => {
  it('says so when a process of an earlier version, which uses it alone, has it', () => {
    const path = join(temporaryFolder(), 'history.db');
    open({ path }).close();
    const first = new DatabaseSync(path);
    first.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE note SET value = value; COMMIT');
    expect(messageOf(() => open({ path }))).toBe(
      `the history store (${path}): another process uses it; give each its own storage.path`,
    );
    first.close();
  });

  it('is refused with another time zone or of another origin, and stays as it is', () => {
    const path = join(temporaryFolder(), 'history.db');
    open({ path }).close();
    expect(messageOf(() => open({ path, localTime: createLocalTime('Asia/Tokyo') }))).toBe(
      `the history store (${path}): its days are in the time zone Europe/Berlin, not Asia/Tokyo; change embedded_analyzer.time_zone back, or move the file away`,
    );
    expect(messageOf(() => open({ path, origin: 'other' }))).toBe(
      `the history store (${path}): it contains history of killed writer, not of other; move the file away, or set another storage.path`,
    );
    open({ path }).close();
  });

  it('is refused when it is something else', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'history.db');
    writeFileSync(path, 'not a database, but long enough to be taken for one'.repeat(100));
    mkdirSync(join(folder, 'directory'));
    for (const damaged of [path, join(folder, 'directory')]) {
      expect(() => open({ path: damaged })).toThrow(DamagedStore);
      expect(messageOf(() => open({ path: damaged }))).toContain('it is damaged; restore a backup, or move the file');
    }
    writeFileSync(join(folder, 'file'), '');
    expect(messageOf(() => open({ path: join(folder, 'file/history.db') }))).toContain(
      'it cannot be opened; the directory must exist and be writable',
    );
  });

  it('is refused where no directory can be created, and when a newer version wrote it', () => {
    // where not even root may write
    expect(messageOf(() => open({ path: '/proc/license-exporter/history.db' }))).toBe(
      'the history store (/proc/license-exporter/history.db): its directory cannot be created (ENOENT); create it, or set another storage.path',
    );
    const path = join(temporaryFolder(), 'history.db');
    open({ path }).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 7');
    database.close();
    expect(messageOf(() => open({ path }))).toContain('it was written by a newer version of license-exporter');
  });

  it('says that it is full, keeps what it has, and goes on when there is room', () => {
    const path = join(temporaryFolder(), 'history.db');
    const store = open({ path, maxSize: 384 * 1024 });
    let recorded = 0;
    const message = messageOf(() => {
      for (; recorded < 10_000; recorded += 1) recordAt(store, recorded);
    });
    expect(message).toBe(
      `the history store (${path}): the disk, or embedded_analyzer.store_max_size, is full; make room, or raise the limit`,
    );
    expect(recorded).toBeGreaterThan(2);
    expect([...samplesOf(store, 0).keys()]).toEqual(Array.from({ length: recorded }, (_, i) => i));
    // it stays readable, and the next attempt fails alike
    expect(messageOf(() => recordAt(store, recorded))).toBe(message);
    store.close();
    expect(statSync(path).size).toBeLessThanOrEqual(384 * 1024);
    const larger = open({ path, maxSize: 2 ** 24 });
    recordAt(larger, recorded);
    expect(samplesOf(larger, 599).size).toBe(recorded + 1);
    larger.close();
  });
});

describe('a writer that is killed', () => {
  const rounds = isLong ? 50 : 5;

  it(`leaves every committed collection and a sound file, ${rounds} times`, async () => {
    const path = join(temporaryFolder(), 'history.db');
    let next = 0;
    const committed = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'store-writer.ts'), path, String(next)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      const first = new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk) => {
          said += chunk;
          resolve();
        });
      });
      const closed = new Promise((resolve) => child.once('close', resolve));
      await first;
      // a moment of its own each time: that is what is tested
      await new Promise((resolve) => setTimeout(resolve, random(seed, 'kill', round) * 400));
      child.kill('SIGKILL');
      await closed;
      // the last line may be cut off
      const lines = said.slice(0, said.lastIndexOf('\n')).split('\n').map(Number);
      for (const i of lines) committed.add(i);
      // one more may be committed without being said
      next = (lines.at(-1) ?? next) + 2;

      const store = open({ path });
      const found = samplesOf(store, 0);
      for (const i of committed) expect({ i, sample: found.get(i) }).toMatchObject({ i, sample: figuresAt(i, 0) });
      expect(found.size - committed.size).toBeLessThanOrEqual(round + 1);
      // every collection is there as a whole, or not at all
      for (let s = 1; s < series.length; s += 23) {
        const others = samplesOf(store, s);
        expect([...others.keys()]).toEqual([...found.keys()]);
        for (const [i, sample] of others) expect(sample).toMatchObject(figuresAt(i, s));
      }
      store.close();
      const database = new DatabaseSync(path);
      expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      database.close();
    }
    expect(committed.size).toBeGreaterThan(rounds);
  });
});
