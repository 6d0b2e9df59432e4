import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type ImportReport, importHistory } from '../../../src/analyzer/exchange/import-history.ts';
import { Names } from '../../../src/analyzer/exchange/names.ts';
import type { Sample } from '../../../src/analyzer/history/sample.ts';
import { openImport, removeStaged } from '../../../src/analyzer/history/staged-import.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { debugLogUsage } from '../../../src/analyzer/sources/flexnet/debug-log-usage.ts';
import { reportLogUsage } from '../../../src/analyzer/sources/rlm/report-log-usage.ts';
import { createLocalTime, type LocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { reader } from '../../../src/program/commands/import.ts';
import { isLong, isMatrix } from '../../support/extent.ts';
import { type FeatureTruth, generatePast, type Past, type PastFile, pastKinds } from '../../support/generated-past.ts';
import { createCleanup } from '../../support/harness.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { createRunner } from '../../support/run.ts';
import { seed } from '../../support/seed.ts';

/** The past of a site, given in parts, in copies, twice, and with interruptions. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const cases = isLong ? 1000 : isMatrix ? 140 : 35;
const SLOT = 300;
const DAY = 86_400;
const SERVER = '27000@lic1';
/** No clock is changed in these days. */
const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York'] as const;

/** Which days are kept when something is imported. */
interface Ages {
  /** Our own samples of days before this one are not kept. */
  readonly samplesBefore: number;
  /** Nothing of days before this one is kept. */
  readonly before: number;
}

interface Import {
  readonly localTime: LocalTime;
  readonly ages: Ages;
}

function writeFiles(folder: string, files: readonly PastFile[], random: Random): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, text, writtenAt } of files) {
    const isPacked = random.next() < 0.1;
    const path = join(folder, isPacked ? `${name}.gz` : name);
    writeFileSync(path, isPacked ? gzipSync(text) : text);
    utimesSync(path, writtenAt, writtenAt);
  }
}

async function stage(path: string, { localTime, ages }: Import): Promise<ImportReport> {
  const folder = temporaryFolder();
  return await importHistory({
    path,
    folder,
    logs: [debugLogUsage, reportLogUsage],
    readText: reader(localTime.timeZone),
    logTime: localTime,
    localTime,
    encoding: undefined,
    names: new Names({ known: [], server: SERVER, servers: [] }),
    firstDay: ages.before,
    asOfNow: false,
    people: true,
    isWithoutReservations: () => false,
    isDryRun: false,
    now: Date.parse('2026-11-28') / 1000,
    onProgress: () => undefined,
  });
}

/** A history on a disk. */
class History {
  readonly #path = join(temporaryFolder(), 'history.db');
  readonly #import: Import;
  #store: Store | undefined;

  constructor(options: Import) {
    this.#import = options;
  }

  #open(): Store {
    const { localTime, ages } = this.#import;
    if (this.#store === undefined) {
      this.#store = openStore({ path: this.#path, localTime, origin: 'test', maxSize: 2 ** 30 });
      runAtOnce(this.#store.seal(ages.samplesBefore));
    }
    return this.#store;
  }

