import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Sample } from '../../../src/analyzer/history/sample.ts';
import { createCleanup } from '../../support/harness.ts';
import { type Imported as ImportedPath, importPath, inUseAt, samplesOf } from '../../support/imported.ts';
import { createRunner } from '../../support/run.ts';

/** Logs and texts of several files, as they are found on a disk. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const now = Date.parse('2026-06-10') / 1000;
const secondOf = (time: string): number => Date.parse(`${time}Z`) / 1000;

interface Imported extends Pick<ImportedPath, 'report' | 'text'> {
  /** What is in use of a feature at a time. */
  inUse(feature: string, time: string): number | undefined;
  samples(feature: string): readonly Sample[];
}

async function importFrom(path: string): Promise<Imported> {
  const { report, text, days } = await importPath(path, { folder: join(temporaryFolder(), 'import'), now });
  return {
    report,
    text,
    samples: (feature) => samplesOf(days, feature),
    inUse: (feature, time) => inUseAt(days, feature, time),
  };
}

const first = [
  '0:00:00 (lmgrd) TIMESTAMP 6/1/2026',
  '0:00:01 (lmgrd) Started vend (internet tcp_port 1 pid 2)',
  '8:00:00 (vend) OUT: "cad" a@h',
  '12:00:00 (vend) TIMESTAMP 6/1/2026',
  '',
].join('\n');
const second = [
  '12:00:00 (vend) OUT: "cad" b@h',
  '16:00:00 (vend) IN: "cad" a@h',
  '18:00:00 (vend) TIMESTAMP 6/1/2026',
  '18:00:00 (vend) IN: "cad" b@h',
  '',
].join('\n');

/** The same for all names of the files. */
function expectBoth({ inUse }: Imported): void {
  const times = ['2026-06-01T01:00', '2026-06-01T09:00', '2026-06-01T13:00', '2026-06-01T17:00', '2026-06-01T19:00'];
  expect(times.map((time) => inUse('cad', time))).toEqual([0, 1, 2, 1, undefined]);
}

