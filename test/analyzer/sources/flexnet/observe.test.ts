import { describe, expect, it } from 'vitest';
import type { LicenseSupply } from '../../../../src/analyzer/sources/flexnet/inventory.ts';
import type { FlexnetInput } from '../../../../src/analyzer/sources/flexnet/observe.ts';
import { noMemory } from '../../../../src/analyzer/sources/flexnet/observe.ts';
import { parseOptionsFile } from '../../../../src/analyzer/sources/flexnet/options-file.ts';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { failureOf, feature, HEAD, NOW, observe, parse, SERVER, settings, TITLE } from './samples.ts';

const line = (user: string, tail = '', left = 'pc-1 :0'): string =>
  `${user} ${left} (v4.0) (lic1/27000 7), start Tue 3/17 9:05${tail}`;
const reservation = (licenses: number): string => `${licenses} RESERVATIONs for GROUP g (lic1/27000)`;
const end = (year: number): number => Date.UTC(year + 1, 0, 1) / 1000 - 1;

const supply = (version: string, count: number, changes: Partial<LicenseSupply> = {}): LicenseSupply => ({
  feature: 'solver',
  daemon: 'acme',
  version,
  count,
  expires: end(2030),
  licenseType: 'floating',
  featureType: 'feature',
  ...changes,
});

const poolsOf = (text: string, changes: Partial<FlexnetInput> = {}): readonly PoolObservation[] =>
  observe(HEAD + text, changes).vendorLicenses.flatMap(({ pools }) => pools);

function poolOf(text: string, changes: Partial<FlexnetInput> = {}): PoolObservation {
  const [pool, ...others] = poolsOf(text, changes);
  if (pool === undefined || others.length > 0) throw new Error('not one pool');
  return pool;
}

describe('vendor licenses', () => {
  it('have the configured name of the first server, not a printed one', () => {
    const { vendorLicenses } = observe(HEAD + feature('solver', 5, 0), {
      settings: { ...settings, servers: ['27000@Licenses.example.com', '27000@b', '27000@c'], part: 'lab' },
    });
    expect(vendorLicenses).toMatchObject([
      { server: '27000@licenses.example.com', daemon: 'acme', part: 'lab', reachable: true },
    ]);
  });

  it('are unreachable if their daemon is down, with what license files say', () => {
    const text = `${TITLE}\n${SERVER}
Vendor daemon status (on lic1):
   zeta: The desired vendor daemon is down. (-97,121)
   acme: UP v11.19.6
Feature usage info:
${feature('solver', 5, 0)}
Users of draw: Cannot get users of draw: No such feature exists. (-5,222)
`;
    const fileSupply = [supply('1.0', 3, { feature: 'draw', daemon: 'zeta' })];
    const { vendorLicenses, problems } = observe(text, { fileSupply });
    expect(vendorLicenses).toMatchObject([
      {
        daemon: 'zeta',
        reachable: false,
        pools: [
          {
            feature: 'draw',
            version: '1.0',
            increments: [{ count: 3, expires: end(2030) }],
            unknownOfCheckouts: ['list', 'borrowed', 'status'],
            queued: undefined,
          },
        ],
      },
      { daemon: 'acme', reachable: true, pools: [{ feature: 'solver' }] },
    ]);
    expect(problems).toMatchObject([{ kind: 'daemon_down', message: expect.stringContaining('daemon zeta of') }]);
    expect(observe(text).vendorLicenses[0]).toMatchObject({ daemon: 'zeta', reachable: false, pools: [] });
  });

  it('are reachable if they serve a feature, although they are listed as down', () => {
    const text = HEAD.replace('acme: UP v11.19.6', 'acme: DOWN') + feature('solver', 5, 0);
    const { vendorLicenses, problems } = observe(text);
    expect(vendorLicenses).toMatchObject([{ daemon: 'acme', reachable: true, pools: [{ feature: 'solver' }] }]);
    expect(problems).toEqual([]);
  });

  it('are known if all daemons are down', () => {
    const text = `${TITLE}\n${SERVER}\nVendor daemon status (on lic1):\n   acme: DOWN\n`;
    const { vendorLicenses, problems } = observe(text);
    expect(vendorLicenses).toMatchObject([{ daemon: 'acme', reachable: false, pools: [] }]);
    expect(problems).toMatchObject([{ kind: 'daemon_down' }]);
  });
});

