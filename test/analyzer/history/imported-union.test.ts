import { describe, expect, it } from 'vitest';
import type { Figures, Sample, Series } from '../../../src/analyzer/history/sample.ts';
import type { StoredSeries } from '../../../src/analyzer/history/series-table.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { random } from '../../../src/analyzer/simulated/simulated-random.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { isLong, isMatrix } from '../../support/extent.ts';
import { seed } from '../../support/seed.ts';
import { onlyFigures } from '../../support/store-samples.ts';

/** A log and live recording of the same day, with the recorder down at times. */

const SLOT = 300;
const localTime = createLocalTime('Europe/Berlin');
const series: Series = { vendorLicense: 'lic1;vend', feature: 'cad', package: '', featureType: 'feature' };
/** On which the clocks go forward. */
const day = localTime.dayOf(Date.parse('2026-03-29T12:00Z') / 1000);
const start = localTime.startOf(day);
const slots = (localTime.startOf(day + 1) - start) / SLOT;
const cases = isLong || isMatrix ? 1000 : 150;

const origin = (key: string, seconds = 0) => ({
  key,
  form: 'FlexNet debug log',
  name: 'a.log',
  at: 0,
  seconds,
  asOfNow: false,
});

/** What happens in each slot, and what the recorder and the log say of it. */
interface Slot extends Figures {
  readonly isLive: boolean;
  readonly isLogged: boolean;
  /** Between the looks of the recorder. */
  readonly peak: number;
}

const drawDay = (i: number): readonly Slot[] => {
  const draw = (name: string, slot: number): number => random(seed, 'union', i, name, slot);
  let isLive = true;
  let isLogged = true;
  return Array.from({ length: slots }, (_, slot) => {
    if (draw('live', slot) < 0.05) isLive = !isLive;
    if (draw('logged', slot) < 0.02) isLogged = !isLogged;
    const inUse = Math.floor(draw('use', slot) * 10);
    return {
      isLive,
      isLogged,
      available: 10,
      inUse,
      reserved: 2,
      users: Math.min(inUse, 5),
      denials: Math.floor(draw('denials', slot) * 1.2),
      peak: inUse + Math.floor(draw('peak', slot) * 3),
    };
  });
};

/** A log knows no licenses bought, and the recorder no denials. */
const liveOf = ({ available, inUse, reserved, users }: Slot): Figures => ({
  available,
  inUse,
  reserved,
  users,
  denials: undefined,
});
const loggedOf = ({ inUse, users, denials, peak }: Slot, slot: number): Sample => ({
  at: start + slot * SLOT,
  seconds: SLOT,
  available: undefined,
  inUse,
  reserved: undefined,
  users,
  denials,
  whole: peak === inUse ? undefined : { peak, licenseSeconds: (inUse ?? 0) * SLOT + 60 },
});

type Step = 'record' | 'import' | 'seal';
const orders: readonly (readonly Step[])[] = [
  ['record', 'import', 'seal'],
  ['record', 'seal', 'import'],
  ['import', 'record', 'seal'],
  ['record', 'import', 'seal', 'import'],
  ['import', 'record', 'import', 'seal', 'import'],
];

function perform(store: Store, steps: readonly Step[], drawn: readonly Slot[]): void {
  const samples = drawn.flatMap((slot, i) => (slot.isLogged ? [loggedOf(slot, i)] : []));
  for (const [i, step] of steps.entries()) {
    if (step === 'seal') runAtOnce(store.seal(day + 1));
    else if (step === 'import') {
      if (samples.length > 0) runAtOnce(store.import([{ series, day, samples }], origin(`import ${i}`)));
    } else {
      for (const [at, slot] of drawn.entries())
        if (slot.isLive) runAtOnce(store.record(start + at * SLOT, SLOT, onlyFigures([[series, liveOf(slot)]])));
    }
  }
}

