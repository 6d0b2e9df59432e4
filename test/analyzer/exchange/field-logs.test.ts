import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup } from '../../support/harness.ts';
import { historyOf, type Imported, importPath, inUseAt, samplesOf } from '../../support/imported.ts';
import { createRunner } from '../../support/run.ts';

/** Logs as they lie on the disks of license servers, with faults that real ones have shown. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const now = Date.parse('2026-08-10T12:00Z') / 1000;
const day = '2026-08-03';

type Files = Readonly<Record<string, string | Buffer>>;

function write(files: Files): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const importAll = (
  path: string,
  more: { readonly server?: string; readonly firstDay?: number; readonly zone?: string } = {},
): Promise<Imported> => importPath(path, { folder: join(temporaryFolder(), 'import'), now, ...more });

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

/** `use(['09:00', 1], …)` is what is in use at these times. */
const useAt = ({ days }: Pick<Imported, 'days'>, feature: string, ...times: readonly string[]) =>
  times.map((time) => inUseAt(days, feature, `${day}T${time}`));

describe('the log of lmgrd beside the DEBUGLOG of its daemon', () => {
  const debugLog = lines(
    ' 8:00:03 (acmed) Server started on lic1 for:\tmesher\t\t',
    ' 8:00:04 (acmed) TIMESTAMP 8/3/2026',
    ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    '15:45:00 (acmed) IN: "mesher" anna@ws1  ',
    '20:00:04 (acmed) TIMESTAMP 8/3/2026',
  );
  const lmgrd = (...start: readonly string[]): string =>
    lines(
      ' 8:00:00 (lmgrd) FlexNet Licensing (v11.19.6 build 1 x64_lsb) started on lic1 (linux) (8/3/2026)',
      ' 8:00:01 (lmgrd) Started acmed (internet tcp_port 2080 pid 77)',
      ' 8:00:02 (acmed) FlexNet Licensing version v11.19.6',
      ...start,
      ' 8:00:02 (acmed) Using options file: "/opt/lic/acmed.opt"',
      '14:00:01 (lmgrd) TIMESTAMP 8/3/2026',
      '20:00:01 (lmgrd) TIMESTAMP 8/3/2026',
      ' 2:00:01 (lmgrd) TIMESTAMP 8/4/2026',
    );
  const started = [
    ' 8:00:02 (acmed) Server started on lic1 for:\tmesher\t\t',
    ' 8:00:02 (acmed) EXTERNAL FILTERS are OFF',
  ];

  it.each([
    ['without the start of the daemon', lmgrd()],
    ['with its start', lmgrd(...started)],
  ])('says nothing of the use, %s: together, and one by one in both orders', async (_, text) => {
    const folder = write({ 'acmed.log': debugLog, 'lmgrd.log': text });
    const together = await importAll(folder);
    expect(useAt(together, 'mesher', '09:00', '09:05', '15:40', '15:45', '19:55')).toEqual([0, 1, 1, 0, 0]);
    expect(together.report.logs[0]?.found.events).toBe(2);
    expect(together.text).toContain('  every line was understood\n');
    expect(together.text).toContain('  acmed: lmgrd.log, acmed.log\n');
    const figures = { 'mesher 2026-08-03': { peak: 1, seconds: 24_000 } };
    expect(historyOf([together]).figures).toEqual(figures);
    const single = [await importAll(join(folder, 'acmed.log')), await importAll(join(folder, 'lmgrd.log'))];
    expect(historyOf(single).figures).toEqual(figures);
    expect(historyOf(single.toReversed()).figures).toEqual(figures);
  });
});

it('parts of one log have lines of the same time, which only count once if they say the same', async () => {
  const stamp = ' 9:00:00 (acmed) TIMESTAMP 8/3/2026';
  const together = await importAll(
    write({
      'mesher.log': lines(
        stamp,
        ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
        ' 9:45:00 (acmed) IN: "mesher" anna@ws1  ',
      ),
      'solver.log': lines(
        stamp,
        ' 9:06:00 (acmed) OUT: "solver" bert@ws2  ',
        ' 9:41:00 (acmed) IN: "solver" bert@ws2  ',
      ),
    }),
  );
  expect(historyOf([together]).figures).toEqual({
    'mesher 2026-08-03': { peak: 1, seconds: 2400 },
    'solver 2026-08-03': { peak: 1, seconds: 2100 },
  });
  expect(together.text).toMatch(/^ {2}1 line that several files have counted once$/m);
});

