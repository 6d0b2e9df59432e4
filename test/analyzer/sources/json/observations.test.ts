import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { documents, NOW, parse, poolOf, withFeatures } from './documents.ts';

describe('a feature', () => {
  it('of which only the name is given has no figures, not 0', () => {
    expect(poolOf({})).toEqual({
      feature: 'f',
      version: '',
      package: '',
      featureType: 'feature',
      licenseType: 'floating',
      licenseModel: 'concurrent',
      increments: [{ count: undefined, expires: 'unknown' }],
      reservations: undefined,
      checkouts: [],
      unknownOfCheckouts: ['list', 'borrowed', 'status'],
      queued: undefined,
      denials: undefined,
    });
  });

  it('has everything that is given', () => {
    const vendorLicense = { reports: ['borrowed', 'status'] };
    const feature = {
      version: '2026.1',
      package: 'suite',
      feature_type: 'component',
      license_type: 'node-locked',
      license_model: 'named',
      mapped_to: 'CAD',
      token: { pool: 'credits', cost: 2.5 },
      increments: [{ count: 5, expires: 'permanent' }, { count: 7 }],
      in_use: 3,
      available: 8,
      reservations: [{ holder: 'g1', licenses: 2, used: 1 }],
      checkouts: [
        {
          user: 'u1',
          host: 'h1',
          display: ':0',
          since: NOW - 60,
          licenses: 2,
          handle: '4a',
          share_handle: 's',
          borrowed: true,
          status: { state: 'active', seconds: 5 },
        },
        { user: 'u2' },
      ],
      queued: [{ user: 'u3', host: 'h3', since: NOW - 5, licenses: 4 }],
      denials: 6,
    };
    expect(poolOf(feature, vendorLicense)).toEqual({
      feature: 'f',
      version: '2026.1',
      package: 'suite',
      featureType: 'component',
      licenseType: 'node-locked',
      licenseModel: 'named',
      mappedTo: 'CAD',
      token: { pool: 'credits', source: '4084@lic1;dsls', cost: 2.5 },
      increments: [
        { count: 5, expires: undefined },
        { count: 7, expires: 'unknown' },
      ],
      inUse: 3,
      available: 8,
      reservations: [{ holder: 'g1', licenses: 2, used: 1 }],
      checkouts: [
        {
          user: 'u1',
          host: 'h1',
          display: ':0',
          since: NOW - 60,
          licenses: 2,
          handle: '4a',
          shareHandle: 's',
          borrowed: true,
          status: { state: 'active', seconds: 5 },
        },
        { user: 'u2', host: '', display: '', licenses: 1, shareHandle: undefined, borrowed: false, status: undefined },
      ],
      queued: [{ user: 'u3', host: 'h3', since: NOW - 5, licenses: 4 }],
      denials: 6,
    });
  });

  it.each([
    [{ count: 3 }, [{ count: 3, expires: 'unknown' }], 'floating'],
    [{ count: 'uncounted', expires: 'permanent' }, [{ count: Infinity, expires: undefined }], 'uncounted'],
    [{ license_type: 'uncounted' }, [{ count: Infinity, expires: 'unknown' }], 'uncounted'],
    [{ count: 'uncounted', license_type: 'floating' }, [{ count: Infinity, expires: 'unknown' }], 'floating'],
    // the last second of the day in Berlin, in summer
    [{ expires: '2027-06-30' }, [{ count: undefined, expires: Date.UTC(2027, 5, 30, 21, 59, 59) / 1000 }], 'floating'],
    [{ expires: '2028-02-29' }, [{ count: undefined, expires: Date.UTC(2028, 1, 29, 22, 59, 59) / 1000 }], 'floating'],
    [{ expires: 1_800_000_000.9 }, [{ count: undefined, expires: 1_800_000_000 }], 'floating'],
    [
      { expires: '2027-06-30t18:00:00.5-02:30' },
      [{ count: undefined, expires: Date.UTC(2027, 5, 30, 20, 30) / 1000 }],
      'floating',
    ],
  ])('with %j has these increments', (feature, increments, licenseType) => {
    expect(poolOf(feature)).toMatchObject({ increments, licenseType });
  });

  it('keeps the difference between nobody and not listed', () => {
    const unknownIn = (feature: object): unknown => poolOf(feature).unknownOfCheckouts?.includes('list');
    expect([{}, { checkouts: null }, { checkouts: [] }].map(unknownIn)).toEqual([true, true, false]);
    expect(unknownIn({ checkouts: [{ user: 'u' }], checkouts_complete: false })).toBe(true);
    expect([poolOf({}).queued, poolOf({ queued: [] }).queued]).toEqual([undefined, []]);
    expect([poolOf({}).reservations, poolOf({ reservations: [] }).reservations]).toEqual([undefined, []]);
  });

  it('knows what is borrowed and active if that is said, or if each checkout says it', () => {
    const borrowed = { user: 'u', borrowed: false };
    const active = { ...borrowed, status: { state: 'active' } };
    const unknownOf = (checkouts: readonly object[], reports?: readonly string[]): unknown =>
      poolOf({ checkouts }, { reports }).unknownOfCheckouts;
    expect(unknownOf([])).toEqual(['borrowed', 'status']);
    expect(unknownOf([borrowed])).toEqual(['status']);
    expect(unknownOf([borrowed, { user: 'u' }])).toEqual(['borrowed', 'status']);
    expect(unknownOf([active])).toBe(undefined);
    expect(unknownOf([], ['status'])).toEqual(['borrowed']);
    expect(unknownOf([{ user: 'u' }], ['status', 'borrowed'])).toBe(undefined);
    expect(unknownOf([active], [])).toEqual(['borrowed', 'status']);
  });

  it('has a total of reservations whose use is not known', () => {
    const reservations = [{ licenses: 2, used: 1 }, { licenses: 3 }];
    expect(poolOf({ reservations, unused_reserve: 4 })).toMatchObject({
      reservations: undefined,
      reserved: 5,
      unusedReserve: 4,
    });
    expect(poolOf({ reserved: 2, used_reserve: 1 })).toMatchObject({ reserved: 2, usedReserve: 1 });
  });

  it('has the token model if it costs tokens', () => {
    expect(poolOf({ token: 'unknown' })).toMatchObject({ token: 'unknown', licenseModel: 'token' });
    expect(poolOf({ token: { pool: 'p', cost: 1, source: 'a;b' }, license_model: 'concurrent' })).toMatchObject({
      token: { pool: 'p', cost: 1, source: 'a;b' },
      licenseModel: 'concurrent',
    });
  });

  it('has texts in one line and numbers without the sign of 0', () => {
    const pool = poolOf({
      in_use: -0,
      checkouts: [{ user: ' a\nb ', host: '\u0000h', display: '\ud800', licenses: -0 }],
    });
    expect(pool.checkouts[0]).toMatchObject({ user: 'a b', host: 'h', display: '\ufffd' });
    expect([pool.inUse, pool.checkouts[0]?.licenses].map((value) => Object.is(value, 0))).toEqual([true, true]);
  });
});

