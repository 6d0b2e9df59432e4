import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import type { Advice } from '../../../src/insight/advice/method/advice.ts';
import { type KeptAdviceFile, type KeptPass, openKeptAdvice } from '../../../src/insight/advice/pass/kept-advice.ts';
import { KeptFileError } from '../../../src/insight/advice/pass/kept-file.ts';
import { noMemory } from '../../../src/insight/advice/pass/memory.ts';
import { adviceWith } from '../../support/advice.ts';
import { createCleanup } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-advice-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'rightsizing.db');
}

function open(path: string | undefined): KeptAdviceFile {
  const file = openKeptAdvice(path);
  cleanup.add(() => file.close());
  return file;
}

/** 2026-10-15. */
const DAY = 20_741;

const passOf = (day: number, rows: readonly Partial<Advice>[]): KeptPass => ({
  summary: {
    computedAt: day * 86_400,
    day,
    method: 2,
    tolerance: 4,
    leftOut: 0,
    durationSeconds: 1,
    settings: 's',
    backTest: [],
  },
  rows: rows.map((row) => ({
    advice: adviceWith({ computed: day, ...row }),
    before: noMemory,
    after: { ...noMemory, streak: { dated: 2, undated: 0, confirmed: 20_900 } },
  })),
});

const many = (count: number): Partial<Advice>[] => Array.from({ length: count }, (_, i) => ({ feature: `f${i}` }));

const save = (file: KeptAdviceFile, pass: KeptPass, analyzer = 'a'): Promise<void> => file.save(analyzer, pass);
const load = (file: KeptAdviceFile, analyzer = 'a'): Promise<KeptPass | undefined> => file.load(analyzer);
const featuresOf = (pass: KeptPass | undefined) => pass?.rows.map(({ advice }) => advice.feature);

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(KeptFileError);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