describe('an output with several servers', () => {
  const of = (host: string, daemon: string, total: number, port = 27_000): string =>
    `License server status: ${port}@${host}.example.com\n\n${host}.example.com: license server UP (MASTER) v11.19.6\n
Vendor daemon status (on ${host}.example.com):\n\n     ${daemon}: UP v11.19.6\nFeature usage info:
\nUsers of solver:  (Total of ${total} licenses issued;  Total of 0 licenses in use)\n\n`;
  const down = `License server status: 27002@lic8.example.com\n
lic8.example.com: cannot connect to license server system. (-15,578:115 "Operation now in progress")\n\n`;
  const shown = (...parts: readonly string[]) => {
    const { vendorLicenses, members, problems } = observe(`${TITLE}\n${parts.join(`${'-'.repeat(76)}\n`)}`);
    return {
      pools: vendorLicenses.map(({ server, daemon, reachable, pools: all }) => [
        server,
        daemon,
        reachable,
        all[0]?.increments[0]?.count,
      ]),
      members: members.map(({ server, up }) => [server, up]),
      problems: problems.map(({ message, isMinor }) => [message, isMinor]),
    };
  };
  const own = ['27000@lic1.example.com', 'acme', true, 8] as const;

  it.each([
    [
      'of which one has the same daemon',
      [of('lic1', 'acme', 8), of('lic9', 'acme', 30, 27_001)],
      '27001@lic9.example.com',
    ],
    [
      'of which the asked one is last',
      [of('lic9', 'acme', 30, 27_001), of('lic1', 'acme', 8)],
      '27001@lic9.example.com',
    ],
    ['of which one is down', [of('lic1', 'acme', 8), down], '27002@lic8.example.com'],
    ['of one host', [of('lic1', 'zeta', 3, 27_009), of('lic1', 'acme', 8)], '27009@lic1.example.com'],
    [
      'in three parts',
      [of('lic9', 'zeta', 3, 27_001), of('lic1', 'acme', 8), down],
      '27001@lic9.example.com, 27002@lic8.example.com',
    ],
  ])('%s belongs to the one that was asked, and names the others', (_, parts, others) => {
    expect(shown(...parts)).toEqual({
      pools: [own],
      members: [['27000@lic1.example.com', true]],
      problems: [
        [
          `The output for 27000@lic1.example.com also has the license servers ${others}, which are not shown. Configure a source for each of them.`,
          true,
        ],
      ],
    });
  });

  it('of which two hosts are called alike is that of the one with the domain', () => {
    const paris = of('lic1', 'acme', 30).replaceAll('lic1.example.com', 'lic1.paris.example');
    const expected = [
      'The output for 27000@lic1.example.com also has the license servers 27000@lic1.paris.example, which are not shown. Configure a source for each of them.',
      true,
    ];
    expect(shown(of('lic1', 'acme', 8), paris)).toMatchObject({ pools: [own], problems: [expected] });
    expect(shown(paris, of('lic1', 'acme', 8))).toMatchObject({ pools: [own], problems: [expected] });
    // of a short name, nothing says which it is
    const text = `${TITLE}\n${of('lic1', 'acme', 8)}${paris}`;
    expect(failureOf(text, { settings: { ...settings, servers: ['27000@lic1'] } }).message).toContain(
      'not exactly this one',
    );
  });

  it('says so if none of them was asked', () => {
    const failure = failureOf(`${TITLE}\n${of('lic9', 'acme', 30, 27_001)}${of('lic8', 'acme', 4, 27_002)}`);
    expect(failure.message).toContain('27001@lic9.example.com, 27002@lic8.example.com');
  });

  it('can be a single one under another name', () => {
    expect(shown(of('alias', 'acme', 8, 1))).toMatchObject({ pools: [own], problems: [] });
  });
});

