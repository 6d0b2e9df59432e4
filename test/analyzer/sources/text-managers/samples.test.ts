import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import type { Parsed } from '../../../../src/analyzer/sources/parsed.ts';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { isLong } from '../../../support/extent.ts';
import { sourceSettings } from '../../../support/source-settings.ts';
import { published, type TextManager, textManagers } from './published.ts';

/** What is read of each sample. Not a line of them is unknown. */

const at = (time: string): number => Date.parse(`2027-${time}Z`) / 1000;
const now = at('01-15T08:00:00');

function read(manager: TextManager, text: string, more: { via?: 'command' | 'file'; memory?: unknown } = {}): Parsed {
  const { via = 'command', memory } = more;
  return managerCodes[manager].read({
    settings: sourceSettings({ manager, servers: ['1000@lic1'] }),
    via,
    now,
    output: { stdout: text, stderr: '', exitCode: 0, at: now },
    more: { server: { lmx: '6200@lic1' }[manager as string] ?? '1000@lic1', memory },
  });
}

function sample(manager: TextManager, name: string): Parsed {
  const parsed = read(manager, published[manager][name] ?? '');
  expect(parsed.diagnostics).toMatchObject({ unparsed: 0, contradictions: 0 });
  return parsed;
}

function failure(manager: TextManager, text: string): SourceFailure {
  try {
    read(manager, text);
  } catch (error) {
    if (error instanceof SourceFailure) return error;
  }
  throw new Error('the text gives data');
}

const poolsOf = (parsed: Parsed): readonly PoolObservation[] => parsed.vendorLicenses.flatMap(({ pools }) => pools);
const holders = ({ checkouts }: PoolObservation) =>
  checkouts.map(({ user, host, licenses, since }) => [user, host, licenses, since]);