describe('a group of redundant servers', () => {
  const lic1 = lines(
    ' 8:00:00 (lmgrd) TIMESTAMP 8/3/2026',
    ' 8:00:01 (lmgrd) CONNECTED, master is lic1',
    ' 8:00:02 (acmed) Server started on lic1 for:\tmesher\t\t',
    ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    '12:00:00 (acmed) IN: "mesher" anna@ws1  (SHUTDOWN)',
    '12:00:01 (lmgrd) EXITING DUE TO SIGNAL 15',
    '16:00:00 (lmgrd) FlexNet Licensing (v11.19.6 build 1 x64_lsb) started on lic1 (linux) (8/3/2026)',
    '16:00:01 (lmgrd) CONNECTED, master is lic1',
    '16:00:02 (acmed) Server started on lic1 for:\tmesher\t\t',
    '16:05:00 (acmed) OUT: "mesher" bert@ws2  ',
    '18:00:00 (acmed) IN: "mesher" bert@ws2  ',
  );
  const lic2 = lines(
    ' 8:00:00 (lmgrd) TIMESTAMP 8/3/2026',
    ' 8:00:01 (lmgrd) CONNECTED, master is lic1',
    ' 8:00:03 (acmed) Server started on lic2 for:\tmesher\t\t',
    '12:00:02 (lmgrd) Lost connection to lic1',
    '12:00:03 (lmgrd) CONNECTED, master is lic2',
    '12:01:00 (acmed) OUT: "mesher" anna@ws1  ',
    '14:00:01 (lmgrd) TIMESTAMP 8/3/2026',
    '15:00:00 (acmed) IN: "mesher" anna@ws1  ',
    '20:00:01 (lmgrd) TIMESTAMP 8/3/2026',
  );
  const figures = { 'mesher 2026-08-03': { peak: 1, seconds: 10_500 + 10_740 + 6900 } };
  const times = ['09:00', '09:05', '11:55', '12:05', '14:55', '15:05', '16:05', '17:55'] as const;

  it('counts each member while it serves: together, and one by one in both orders', async () => {
    const folder = write({ 'lic1.log': lic1, 'lic2.log': lic2 });
    const together = await importAll(folder);
    expect(useAt(together, 'mesher', ...times)).toEqual([0, 1, 1, 1, 1, 0, 1, 1]);
    expect(historyOf([together]).figures).toEqual(figures);
    expect(together.text).toContain('  the redundant server lic1: lic1.log\n  the redundant server lic2: lic2.log\n');
    const single = [await importAll(join(folder, 'lic1.log')), await importAll(join(folder, 'lic2.log'))];
    for (const imports of [single, single.toReversed()]) {
      const after = historyOf(imports);
      expect(after.figures).toEqual(figures);
      expect(useAt(after, 'mesher', ...times)).toEqual([0, 1, 1, 1, 1, 0, 1, 1]);
    }
  });

  it('says nothing of use before the member serves, in a later part of its log that is given alone', async () => {
    const part = lines(
      ' 8:00:00 (lmgrd) TIMESTAMP 8/3/2026',
      ' 8:30:00 (acmed) TIMESTAMP 8/3/2026',
      ' 9:00:00 (lmgrd) CONNECTED, master is lic1',
      '10:00:00 (acmed) TIMESTAMP 8/3/2026',
      '12:00:03 (lmgrd) CONNECTED, master is lic2',
      '12:01:00 (acmed) OUT: "mesher" anna@ws1  ',
      '15:00:00 (acmed) IN: "mesher" anna@ws1  ',
      '16:00:00 (lmgrd) FlexNet Licensing (v11.19.6 build 1 x64_lsb) started on lic2 (linux) (8/3/2026)',
    );
    const one = await importAll(join(write({ 'lic2.log-20260803': part }), 'lic2.log-20260803'));
    expect(useAt(one, 'mesher', '08:35', '09:30', '11:55', '12:05', '14:55')).toEqual([
      undefined,
      undefined,
      undefined,
      1,
      1,
    ]);
  });

  it('says nothing of use after the member has ceased to serve, where the log of the next one is not given', async () => {
    const head = lines(
      '7:59:00 (lmgrd) FlexNet Licensing (v11.19.6 build 1 x64_lsb) started on lic2 (linux) (8/3/2026)',
    );
    const more = lines(
      '16:00:03 (lmgrd) CONNECTED, master is lic1',
      '20:00:00 (lmgrd) CONNECTED, master is lic2',
      '20:05:00 (acmed) OUT: "mesher" anna@ws1  ',
      '20:30:00 (acmed) IN: "mesher" anna@ws1  ',
    );
    const one = await importAll(
      join(write({ 'lic2.log': head + lic2.replace(/20:00:01.*\n/, '') + more }), 'lic2.log'),
    );
    expect(useAt(one, 'mesher', '14:55', '15:20', '16:30', '19:30', '20:10')).toEqual([1, 0, undefined, undefined, 1]);
  });

  it('is not two servers that have daemons of one name: those are refused with the remedy', async () => {
    const other = lic1.replaceAll('lic1', 'lic9').replace(/.*CONNECTED.*\n/g, '');
    const folder = write({ 'a.log': lic1.replace(/.*CONNECTED.*\n/g, ''), 'b.log': other });
    await expect(importAll(folder)).rejects.toThrow(
      'the logs are of 2 servers (lic1 and lic9), which have a daemon acmed each; import the logs of each server alone, with --server',
    );
  });
});

