import { afterEach, describe, expect, it } from 'vitest';
import { createDenialRecord, type DenialRecord } from '../../../src/analyzer/history/recorded-denials.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type { Collected, PoolObservation } from '../../../src/base/model/observation/observation.ts';
import { begin, onlyFigures, timeZone } from '../../support/store-samples.ts';

/** What readers of the same process learn of denials. */

const localTime = createLocalTime(timeZone);
let store: Store | undefined;
afterEach(() => store?.close());

const pool = (feature: string, more: Partial<PoolObservation>): PoolObservation => ({
  feature,
  version: '',
  package: '',
  featureType: 'feature',
  licenseType: 'floating',
  licenseModel: 'concurrent',
  increments: [],
  reservations: undefined,
  checkouts: [],
  queued: undefined,
  denials: undefined,
  ...more,
});

const collected = (...pools: readonly PoolObservation[]): readonly Collected[] => [
  {
    source: 's',
    name: 'srv;d',
    collectedAt: begin,
    observation: { server: 'srv', daemon: 'd', part: '', reachable: true, pools },
  },
];

function createRecord(
  now = begin + 7200,
  isPastAdded = () => true,
): { record: DenialRecord; opened: Store; at: (recordedAt: number) => void } {
  const opened = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 24 });
  store = opened;
  let recordedAt = begin;
  const options = { localTime, now: () => now, store: () => opened, recordedAt: () => recordedAt, isPastAdded };
  const record = createDenialRecord(options);
  return {
    record,
    opened,
    at: (next) => {
      recordedAt = next;
    },
  };
}

const figures = (denials: number | undefined) => ({ available: 1, inUse: 1, reserved: 0, users: 1, denials });
const series = (feature: string) => ({ vendorLicense: 'srv;d', feature, package: '', featureType: 'feature' });

describe('denials since the start', () => {
  it('are counted by series and cause, over versions and collections', () => {
    const { record } = createRecord();
    const some = pool('a', { denials: 5, denialCauses: { all_in_use: 3, expired: 1 } });
    record.add(collected(some, pool('a', { version: '2', denials: 1, denialCauses: { all_in_use: 1 } })));
    record.add(collected(some, pool('b', { denials: 0, denialCauses: {} }), pool('c', {})));
    const counts = [...record.sinceStart()].map(({ feature, cause, count }) => [feature, cause, count]);
    expect(counts).toEqual([
      ['a', 'all_in_use', 7],
      ['a', 'expired', 2],
      ['a', undefined, 2],
    ]);
  });
});

describe('denials of today', () => {
  const add = (to: Store, at: number, of: readonly (readonly [string, number | undefined])[]): void => {
    for (const _ of to.record(at, 60, onlyFigures(of.map(([name, denials]) => [series(name), figures(denials)]))));
  };

  it('are not known while the history before the start is still being added', async () => {
    let isAdded = false;
    const { record, opened } = createRecord(undefined, () => isAdded);
    const reason = 'the history before the start is still being added';
    await expect(record.today()).rejects.toThrow(reason);
    await expect(record.yesterday()).rejects.toThrow(reason);
    add(opened, begin, [['a', 4]]);
    isAdded = true;
    expect((await record.today()).series).toEqual([{ ...series('a'), denials: 4 }]);
  });

  it('are the sum of the day, and only of series of which they are known', async () => {
    const { record, opened } = createRecord();
    add(opened, begin - 3600, [['a', 100]]);
    add(opened, begin, [
      ['a', 2],
      ['b', 0],
      ['c', undefined],
    ]);
    add(opened, begin + 60, [
      ['a', 3],
      ['b', undefined],
      ['c', undefined],
    ]);
    const { series: known } = await record.today();
    expect(known.map(({ feature, denials }) => [feature, denials])).toEqual([
      ['a', 5],
      ['b', 0],
    ]);
    // an hour before the day began
    expect((await record.yesterday()).series.map(({ feature, denials }) => [feature, denials])).toEqual([['a', 100]]);
  });

  it('are read once for each collection', async () => {
    const { record, opened, at } = createRecord();
    add(opened, begin, [['a', 2]]);
    const first = await record.today();
    add(opened, begin + 60, [['a', 3]]);
    expect(await record.today()).toBe(first);
    at(begin + 60);
    expect((await record.today()).series[0]?.denials).toBe(5);
  });
});
