import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DebugLogReader } from '../../../../src/analyzer/sources/flexnet/debug-log-denials.ts';
import { formOfLog } from '../../../../src/analyzer/sources/flexnet/debug-log-line.ts';
import type { Denials } from '../../../../src/analyzer/sources/log/denials.ts';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import { isLong } from '../../../support/extent.ts';

const localTime = createLocalTime('Europe/Berlin');
/** 12:00 in Berlin. */
const now = Date.parse('2026-11-18T11:00:00Z') / 1000;
const reason = '(Licensed number of users already reached. (-4,342:10054 ""))';
const today = '10:00:00 (lmgrd) TIMESTAMP 11/18/2026';

const shown = (all: readonly Denials[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { daemon, feature, count } of all)
    counts[`${daemon} ${feature}`] = (counts[`${daemon} ${feature}`] ?? 0) + count;
  return counts;
};

/** What counts of a whole log, once it is quiet. */
function countsOf(lines: readonly string[], { isRecent = false, at = now }: { isRecent?: boolean; at?: number } = {}) {
  const reader = new DebugLogReader(localTime);
  const early = reader.push(lines, { now: at, isRecent });
  return shown([...early, ...reader.settle(at + 10)]);
}

describe('a line of a debug log', () => {
  it.each([
    ['quoted', `10:01:02 (vend) DENIED: "cad" anna@ws1  ${reason}`],
    ['with an early hour', ` 1:01:02 (vend) DENIED: "cad" anna@ws1  ${reason}`],
    ['with checkout data', `10:01:02 (vend) DENIED: "cad" anna@ws1 [cad data] ${reason}`],
    [
      'with a number of licenses',
      `10:01:02 (vend) DENIED: "cad" anna@ws1  (25 licenses) (Users are queued for this feature. (-24,332))`,
    ],
    [
      'with another reason',
      '10:01:02 (vend) DENIED: "cad" anna@ws1  (Checkout exceeds MAX specified in options file. (-87,353))',
    ],
    [
      'with a version',
      '10:01:02 (vend) DENIED: "cad" anna@ws1  "v2030.1"(License server system does not support this version of this feature. (-25,334))',
    ],
    ['with a group before the user', `10:01:02 (vend) DENIED: "cad" (PORT_AT_HOST_PLUS   ) anna@ws1  ${reason}`],
    ['with a user of two words', `10:01:02 (vend) DENIED: "cad" LOCAL SERVICE@ws1  ${reason}`],
    ['without a host', '10:01:02 (vend) DENIED: "cad" anna  (Feature has expired. (-10,32))'],
    ['without a user', `10:01:02 (vend) DENIED: "cad" ${reason}`],
    [
      'verbose',
      '10:01:02 (vend) DENIED: "cad" @ws1 (No licenses (-4,342)) ^^^ 1.0 anna 10.0.0.1 29865 0x12CE 3 3 - 11 19 11-18-2026 10:01:02 NO ^^^',
    ],
    [
      'verbose with the user twice',
      '10:01:02 (vend) DENIED: "cad" anna@ws1 (No licenses (-4,342)) ^^^ 1.0 anna fe80::1 29865 0x12CE 3 3 - 11 19 11-18-2026 10:01:02 NO ^^^',
    ],
    [
      'not quoted',
      '10:01:02 (vend) DENIED: cad anna@ws1  [vend] (Licensed number of users already reached. (-4,342:10054 ))',
    ],
    ['old', '10:01:02 (vend) DENIED: 2 cad to anna'],
    ['old with a date', '10:01:02 (vend) DENIED: 1 cad to anna@ws1 (11/18/26 10:01)'],
    ['with a date of its own', `2026-11-18T10:01:02+01:00 (vend) DENIED: "cad" anna@ws1  ${reason}`],
    ['with a carriage return', `10:01:02 (vend) DENIED: "cad" anna@ws1  ${reason}\r`],
  ])('is a refusal: %s', (_, line) => {
    expect(countsOf([today, line])).toEqual({ 'vend cad': 1 });
  });

  it.each([
    '10:01:02 (vend) UNSUPPORTED: "cad" (PORT_AT_HOST_PLUS   ) anna@ws1  (No such feature exists. (-5,346))',
    '10:01:02 (vend) OUT: "cad" anna@ws1',
    '10:01:02 (vend) IN: "cad" DENIED: anna@ws1',
    '10:01:02 (vend) QUEUED: "cad" anna@ws1',
    'DENIED: "cad" anna@ws1',
    '25:01:02 (vend) DENIED: "cad" anna@ws1',
    '10:61:02 (vend) DENIED: "cad" anna@ws1',
    '10:01:02 (vend) license DENIED: "cad" anna@ws1',
  ])('is no refusal: %s', (line) => {
    expect(countsOf([today, line])).toEqual({});
  });

  it('that is a refusal without a feature is counted as not understood', () => {
    const reader = new DebugLogReader(localTime);
    reader.push([today, '10:01:02 (vend) DENIED: ', '10:01:02 (vend) DENIED: "cad'], { now, isRecent: true });
    expect(reader.diagnostics).toMatchObject({ unparsed: 2, masks: ['9:9:9 (a) a: ', '9:9:9 (a) a: "a'] });
  });
});