describe('the daemon of a feature', () => {
  const used = (name: string, vendor?: string): string =>
    `Users of ${name}:  (Total of 2 licenses issued;  Total of 0 licenses in use)\n${
      vendor === undefined ? '' : `  "${name}" v1.0, vendor: ${vendor}\n`
    }`;
  const daemons = (...names: readonly string[]): string => names.map((name) => `   ${name}\n`).join('');
  const top = `${TITLE}\n${SERVER}\nVendor daemon status (on lic1):\n\n`;
  const owners = (text: string, changes: Partial<FlexnetInput> = {}): string[] =>
    observe(text, changes).vendorLicenses.flatMap(({ daemon, pools }) =>
      pools.map((pool) => `${daemon}/${pool.feature}`),
    );

  it('is the one of its pool, spelled as it is listed', () => {
    expect(owners(`${top}${daemons('one: UP v11', 'Two: UP v11')}${used('a', 'two')}${used('b', 'one')}`)).toEqual([
      'one/b',
      'Two/a',
    ]);
    expect(owners(`${top}${daemons('one: UP v11')}${used('a', 'other')}`)).toEqual(['other/a']);
  });

  it('is the one that was listed before it, or the only one that answers', () => {
    expect(owners(`${top}${daemons('one: UP v11')}${used('a')}${daemons('two: UP v11')}${used('b')}`)).toEqual([
      'one/a',
      'two/b',
    ]);
    expect(owners(`${top}${daemons('one: UP v11', 'two: DOWN')}${used('a')}`)).toEqual(['one/a']);
  });

  it('is the one of license files or lmstat -i', () => {
    const text = `${top}${daemons('one: UP v11', 'two: UP v11')}${used('a')}${used('b')}${used('c')}`;
    const fileSupply = [supply('1.0', 2, { feature: 'a', daemon: 'one' })];
    const inventory = [supply('1.0', 2, { feature: 'b', daemon: 'TWO' })];
    expect(owners(text, { fileSupply, inventory })).toEqual(['one/a', 'two/b', 'undef/c']);
    expect(observe(text, { fileSupply, inventory }).problems).toMatchObject([
      {
        kind: 'unparsed',
        isMinor: true,
        message: expect.stringMatching(/^Features .* under .* undef \(1\), .* `license_files`/),
      },
    ]);
  });

  it('is the configured one if the output names none', () => {
    expect(owners(`${TITLE}\n${used('a')}`, { settings: { ...settings, daemons: ['acme'] } })).toEqual(['acme/a']);
    expect(owners(`${TITLE}\n${used('a')}`)).toEqual(['undef/a']);
  });

  it('is not known without any of these, and then no sum of a daemon is', () => {
    const text = `${top}${daemons('one: UP v11', 'two: UP v11')}${used('a')}${used('b', 'one')}`;
    expect(
      observe(text).vendorLicenses.map(({ daemon, reachable, hasOtherPools }) => [daemon, reachable, hasOtherPools]),
    ).toEqual([
      ['one', true, true],
      ['two', true, true],
      ['undef', true, undefined],
    ]);
  });

  it('is remembered: only a checkout shows it', () => {
    const list = `${top}${daemons('one: UP v11', 'two: UP v11')}`;
    const { memory } = observe(`${list}${used('a', 'one')}${used('b', 'two')}`);
    expect(owners(`${list}${used('a')}${used('b')}`, { memory })).toEqual(['one/a', 'two/b']);
    // two daemons serve it
    const { memory: both } = observe(`${list}${used('a', 'two')}`, { memory });
    expect(owners(`${list}${used('a')}`, { memory: both })).toEqual(['undef/a']);
  });
});