describe('files of one log', () => {
  it('are read in the order of their dates', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lmgrd.log'), second);
    writeFileSync(join(folder, 'lmgrd.log.1'), first);
    const imported = await importFrom(folder);
    expectBoth(imported);
    expect(imported.report.logs[0]?.found.files.map(({ name }) => name)).toEqual(['lmgrd.log.1', 'lmgrd.log']);
    expect(imported.text).toMatch(/^FlexNet debug log: 2 files, 4 checkouts and checkins, 0 denied requests$/m);
    expect(imported.text).toMatch(/^27000@lic1;vend: 1 day from 2026-06-01 to 2026-06-01, 1 feature$/m);
  });

  it('can be compressed', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.log.gz'), gzipSync(first));
    writeFileSync(join(folder, 'b.log.zst'), zstdCompressSync(second));
    expectBoth(await importFrom(folder));
  });

  it('are left out in archives, with the remedy', async () => {
    const folder = temporaryFolder();
    const tar = Buffer.alloc(1024);
    tar.write('ustar', 257);
    writeFileSync(join(folder, 'a.tar'), tar);
    writeFileSync(join(folder, 'b.tar.gz'), gzipSync(tar));
    writeFileSync(join(folder, 'c.zip'), 'PK\x03\x04 and more');
    const { text } = await importFrom(folder);
    for (const name of ['a.tar', 'b.tar.gz', 'c.zip']) expect(text).toContain(`${name} is an archive; unpack it first`);
    expect(text).toMatch(/^Nothing was found that can be imported\.$/m);
  });

  it('count once if they overlap, and if one is there twice', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lmgrd.log'), first + second);
    writeFileSync(join(folder, 'lmgrd.log.1'), first);
    writeFileSync(join(folder, 'copy.log'), first);
    const imported = await importFrom(folder);
    expectBoth(imported);
    expect(imported.text).toMatch(/^ {2}\d+ lines that several files have counted once$/m);
  });

  it('that were put together in the wrong order count up to there, and the report says so', async () => {
    const folder = temporaryFolder();
    const later = ['8:00:00 (lmgrd) TIMESTAMP 6/3/2026', '8:30:00 (vend) OUT: "cad" c@h', ''].join('\n');
    writeFileSync(join(folder, 'a.log'), later + first);
    const { inUse, text } = await importFrom(folder);
    expect([inUse('cad', '2026-06-01T09:00'), inUse('cad', '2026-06-03T08:10')]).toEqual([undefined, 0]);
    expect(text).toMatch(/^ {2}\d lines older than those before them in the same file did not count/m);
  });

  it('tell nothing of the time of a file that is missing', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.log'), first);
    const later = [
      '8:00:00 (lmgrd) TIMESTAMP 6/3/2026',
      '8:30:00 (vend) OUT: "cad" c@h',
      '9:00:00 (vend) IN: "cad" d@h',
      '',
    ];
    writeFileSync(join(folder, 'b.log'), later.join('\n'));
    const { inUse, report, text } = await importFrom(folder);
    const times = ['2026-06-01T11:00', '2026-06-02T11:00', '2026-06-03T08:10', '2026-06-03T08:40'];
    expect(times.map((time) => inUse('cad', time))).toEqual([1, undefined, 1, 2]);
    expect(report.logs[0]?.found).toMatchObject({ guessedEnds: 1, begunBefore: 1, open: 1 });
    expect(text).toMatch(/^ {2}1 day without data: 2026-06-02$/m);
  });

  it('without a date have that of the file, and the report says so', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'vend.log');
    writeFileSync(path, '23:00:00 (vend) OUT: "cad" a@h\n1:00:00 (vend) IN: "cad" a@h\n');
    utimesSync(path, secondOf('2026-06-02T01:00:02'), secondOf('2026-06-02T01:00:02'));
    const { inUse, text } = await importFrom(path);
    expect(inUse('cad', '2026-06-01T23:30')).toBe(1);
    expect(text).toContain('dated by the time of the file, because no line has a date: vend.log');
  });

  it('that cannot be read are named, and the others count', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.log'), first);
    writeFileSync(join(folder, 'b.log.gz'), gzipSync(second).subarray(0, 40));
    writeFileSync(join(folder, 'c.log.xz'), Buffer.from('fd377a585a0000', 'hex'));
    writeFileSync(join(folder, 'notes.txt'), 'nothing of a license manager\n');
    const { inUse, text } = await importFrom(folder);
    expect(inUse('cad', '2026-06-01T09:00')).toBe(1);
    expect(text).toMatch(/^b\.log\.gz cannot be read \(.+\)$/m);
    expect(text).toMatch(/^c\.log\.xz is compressed with xz; decompress it first$/m);
    expect(text).toMatch(/^notes\.txt has no text of a license manager$/m);
  });

  it('name the lines that are not understood', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.log'), `${first}12:10:00 (vend) IN: "cad\n`);
    const { text } = await importFrom(folder);
    expect(text).toMatch(/^ {2}1 line not understood: a\.log:5$/m);
  });
});

