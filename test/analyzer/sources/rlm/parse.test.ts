import { describe, expect, it } from 'vitest';
import { parseRlmstat } from '../../../../src/analyzer/sources/rlm/parse.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { head, isv, reportOf, runAt, secondsOf } from './reading.ts';

const row = '	acme             49152   Yes      2';
const pool = '	paint v3.1, pool: 1\n		count: 5, # reservations: 0, inuse: 1, exp: 1-jul-2027';
const poolsOf = (lines: string) => reportOf(head(row) + isv('acme', lines)).isvs[0]?.pools;
const usageOf = (...lines: readonly string[]) =>
  reportOf(head(row) + isv('acme', pool, lines.join('\n'))).isvs[0]?.usage;

describe('the report of rlmstat', () => {
  it('has every line of a whole output', () => {
    const text = head(row) + isv('acme', pool, '	paint v3.1: ann.b@ws-4 1/0 at 03/02 20:41  (handle: 329h) ');
    expect(reportOf(text)).toMatchObject({
      masters: [{ host: 'lic7', port: '5053' }],
      isvs: [
        {
          name: 'acme',
          isRunning: true,
          pools: [{ product: 'paint', version: '3.1', count: 5, reserved: 0, inUse: 1 }],
          usage: [{ product: 'paint', version: '3.1', user: 'ann.b', host: 'ws-4', licenses: 1, handle: '329h' }],
        },
      ],
      errors: [],
      referenceTime: runAt,
      diagnostics: { unparsed: 0, masks: [], contradictions: 0 },
    });
  });

  it('is the same with carriage returns, without indentation, and with other white space', () => {
    const text = head(row) + isv('acme', pool, '	paint v3.1: ann@ws 1/0 at 03/02 20:41  (handle: a1) ');
    const variants = [
      text.replaceAll('\n', '\r\n'),
      text.replaceAll('\t', ''),
      text.replaceAll('\t', '        '),
      text.replaceAll('\n', '\n\n'),
      text.replaceAll('\n	', '\n\f	'),
    ];
    for (const variant of variants) expect(reportOf(variant)).toEqual(reportOf(text));
  });

  it('counts and masks lines that it does not know, and goes on', () => {
    const { diagnostics, isvs } = reportOf(
      head(row) + isv('acme', `${pool}\n	Roaming: 3 licenses until friday`, '	nobody knows carol@host7 this'),
    );
    expect(diagnostics).toMatchObject({ unparsed: 2, masks: [' a: 9 a a a', ' a a a@a9 a'] });
    expect(isvs[0]?.pools).toHaveLength(1);
  });

  it('takes the last of several outputs of one server', () => {
    const older = head(row) + isv('acme', pool.replace('inuse: 1', 'inuse: 4'));
    const newer = head(row).replaceAll('2026', '2027') + isv('acme', pool);
    const report = reportOf(`${older}\n${newer}`);
    expect(report.isvs.map(({ pools }) => pools.map(({ inUse }) => inUse))).toEqual([[1]]);
    expect(report.referenceTime).toBe(secondsOf('2027-03-03T10:00:00'));
    expect(report.diagnostics.unparsed).toBe(0);
  });

  it('takes the last of several sections of one ISV server', () => {
    const line = '	paint v3.1: ann@ws 1/0 at 03/02 20:41  (handle: a1) ';
    const [acme] = reportOf(head(row) + isv('acme', pool, line) + isv('acme', pool, line)).isvs;
    expect(acme?.pools).toHaveLength(1);
    expect(acme?.usage).toHaveLength(1);
  });

  it('does not need the status of the master', () => {
    const report = reportOf(`Setting license file path to 5053@lic7\nrlmutil v15.1\n${isv('acme', pool)}`);
    expect(report.isvs).toMatchObject([{ name: 'acme', isRunning: undefined, pools: [{ inUse: 1 }] }]);
    expect(report.referenceTime).toBe(runAt);
  });
});

