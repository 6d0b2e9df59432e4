import { describe, expect, it } from 'vitest';
import type { LmstatContext } from '../../../../src/analyzer/sources/flexnet/lmstat.ts';
import type { LmstatCheckout } from '../../../../src/analyzer/sources/flexnet/lmstat-report.ts';
import { checkoutsOf, feature, HEAD, parse } from './samples.ts';

/** The checkouts of a feature with these lines. */
const read = (lines: readonly string[], changes: Partial<LmstatContext> = {}): LmstatCheckout[] => {
  const report = parse(HEAD + feature('solver', 50, 10, ...lines), changes);
  expect(report.diagnostics).toMatchObject({ unparsed: 0, masks: [] });
  return checkoutsOf(report);
};

const readOne = (line: string, changes: Partial<LmstatContext> = {}): LmstatCheckout => {
  const [checkout, ...others] = read([line], changes);
  if (checkout === undefined || others.length > 0) throw new Error('not one checkout');
  return checkout;
};

const at = (month: number, date: number, hour: number, minute: number, second = 0): number =>
  Date.UTC(2026, month - 1, date, hour, minute, second) / 1000;

describe('the right end of a user line', () => {
  it('is version, server, port and handle', () => {
    expect(readOne('ada pc-1 pc-1 (v4.0) (lic1/27000 1204), start Tue 3/17 9:05')).toEqual({
      user: 'ada',
      host: 'pc-1',
      display: 'pc-1',
      version: '4.0',
      server: 'lic1/27000',
      handle: '1204',
      since: at(3, 17, 9, 5),
      licenses: 1,
      linger: undefined,
      lingerPart: undefined,
      pid: undefined,
      unknownTail: undefined,
      queued: false,
    });
  });

  it.each([
    [', start Tue 3/17 9:05:41', { since: at(3, 17, 9, 5, 41) }],
    [', start Tue 3/17/2026 9:05', { since: at(3, 17, 9, 5) }],
    [', start Tue 3/17 9:05, 12 licenses', { since: at(3, 17, 9, 5), licenses: 12 }],
    [', start Tue 3/17 9:05, 1 license', { licenses: 1 }],
    [', 3 licenses, start Tue 3/17 9:05', { since: at(3, 17, 9, 5), licenses: 3 }],
    [', start Tue 3/17 9:05, PID: 4711 ', { since: at(3, 17, 9, 5), pid: '4711' }],
    [', PID: 4711, start Tue 3/17 9:05, 2 licenses', { since: at(3, 17, 9, 5), pid: '4711', licenses: 2 }],
    [', start Tue 3/17 9:05  (linger: 1200 / 86400)', { since: at(3, 17, 9, 5), linger: 86400, lingerPart: 1200 }],
    [', start Tue 3/17 9:05, 2 licenses (linger: 604800)', { licenses: 2, linger: 604800 }],
    [' (linger: 600), start Tue 3/17 9:05', { since: at(3, 17, 9, 5), linger: 600 }],
    [' queued for 7 licenses', { queued: true, licenses: 7, since: undefined }],
    [', start Tue 3/17 9:05, project: alpha, 2 licenses', { unknownTail: 'project: alpha', licenses: 2 }],
    [', start Tue 3/17 9:05 (shared) (odd', { unknownTail: '(shared), (odd', since: at(3, 17, 9, 5) }],
    [', start whenever', { unknownTail: 'start whenever', since: undefined }],
    ['', { since: undefined, licenses: 1 }],
  ])('has the tail "%s"', (tail, expected) => {
    expect(readOne(`ada pc-1 pc-1 (v4.0) (lic1/27000 1204)${tail}`)).toMatchObject({
      unknownTail: undefined,
      linger: undefined,
      pid: undefined,
      ...expected,
    });
  });

  it('counts tails that it does not understand', () => {
    const report = parse(
      HEAD + feature('solver', 5, 1, 'ada pc-1 pc-1 (v4.0) (lic1/27000 1), start Tue 3/17 9:05, odd'),
    );
    expect(report.features[0]?.pools[0]?.checkouts).toMatchObject([{ unknownTail: 'odd' }]);
  });

  it.each([
    ['(lic1.example.com/port 12)', 'lic1.example.com/port', '12'],
    ['(10.0.4.7/1055 3)', '10.0.4.7/1055', '3'],
    ['(2001:db8::17/1055 3)', '2001:db8::17/1055', '3'],
    ['([fe80::1]/1055 3a)', '[fe80::1]/1055', '3a'],
  ])('names the server %s', (text, server, handle) => {
    expect(readOne(`ada pc-1 :0 (v4.0) ${text}, start Tue 3/17 9:05`)).toMatchObject({ server, handle, host: 'pc-1' });
  });

  it('is the last one if the display looks like one', () => {
    expect(readOne('ada pc-1 x(v1) (y/z 1) (v4.0) (lic1/27000 7), start Tue 3/17 9:05')).toMatchObject({
      user: 'ada',
      host: 'pc-1',
      display: 'x(v1) (y/z 1)',
      handle: '7',
    });
  });

  it('can have no version', () => {
    expect(readOne('ada pc-1 :0 (lic1/27000 7), start Tue 3/17 9:05')).toMatchObject({ version: '', handle: '7' });
  });

  it('dates a time without a year by its weekday, or not at all', () => {
    const since = (start: string): number | undefined =>
      readOne(`ada pc-1 :0 (v4.0) (lic1/27000 7), start ${start}`).since;
    expect(since('Wed 12/31 23:59')).toBe(Date.UTC(2025, 11, 31, 23, 59) / 1000);
    expect(since('Thu 3/19 0:10')).toBe(at(3, 19, 0, 10));
    expect(since('Sun 3/17 9:05')).toBe(Date.UTC(2024, 2, 17, 9, 5) / 1000);
    expect(since('Sat 3/17 9:05')).toBeUndefined();
    expect(since('Tue 2/30 9:05')).toBeUndefined();
  });
});

