import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import type { Advice } from '../../src/rightsizing/advice.ts';
import { type KeptAdviceFile, type KeptPass, openKeptAdvice } from '../../src/rightsizing/kept-advice.ts';
import { KeptFileError } from '../../src/rightsizing/kept-file.ts';
import { noStreak } from '../../src/rightsizing/run-out-streak.ts';
import { adviceWith } from '../support/advice.ts';
import { createCleanup } from '../support/harness.ts';

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
  summary: { computedAt: day * 86_400, day, method: 2, tolerance: 4, leftOut: 0, durationSeconds: 1, settings: 's' },
  rows: rows.map((row) => ({
    advice: adviceWith({ computed: day, ...row }),
    before: noStreak,
    after: { dated: 2, undated: 0, confirmed: 20_900 },
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

  it('has the last advice of each earlier month, newest first', async () => {
    for (const path of [temporaryFile(), undefined]) {
      const file = open(path);
      const days: [day: number, count: number][] = [
        [DAY - 60, 1],
        [DAY - 50, 2],
        [DAY - 16, 3],
        [DAY - 15, 4],
        [DAY, 5],
      ];
      for (const [day, count] of days) await save(file, passOf(day, [{ count, bought: undefined }]));
      const [row] = passOf(DAY, [{}]).rows;
      if (row === undefined) throw new Error('there is no row');
      const kept = file.toKept('a', row);
      expect(kept.past.map(({ month, count, state, bought }) => [month, count, state, bought])).toEqual([
        ['2026-09', 4, 'could go', undefined],
        ['2026-08', 2, 'could go', undefined],
      ]);
      expect(kept.confirmedRunsOut).toBe(20_900);
      file.close();
      expect(kept.past).toEqual([]);
    }
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
    newer.exec('PRAGMA user_version = 2');
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