/** The totals of the day, from the slots alone. */
function wanted(drawn: readonly Slot[]) {
  const known = drawn.filter(({ isLive, isLogged }) => isLive || isLogged);
  const most = (values: readonly (number | undefined)[]): number | undefined =>
    values.reduce((a, b) => (a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)), undefined);
  const seconds = ({ isLive, inUse = 0, peak }: Slot): number => inUse * SLOT + (!isLive && peak !== inUse ? 60 : 0);
  return {
    available: most(known.map(({ isLive, available }) => (isLive ? available : undefined))),
    inUse: most(known.map(({ isLive, inUse, peak }) => (isLive ? inUse : peak))),
    reserved: most(known.map(({ isLive, reserved }) => (isLive ? reserved : undefined))),
    users: most(known.map(({ users }) => users)),
    denials: known.some(({ isLogged }) => isLogged)
      ? known.reduce((sum, { isLogged, denials = 0 }) => sum + (isLogged ? denials : 0), 0)
      : undefined,
    licenseSeconds: known.reduce((sum, slot) => sum + seconds(slot), 0),
  };
}

describe(`a log and live recording, ${cases} days`, () => {
  it('are united, in any order of recording, importing and the end of the day, and no figure counts twice', () => {
    for (let i = 0; i < cases; i += 1) {
      const drawn = drawDay(i);
      const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
      const steps = orders[i % orders.length] ?? [];
      perform(store, steps, drawn);
      const [stored] = store.series();
      if (stored === undefined) throw new Error('nothing is recorded');
      const [totals] = store.sealedTotals(stored);
      expect({ i, ...totals }).toEqual({ i, day, ...wanted(drawn) });
      store.close();
    }
  });
});