describe('licenses in use', () => {
  it('are the total without reservations', () => {
    const text = feature('solver', 20, 9, reservation(3), line('ada', ', 4 licenses'), reservation(1), line('bob'));
    expect(poolOf(text)).toMatchObject({
      increments: [{ count: 20, expires: end(2027) }],
      inUse: 5,
      unusedReserve: 4,
      reservations: undefined,
      unknownOfCheckouts: ['status'],
      checkouts: [{ user: 'ada', licenses: 4 }, { user: 'bob' }],
    });
    expect(observe(HEAD + text).diagnostics.contradictions).toBe(0);
  });

  it('are those of the server if fewer are listed', () => {
    const pool = poolOf(feature('solver', 20, 9, reservation(3), line('ada')));
    expect(pool).toMatchObject({ inUse: 6, unusedReserve: 3, unknownOfCheckouts: ['list', 'borrowed', 'status'] });
  });

  it('can hide what is reserved', () => {
    const pool = poolOf(feature('solver', 20, 9));
    expect(pool).toMatchObject({ inUse: 9, unknownOfCheckouts: ['list', 'borrowed', 'status'] });
    expect(pool).not.toHaveProperty('unusedReserve');
    expect(poolOf(feature('solver', 20, 0))).toMatchObject({
      inUse: 0,
      unusedReserve: 0,
      unknownOfCheckouts: ['status'],
    });
  });

  it('are those of the server if more are listed, which is a contradiction', () => {
    const { vendorLicenses, diagnostics } = observe(
      HEAD + feature('solver', 20, 2, reservation(1), line('a'), line('b')),
    );
    expect(vendorLicenses[0]?.pools[0]).toMatchObject({ inUse: 1, unknownOfCheckouts: ['status'] });
    expect(diagnostics.contradictions).toBe(1);
  });

  it('are not known if more are reserved than the server counts', () => {
    const { vendorLicenses, diagnostics } = observe(HEAD + feature('solver', 20, 2, reservation(5)));
    expect(vendorLicenses[0]?.pools[0]).not.toHaveProperty('inUse');
    expect(vendorLicenses[0]?.pools[0]?.unknownOfCheckouts).toContain('list');
    expect(diagnostics.contradictions).toBe(1);
  });

  it('are the listed ones of uncounted licenses and of old tools', () => {
    const uncounted = `Users of a:  (Uncounted, node-locked)\n  "a" v1, vendor: acme\n    ${line('ada')}\n`;
    expect(poolOf(uncounted)).toMatchObject({
      licenseType: 'uncounted',
      increments: [{ count: Number.POSITIVE_INFINITY, expires: 'unknown' }],
      inUse: 1,
    });
    const old = `Users of a:  (Total of 4 licenses available)\n  "a" v1, vendor: acme\n    ${line('ada', ', 2 licenses')}\n`;
    expect(poolOf(old)).toMatchObject({ increments: [{ count: 4 }], inUse: 2 });
  });

  it('are listed once if the server lists a feature twice', () => {
    const listed = feature('solver', 20, 1, line('ada'));
    expect(poolOf(listed + listed)).toMatchObject({
      inUse: 1,
      increments: [{ count: 20 }],
      checkouts: [{ user: 'ada' }],
    });
  });

  it('leave out features that are not supported, or that are excluded', () => {
    const unsupported = 'Users of odd:  (Error: 5 licenses, unsupported by licensed server)\n';
    const text = `${unsupported}${feature('solver', 5, 0)}${feature('mesher', 5, 0)}`;
    const names = (changes: Partial<FlexnetInput['settings']['features']>): string[] =>
      poolsOf(text, { settings: { ...settings, features: { ...settings.features, ...changes } } }).map(
        (pool) => pool.feature,
      );
    expect(names({})).toEqual(['solver', 'mesher']);
    expect(names({ dropUnsupported: false })).toEqual(['odd', 'solver', 'mesher']);
    expect(names({ include: [/^(solver|odd)$/g] })).toEqual(['solver']);
    expect(names({ exclude: [/mesh/] })).toEqual(['solver']);
    const [odd] = poolsOf(text, {
      settings: { ...settings, features: { ...settings.features, dropUnsupported: false } },
    });
    expect(odd).toMatchObject({
      increments: [{ count: undefined }],
      unknownOfCheckouts: ['list', 'borrowed', 'status'],
    });
    expect(odd).not.toHaveProperty('inUse');
    expect(odd).not.toHaveProperty('unusedReserve');
  });

  const optionsOf = (daemon: string, ...reserves: readonly number[]) =>
    new Map([
      [daemon, parseOptionsFile(reserves.map((count) => `RESERVE ${count} solver USER anna`).join('\n'), daemon)],
    ]);

  it('have reserved licenses in use only with options files', () => {
    const text = feature('solver', 20, 9, reservation(3), line('ada'));
    const usedOf = (reserves: readonly number[]): number | undefined =>
      poolOf(text, {
        options: optionsOf('ACME', ...reserves),
      }).usedReserve;
    expect(poolOf(text).usedReserve).toBeUndefined();
    expect(poolOf(text, { options: optionsOf('zeta') }).usedReserve).toBeUndefined();
    expect([usedOf([2, 5]), usedOf([3])]).toEqual([4, 0]);
  });

  it('have no reserved licenses in use where fewer are reserved than are not in use: the file says something else', () => {
    const text = HEAD + feature('solver', 20, 9, reservation(3), line('ada'));
    for (const reserves of [[], [2]]) {
      const { vendorLicenses, diagnostics } = observe(text, { options: optionsOf('acme', ...reserves) });
      expect(vendorLicenses[0]?.pools[0]).not.toHaveProperty('usedReserve');
      expect(diagnostics.contradictions).toBe(1);
    }
  });

  it('have no reserved licenses in use where more are reserved than there are: some lines do not hold', () => {
    const text = feature('solver', 20, 4, reservation(3), line('ada'));
    const { vendorLicenses, diagnostics } = observe(text, { options: optionsOf('acme', 500, 5) });
    expect(vendorLicenses[0]?.pools[0]).not.toHaveProperty('usedReserve');
    expect(diagnostics.contradictions).toBe(1);
  });
});