describe('the table of ISV servers', () => {
  it('says which of them run', () => {
    const table = ['	acme-2   0   No      7', '_b            49153   Yes      0', 'c_3 No', 'd9 49154 yes'];
    expect(reportOf(head(...table)).isvs.map(({ name, isRunning }) => [name, isRunning])).toEqual([
      ['acme-2', false],
      ['_b', true],
      ['c_3', false],
      ['d9', true],
    ]);
  });

  it('ends with the next section', () => {
    const { isvs, diagnostics } = reportOf(`${head(row)}\n	----------------------\n	other 49160 Yes 0`);
    expect(isvs.map(({ name }) => name)).toEqual(['acme']);
    expect(diagnostics.unparsed).toBe(1);
  });
});

describe('a pool', () => {
  it('may have no number', () => {
    expect(poolsOf('	360ex v2024.04\n		count: 1, # reservations: 0, inuse: 0, exp: 30-apr-2027')).toMatchObject([
      { product: '360ex', version: '2024.04', count: 1, inUse: 0 },
    ]);
  });

  it('has its figures by name, in any order, on any of its lines', () => {
    expect(
      poolsOf('	a v1\n		exp: permanent, inuse: 2\n		soft_limit: 9, # Reservations: 3, COUNT: 8\n		obsolete: 0'),
    ).toEqual([
      { product: 'a', version: '1', count: 8, reserved: 3, inUse: 2, expires: undefined, isTokenBased: false },
    ]);
  });

  it.each([
    ['unlimited', Number.POSITIVE_INFINITY],
    ['Uncounted', Number.POSITIVE_INFINITY],
    ['0', undefined],
    ['-1', undefined],
    ['many', undefined],
    ['1000', 1000],
  ])('with the count %s has %s licenses', (written, count) => {
    expect(poolsOf(`	a v1\n		count: ${written}, # reservations: 0, inuse: 0, exp: permanent`)?.[0]?.count).toBe(
      count,
    );
  });

  it.each([
    ['permanent', undefined],
    ['1-jul-0', undefined],
    ['1-JUL-2027', secondsOf('2027-07-01T23:59:59')],
    ['09-jan-2027', secondsOf('2027-01-09T23:59:59')],
    ['31-feb-2027', 'unknown'],
    ['soon', 'unknown'],
  ])('that expires %s', (written, expires) => {
    expect(poolsOf(`	a v1\n		count: 1, # reservations: 0, inuse: 0, exp: ${written}`)?.[0]?.expires).toBe(expires);
  });

  it('without figures has none', () => {
    expect(poolsOf('	a v1, pool: 1\n	b v2, pool: 2\n		Token-based license')).toMatchObject([
      {
        product: 'a',
        count: undefined,
        reserved: undefined,
        inUse: undefined,
        expires: 'unknown',
        isTokenBased: false,
      },
      { product: 'b', count: undefined, inUse: undefined, isTokenBased: true },
    ]);
  });
});