/** A report log of each form. */
const reportLog = {
  std: `RLM Report Log Format 0, version 14.2 , authenticated
ISV: acme, RLM version 14.2 BL1
START lic1 06/01/2026 07:00
TIMEZONE 0 0 # UTC
LICENSE FILE a.lic
PRODUCT cad 3.0 1 10 0 0 "" "" "" "" "" "" 0 0 0 0 0 0 0 0 0
PRODUCT cad 2.0 2 5 0 0 "" "" "" "" "" "" 0 0 0 0 0 0 0 0 0
INUSE cad 3.0 1 Jane Roe pc0 "" 2 1f 3e8 06/01 07:00:00
OUT cad 3.0 1 ada pc1 "" 1 3 0 2F 0 3e9 "" "cad" "3.0" 06/01 08:00:10
OUT cad 3.0 1 ada pc1 "" 1 3 0 30 2f 3ea "" "cad" "3.0" 06/01 08:30:00
DENY cad 3.0 bob pc2 "" 1 -22 0 06/01 08:40:00
DENY cad 3.0 bob pc2 "" 1 -22 1 06/01 08:40:01
IN 1 cad 3.0 Jane Roe pc0 "" 2 1 0 1f 06/01 09:00:00
SWITCH to b.rl
END 06/01/2026 10:00
`,
  detailed: `SWITCH from a.rl
RLM Report Log Format 2, version 14.2 , authenticated
ISV: acme, RLM version 14.2 BL1
START lic1 06/01/2026 10:00
PRODUCT cad 3.0 1 10 0 0 "" "" "" "" "" "" 0 0 0 0 0 0 0 0 0
INUSE cad 3.0 1 ada pc1 "" 1 2f 3e9 06/01 10:00:00
IN 1 cad 3.0 ada pc1 "" 1 0 0 2f 06/01 11:00:00.1234
OUT cad 3.0 1 eve pc3 "" 4 4 0 31 0 3eb "" "cad" "3.0" 06/01 23:30:00.0 "x64_l 5" "cad" 0 "" 10.0.0.1
06/02/2026 01:00
SHUTDOWN root lic1 06/02 02:00:00
END 06/02/2026 02:00
`,
  small: `RLM Report Log Format 1, version 14.2
ISV: acme, RLM version 14.2 BL1
START lic1 06/03/2026 22:00
PRODUCT cad 3.0 1 10 0 0 "" "" "" "" "" "" 0 0 0 0 0 0 0 0 0
OUT cad 3.0 ada pc1 "" 3 2f 0 23:10
IN 1 3 2f 01:20
END 06/04/2026 02:00
`,
};

it('report logs of RLM tell what is in use, refused and bought, over a change of the file and over midnight', async () => {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(reportLog)) writeFileSync(join(folder, `${name}.rl`), text);
  const { inUse, samples, report, text } = await importFrom(folder);
  const times = ['07:30', '08:10', '08:45', '09:30', '10:30', '11:30', '23:40'].map((time) => `2026-06-01T${time}`);
  expect(
    [...times, '2026-06-02T01:30', '2026-06-02T03:00', '2026-06-03T23:30', '2026-06-04T01:30'].map((time) =>
      inUse('cad', time),
    ),
  ).toEqual([2, 3, 3, 1, 1, 0, 4, 4, undefined, 3, 0]);
  expect(samples('cad').reduce((sum, { denials = 0 }) => sum + denials, 0)).toBe(1);
  expect(samples('cad')[0]?.available).toBe(15);
  expect(report.logs[0]?.found).toMatchObject({ unparsedCount: 0, guessedEnds: 1, open: 0 });
  expect(text).toMatch(/^RLM report log: 3 files, /m);
  expect(text).not.toContain('The number of licenses is not known');
});

const lmstat = (date: string, inUse: number): string => `lmstat - Copyright (c) 1989-2024 Flexera. All Rights Reserved.
Flexible License Manager status on ${date}

License server status: 27000@lic1
    License file(s) on lic1: /opt/license.dat:

      lic1: license server UP (MASTER) v11.19.5

Vendor daemon status (on lic1):

      vend: UP v11.19.5
Feature usage info:

Users of cad:  (Total of 9 licenses issued;  Total of ${inUse} licenses in use)
`;

it('outputs of lmstat are known for as long as an analyzer would wait, one or several in a file', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'many.txt'), lmstat('Mon 6/1/2026 10:02', 1) + lmstat('Mon 6/1/2026 10:17', 2));
  writeFileSync(join(folder, 'one.txt'), lmstat('Mon 6/1/2026 10:32', 3));
  writeFileSync(join(folder, 'late.txt'), lmstat('Mon 6/1/2026 14:00', 4));
  const { inUse, samples, text } = await importFrom(folder);
  const times = ['09:55', '10:05', '10:16', '10:40', '10:50', '14:10', '15:30'].map((time) => `2026-06-01T${time}`);
  expect(times.map((time) => inUse('cad', time))).toEqual([undefined, 1, 2, 3, undefined, 4, undefined]);
  expect(samples('cad')[0]).toMatchObject({ available: 9, denials: undefined });
  expect(text).toMatch(/^outputs of tools: 4 texts$/m);
});
