import { describe, expect, it } from 'vitest';
import {
  earliestExpiry,
  freeLicenses,
  licensesInUse,
  maxAvailable,
  PERMANENT,
  reservedLicenses,
} from '../../../../src/analyzer/history/usage.ts';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { head, isv, observe, runAt, secondsOf, server } from './reading.ts';

const row = '	acme             49152   Yes      0';

function poolsOf(pools: string, usage = '', now = runAt): readonly PoolObservation[] {
  return observe(head(row) + isv('acme', pools, usage), { now }).vendorLicenses[0]?.pools ?? [];
}

function poolOf(pools: string, usage = ''): PoolObservation {
  const [pool] = poolsOf(pools, usage);
  if (pool === undefined) throw new Error('no pool');
  return pool;
}

const figures = (count: string | number, reserved: number, inUse: number, expires = 'permanent'): string =>
  `		count: ${count}, # reservations: ${reserved}, inuse: ${inUse}, exp: ${expires}`;

const line = (who: string, handle: string, licenses = 1): string =>
  `	paint v3.1: ${who} ${licenses}/0 at 03/02 20:41  (handle: ${handle}) `;

describe('a vendor license', () => {
  it('has the configured server and the name of the ISV', () => {
    const text = head(row) + isv('acme', `	paint v3.1\n${figures(5, 0, 0)}`);
    expect(observe(text, { now: runAt, part: 'eu' })).toMatchObject({
      vendorLicenses: [{ server, daemon: 'acme', part: 'eu', reachable: true }],
      members: [{ server, up: true, isMaster: true }],
      problems: [],
      referenceTime: runAt,
      diagnostics: { unparsed: 0, contradictions: 0 },
    });
  });

  it.each(['UNCOUNTED', 'uncounted', 'UNLIMITED', 'count: UNCOUNTED'])('are uncounted, not unknown: %s', (count) => {
    const text = head('	acme 49152 Yes 0') + isv('acme', `	paint v3.1\n		${count}, inuse: 1, exp: permanent`);
    const { vendorLicenses, diagnostics } = observe(text);
    expect(vendorLicenses[0]?.pools).toMatchObject([
      { licenseType: 'uncounted', inUse: 1, increments: [{ count: Number.POSITIVE_INFINITY }] },
    ]);
    expect(diagnostics.unparsed).toBe(0);
  });

  it('of an ISV server that does not run is unreachable, and the others are good', () => {
    const table = ['	acme 49152 Yes 0', '	zeta 0 No 3'];
    const { vendorLicenses, problems } = observe(head(...table) + isv('acme', `	paint v3.1\n${figures(5, 0, 0)}`));
    expect(vendorLicenses.map(({ daemon, reachable, pools }) => [daemon, reachable, pools.length])).toEqual([
      ['acme', true, 1],
      ['zeta', false, 0],
    ]);
    expect(problems).toEqual([{ kind: 'daemon_down', message: expect.stringContaining('zeta') }]);
    expect(problems[0]?.message).toContain('rlmreread');
  });

  it('of an ISV server that the tool cannot reach is unreachable', () => {
    const table = ['	acme 49152 Yes 0', '	zeta 49153 Yes 0'];
    const error = '	------------------------\nError connecting to "zeta" server\n\nConnection refused (-111)\n';
    const text = head(...table) + isv('acme', `	paint v3.1\n${figures(5, 0, 0)}`) + error;
    const { vendorLicenses, problems, diagnostics } = observe(text);
    expect(vendorLicenses.map(({ daemon, reachable }) => [daemon, reachable])).toEqual([
      ['acme', true],
      ['zeta', false],
    ]);
    expect(problems).toEqual([{ kind: 'daemon_down', message: expect.stringContaining('firewall') }]);
    expect(diagnostics.unparsed).toBe(0);
    // the same for one that is not in the table
    expect(observe(text.replace(table[1] ?? '', '')).vendorLicenses).toEqual(vendorLicenses);
  });

  it('without pools keeps what was known, instead of having no license', () => {
    const table = ['	acme 49152 Yes 0', '	zeta 49153 Yes 0'];
    const text = head(...table) + isv('acme', `	paint v3.1\n${figures(5, 0, 0)}`) + isv('zeta', '');
    const { vendorLicenses, problems } = observe(text);
    expect(vendorLicenses[1]).toMatchObject({ daemon: 'zeta', reachable: false, pools: [] });
    expect(problems).toEqual([{ kind: 'empty', message: expect.stringContaining('zeta') }]);
  });

  it('without pools is not called empty if lines are not understood', () => {
    const table = ['	acme 49152 Yes 0', '	zeta 49153 Yes 0'];
    const text = head(...table) + isv('acme', `	paint v3.1\n${figures(5, 0, 0)}`) + isv('zeta', '	Lizenzen: 5\n');
    const { vendorLicenses, problems, diagnostics } = observe(text);
    expect(vendorLicenses[1]).toMatchObject({ daemon: 'zeta', reachable: false, pools: [] });
    expect(diagnostics.unparsed).toBeGreaterThan(0);
    expect(problems).toEqual([{ kind: 'unparsed', message: expect.stringContaining('not understood') }]);
    expect(problems[0]?.message).not.toContain('lists no');
  });

  it('is down if the table says so, even if pools are printed', () => {
    const text = head(row.replace('Yes', 'No')) + isv('acme', `	paint v3.1\n${figures(5, 0, 0)}`);
    expect(observe(text)).toMatchObject({
      vendorLicenses: [{ reachable: false, pools: [] }],
      problems: [{ kind: 'daemon_down' }],
      diagnostics: { contradictions: 1 },
    });
  });
});

