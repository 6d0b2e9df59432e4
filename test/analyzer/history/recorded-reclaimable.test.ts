import { describe, expect, it } from 'vitest';
import { DOWN_AFTER } from '../../../src/analyzer/history/collector.ts';
import { createReclaimableRecord } from '../../../src/analyzer/history/recorded-reclaimable.ts';
import type { Checkout, Collected, PoolObservation } from '../../../src/base/model/observation/observation.ts';

const NOW = 1_800_000_000;

const checkout = (user: string, more: Partial<Checkout> = {}): Checkout => ({
  user,
  host: 'ws1',
  display: '',
  since: NOW - 60,
  licenses: 1,
  handle: user,
  shareHandle: undefined,
  borrowed: false,
  status: { state: 'active', seconds: 60 },
  ...more,
});

const pool = (
  feature: string,
  checkouts: readonly Checkout[],
  more: Partial<PoolObservation> = {},
): PoolObservation => ({
  feature,
  version: '',
  package: '',
  featureType: 'feature',
  licenseType: 'floating',
  licenseModel: 'concurrent',
  increments: [],
  reservations: [],
  checkouts,
  queued: [],
  denials: undefined,
  ...more,
});

const collected = (pools: readonly PoolObservation[], more: Partial<Collected['observation']> = {}): Collected => ({
  source: 's',
  name: 'a;d',
  collectedAt: NOW,
  observation: { server: 'a', daemon: 'd', part: '', reachable: true, pools, ...more },
});

async function featuresOf(one: Collected, now = NOW) {
  const record = createReclaimableRecord(
    () => [one],
    () => now,
  );
  await record.add([one]);
  return [...record.now()].map(({ features }) => features);
}

const idle = { status: { state: 'inactive', seconds: 7200 } } as const;
const zeros = { orphan: 0, idle: 0, borrowed: 0, duplicate: 0 };

describe('what could come back of a vendor license', () => {
  it('is said by feature, all versions and spellings together', async () => {
    const pools = [
      pool('solver', [checkout('ada', idle), checkout('bob', { handle: 'b1' })], { version: '1' }),
      pool('Solver', [checkout('BOB', { handle: 'b2', since: NOW })], { version: '2' }),
      pool('mesh', [checkout('ada', { licenses: 3, status: { state: 'terminated' } })]),
    ];
    expect(await featuresOf(collected(pools))).toEqual([
      [
        { feature: 'solver', licenses: { ...zeros, idle: 1, duplicate: 1 } },
        { feature: 'mesh', licenses: { ...zeros, orphan: 3 } },
      ],
    ]);
  });

  it('has nothing of a kind that the source does not report', async () => {
    const kindsOf = async (more: Partial<PoolObservation>) => {
      const [features] = await featuresOf(collected([pool('solver', [checkout('ada', idle)], more)]));
      return Object.keys(features?.[0]?.licenses ?? {}).join(' ');
    };
    expect(await kindsOf({})).toBe('orphan idle duplicate borrowed');
    expect(await kindsOf({ unknownOfCheckouts: ['status'] })).toBe('duplicate borrowed');
    expect(await kindsOf({ unknownOfCheckouts: ['ended'] })).toBe('idle duplicate borrowed');
    expect(await kindsOf({ unknownOfCheckouts: ['borrowed'] })).toBe('orphan idle duplicate');
    expect(await kindsOf({ unknownOfCheckouts: ['list'] })).toBe('');
  });

  it('leaves out a feature without a list of which nothing is in use', async () => {
    const pools = [pool('solver', []), pool('mesh', [], { inUse: 0, unknownOfCheckouts: ['list', 'status'] })];
    expect(await featuresOf(collected(pools))).toEqual([[{ feature: 'solver', licenses: zeros }]]);
  });

  it('leaves out tokens: those who hold them are listed with what takes them', async () => {
    const token = { pool: 'TOKENS', source: 'a;d', cost: 2 };
    const own = [checkout('ada', { licenses: 2, ...idle })];
    const pools = [pool('tokens', own), pool('solver', own, { token }), pool('mesh', [], { token: 'unknown' })];
    const [features] = await featuresOf(collected(pools));
    expect(features).toEqual([
      { feature: 'solver', licenses: { ...zeros, idle: 2 } },
      { feature: 'mesh', licenses: zeros },
    ]);
  });

  it('counts no license that others use too', async () => {
    const shared = [
      checkout('ada', { handle: '7', ...idle }),
      checkout('ada', { handle: '8', shareHandle: '7', licenses: 0, ...idle }),
      // a handle that is listed twice could be either
      checkout('bob', { handle: '9', ...idle }),
      checkout('cid', { handle: '9', ...idle }),
      checkout('dan', { handle: '10', ...idle }),
    ];
    const [features] = await featuresOf(collected([pool('solver', shared)]));
    expect(features?.[0]?.licenses).toEqual({ ...zeros, idle: 1 });
  });

  it('is not known before a collection, of one that is down, and where features are missing', async () => {
    const one = collected([pool('solver', [checkout('ada', idle)])]);
    const record = createReclaimableRecord(
      () => [one],
      () => NOW,
    );
    expect([...record.now()]).toEqual([{ vendorLicense: 'a;d', features: undefined }]);
    expect(await featuresOf(one, NOW + DOWN_AFTER)).toEqual([]);
    expect(await featuresOf(collected(one.observation.pools, { hasOtherPools: true }))).toEqual([undefined]);
  });

  it('is that of the last collection, and the same list until the next one', async () => {
    let current = collected([pool('solver', [checkout('ada', idle)])]);
    const record = createReclaimableRecord(
      () => [current],
      () => NOW,
    );
    await record.add([current]);
    const [first] = record.now();
    expect([...record.now()][0]?.features).toBe(first?.features);
    current = collected([pool('solver', [checkout('ada')])]);
    expect([...record.now()][0]?.features).toBeUndefined();
    await record.add([current]);
    expect([...record.now()][0]?.features).toEqual([{ feature: 'solver', licenses: zeros }]);
  });
});
