import { describe, expect, it } from 'vitest';
import { blockedOf, createBlockedRecord } from '../../../src/analyzer/history/recorded-blocked.ts';
import type {
  Blocked,
  Collected,
  EndedWaits,
  PoolObservation,
  WaitingPeople,
} from '../../../src/base/model/observation/observation.ts';

const NOW = 1_800_000_000;
const DAY = 20_000;
const pool: PoolObservation = {
  feature: 'solver',
  version: '1.0',
  package: '',
  featureType: 'feature',
  licenseType: 'floating',
  licenseModel: 'concurrent',
  increments: [],
  reservations: undefined,
  checkouts: [],
  queued: undefined,
  denials: 0,
};
const series = { vendorLicense: 'lic1;vend', feature: 'solver', package: '', featureType: 'feature' };

function collected(pools: readonly Partial<PoolObservation>[], more: Partial<Collected> = {}): Collected {
  const observation = { server: 'lic1', daemon: 'vend', part: '', reachable: true };
  const all = pools.map((one) => ({ ...pool, ...one }));
  return {
    source: 'lic1',
    name: 'lic1;vend',
    collectedAt: NOW,
    observation: { ...observation, pools: all },
    ...more,
  };
}

const blocked = (more: Partial<Blocked> = {}): Blocked => ({ now: [], day: DAY, ended: [], ...more });
const wait: EndedWaits = { cause: 'all_busy', ended: 'got', episodes: 2, seconds: 90, people: 1 };
const waiting: WaitingPeople = { cause: 'all_busy', people: 1, fresh: 1, since: NOW, seconds: 0 };

describe('what is recorded of a collection', () => {
  const recorded = (one: Partial<PoolObservation>) => [...blockedOf([collected([one])])];

  it('are waits that ended, and that people are known where requests were refused', () => {
    expect(recorded({ blocked: blocked({ ended: [wait] }) })).toEqual([[series, { day: DAY, waits: [wait] }]]);
    expect(recorded({ denials: 1, blocked: blocked() })).toEqual([[series, { day: DAY, waits: [] }]]);
  });

  it('is nothing where nobody was refused, and where people are not known', () => {
    expect(recorded({ blocked: blocked() })).toEqual([]);
    expect(recorded({ denials: undefined, blocked: blocked() })).toEqual([]);
    expect(recorded({ denials: 5 })).toEqual([]);
  });
});

describe('people for readers in the same process', () => {
  it('are counted since the start, by cause and ending', () => {
    const record = createBlockedRecord(
      () => [],
      () => NOW,
    );
    const lost = { ...wait, ended: 'lost', episodes: 1, seconds: 10 } as const;
    record.add([collected([{ blocked: blocked({ ended: [wait] }) }])]);
    record.add([collected([{ blocked: blocked({ ended: [wait, lost] }) }])]);
    expect([...record.sinceStart()]).toEqual([
      { ...series, cause: 'all_busy', ended: 'got', episodes: 4, seconds: 180 },
      { ...series, cause: 'all_busy', ended: 'lost', episodes: 1, seconds: 10 },
    ]);
  });

  it('who wait are those of the last collection, while the vendor license is not down', () => {
    const first = collected([{ blocked: blocked({ now: [waiting] }) }]);
    let current = [first];
    const record = createBlockedRecord(
      () => current,
      () => NOW,
    );
    expect([...record.now()]).toEqual([]);
    record.add([first]);
    expect([...record.now()]).toEqual([{ ...series, now: [waiting], day: DAY }]);
    current = [{ ...first, collectedAt: NOW - 3600 }];
    expect([...record.now()]).toEqual([]);
    current = [first];
    record.add([collected([{ blocked: blocked() }])]);
    expect([...record.now()]).toMatchObject([{ now: [] }]);
  });

  it('are not there while a collection does not know them', () => {
    const record = createBlockedRecord(
      () => [collected([{}])],
      () => NOW,
    );
    record.add([collected([{ blocked: blocked({ now: [waiting] }) }])]);
    record.add([collected([{}])]);
    expect([...record.now()]).toEqual([]);
  });

  it('say for the rest of the day where licenses were free', () => {
    const record = createBlockedRecord(
      () => [collected([{}])],
      () => NOW,
    );
    const elsewhere = { vendorLicense: 'lic2;vend', licenses: 3 };
    const known = () => [...record.now()].map((one) => one.elsewhere);
    record.add([collected([{ blocked: blocked({ elsewhere }) }])]);
    record.add([collected([{ blocked: blocked() }])]);
    expect(known()).toEqual([elsewhere]);
    record.add([collected([{ blocked: blocked({ day: DAY + 1 }) }])]);
    expect(known()).toEqual([undefined]);
  });
});