describe('a log without a date', () => {
  const text = lines(
    ' 8:00:01 (acmed) Server started on lic1 for:\tmesher\t\t',
    ' 8:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    ' 9:30:00 (acmed) IN: "mesher" anna@ws1  ',
    ' 9:40:00 (acmed) OUT: "mesher" bert@ws1  ',
  );

  it.each(['2026-08-03T09:41', '2026-08-03T21:45', '2026-08-03T23:30', '2026-08-04T03:00'])(
    'is never later than its file: %s',
    async (time) => {
      const path = join(write({ 'acmed.log': text }), 'acmed.log');
      utimesSync(path, Date.parse(`${time}Z`) / 1000, Date.parse(`${time}Z`) / 1000);
      expect(historyOf([await importAll(path)]).figures).toEqual({ 'mesher 2026-08-03': { peak: 1, seconds: 5100 } });
    },
  );

  const stamped = (date: string): string =>
    lines(` 0:00:01 (acmed) TIMESTAMP ${date}`, '23:59:00 (acmed) TCP_NODELAY NOT enabled');

  it.each([
    [['acmed.log.3', 'acmed.log.2', 'acmed.log.1']],
    [['acmed.12.log', 'acmed.11.log', 'acmed.10.log']],
    [['acmed.log-20260803', 'acmed.log-20260804', 'acmed.log-20260805']],
    [['acmed_2026-08-02_0300.log', 'acmed_2026-08-03_0300.log', 'acmed_2026-08-04_0300.log']],
  ])('is of the day between those of its neighbors in a rotation, although it was copied later: %j', async (names) => {
    const [older = '', own = '', newer = ''] = names;
    const folder = write({ [older]: stamped('8/2/2026'), [own]: text, [newer]: stamped('8/4/2026') });
    const { days, text: report } = await importAll(folder);
    expect(useAt({ days }, 'mesher', '08:10', '09:35')).toEqual([1, 0]);
    expect(report).toContain(`  dated by the files before and after, because no line has a date: ${own}\n`);
  });

  it('is after the last line of its neighbor, which can say nothing of use, also where the clocks have changed since', async () => {
    const zone = 'Europe/Berlin';
    const daemon = lines(
      ' 8:00:00 (acmed) TIMESTAMP 8/3/2026',
      ' 9:00:00 (acmed) OUT: "mesher" anna@ws1  ',
      '20:00:00 (acmed) TIMESTAMP 8/3/2026',
    );
    const folder = write({
      'acmed.log': daemon,
      'lmgrd.log.2': lines(' 8:00:00 (lmgrd) TIMESTAMP 8/1/2026', '12:00:00 (lmgrd) TIMESTAMP 8/3/2026'),
      'lmgrd.log.1': lines('12:42:31 (lmgrd) acmed exited with status 28 (Communications error)'),
      'lmgrd.log': lines('18:00:00 (lmgrd) TIMESTAMP 8/3/2026'),
    });
    const copied = Date.parse('2026-12-01T10:00Z') / 1000;
    utimesSync(join(folder, 'lmgrd.log.1'), copied, copied);
    const { days, text: report } = await importAll(folder, { zone });
    // of the clock of the log
    expect(useAt({ days }, 'mesher', '08:00', '10:40', '10:50')).toEqual([1, 1, undefined]);
    expect(report).toContain('  dated by the files before and after, because no line has a date: lmgrd.log.1\n');
  });

  it('has no neighbors in the logs of other daemons', async () => {
    const folder = write({ 'vend1.log': stamped('8/2/2026'), 'vend2.log': text, 'vend3.log': stamped('8/4/2026') });
    const { text: report } = await importAll(folder);
    expect(report).toContain('  dated by the time of the file, because no line has a date: vend2.log\n');
  });

  it('has its first line, also in UTF-16 with a byte order mark', async () => {
    const dated = `\ufeff 8:00:00 (lmgrd) TIMESTAMP 8/3/2026\n${text}`;
    const { days, text: report } = await importAll(join(write({ 'a.log': Buffer.from(dated, 'utf16le') }), 'a.log'));
    expect(useAt({ days }, 'mesher', '08:10', '09:35')).toEqual([1, 0]);
    expect(report).not.toContain('dated by');
    expect(report).toContain('every line was understood');
  });
});

