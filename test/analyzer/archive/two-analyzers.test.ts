import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ArchiveError } from '../../../src/analyzer/archive/connection.ts';
import type { Figures, Sample, Series } from '../../../src/analyzer/history/sample.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { random } from '../../../src/analyzer/simulated/simulated-random.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { type ArchiveFault, exchangeOnce, exchangeOptions } from '../../support/archive-peer.ts';
import { isLong } from '../../support/extent.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { seed } from '../../support/seed.ts';
import { type Postgresql, startPostgresql } from '../../support/start-postgresql.ts';
import { onlyFigures } from '../../support/store-samples.ts';

/** Two analyzers of one site with one archive, either of which is down, cut off or robbed of its disk at times. */

const SLOT = 900;
const ORIGIN = 'license managers';
const localTime = createLocalTime('Europe/Berlin');
/** The day of the change of the clocks is one of them. */
const firstDay = localTime.dayOf(Date.parse('2026-10-24T12:00Z') / 1000);
const DAYS = 3;
const start = localTime.startOf(firstDay);
const slots = (localTime.startOf(firstDay + DAYS) - start) / SLOT;
const cases = isLong ? 150 : 20;
const allSeries: readonly Series[] = ['cad', 'cam', 'sim'].map((feature) => ({
  vendorLicense: 'lic1;vend',
  feature,
  package: '',
  featureType: 'feature',
}));

const cleanup = createCleanup();
afterEach(() => cleanup.run());

type Draw = (what: string, ...of: readonly (string | number)[]) => number;

/** One of the two analyzers, with its disk. */
class Analyzer {
  readonly #path: string;
  store: Store;
  readonly #draw: Draw;

  constructor(folder: string, name: string, draw: Draw) {
    this.#path = join(folder, `${name}.db`);
    this.#draw = (what, ...of) => draw(`${name} ${what}`, ...of);
    this.store = this.#open();
  }

  #open(): Store {
    const where = { path: this.#path, localTime, origin: ORIGIN, maxSize: 2 ** 30 };
    return openStore({ ...where, isTemporary: true, isArchived: true });
  }

  restart(): void {
    this.store.close();
    this.store = this.#open();
  }

  loseDisk(day: number): void {
    this.store.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#path}${end}`, { force: true });
    this.store = this.#open();
    runAtOnce(this.store.seal(day));
  }

  /** Records a day, with pauses. */
  record(day: number, truth: (series: number, slot: number) => Figures): void {
    let isUp = this.#draw('up', day) < 0.8;
    for (let slot = 0; slot < slots; slot += 1) {
      const at = start + slot * SLOT;
      if (localTime.dayOf(at) !== day) continue;
      if (this.#draw('change', slot) < 0.08) isUp = !isUp;
      const figures = allSeries.map((series, i) => [series, truth(i, slot)] as const);
      if (isUp) runAtOnce(this.store.record(at, SLOT, onlyFigures(figures)));
    }
    runAtOnce(this.store.seal(day + 1));
  }

