import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { earliestExpiry, maxAvailable, PERMANENT } from '../../../../src/analyzer/history/usage.ts';
import type { FlexnetOwn } from '../../../../src/analyzer/sources/flexnet/own-settings.ts';
import type { ManagerReader } from '../../../../src/analyzer/sources/manager.ts';
import type { Parsed } from '../../../../src/analyzer/sources/parsed.ts';
import { createReader } from '../../../../src/analyzer/sources/reading/read-output.ts';
import { createReadingThread } from '../../../../src/analyzer/sources/reading/reading-thread.ts';
import type { SourceSettings } from '../../../../src/analyzer/sources/source-settings.ts';
import type { Transport } from '../../../../src/analyzer/sources/transport/transport.ts';
import { createTransportHost } from '../../../../src/analyzer/sources/transport/transport-host.ts';
import { SourceFailure } from '../../../../src/base/model/observation/source-failure.ts';
import { UNCOUNTED } from '../../../../src/base/model/uncounted.ts';
import { createCleanup } from '../../../support/harness.ts';
import { sourceSettings } from '../../../support/source-settings.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** A Monday. */
const NOW = Date.UTC(2026, 2, 2, 9, 5) / 1000;
const signal = new AbortController().signal;

const head = (...daemons: string[]): string =>
  [
    'Flexible License Manager status on Mon 3/2/2026 9:05',
    '',
    'License server status: 27000@lic1',
    'lic1: license server UP (MASTER) v11.19',
    '',
    'Vendor daemon status (on lic1):',
    ...daemons.map((daemon) => `   ${daemon}: UP v11.19`),
    'Feature usage info:',
    '',
  ].join('\n');

const idle = (feature: string, licenses: number): string =>
  `\nUsers of ${feature}:  (Total of ${licenses} licenses issued;  Total of 0 licenses in use)\n`;

const inventoryHead =
  '\nFeature                         Version     #licenses    Vendor        Expires\n_______                         _________   _________    ______        ________\n';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'license-exporter-flexnet-'));
  cleanup.add(() => rmSync(path, { recursive: true }));
  return path;
}

interface Scripted {
  readonly reader: ManagerReader;
  /** Texts by the arguments that follow `lmstat`. An error is thrown. */
  readonly answers: Record<string, string | Error>;
  readonly calls: string[];
  now: number;
}

function scripted(more: Partial<SourceSettings & FlexnetOwn> = {}): Scripted {
  const settings = sourceSettings(more);
  const calls: string[] = [];
  const answers: Scripted['answers'] = {};
  const transport: Transport = {
    read: async (args) => {
      calls.push(args.join(' '));
      const answer = answers[args.slice(1, -2).join(' ')] ?? '';
      if (answer instanceof Error) throw answer;
      return { stdout: answer, stderr: '', exitCode: 0, at: script.now };
    },
    close: () => Promise.resolve(),
  };
  const host = createTransportHost({
    workFolder: folder(),
    now: () => script.now,
    elapsed: () => script.now,
    onProblem: () => {},
  });
  cleanup.add(() => host.close());
  const reader = createReader(settings, host, createReadingThread(), settings.via === undefined ? {} : { transport });
  cleanup.add(() => reader.close());
  const script: Scripted = { reader, answers, calls, now: NOW };
  return script;
}

const figuresOf = ({ vendorLicenses }: Parsed): unknown =>
  vendorLicenses.map(({ server, daemon, reachable, pools }) => [
    `${server};${daemon}`,
    reachable,
    pools.map(({ feature, version, increments, inUse, denials }) => [
      feature,
      version,
      increments[0]?.count,
      inUse,
      denials,
    ]),
  ]);