describe('refusals', () => {
  const denied = (time: string, who = 'anna@ws1', feature = 'cad', daemon = 'vend') =>
    `${time} (${daemon}) DENIED: "${feature}" ${who}  ${reason}`;
  const out = (time: string, who = 'anna@ws1', feature = 'cad', daemon = 'vend') =>
    `${time} (${daemon}) OUT: "${feature}" ${who}  `;

  it('are counted by daemon and feature', () => {
    const lines = [
      today,
      denied('10:00:01'),
      denied('10:00:01', 'b@h', 'mesh'),
      denied('10:00:01', 'c@h', 'cad', 'other'),
      denied('10:00:02', 'b@h'),
    ];
    expect(countsOf(lines)).toEqual({ 'vend cad': 2, 'vend mesh': 1, 'other cad': 1 });
  });

  it('have the cause that the error number says', () => {
    const group = (text: string) => `10:00:0${text.length % 10} (vend) DENIED: "cad" u${text.length}@ws1  ${text}`;
    const reader = new DebugLogReader(localTime);
    const texts = [
      reason,
      '(Users are queued for this feature. (-24,332))',
      '(Feature has expired. (-10,32))',
      '"v2030.1"(License server system does not support this version of this feature. (-25,334))',
      '(User/host not on INCLUDE list for feature. (-39,359))',
      '(A reason of later years. (-999,1))',
      '',
      '(No licenses (-4,342)) ^^^ 1.0 anna 10.0.0.1 29865 0x12CE 3 3 - 11 19 11-18-2026 10:01:02 NO ^^^',
    ];
    const early = reader.push([today, ...texts.map(group)], { now, isRecent: false });
    const counts = new Map<string | undefined, number>();
    for (const { cause, count } of [...early, ...reader.settle(now + 10)]) {
      counts.set(cause, (counts.get(cause) ?? 0) + count);
    }
    const one = ['expired', 'not_licensed', 'not_permitted', 'other', undefined].map((cause) => [cause, 1] as const);
    expect(counts).toEqual(new Map<string | undefined, number>([['all_in_use', 3], ...one]));
  });

  it('of one client within a minute are one', () => {
    const seconds = Array.from(
      { length: 61 },
      (_, at) => `10:${at < 60 ? '00' : '01'}:${String(at % 60).padStart(2, '0')}`,
    );
    expect(countsOf([today, ...seconds.map((time) => denied(time))])).toEqual({ 'vend cad': 1 });
    expect(countsOf([today, ...seconds.map((time) => denied(time)), denied('10:01:01')])).toEqual({ 'vend cad': 2 });
    expect(
      countsOf([today, denied('10:00:00'), denied('10:00:01', 'anna@ws2'), denied('10:00:02', 'berta@ws1')]),
    ).toEqual({ 'vend cad': 3 });
    expect(countsOf([today, denied('10:00:00'), denied('10:00:03', 'anna@ws1', 'CAD')])).toEqual({ 'vend cad': 1 });
    // also from a daemon that has forked
    expect(countsOf([today, denied('10:00:00'), denied('10:00:03', 'anna@ws1', 'cad', 'vend_1')])).toEqual({
      'vend cad': 1,
    });
  });

  it('are false if the client gets the license within 5 seconds', () => {
    expect(countsOf([today, denied('10:00:00'), out('10:00:05')])).toEqual({});
    expect(countsOf([today, denied('10:00:00'), out('10:00:06')])).toEqual({ 'vend cad': 1 });
    expect(countsOf([today, out('10:00:00'), denied('10:00:00')])).toEqual({ 'vend cad': 1 });
    for (const other of [
      out('10:00:01', 'anna@ws2'),
      out('10:00:01', 'anna@ws1', 'mesh'),
      out('10:00:01', 'anna@ws1', 'cad', 'other'),
    ])
      expect(countsOf([today, denied('10:00:00'), other])).toEqual({ 'vend cad': 1 });
    // a client that waited half a minute was refused
    expect(countsOf([today, denied('10:00:00'), denied('10:00:29'), out('10:00:30')])).toEqual({ 'vend cad': 1 });
    // the next refusal is another one
    expect(countsOf([today, denied('10:00:00'), out('10:00:01'), denied('10:00:20')])).toEqual({ 'vend cad': 1 });
  });

  it('after a checkout are of another request, also within the minute', () => {
    const waiting = Array.from({ length: 40 }, (_, at) => denied(`10:00:${String(at).padStart(2, '0')}`));
    expect(countsOf([today, ...waiting, out('10:00:40')])).toEqual({ 'vend cad': 1 });
    expect(countsOf([today, ...waiting, out('10:00:40'), denied('10:00:50')])).toEqual({ 'vend cad': 2 });
    expect(countsOf([today, ...waiting, out('10:00:40', 'anna@ws2'), denied('10:00:50')])).toEqual({ 'vend cad': 1 });
    // got at once, so not refused
    expect(countsOf([today, ...waiting, out('10:00:40'), denied('10:00:50'), out('10:00:51')])).toEqual({
      'vend cad': 1,
    });
  });

  it('of several processes are of several requests, and each OUT is of its own', () => {
    const of = (kind: string, second: number, process: number, who = '@ws1') =>
      `10:00:${String(second).padStart(2, '0')} (vend) ${kind}: "cad" ${who} (x (-4,342)) ^^^ 1.0 anna 10.0.0.1 ${process} 0x12CE 3 3 - 11 19 11-18-2026 10:00:00 NO ^^^`;
    for (const who of ['@ws1', 'anna@ws1']) {
      const jobs = Array.from({ length: 40 }, (_, job) => of('DENIED', 0, 100 + job, who));
      expect(countsOf([today, ...jobs])).toEqual({ 'vend cad': 40 });
      expect(countsOf([today, ...jobs, of('OUT', 2, 105, who)])).toEqual({ 'vend cad': 39 });
      expect(countsOf([today, ...jobs, ...jobs, of('OUT', 30, 105, who)])).toEqual({ 'vend cad': 40 });
    }
  });

  it('of several processes that are in brackets too, and an OUT of another process takes none back', () => {
    const refused = (second: number, data: string) =>
      `10:01:${second} (vend) DENIED: "cad" anna@ws1  [${data}] ${reason}`;
    expect(countsOf([today, refused(10, '21364'), refused(11, '30000'), refused(12, '21364')])).toEqual({
      'vend cad': 2,
    });
    const got = (data: string) => `10:01:13 (vend) OUT: "cad" anna@ws1  [${data}]`;
    expect(countsOf([today, refused(10, '21364'), got('30000')])).toEqual({ 'vend cad': 1 });
    expect(countsOf([today, refused(10, '21364'), got('21364')])).toEqual({});
    // other data are of the request, not of the client
    expect(countsOf([today, refused(10, 'project a'), refused(11, 'project b')])).toEqual({ 'vend cad': 1 });
  });

  it('are false if the client gets tokens for the feature', () => {
    const tokens = '10:00:00 (vend) OUT: "TOKEN" anna@ws1 [cad] (3 licenses)';
    expect(countsOf([today, denied('10:00:00'), tokens])).toEqual({});
    expect(countsOf([today, denied('10:00:00'), tokens.replace('[cad]', '[mesh]')])).toEqual({ 'vend cad': 1 });
  });

  it('are of the user after a group in parentheses', () => {
    const group = (kind: string, user: string) => `10:00:00 (vend) ${kind}: "cad" (PORT_AT_HOST_PLUS   ) ${user}@ws1  `;
    expect(countsOf([today, group('DENIED', 'a'), group('DENIED', 'a'), group('DENIED', 'b')])).toEqual({
      'vend cad': 2,
    });
    expect(countsOf([today, group('DENIED', 'a'), group('OUT', 'a')])).toEqual({});
  });

  it('in the verbose form are of the user in its details', () => {
    const verbose = (kind: string, user: string) =>
      `10:00:00 (vend) ${kind}: "cad" @ws1 ^^^ 1.0 ${user} 10.0.0.1 29865 0x12CE 3 3 - 11 19 11-18-2026 10:00:00 NO ^^^`;
    expect(countsOf([today, verbose('DENIED', 'anna'), verbose('DENIED', 'berta'), verbose('OUT', 'anna')])).toEqual({
      'vend cad': 1,
    });
    expect(countsOf([today, verbose('DENIED', 'LOCAL SERVICE'), verbose('OUT', 'LOCAL')])).toEqual({ 'vend cad': 1 });
    expect(countsOf([today, verbose('DENIED', 'LOCAL SERVICE'), verbose('OUT', 'LOCAL SERVICE')])).toEqual({});
  });

  it('are certain with a later line, or some seconds after they were read', () => {
    const reader = new DebugLogReader(localTime);
    expect(shown(reader.push([today, denied('10:00:00'), out('10:00:05', 'b@h')], { now, isRecent: true }))).toEqual(
      {},
    );
    expect(shown(reader.settle(now + 5))).toEqual({});
    expect(shown(reader.settle(now + 6))).toEqual({ 'vend cad': 1 });
    expect(shown(reader.settle(now + 9))).toEqual({});
    expect(shown(reader.push([denied('10:03:00'), out('10:03:06', 'b@h')], { now, isRecent: true }))).toEqual({
      'vend cad': 1,
    });
    reader.push([denied('10:10:00')], { now: now + 100, isRecent: true });
    expect(shown(reader.push([out('10:10:04')], { now: now + 110, isRecent: true }))).toEqual({});
    expect(shown(reader.settle(now + 200))).toEqual({});
  });

  it('never show who was refused', () => {
    const reader = new DebugLogReader(localTime);
    const all = [
      ...reader.push([today, denied('10:00:00', 'secret@place')], { now, isRecent: true }),
      ...reader.settle(now + 9),
    ];
    expect(JSON.stringify([all, reader.diagnostics, [...reader.daemons]])).not.toMatch(/secret|place/);
    expect(all).toHaveLength(1);
  });

  it('are counted with a limited memory', () => {
    const reader = new DebugLogReader(localTime);
    const flood = function* () {
      yield today;
      for (let at = 0; at < 60_000; at += 1) yield denied('10:00:00', `u${at}@h`, `f${at % 7}`);
    };
    const early = reader.push(flood(), { now, isRecent: true });
    // those that are forgotten early count all the same
    const sum = (all: readonly Denials[]) => all.reduce((total, { count }) => total + count, 0);
    expect(sum(early)).toBeGreaterThan(39_000);
    expect(sum(early) + sum(reader.settle(now + 9))).toBe(60_000);
  });
});