it('days that are older than what is kept are named, and nothing is promised', async () => {
  const text = lines(
    ' 9:00:00 (acmed) TIMESTAMP 1/9/2017',
    ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    '15:45:00 (acmed) IN: "mesher" anna@ws1  ',
    '20:00:04 (acmed) TIMESTAMP 1/9/2017',
  );
  const path = join(write({ 'a.log': text }), 'a.log');
  const { report, text: said } = await importAll(path, { firstDay: Math.floor(now / 86_400) - 5 * 365 });
  expect(report.staged).toEqual([]);
  expect(said).toMatch(/^27000@lic1;acmed: 1 day older than retention\.history, which is not kept: 2017-01-09$/m);
  expect(said).toMatch(/^Nothing was kept\.$/m);
});

describe('lines that are not of a log', () => {
  const start = ' 9:00:00 (acmed) TIMESTAMP 8/3/2026';
  const out = ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ';

  it.each([
    ['a comment', '# 9:06:00 (acmed) OUT: "mesher" bert@ws1'],
    ['an event with something before it', 'x 9:06:00 (acmed) OUT: "mesher" bert@ws1'],
    ['a line that is too long', ` 9:06:00 (acmed) OUT: "${'m'.repeat(200_000)}" bert@ws1`],
  ])('are not understood: %s', async (_, line) => {
    const { text } = await importAll(join(write({ 'a.log': lines(start, out, line) }), 'a.log'));
    expect(text).toMatch(/^ {2}1 line not understood: a\.log:3$/m);
  });

  it('make a file of nothing, which is named as what it is', async () => {
    const folder = write({ 'zeros.log': Buffer.alloc(5000), 'a.log': lines(start, out) });
    const { text } = await importAll(folder);
    expect(text).toMatch(/^zeros\.log has only zeros: it was truncated while a program wrote to it$/m);
  });

  it('are cut where the journal of systemd has put them before a line', async () => {
    const own = [start, out, ' 9:45:00 (acmed) IN: "mesher" anna@ws1  '];
    const folder = write({ 'journal.txt': lines(...own.map((line) => `Aug  3 09:00:00 lic1 lmgrd[123]: ${line}`)) });
    const { days, text } = await importAll(folder);
    expect(useAt({ days }, 'mesher', '09:00', '09:05', '09:40')).toEqual([0, 1, 1]);
    expect(text).toContain('every line was understood');
    // the same lines in the log itself count once
    for (const prefix of [
      '2026-08-03T09:00:00.123456+00:00',
      'Aug 03 09:00:00.123456',
      'Mon 2026-08-03 09:00:00 UTC',
    ]) {
      const journal = lines(...own.map((line) => `${prefix} lic1 lmgrd[1]: ${line}`));
      const both = await importAll(write({ 'journal.txt': journal, 'a.log': lines(...own) }));
      expect(historyOf([both]).figures).toEqual({ 'mesher 2026-08-03': { peak: 1, seconds: 2400 } });
    }
  });

  it('are those of the debug log of RLM, which is refused as what it is', async () => {
    const text = lines(
      '08/03 09:00 (rlm) RLM License Server Version 15.2BL1',
      '08/03 09:05 (acme) OUT: painter v2027.0212 by anna@ws1 ',
      '08/03 09:30 (acme) IN: painter v2027.0212 by anna@ws1',
    );
    expect((await importAll(join(write({ 'acme.dlog': text }), 'acme.dlog'))).text).toMatch(
      /^acme\.dlog is a debug log of RLM, which does not say how many licenses are in use; pass the report log, /m,
    );
  });
});

