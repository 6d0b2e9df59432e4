import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openImport } from '../../../src/analyzer/history/staged-import.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { runAtOnce } from '../../../src/base/scheduling/slices.ts';
import { createCleanup } from '../../support/harness.ts';
import { importPath } from '../../support/imported.ts';
import { createRunner } from '../../support/run.ts';

/** People who waited, of several imports of the same time. */

const utc = createLocalTime('UTC');
const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { temporaryFolder } = createRunner(cleanup);

const now = Date.parse('2026-06-10') / 1000;
const day = utc.dayOf(Date.parse('2026-06-02') / 1000);
const denied = (time: string, client: string, why = 'Licensed number of users already reached. (-4,342)'): string =>
  `${time} (vend) DENIED: "cad" ${client}  (${why})`;
const out = (time: string, client: string): string => `${time} (vend) OUT: "cad" ${client}`;

const start = ['0:00:00 (lmgrd) TIMESTAMP 6/2/2026', '0:00:01 (lmgrd) Started vend (internet tcp_port 1 pid 2)'];
const morning = [
  ...start,
  denied('8:00:00', 'Alice@ws1'),
  denied('8:01:00', 'alice@ws2'),
  out('8:10:00', 'alice@ws1'),
  denied('9:00:00', 'bob@ws3'),
  denied('9:00:00', 'carol@ws4', 'License has expired. (-10,32)'),
  out('11:00:00', 'dave@ws5'),
];
const afternoon = [
  '12:00:00 (vend) TIMESTAMP 6/2/2026',
  denied('13:00:00', 'CORP\\alice@ws1'),
  out('13:05:00', 'CORP\\alice@ws1'),
  '20:00:00 (vend) TIMESTAMP 6/2/2026',
];

interface Log {
  readonly text: string;
  readonly staged: readonly string[];
}

async function importLog(...files: readonly (readonly string[])[]): Promise<Log> {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  for (const [i, lines] of files.entries()) writeFileSync(join(logs, `debug.log.${i}`), `${lines.join('\n')}\n`);
  const { text, report } = await importPath(logs, { folder: join(folder, 'import'), now });
  return { text, staged: report.staged };
}

function openHistory(): Store {
  const store = openStore({ path: undefined, localTime: utc, origin: 'test', maxSize: 2 ** 30 });
  cleanup.add(() => store.close());
  return store;
}

/** As the history takes up what is staged. */
function takeUp(store: Store, { staged }: Log): void {
  for (const file of staged) {
    const open = openImport(file, utc);
    for (const piece of open.pieces()) if (piece !== undefined) runAtOnce(store.import(piece, open.staged));
    runAtOnce(store.importBlocked([...open.blocked()]));
    open.close();
  }
}

/** Waits of the day, by cause and ending. */
function waitsIn(store: Store): Record<string, string> {
  const rows = store.series().flatMap((series) => store.blocked(series, day, day + 1).flatMap(({ waits }) => waits));
  const texts = rows.map(({ cause, ended, ...of }) => [
    `${cause} ${ended}`,
    `${of.episodes} of ${of.people}, ${of.seconds} s`,
  ]);
  return Object.fromEntries(texts);
}

const whole = {
  'all_in_use got': '2 of 1, 900 s',
  'all_in_use gave_up': '1 of 1, 0 s',
  'expired gave_up': '1 of 1, 0 s',
};
const half = { ...whole, 'all_in_use got': '1 of 1, 600 s' };

async function historyOf(...logs: readonly (readonly (readonly string[])[])[]): Promise<Record<string, string>> {
  const store = openHistory();
  for (const files of logs) takeUp(store, await importLog(...files));
  return waitsIn(store);
}

describe('waits of imports', () => {
  it('are the same of one file, of two that follow each other, and of the same file twice', async () => {
    expect(await historyOf([[...morning, ...afternoon]])).toEqual(whole);
    expect(await historyOf([morning, afternoon])).toEqual(whole);
    expect(await historyOf([[...morning, ...afternoon], morning])).toEqual(whole);
  });

  it('do not double with a second import, of the same log or of a part of it, in any order', async () => {
    const all = [[...morning, ...afternoon]];
    expect(await historyOf(all, all)).toEqual(whole);
    expect(await historyOf(all, [morning])).toEqual(whole);
    expect(await historyOf([morning], all, [morning])).toEqual(whole);
    // of two halves, the one with more waits: what both have in common is not known
    expect(await historyOf([morning], [[...start, ...afternoon]])).toEqual(half);
    expect(await historyOf([[...start, ...afternoon]], [morning])).toEqual(half);
  });

  it('leave what was recorded', async () => {
    const store = openHistory();
    const log = await importLog([...morning, ...afternoon]);
    const wait = { cause: 'free_elsewhere', ended: 'got', episodes: 1, seconds: 60, people: 1 } as const;
    const series = { vendorLicense: '27000@lic1;vend', feature: 'cad', package: '', featureType: 'feature' } as const;
    runAtOnce(store.addBlocked([[series, { day, waits: [wait] }]]));
    takeUp(store, log);
    expect(waitsIn(store)).toEqual({ 'free_elsewhere got': '1 of 1, 60 s' });
  });

  it('are not known of a log that does not say who was refused', async () => {
    const report = [
      'RLM Report Log Format 0, version 14.2 , authenticated',
      'START lic1 06/02/2026 07:00',
      'PRODUCT cad 1.0 0 0 5 0 0 "" 0 0 0 ""',
      'DENY cad 1.0 "" "" "" 1 -22 1 06/02 08:00',
      'SHUTDOWN root lic1 06/02 20:01',
    ];
    const { text } = await importLog(report);
    expect(text).toContain('1 denied request');
    expect(text).toContain('Who was refused is not in the logs on 1 day of a feature: who waited is not known.');
    expect(text).not.toContain('People waited.');
  });
});

describe('the report of an import', () => {
  it('says how often people waited, how long, why and how it ended, and no name', async () => {
    const { text } = await importLog([...morning, ...afternoon]);
    expect(text).toContain(
      [
        'People waited. An import knows one server only: refused here and granted on another server counts as a wait.',
        '  for cad of 27000@lic1;vend: 4 times, 15 min (all in use 3, expired 1; got a license 2, gave up 2)',
        '',
      ].join('\n'),
    );
    expect(text).not.toMatch(/alice|bob|carol|dave|ws\d/i);
  });

  it('says nothing of people where nobody was refused', async () => {
    const { text } = await importLog([...start, out('8:00:00', 'alice@ws1'), '20:00:00 (vend) TIMESTAMP 6/2/2026']);
    expect(text).not.toMatch(/waited|refused/);
  });
});