describe('a checkout', () => {
  const start = { month: 2, date: 6, hour: 9, minute: 59 };

  it.each([
    ['carla@ws1', 'carla', 'ws1'],
    ['Carla Von Der Au@WS-1.example.com', 'Carla Von Der Au', 'WS-1.example.com'],
    ['carla@example.com@ws1', 'carla@example.com', 'ws1'],
    ['DOM\\carla (vpn): x@10.0.0.7', 'DOM\\carla (vpn): x', '10.0.0.7'],
    ['カルラ@ws1', 'カルラ', 'ws1'],
    ['paint v3.1: carla@ws1', 'paint v3.1: carla', 'ws1'],
  ])('of %s has its user and host', (who, user, host) => {
    expect(usageOf(`	paint v3.1: ${who} 29/0 at 02/06 09:59  (handle: 15a) `)).toEqual([
      { product: 'paint', version: '3.1', user, host, licenses: 29, start, handle: '15a' },
    ]);
  });

  it('of old versions has the handle after the host', () => {
    expect(usageOf('	test3 v1.000: tom@sun1(v1.0) (809f418) 1/0 at 02/06 09:59')).toEqual([
      { product: 'test3', version: '1.000', user: 'tom', host: 'sun1', licenses: 1, start, handle: '809f418' },
    ]);
  });

  it('may have no handle, other text at its end, or a time with year and seconds', () => {
    expect(
      usageOf(
        '	a v1: u@h 1/0 at 02/06 09:59',
        '	a v1: u@h 1/0 at 02/06 09:59 (handle: 7) [I: seat 4/0 at 1/1 1:00]',
        '	a v1: u@h 2/1 at 2/6/2026 9:59:30  (handle: 8)',
      ),
    ).toMatchObject([
      { handle: undefined, start },
      { handle: '7', licenses: 1, start },
      { handle: '8', licenses: 2, start: { ...start, year: 2026, second: 30 } },
    ]);
  });

  it.each([
    '	a v1: u 1/0 at 02/06 09:59',
    '	a v1: @h 1/0 at 02/06 09:59',
    '	a v1: u@h one at 02/06 09:59',
    '	v1: u@h',
  ])('is not in %s', (line) => {
    const { isvs, diagnostics } = reportOf(head(row) + isv('acme', pool, line));
    expect(isvs[0]?.usage).toEqual([]);
    expect(diagnostics.unparsed).toBe(1);
  });
});

describe('a line that is longer than any tool prints', () => {
  it('is not read', () => {
    const line = (length: number): string => `	a v1: ${'u'.repeat(length)}@h 1/0 at 02/06 09:59`;
    expect(usageOf(line(4000), line(5000))).toHaveLength(1);
  });
});

describe('the time at which the tool ran', () => {
  const at = (text: string, zone = 'UTC') =>
    parseRlmstat(text, { localTime: createSourceTime(zone, zone) }).referenceTime;

  it('is the end of the recent statistics', () => {
    expect(at('Recent Statistics (00:16:08), init time: Wed Nov 3 12:32:30 2021')).toBe(
      secondsOf('2021-11-03T12:48:38'),
    );
    expect(at('Recent Statistics (5d 14:26:14), init time: Thu Jan  9 07:07:31 2025')).toBe(
      secondsOf('2025-01-14T21:33:45'),
    );
  });

  it('is in the zone of the output', () => {
    expect(at('Recent Statistics (00:16:08), init time: Wed Nov 3 12:32:30 2021', 'Asia/Tokyo')).toBe(
      secondsOf('2021-11-03T03:48:38'),
    );
  });

  it('is that of the master, or of an ISV server without one', () => {
    const master = '	Recent Statistics (00:00:01), init time: Wed Nov 3 12:00:00 2021\n';
    expect(at(master + isv('acme', pool))).toBe(secondsOf('2021-11-03T12:00:01'));
    expect(at(isv('acme', pool))).toBe(runAt);
  });

  it('is not that of the statistics of the day, if both are there', () => {
    const today = 'Todays Statistics (00:00:07), init time: Wed Nov 3 12:00:00 2021';
    const recent = 'Recent Statistics (00:00:01), init time: Wed Nov 3 12:00:00 2021';
    expect(at(`${today}\n${recent}`)).toBe(secondsOf('2021-11-03T12:00:01'));
  });

  it('is the end of the statistics of the day without recent ones', () => {
    expect(at('Todays Statistics (00:00:10), init time: Wed Nov 3 12:00:00 2021')).toBe(
      secondsOf('2021-11-03T12:00:10'),
    );
  });

  it.each([
    '(soon), init time: Wed Nov 3 12:00:00 2021',
    '(00:00:01), init time: Wed Foo 3 12:00:00 2021',
    '(00:00:01), init time: Wed Feb 30 12:00:00 2021',
  ])('is not known from %s', (rest) => {
    const report = reportOf(`Recent Statistics ${rest}`);
    expect(report.referenceTime).toBeUndefined();
    expect(report.diagnostics.unparsed).toBe(1);
  });
});