describe('a report log of RLM', () => {
  const head = [
    'RLM Report Log Format 0, version 12.4, authenticated',
    'ISV: acme, RLM version 14.2 BL1',
    'START lic1 08/03/2026 08:00:00',
    'PRODUCT cad 3.0 1 10 0 10 "" "" "" "" "" "" 0 0 0 0 0 0 0 0 0',
    '08/03/2026 08:00',
  ];
  const rest = ['08/03/2026 18:00', 'SHUTDOWN admin lic1 08/03 18:00:00'];
  const checkouts = [
    'OUT cad 3.0 1 ada pc1 "" 1 1 0 41 41 1a14 "" "" "" 08/03 08:10:00',
    'OUT cad 3.0 1 bob pc2 "" 2 3 0 81 81 1a15 "" "" "" 08/03 08:20:00',
    'IN 1 cad 3.0 ada pc1 "" 1 2 0 41 08/03 10:10:00',
    'IN 1 cad 3.0 bob pc2 "" 2 0 0 81 08/03 10:20:00',
  ];
  const importText = async (...all: readonly string[]): Promise<Imported> =>
    await importAll(join(write({ 'acme.rl': lines(...all) }), 'acme.rl'), { server: '5053@lic1' });

  it('has checkouts whose share handle is their own: they share with nobody', async () => {
    const imported = await importText(...head, ...checkouts, ...rest);
    expect(historyOf([imported]).figures).toEqual({ 'cad 2026-08-03': { peak: 3, seconds: 21_600 } });
    expect(samplesOf(imported.days, 'cad')[0]?.available).toBe(10);
    expect(Math.max(...samplesOf(imported.days, 'cad').map(({ users = 0 }) => users))).toBe(2);
    expect(imported.report.logs[0]?.found).toMatchObject({ unparsedCount: 0, contradictions: 0 });
  });

  it('says how many are in use in each line, and is contradicted where the lines before say something else', async () => {
    const lost = checkouts.filter((line) => !line.startsWith('OUT cad 3.0 1 ada'));
    const imported = await importText(...head, ...lost, ...rest);
    expect(imported.text).toMatch(/^ {2}1 line with another number of licenses in use than the lines before: /m);
  });

  it('has denials with the process of the client, and reserved licenses beside the others', async () => {
    const imported = await importText(
      ...head.map((line) => line.replace('1 10 0 10', '1 10 5 10')),
      'DENY cad 3.0 ada pc1 "F9 A" 1 -22 1 485c 08/03 08:10',
      'DENY cad 3.0 ada pc1 "" 1 -22 0 4850 08/03 08:11',
      'DENY cad 3.0 bob pc1 "" 1 -22 1 08/03 08:12',
      'AUTH: 1 60p04510d298bw8xdx2g65phsdbh1gs807tnsag22gjqxmtj02yq035xd32fsd1rue90afgjyr',
      ...rest,
    );
    const samples = samplesOf(imported.days, 'cad');
    expect(samples.reduce((sum, { denials = 0 }) => sum + denials, 0)).toBe(2);
    expect(samples[0]?.available).toBe(15);
    expect(imported.report.logs[0]?.found.unparsedCount).toBe(0);
  });

  it('lists sessions of which the first of their group has gone, or comes later', async () => {
    const imported = await importText(
      ...head,
      'INUSE cad 3.0 1 eve pc3 "" 2 82 81 3e8 08/03 08:00:00',
      'INUSE cad 3.0 1 bob pc2 "" 2 81 81 3e8 08/03 08:00:00',
      'INUSE cad 3.0 1 joe pc4 "" 3 99 98 3e8 08/03 08:00:00',
      'IN 1 cad 3.0 bob pc2 "" 2 5 0 81 08/03 10:00:00',
      'IN 1 cad 3.0 eve pc3 "" 2 3 0 82 08/03 11:00:00',
      ...rest,
    );
    expect(useAt(imported, 'cad', '08:10', '10:30', '11:30')).toEqual([5, 5, 3]);
    expect(imported.report.logs[0]?.found).toMatchObject({ unparsedCount: 0, contradictions: 0 });
  });
});