describe('contradictions', () => {
  it.each([
    [{ count: 2, in_use: 3 }, 1],
    [{ count: 2, in_use: 2 }, 0],
    [{ count: 2, in_use: 1, available: 2 }, 1],
    [{ in_use: 3 }, 0],
    [{ count: 'uncounted', in_use: 3 }, 0],
    [{ increments: [{ count: 2 }, {}], in_use: 3 }, 0],
    [{ in_use: 1, checkouts: [{ user: 'u', licenses: 2 }] }, 1],
    [{ in_use: 3, checkouts: [{ user: 'u', licenses: 2 }] }, 0],
    [{ count: 5, license_type: 'uncounted' }, 1],
    [{ reservations: [{ licenses: 1, used: 2 }] }, 1],
    [{ reserved: 1, used_reserve: 2 }, 1],
    [{ reserved: 1, reservations: [{ licenses: 2, used: 0 }] }, 1],
    [{ checkouts: [{ user: 'u', since: NOW + 301 }] }, 1],
    [{ checkouts: [{ user: 'u', since: NOW + 300 }] }, 0],
  ])('of %j are %i', (feature, contradictions) => {
    const { diagnostics } = parse(withFeatures([{ feature: 'f', ...feature }]));
    expect(diagnostics.contradictions).toBe(contradictions);
    expect(diagnostics.unparsed).toBe(0);
  });

  it('are counted, and the figures stay as they are', () => {
    expect(poolOf({ count: 2, in_use: 3, available: 4 })).toMatchObject({
      increments: [{ count: 2, expires: 'unknown' }],
      inUse: 3,
      available: 4,
    });
    // but a time that cannot be right is not one
    expect(poolOf({ checkouts: [{ user: 'u', since: NOW + 301 }] }).checkouts[0]).not.toHaveProperty('since');
  });
});

describe('vendor licenses', () => {
  it('have the part of the source if they have none', () => {
    const names = [{ daemon: 'a' }, { daemon: 'b', part: 'own' }].map((one) => ({ server: 's', ...one, features: [] }));
    const { vendorLicenses } = parse({ version: 1, vendor_licenses: names }, { part: 'site' });
    expect(vendorLicenses.map(({ part }) => part)).toEqual(['site', 'own']);
  });

  it('that do not answer or list nothing keep their last data, and are named', () => {
    const licenses = [
      { server: 's', daemon: 'down', reachable: false },
      { server: 's', daemon: 'empty', features: [] },
      { server: 's', daemon: 'file', reachable: false, features: [{ feature: 'f', count: 3 }] },
      { server: 's', daemon: 'good', features: [{ feature: 'f' }] },
    ];
    const { vendorLicenses, problems } = parse({ version: 1, vendor_licenses: licenses });
    expect(vendorLicenses.map(({ daemon, reachable, pools }) => [daemon, reachable, pools.length])).toEqual([
      ['down', false, 0],
      ['empty', false, 0],
      ['file', false, 1],
      ['good', true, 1],
    ]);
    expect(problems).toEqual([
      { kind: 'unreachable', message: expect.stringContaining('s;down, s;file cannot be reached') },
      { kind: 'empty', message: expect.stringContaining('no feature of s;empty:') },
    ]);
  });

  it('come with the state of members and with problems of the script', () => {
    const parsed = parse({
      ...withFeatures([{ feature: 'f' }]),
      members: [
        { server: '1@a', up: true, master: true },
        { server: '1@b', up: false },
      ],
      problems: [{ kind: 'no_quorum', message: 'one of three\nrun' }],
    });
    expect(parsed.members).toEqual([
      { server: '1@a', up: true, isMaster: true },
      { server: '1@b', up: false, isMaster: false },
    ]);
    expect(parsed.problems).toEqual([{ kind: 'no_quorum', message: 'one of three run' }]);
  });
});

