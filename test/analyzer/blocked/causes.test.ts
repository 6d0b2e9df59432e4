import { describe, expect, it } from 'vitest';
import { divide } from '../../../src/analyzer/blocked/causes.ts';
import type {
  ApplicationStatus,
  Checkout,
  Collected,
  PoolObservation,
} from '../../../src/base/model/observation/observation.ts';

const NOW = 1_800_000_000;

function poolOf(changes: Partial<PoolObservation> = {}): PoolObservation {
  return {
    feature: 'solver',
    version: '1.0',
    package: '',
    featureType: 'feature',
    licenseType: 'floating',
    licenseModel: 'concurrent',
    increments: [],
    inUse: 2,
    available: 0,
    reservations: [],
    checkouts: [],
    queued: undefined,
    denials: undefined,
    ...changes,
  };
}

const checkoutOf = (status: ApplicationStatus | undefined, changes: Partial<Checkout> = {}): Checkout => ({
  user: 'ada',
  host: 'ws1',
  display: '',
  since: NOW - 9000,
  licenses: 1,
  handle: '1',
  shareHandle: undefined,
  borrowed: false,
  status,
  ...changes,
});

const collected = (server: string, pools: readonly PoolObservation[], age = 60): Collected => ({
  source: server,
  name: `${server};vend`,
  collectedAt: NOW - age,
  observation: { server, daemon: 'vend', part: '', reachable: true, pools },
});

const refused = { vendorLicense: 'LIC1;vend', feature: 'Solver', cause: 'all_in_use' } as const;
const causeIn = (...current: readonly Collected[]): string => divide(refused, current, NOW).cause;

const idle = { state: 'inactive', seconds: 3600 } as const;
const full = collected('lic1', [poolOf()]);

describe('the cause of a wait', () => {
  it('is that of the log, unless all licenses are in use', () => {
    for (const cause of ['expired', 'not_licensed', 'not_permitted', 'other'] as const) {
      expect(divide({ ...refused, cause }, [collected('lic2', [poolOf({ available: 3 })])], NOW).cause).toBe(cause);
    }
    expect(divide({ ...refused, cause: undefined }, [full], NOW).cause).toBe('unknown');
  });

  it('is first that licenses are free elsewhere, and says where most are', () => {
    const others = [1, 3, 2].map((available, i) => collected(`lic${i + 2}`, [poolOf({ available })]));
    expect(divide(refused, [full, ...others], NOW)).toEqual({
      cause: 'free_elsewhere',
      elsewhere: { vendorLicense: 'lic3;vend', licenses: 3 },
    });
    expect(causeIn(full, collected('lic2', [poolOf({ feature: 'mesh', available: 3 })]))).toBe('all_busy');
    expect(causeIn(full, collected('lic2', [poolOf({ available: 3 })], 3600))).toBe('all_busy');
  });

  it('is then that some are reserved, held by applications that nobody uses, or that all are busy', () => {
    const reservations = [{ holder: 'eve', licenses: 2, used: 1 }];
    const held = [checkoutOf(idle)];
    expect(causeIn(collected('lic1', [poolOf({ reservations, checkouts: held })]))).toBe('reserved_for_others');
    expect(causeIn(collected('lic1', [poolOf({ checkouts: held })]))).toBe('held_idle');
    expect(causeIn(collected('lic1', [poolOf({ checkouts: [checkoutOf({ state: 'terminated' })] })]))).toBe(
      'held_idle',
    );
    expect(causeIn(collected('lic1', [poolOf({ checkouts: [checkoutOf({ ...idle, seconds: 3599 })] })]))).toBe(
      'all_busy',
    );
    expect(causeIn(full)).toBe('all_busy');
  });

  it('is not what takes back no license', () => {
    const shared = [checkoutOf(idle), checkoutOf(idle, { handle: '2', shareHandle: '1', licenses: 0 })];
    expect(causeIn(collected('lic1', [poolOf({ checkouts: shared })]))).toBe('all_busy');
    expect(causeIn(collected('lic1', [poolOf({ checkouts: [checkoutOf(idle, { borrowed: true })] })]))).toBe(
      'all_busy',
    );
  });

  it('is not divided by what no collection says', () => {
    expect(causeIn()).toBe('all_in_use');
    expect(causeIn(collected('lic1', []))).toBe('all_in_use');
    expect(causeIn(collected('lic1', [poolOf()], 3600))).toBe('all_in_use');
    // the collection is older than the refusal
    expect(causeIn(collected('lic1', [poolOf({ available: 8 })]))).toBe('all_in_use');
    const { reservations: _, ...unknown } = poolOf();
    expect(causeIn(collected('lic1', [{ ...unknown, reservations: undefined }]))).toBe('all_in_use');
    const { available: __, inUse: ___, ...hidden } = poolOf({ unknownOfCheckouts: ['list'] });
    expect(causeIn(full, collected('lic2', [hidden]))).toBe('all_in_use');
    expect(causeIn(collected('lic1', [hidden]))).toBe('all_in_use');
  });
});