  /** Takes up what was staged. @param steps after which it is killed, if it is */
  takeUp({ staged }: ImportReport, steps = Number.POSITIVE_INFINITY): void {
    let left = steps;
    for (const path of staged) {
      const open = openImport(path, this.#import.localTime);
      try {
        for (const piece of open.pieces()) {
          if (piece === undefined) continue;
          const work = this.#open().import(piece, open.staged);
          for (let step = work.next(); step.done !== true; step = work.next()) {
            left -= 1;
            if (left > 0) continue;
            this.close();
            return;
          }
        }
      } finally {
        open.close();
      }
    }
  }

  prune(): void {
    const { samplesBefore, before } = this.#import.ages;
    runAtOnce(this.#open().prune(samplesBefore, before));
  }

  close(): void {
    this.#store?.close();
    this.#store = undefined;
  }

  /** All that there is, in the order of names. */
  content() {
    const store = this.#open();
    const all = store
      .series()
      .toSorted((a, b) => (`${a.vendorLicense} ${a.feature}` < `${b.vendorLicense} ${b.feature}` ? -1 : 1));
    return all.map((series) => {
      const { first = 0, last = -1 } = store.days([series]) ?? {};
      const days = Array.from({ length: last - first + 1 }, (_, i) => ({
        day: first + i,
        record: store.read(series, first + i),
      }));
      return {
        daemon: series.vendorLicense.split(';')[1] ?? '',
        feature: series.feature,
        days: days.flatMap(({ day, record }) =>
          record !== undefined && 'samples' in record ? [{ day, samples: record.samples }] : [],
        ),
        totals: store.sealedTotals(series),
        hours: store.sealedHours(series, first, last + 1),
      };
    });
  }
}

type Content = ReturnType<History['content']>;

/** What a day should say, second by second. */
interface WantedDay {
  peak: number;
  licenseSeconds: number;
  denials: number;
}

/** A replay of the truth over each second, which knows nothing of lines. */
class Wanted {
  readonly #start: number;
  readonly #inUse: Int32Array;
  readonly #peaks: Int32Array;
  readonly #isKnown: Uint8Array;
  readonly #denials: readonly number[];

  constructor({ changes, denials, daemon }: FeatureTruth, { runs }: Past, start: number, days: number) {
    this.#start = start;
    this.#denials = denials;
    const seconds = days * DAY;
    this.#inUse = new Int32Array(seconds);
    this.#peaks = new Int32Array(seconds);
    this.#isKnown = new Uint8Array(seconds);
    for (const run of runs)
      if (run.daemon === daemon) this.#isKnown.fill(1, Math.max(0, run.from - start), Math.max(0, run.to - start));
    const sorted = changes.toSorted((a, b) => a.at - b.at);
    let inUse = 0;
    let next = 0;
    for (let second = 0; second < seconds; second += 1) {
      let peak = 0;
      for (let change = sorted[next]; change !== undefined && change.at - start <= second; change = sorted[next]) {
        inUse += change.licenses;
        if (change.licenses > 0) peak = Math.max(peak, inUse);
        next += 1;
      }
      this.#inUse[second] = inUse;
      this.#peaks[second] = Math.max(peak, inUse);
    }
  }

  day(from: number, to: number): WantedDay {
    let [peak, licenseSeconds] = [0, 0];
    for (let second = from - this.#start; second < to - this.#start; second += 1) {
      licenseSeconds += this.#inUse[second] ?? 0;
      peak = Math.max(peak, this.#peaks[second] ?? 0);
    }
    return { peak, licenseSeconds, denials: this.#denials.filter((at) => at >= from && at < to).length };
  }

  /** At the beginning of a slot; undefined if nothing is known of the slot, and null if it is known in part. */
  slot(at: number): number | undefined | null {
    const [from, to] = [at - this.#start, at - this.#start + SLOT];
    const known = this.#isKnown.subarray(Math.max(0, from), to).reduce((sum, one) => sum + one, 0);
    if (known === 0) return undefined;
    return known === SLOT ? this.#inUse[from] : null;
  }
}

const figuresOf = (samples: readonly Sample[]): WantedDay => ({
  peak: samples.reduce((peak, { inUse = 0, whole }) => Math.max(peak, inUse, whole?.peak ?? 0), 0),
  licenseSeconds: samples.reduce(
    (sum, { inUse = 0, seconds, whole }) => sum + (whole?.licenseSeconds ?? inUse * seconds),
    0,
  ),
  denials: samples.reduce((sum, { denials = 0 }) => sum + denials, 0),
});

const inUseAt = (samples: readonly Sample[], at: number): number | undefined =>
  samples.find((one) => one.at <= at && at < one.at + one.seconds)?.inUse;

interface Case {
  readonly past: Past;
  readonly localTime: LocalTime;
  readonly ages: Ages;
  readonly firstDay: number;
  readonly days: number;
  readonly label: string;
}

/** Calls back for each day of each feature that is kept. */
function eachDay(
  { past, localTime, ages, firstDay, days }: Case,
  content: Content,
  check: (
    wanted: Wanted,
    samples: readonly Sample[],
    day: { readonly from: number; readonly to: number; readonly name: string },
  ) => void,
): void {
  const start = localTime.startOf(firstDay);
  for (const truth of past.features) {
    const wanted = new Wanted(truth, past, start, days);
    const own = content.find(({ daemon, feature }) => daemon === truth.daemon && feature === truth.feature);
    for (let day = Math.max(firstDay, ages.before); day < firstDay + days; day += 1) {
      const samples = own?.days.find((one) => one.day === day)?.samples ?? [];
      const name = `${truth.daemon} ${truth.feature} ${day}`;
      check(wanted, samples, { from: localTime.startOf(day), to: localTime.startOf(day + 1), name });
    }
  }
}

function expectTruth(one: Case, content: Content): void {
  eachDay(one, content, (wanted, samples, { from, to, name }) => {
    expect(figuresOf(samples), `${one.label}: ${name}`).toEqual(wanted.day(from, to));
    for (let at = from; at < to; at += SLOT) {
      const inUse = wanted.slot(at);
      if (inUse !== null) expect(inUseAt(samples, at), `${one.label}: ${name} at ${at}`).toBe(inUse);
    }
  });
  const kept = content.flatMap(({ days }) => days.map(({ day }) => day));
  expect(kept.filter((day) => day < one.ages.before)).toEqual([]);
}

/** Never more than the truth. */
function expectNoMore(one: Case, content: Content): void {
  eachDay(one, content, (wanted, samples, { from, to, name }) => {
    const { peak, licenseSeconds } = wanted.day(from, to);
    const found = figuresOf(samples);
    expect(found.peak, `${one.label}: peak of ${name}`).toBeLessThanOrEqual(peak);
    expect(found.licenseSeconds, `${one.label}: seconds of ${name}`).toBeLessThanOrEqual(licenseSeconds);
  });
}

function drawCase(number: number): { readonly random: Random; readonly drawn: Case } {
  const random = createRandom(seed * 100_000 + number);
  const kind = pastKinds[number % pastKinds.length] ?? 'one log';
  const timeZone = zones[Math.floor(number / 7) % zones.length] ?? 'UTC';
  const localTime = createLocalTime(timeZone);
  const firstDay = localTime.dayOf(Date.parse('2026-08-03T12:00Z') / 1000);
  const days = 1 + Math.floor(random.next() * 3);
  const start = localTime.startOf(firstDay);
  const past = generatePast({ kind, start, days, offset: localTime.offsetAt(start), random });
  const ages = [
    { samplesBefore: firstDay, before: 0 },
    { samplesBefore: firstDay + days, before: 0 },
    { samplesBefore: firstDay + days, before: firstDay + 1 },
  ][Math.floor(number / 28) % 3] as Ages;
  return { random, drawn: { past, localTime, ages, firstDay, days, label: `case ${number}, ${kind}, ${timeZone}` } };
}

describe(`the past of a site, ${cases} cases`, () => {
  it.each(Array.from({ length: Math.ceil(cases / 7) }, (_, i) => [i * 7]))(
    'from case %i on comes in whole, in any order',
    async (from) => {
      for (let number = from; number < from + pastKinds.length; number += 1) {
        const { random, drawn } = drawCase(number);
        const folder = temporaryFolder();
        const [all, whole] = [join(folder, 'all'), join(folder, 'whole')];
        writeFiles(all, drawn.past.files, random);
        writeFiles(whole, drawn.past.whole, random);

        const once = new History(drawn);
        const together = await stage(all, drawn);
        once.takeUp(together);
        const content = once.content();
        expectTruth(drawn, content);

        const union = new History(drawn);
        union.takeUp(await stage(whole, drawn));
        expect(union.content(), `${drawn.label}: the union`).toEqual(content);

        const often = new History(drawn);
        for (const file of drawn.past.files) {
          if (random.next() < 0.4) continue;
          const single = join(temporaryFolder(), file.name);
          writeFileSync(single, file.text);
          utimesSync(single, file.writtenAt, file.writtenAt);
          const report = await stage(single, drawn);
          if (random.next() < 0.3) often.takeUp(report, 1 + Math.floor(random.next() * 20));
          often.takeUp(report);
          if (random.next() < 0.3) often.prune();
        }
        expectNoMore(drawn, often.content());
        if (random.next() < 0.5) often.takeUp(together, 1 + Math.floor(random.next() * 30));
        often.takeUp(together);
        if (random.next() < 0.5) often.prune();
        often.takeUp(together);
        expect(often.content(), `${drawn.label}: again`).toEqual(content);
        for (const path of together.staged) removeStaged(path);
        for (const one of [once, union, often]) one.close();
      }
    },
  );
});