describe('the date of a debug log', () => {
  const at = (time: string) => `${time} (vend) DENIED: "cad" u${time}@h  ${reason}`;

  it.each([
    '8:00:00 (lmgrd) TIMESTAMP 11/18/2026',
    "8:00:00 (lmgrd) Server's System Date and Time: Wed Nov 18 2026 08:00:00 CET",
    '8:00:00 (lmgrd) (@lmgrd-SLOG@) Start-Date: Wed Nov 18 2026 08:00:00 W. Europe Standard Time',
    '8:00:00 (vend) (@vend-SLOG@) Time: Wed Nov 18 2026 08:00:01',
    '8:00:00 (vend) Reread time: Wed Nov 18 2026 08:00:00 W. Europe Standard Time',
    '8:00:00 (lmgrd) FlexNet Licensing (v11.19.6 build 1 x64_lsb) started on lic1 (linux) (11/18/2026)',
    '=== Log rotated Wed Nov 18 08:00:00 CET 2026 ===',
    '2026-11-18T08:00:00 (vend) Shutting down',
  ])('is in the line %s', (line) => {
    expect(countsOf([at('7:59:00'), line, at('8:00:01')])).toEqual({ 'vend cad': 2 });
    // two days before, and thus too old
    const old = line.replaceAll('18', '16').replaceAll('Wed', 'Mon');
    expect(countsOf([at('7:59:00'), old, at('8:00:01')])).toEqual({});
  });

  it.each([
    '8:00:00 (vend) Last reread Mon Nov 16 2026 07:00:00',
    '8:00:00 (vend) IN: "cad" Mon Nov 16 2026 08:00:00@h',
    '8:00:00 (vend) TIMESTAMP 13/32/2026',
    '8:00:00 (vend) TIMESTAMP 2/30/2026',
  ])('is not in the line %s', (line) => {
    expect(countsOf([line, at('8:00:01')])).toEqual({});
    expect(countsOf([line, at('8:00:01'), '8:00:02 (lmgrd) TIMESTAMP 11/18/2026'])).toEqual({ 'vend cad': 1 });
  });

  it('is waited for', () => {
    const reader = new DebugLogReader(localTime);
    const push = (...lines: string[]) => shown(reader.push(lines, { now, isRecent: false }));
    expect(push(at('9:00:00'), at('9:30:00'))).toEqual({});
    expect(shown(reader.settle(now + 10))).toEqual({});
    expect(push('10:00:00 (lmgrd) TIMESTAMP 11/18/2026')).toEqual({ 'vend cad': 2 });
  });

  it('is known of recent lines', () => {
    expect(countsOf([at('11:58:00')], { isRecent: true })).toEqual({ 'vend cad': 1 });
    // just before midnight, read after it
    const midnight = Date.parse('2026-11-17T23:00:05Z') / 1000;
    expect(countsOf([at('23:59:58')], { isRecent: true, at: midnight })).toEqual({ 'vend cad': 1 });
  });

  it('is the next day when the time goes back more than 12 hours', () => {
    const old = '23:00:00 (lmgrd) TIMESTAMP 11/16/2026';
    // 23:10 on the 16th is too old at 12:00 on the 18th, 10:30 on the 17th is not
    expect(countsOf([old, at('23:10:00'), at('10:30:00')])).toEqual({ 'vend cad': 1 });
    // 11 hours back are a change of the clock on the same day
    expect(countsOf([old, at('12:00:00')])).toEqual({});
  });

  it('does not change when a daemon writes late', () => {
    const lines = [
      '23:59:59 (lmgrd) TIMESTAMP 11/15/2026',
      '0:00:01 (vend) IN: "x" u@h',
      '23:59:58 (other) IN: "x" u@h',
      at('0:00:02'),
      at('11:00:00'),
    ];
    // the 16th; were it the 17th, the last one would count
    expect(countsOf(lines)).toEqual({});
  });

  it('is corrected by the log, if it was a guess', () => {
    const reader = new DebugLogReader(createLocalTime('Pacific/Kiritimati'));
    const read = { now, isRecent: true };
    reader.push(['11:58:00 (vend) IN: "x" u@h'], read);
    reader.push(['11:59:00 (lmgrd) TIMESTAMP 11/18/2026'], read);
    reader.beginFile();
    reader.push(['11:59:30 (lmgrd) TIMESTAMP 11/18/2026', at('11:59:40')], read);
    expect(shown(reader.settle(now + 9))).toEqual({ 'vend cad': 1 });
  });

  it('is corrected by the log of the next file, if it was a guess', () => {
    const reader = new DebugLogReader(createLocalTime('Pacific/Kiritimati'));
    const read = { now, isRecent: true };
    reader.push(['11:58:00 (vend) IN: "x" u@h'], read);
    reader.beginFile();
    reader.push(['11:59:30 (lmgrd) TIMESTAMP 11/18/2026', at('11:59:40')], read);
    expect(shown(reader.settle(now + 9))).toEqual({ 'vend cad': 1 });
  });

  it('makes what was read before not count again from another file', () => {
    const reader = new DebugLogReader(localTime);
    const old = [today, at('10:05:00'), at('10:10:00')];
    expect(shown([...reader.push(old, { now, isRecent: true }), ...reader.settle(now + 9)])).toEqual({ 'vend cad': 2 });
    reader.beginFile();
    expect(
      shown([...reader.push([...old, at('10:20:00')], { now, isRecent: true }), ...reader.settle(now + 9)]),
    ).toEqual({ 'vend cad': 1 });
  });

  it('is read from earlier lines, which do not count', () => {
    const reader = new DebugLogReader(localTime);
    reader.seek(['10:00:00 (lmgrd) TIMESTAMP 11/16/2026', at('10:01:00')]);
    expect(shown([...reader.push([at('10:02:00')], { now, isRecent: false }), ...reader.settle(now + 9)])).toEqual({});
    reader.seek(['10:03:00 (lmgrd) TIMESTAMP 11/18/2026', at('10:03:01')]);
    expect(shown([...reader.push([at('10:04:00')], { now, isRecent: false }), ...reader.settle(now + 9)])).toEqual({
      'vend cad': 1,
    });
    expect([...reader.daemons].sort()).toEqual(['lmgrd', 'vend']);
  });
});