describe('the FlexNet reader', () => {
  it('asks the configured servers, and for the licenses once an hour', async () => {
    const script = scripted();
    script.answers['-a'] = head('vendord') + idle('solver', 5);
    script.answers['-i'] =
      `${inventoryHead}solver                         2026.1          5           vendord       30-jun-2027\n`;
    expect(figuresOf(await script.reader.read(signal))).toEqual([
      ['27000@lic1;vendord', true, [['solver', '2026.1', 5, 0, undefined]]],
    ]);
    script.now += 300;
    await script.reader.read(signal);
    script.now += 3600;
    await script.reader.read(signal);
    expect(script.calls).toEqual([
      'lmstat -a -c 27000@lic1',
      'lmstat -i -c 27000@lic1',
      'lmstat -a -c 27000@lic1',
      'lmstat -a -c 27000@lic1',
      'lmstat -i -c 27000@lic1',
    ]);
  });

  it('keeps versions when lmstat -i fails later, and has data without it', async () => {
    const script = scripted();
    script.answers['-a'] = head('vendord') + idle('solver', 5);
    script.answers['-i'] = new SourceFailure('timeout', 'late');
    expect(figuresOf(await script.reader.read(signal))).toEqual([
      ['27000@lic1;vendord', true, [['solver', '', 5, 0, undefined]]],
    ]);
    script.answers['-i'] = `${inventoryHead}solver   2026.1   5   vendord   30-jun-2027\n`;
    await script.reader.read(signal);
    script.answers['-i'] = new SourceFailure('timeout', 'late');
    script.now += 2 * 3600;
    expect(figuresOf(await script.reader.read(signal))).toEqual([
      ['27000@lic1;vendord', true, [['solver', '2026.1', 5, 0, undefined]]],
    ]);
  });

  it('does not ask a server that is down for its licenses', async () => {
    const script = scripted();
    script.answers['-a'] = 'Error getting status: Cannot connect to license server system. (-15,570)\n';
    await expect(script.reader.read(signal)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(script.calls).toEqual(['lmstat -a -c 27000@lic1']);
  });

  it('asks each daemon for its features if nothing else says which one serves them', async () => {
    const script = scripted();
    script.answers['-a'] = head('one', 'two') + idle('solver', 5) + idle('viewer', 2);
    script.answers['-S one'] = head('one') + idle('viewer', 2);
    script.answers['-S two'] = head('two') + idle('solver', 5);
    const parsed = await script.reader.read(signal);
    expect(figuresOf(parsed)).toEqual([
      ['27000@lic1;one', true, [['viewer', '', 2, 0, undefined]]],
      ['27000@lic1;two', true, [['solver', '', 5, 0, undefined]]],
    ]);
    expect(parsed.problems).toEqual([]);
    await script.reader.read(signal);
    expect(script.calls.filter((call) => call.includes('-S'))).toEqual([
      'lmstat -S one -c 27000@lic1',
      'lmstat -S two -c 27000@lic1',
    ]);
  });

  it('never passes a name of the output on that a shell could take apart', async () => {
    const script = scripted();
    script.answers['-a'] = head('one', '$(id)', '-oX') + idle('solver', 5) + idle('viewer', 2);
    script.answers['-S one'] = head('one') + idle('viewer', 2);
    await script.reader.read(signal);
    expect(script.calls.filter((call) => call.includes('-S'))).toEqual(['lmstat -S one -c 27000@lic1']);
  });

  it('shows features of which nothing says the daemon under undef, and says so', async () => {
    const script = scripted();
    script.answers['-a'] = head('one', 'two') + idle('solver', 5);
    const parsed = await script.reader.read(signal);
    expect(figuresOf(parsed)).toEqual([
      ['27000@lic1;one', true, []],
      ['27000@lic1;two', true, []],
      ['27000@lic1;undef', true, [['solver', '', 5, 0, undefined]]],
    ]);
    expect(parsed.problems).toMatchObject([
      { kind: 'unparsed', isMinor: true, message: expect.stringContaining('license_files') },
    ]);
  });

  it('calls a wrapper that is lmstat itself without its name', async () => {
    const script = scripted({ via: { kind: 'command', command: ['/opt/cad/bin/lmstat'], env: {} } });
    script.answers['-c'] = '';
    await script.reader.read(signal).catch(() => undefined);
    expect(script.calls).toEqual(['-a -c 27000@lic1']);
  });

  it('has capacity and expiry from license files, also while the server cannot be reached', async () => {
    const path = join(folder(), 'license.lic');
    writeFileSync(
      path,
      'SERVER lic1 ANY 27000\nVENDOR vendord\nINCREMENT solver vendord 2026.1 30-jun-2027 7 SIGN=AB12\n',
    );
    const script = scripted({ licenseFiles: [path] });
    script.answers['-a'] = new SourceFailure('timeout', 'late');
    await expect(script.reader.read(signal)).rejects.toMatchObject({ kind: 'timeout' });
    const [known] = script.reader.withoutServer?.() ?? [];
    expect(known).toMatchObject({ daemon: 'vendord', pools: [{ feature: 'solver', version: '2026.1' }] });
    script.answers['-a'] = head('vendord') + idle('solver', 7);
    expect(figuresOf(await script.reader.read(signal))).toEqual([
      ['27000@lic1;vendord', true, [['solver', '2026.1', 7, 0, undefined]]],
    ]);
    expect(script.calls.filter((call) => call.includes('-i'))).toEqual([]);
  });

  it('reads license files alone, and does not know what is in use', async () => {
    const path = join(folder(), 'license.lic');
    writeFileSync(
      path,
      'INCREMENT solver vendord 2026.1 30-jun-2027 7 SIGN=AB12\nINCREMENT solver vendord 2026.1 permanent 2 SIGN=AB13\n',
    );
    const script = scripted({ via: undefined, licenseFiles: [path] });
    const [known] = (await script.reader.read(signal)).vendorLicenses;
    expect(known).toMatchObject({ reachable: true, daemon: 'vendord' });
    expect(known?.pools).toMatchObject([
      { feature: 'solver', checkouts: [], queued: undefined, reservations: undefined },
    ]);
    expect(known?.pools[0]?.increments.map(({ count }) => count)).toEqual([7, 2]);
    expect(known?.pools[0]?.inUse).toBeUndefined();
    expect(known?.pools[0]?.unknownOfCheckouts).toContain('list');
    rmSync(path);
    const later = await script.reader.read(signal);
    expect(later.vendorLicenses).toHaveLength(1);
    expect(later.problems).toMatchObject([{ kind: 'missing_tool', isMinor: true }]);
  });

  it('has a license that has expired, but not an expired line that another one has replaced', async () => {
    const path = join(folder(), 'license.lic');
    writeFileSync(
      path,
      'INCREMENT solver vendord 2025.1 30-jun-2025 7 SIGN=AB12\nINCREMENT solver vendord 2026.1 30-jun-2027 5 SIGN=AB13\nINCREMENT viewer vendord 1.0 1-mar-2026 3 SIGN=AB14\n',
    );
    const script = scripted({ via: undefined, licenseFiles: [path] });
    const pools = (await script.reader.read(signal)).vendorLicenses[0]?.pools ?? [];
    expect(pools.map(({ feature, version }) => [feature, version])).toEqual([
      ['solver', '2026.1'],
      ['viewer', '1.0'],
    ]);
    expect(pools.map((pool) => maxAvailable(pool, NOW))).toEqual([5, 0]);
    expect(pools.map((pool) => earliestExpiry(pool, NOW))).toEqual([
      Date.UTC(2027, 6, 1) / 1000 - 1,
      Date.UTC(2026, 2, 2) / 1000 - 1,
    ]);
  });

  it('reads the denials of each daemon in the log in which it writes, and knows none where it only starts', async () => {
    const [lmgrd, own] = [join(folder(), 'lmgrd.log'), join(folder(), 'vendord.log')];
    const started =
      '9:00:01 (vendord) Server started on lic1 for: solver\n9:00:01 (other) Server started on lic1 for: cad\n';
    writeFileSync(lmgrd, `9:00:00 (lmgrd) TIMESTAMP 3/2/2026\n${started}`);
    writeFileSync(own, '9:00:02 (vendord) TIMESTAMP 3/2/2026\n');
    const log = { timeZone: 'UTC', encoding: undefined };
    const script = scripted({ debugLogs: [lmgrd, own].map((path) => ({ path, ...log })) });
    script.answers['-a'] = head('vendord') + idle('solver', 5) + head('other') + idle('cad', 2);
    await script.reader.read(signal);
    writeFileSync(own, '9:05:01 (vendord) DENIED: "solver" ada@ws1  (x (-4,342))\n', { flag: 'a' });
    await script.reader.read(signal);
    script.now += 300;
    const { vendorLicenses } = await script.reader.read(signal);
    expect(vendorLicenses.map(({ daemon, pools }) => [daemon, pools.map(({ denials }) => denials)])).toEqual([
      ['vendord', [1]],
      ['other', [undefined]],
    ]);
    rmSync(own);
    script.now += 300;
    const later = await script.reader.read(signal);
    expect(later.vendorLicenses.flatMap(({ pools }) => pools.map(({ denials }) => denials))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('reads of several tables of lmstat -i that of the server that was asked', async () => {
    const script = scripted({ via: { kind: 'file', file: '/srv/lmstat.txt', maxAge: 600 } });
    const of = (host: string, row: string): string =>
      `${head('vendord').replaceAll('lic1', host)}${idle('solver', 6)}${inventoryHead}${row}\n\n`;
    const rows = ['solver   2026.1   6   vendord   29-jan-2027', 'solver   2020.5   6   vendord   1-mar-2026'] as const;
    for (const text of [of('lic1', rows[0]) + of('lic2', rows[1]), of('lic2', rows[1]) + of('lic1', rows[0])]) {
      script.answers['-a'] = text;
      const { vendorLicenses, problems } = await script.reader.read(signal);
      const pools = vendorLicenses.flatMap((one) => one.pools);
      expect(pools.map((pool) => [pool.version, earliestExpiry(pool, NOW)])).toEqual([
        ['2026.1', Date.UTC(2027, 0, 30) / 1000 - 1],
      ]);
      expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('27000@lic2')]);
    }
  });

  it('shows the number of counted licenses beside uncounted ones of one version', async () => {
    const path = join(folder(), 'license.lic');
    writeFileSync(
      path,
      'INCREMENT esx vendord 1.0 permanent 32 SIGN=1\nINCREMENT esx vendord 1.0 permanent uncounted HOSTID=ANY SIGN=2\nINCREMENT esx vendord 2.0 permanent uncounted HOSTID=ANY SIGN=3\n',
    );
    const script = scripted({ via: undefined, licenseFiles: [path] });
    const pools = (await script.reader.read(signal)).vendorLicenses[0]?.pools ?? [];
    expect(pools.map((pool) => [pool.version, maxAvailable(pool, NOW), pool.licenseType])).toEqual([
      ['1.0', 32, 'floating'],
      ['2.0', UNCOUNTED, 'uncounted'],
    ]);
  });

  it('counts the lines of license files and options files that are not understood', async () => {
    const place = folder();
    const [site, more, options] = [join(place, 'site.lic'), join(place, 'more.lic'), join(place, 'vendord.opt')];
    writeFileSync(site, 'INCREMENT solver vendord 2026.1 30-jun-2027 7\nINCREMENT solver vendord 2026.2 30-jun-2027\n');
    writeFileSync(more, 'SERVER lic1 ANY 27000\nINCREMENT mesh vendord 1.0 2027-12-31 5\n');
    writeFileSync(options, 'RESERVE 2 solver GROUP nobody\nRESERVE 1 solver USER ada\nRESERVED 1 solver USER ada\n');
    const alone = scripted({ via: undefined, licenseFiles: [site, more] });
    expect((await alone.reader.read(signal)).diagnostics.unparsed).toBe(2);
    const beside = scripted({ licenseFiles: [site, more], optionsFiles: { vendord: options } });
    beside.answers['-a'] = `${head('vendord')}${idle('solver', 7)}a line of a newer tool\n`;
    const { diagnostics, problems } = await beside.reader.read(signal);
    expect(diagnostics.unparsed).toBe(5);
    expect(problems.map(({ message }) => message)).toEqual([
      `of the file ${site}, 1 of 2 statements were understood, the first that was not is in line 2 and looks like "a a a 9.9 9-a-9"; the file was read as UTF-8; correct these lines, or report them (license-exporter capture)`,
      expect.stringContaining(
        `of the file ${more}, 1 of 2 statements were understood, the first that was not is in line 2`,
      ),
      expect.stringContaining(
        `of the file ${options}, 1 of 3 statements were understood, the first that was not is in line 1`,
      ),
    ]);
    // all of them as long as nothing changes, none after they are corrected
    expect((await beside.reader.read(signal)).diagnostics.unparsed).toBe(5);
    writeFileSync(site, 'INCREMENT solver vendord 2026.1 30-jun-2027 7\n');
    expect((await beside.reader.read(signal)).diagnostics.unparsed).toBe(4);
  });

  it('knows no denials of a daemon whose options file keeps them out of the log', async () => {
    const place = folder();
    const [log, options] = [join(place, 'debug.log'), join(place, 'vendord.opt')];
    const denied = '9:05:01 (vendord) DENIED: "solver" ada@ws1  (x (-4,342))\n';
    writeFileSync(log, '9:00:00 (vendord) (@vendord-SLOG@) Start-Date: Mon Mar 02 2026 09:00:01 UTC\n');
    writeFileSync(options, 'NOLOG IN\nnolog denied\n');
    const script = scripted({
      debugLogs: [{ path: log, timeZone: 'UTC', encoding: undefined }],
      optionsFiles: { VENDORD: options },
    });
    script.answers['-a'] = head('vendord') + idle('solver', 5);
    const denials = async () => {
      script.now += 300;
      return (await script.reader.read(signal)).vendorLicenses.map(({ pools }) => pools[0]?.denials);
    };
    await denials();
    writeFileSync(log, denied, { flag: 'a' });
    expect([await denials(), await denials()]).toEqual([[undefined], [undefined]]);
    writeFileSync(options, 'NOLOG IN\n');
    await denials();
    writeFileSync(log, denied.replace('9:05', '9:25').replace('ada', 'bert'), { flag: 'a' });
    expect([await denials(), await denials()]).toContainEqual([1]);
  });

  it('reads a text that has the table of lmstat -i after the answer of the server', async () => {
    const script = scripted({ via: { kind: 'file', file: '/srv/lmstat.txt', maxAge: 600 } });
    const rows = [
      'solver   2025.1   0   vendord   31-jan-2028',
      'solver   2026.1   6   vendord   29-jan-2027',
      'solver   2026.2   2   vendord   15-mar-2027',
      'visual   2016.0   5   vendord   31-MAY-0',
    ];
    const used = '  "solver" v2026.1, vendor: vendord, expiry: 29-jan-2027\n  floating license\n\n';
    const user = '    ada ws1 ws1:0 (v2025.1) (lic1/27000 101), start Mon 3/2 8:12\n';
    const solver = idle('solver', 8).replace('of 0 licenses in', 'of 1 license in') + used + user;
    script.answers['-a'] = head('vendord') + solver + idle('visual', 5) + inventoryHead + rows.join('\n');
    const { vendorLicenses, diagnostics } = await script.reader.read(signal);
    const pools = vendorLicenses.flatMap((one) => one.pools);
    expect(
      pools.map((pool) => [pool.feature, pool.version, maxAvailable(pool, NOW), pool.inUse, earliestExpiry(pool, NOW)]),
    ).toEqual([
      ['solver', '2026.1', 6, 1, Date.UTC(2027, 0, 30) / 1000 - 1],
      ['solver', '2026.2', 2, 0, Date.UTC(2027, 2, 16) / 1000 - 1],
      ['visual', '2016.0', 5, 0, PERMANENT],
    ]);
    expect(diagnostics.unparsed).toBe(0);
  });

  it('fails when no license file could ever be read', async () => {
    const script = scripted({ via: undefined, licenseFiles: ['/nonexistent/license.lic'] });
    await expect(script.reader.read(signal)).rejects.toMatchObject({
      kind: 'missing_tool',
      message: expect.stringContaining('/nonexistent/license.lic'),
    });
  });

  it('adds denials of the debug log to the collection after it began to follow the log', async () => {
    const path = join(folder(), 'debug.log');
    writeFileSync(
      path,
      '9:00:00 (lmgrd) TIMESTAMP 3/2/2026\n9:00:01 (vendord) (@vendord-SLOG@) Start-Date: Mon Mar 02 2026 09:00:01 UTC\n',
    );
    const script = scripted({ debugLogs: [{ path, timeZone: 'UTC', encoding: undefined }] });
    script.answers['-a'] = head('vendord') + idle('solver', 5) + idle('viewer', 2);
    await script.reader.read(signal);
    const denied = '(Licensed number of users already reached. (-4,342:10054 ""))';
    writeFileSync(
      path,
      `9:05:01 (vendord) DENIED: "SOLVER" ada@ws1  ${denied}\n9:05:02 (vendord) DENIED: "solver" grace@ws2  ${denied}\n`,
      { flag: 'a' },
    );
    // a refusal counts some seconds after it was read
    await script.reader.read(signal);
    script.now += 300;
    expect(figuresOf(await script.reader.read(signal))).toEqual([
      [
        '27000@lic1;vendord',
        true,
        [
          ['solver', '', 5, 0, 2],
          ['viewer', '', 2, 0, 0],
        ],
      ],
    ]);
    script.now += 300;
    expect(figuresOf(await script.reader.read(signal))).toEqual([
      [
        '27000@lic1;vendord',
        true,
        [
          ['solver', '', 5, 0, 0],
          ['viewer', '', 2, 0, 0],
        ],
      ],
    ]);
    rmSync(path);
    script.now += 300;
    const unknown = await script.reader.read(signal);
    expect(unknown.vendorLicenses[0]?.pools.map(({ denials }) => denials)).toEqual([undefined, undefined]);
    expect(unknown.problems.at(-1)).toMatchObject({ isMinor: true, message: expect.stringContaining(path) });
  });
});