describe('a product', () => {
  it('has the pools of its version as increments', () => {
    const pools = poolsOf(
      [
        `	paint v3.1, pool: 1\n${figures(16, 0, 2)}`,
        `	paint v3.2, pool: 2\n${figures(1, 0, 0)}`,
        `	paint v3.1, pool: 3\n${figures(4, 0, 1, '1-apr-2027')}`,
      ].join('\n'),
      [line('a@h', '1'), line('b@h', '2'), line('c@h', '3')].join('\n'),
    );
    expect(pools).toMatchObject([
      {
        feature: 'paint',
        version: '3.1',
        package: '',
        featureType: 'feature',
        licenseType: 'floating',
        licenseModel: 'concurrent',
        increments: [
          { count: 16, expires: undefined },
          { count: 4, expires: secondsOf('2027-04-01T23:59:59') },
        ],
        inUse: 3,
        queued: undefined,
        denials: undefined,
        unknownOfCheckouts: ['borrowed', 'status'],
      },
      { version: '3.2', increments: [{ count: 1 }], inUse: 0, checkouts: [] },
    ]);
    expect(pools[0]?.checkouts.map(({ user }) => user)).toEqual(['a', 'b', 'c']);
  });

  it('that has expired is no part of the others', () => {
    const text = `	paint v3.1, pool: 1\n${figures(16, 0, 0)}\n	paint v3.1, pool: 2\n${figures(4, 0, 0, '1-apr-2024')}`;
    const [pool] = poolsOf(text) as [PoolObservation];
    expect([maxAvailable(pool, runAt), earliestExpiry(pool, runAt)]).toEqual([16, PERMANENT]);
    const [alone] = poolsOf(text.slice(text.indexOf('	paint v3.1, pool: 2'))) as [PoolObservation];
    expect([maxAvailable(alone, runAt), earliestExpiry(alone, runAt)]).toEqual([0, secondsOf('2024-04-01T23:59:59')]);
  });

  it('beside counted ones of one version is no part of the figures', () => {
    const counted = `	paint v3.1, pool: 1\n${figures(5, 0, 2)}`;
    const uncounted = '	paint v3.1, pool: 2\n		UNCOUNTED, inuse: 1, exp: 1-jan-2027';
    const who = [line('ada@ws1', '41'), line('bert@ws2', '42'), line('carl@ws3', '43')].join('\n');
    const [pool] = poolsOf(`${counted}\n${uncounted}`, who) as [PoolObservation];
    expect(pool).toMatchObject({ licenseType: 'floating', inUse: 2, increments: [{ count: 5 }] });
    expect(maxAvailable(pool, runAt)).toBe(5);
    // no line says which of the three has the uncounted license
    expect(pool.unknownOfCheckouts).toContain('list');
    expect(pool.checkouts.map(({ licenses }) => licenses)).toEqual([1, 1, 1]);
    const [idle] = poolsOf(`${counted}\n${uncounted.replace('inuse: 1', 'inuse: 0')}`, who.split('\n', 2).join('\n'));
    expect(idle).toMatchObject({ inUse: 2, unknownOfCheckouts: ['borrowed', 'status'] });
  });

  it('that is unlimited is uncounted', () => {
    const pool = poolOf(`	paint v3.1\n${figures('unlimited', 0, 2)}`);
    expect(pool).toMatchObject({ licenseType: 'uncounted', increments: [{ count: Number.POSITIVE_INFINITY }] });
    expect(licensesInUse(pool)).toBe(2);
  });

  it('without reservations has none used, none unused, and the rest available', () => {
    const pool = poolOf(`	paint v3.1\n${figures(10, 0, 3)}`);
    expect(reservedLicenses(pool)).toEqual({ used: 0, unused: 0, total: 0 });
    expect(freeLicenses(pool, runAt)).toBe(7);
  });

  it('with reservations has their total; what is available is not known', () => {
    const pool = poolOf(`	paint v3.1\n${figures(10, 4, 3)}\n	paint v3.1\n${figures(1, 2, 0)}`);
    expect(reservedLicenses(pool)).toEqual({ used: undefined, unused: undefined, total: 6 });
    expect(freeLicenses(pool, runAt)).toBeUndefined();
    expect(maxAvailable(pool, runAt)).toBe(11);
    expect(licensesInUse(pool)).toBe(3);
  });

  it('does not know its use, capacity or reservations if one of its pools does not', () => {
    const pool = poolOf(`	paint v3.1\n${figures(10, 0, 3)}\n	paint v3.1\n		exp: permanent`, line('a@h', '1'));
    expect(licensesInUse(pool)).toBeUndefined();
    expect(maxAvailable(pool, runAt)).toBeUndefined();
    expect(reservedLicenses(pool).total).toBeUndefined();
    expect(freeLicenses(pool, runAt)).toBeUndefined();
  });

  it('that is based on tokens has no figures of its own', () => {
    const pool = poolOf('	360 v2013.1\n		Token-based license');
    expect(pool).toMatchObject({ licenseModel: 'token', token: 'unknown' });
    expect(licensesInUse(pool)).toBeUndefined();
    expect(maxAvailable(pool, runAt)).toBeUndefined();
  });

  it('of checkouts without a pool is a contradiction, and nothing else is known of it', () => {
    const text = head(row) + isv('acme', `	other v1\n${figures(1, 0, 0)}`, line('a@h', '1'));
    const { vendorLicenses, diagnostics } = observe(text);
    const pool = vendorLicenses[0]?.pools[1];
    if (pool === undefined) throw new Error('no pool');
    expect(pool).toMatchObject({ feature: 'paint', version: '3.1', checkouts: [{ user: 'a' }] });
    expect(licensesInUse(pool)).toBeUndefined();
    expect(maxAvailable(pool, runAt)).toBeUndefined();
    expect(diagnostics.contradictions).toBe(1);
  });

  it('with more licenses in use than it has is a contradiction', () => {
    const text = head(row) + isv('acme', `	paint v3.1\n${figures(1, 0, 2)}`, line('a@h', '1', 2));
    expect(observe(text).diagnostics.contradictions).toBe(1);
  });

  it('with fewer checkouts than licenses in use does not list all of them', () => {
    const pool = poolOf(`	paint v3.1\n${figures(10, 0, 3)}`, line('a@h', '1'));
    expect(pool.unknownOfCheckouts).toEqual(['borrowed', 'status', 'list']);
    expect(licensesInUse(pool)).toBe(3);
  });
});

