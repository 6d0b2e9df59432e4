import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeHours } from '../../../src/analyzer/history/day-codec.ts';
import { decodeHours, HourColumns } from '../../../src/analyzer/history/hour-columns.ts';
import type { HourSummary } from '../../../src/analyzer/history/hour-summary.ts';
import { createRecordedDemand, type DayOfColumns } from '../../../src/analyzer/history/recorded-demand.ts';
import type { Figures, Series } from '../../../src/analyzer/history/sample.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { isLong } from '../../support/extent.ts';
import { createCleanup } from '../../support/harness.ts';
import { randomHours } from '../../support/hour-summaries.ts';
import { seed } from '../../support/seed.ts';
import { onlyFigures } from '../../support/store-samples.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const runs = { seed, numRuns: isLong ? 2000 : 200 };

/** A day in columns, as the hours of the other decoder. The users are not decoded. */
function toHours(columns: Omit<DayOfColumns, 'day' | 'hour'> & { readonly index: Float64Array }): object[] {
  const { index, count, available, reserved, denials, firstLevel, inUse, seconds } = columns;
  const known = (value: number | undefined): number | undefined => (Number.isNaN(value) ? undefined : value);
  return Array.from({ length: count }, (_, i) => {
    const [from = 0, to = 0] = [firstLevel[i], firstLevel[i + 1]];
    const levels = Array.from({ length: to - from }, (__, j) => [known(inUse[from + j]), seconds[from + j]]);
    return {
      index: index[i],
      available: known(available[i]),
      reserved: known(reserved[i]),
      denials: known(denials[i]),
      levels,
    };
  });
}

const withoutUsers = (hours: readonly HourSummary[]): object[] => hours.map(({ users: _, ...hour }) => hour);

describe('hours in columns', () => {
  it('are those of the other decoder, day after day in the same memory', () => {
    const columns = new HourColumns();
    fc.assert(
      fc.property(randomHours(100), (hours) => {
        const bytes = encodeHours(hours);
        columns.decode(bytes);
        expect(toHours(columns)).toEqual(withoutUsers(decodeHours(bytes)));
      }),
      runs,
    );
  });

  it('are refused where the other decoder refuses them', () => {
    const outcome = (decode: () => void): string => {
      try {
        decode();
        return 'decoded';
      } catch (error) {
        return (error as Error).name;
      }
    };
    const columns = new HourColumns();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const found = outcome(() => columns.decode(bytes));
        expect(found).toBe(outcome(() => decodeHours(bytes)));
      }),
      { ...runs, numRuns: isLong ? 5000 : 1000 },
    );
  });
});

const localTime = createLocalTime('Europe/Berlin');
const one: Series = { vendorLicense: 'a;d', feature: 'f', package: '', featureType: 'feature' };
/** The day on which the clock is set forward. */
const SPRING = localTime.dayOf(Date.UTC(2026, 2, 29, 12) / 1000);

function record(store: Store, at: number, figures: Partial<Figures>): void {
  const unknown = { available: undefined, inUse: undefined, reserved: undefined, users: undefined, denials: undefined };
  for (const _ of store.record(at, 3600, onlyFigures([[one, { ...unknown, ...figures }]])));
}

function startStore(): Store {
  const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
  cleanup.add(() => store.close());
  return store;
}

const demandOf = (store: Store) =>
  createRecordedDemand({
    store: () => store,
    localTime,
    origin: 'test',
    intervalOf: () => 300,
    pastAdded: async () => undefined,
    pastDaysLeft: () => undefined,
    onImported: () => undefined,
    denials: { sinceStart: () => [], today: async () => ({ series: [] }), yesterday: async () => ({ series: [] }) },
    blocked: { sinceStart: () => [], now: () => [] },
    reclaimable: { now: () => [] },
  });

describe('recorded demand', () => {
  it('has the sealed days before a day, with the hours of the clock', () => {
    const store = startStore();
    for (const day of [SPRING - 1, SPRING, SPRING + 1, SPRING + 2]) {
      for (const { start, hour } of localTime.hoursOf(day)) {
        record(store, start, { available: 20, inUse: hour % 5, denials: hour === 7 ? 2 : 0 });
      }
    }
    for (const _ of store.seal(SPRING + 2));
    const demand = demandOf(store);
    const [series] = demand.series();
    if (series === undefined) throw new Error('there is no series');
    expect(demand.sealedUntil()).toBe(SPRING + 2);
    const totals = demand.totals(series, SPRING + 10);
    expect(totals).toMatchObject({
      day: Int32Array.of(SPRING - 1, SPRING, SPRING + 1),
      available: Float64Array.of(20, 20, 20),
      inUse: Float64Array.of(4, 4, 4),
      denials: Float64Array.of(2, 2, 2),
    });
    expect([...totals.reserved]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect([...demand.totals(series, SPRING).day]).toEqual([SPRING - 1]);
    const clocks: [number, number[]][] = [];
    for (const day of demand.hours(series, SPRING - 400, SPRING + 1)) {
      if (day !== undefined) clocks.push([day.day, [...day.hour.subarray(0, day.count)]]);
    }
    const whole = Array.from({ length: 24 }, (_, hour) => hour);
    // the hour from 2 to 3 does not exist
    expect(clocks).toEqual([
      [SPRING - 1, whole],
      [SPRING, whole.filter((hour) => hour !== 2)],
    ]);
  });

  it('has the people who waited, of the days of which they are known', () => {
    const store = startStore();
    const wait = { cause: 'all_busy', ended: 'got', episodes: 2, seconds: 60, people: 1 } as const;
    for (const day of [0, 1, 2]) record(store, localTime.startOf(SPRING + day), { denials: 1 });
    for (const _ of store.addBlocked([
      [one, { day: SPRING, waits: [wait] }],
      [one, { day: SPRING + 1, waits: [] }],
    ]));
    const demand = demandOf(store);
    const [series] = demand.series();
    if (series === undefined) throw new Error('there is no series');
    expect(demand.waits(series, SPRING, SPRING + 3)).toEqual([
      { day: SPRING, waits: [wait] },
      { day: SPRING + 1, waits: [] },
    ]);
    expect(demand.waits(series, SPRING + 1, SPRING + 3)).toHaveLength(1);
  });

  it('can be read twice at once', () => {
    const store = startStore();
    for (const day of [0, 1, 2]) record(store, localTime.startOf(SPRING + day), { available: 9, inUse: day + 1 });
    for (const _ of store.seal(SPRING + 3));
    const demand = demandOf(store);
    const [series] = demand.series();
    if (series === undefined) throw new Error('there is no series');
    const first = demand.hours(series, SPRING, SPRING + 3);
    const second = demand.hours(series, SPRING, SPRING + 3);
    const next = (days: typeof first): number | undefined => days.next().value?.inUse[0];
    expect([next(first), next(second), next(first), next(first)]).toEqual([1, 1, 2, 3]);
    expect([next(second), next(second)]).toEqual([2, 3]);
  });
});
