import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogonThrottle, type LogonThrottle } from '../../../src/analyzer/server/logon-throttle.ts';
import { holderOf, networkOf, peerAddress } from '../../../src/base/model/peer-address.ts';
import { isLong } from '../../support/extent.ts';

const DAY_MS = 86_400_000;

interface Timed {
  readonly throttle: LogonThrottle;
  /** Epoch milliseconds. */
  at: number;
}

function createTimed(): Timed {
  const timed = { at: 1_800_000_000_000 };
  return Object.assign(timed, { throttle: createLogonThrottle(() => timed.at) });
}

/** Fails as soon as it is admitted, and gives how long that took, in seconds. */
function fail(timed: Timed, user: string, address: string): number {
  const wait = timed.throttle.wait(user, address);
  timed.at += wait;
  expect(timed.throttle.wait(user, address)).toBe(0);
  timed.throttle.failed(user, address);
  return wait / 1000;
}

const series = (length: number, next: (i: number) => number): number[] => Array.from({ length }, (_, i) => next(i));

describe('a user at an address', () => {
  it('is held for a time that doubles, and no one else is', () => {
    const timed = createTimed();
    const waits = series(14, () => {
      const wait = fail(timed, 'Svc', '10.0.0.1');
      expect(timed.throttle.wait('svc', '10.0.0.2')).toBe(0);
      expect(timed.throttle.wait('other', '10.0.0.1')).toBe(0);
      return wait;
    });
    expect(waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
    timed.at += timed.throttle.wait('svc', '10.0.0.1');
    timed.throttle.succeeded('SVC', '10.0.0.1');
    timed.throttle.failed('svc', '10.0.0.1');
    expect(timed.throttle.wait('svc', '10.0.0.1')).toBe(0);
  });

  it('starts again after an hour', () => {
    const timed = createTimed();
    for (let i = 0; i < 9; i += 1) fail(timed, 'svc', '10.0.0.1');
    timed.at += 3_600_000;
    expect(series(4, () => fail(timed, 'svc', '10.0.0.1'))).toEqual([0, 0, 0, 1]);
  });

  it('is not held longer when the clock is set back', () => {
    const timed = createTimed();
    for (let i = 0; i < 5; i += 1) fail(timed, 'svc', '10.0.0.1');
    timed.at -= DAY_MS;
    expect(timed.throttle.wait('svc', '10.0.0.1')).toBe(4000);
    timed.at += 4000;
    expect(timed.throttle.wait('svc', '10.0.0.1')).toBe(0);
  });

  it('is forgotten when ten thousand others have failed since, not earlier', () => {
    const { throttle } = createTimed();
    for (let i = 0; i < 3; i += 1) throttle.failed('old', '10.0.0.1');
    for (let i = 0; i < 9_999; i += 1) throttle.failed(`user${i}`, `10.1.${i >> 8}.${i & 255}`);
    expect(throttle.wait('old', '10.0.0.1')).toBe(1000);
    throttle.failed('new', '10.0.0.2');
    expect(throttle.wait('old', '10.0.0.1')).toBe(0);
  });
});

describe('a user over all addresses', () => {
  it('has one attempt per 1, 2 … 30 seconds from the 20th failure on', () => {
    const timed = createTimed();
    // each from a network of its own
    const waits = series(60, (i) => fail(timed, 'svc', `10.${i}.0.1`));
    expect(waits.slice(0, 21)).toEqual([...Array(20).fill(0), 1]);
    expect(waits.slice(20)).toEqual(series(40, (i) => Math.min(30, i + 1)));
    expect(timed.throttle.wait('other', '10.0.0.1')).toBe(0);
  });

  it('gives no free attempts back after a good logon', () => {
    const timed = createTimed();
    for (let i = 0; i < 30; i += 1) fail(timed, 'svc', `10.${i}.0.1`);
    timed.at += 11_000;
    timed.throttle.succeeded('svc', '192.0.2.1');
    expect(fail(timed, 'svc', '10.99.0.1')).toBe(0);
    expect(timed.throttle.wait('svc', '10.98.0.1')).toBe(12_000);
  });

  it('is distinguished by the first 256 characters, in any case', () => {
    const { throttle } = createTimed();
    const name = 'n'.repeat(256);
    for (let i = 0; i < 20; i += 1) throttle.failed(`${name}${i}`, `10.${i}.0.1`);
    expect(throttle.wait(name.toUpperCase(), '192.0.2.1')).toBe(1000);
  });
});

describe('a network', () => {
  it.each([
    ['/24', (i: number) => `192.0.2.${i}`, '192.0.3.1'],
    ['/64', (i: number) => `2001:db8:0:1::${i.toString(16)}`, '2001:db8:0:2::1'],
  ])('(%s) has one attempt per 1, 2 … 30 seconds from the 100th failure on', (_, address, outside) => {
    const timed = createTimed();
    const waits = series(131, (i) => fail(timed, `user${i}`, address(i)));
    expect(waits).toEqual([...Array(100).fill(0), ...series(31, (i) => Math.min(30, i + 1))]);
    expect(timed.throttle.wait('any', address(200))).toBe(30_000);
    expect(timed.throttle.wait('any', outside)).toBe(0);
  });

  it('counts the last ten minutes', () => {
    const timed = createTimed();
    for (let i = 0; i < 50; i += 1) fail(timed, `user${i}`, '192.0.2.1');
    timed.at += 599_999;
    for (let i = 50; i < 100; i += 1) fail(timed, `user${i}`, '192.0.2.1');
    expect(timed.throttle.wait('any', '192.0.2.1')).toBe(1000);
    timed.at += 1;
    expect(timed.throttle.wait('any', '192.0.2.1')).toBe(0);
  });
});

describe('a known pair', () => {
  it('is held by nothing that fails elsewhere, for 30 days after its last logon', () => {
    const timed = createTimed();
    timed.throttle.succeeded('svc', '192.0.2.1');
    timed.at += 30 * DAY_MS - 1;
    for (let i = 0; i < 200; i += 1) {
      timed.throttle.failed('svc', `10.0.${i}.1`);
      timed.throttle.failed(`user${i}`, '192.0.2.2');
    }
    expect(timed.throttle.wait('svc', '192.0.2.1')).toBe(0);
    expect(timed.throttle.wait('svc', '198.51.100.1')).toBe(30_000);
    expect(timed.throttle.wait('any', '192.0.2.1')).toBe(30_000);
    timed.at += 1;
    expect(timed.throttle.wait('svc', '192.0.2.1')).toBeGreaterThan(29_000);
  });

  it('has its own limit, and its failures count for it alone', () => {
    const timed = createTimed();
    timed.throttle.succeeded('svc', '192.0.2.1');
    expect(series(5, () => fail(timed, 'svc', '192.0.2.1'))).toEqual([0, 0, 0, 1, 2]);
    for (let i = 0; i < 100; i += 1) timed.throttle.failed('svc', '192.0.2.1');
    expect(timed.throttle.wait('svc', '192.0.2.1')).toBe(900_000);
    expect([timed.throttle.wait('svc', '10.0.0.1'), timed.throttle.wait('any', '192.0.2.1')]).toEqual([0, 0]);
  });
});

describe('no sequence of attempts', () => {
  const burst = fc.record({
    user: fc.oneof(
      fc.constant('svc'),
      fc.nat(30).map((i) => `user${i}`),
    ),
    network: fc.nat(1),
    from: fc.nat(100),
    hosts: fc.integer({ min: 1, max: 60 }),
    afterMs: fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * 3_600_000 }) },
    ),
  });

  it('locks a good pair elsewhere out, or has more admitted for a user or a network than stated', () => {
    fc.assert(
      fc.property(fc.array(burst, { minLength: 50, maxLength: 100 }), (bursts) => {
        const timed = createTimed();
        const { throttle } = timed;
        // the victim shares a network with the others, but no address
        throttle.succeeded('svc', '10.0.0.200');
        const admitted: Record<string, number[]> = {};
        for (const { user, network, from, hosts, afterMs } of bursts) {
          timed.at += afterMs;
          for (let host = from; host < from + hosts; host += 1) {
            const address = `10.0.${network}.${host}`;
            if (throttle.wait(user, address) > 0) continue;
            throttle.failed(user, address);
            for (const key of [user, networkOf(address)]) admitted[key] = [...(admitted[key] ?? []), timed.at];
          }
          expect(throttle.wait('svc', '10.0.0.200')).toBe(0);
        }
        for (const [key, times] of Object.entries(admitted)) {
          let streak = 0;
          times.forEach((at, i) => {
            const gap = at - (times[i - 1] ?? 0);
            if (gap >= 3_600_000) streak = 0;
            const recent = times.slice(0, i).filter((earlier) => at - earlier < 600_000).length;
            const seconds = key.includes('/') ? recent - 99 : streak - 19;
            expect(gap).toBeGreaterThanOrEqual(Math.min(30, Math.max(0, seconds)) * 1000);
            streak += 1;
          });
        }
      }),
      { numRuns: isLong ? 1000 : 50 },
    );
  });
});

describe('addresses', () => {
  it.each([
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::FFFF:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['fe80::1%eth0', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '::1', '0:0:0:0::/64'],
    ['::192.0.2.7', '::192.0.2.7', '0:0:0:0::/64'],
  ])('%s is %s of %s', (remote, address, network) => {
    expect(peerAddress(remote)).toBe(address);
    expect(networkOf(peerAddress(remote))).toBe(network);
  });

  it('count as one for a limit per address where they are of one /64', () => {
    expect(holderOf('192.0.2.7')).toBe('192.0.2.7');
    expect(holderOf('2001:db8::6')).toBe(holderOf('2001:db8::ffff:1'));
    expect(holderOf('2001:db8::6')).not.toBe(holderOf('2001:db8:0:1::6'));
  });
});