describe('the left end of a user line', () => {
  const who = (left: string, changes: Partial<LmstatContext> = {}, others: readonly string[] = []): string[] => {
    const tail = '(v4.0) (lic1/27000 7), start Tue 3/17 9:05';
    const last = read([...others.map((other) => `${other} ${tail}`), `${left} ${tail}`], changes).at(-1);
    return [last?.user ?? '', last?.host ?? '', last?.display ?? ''];
  };

  it.each([
    ['ada pc-1 pc-1', ['ada', 'pc-1', 'pc-1']],
    ['ada\tpc-1   /dev/pts/3', ['ada', 'pc-1', '/dev/pts/3']],
    ['ada pc-1', ['ada', 'pc-1', '']],
    ['ada', ['ada', '', '']],
    ['ada pc-1 a)b|c"d', ['ada', 'pc-1', 'a)b|c"d']],
    ['1 PC-7 pc-7', ['1', 'PC-7', 'pc-7']],
    ['ada 10.0.4.7 10.0.4.7', ['ada', '10.0.4.7', '10.0.4.7']],
    ['Ünal größe-1 日本', ['Ünal', 'größe-1', '日本']],
  ])('"%s" is plain', (left, expected) => {
    expect(who(left)).toEqual(expected);
    expect(who(left, { split: 'longest' })).toEqual(expected);
  });

  it.each([
    ['a word before itself', 'ada van Lake pc-9 PC-9', ['ada van Lake', 'pc-9', 'PC-9']],
    ['a word before itself with a number', 'ada Lake pc-9 pc-9:1.0', ['ada Lake', 'pc-9', 'pc-9:1.0']],
    ['a word that begins its display', 'ada Lake pc-9 pc-9.example.com', ['ada Lake', 'pc-9', 'pc-9.example.com']],
    ['a word before a terminal', 'ada Lake ws12 /dev/pts/3', ['ada Lake', 'ws12', '/dev/pts/3']],
    ['a word before an X display', 'ada Lake ws12 far:0.0', ['ada Lake', 'ws12', 'far:0.0']],
    ['a word before JavaDisplay', 'ada Lake ws12 JavaDisplay', ['ada Lake', 'ws12', 'JavaDisplay']],
    ['a word before a quote', 'ada Lake ws12 "my big" screen', ['ada Lake', 'ws12', '"my big" screen']],
    ['the second word otherwise', 'ada ws12 feature=x more', ['ada', 'ws12', 'feature=x more']],
  ])('names as host %s', (_, left, expected) => {
    expect(who(left)).toEqual(expected);
  });

  it('names a host that another line of the output has, before or after it', () => {
    expect(who('ada Lake ws12 odd screen', {}, ['bob ws12 :0'])).toEqual(['ada Lake', 'ws12', 'odd screen']);
    const tail = '(v4.0) (lic1/27000 7)';
    const [first] = read([`ada Lake ws12 odd screen ${tail}`, `bob ws12 :0 ${tail}`]);
    expect(first).toMatchObject({ user: 'ada Lake', host: 'ws12', display: 'odd screen' });
  });

  it('names a host that is remembered', () => {
    expect(who('ada Lake ws12 odd screen', { knownHosts: new Set(['ws12']) })).toEqual([
      'ada Lake',
      'ws12',
      'odd screen',
    ]);
  });

  it('follows the setting', () => {
    expect(who('ada Lake ws12 screen', { split: 'longest' })).toEqual(['ada Lake', 'ws12', 'screen']);
    expect(who('ada Lake Jr. ws12 #!screen', { split: 'longest' })).toEqual(['ada Lake Jr.', 'ws12', '#!screen']);
    expect(who('ada Lake ws12 "a$b c<d', { split: 'longest' })).toEqual(['ada Lake', 'ws12', '"a$b c<d']);
    expect(who('ada Lake ws12 /dev/tty', { split: 'first_word' })).toEqual(['ada', 'Lake', 'ws12 /dev/tty']);
  });

  it('can quote the user', () => {
    expect(who('"ada" ws12 :0')).toEqual(['ada', 'ws12', ':0']);
    expect(who('"ada Lake" ws12 :0')).toEqual(['ada Lake', 'ws12', ':0']);
  });

  it('repeats the version in a queue, or does not', () => {
    const queued = (left: string): LmstatCheckout => readOne(`${left} (v4.0) (lic1/27000 7) queued for 1 license`);
    expect(queued('ada ws12 :0 4.0')).toMatchObject({ user: 'ada', host: 'ws12', display: ':0', queued: true });
    expect(queued('ada ws12 :0')).toMatchObject({ user: 'ada', host: 'ws12', display: ':0' });
    expect(queued('ada ws12 4.0')).toMatchObject({ user: 'ada', host: 'ws12', display: '' });
    expect(readOne('ada ws12 :0 4.0 (v4.0) (lic1/27000 7)')).toMatchObject({ display: ':0 4.0', queued: false });
  });
});
