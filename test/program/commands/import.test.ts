import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

/** `import`, as an operator runs it. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, startProcess, temporaryFolder } = createRunner(cleanup);

const DAY = 86_400;
const today = Math.floor(Date.now() / 1000 / DAY);

const lmstat = `lmstat - Copyright (c) 1989-2024 Flexera. All Rights Reserved.
Flexible License Manager status on Mon 6/1/2026 10:02

License server status: 27000@lic1
    License file(s) on lic1: /opt/license.dat:

      lic1: license server UP (MASTER) v11.19.5

Vendor daemon status (on lic1):

      vend: UP v11.19.5
Feature usage info:

Users of cad:  (Total of 9 licenses issued;  Total of 1 license in use)

Users of sim:  (Total of 4 licenses issued;  Total of 0 licenses in use)
`;

const dateOf = (day: number): string => {
  const date = new Date(day * DAY * 1000);
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`;
};

/** A year of a daemon: on each working day, five users hold a license for eight hours. */
function yearOfLog(): string {
  const lines = [
    `0:00:00 (lmgrd) TIMESTAMP ${dateOf(today - 365)}`,
    '0:00:00 (lmgrd) Started vend (internet tcp_port 1 pid 2)',
  ];
  for (let day = today - 365; day < today; day += 1) {
    lines.push(`6:00:00 (lmgrd) TIMESTAMP ${dateOf(day)}`);
    if ([0, 6].includes((day + 4) % 7)) continue;
    for (const user of 'abcde') lines.push(`8:00:0${user.charCodeAt(0) - 97} (vend) OUT: "CAD" ${user}@h`);
    lines.push('12:00:00 (vend) DENIED: "CAD" f@h  (Licensed number of users already reached. (-4,342))');
    for (const user of 'abcde') lines.push(`16:00:0${user.charCodeAt(0) - 97} (vend) IN: "CAD" ${user}@h`);
  }
  return `${lines.join('\n')}\n`;
}

function createPlace() {
  const folder = temporaryFolder();
  const storage = join(folder, 'state');
  mkdirSync(storage);
  const config = join(folder, 'c.yml');
  const log = join(folder, 'lmgrd.log');
  const output = join(folder, 'lmstat.txt');
  writeFileSync(output, lmstat);
  writeFileSync(log, yearOfLog());
  writeFileSync(
    config,
    `storage: {path: ${storage}}
web: {listen_address: 127.0.0.1:0}
log: {format: json}
embedded_analyzer:
  listen_address: 127.0.0.1:0
  time_zone: UTC
  sources: [{name: eda, manager: flexnet, servers: [27000@lic1], time_zone: UTC, via: {file: ${output}}}]
`,
  );
  return { folder, storage, config, log };
}

const outcome = async (args: readonly string[]): Promise<{ code: number; output: string }> => {
  const running = run(args);
  return { code: await running.exit, output: running.output() };
};

interface StoredDay {
  readonly day: number;
  readonly in_use: number;
  readonly license_seconds: number;
  readonly denials: number;
  readonly available: number | null;
}

function daysIn(storage: string, feature: string): readonly StoredDay[] {
  const database = new DatabaseSync(join(storage, 'history.db'), { readOnly: true });
  const rows = database
    .prepare(
      `SELECT day, in_use, license_seconds, denials, day.available FROM day JOIN series ON id = series
        WHERE lower(feature) = ? ORDER BY day`,
    )
    .all(feature);
  database.close();
  return rows as unknown as StoredDay[];
}