describe('shared licenses', () => {
  const shares = (inUse: number, ...lines: readonly string[]) =>
    poolOf(`	paint v3.1\n${figures(100, 0, inUse)}`, lines.join('\n')).checkouts.map(
      ({ licenses, handle, shareHandle }) => [handle, licenses, shareHandle],
    );

  it('count once, with the handle of the first checkout', () => {
    expect(shares(1, line('a@h', '36a5'), line('a@h', '2803'))).toEqual([
      ['36a5', 1, undefined],
      ['2803', 0, '36a5'],
    ]);
  });

  it('are those of the same user and host', () => {
    expect(shares(3, line('a@h', '1'), line('b@h', '2'), line('a@g', '3'), line('a@h', '4'))).toEqual([
      ['1', 1, undefined],
      ['2', 1, undefined],
      ['3', 1, undefined],
      ['4', 0, '1'],
    ]);
  });

  it('are no more than the list has too many', () => {
    expect(shares(2, line('a@h', '1'), line('a@h', '2'), line('a@h', '3'))).toEqual([
      ['1', 1, undefined],
      ['2', 0, '1'],
      ['3', 1, undefined],
    ]);
  });

  it('do not exist while the list is not longer than what is in use', () => {
    expect(shares(20, line('a@h', '4c', 10), line('b@h', '4d', 7), line('a@h', '4e', 3)).map(([, n]) => n)).toEqual([
      10, 7, 3,
    ]);
  });

  it('of other users are a contradiction', () => {
    const text =
      head(row) + isv('acme', `	paint v3.1\n${figures(5, 0, 1)}`, `${line('a@h', '1')}\n${line('b@h', '2')}`);
    const { vendorLicenses, diagnostics } = observe(text);
    expect(vendorLicenses[0]?.pools[0]).toMatchObject({ inUse: 1, checkouts: [{ licenses: 1 }, { licenses: 1 }] });
    expect(diagnostics.contradictions).toBe(1);
  });
});

