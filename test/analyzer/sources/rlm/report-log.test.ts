import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { readRequest, reportLog, userOf } from '../../../../src/analyzer/sources/rlm/report-log.ts';
import { createTransportHost } from '../../../../src/analyzer/sources/transport/transport-host.ts';
import { createLocalTime } from '../../../../src/base/model/local-time.ts';
import { renderRlmstat } from '../../../support/license-site/render-rlmstat.ts';
import type { Site } from '../../../support/license-site/site.ts';
import { sourceSettings } from '../../../support/source-settings.ts';

const utc = createLocalTime('UTC');
const now = Date.parse('2027-01-15T08:00:00Z') / 1000;

describe('a line of a report log', () => {
  const at = (month: string, date: string, hour: string, minute: string, second?: string) => ({
    month,
    date,
    hour,
    minute,
    second,
  });
  const last = at('01', '15', '07', '58');
  it.each<[string, unknown]>([
    [
      'DENY cad 3.0 ada pc1 "" 1 -22 1 01/15 07:58',
      { kind: 'refused', product: 'cad', who: 'ada pc1 "" ', cause: 'all_in_use', time: last },
    ],
    [
      'DENY cad 3.0 ada pc1 "a b" 2 22 -1 01/15 07:58:30.1234',
      { kind: 'refused', product: 'cad', who: 'ada pc1 "a b" ', cause: 'all_in_use', time: { ...last, second: '30' } },
    ],
    [
      'DENY cad 3.0 Jane Roe pc1 "" 1 -3 1 12/31 23:59',
      { kind: 'refused', product: 'cad', who: 'Jane Roe pc1 "" ', cause: 'expired', time: at('12', '31', '23', '59') },
    ],
    [
      'DENY cad 3.0 "" "" "" 1 -10 1 01/15 07:58',
      { kind: 'refused', product: 'cad', who: '"" "" "" ', cause: 'not_permitted', time: last },
    ],
    [
      'DENY cad 3.0 ada pc1 "" 1 -99 1 1f3 01/15 07:58',
      { kind: 'refused', product: 'cad', who: 'ada pc1 "" ', cause: 'other', time: last },
    ],
    // the application asks another server
    [
      'DENY cad 3.0 ada pc1 "" 1 -22 0 01/15 07:58',
      { kind: 'asks again', product: 'cad', who: 'ada pc1 "" ', cause: 'all_in_use', time: last },
    ],
    ['DENY cad 3.0 ada', 'unparsed'],
    [
      'OUT cad 3.0 1 ada pc1 "" 1 1 0 2f 0 0 01/15 07:58:09',
      { kind: 'out', product: 'cad', who: 'ada pc1', cause: 'other', time: { ...last, second: '09' } },
    ],
    [
      'OUT cad 3.0 1 Jane Roe pc1 "" 1 1 0 2f 0 0 "my project" "" "" 01/15 07:58:09.1234',
      { kind: 'out', product: 'cad', who: 'Jane Roe pc1', cause: 'other', time: { ...last, second: '09' } },
    ],
    [
      'OUT cad 3.0 ada pc1 "" 1 2f 0 07:58',
      { kind: 'out', product: 'cad', who: 'ada pc1', cause: 'other', time: { hour: '07', minute: '58' } },
    ],
    ['IN 1 cad 3.0 ada pc1 "" 1 0 0 2f 01/15 07:58:01', undefined],
    ['START lic1 01/15/2027 00:00', undefined],
  ])('%s', (line, read) => {
    expect(readRequest(line)).toEqual(read);
  });

  it.each([
    ['ada pc1 "" ', 'ada'],
    ['Jane Roe pc1', 'Jane Roe'],
    ['"" "" "" ', ''],
  ])('names the user in %s', (who, user) => {
    expect(userOf(who)).toBe(user);
  });

  it('of any characters is read', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void readRequest(`DENY ${text}`)));
    for (const part of [' ', '1 ', '"', '"" ', '-1 ', '01/15 '])
      for (const kind of ['DENY', 'OUT'])
        expect(readRequest(`${kind} ${part.repeat(4000 / part.length)}x`)).toBe(
          kind === 'OUT' ? undefined : 'unparsed',
        );
  });
});

it('is known by its records', () => {
  const { problemOf } = reportLog('acme');
  expect(problemOf('RLM Report Log Format 9\nSTART lic1\n')).toBeUndefined();
  expect(problemOf('')).toBeUndefined();
  expect(problemOf('no record\n'.repeat(40))).toMatch(
    /is not a report log of RLM: of its first 40 lines, none was understood, and the first looks like "a a"; set the path of REPORTLOG/,
  );
  expect(problemOf('<html>\n')).toMatch(/of its first 1 line, none was understood/);
  expect(problemOf('INCREMENT mesh acme 1.0 permanent 5\n')).toMatch(/is not a report log/);
  expect(problemOf('\0\u0001')).toMatch(/is not text/);
});