describe('queue, borrowing, and what is never known', () => {
  const queue = 'eve pc-9 :0 4.0 (v4.0) (lic1/27000 9) queued for 3 licenses';

  it('knows the queue from the first queued request on', () => {
    const [quiet, busy] = [feature('solver', 1, 1, line('ada')), feature('solver', 1, 1, line('ada'), queue)];
    const first = observe(HEAD + quiet);
    expect(first.vendorLicenses[0]?.pools[0]?.queued).toBeUndefined();
    const second = observe(HEAD + busy, { memory: first.memory });
    expect(second.vendorLicenses[0]?.pools[0]).toMatchObject({
      queued: [{ user: 'eve', host: 'pc-9', licenses: 3 }],
      checkouts: [{ user: 'ada' }],
      inUse: 1,
    });
    const third = observe(HEAD + quiet, { memory: second.memory });
    expect(third.vendorLicenses[0]?.pools[0]?.queued).toEqual([]);
  });

  it('remembers hosts', () => {
    const { memory } = observe(HEAD + feature('solver', 2, 2, line('ada'), line('bob', '', 'pc-2 :0')), {
      memory: { ...noMemory, knownHosts: new Set(['pc-0']) },
    });
    expect([...memory.knownHosts]).toEqual(['pc-1', 'pc-2', 'pc-0']);
  });

  it('calls a license borrowed by its linger time', () => {
    const borrowed = (tail: string, changes: Partial<FlexnetInput> = {}): boolean | undefined =>
      poolOf(feature('solver', 1, 1, line('ada', tail)), changes).checkouts[0]?.borrowed;
    expect([borrowed('  (linger: 12 / 3600)'), borrowed('  (linger: 604800)')]).toEqual([true, true]);
    expect([borrowed('  (linger: 12 / 3599)'), borrowed('')]).toEqual([false, false]);
    const may = (mayBorrow: boolean): boolean | undefined =>
      borrowed('  (linger: 12 / 7200)', { fileSupply: [supply('4.2', 1, { mayBorrow })] });
    expect([may(true), may(false)]).toEqual([true, false]);
    expect(borrowed('  (linger: 12 / 7200)', { inventory: [supply('4.2', 1)] })).toBe(true);
  });

  it('knows when a borrowed license ends by the start and the whole linger time', () => {
    const until = (tail: string, changes: Partial<FlexnetInput> = {}): number | undefined =>
      poolOf(feature('solver', 1, 1, line('ada', tail)), changes).checkouts[0]?.until;
    const since = NOW - (25 * 60 + 25) * 60;
    expect(until('  (linger: 604800)')).toBe(since + 604_800);
    expect(until('')).toBeUndefined();
    // one that is only kept for a while is not borrowed
    expect(until('  (linger: 600)')).toBeUndefined();
    const unborrowed = { fileSupply: [supply('4.2', 1, { mayBorrow: false })] };
    expect(until('  (linger: 604800)', unborrowed)).toBeUndefined();
    // a time of the output that is not ours dates no start
    expect(until('  (linger: 604800)', { output: { at: NOW + 7200, isCommand: true } })).toBeUndefined();
    expect(poolOf(feature('solver', 1, 1, line('ada', '  (linger: 600)'))).checkouts[0]).not.toHaveProperty('until');
  });

  it('counts from the start of a borrowed license only where the other linger time has passed since, or is left', () => {
    const passed = (25 * 60 + 25) * 60;
    const isKnown = (part: number): boolean =>
      poolOf(feature('solver', 1, 1, line('ada', `  (linger: ${part} / 604800)`))).checkouts[0]?.until !== undefined;
    const close = [passed - 120, passed, passed + 120, 604_800 - passed - 120, 604_800 - passed + 120];
    expect(close.map(isKnown)).toEqual([true, true, true, true, true]);
    // the server has restarted since, and prints when
    const far = [0, passed - 121, passed + 121, 604_800 - passed - 121, 604_800 - passed + 121, 604_800];
    expect(far.map(isKnown)).toEqual([false, false, false, false, false, false]);
  });

  it.each([
    ['lic1/27000', 'flexnet:27000@lic1'],
    ['lic-1.example.com/1055', 'flexnet:1055@lic-1.example.com'],
    ['10.0.4.7/1055', 'flexnet:1055@10.0.4.7'],
    ['2001:db8::17/1055', 'flexnet:1055@2001:db8::17'],
    ['lic1/port', undefined],
    ['-c/27000', undefined],
    ['lic1;id/27000', undefined],
    ['lic1/0', undefined],
    ['lic1/0x10', undefined],
  ])('names the server %s of a checkout', (written, server) => {
    const other = 'bob pc-2 :0 (v4.0) (lic9/27000 8), start Tue 3/17 9:05';
    const lines = [line('ada'), line('ada').replace('lic1/27000', written), other];
    const { checkouts } = poolOf(feature('solver', 3, 3, ...lines));
    expect(checkouts.map((one) => one.server)).toEqual(['flexnet:27000@lic1', server, 'flexnet:27000@lic9']);
    if (server === undefined) expect(checkouts[1]).not.toHaveProperty('server');
  });

  it('knows neither denials nor the status of applications', () => {
    expect(poolOf(feature('solver', 1, 1, line('ada')))).toMatchObject({
      denials: undefined,
      unknownOfCheckouts: ['status'],
      checkouts: [{ status: undefined, shareHandle: undefined, handle: '7' }],
    });
  });
});