describe('the license server of a checkout', () => {
  const text =
    head(row) + isv('acme', `	paint v3.1\n${figures(5, 0, 2)}`, `${line('ann@ws', '36a5')}\n${line('bob@ws', 'b0')}`);
  const USAGE = 'acme license usage status on lic7 (port 49152)';
  const serversOf = (written: string): unknown[] =>
    observe(written, { now: runAt }).vendorLicenses.flatMap(({ pools }) =>
      pools.flatMap(({ checkouts }) => checkouts.map(({ handle, server: own }) => [handle, own])),
    );

  it('is host, port and ISV of the list of checkouts, as rlmremove takes them', () => {
    const own = 'rlm:49152@lic7/acme';
    expect(serversOf(text)).toEqual([
      ['36a5', own],
      ['b0', own],
    ]);
  });

  it.each([
    ['acme license usage status on lic7', undefined],
    ['acme license usage status on lic7 (port 0)', undefined],
    ['acme license usage status on -q (port 49152)', undefined],
    ['acme license usage status on lic7;id (port 49152)', undefined],
    ['acme license usage status on lic8.example.com (port 5053)', 'rlm:5053@lic8.example.com/acme'],
    ['acme license usage status on 2001:db8::7 (port 5053)', 'rlm:5053@2001:db8::7/acme'],
  ])('of "%s" is %s', (usage, own) => {
    expect(serversOf(text.replace(USAGE, usage))).toEqual([
      ['36a5', own],
      ['b0', own],
    ]);
  });

  it('is not known of a checkout without a handle', () => {
    const [checkout] = poolOf(`	paint v3.1\n${figures(5, 0, 1)}`, '	paint v3.1: ann@ws 1/0 at 03/02 20:41').checkouts;
    expect(checkout?.user).toBe('ann');
    expect(checkout).not.toHaveProperty('server');
  });

  it('is that of each ISV server, and of its last list', () => {
    const other = isv('zeta', `	mesh v1\n${figures(5, 0, 1)}`, '	mesh v1: cid@ws 1/0 at 03/02 20:41  (handle: c)');
    const again = `	${USAGE.replace('lic7 (port 49152)', 'lic9 (port 7)')}\n\n${line('dan@ws', 'd')}\n`;
    expect(serversOf(text + other + again)).toEqual([
      ['d', 'rlm:7@lic9/acme'],
      ['c', 'rlm:49152@lic7/zeta'],
    ]);
  });
});

