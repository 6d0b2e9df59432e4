import { afterEach, describe, expect, it } from 'vitest';
import { BlockedTable, hasSameWaits, moreWaits } from '../../../src/analyzer/history/blocked-table.ts';
import { openHistoryFile } from '../../../src/analyzer/history/history-file.ts';
import type { EndedWaits } from '../../../src/base/model/observation/observation.ts';
import { createCleanup } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function openTable(): BlockedTable {
  const file = openHistoryFile({ path: undefined, timeZone: 'UTC', origin: 'test', maxSize: 2 ** 30 });
  cleanup.add(() => file.close());
  return new BlockedTable(file);
}

const waits = (episodes: number, more: Partial<EndedWaits> = {}): EndedWaits => ({
  cause: 'all_busy',
  ended: 'got',
  episodes,
  seconds: 60 * episodes,
  people: 1,
  ...more,
});

describe('the table of people who waited', () => {
  it('adds up what ends during a day', () => {
    const table = openTable();
    table.add(1, { day: 10, waits: [waits(2, { people: 2 }), waits(1, { ended: 'gave_up' })] });
    // after a restart, nobody knows who waited before: they are other people
    table.add(1, { day: 10, waits: [waits(1, { people: 1 })] });
    expect(table.of(1, 10)).toEqual([
      waits(1, { ended: 'gave_up' }),
      { cause: 'all_busy', ended: 'got', episodes: 3, seconds: 180, people: 3 },
    ]);
  });

  it('does not know a day on which a person was refused whom the log does not name', () => {
    const table = openTable();
    table.add(1, { day: 10, waits: [waits(2)] });
    table.add(1, { day: 10, waits: undefined });
    table.add(1, { day: 10, waits: [waits(1)] });
    table.add(1, { day: 11, waits: [waits(1)] });
    expect([table.of(1, 10), table.days(1, 9, 12)]).toEqual([undefined, [{ day: 11, waits: [waits(1)] }]]);
  });

  it('knows of a day that nobody waited, and of others nothing', () => {
    const table = openTable();
    table.add(1, { day: 10, waits: [] });
    expect([table.of(1, 10), table.of(1, 11), table.of(2, 10)]).toEqual([[], undefined, undefined]);
    expect(table.days(1, 9, 12)).toEqual([{ day: 10, waits: [] }]);
  });

  it('has days from one to before another, in order, of one series', () => {
    const table = openTable();
    for (const day of [12, 10, 11]) table.add(1, { day, waits: [waits(day)] });
    table.add(2, { day: 10, waits: [waits(1)] });
    expect(table.days(1, 10, 12).map(({ day, waits: own }) => [day, own[0]?.episodes])).toEqual([
      [10, 10],
      [11, 11],
    ]);
    expect([...table.all()].map(({ id, day }) => [id, day])).toEqual([
      [1, 10],
      [1, 11],
      [1, 12],
      [2, 10],
    ]);
  });

  it('takes of several imports the one with more waits, and never doubles them', () => {
    const table = openTable();
    const merged = [waits(2), waits(2), waits(3), waits(1)].map((one) => table.merge(1, { day: 10, waits: [one] }));
    expect(merged).toEqual([true, false, true, false]);
    expect(table.of(1, 10)).toEqual([waits(3)]);
  });

  it('keeps what was recorded before an import, and adds what is recorded after one', () => {
    const table = openTable();
    table.add(1, { day: 10, waits: [waits(1, { cause: 'free_elsewhere' })] });
    expect(table.merge(1, { day: 10, waits: [waits(5, { cause: 'all_in_use' })] })).toBe(false);
    expect(table.of(1, 10)).toEqual([waits(1, { cause: 'free_elsewhere' })]);
    table.merge(1, { day: 11, waits: [waits(5)] });
    table.add(1, { day: 11, waits: [waits(1)] });
    expect(table.merge(1, { day: 11, waits: [waits(9)] })).toBe(false);
    expect(table.of(1, 11)).toEqual([waits(6, { people: 2 })]);
  });

  it('is replaced by an archive, also by a day whose people are not known', () => {
    const table = openTable();
    table.add(1, { day: 10, waits: [waits(4)] });
    table.replace(1, 10, [waits(2)]);
    expect(table.of(1, 10)).toEqual([waits(2)]);
    table.replace(1, 10, undefined);
    expect(table.of(1, 10)).toBeUndefined();
  });

  it('forgets old days', () => {
    const table = openTable();
    for (const day of [9, 10]) table.add(1, { day, waits: [waits(1)] });
    table.prune(1, 10);
    expect([table.of(1, 9), table.of(1, 10)]).toEqual([undefined, [waits(1)]]);
  });
});

describe('two recordings of a day', () => {
  it('are the same in any order', () => {
    const [a, b] = [waits(1), waits(2, { ended: 'lost' })];
    expect(hasSameWaits([a, b], [b, a])).toBe(true);
    expect(hasSameWaits([a, b], [a])).toBe(false);
    expect([hasSameWaits(undefined, []), hasSameWaits(undefined, undefined)]).toEqual([false, true]);
  });

  it('have the waits of the one with more, and what is not known counts least', () => {
    const [few, many] = [[waits(1)], [waits(1), waits(1, { ended: 'lost' })]];
    expect([moreWaits(few, many), moreWaits(many, few)]).toEqual([many, many]);
    expect([moreWaits<readonly EndedWaits[] | undefined>(undefined, []), moreWaits(few, undefined)]).toEqual([[], few]);
  });
});
