import { describe, expect, it } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { EndedWaits } from '../../../src/base/model/observation/observation.ts';
import type { Demand, DemandColumns, SeriesName } from '../../../src/insight/advice/method/demand.ts';
import { evaluateDemand } from '../../../src/insight/advice/method/evaluation.ts';
import { keyOf, knownFeaturesOf } from '../../../src/insight/advice/pass/known-features.ts';
import { createRecordedSource, type RecordedHistory } from '../../../src/insight/advice/pass/recorded-demand-source.ts';
import { contextOf } from '../../support/advice-context.ts';
import { deriveInventoryNow, everything } from '../../support/derived-inventory.ts';
import { drawHours, kinds, PAST } from '../../support/drawn-hours.ts';
import { recordHours, TODAY } from '../../support/recorded-hours.ts';
import { answer, createSnapshot, feature, good, NOW, product } from '../../support/scenario.ts';

/** Licenses that are taken by other features: tokens, and packages. */

const VENDOR_LICENSE = 'lic01;cdslmd';
const seriesOf = (name: string, more: Partial<SeriesName> = {}): SeriesName => ({
  vendorLicense: VENDOR_LICENSE,
  feature: name,
  package: '',
  featureType: 'feature',
  ...more,
});

interface Recorded {
  readonly series: SeriesName;
  readonly record: Parameters<typeof feature>[0];
  readonly demand: Demand;
}

/** What a source reads of a series, if these are recorded and listed. */
async function read(
  all: readonly Recorded[],
  series: SeriesName,
  { onDay = () => undefined, signal = new AbortController().signal }: { onDay?: () => void; signal?: AbortSignal } = {},
): Promise<Demand> {
  const answers = {
    products: good(answer([product()])),
    down: good(answer([])),
    features: { '': good(answer(all.map(({ record }) => feature(record)))) },
  };
  const inventory = deriveInventoryNow(createSnapshot(answers), NOW, {
    ...everything,
    usageWhenNotCurrent: 'withhold',
  });
  const demandOf = (one: SeriesName): Demand => {
    const found = all.find((of) => keyOf(of.series) === keyOf(one));
    if (found === undefined) throw new Error(`${one.feature} is not recorded`);
    return found.demand;
  };
  const history: RecordedHistory = {
    localTime: createLocalTime('UTC'),
    series: () => all.map((one) => one.series),
    sealedUntil: () => TODAY,
    totals: (one) => demandOf(one).days,
    hours: function* (one, from, to) {
      const { detail } = demandOf(one);
      for (const day of detail.kind === 'hours' ? detail.hours(from, to) : []) {
        onDay();
        yield day;
      }
    },
    waits: (one, from, to) => {
      const { detail } = demandOf(one);
      const known = detail.kind === 'hours' ? [...detail.waits] : [];
      return known.flatMap(([day, waits]) => (day >= from && day < to ? [{ day, waits }] : []));
    },
    intervalOf: () => 300,
    pastAdded: async () => undefined,
    pastDaysLeft: () => undefined,
  };
  const source = createRecordedSource(history, () => true);
  source.list(knownFeaturesOf(inventory));
  return source.read(series, TODAY, signal);
}

/** The demand of features of a steady kind, hour by hour. */
const drawn = (count: number, size: number): Int32Array[] =>
  Array.from({ length: count }, (_, i) => drawHours(kinds[0] as (typeof kinds)[number], size, 77 + i));

const added = (all: readonly Int32Array[], join: (values: number[]) => number): Int32Array =>
  Int32Array.from(all[0] as Int32Array, (_, i) => join(all.map((hours) => hours[i] as number)));

const recorded = (hours: Int32Array, bought: number): Demand => recordHours(hours, PAST, () => bought);
const nothing = new Int32Array((drawn(1, 1)[0] as Int32Array).length);

const advise = (demand: Demand, bought: number) =>
  evaluateDemand(demand, contextOf({ today: TODAY, bought, refusalsRecorded: true }));