describe('kept advice', () => {
  it('is the same after a restart', async () => {
    const path = temporaryFile();
    const pass = passOf(DAY, [
      ...many(50),
      {
        feature: 'grö"ße',
        package: 'p',
        growth: { kind: 'proven', perMonth: 1.5, share: 0.1, since: undefined },
        runsOut: { day: DAY + 90, earliest: DAY + 80, latest: undefined },
        countRange: [1, 4],
        hoursAtLeast: new Float64Array(),
      },
    ]);
    const first = openKeptAdvice(path);
    await save(first, pass);
    first.close();
    expect(await load(open(path))).toEqual(pass);
  });

  it('is of one analyzer only', async () => {
    const file = open(temporaryFile());
    await save(file, passOf(DAY, [{ feature: 'x' }]), 'a');
    await save(file, passOf(DAY, []), 'b');
    const kept = await Promise.all(['a', 'b', 'c'].map((analyzer) => load(file, analyzer)));
    expect(kept.map(featuresOf)).toEqual([['x'], [], undefined]);
  });

  it('is that of the last complete pass after an interruption', async () => {
    const path = temporaryFile();
    const first = openKeptAdvice(path);
    await save(first, passOf(DAY, many(60)));
    let steps = 0;
    const canceled = {
      throwIfAborted: () => {
        steps += 1;
        if (steps > 3) throw new Error('canceled');
      },
    } as AbortSignal;
    // all rows are written, but not the pass
    await expect(first.save('a', passOf(DAY + 1, [...many(59), { feature: 'new' }]), canceled)).rejects.toThrow(
      'canceled',
    );
    first.close();
    const file = open(path);
    expect(await load(file)).toEqual(passOf(DAY, many(60)));
    await save(file, passOf(DAY + 2, [{ feature: 'f1' }]));
    expect(featuresOf(await load(file))).toEqual(['f1']);
    file.close();
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT count(*) AS rows FROM advice').get()).toEqual({ rows: 1 });
    database.close();
  });

  it('has the advice of each earlier month, newest first, and its cuts by the same method', async () => {
    for (const path of [temporaryFile(), undefined]) {
      const file = open(path);
      const days: [day: number, count: number][] = [
        [DAY - 60, 1],
        [DAY - 50, 2],
        [DAY - 16, 3],
        [DAY - 15, 4],
        [DAY, 5],
      ];
      const adviceOf = (day: number, count: number) => adviceWith({ computed: day, count, bought: 20, days: 365 });
      for (const [day, count] of days) await file.keepMonth('a', [adviceOf(day, count)]);
      expect(file.missing('a', [DAY - 90, DAY - 50, DAY])).toEqual([DAY - 90]);
      expect(file.missing('b', [DAY])).toEqual([DAY]);
      expect(file.cutsOf('a', DAY - 40)(adviceWith())).toEqual([
        { origin: DAY - 15, count: 4, kept: 16 },
        { origin: DAY, count: 5, kept: 15 },
      ]);
      expect(file.cutsOf('a', DAY - 40)(adviceWith({ feature: 'other' }))).toEqual([]);
      const [row] = passOf(DAY, [{}]).rows;
      if (row === undefined) throw new Error('there is no row');
      const kept = file.toKept('a', row);
      expect(kept.past.map(({ month, count, state, bought }) => [month, count, state, bought])).toEqual([
        ['2026-09', 4, 'could go', 20],
        ['2026-08', 2, 'could go', 20],
      ]);
      expect(kept.confirmedRunsOut).toBe(20_900);
      file.close();
      expect(kept.past).toEqual([]);
    }
  });

  it('has no cuts of advice that is not given, nor of less than a year', async () => {
    const file = open(undefined);
    for (const figures of [{ days: 329 }, { state: 'fine', count: undefined, days: 365 }] as const) {
      await file.keepMonth('a', [adviceWith({ computed: DAY, bought: 20, count: 4, ...figures })]);
      expect(file.cutsOf('a', 0)(adviceWith())).toEqual([]);
    }
  });

  it('of a file of the first version has the past, and no cuts of it', async () => {
    const path = temporaryFile();
    const first = openKeptAdvice(path);
    await first.keepMonth('a', [adviceWith({ computed: DAY - 40, bought: 20, count: 4, days: 365 })]);
    first.close();
    const old = new DatabaseSync(path);
    old.exec(
      `ALTER TABLE past DROP COLUMN day; ALTER TABLE past DROP COLUMN method; DROP TABLE month; PRAGMA user_version = 1`,
    );
    old.close();
    const file = open(path);
    const [row] = passOf(DAY, [{}]).rows;
    if (row === undefined) throw new Error('there is no row');
    expect(file.toKept('a', row).past).toMatchObject([{ month: '2026-09', count: 4, bought: 20 }]);
    expect(file.cutsOf('a', 0)(adviceWith())).toEqual([]);
    expect(file.missing('a', [DAY - 40])).toEqual([DAY - 40]);
  });

  it('says what is wrong with its file, and what to do', () => {
    const path = temporaryFile();
    writeFileSync(path, 'no database, but some text that is long enough');
    expect(messageOf(() => openKeptAdvice(path))).toBe(
      `the advice file ${path} cannot be used: it is damaged; remove it, and the advice is computed again`,
    );
    rmSync(path);
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE t (x)');
    other.close();
    expect(messageOf(() => openKeptAdvice(path))).toContain('it is not a file of right-sizing; move it away');
    rmSync(path);
    openKeptAdvice(path).close();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 3');
    newer.close();
    expect(messageOf(() => openKeptAdvice(path))).toContain('use that version, or move the file away');
    expect(messageOf(() => openKeptAdvice('/proc/none/rightsizing.db'))).toContain('cannot be used: ');
  });

  it('says that it is damaged', async () => {
    const path = temporaryFile();
    const first = openKeptAdvice(path);
    await save(first, passOf(DAY, many(400)));
    first.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 8192);
    writeFileSync(path, bytes);
    const why = await load(open(path)).catch((error: unknown) => error);
    expect(why).toBeInstanceOf(KeptFileError);
    expect((why as Error).message).toContain('it is damaged; remove it, and the advice is computed again');
  });
});