  /** A log of a part of a day. */
  importDay(day: number, truth: (series: number, slot: number) => Figures): void {
    const samples = (i: number): Sample[] =>
      Array.from({ length: slots }, (_, slot) => ({ slot, at: start + slot * SLOT }))
        .filter(({ slot, at }) => localTime.dayOf(at) === day && this.#draw('logged', Math.floor(slot / 16)) < 0.5)
        .map(({ slot, at }) => ({ ...truth(i, slot), available: undefined, at, seconds: SLOT }));
    const days = allSeries.map((series, i) => ({ series, day, samples: samples(i) }));
    const origin = { key: `log ${day}`, form: 'FlexNet debug log', name: 'a.log', at: 0, seconds: 0, asOfNow: false };
    runAtOnce(
      this.store.import(
        days.filter(({ samples: { length } }) => length > 0),
        origin,
      ),
    );
  }

  /** All that is known of sealed days. */
  known() {
    const stored = [...this.store.series()].sort((a, b) => a.feature.localeCompare(b.feature));
    return stored.map((one) => ({
      feature: one.feature,
      totals: this.store.sealedTotals(one),
      hours: this.store.sealedHours(one, firstDay, firstDay + DAYS),
    }));
  }
}

const secondsOf = (hours: ReturnType<Analyzer['known']>[number]['hours']): number =>
  hours.reduce(
    (sum, day) =>
      sum +
      day.hours.reduce(
        (of, { levels }) => of + levels.reduce((a, [inUse, seconds]) => a + (inUse === undefined ? 0 : seconds), 0),
        0,
      ),
    0,
  );

/** @returns whether it succeeded */
async function exchange(
  archive: Postgresql,
  name: string,
  { store }: Analyzer,
  fault?: ArchiveFault,
): Promise<boolean> {
  try {
    await exchangeOnce(exchangeOptions(archive, name), { store, localTime, origin: ORIGIN }, fault);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ArchiveError);
    return false;
  }
}

/** Runs one history of faults. @returns the two analyzers at its end, and how many seconds one of them knew at most */
async function live(archive: Postgresql, folder: string, i: number) {
  const name = `site ${i}`;
  const draw: Draw = (what, ...of) => random(seed, 'archive', i, what, ...of);
  const two = [new Analyzer(folder, `a${i}`, draw), new Analyzer(folder, `b${i}`, draw)] as const;
  const truth =
    (who: number) =>
    (series: number, slot: number): Figures => {
      // the two look at moments that differ
      const inUse = Math.floor((random(seed, i, series, slot) + random(seed, i, series, slot, who) / 3) * 8);
      return { available: 10, inUse, reserved: 1, users: Math.min(5, inUse), denials: inUse > 9 ? 1 : 0 };
    };
  let most = 0;
  for (let day = firstDay; day < firstDay + DAYS; day += 1) {
    two.forEach((one, who) => void one.record(day, truth(who)));
    for (let step = 0; step < 4; step += 1) {
      for (const [who, one] of two.entries()) {
        const what = draw('step', day, step, who);
        if (what < 0.15) one.importDay(day, truth(who));
        else if (what < 0.25) one.restart();
        else if (what < 0.4) await exchange(archive, name, one, { query: Math.floor(draw('query', day, step) * 25) });
        else if (what < 0.5) await exchange(archive, name, one, { write: Math.floor(draw('write', day, step) * 3) });
        else if (what < 0.65) await Promise.all(two.map((other) => exchange(archive, name, other)));
        else if (what < 0.75) await exchange(archive, name, one);
        else if (what < 0.8 && (await exchange(archive, name, one))) one.loseDisk(day + 1);
      }
      most = Math.max(most, ...two.map((one) => one.known().reduce((sum, { hours }) => sum + secondsOf(hours), 0)));
    }
  }
  for (let round = 0; round < 2; round += 1)
    for (const one of two) expect(await exchange(archive, name, one)).toBe(true);
  return { two, most };
}

describe.runIf(peer('postgres', 'initdb', 'psql'))(
  `two analyzers of a site with an archive, ${cases} histories`,
  () => {
    it('end with the same history, which knows no less than either knew', async () => {
      const archive = await startPostgresql(cleanup);
      const folder = mkdtempSync(join(tmpdir(), 'license-exporter-archive-'));
      cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
      for (let i = 0; i < cases; i += 1) {
        const { two, most } = await live(archive, folder, i);
        const [a, b] = two.map((one) => one.known());
        expect({ i, known: a }).toEqual({ i, known: b });
        const seconds = (a ?? []).reduce((sum, { hours }) => sum + secondsOf(hours), 0);
        expect(seconds).toBeGreaterThanOrEqual(most);
        const rows =
          archive.query(`SELECT feature, day - date '1970-01-01', peak, license_seconds, denials, available, reserved, users
        FROM license_exporter.day JOIN license_exporter.series ON id = series
        WHERE analyzer = (SELECT id FROM license_exporter.analyzer WHERE name = 'site ${i}') ORDER BY feature, day`);
        const expected = (a ?? []).flatMap(({ feature, totals }) =>
          totals.map(({ day, inUse, licenseSeconds, denials, available, reserved, users }) =>
            [feature, day, inUse, licenseSeconds, denials, available, reserved, users].join('|'),
          ),
        );
        expect(rows.split('\n')).toEqual(expected);
        const sums = archive.query(`SELECT sum(h.seconds), sum(d.seconds) FROM license_exporter.day d
        JOIN (SELECT series, day, sum(seconds) AS seconds FROM license_exporter.hour GROUP BY 1, 2) h USING (series, day)
        JOIN license_exporter.series ON id = series
        WHERE analyzer = (SELECT id FROM license_exporter.analyzer WHERE name = 'site ${i}')`);
        expect(sums).toBe(`${seconds}|${seconds}`);
        for (const { store } of two) store.close();
      }
    });
  },
);