describe('a token pool', () => {
  const takers = drawn(5, 12);
  const costs = [1, 2, 3, 4, 2];
  const bought = 220;
  const pool = seriesOf('tokens');
  const of = (own: Int32Array): Recorded[] => [
    {
      series: pool,
      record: { feature: 'tokens', licenseModel: 'token', maxAvailable: bought },
      demand: recorded(own, bought),
    },
    ...takers.map((hours, i) => ({
      series: seriesOf(`f${i}`),
      record: { feature: `f${i}`, licenseModel: 'token', tokenPool: 'tokens', tokenCostValue: costs[i] as number },
      demand: recorded(hours, 1000),
    })),
  ];
  const taken = added(takers, (values) => values.reduce((sum, value, i) => sum + value * (costs[i] as number), 0));

  it('has the advice of one feature with the same demand in tokens', async () => {
    const found = advise(await read(of(nothing), pool), bought);
    const { reason, ...expected } = advise(recorded(taken, bought), bought);
    expect(expected.state).toBe('could go');
    expect(found).toMatchObject({ ...expected, vendorLicense: VENDOR_LICENSE, feature: 'tokens' });
    expect(found.reason).toBe(reason);
  });

  it('has what is recorded of it, where that is more', async () => {
    const own = taken.map((tokens) => tokens + 7);
    const found = advise(await read(of(own), pool), bought);
    expect(found.peak).toBe(advise(recorded(own, bought), bought).peak);
  });

  it('is read a day of all features after the other, so that others get the thread, and that it can be canceled', async () => {
    const canceled = new AbortController();
    const tenDays = 10 * (takers.length + 1);
    let days = 0;
    const onDay = (): void => {
      days += 1;
      if (days === tenDays) canceled.abort(new Error('canceled'));
    };
    await expect(read(of(nothing), pool, { onDay, signal: canceled.signal })).rejects.toThrow('canceled');
    expect(days).toBeLessThan(tenDays + 2 * (takers.length + 1));
  });

  it('is not excluded, and what takes of it is', () => {
    const answers = {
      products: good(answer([product()])),
      down: good(answer([])),
      features: { '': good(answer(of(nothing).map(({ record }) => feature(record)))) },
    };
    const known = knownFeaturesOf(
      deriveInventoryNow(createSnapshot(answers), NOW, { ...everything, usageWhenNotCurrent: 'withhold' }),
    );
    expect(known.features.get(keyOf(pool))).toMatchObject({ exclusion: undefined, isTaking: false });
    expect(known.features.get(keyOf(seriesOf('f0')))).toMatchObject({
      exclusion: 'takes tokens of tokens, which has advice of its own',
      isTaking: true,
    });
  });

  it('never has less in use than its features took at any time of an hour', async () => {
    // 10 minutes each, not at the same time
    const levels = (first: number): DemandColumns => ({
      day: TODAY - 1,
      count: 1,
      hour: Float64Array.of(9),
      available: Float64Array.of(20),
      reserved: Float64Array.of(0),
      denials: Float64Array.of(1),
      firstLevel: Int32Array.of(0, 3),
      inUse: Float64Array.of(0, first, Number.NaN),
      seconds: Float64Array.of(2400, 600, 600),
    });
    const demandWith = (hour: DemandColumns): Demand => ({
      ...recorded(nothing, 20),
      detail: { kind: 'hours', hours: () => [hour], waits: new Map() },
    });
    const all = of(nothing).map((one, i) => ({ ...one, demand: demandWith(levels(i)) }));
    const { detail } = await read(all, pool);
    const [columns] = detail.kind === 'hours' ? [...detail.hours(TODAY - 1, TODAY)] : [];
    // 1·1 + 2·2 + 3·3 + 4·4 + 5·2 tokens at once, and what is not known stays so
    expect([...(columns?.inUse ?? [])].filter((value) => !Number.isNaN(value)).at(0)).toBe(40);
    expect([...(columns?.seconds ?? [])].reduce((sum, value) => sum + value, 0)).toBe(3600);
    expect([...(columns?.inUse ?? [])].some(Number.isNaN)).toBe(true);
    expect([...(columns?.denials ?? [])]).toEqual([6]);
  });
});

describe('the people who wait for features that take licenses', () => {
  const [used] = drawn(1, 12) as [Int32Array];
  const day = TODAY - 1;
  const wait = (cause: EndedWaits['cause']): EndedWaits => ({
    cause,
    ended: 'got',
    episodes: 1,
    seconds: 60,
    people: 1,
  });
  const waited = (demand: Demand, waits: readonly EndedWaits[] | undefined): Demand => ({
    ...demand,
    detail: { ...demand.detail, ...(waits && { waits: new Map([[day, waits]]) }) },
  });
  /** Requests for both features were refused on the day. */
  const refused = Int32Array.from(used, (licenses) => licenses + 1);
  const of = (own: readonly EndedWaits[] | undefined, second: readonly EndedWaits[] | undefined): Recorded[] => [
    {
      series: seriesOf('tokens'),
      record: { feature: 'tokens', licenseModel: 'token', maxAvailable: 100 },
      demand: recorded(nothing, 100),
    },
    ...[own, second].map((waits, i) => ({
      series: seriesOf(`f${i}`),
      record: { feature: `f${i}`, licenseModel: 'token', tokenPool: 'tokens', tokenCostValue: 1 },
      demand: waited(recorded(refused, 1), waits),
    })),
  ];
  const waitsOf = async (all: readonly Recorded[]) => {
    const { detail } = await read(all, seriesOf('tokens'));
    return detail.kind === 'hours' ? detail.waits.get(day) : undefined;
  };

  it('are those of all of them, and only hours say whether the pool was full', async () => {
    const all = of([wait('all_busy'), wait('expired')], [wait('free_elsewhere')]);
    expect((await waitsOf(all))?.map(({ cause }) => cause)).toEqual(['all_in_use', 'expired', 'free_elsewhere']);
  });

  it('are not known while those of one feature are not', async () => {
    expect(await waitsOf(of([wait('all_busy')], undefined))).toBeUndefined();
  });
});

describe('a package', () => {
  it('has the advice of the component that needs most at each time', async () => {
    const components = drawn(3, 15);
    const bought = 40;
    const suite = seriesOf('suite', { package: 'suite', featureType: 'package' });
    const all: Recorded[] = [
      {
        series: suite,
        record: { feature: 'suite', package: 'suite', featureType: 'package', maxAvailable: bought },
        demand: recorded(nothing, bought),
      },
      ...components.map((hours, i) => ({
        series: seriesOf(`f${i}`, { package: 'suite', featureType: 'component' }),
        record: { feature: `f${i}`, package: 'suite', featureType: 'component', maxAvailable: bought },
        demand: recorded(hours, bought),
      })),
    ];
    const found = advise(await read(all, suite), bought);
    const expected = advise(
      recorded(
        added(components, (values) => Math.max(...values)),
        bought,
      ),
      bought,
    );
    expect(expected.state).toBe('could go');
    expect([found.state, found.count, found.peak]).toEqual([expected.state, expected.count, expected.peak]);
  });
});
