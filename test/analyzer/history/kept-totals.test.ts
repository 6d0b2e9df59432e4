import { expect, it } from 'vitest';
import { type Recorded, totalsOfDays } from '../../../src/analyzer/history/recorded-days.ts';
import type { Sample } from '../../../src/analyzer/history/sample.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { begin, figuresAt, series as many, onlyFigures, origin, timeZone } from '../../support/store-samples.ts';

/** The sums of several series on days that are over are computed once, and again after any change of these days. */

const localTime = createLocalTime(timeZone);
const today = localTime.dayOf(begin);
const HOUR = 3600;
const DAYS = 4;
const series = many.slice(0, 5);
/** Whose import it is. */
const log = { key: 'log', form: 'FlexNet debug log', name: 'a.log', at: 0, seconds: 0, asOfNow: false };

/** A store with four days, of which three are sealed, and how many days of series were read from it. */
function setUp() {
  const store = openStore({ path: undefined, localTime, origin, maxSize: 2 ** 30 });
  for (let day = 0; day < DAYS; day += 1) {
    for (let hour = 0; hour < 20; hour += 1) {
      const at = localTime.startOf(today + day) + hour * HOUR;
      const figures = series.map((one, s) => [one, figuresAt(day * 24 + hour, s)] as const);
      runAtOnce(store.record(at, HOUR, onlyFigures(figures)));
    }
  }
  runAtOnce(store.seal(today + DAYS - 1));
  let reads = 0;
  const counted: Store = {
    ...store,
    read: (...of) => {
      reads += 1;
      return store.read(...of);
    },
  };
  const at = localTime.startOf(today + DAYS) - 1;
  /** What is answered, and the days that were read for it. */
  const ask = async () => {
    const before = reads;
    const recorded: Recorded = { store: counted, localTime, now: at };
    const totals = await totalsOfDays(recorded, counted.series());
    // of another store, nothing is kept
    const computed = await totalsOfDays({ ...recorded, store: { ...store } }, counted.series());
    expect(totals).toEqual(computed);
    return { totals, days: (reads - before) / store.series().length };
  };
  return { store, ask };
}

const samplesOf = (day: number, inUse: number): readonly Sample[] => [
  {
    ...{ at: localTime.startOf(day) + 22 * HOUR, seconds: HOUR },
    ...{ available: 99, inUse, reserved: 0, users: inUse, denials: 7 },
  },
];

it('reads a day that is over once, and the day that goes on each time', async () => {
  const { ask } = setUp();
  const before = await ask();
  expect([before.totals.length, before.days]).toEqual([DAYS, DAYS]);
  expect(await ask()).toEqual({ totals: before.totals, days: 1 });
});

const [first] = series;
if (first === undefined) throw new Error('unreachable: there are series');

it.each<[what: string, change: (store: Store) => void, again: number]>([
  [
    'an import',
    (store) => runAtOnce(store.import([{ series: first, day: today, samples: samplesOf(today, 50) }], log)),
    1,
  ],
  [
    'the past of a simulated site',
    (store) =>
      runAtOnce(store.add([{ series: first, day: today + 1, samples: samplesOf(today + 1, 50) }], ['note', 'x'])),
    1,
  ],
  ['samples that are forgotten', (store) => runAtOnce(store.prune(today + 2, today)), 3],
  ['days that are forgotten', (store) => runAtOnce(store.prune(today + 1, today + 1)), 2],
  [
    'a write that was rolled back',
    (store) => {
      const one = { series: first, day: today, samples: samplesOf(today, 50) };
      const steps = store.add(Array(17).fill(one), ['note', 'x']);
      steps.next();
      steps.return();
    },
    3,
  ],
])('reads again after %s what it may have changed', async (_, change, again) => {
  const { store, ask } = setUp();
  await ask();
  change(store);
  expect((await ask()).days).toBe(again + 1);
});

it('reads again what was recorded after the clock was set back', async () => {
  const { store, ask } = setUp();
  const before = await ask();
  const late = localTime.startOf(today + 1) + 22 * HOUR;
  runAtOnce(store.record(late, HOUR, onlyFigures(series.map((each) => [each, figuresAt(900, 1)]))));
  runAtOnce(store.seal(today + DAYS - 1));
  expect((await ask()).totals).not.toEqual(before.totals);
});