describe('imports of one day', () => {
  const open = (): Store => openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
  const sample = (slot: number, more: Partial<Sample>): Sample => ({
    at: start + slot * SLOT,
    seconds: SLOT,
    available: undefined,
    inUse: undefined,
    reserved: undefined,
    users: undefined,
    denials: undefined,
    ...more,
  });
  const totalsOf = (store: Store) => store.series().flatMap((one) => store.sealedTotals(one))[0];
  const put = (store: Store, key: string, seconds: number, ...samples: readonly Sample[]): void =>
    runAtOnce(store.import([{ series, day, samples }], origin(key, seconds)));

  it.each(['both before the end of the day', 'after it', 'when only hours are left'])(
    'count by the higher figure; %s',
    (when) => {
      const store = open();
      if (when !== 'both before the end of the day') runAtOnce(store.seal(day + 1));
      put(store, 'coarse', 900, sample(0, { inUse: 9, available: 20 }));
      if (when === 'when only hours are left') runAtOnce(store.prune(day + 1, 0));
      put(store, 'log', 0, sample(0, { inUse: 3, denials: 1 }));
      if (when === 'when only hours are left') runAtOnce(store.prune(day + 1, 0));
      put(store, 'coarser', 3600, sample(0, { inUse: 7, users: 4 }));
      put(store, 'log again', 0, sample(0, { inUse: 4, denials: 1 }));
      runAtOnce(store.seal(day + 1));
      expect(totalsOf(store)).toMatchObject({ inUse: 9, available: 20, denials: 1, users: 4 });
      const [stored] = store.series();
      expect(stored && store.imported(stored).map(({ form, days }) => [form, days])).toEqual(
        Array.from({ length: 4 }, () => ['FlexNet debug log', 1]),
      );
      store.close();
    },
  );

  it('have the number of licenses as of now where no import knows one, in any order', () => {
    const verbose = [sample(0, { inUse: 3, available: 8 })];
    const usual = [sample(0, { inUse: 3 }), sample(1, { inUse: 2 })];
    const results = ['verbose first', 'verbose last', 'collected last'].map((order) => {
      const store = open();
      const collect = (): void =>
        runAtOnce(
          store.record(
            localTime.startOf(day + 1),
            SLOT,
            onlyFigures([[series, { available: 10, inUse: 0, reserved: 0, users: 0, denials: undefined }]]),
          ),
        );
      if (order !== 'collected last') collect();
      runAtOnce(store.seal(day + 1));
      const imports = [
        () => put(store, 'verbose', 0, ...verbose),
        () => runAtOnce(store.import([{ series, day, samples: usual }], { ...origin('usual'), asOfNow: true })),
      ];
      for (const one of order === 'verbose first' ? imports : imports.toReversed()) one();
      if (order === 'collected last') collect();
      runAtOnce(store.addNowBought());
      const record = store.read(store.series()[0] as StoredSeries, day);
      const samples = record !== undefined && 'samples' in record ? record.samples : [];
      const found = { bought: samples.map(({ available }) => available), totals: totalsOf(store)?.available };
      store.close();
      return [order, found];
    });
    const expected = { bought: [8, 10], totals: 10 };
    expect(results).toEqual(['verbose first', 'verbose last', 'collected last'].map((order) => [order, expected]));
  });

  it('have one number of licenses as of now for all of their days, however they are taken up', () => {
    const days = [0, 1, 2, 3].map((i) => day + 1 + i);
    /** Two of four days know a number. */
    const bought = [undefined, 8, 10, undefined];
    const taken = (pieces: readonly (readonly number[])[], times: number) => {
      const store = open();
      runAtOnce(store.seal(day + 10));
      for (let time = 0; time < times; time += 1) {
        for (const piece of pieces) {
          const some = piece.map((i) => ({
            series,
            day: days[i] ?? 0,
            samples: [
              { ...sample(0, { inUse: 1, available: bought[i] }), at: localTime.startOf(days[i] ?? 0) },
              { ...sample(0, { inUse: 2 }), at: localTime.startOf(days[i] ?? 0) + SLOT },
            ],
          }));
          runAtOnce(store.import(some, { ...origin(`verbose ${time}`), asOfNow: true }));
        }
        runAtOnce(store.addNowBought());
      }
      const [stored] = store.series() as [StoredSeries];
      const samples = days.map((one) => {
        const record = store.read(stored, one);
        return record !== undefined && 'samples' in record ? record.samples.map(({ available }) => available) : [];
      });
      const totals = store.sealedTotals(stored).map(({ available }) => available);
      store.close();
      return { samples, totals };
    };
    const expected = {
      samples: [
        [10, 10],
        [8, 10],
        [10, 10],
        [10, 10],
      ],
      totals: [10, 10, 10, 10],
    };
    expect(taken([[0, 1, 2, 3]], 1)).toEqual(expected);
    expect(
      taken(
        [
          [0, 1],
          [2, 3],
        ],
        1,
      ),
    ).toEqual(expected);
    expect(taken([[0], [1], [2], [3]], 2)).toEqual(expected);
  });

  it('that have sums only count where nothing else is known, and give way to what is finer', () => {
    const sums = sample(0, { seconds: 23 * 3600, available: 9, denials: 2, whole: { peak: 8, licenseSeconds: 7200 } });
    const store = open();
    runAtOnce(store.seal(day + 1));
    put(store, 'api', 86_400, sums);
    expect(totalsOf(store)).toMatchObject({ inUse: 8, available: 9, denials: 2, licenseSeconds: 7200 });
    put(store, 'api again', 86_400, { ...sums, denials: 3 });
    expect(totalsOf(store)).toMatchObject({ inUse: 8, denials: 3, licenseSeconds: 7200 });
    put(store, 'log', 0, sample(0, { inUse: 2, denials: 0 }));
    expect(totalsOf(store)).toMatchObject({ inUse: 2, denials: 0, licenseSeconds: 600 });
    put(store, 'api, later', 86_400, sums);
    expect(totalsOf(store)).toMatchObject({ inUse: 2, denials: 0, licenseSeconds: 600 });
    store.close();
  });

  it('leave what was recorded as it is when only its hours are left', () => {
    const store = open();
    runAtOnce(
      store.record(
        start,
        SLOT,
        onlyFigures([[series, { available: 9, inUse: 2, reserved: 0, users: 1, denials: undefined }]]),
      ),
    );
    runAtOnce(store.seal(day + 1));
    runAtOnce(store.prune(day + 1, 0));
    put(store, 'log', 0, sample(0, { inUse: 8, denials: 3 }), sample(24, { inUse: 5, denials: 1 }));
    expect(totalsOf(store)).toMatchObject({ available: 9, inUse: 5, denials: 4, licenseSeconds: 7 * SLOT });
    store.close();
  });
});
