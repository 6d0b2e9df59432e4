import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Admission,
  type AdmissionLimits,
  createAdmission,
  type Decision,
} from '../../../src/site/web/admission.ts';
import { isLong } from '../../support/extent.ts';

interface Entered {
  readonly address: string;
  readonly deadline: number;
  readonly decisions: Decision[];
  hasLeft: boolean;
  leave(): void;
}

function enter(admission: Admission, address: string, deadline = Number.POSITIVE_INFINITY): Entered {
  const decisions: Decision[] = [];
  const leave = admission.enter(address, deadline, (decision) => decisions.push(decision));
  const entered: Entered = {
    address,
    deadline,
    decisions,
    hasLeft: false,
    leave: () => {
      entered.hasLeft = true;
      leave();
    },
  };
  return entered;
}

const isWorking = ({ decisions, hasLeft }: Entered): boolean => decisions.includes('admitted') && !hasLeft;
const isWaiting = ({ decisions, hasLeft }: Entered): boolean => decisions.length === 0 && !hasLeft;
const countBy = (all: readonly Entered[], is: (entered: Entered) => boolean): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one.address, (counts.get(one.address) ?? 0) + Number(is(one)));
  return counts;
};
const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);
const runs = { numRuns: isLong ? 20_000 : 500 };
const addresses = fc.constantFrom('a', 'b', 'c', 'd');
const small: AdmissionLimits = { work: 1, workPerAddress: 1, waiting: 4, waitingPerAddress: 4 };

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('enter' as const), address: addresses, wait: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('leave' as const), index: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), after: fc.nat(10) }) },
);
const anyLimits = fc.record({
  work: fc.integer({ min: 1, max: 5 }),
  workPerAddress: fc.integer({ min: 1, max: 5 }),
  waiting: fc.nat(8),
  waitingPerAddress: fc.nat(8),
});

describe('admission', () => {
  it('keeps the bounds, leaves no place empty, and decides about each exactly once', () => {
    fc.assert(
      fc.property(anyLimits, fc.array(step, { maxLength: 120 }), (limits, steps) => {
        const admission = createAdmission(limits);
        const all: Entered[] = [];
        let now = 0;
        for (const one of steps) {
          if (one.kind === 'enter') {
            const before = countBy(all, isWaiting);
            const newcomer = enter(admission, one.address, now + one.wait);
            all.push(newcomer);
            if (newcomer.decisions[0] === 'full') {
              const own = before.get(one.address) ?? 0;
              expect(own === limits.waitingPerAddress || sum(before) === limits.waiting).toBe(true);
            }
          }
          // also those that are over: leaving twice does nothing
          else if (one.kind === 'leave') all[one.index % Math.max(1, all.length)]?.leave();
          else {
            now += one.after;
            admission.expire(now);
            expect(all.filter((other) => isWaiting(other) && other.deadline <= now)).toEqual([]);
          }
          const [working, waiting] = [countBy(all, isWorking), countBy(all, isWaiting)];
          expect(sum(working)).toBeLessThanOrEqual(limits.work);
          expect(sum(waiting)).toBeLessThanOrEqual(limits.waiting);
          for (const [address, count] of working) {
            expect(count).toBeLessThanOrEqual(limits.workPerAddress);
            const queued = waiting.get(address) ?? 0;
            expect(queued).toBeLessThanOrEqual(limits.waitingPerAddress);
            if (queued > 0) expect([limits.work - sum(working), limits.workPerAddress - count]).toContain(0);
          }
        }
        admission.expire(Number.POSITIVE_INFINITY);
        for (const { decisions, hasLeft } of all) expect(decisions.length === 1 || hasLeft).toBe(true);
        for (const { decisions } of all) expect(decisions.length).toBeLessThanOrEqual(1);
        // nothing is left behind: there is room for as many as in the beginning
        for (const one of all) one.leave();
        const room = Math.min(limits.work, limits.workPerAddress);
        const later = Array.from({ length: room }, () => enter(admission, 'later'));
        expect(later.every(isWorking)).toBe(true);
      }),
      runs,
    );
  });

  it('takes addresses in turn, and each address in the order of its requests', () => {
    fc.assert(
      fc.property(fc.array(addresses, { minLength: 1, maxLength: 30 }), (order) => {
        const admission = createAdmission({ ...small, waiting: 100, waitingPerAddress: 100 });
        const first = enter(admission, 'first');
        const queued = order.map((address) => enter(admission, address));
        const served: Entered[] = [];
        for (let at: Entered | undefined = first; at !== undefined; at = queued.find(isWorking)) {
          served.push(at);
          at.leave();
        }
        expect(served).toHaveLength(queued.length + 1);
        const positions = new Map<string, number[]>();
        for (const [position, { address }] of served.entries()) {
          positions.set(address, [...(positions.get(address) ?? []), position]);
        }
        for (const [address, own] of positions) {
          expect(served.filter((one) => one.address === address)).toEqual(
            [first, ...queued].filter((one) => one.address === address),
          );
          // no address has a second turn before every waiting address has had one
          for (const others of positions.values()) {
            for (const [turn, position] of others.entries()) {
              if (own[turn + 1] !== undefined) expect(position).toBeLessThan(own[turn + 1] ?? 0);
            }
          }
        }
      }),
      runs,
    );
  });

  it('gives a newcomer a place in a queue that another address has filled', () => {
    const admission = createAdmission(small);
    enter(admission, 'flood');
    const flood = Array.from({ length: 6 }, () => enter(admission, 'flood'));
    const newcomer = enter(admission, 'newcomer');
    expect(flood.map(({ decisions }) => decisions[0])).toEqual([
      undefined,
      undefined,
      undefined,
      'full',
      'full',
      'full',
    ]);
    expect(isWaiting(newcomer)).toBe(true);
  });

  it('never replaces a request of an address with no more requests', () => {
    const admission = createAdmission({ ...small, waiting: 2 });
    enter(admission, 'a');
    const waiting = [enter(admission, 'a'), enter(admission, 'b')];
    expect(enter(admission, 'b').decisions).toEqual(['full']);
    expect(enter(admission, 'c').decisions).toEqual(['full']);
    expect(waiting.every(isWaiting)).toBe(true);
  });
});
