import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type HeldLicenses,
  IDLE,
  LONG_BORROWED,
  OVERDUE,
  type ReclaimEvidence,
  reclaimable,
  reclaimableLicenses,
  reclaimKinds,
} from '../../../src/base/model/reclaim.ts';

const NOW = 1_800_000_000;
let handles = 0;

/** A checkout of a person and host of its own, of which nothing speaks for its return. */
function held(changes: Partial<HeldLicenses> = {}): HeldLicenses {
  handles += 1;
  return {
    user: `user${handles}`,
    host: `ws${handles}`,
    licenses: 1,
    since: NOW - 7200,
    handle: String(handles),
    shareHandle: '',
    isBorrowed: false,
    until: undefined,
    application: 'active',
    seconds: 9999,
    ...changes,
  };
}

const kindOf = (changes: Partial<HeldLicenses>): string | undefined => reclaimable([held(changes)], NOW)[0]?.kind;
/** The kinds of several checkouts in their order, `-` without one. */
function kindsOf(...all: readonly HeldLicenses[]): string {
  const found = new Map(reclaimable(all, NOW).map((one) => [one.held, one.kind]));
  return all.map((one) => found.get(one) ?? '-').join(' ');
}

describe('a checkout that could come back', () => {
  it.each<[string | undefined, Partial<HeldLicenses>]>([
    [undefined, {}],
    ['orphan', { application: 'terminated' }],
    ['orphan', { application: 'terminated', seconds: undefined }],
    ['idle', { application: 'inactive', seconds: IDLE }],
    ['idle', { application: 'suspended', seconds: IDLE }],
    [undefined, { application: 'inactive', seconds: IDLE - 1 }],
    [undefined, { application: 'inactive', seconds: undefined }],
    [undefined, { application: 'blocked' }],
    [undefined, { application: undefined }],
    ['borrowed', { isBorrowed: true, until: NOW + LONG_BORROWED + 1 }],
    [undefined, { isBorrowed: true, until: NOW + LONG_BORROWED }],
    [undefined, { isBorrowed: true, until: NOW }],
    // the list is older than its reader, and times of a minute are rounded
    [undefined, { isBorrowed: true, until: NOW - OVERDUE }],
    ['borrowed', { isBorrowed: true, until: NOW - OVERDUE - 1 }],
    [undefined, { isBorrowed: true, until: undefined }],
    [undefined, { isBorrowed: undefined, until: NOW + 2 * LONG_BORROWED }],
    // no tool takes a borrowed one back, also not of an application that has ended
    [undefined, { isBorrowed: true, until: NOW + 60, application: 'terminated' }],
    ['borrowed', { isBorrowed: true, until: NOW + 2 * LONG_BORROWED, application: 'inactive' }],
    [undefined, { application: 'terminated', licenses: 0 }],
  ])('is %s: %j', (kind, changes) => {
    expect(kindOf(changes)).toBe(kind);
  });

  it('has no kind where others use its licenses too', () => {
    const ended = (more: Partial<HeldLicenses>) => held({ application: 'terminated', ...more });
    expect(kindsOf(ended({ handle: '1' }), ended({ handle: '2', shareHandle: '1', licenses: 0 }))).toBe('- -');
    expect(kindsOf(ended({ shareHandle: 's' }), ended({ shareHandle: 's' }), ended({ shareHandle: 't' }))).toBe(
      '- - orphan',
    );
    expect(kindsOf(ended({ handle: '' }), ended({ handle: '' }))).toBe('orphan orphan');
  });

  it('is a duplicate unless it is the latest of a person on a host', () => {
    const own = (since: number | undefined, more: Partial<HeldLicenses> = {}) =>
      held({ user: 'ada', host: 'ws1', since, ...more });
    expect(kindsOf(own(1), own(3), own(2))).toBe('duplicate - duplicate');
    expect(kindsOf(own(1), own(2, { user: 'ADA', host: 'WS1' }))).toBe('duplicate -');
    expect(kindsOf(own(1), own(2, { host: 'ws2' }))).toBe('- -');
    expect(kindsOf(own(1), own(2, { user: 'bob' }))).toBe('- -');
    // of two of the same time, one stays
    expect(kindsOf(own(1), own(1))).toBe('- duplicate');
    expect(kindsOf(own(undefined), own(1), own(2))).toBe('- duplicate -');
    expect(kindsOf(own(1, { handle: '' }), own(2))).toBe('- -');
    expect(kindsOf(own(1, { handle: 'x' }), own(2, { handle: 'x' }), own(3))).toBe('- - -');
    expect(kindsOf(own(1, { isBorrowed: true }), own(2))).toBe('- -');
    expect(kindsOf(own(1, { isBorrowed: undefined }), own(2, { isBorrowed: undefined }))).toBe('duplicate -');
    // where names are left out, nobody is the same
    expect(kindsOf(own(1, { user: '' }), own(2, { user: '' }))).toBe('- -');
    expect(kindsOf(own(1, { host: '' }), own(2, { host: '' }))).toBe('- -');
  });

  it('leaves a person the one that is used, though others began later', () => {
    const own = (since: number, more: Partial<HeldLicenses> = {}) => held({ user: 'ada', host: 'ws1', since, ...more });
    const idle = { application: 'inactive', seconds: IDLE } as const;
    expect(kindsOf(own(1), own(2, idle))).toBe('- idle');
    expect(kindsOf(own(1), own(2, { application: 'terminated' }), own(3), own(4, idle))).toBe(
      'duplicate orphan - idle',
    );
    expect(kindsOf(own(1, idle), own(2, idle))).toBe('idle idle');
  });

  it('does not mix up names that contain others', () => {
    const first = held({ user: 'a","b', host: 'c', since: 1 });
    expect(kindsOf(first, held({ user: 'a', host: 'b","c', since: 2 }))).toBe('- -');
    expect(kindsOf(held({ user: '__proto__', host: 'h', since: 1 }), held({ user: '__proto__', host: 'h' }))).toBe(
      'duplicate -',
    );
  });

  it('is found once, and never the last one of a person that nothing else speaks against', () => {
    const any = fc.record({
      user: fc.constantFrom('ada', 'Ada', 'bob', ''),
      host: fc.constantFrom('ws1', 'WS1', ''),
      licenses: fc.nat(2),
      since: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      handle: fc.constantFrom('', '1', '2'),
      shareHandle: fc.constantFrom('', '1', 's'),
      isBorrowed: fc.option(fc.boolean(), { nil: undefined }),
      until: fc.option(fc.constantFrom(NOW - 9999, NOW, NOW + 1e6), { nil: undefined }),
      application: fc.constantFrom('active', 'inactive', 'suspended', 'terminated', 'blocked', undefined),
      seconds: fc.option(fc.constantFrom(0, IDLE), { nil: undefined }),
    }) as fc.Arbitrary<HeldLicenses>;
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), (all) => {
        const found = reclaimable(all, NOW);
        expect(new Set(found.map((one) => one.held)).size).toBe(found.length);
        const usedBy = ({ handle, shareHandle }: HeldLicenses): string => shareHandle || handle;
        for (const { held: one } of found) {
          const others = all.filter((other) => other !== one && usedBy(one) !== '' && usedBy(other) === usedBy(one));
          expect([one.licenses > 0, others]).toEqual([true, []]);
        }
        const personOf = ({ user, host }: HeldLicenses) => `${user} ${host}`.toLowerCase();
        for (const { held: one } of found.filter(({ kind }) => kind === 'duplicate')) {
          const kept = all.filter((other) => found.every((two) => two.held !== other));
          const later = kept.some(
            (other) => personOf(other) === personOf(one) && (other.since ?? -1) >= (one.since ?? 9),
          );
          expect(later).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('licenses that could come back', () => {
  const all: ReclaimEvidence = { idle: true, orphan: true, borrowed: true };
  const idle = { application: 'inactive', seconds: IDLE } as const;

  it('are those of the checkouts of each kind', () => {
    const checkouts = [
      held({ licenses: 3, ...idle }),
      held({ licenses: 2, application: 'terminated' }),
      held({ isBorrowed: true, until: NOW + 2 * LONG_BORROWED, licenses: 4 }),
      held({ user: 'ada', host: 'ws1', since: 1, licenses: 5 }),
      held({ user: 'ada', host: 'ws1', since: 2, licenses: 6 }),
    ];
    expect(reclaimableLicenses(checkouts, all, NOW)).toEqual({ orphan: 2, idle: 3, borrowed: 4, duplicate: 5 });
    expect(reclaimableLicenses([], all, NOW)).toEqual({ orphan: 0, idle: 0, borrowed: 0, duplicate: 0 });
  });

  it.each<[string, readonly HeldLicenses[], Partial<ReclaimEvidence>, readonly string[]]>([
    ['no status', [held(idle)], { idle: false, orphan: false }, ['idle', 'orphan']],
    ['no end of an application', [], { orphan: false }, ['orphan']],
    ['no borrowed ones', [], { borrowed: false }, ['borrowed']],
    ['a state without its time', [held({ application: 'inactive', seconds: undefined })], {}, ['idle']],
    ['an application that is not watched', [held({ application: undefined })], {}, ['orphan', 'idle']],
    ['no end of a borrowed one', [held({ isBorrowed: true })], {}, ['borrowed']],
    ['one checkout without a handle', [held({ handle: '' })], {}, []],
    ['one of two without a handle', [held({ handle: '' }), held()], {}, ['duplicate']],
    ['one of two without a beginning', [held({ since: undefined }), held()], {}, ['duplicate']],
    ['two without names', [held({ user: '', host: '' }), held({ user: '', host: '' })], {}, ['duplicate']],
    ['what is shared does not count', [held({ handle: '', shareHandle: '7' }), held({ handle: '7' })], {}, []],
  ])('leave out the kinds that are not known: %s', (_, checkouts, evidence, unknown) => {
    const known = reclaimKinds.filter((kind) => !unknown.includes(kind));
    expect(Object.keys(reclaimableLicenses(checkouts, { ...all, ...evidence }, NOW))).toEqual(known);
  });
});