describe('the time of a document', () => {
  const at = (time: unknown, changes = {}) =>
    parse({ ...withFeatures([{ feature: 'f', checkouts: [{ user: 'u', since: NOW - 50 }] }]), time }, changes);

  it('is its reference time', () => {
    expect(at(NOW - 7.5).referenceTime).toBe(NOW - 8);
    expect(at('2026-03-05T13:00:00+01:00').referenceTime).toBe(NOW);
    expect(at(null).referenceTime).toBe(undefined);
  });

  it('is too old after two intervals, at least ten minutes', () => {
    expect(at(NOW - 600).problems).toEqual([]);
    expect(() => at(NOW - 601)).toThrow(expect.objectContaining({ kind: 'too_old' }));
    expect(at(NOW - 601, { interval: 301 }).problems).toEqual([]);
  });

  it('in the future is a problem, and no time is used', () => {
    const { problems, vendorLicenses } = at(NOW + 301);
    expect(problems).toEqual([
      { kind: 'clock', isMinor: true, message: expect.stringContaining('5 minutes in the future') },
    ]);
    expect(vendorLicenses[0]?.pools[0]?.checkouts[0]).not.toHaveProperty('since');
    expect(at(NOW + 300).vendorLicenses[0]?.pools[0]?.checkouts[0]).toHaveProperty('since', NOW - 50);
  });
});

describe('any document that is right', () => {
  const isCount = (value: unknown): boolean =>
    Number.isSafeInteger(value) && !Object.is(value, -0) && Number(value) >= 0;
  const isCountOrMissing = (value: unknown): boolean => value === undefined || isCount(value);

  /** What is wrong with a pool, by the contract of observations. */
  function wrongIn(pool: PoolObservation): unknown[] {
    const figures = [pool.inUse, pool.available, pool.unusedReserve, pool.usedReserve, pool.reserved, pool.denials];
    const times = [...pool.checkouts, ...(pool.queued ?? [])].map(({ since }) => since);
    const licenses = [...pool.checkouts, ...(pool.queued ?? []), ...(pool.reservations ?? [])];
    return [
      ...figures.filter((value) => !isCountOrMissing(value)),
      ...times.filter((value) => !isCountOrMissing(value)),
      ...licenses.filter((one) => !isCount(one.licenses)),
      ...pool.increments.filter(
        ({ count, expires }) =>
          !(count === Infinity || isCountOrMissing(count)) || !(expires === 'unknown' || isCountOrMissing(expires)),
      ),
      ...pool.checkouts.filter(({ user }) => user === ''),
      ...(pool.increments.length === 0 ? ['increments'] : []),
    ];
  }

  it('becomes observations with each of its figures, and none that it has not', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(documents, (document) => {
        const { vendorLicenses } = parse(document);
        const pools = vendorLicenses.flatMap((license) => license.pools);
        expect(pools.flatMap(wrongIn)).toEqual([]);
        const features = document.vendor_licenses.flatMap((license) => license.features) as Record<string, unknown>[];
        expect(pools).toHaveLength(features.length);
        for (const [i, feature] of features.entries()) {
          for (const [key, name] of [
            ['in_use', 'inUse'],
            ['available', 'available'],
            ['unused_reserve', 'unusedReserve'],
            ['used_reserve', 'usedReserve'],
            ['denials', 'denials'],
          ] as const) {
            expect({ [key]: pools[i]?.[name] }).toEqual({ [key]: feature[key] ?? undefined });
            if (pools[i]?.[name] !== undefined) seen.add(key);
          }
          const checkouts = feature['checkouts'] as readonly { readonly user: string }[] | null | undefined;
          expect(pools[i]?.checkouts.map(({ user }) => user)).toEqual((checkouts ?? []).map(({ user }) => user));
          expect(pools[i]?.unknownOfCheckouts?.includes('list') ?? false).toBe(
            !checkouts || feature['checkouts_complete'] === false,
          );
          expect(pools[i]?.queued === undefined).toBe((feature['queued'] ?? undefined) === undefined);
        }
      }),
    );
    expect([...seen].sort()).toEqual(['available', 'denials', 'in_use', 'unused_reserve', 'used_reserve']);
  });
});