describe('the denials of an ISV server', () => {
  let folder: string;
  let path: string;
  let closing: (() => Promise<void>)[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'license-exporter-report-log-'));
    path = join(folder, 'acme.rl');
    closing = [];
  });
  afterEach(async () => {
    await Promise.all(closing.map((close) => close()));
    rmSync(folder, { recursive: true, force: true });
  });

  const pool = (version: string) =>
    ({ version, count: 5, expires: 'permanent', reservations: [], checkouts: [], queued: [] }) as const;
  const site: Site = {
    servers: [{ host: 'lic1', port: 5053, isUp: true, isMaster: true }],
    now,
    daemons: ['acme', 'other'].map((name) => ({
      name,
      isUp: true,
      features: [
        { name: 'cad', pools: [pool('1.0'), pool('2.0')] },
        { name: 'cam', pools: [pool('1.0')] },
      ],
    })),
  };

  function reader(isv = 'ACME') {
    const host = createTransportHost({ workFolder: '/nonexistent', now: () => now, onProblem: () => undefined });
    const settings = sourceSettings({
      manager: 'rlm',
      via: { kind: 'file', file: '/none', maxAge: 60 },
      reportLogs: { [isv]: { path, timeZone: 'UTC', encoding: undefined } },
    });
    const output = { stdout: renderRlmstat(site, utc), stderr: '', exitCode: undefined, at: now };
    const created = managerCodes.rlm.createReader(settings, {
      transport: { read: async () => output, close: async () => undefined },
      host,
      read: async (input) => managerCodes.rlm.read(input),
    });
    closing.push(async () => {
      await created.close();
      host.close();
    });
    return () => created.read(new AbortController().signal);
  }

  const denialsOf = ({ vendorLicenses }: Awaited<ReturnType<ReturnType<typeof reader>>>) =>
    vendorLicenses.map(({ daemon, pools }) => [daemon, ...pools.map(({ feature, denials }) => [feature, denials])]);
  const deny = (product: string, last = 1): string => `DENY ${product} 2.0 ada pc1 "" 1 -22 ${last} 01/15 07:59\n`;
  const unknown = ['other', ['cad', undefined], ['cad', undefined], ['cam', undefined]];

  it('are those of its log since the reading before, over rotation, and of no other', async () => {
    writeFileSync(path, `RLM Report Log Format 9\n${deny('cad')}`);
    const read = reader();
    expect(denialsOf(await read())).toEqual([
      ['acme', ['cad', undefined], ['cad', undefined], ['cam', undefined]],
      unknown,
    ]);
    appendFileSync(path, deny('cad') + deny('cad', 0) + deny('CAM') + deny('cad'));
    const second = await read();
    expect(denialsOf(second)).toEqual([['acme', ['cad', 2], ['cad', 0], ['cam', 1]], unknown]);
    expect(second.vendorLicenses[0]?.pools[0]?.denialCauses).toEqual({ all_in_use: 2 });
    expect(second.problems).toEqual([]);
    appendFileSync(path, deny('cam'));
    renameSync(path, `${path}.1`);
    writeFileSync(path, `RLM Report Log Format 9\n${deny('cad')}`);
    expect(denialsOf(await read())[0]).toEqual(['acme', ['cad', 1], ['cad', 0], ['cam', 1]]);
    // one of days ago would be counted as one of now
    appendFileSync(path, deny('cad').replace('01/15', '01/12'));
    expect(denialsOf(await read())[0]).toEqual(['acme', ['cad', 0], ['cad', 0], ['cam', 0]]);
  });

  it('are not known without its log, with a problem that says so', async () => {
    const read = reader();
    await read();
    const parsed = await read();
    expect(denialsOf(parsed)[0]?.[1]).toEqual(['cad', undefined]);
    expect(parsed.problems).toEqual([
      {
        kind: 'missing_tool',
        isMinor: true,
        isFile: true,
        message: `the report log ${path} does not exist; set the path of REPORTLOG in the options file of the ISV server`,
      },
    ]);
  });

  it('of an ISV server that there is not are a problem', async () => {
    writeFileSync(path, 'START\n');
    const { problems } = await reader('acne')();
    expect(problems).toMatchObject([
      { message: 'report_logs names the ISV server acne, which the server does not have; it has acme, other' },
    ]);
  });
});