describe('any log', () => {
  const line = fc.constantFrom(
    today,
    '23:00:00 (vend) DENIED: "cad" a@b',
    '1:00:00 (vend) OUT: "cad" a@b',
    '0:00:01 (vend) TIMESTAMP 1/1/2000',
    '10:00:00 (vend) DENIED: 2 f to u',
    '^^^',
    'DENIED: ',
    '12:00:00 (vend) DENIED: "cad" @h ^^^',
    'Mon Nov 16 2026 08:00:00',
  );
  it('is read without an error', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 100 }), fc.boolean(), (lines, isRecent) => {
        const refusals = lines.filter((one) => one.includes('DENIED')).length;
        const counted = Object.values(countsOf(lines, { isRecent })).reduce((total, count) => total + count, 0);
        expect(counted).toBeLessThanOrEqual(refusals);
      }),
      { numRuns: isLong ? 500 : 100 },
    );
  });

  it('counts the same in one piece and in several', () => {
    const who = fc.tuple(
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom('DENIED', 'OUT', 'IN'),
      fc.constantFrom('a@x', 'b@x'),
      fc.constantFrom('f', 'g'),
    );
    fc.assert(
      fc.property(
        fc.array(who, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 60 }),
        (events, cuts) => {
          const lines = events
            .sort(([a], [b]) => a - b)
            .map(
              ([at, kind, user, feature]) =>
                `10:${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')} (vend) ${kind}: "${feature}" ${user}`,
            );
          const reader = new DebugLogReader(localTime);
          const all: Denials[] = [...reader.push([today], { now, isRecent: false })];
          const rest = [...lines];
          for (const cut of cuts) all.push(...reader.push(rest.splice(0, cut), { now, isRecent: false }));
          all.push(...reader.push(rest, { now, isRecent: false }), ...reader.settle(now + 9));
          expect(shown(all)).toEqual(countsOf([today, ...lines]));
        },
      ),
    );
  });

  it.each(['(', ' ', '"', '10:00:00 ', 'Mon ', 'DENIED: ', '^^^ ', '1.1.1.', '[', ':'])(
    'is read in linear time: %j',
    (piece) => {
      const reader = new DebugLogReader(localTime);
      const counted: Denials[] = [];
      const long = piece.repeat(1_000_000 / piece.length);
      const lines = Array.from({ length: 250 }, () => piece.repeat(4000 / piece.length));
      for (const head of ['', '10:00:00 (vend) DENIED: "f" ', '10:00:00 (vend) ', '10:00:00 (vend) DENIED: f ^^^ '])
        counted.push(
          ...reader.push([...lines.map((one) => `${head}${one}`), `${head}${long}`], { now, isRecent: true }),
        );
      // more than linear time is more than the test has
      expect(counted.length).toBeLessThanOrEqual(4 * (lines.length + 1));
    },
  );
});

describe('the form of a log', () => {
  it.each([
    ['debug', `10:00:00 (lmgrd) -----\n10:00:00 (lmgrd)   Please Note:\n`],
    ['debug', 'restarted\n2026-11-18T10:00:00 (lmgrd) -----\n'],
    [
      'debug',
      '\u00ff\u00fe1\u00000\u0000:\u00000\u00000\u0000:\u00000\u00000\u0000 \u0000(\u0000v\u0000)\u0000 \u0000\n\u0000',
    ],
    ['debug', `${'\0'.repeat(4000)}10:00:00 (lmgrd) TIMESTAMP 1/1/2026\n`],
    ['report', '#FLEXnet Report Log Format 1, version 1.1\n'],
    ['report', Array.from({ length: 4000 }, (_, at) => String.fromCharCode((at * 7919) % 256)).join('')],
    ['other', 'just a text\n'.repeat(50)],
    [undefined, 'a banner\n'],
    [undefined, ''],
  ])('is %s', (form, head) => {
    expect(formOfLog(head)).toBe(form);
  });
});