describe('versions and expiries', () => {
  const twoPools = `
Users of solver:  (Total of 12 licenses issued;  Total of 6 licenses in use)

  "solver" v4.2, vendor: acme, expiry: 31-dec-2027
  nodelocked license, locked to "ID=7"

    ${reservation(2)}
    ${line('ada', ', 3 licenses')}

  "solver" v5.0000, vendor: acme, expiry: 31-dec-2029
  floating license

    ${line('bob')}
`;

  it('are one record without a version if nothing else is known', () => {
    expect(poolOf(twoPools)).toMatchObject({
      version: '',
      licenseType: 'floating',
      increments: [{ count: 12, expires: end(2027) }],
      inUse: 4,
      checkouts: [{ user: 'ada' }, { user: 'bob' }],
    });
    expect(poolOf(feature('solver', 3, 0).replace(', expiry: 31-dec-2027', '')).increments).toEqual([
      { count: 3, expires: 'unknown' },
    ]);
  });

  it('do not let an expired pool hide what the server still issues', () => {
    const expired = twoPools.replace('31-dec-2027', '31-dec-2020');
    expect(poolOf(expired).increments).toEqual([{ count: 12, expires: end(2029) }]);
    expect(poolOf(expired.replace('31-dec-2029', 'permanent')).increments).toEqual([{ count: 12, expires: undefined }]);
  });

  it('are kept apart if license files fit to what the server issues', () => {
    const fileSupply = [supply('4.20', 6), supply('4.2', 2, { expires: undefined }), supply('5.0', 4)];
    expect(poolsOf(twoPools, { fileSupply })).toMatchObject([
      {
        version: '4.20',
        licenseType: 'node-locked',
        increments: [{ count: 6 }, { count: 2, expires: undefined }],
        inUse: 3,
        unusedReserve: 2,
        checkouts: [{ user: 'ada' }],
      },
      { version: '5.0', licenseType: 'floating', increments: [{ count: 4 }], inUse: 1, unusedReserve: 0 },
    ]);
  });

  it('are kept apart by type if the version is the same', () => {
    const fileSupply = [supply('5', 8, { licenseType: 'node-locked' }), supply('5', 4)];
    const text = twoPools.replace('v4.2, vendor', 'v5, vendor');
    expect(poolsOf(text, { fileSupply }).map(({ licenseType, inUse }) => [licenseType, inUse])).toEqual([
      ['node-locked', 3],
      ['floating', 1],
    ]);
  });

  it.each([
    ['of their version', '4.2'],
    ['of another version', '9.0'],
  ])('lose nothing to an uncounted line %s', (_, version) => {
    const fileSupply = [supply('4.2', 8), supply('5.0', 4)];
    const uncounted = supply(version, Number.POSITIVE_INFINITY, { licenseType: 'uncounted', expires: end(2028) });
    const figures = (lines: readonly LicenseSupply[]) => poolsOf(twoPools, { fileSupply: lines });
    expect(figures([uncounted, ...fileSupply])).toEqual(figures(fileSupply));
    expect(figures([...fileSupply, uncounted]).map((pool) => [pool.version, pool.increments[0]?.count])).toEqual([
      ['4.2', 8],
      ['5.0', 4],
    ]);
  });

  it('have no count of their own if not all checkouts are listed', () => {
    const pools = poolsOf(twoPools.replace('Total of 6', 'Total of 7'), {
      fileSupply: [supply('4.2', 8), supply('5.0', 4)],
    });
    expect(pools.map(({ version, inUse, unusedReserve }) => [version, inUse, unusedReserve])).toEqual([
      ['4.2', undefined, 2],
      ['5.0', undefined, 0],
    ]);
    expect(pools.every(({ unknownOfCheckouts }) => unknownOfCheckouts?.includes('list'))).toBe(true);
  });

  it.each([
    ['the numbers differ', [supply('4.2', 8), supply('5.0', 5)]],
    ['a version is missing', [supply('4.2', 8), supply('6.0', 4)]],
    ['a number is not known', [supply('4.2', 8), { ...supply('5.0', 4), count: undefined }]],
    [
      'a version is in two packages',
      [supply('4.2', 8), supply('5.0', 2, { package: 'p' }), supply('5.0', 2, { package: 'q' })],
    ],
  ])('are one record without a version if %s', (_, fileSupply) => {
    expect(poolsOf(twoPools, { fileSupply })).toMatchObject([
      { version: '', package: '', inUse: 4, increments: [{ count: 12 }] },
    ]);
  });

  it('are known of a feature without users', () => {
    const unused = 'Users of solver:  (Total of 12 licenses issued;  Total of 0 licenses in use)\n';
    expect(poolOf(unused, { inventory: [supply('4.2', 5), supply('4.2', 7, { expires: undefined })] })).toMatchObject({
      version: '4.2',
      inUse: 0,
      increments: [
        { count: 5, expires: end(2030) },
        { count: 7, expires: undefined },
      ],
    });
    expect(poolOf(unused, { inventory: [supply('4.2', 5)] })).toMatchObject({
      version: '4.2',
      increments: [{ count: 12, expires: end(2030) }],
    });
    const expired = supply('3.0', 9, { expires: NOW - 1 });
    expect(poolsOf(unused, { inventory: [supply('4.2', 4), supply('5.0', 8), expired] })).toMatchObject([
      { version: '4.2', inUse: 0 },
      { version: '5.0', inUse: 0 },
    ]);
  });

  it('prefer license files to lmstat -i, feature by feature', () => {
    const text = feature('solver', 5, 0) + feature('mesher', 5, 0);
    const fileSupply = [supply('4.2', 5, { package: 'suite', featureType: 'component' })];
    const inventory = [supply('4.2', 5), supply('4.2', 5, { feature: 'mesher' })];
    expect(poolsOf(text, { fileSupply, inventory })).toMatchObject([
      { feature: 'solver', package: 'suite', featureType: 'component' },
      { feature: 'mesher', package: '', featureType: 'feature', version: '4.2' },
    ]);
  });

  it('can end after 2038', () => {
    const text = feature('solver', 5, 0).replace('2027', '2099');
    expect(poolOf(text).increments).toEqual([{ count: 5, expires: end(2099) }]);
    expect(parse(HEAD + text).diagnostics.unparsed).toBe(0);
  });
});