it('the verbose form of FlexNet is compared with its own lines too', async () => {
  const details = (inUse: number): string =>
    `^^^ 1.0 anna 10.0.0.1 29865 0x12CE ${inUse} 9 - 11 19 8-3-2026 10:01:02 NO ^^^`;
  const text = lines(
    ' 9:00:00 (acmed) TIMESTAMP 8/3/2026',
    ` 9:05:00 (acmed) OUT: "mesher" @ws1 ${details(4)}`,
    ` 9:06:00 (acmed) OUT: "mesher" @ws2 ${details(5)}`,
    ` 9:10:00 (acmed) IN: "mesher" @ws1 ${details(3)}`,
    ` 9:11:00 (acmed) IN: "mesher" @ws2 ${details(2)}`,
  );
  const { report } = await importAll(join(write({ 'a.log': text }), 'a.log'));
  expect(report.logs[0]?.found.contradictions).toBe(1);
});

it('a session goes on when its daemon reads the license file again, and ends when that is started', async () => {
  const listed = (time: string): string => `${time} (acmed) Server started on lic1 for:\tmesher\t\t`;
  const text = lines(
    ' 9:00:00 (acmed) TIMESTAMP 8/3/2026',
    ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    '10:00:00 (acmed) Rereading license file...',
    listed('10:00:01'),
    '10:00:01 (acmed) ...Finished rereading',
    '11:00:00 (acmed) TIMESTAMP 8/3/2026',
    listed('11:30:00'),
    '12:00:00 (acmed) TIMESTAMP 8/3/2026',
  );
  const imported = await importAll(join(write({ 'a.log': text }), 'a.log'));
  // when it ended before the start, nobody knows
  expect(historyOf([imported]).figures).toEqual({ 'mesher 2026-08-03': { peak: 1, seconds: 6900 } });
  expect(useAt(imported, 'mesher', '10:55', '11:10', '11:35')).toEqual([1, undefined, 0]);
});

it('a session takes more licenses, and gives some back, without a checkout', async () => {
  const text = lines(
    ' 9:00:00 (acmed) TIMESTAMP 8/3/2026',
    ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    ' 9:10:00 (acmed) UPGRADE: "mesher" anna@ws1  (1->5 licenses) ',
    ' 9:20:00 (acmed) UPGRADE: "mesher" anna@ws1  (5->2 licenses) ',
    ' 9:30:00 (acmed) IN: "mesher" anna@ws1  (2 licenses)',
    ' 9:40:00 (acmed) UPGRADE: "mesher" anna@ws1',
  );
  const imported = await importAll(join(write({ 'a.log': text }), 'a.log'));
  const figures = { peak: 5, seconds: 300 + 5 * 600 + 2 * 600 };
  expect(historyOf([imported]).figures).toEqual({ 'mesher 2026-08-03': figures });
  expect(imported.text).toMatch(/^ {2}1 line not understood: a\.log:6$/m);
});

it('letters of another case are the same feature', async () => {
  const text = lines(
    ' 9:00:00 (acmed) TIMESTAMP 8/3/2026',
    ' 9:05:00 (acmed) OUT: "mesher" anna@ws1  ',
    ' 9:05:00 (acmed) OUT: "MESHER" bert@ws1  ',
    ' 9:10:00 (acmed) IN: "Mesher" anna@ws1  ',
    ' 9:10:00 (acmed) IN: "mesher" bert@ws1  ',
  );
  const imported = await importAll(join(write({ 'a.log': text }), 'a.log'));
  expect(historyOf([imported]).figures).toEqual({ 'mesher 2026-08-03': { peak: 2, seconds: 600 } });
});
