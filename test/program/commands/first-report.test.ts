import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup, eventually } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';
import { type LoggedFeature, lmstatOf, yearOfLog } from '../../support/year-of-log.ts';

/** The first report of a site, from a year of a debug log. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

const today = Math.floor(Date.now() / 86_400_000);

const features = (first: number, count: number, more: Partial<LoggedFeature> = {}): readonly LoggedFeature[] =>
  Array.from({ length: count }, (_, i) => ({ name: `f${first + i}`, bought: 30, inUse: 12 + (i % 5), ...more }));

/** Of which no request is refused; on few or many days while licenses are free; and while all are in use. */
const unrefused = features(0, 20);
const hardly = features(20, 3, { refusedDays: 2 });
const whileFree = features(30, 6, { refusedDays: 20 });
const wanting = features(40, 3, { refusedDays: 30, isFullThen: true });
const logged = [...unrefused, ...hardly, ...whileFree, ...wanting];

interface Row {
  readonly feature: string;
  readonly state: string;
  readonly confidence: string;
  readonly reason: string;
}

interface Report {
  readonly rows: readonly Row[];
  /** The sums of the page. */
  readonly sum: string;
  /** What the import printed. */
  readonly printed: string;
}

interface Site {
  readonly flags?: readonly string[];
  readonly settings?: string;
  /** A feature with three reserved licenses, as a daemon has seen before the import. */
  readonly reserved?: string;
}

/** Imports the year, starts a daemon, and reads its first report. */
async function firstReport({ flags = [], settings = '', reserved }: Site): Promise<Report> {
  const folder = temporaryFolder();
  const pathOf = (name: string): string => join(folder, name);
  mkdirSync(pathOf('state'));
  writeFileSync(pathOf('lmgrd.log'), yearOfLog(logged, today));
  writeFileSync(
    pathOf('c.yml'),
    `storage: {path: ${pathOf('state')}}
web: {listen_address: 127.0.0.1:0}
log: {format: json}
${settings}
embedded_analyzer:
  listen_address: 127.0.0.1:0
  time_zone: UTC
  sources: [{name: eda, manager: flexnet, servers: [27000@lic1], time_zone: UTC, via: {file: ${pathOf('lmstat.txt')}}, options_files: {vend: ${pathOf('vend.opt')}}}]
`,
  );
  const config = `--config.file=${pathOf('c.yml')}`;
  writeFileSync(pathOf('lmstat.txt'), lmstatOf(logged, reserved));
  writeFileSync(pathOf('vend.opt'), reserved === undefined ? '' : `GROUP g u1\nRESERVE 3 ${reserved} GROUP g\n`);
  if (reserved !== undefined) {
    const earlier = run(['serve', config]);
    await earlier.line('advice on the number of licenses computed');
    earlier.stop();
    await earlier.exit;
    // it has the advice of today
    rmSync(pathOf('state/rightsizing.db'));
  }
  const importing = run(['import', pathOf('lmgrd.log'), config, '--available-as-of-now', ...flags]);
  expect(await importing.exit).toBe(0);
  const daemon = run(['serve', config]);
  await daemon.line('advice on the number of licenses computed');
  const address = String(daemon.lines.find(({ msg }) => msg === 'listening')?.address);
  const read = async (): Promise<readonly Row[]> => {
    const answer = await fetch(`${address}/api/v1/rightsizing`);
    return ((await answer.json()) as { data: Row[] }).data;
  };
  // the numbers of licenses of the past are added after the first collection
  await eventually('advice', async () => (await read()).some(({ state }) => state === 'missing'));
  const rows = await read();
  const page = await (await fetch(`${address}/rightsizing`)).text();
  daemon.stop();
  await daemon.exit;
  const [, sums = ''] = /<ul class="tiles sums">(.*?)<h2>/s.exec(page) ?? [];
  return { rows, sum: sums.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '), printed: importing.output() };
}

/** The features with advice of a kind. */
const featuresWith = ({ rows }: Report, state: string, confidence: string): readonly string[] =>
  rows
    .filter((row) => row.state === state && row.confidence === confidence)
    .map(({ feature }) => feature)
    .sort();

const namesOf = (list: readonly LoggedFeature[]): readonly string[] => list.map(({ name }) => name).sort();

const reasonOf = ({ rows }: Report, name: string): string | undefined =>
  rows.find(({ feature }) => feature === name)?.reason;

describe('a year of a debug log', () => {
  it('gives a first report with a sum of what reservations do not change', async () => {
    const report = await firstReport({});
    expect(featuresWith(report, 'could go', 'high')).toEqual(namesOf([...unrefused, ...hardly]));
    expect(featuresWith(report, 'could go', 'provisional')).toEqual(namesOf(whileFree));
    expect(featuresWith(report, 'missing', 'high')).toEqual(namesOf(wanting));
    expect(report.sum).toMatch(
      /^ 3\d\d licenses of 23 features could go at a renewal .* 6 more features may have licenses to spare, but that is not certain yet: they are in no total\./,
    );
    expect(reasonOf(report, 'f0')).toContain('Reservations are not recorded: check that no licenses are reserved');
    expect(reasonOf(report, 'f30')).toContain(
      'This is provisional, because reservations are not recorded, and 20 requests were refused while licenses seemed to be free.',
    );
  });

  it.each<[string, Site]>([
    ['an import that says that no licenses were reserved', { flags: ['--without-reservations'] }],
    ['a setting that says so', { settings: "rightsizing: {without_reservations: [{vendor_license: '27000@lic1;%'}]}" }],
  ])('counts all with %s', async (_, site) => {
    const report = await firstReport(site);
    expect(featuresWith(report, 'could go', 'high')).toEqual(namesOf([...unrefused, ...hardly, ...whileFree]));
    expect(report.sum).toMatch(/^ 4\d\d licenses of 29 features could go at a renewal /);
    expect(report.sum).not.toContain('not certain');
    for (const { reason } of report.rows) expect(reason).not.toContain('eserv');
    expect(report.printed).not.toContain('--without-reservations');
  });

  it('leaves out features with recorded reservations, and names them', async () => {
    const report = await firstReport({ reserved: 'f30', flags: ['--without-reservations'] });
    expect(report.printed).toContain(
      '--without-reservations does not count for 1 feature with reservations in the history: f30',
    );
    expect(featuresWith(report, 'could go', 'provisional')).toEqual(['f30']);
    expect(reasonOf(report, 'f30')).toContain('reservations are not recorded, and 20 requests were refused');
    expect(reasonOf(report, 'f30')).toContain('At least 3 licenses are reserved now');
  });
});