describe('the time of a checkout', () => {
  const sinceOf = (start: string, now = runAt) =>
    poolsOf(`	paint v3.1\n${figures(5, 0, 1)}`, `	paint v3.1: a@h 1/0 at ${start}  (handle: 1) `, now)[0]
      ?.checkouts[0]?.since;

  it.each([
    ['03/02 20:41', '2026-03-02T20:41:00'],
    ['03/03 09:59', '2026-03-03T09:59:00'],
    // up to a day ahead, because the tool may run in another zone than the server
    ['03/04 11:59', '2026-03-04T11:59:00'],
    ['03/05 00:00', '2025-03-05T00:00:00'],
    ['12/31 23:59', '2025-12-31T23:59:00'],
    ['02/29 12:00', '2024-02-29T12:00:00'],
    ['1/2/2024 12:00:30', '2024-01-02T12:00:30'],
  ])('%s is %s', (start, time) => {
    expect(sinceOf(start)).toBe(secondsOf(time));
  });

  it.each(['13/01 10:00', '02/31 10:00', '03/02 24:10', '03/02 10:75'])('%s is not known, the checkout is', (start) => {
    const pool = poolOf(`	paint v3.1\n${figures(5, 0, 1)}`, `	paint v3.1: a@h 1/0 at ${start}  (handle: 1) `);
    expect(pool.checkouts).toHaveLength(1);
    expect(pool.checkouts[0]).not.toHaveProperty('since');
  });

  it.each([
    [-301, 'after'],
    [301, 'before'],
    [5 * 3600, 'before'],
  ])('is withheld if the clocks differ by %d seconds', (seconds, side) => {
    const now = runAt + seconds;
    const text = head(row) + isv('acme', `	paint v3.1\n${figures(5, 0, 1)}`, line('a@h', '1'));
    const { problems, vendorLicenses, referenceTime } = observe(text, { now });
    expect(problems).toEqual([
      { kind: 'clock', isMinor: true, message: expect.stringContaining(` ${side} the time of this host`) },
    ]);
    expect(vendorLicenses[0]?.pools[0]?.checkouts[0]).not.toHaveProperty('since');
    expect(vendorLicenses[0]).toMatchObject({ reachable: true, pools: [{ inUse: 1 }] });
    expect(referenceTime).toBe(runAt);
  });

  it('is known if they differ by five minutes', () => {
    expect(sinceOf('03/02 20:41', runAt + 300)).toBe(secondsOf('2026-03-02T20:41:00'));
    expect(sinceOf('03/02 20:41', runAt - 300)).toBe(secondsOf('2026-03-02T20:41:00'));
  });

  it('follows from our clock if the output has no time', () => {
    const text = (head(row) + isv('acme', `	paint v3.1\n${figures(5, 0, 1)}`, line('a@h', '1')))
      .split('\n')
      .filter((one) => !one.includes('Statistics'))
      .join('\n');
    const { problems, vendorLicenses, referenceTime } = observe(text, { now: secondsOf('2023-06-01T00:00:00') });
    expect(problems).toEqual([]);
    expect(referenceTime).toBeUndefined();
    expect(vendorLicenses[0]?.pools[0]?.checkouts[0]?.since).toBe(secondsOf('2023-03-02T20:41:00'));
  });
});