function waitsIn(storage: string): readonly object[] {
  const database = new DatabaseSync(join(storage, 'history.db'), { readOnly: true });
  const rows = database
    .prepare("SELECT day, cause, ended, episodes, people, seconds FROM blocked_day WHERE cause <> ''")
    .all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

describe('import', () => {
  it('fills the history of a stopped daemon, and the same again changes nothing', async () => {
    const { storage, config, log } = createPlace();
    const args = ['import', log, `--config.file=${config}`];
    const trial = await outcome([...args, '--dry-run']);
    expect(trial).toMatchObject({ code: 0, output: expect.stringContaining('Nothing was written: --dry-run.') });
    expect(readdirSync(storage)).toEqual(['import']);
    const { code, output } = await outcome(args);
    expect(code).toBe(0);
    expect(output).toMatch(/^27000@lic1;vend: 365 days from \S+ to \S+, 1 feature$/m);
    expect(output).toMatch(/a year of demand \(330 days or more\): 1 feature$/m);
    expect(output).toContain('With --available-as-of-now');
    expect(output).toMatch(/^The history has it now\.$/m);
    const days = daysIn(storage, 'cad');
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 365 }, (_, i) => today - 365 + i));
    const worked = days.filter((one) => one.in_use > 0);
    expect(worked.length).toBeGreaterThan(250);
    for (const one of worked)
      expect(one).toMatchObject({ in_use: 5, license_seconds: 5 * 8 * 3600, denials: 1, available: null });
    await outcome(args);
    expect(daysIn(storage, 'cad')).toEqual(days);
    expect(readdirSync(join(storage, 'import'))).toEqual([]);
  });

  it('keeps how many people waited, and no name', async () => {
    const { storage, config, log } = createPlace();
    const refused = (time: string): string =>
      `${time} (vend) DENIED: "CAD" Heloise@ws77  (Licensed number of users already reached. (-4,342))`;
    writeFileSync(
      log,
      [
        `0:00:00 (lmgrd) TIMESTAMP ${dateOf(today - 3)}`,
        '0:00:00 (lmgrd) Started vend (internet tcp_port 1 pid 2)',
        ...[refused('8:00:00'), refused('8:00:10'), '8:01:00 (vend) OUT: "CAD" heloise@ws78'],
        `12:00:00 (lmgrd) TIMESTAMP ${dateOf(today - 3)}`,
        '',
      ].join('\n'),
    );
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, `people: false\n${text}`);
    const without = await outcome(['import', log, `--config.file=${config}`]);
    expect(without.output).not.toContain('waited');
    expect(waitsIn(storage)).toEqual([]);
    writeFileSync(config, text);
    for (const _ of ['once', 'and again']) {
      const { output } = await outcome(['import', log, `--config.file=${config}`]);
      expect(output).toContain('1 time, 1 min (all in use 1; got a license 1)');
      expect(output).not.toMatch(/heloise|ws7/i);
      expect(waitsIn(storage)).toEqual([
        { day: today - 3, cause: 'all_in_use', ended: 'got', episodes: 1, people: 1, seconds: 60 },
      ]);
    }
    const files = readdirSync(storage, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
    expect(files).toContain('history.db');
    for (const name of files) expect(readFileSync(join(storage, name), 'latin1')).not.toMatch(/heloise|ws7/i);
  });

  it('gives the days to the archive too, which doctor tries', async () => {
    const { storage, config, log } = createPlace();
    const archive = `archive: {url: "postgresql://licenses@127.0.0.1:9/monitoring"}`;
    const text = readFileSync(config, 'utf8').replace(`{path: ${storage}}`, `{path: ${storage}, ${archive}}`);
    writeFileSync(config, `analyzer: {name: site}\n${text}`);
    expect((await outcome(['import', log, `--config.file=${config}`])).code).toBe(0);
    const database = new DatabaseSync(join(storage, 'history.db'), { readOnly: true });
    expect(database.prepare('SELECT count(*) AS days FROM archive_mark').get()).toEqual({ days: 365 });
    database.close();
    const { output } = await outcome(['doctor', `--config.file=${config}`]);
    expect(output).toMatch(/^! archive +nothing listens on 127\.0\.0\.1:9 \(ECONNREFUSED\); start the archive there/m);
  });

  it('is taken up by a running daemon, which then has advice', async () => {
    const { storage, config, log } = createPlace();
    const daemon = run(['serve', `--config.file=${config}`]);
    await daemon.line('advice on the number of licenses computed');
    const { code, output } = await outcome(['import', log, `--config.file=${config}`, '--available-as-of-now']);
    expect(code).toBe(0);
    expect(output).toContain(`The process that uses ${storage} takes it up within a minute.`);
    expect(await daemon.line('imported history is in use now')).toMatchObject({
      form: 'FlexNet debug log',
      name: 'lmgrd.log',
      series: 1,
      days: 365,
    });
    await eventually('new advice', () => daemon.lines.filter(({ msg }) => msg.startsWith('advice on')).length === 2);
    const address = String(daemon.lines.find(({ msg }) => msg === 'listening')?.address);
    const sources = await (await fetch(`${address}/sources`)).text();
    expect(sources).toMatch(/Imported history[\s\S]*lmgrd\.log[\s\S]*FlexNet debug log[\s\S]*1 feature/);
    const page = await (await fetch(`${address}/feature?vendor_license=27000%40lic1;vend&feature=cad`)).text();
    expect(page).toMatch(/was imported:[\s\S]*365 days from \S+ to \S+: FlexNet debug log [\s\S]*lmgrd\.log/);
    const csv = await (await fetch(`${address}/api/v1/rightsizing?format=csv`)).text();
    const [head = '', ...rows] = csv.split('\n');
    const columns = head.split(',');
    const cells = rows.find((row) => /\bcad\b/.test(row))?.split(',') ?? [];
    const cell = (name: string): string | undefined => cells[columns.indexOf(name)];
    expect([cell('bought'), cell('peak'), cell('state')]).toEqual(['9', '5', 'could go']);
    // the log says CAD, the license server says cad
    expect(daysIn(storage, 'cad')).toHaveLength(365);
    // on each working day, one person gives up
    expect(waitsIn(storage).length).toBeGreaterThan(250);
    daemon.stop();
    expect(await daemon.exit).toBe(0);
  });

  it('into an empty history waits for the number of licenses, and then has the same advice', async () => {
    const { storage, config, log } = createPlace();
    const { code, output } = await outcome([
      'import',
      log,
      `--config.file=${config}`,
      '--server=27000@lic1',
      '--available-as-of-now',
    ]);
    expect(code).toBe(0);
    expect(output).toContain(
      'The number of licenses of 1 feature is not known yet: it counts for the past as soon as the daemon has collected it.',
    );
    expect(daysIn(storage, 'cad').every(({ available }) => available === null)).toBe(true);
    // the log says CAD
    writeFileSync(join(storage, '..', 'lmstat.txt'), lmstat.replace('Users of cad:', 'Users of CAD:'));
    const daemon = run(['serve', `--config.file=${config}`]);
    await eventually('the numbers', () => daysIn(storage, 'cad').every(({ available }) => available === 9));
    const days = daysIn(storage, 'cad');
    expect(days.filter((one) => one.in_use > 0).every((one) => one.license_seconds === 5 * 8 * 3600)).toBe(true);
    await daemon.line('advice on the number of licenses computed');
    const address = String(daemon.lines.find(({ msg }) => msg === 'listening')?.address);
    await eventually('advice', async () => {
      const csv = await (await fetch(`${address}/api/v1/rightsizing?format=csv`)).text();
      return /\bCAD\b.*\bcould go\b/.test(csv);
    });
    daemon.stop();
    await daemon.exit;
  });

  it('that was killed has changed nothing, and the next one removes what it left', async () => {
    const { storage, config, log, folder } = createPlace();
    writeFileSync(log, yearOfLog().repeat(40));
    const killed = startProcess(['import', log, `--config.file=${config}`]);
    await eventually(
      'a file that is written',
      () => existsSync(join(storage, 'import')) && readdirSync(join(storage, 'import')).length > 0,
    );
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect(readdirSync(join(storage, 'import'))).toEqual([`work-${killed.child.pid}`]);
    expect(existsSync(join(storage, 'history.db'))).toBe(false);
    const small = join(folder, 'small.log');
    writeFileSync(small, yearOfLog());
    expect((await outcome(['import', small, `--config.file=${config}`])).code).toBe(0);
    expect(readdirSync(join(storage, 'import'))).toEqual([]);
    expect(daysIn(storage, 'cad')).toHaveLength(365);
  });

  it('goes out again as it came in, while the daemon runs', async () => {
    const { config, log } = createPlace();
    await outcome(['import', log, `--config.file=${config}`]);
    const daemon = run(['serve', `--config.file=${config}`]);
    await daemon.line('listening');
    const days = [today - 10, today - 4].map((day) => new Date(day * DAY * 1000).toISOString().slice(0, 10));
    const args = [
      'history',
      'export',
      `--config.file=${config}`,
      `--first-day=${days[0]}`,
      `--last-day=${days[1]}`,
      '--feature=C*',
    ];
    const { code, output } = await outcome(args);
    expect(code).toBe(0);
    const samples = output.split('\n').filter((line) => line.startsWith('license_feature_in_use{'));
    // on five working days, the second user begins a second after the first look: the peak, and the level of that look again
    expect(samples).toHaveLength(7 * 288 + 5 * 2);
    expect(samples.filter((line) => line.includes('} 5 '))).toHaveLength(5 * 8 * 12);
    const csv = await outcome([...args, '--format=csv']);
    expect(csv.output.split('\r\n').filter((line) => line.includes(',CAD,'))).toHaveLength(7 * 288);
    const none = await outcome([...args.slice(0, 3), '--feature=nothing']);
    expect(none.output).not.toContain('license_feature_in_use{');
    for (const [flag, message] of [
      ['--format=xml', '--format xml is not known; use openmetrics or csv'],
      ['--first-day=2026-02-30', '--first-day 2026-02-30 is no date; write it as 2026-01-31'],
    ]) {
      const refused = await outcome([...args, flag ?? '']);
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(message ?? '') });
    }
    daemon.stop();
    await daemon.exit;
  });

  it('asks for the server of a daemon that nobody knows', async () => {
    const { config, log, folder } = createPlace();
    writeFileSync(
      config,
      `storage: {path: ${join(folder, 'state')}}
embedded_analyzer:
  sources:
    - {name: a, manager: flexnet, servers: [27000@lic1], via: {file: /a}}
    - {name: b, manager: flexnet, servers: [27000@lic2], via: {file: /b}}
`,
    );
    const args = ['import', log, `--config.file=${config}`];
    const asked = await outcome(args);
    expect(asked.code).toBe(1);
    expect(asked.output).toContain(
      'the history has no vendor license of the daemon vend, so that its server is not known; pass it with --server',
    );
    const answered = await outcome([...args, '--server=27000@LIC2']);
    expect(answered).toMatchObject({ code: 0, output: expect.stringContaining('27000@lic2;vend: 365 days') });
    // now it is known
    expect((await outcome(args)).code).toBe(0);
  });

  it.each<[string, string, string]>([
    [
      'of an analyzer elsewhere',
      'analyzer: {url: "http://a.example", username: a, password_file: PASSWORD}',
      'import needs the embedded analyzer, because it writes the history',
    ],
    ['of a simulated site', '', 'import needs embedded_analyzer.sources'],
    [
      'without a path',
      'embedded_analyzer: {sources: [{name: a, manager: flexnet, servers: [1@a], via: {file: /a}}]}',
      'storage.path is not set',
    ],
  ])('is refused where the history is that %s', async (_, settings, message) => {
    const { folder, log } = createPlace();
    const config = join(folder, 'd.yml');
    const password = join(folder, 'password');
    writeFileSync(password, 'secret');
    writeFileSync(config, `${settings.replace('PASSWORD', password)}\n`);
    const refused = await outcome(['import', log, `--config.file=${config}`]);
    expect(refused.output).toContain(message);
    expect(refused.code).not.toBe(0);
  });

  it('names a path that does not exist, and a time zone', async () => {
    const { config } = createPlace();
    const missing = await outcome(['import', '/nowhere/a.log', `--config.file=${config}`]);
    expect(missing).toMatchObject({
      code: 1,
      output: expect.stringContaining('/nowhere/a.log cannot be read: ENOENT; check the path and its mode'),
    });
    const zone = await outcome(['import', '/nowhere', `--config.file=${config}`, '--time-zone=Mars']);
    expect(zone.output).toContain('--time-zone Mars is no time zone; use a name such as Europe/Berlin');
  });

  it('that was damaged is kept apart, and the daemon says so', async () => {
    const { storage, config } = createPlace();
    mkdirSync(join(storage, 'import'));
    writeFileSync(join(storage, 'import', 'x.db'), 'no database');
    const daemon = run(['serve', `--config.file=${config}`]);
    await eventually('a refusal', () => readdirSync(join(storage, 'import')).includes('x.refused'));
    await eventually('a message', () =>
      daemon.output().includes('an import cannot be taken up and is kept as x.refused; import it again'),
    );
    daemon.stop();
    await daemon.exit;
  });
});