describe('DSLS', () => {
  it('reads the table: each pool once, and a row for each user', () => {
    const parsed = sample('dsls', 'table');
    expect(parsed.vendorLicenses).toMatchObject([{ server: '1000@lic1', daemon: 'dsls', reachable: true }]);
    const [sim, cad] = poolsOf(parsed);
    expect(sim).toMatchObject({ feature: 'SIM', version: '8', licenseModel: 'token', inUse: 700 });
    expect(sim?.increments).toEqual([
      { count: 1000, expires: at('01-01T00:59:00') },
      { count: 500, expires: Date.parse('2028-01-01T00:59:00Z') / 1000 },
    ]);
    expect(sim && holders(sim)).toEqual([
      ['ada', 'node1', 493, at('01-10T17:59:34')],
      ['Roe, Jane', 'node2', 207, at('01-14T18:48:17')],
    ]);
    expect(sim?.checkouts.map(({ status, handle }) => [handle, status])).toEqual([
      ['02DBE16', { state: 'active' }],
      ['02DBE17', { state: 'inactive', seconds: 7200 }],
    ]);
    expect(sim?.unknownOfCheckouts).toEqual(['borrowed', 'ended']);
    expect(cad).toMatchObject({
      licenseModel: 'concurrent',
      inUse: 1,
      increments: [{ count: Number.POSITIVE_INFINITY }],
    });
    expect(cad?.queued).toEqual([{ user: 'grace', host: 'pc2', since: at('01-15T07:50:00'), licenses: 1 }]);
  });

  const columns =
    'Editor,EditorId,Feature,Model,Commercial Type,Max Release Number,Max Release Date,Pricing Structure,Max Casual Duration,Expiration Date,Customer ID,Count,Inuse,Tokens,Casual Usage (mn),Host,User,Internal ID,Active Process,Client Code Version,Session ID,Granted Since,Last Used At,Granted At,Queue Position,';

  it('adds up the pools of a product that differ in any column', () => {
    const pool = fc.record(
      {
        editor: fc.constantFrom('5E756A80', '6F867B91'),
        type: fc.constantFrom('STD', 'SHAREABLE'),
        release: fc.constantFrom('2028-01-01 00:59:00', '2029-01-01 00:59:00'),
        pricing: fc.constantFrom('YLC', 'ALC', 'PLC'),
        casual: fc.constantFrom('0', '30'),
        expires: fc.constantFrom('2028-01-01 00:59:00', '2028-06-01 00:59:00'),
        customer: fc.constantFrom('1001', '1002'),
        count: fc.integer({ min: 3, max: 9 }),
        inUse: fc.nat(3),
      },
      { noNullPrototype: true },
    );
    // what is in use of two pools that are equal in all columns cannot be told apart
    const pools = fc
      .array(pool, { minLength: 1, maxLength: 6 })
      .map((all) =>
        all.filter(
          (one, index) => one.inUse === 0 || index === all.findIndex((other) => isDeepStrictEqual(one, other)),
        ),
      );
    fc.assert(
      fc.property(pools, (all) => {
        const rows = all.flatMap(
          ({ editor, type, release, pricing, casual, expires, customer, count, inUse }, index) => {
            const bought = `Dassault Systemes,${editor},CAD,ConcurrentUser,${type},8,${release},${pricing},${casual},${expires},${customer},${count},${inUse},,,`;
            if (inUse === 0) return [`${bought},,,,,,,,,,`];
            return Array.from(
              { length: inUse },
              (_, user) =>
                `${bought}pc${user} (1.0)/10.0.0.1,user${index}-${user},CAD,/cnext ( 1),6.4,S${index}${user},2027-01-10 09:00:00,2027-01-15 07:00:00,2027-01-10 09:00:00,`,
            );
          },
        );
        const text = `License Administration Tool Version 6.425.4 Built on May 2, 2023, 6:45:36 PM.\nadmin >\n${columns}\n${rows.join('\n')}\n`;
        const parsed = read('dsls', text);
        const [cad] = poolsOf(parsed) as [PoolObservation];
        const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
        expect(cad.increments.map(({ count }) => count)).toEqual(all.map(({ count }) => count));
        expect([cad.inUse, cad.checkouts.length]).toEqual([sum(({ inUse }) => inUse), sum(({ inUse }) => inUse)]);
        expect([parsed.diagnostics.unparsed, parsed.diagnostics.contradictions]).toEqual([0, 0]);
      }),
      { numRuns: isLong ? 2000 : 200 },
    );
  });

  it('reads the last of several answers in a text', () => {
    const text = published.dsls['table'] ?? '';
    const once = read('dsls', text.replaceAll('\nadmin >', '\n'));
    const twice = read('dsls', `${text.replaceAll(',1000,700,', ',1000,650,')}\n${text}`, { via: 'file' });
    expect(poolsOf(twice)).toEqual(poolsOf(once));
  });

  it('reads the blocks: a holder counts once with several processes, and times are those of any locale', () => {
    const [cad, sim, old] = poolsOf(sample('dsls', 'blocks'));
    expect(cad).toMatchObject({ feature: 'CAD', version: '23', licenseModel: 'named', inUse: 2 });
    expect(cad?.increments).toEqual([{ count: 3, expires: Date.parse('2028-01-14T19:59:00Z') / 1000 }]);
    expect(cad && holders(cad)).toEqual([
      ['ada', 'pc1', 1, at('01-10T09:15:43')],
      ['bob', 'pc2', 1, at('01-13T11:26:01')],
    ]);
    expect(cad?.checkouts.map(({ status }) => status?.state)).toEqual(['active', 'inactive']);
    expect(sim?.increments).toEqual([{ count: 30, expires: Date.parse('2028-09-26T19:59:00Z') / 1000 }]);
    expect(sim && holders(sim)).toEqual([['joan', 'node7', 12, at('01-14T13:55:06')]]);
    expect(sim?.checkouts[0]?.status).toBeUndefined();
    expect(old).toMatchObject({ increments: [{ count: 5, expires: 'unknown' }], checkouts: [], inUse: 0 });
  });

  it('says why there is no data', () => {
    expect(failure('dsls', published.dsls['down'] ?? '')).toMatchObject({ kind: 'unreachable' });
    expect(failure('dsls', published.dsls['notReady'] ?? '')).toMatchObject({ kind: 'no_quorum' });
    expect(failure('dsls', 'admin >Access denied: wrong password\n')).toMatchObject({ kind: 'refused' });
    expect(failure('dsls', (published.dsls['notReady'] ?? '').replace('no', 'yes')).message).toBe(
      'DSLS at 1000@lic1 answers, but lists no license: check that the server has valid licenses.',
    );
  });

  it('withholds times of a clock that is ahead, and says so', () => {
    const text = (published.dsls['table'] ?? '').replaceAll('2027-01-14 18:48:17', '2027-01-15 10:00:00');
    const parsed = read('dsls', text);
    expect(parsed.problems).toMatchObject([{ kind: 'clock', isMinor: true }]);
    expect(poolsOf(parsed).flatMap(({ checkouts }) => checkouts.map(({ since }) => since))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('LM-X', () => {
  it('reads XML by names of attributes, with entities and without them', () => {
    const parsed = sample('lmx', 'xml');
    expect(parsed.vendorLicenses.map(({ daemon }) => daemon)).toEqual(['EXAMPLE', 'OTHER']);
    const [solver, viewer] = poolsOf(parsed);
    expect(solver).toMatchObject({ feature: 'Solver', version: '21.0', inUse: 3, unknownOfCheckouts: ['status'] });
    expect(solver?.increments).toEqual([
      { count: 10, expires: at('02-01T00:00:00') - 1 },
      { count: 5, expires: Date.parse('2028-02-01T00:00:00Z') / 1000 - 1 },
    ]);
    expect(solver && holders(solver)).toEqual([
      ['R&D <x>', 'pc1', 2, at('01-15T06:29:00')],
      ['ada', 'pc2', 1, at('01-14T09:26:00')],
    ]);
    expect(solver?.checkouts.map(({ borrowed }) => borrowed)).toEqual([false, true]);
    // its four users are hidden
    expect(viewer).toMatchObject({ inUse: 4, licenseType: 'uncounted', unknownOfCheckouts: ['list', 'status'] });
    expect(viewer?.increments).toEqual([{ count: Number.POSITIVE_INFINITY, expires: undefined }]);
  });

  it('counts denials from one answer to the next, and from 0 when the server was started again', () => {
    const xml = published.lmx['xml'] ?? '';
    const denialsAfter = (text: string, before: unknown): readonly [number | undefined, unknown] => {
      const parsed = managerCodes.lmx.read({
        settings: sourceSettings({ manager: 'lmx', servers: ['6200@lic1'] }),
        via: 'command',
        now,
        output: { stdout: text, stderr: '', exitCode: 0, at: now + Number(before !== undefined) },
        more: { server: '6200@lic1', memory: before && { ...before, writtenAt: now } },
      });
      return [poolsOf(parsed)[0]?.denials, (parsed as unknown as { memory: unknown }).memory];
    };
    const [first, memory] = denialsAfter(xml, undefined);
    expect(first).toBeUndefined();
    const [second, later] = denialsAfter(xml.replace('DENIED_LICENSES="7"', 'DENIED_LICENSES="9"'), memory);
    expect(second).toBe(2);
    expect(denialsAfter(xml.replace('DENIED_LICENSES="7"', 'DENIED_LICENSES="0"'), later)[0]).toBe(1);
  });

  it('reads the text for people', () => {
    const [solver, viewer] = poolsOf(sample('lmx', 'text'));
    expect(solver).toMatchObject({ inUse: 40_000, increments: [{ count: 1_000_003 }] });
    expect(solver && holders(solver)).toEqual([
      ['ada', 'pc1.example.com_ver2023', 15_000, at('01-15T06:29:00')],
      ['Jane Roe', 'pc2', 25_000, at('01-15T05:26:00')],
    ]);
    expect(solver?.checkouts.map(({ borrowed }) => borrowed)).toEqual([false, true]);
    // without a borrowed one, the text does not say whether there are any
    expect(solver?.unknownOfCheckouts).toEqual(['borrowed', 'status']);
    expect(viewer).toMatchObject({ licenseModel: 'token', token: 'unknown', increments: [{ expires: undefined }] });
  });

  it('uses the answer of the server that was asked, and names the others', () => {
    const text = (published.lmx['xml'] ?? '').replace(
      'HOST="6200@lic2" STATUS="SERVER_DOWN"',
      'HOST="6200@lic2" STATUS="SUCCESS"',
    );
    const { problems, vendorLicenses } = read('lmx', text);
    expect(vendorLicenses).toHaveLength(2);
    expect(problems).toMatchObject([
      { message: expect.stringContaining('6200@lic1, 6200@lic2, of which 6200@lic1 is read') },
    ]);
  });

  it('says why there is no data', () => {
    expect(failure('lmx', published.lmx['down'] ?? '')).toMatchObject({ kind: 'unreachable' });
    expect(failure('lmx', '<LM-X><LICENSE_PATH HOST="6200@lic1" STATUS="ERROR"/></LM-X>\n')).toMatchObject({
      kind: 'unreachable',
    });
    expect(failure('lmx', (published.lmx['xml'] ?? '').slice(0, 700))).toMatchObject({ kind: 'unparsed' });
    expect(
      read('lmx', (published.lmx['xml'] ?? '').replace('<USER ', '<VISITOR ').replace('SHARE="NONE">\n      <USER', ''))
        .diagnostics.unparsed,
    ).toBe(1);
  });
});

describe('LS-DYNA', () => {
  it('reads programs with their users, and the times of the list', () => {
    const pools = poolsOf(sample('lsdyna', 'programs'));
    expect(
      pools.map(({ feature, inUse, available, increments }) => [feature, inUse, available, increments[0]?.count]),
    ).toEqual([
      ['MPPDYNA', 440, 60, 500],
      ['LS-DYNA', 0, 60, 500],
      ['LICENSE GROUP', 440, 60, 500],
      ['LS-OPT', 2, 3, 5],
      ['LICENSE GROUP 2', 2, 3, 5],
    ]);
    const [program, , group, other] = pools;
    expect(program && holders(program)).toEqual([
      ['ada', 'node13.example.com', 80, at('01-14T16:18:00')],
      ['bob', 'node52.example.com', 360, at('01-15T06:22:00')],
    ]);
    expect(program).toMatchObject({
      token: { pool: 'LICENSE GROUP', source: '1000@lic1;lstc', cost: 1 },
      queued: [{ user: '', licenses: 16 }],
    });
    expect(program?.increments[0]?.expires).toBe(at('12-31T00:00:00') - 1);
    expect(group).toMatchObject({ licenseModel: 'concurrent', unknownOfCheckouts: ['list', 'borrowed', 'status'] });
    // who holds its licenses is not listed
    expect(other?.unknownOfCheckouts).toContain('list');
  });

  it('tells processes of the same number on different hosts apart', () => {
    const text = (published.lsdyna['programs'] ?? '').replaceAll('10274', '59005');
    const [program] = poolsOf(read('lsdyna', text));
    expect(program?.checkouts.map(({ since }) => since)).toEqual([at('01-14T16:18:00'), at('01-15T06:22:00')]);
  });

  it('reads the list of programs alone', () => {
    const [program] = poolsOf(sample('lsdyna', 'running'));
    expect(program).toMatchObject({
      feature: 'MPPDYNA',
      increments: [{ count: undefined, expires: 'unknown' }],
      queued: [],
    });
    expect(program && holders(program)).toEqual([['ada', 'node1.example.co', 28, at('01-14T16:18:00')]]);
  });

  it('says why there is no data', () => {
    expect(failure('lsdyna', published.lsdyna['down'] ?? '')).toMatchObject({ kind: 'unreachable' });
  });

  it('is no failure while nobody runs anything', () => {
    const { vendorLicenses, problems } = sample('lsdyna', 'idle');
    expect(vendorLicenses).toMatchObject([{ daemon: 'lstc', reachable: true, pools: [] }]);
    expect(problems).toEqual([]);
    // a list that is not understood does not say that nobody does
    const newer = `${published.lsdyna['idle'] ?? ''}\n  job=17 user=ada cores=64\n`;
    expect(failure('lsdyna', newer)).toMatchObject({
      kind: 'unparsed',
      message: expect.stringContaining('1 line is not'),
    });
  });
});

describe('Sentinel RMS', () => {
  it('reads features with their licenses and clients, in any order', () => {
    const pools = poolsOf(sample('rms', 'blocks'));
    expect(pools.map(({ feature, version }) => [feature, version])).toEqual([
      ['MODEL', '1.0'],
      ['MODEL', '2.0'],
    ]);
    const [first, second] = pools;
    expect(first).toMatchObject({ inUse: 3, usedReserve: 1, unusedReserve: 4, unknownOfCheckouts: ['status'] });
    expect(first?.increments).toEqual([
      { count: 100, expires: at('11-20T23:59:59') },
      { count: 30, expires: undefined },
    ]);
    expect(first && holders(first)).toEqual([
      ['ada', 'PC-1', 1, at('01-15T06:34:40')],
      ['bob', 'PC-2', 2, at('01-14T06:34:40')],
    ]);
    expect(first?.checkouts.map(({ borrowed }) => borrowed)).toEqual([false, true]);
    expect(second).toMatchObject({ licenseType: 'uncounted', inUse: 0, increments: [{ expires: undefined }] });
    expect(second?.queued).toBeUndefined();
  });

  it('says why there is no data', () => {
    expect(failure('rms', published.rms['down'] ?? '')).toMatchObject({ kind: 'unreachable' });
    expect(failure('rms', 'lsmon: Unable to contact the license server\n')).toMatchObject({ kind: 'unreachable' });
  });
});

describe('Slurm', () => {
  it('reads a line for each license: what is reserved may be in use', () => {
    const pools = poolsOf(sample('slurm', 'lines'));
    expect(
      pools.map(({ feature, inUse, available, reserved, reservations }) => [
        feature,
        inUse,
        available,
        reserved ?? reservations,
      ]),
    ).toEqual([
      ['ansys', 2, 98, []],
      ['fluent', 1, undefined, 7],
      ['nastran@lic1', 0, 5, []],
    ]);
    expect(pools[0]).toMatchObject({ unknownOfCheckouts: ['list', 'borrowed', 'status'], queued: undefined });
  });

  it('counts what others use of a remote license', () => {
    const remote =
      'LicenseName=solver@lic1 Total=999 Used=5 Free=94 Reserved=0 Remote=yes LastConsumed=905 LastDeficit=900 LastUpdate=2027-01-15T07:59:00\n';
    expect(poolsOf(read('slurm', remote))).toMatchObject([
      { feature: 'solver@lic1', inUse: 905, available: 94, increments: [{ count: 999 }] },
    ]);
  });

  it('reads the other forms', () => {
    expect(poolsOf(sample('slurm', 'indented')).map(({ inUse, increments }) => [inUse, increments[0]?.count])).toEqual([
      [2, 100],
      [30, 30],
    ]);
    expect(poolsOf(sample('slurm', 'json'))).toMatchObject([
      { feature: 'fluent', inUse: 12, increments: [{ count: 30 }] },
    ]);
  });

  it('says why there is no data', () => {
    expect(failure('slurm', published.slurm['down'] ?? '')).toMatchObject({ kind: 'unreachable' });
    expect(failure('slurm', published.slurm['none'] ?? '')).toMatchObject({ kind: 'empty' });
    expect(failure('slurm', 'scontrol: error: auth_g_pack: protocol authentication error\n')).toMatchObject({
      kind: 'refused',
    });
    expect(failure('slurm', '{"licenses": [{"LicenseName"')).toMatchObject({ kind: 'unparsed' });
  });
});

it.each(textManagers)('%s refuses an output that is empty, strange or cut', (manager) => {
  expect(failure(manager, '').message).toMatch(
    /^The output for .* at .* is empty\. Run the configured command by hand/,
  );
  expect(failure(manager, 'users of nothing\n').message).toMatch(
    / is not that of ".*"; its first unknown line looks like "a a a"/,
  );
  const [text = ''] = Object.values(published[manager]);
  expect(failure(manager, `${text}\n!cut`).message).toMatch(/within a line|not whole XML/);
  const { vendorLicenses } = read(manager, `${text.trimEnd()}\n`, { via: 'file' });
  expect(vendorLicenses.length).toBeGreaterThan(0);
});

/** Each head is one that only this tool prints; what follows is of a newer one. */
it.each([
  [
    'dsls',
    'License Administration Tool Version 9.1 Built on May 2, 2026, 6:45:36 PM.\nadmin >	Software version: 9.1\n    Ready: yes\n',
  ],
  ['lmx', (published.lmx['text'] ?? '').split('\n').slice(0, 6).join('\n')],
  ['lsdyna', (published.lsdyna['programs'] ?? '').split('\n').slice(0, 2).join('\n')],
  ['rms', 'Sentinel RMS Development Kit 9.7.0.0044 Application Monitor\n  Copyright (C) 2020 SafeNet, Inc.\n\n'],
] as const)('%s whose head is known, with lines that are not, is not a server without licenses', (manager, head) => {
  const lines = ['seats=10 of=solver', 'taken=2 of=solver', 'taken=1 of=viewer'];
  const { kind, message } = failure(manager, `${head}\n${lines.join('\n')}\n`);
  expect([kind, message]).toEqual([
    'unparsed',
    expect.stringMatching(/has no license that is understood, and 3 lines are not understood; .* newer one/),
  ]);
  expect(failure(manager, `${head}\n${lines[0]}\n`).message).toContain('1 line is not understood');
  // with a feature that is understood, the rest is counted
  const known = manager === 'lmx' ? published.lmx['text'] : Object.values<string>(published[manager])[0];
  expect(read(manager, `${known?.trimEnd()}\n${lines.join('\n')}\n`, { via: 'file' }).diagnostics.unparsed).toBe(3);
});

it('slurm in JSON of another shape is not a server without licenses', () => {
  expect(failure('slurm', '{"licenses": [{"Name": "fluent", "Seats": 10}], "meta": {}}')).toMatchObject({
    kind: 'unparsed',
    message: expect.stringContaining('newer one'),
  });
  expect(failure('slurm', '{"licenses": [], "meta": {}}').kind).toBe('empty');
});
