import type { Log } from '../model/log.ts';
import { errorFields } from '../model/operator-error.ts';
import { inTurn } from '../scheduling/slices.ts';
import type { FileWrites } from '../storage/file-writes.ts';
import { setAside } from '../storage/set-aside.ts';
import type { Advice } from './advice.ts';
import { type KeptAdviceFile, type KeptPass, openKeptAdvice, type PassRow, type PassSummary } from './kept-advice.ts';
import { DamagedKeptFile } from './kept-file.ts';
import { keyOf } from './known-features.ts';
import type { Owns } from './recorded-demand-source.ts';
import type { AdviceTable, KeptAdvice } from './rightsizing.ts';
import { continueStreak, noStreak } from './run-out-streak.ts';

/** Whose result it is, and where it is kept. */
export interface ResultInputs {
  /** Whose history it is. Results of another analyzer are never shown. */
  readonly analyzer: string;
  /** The file of the results; in memory without one. */
  readonly file: string | undefined;
  /** Whether a series is reported here. Other ones are not shown. */
  readonly owns: Owns;
}

/** The result of the last pass, in memory and in its file. */
export interface KeptResult {
  /** `undefined` before the first pass. */
  latest(): { readonly pass: KeptPass; readonly table: AdviceTable } | undefined;
  /** The result of another analyzer is not shown any more. */
  forget(): void;
  /** Opens the file of these inputs, and reads what it has. A file that cannot be used is replaced by memory. */
  open(inputs: ResultInputs): Promise<void>;
  /** Keeps and shows the advice of a pass. What cannot be saved is shown nevertheless. */
  replace(advice: readonly Advice[], summary: PassSummary, inputs: ResultInputs, signal: AbortSignal): Promise<void>;
  close(): void;
}

interface Held {
  readonly pass: KeptPass;
  readonly table: AdviceTable;
  readonly byKey: ReadonlyMap<string, PassRow>;
}

const LOST = 'the advice of earlier months is in the renamed file only; that of today is computed again';

/** Keeps the results of passes in a file, or in memory while the file cannot be used. */
export function createKeptResult(log: Log, writes: FileWrites): KeptResult {
  let file: KeptAdviceFile | undefined;
  /** What the file belongs to. */
  let opened: string | undefined;
  /** The results are in memory because the file cannot be used. */
  let isFallback = false;
  let held: Held | undefined;

  const report = (error: unknown, message: string): void => log.error(errorFields(error), message);

  const hold = (pass: KeptPass, kept: KeptAdviceFile, { analyzer, owns }: ResultInputs): void => {
    const { computedAt, day, tolerance, leftOut } = pass.summary;
    const rows: KeptAdvice[] = [];
    const byKey = new Map<string, PassRow>();
    for (const row of pass.rows) {
      if (owns(row.advice)) rows.push(kept.toKept(analyzer, row));
      byKey.set(keyOf(row.advice), row);
    }
    held = { pass, table: { computedAt, day, tolerance, leftOut, rows }, byKey };
  };

  const close = (): void => {
    try {
      file?.close();
    } catch (error) {
      report(error, 'the advice file was not closed');
    }
    file = undefined;
    opened = undefined;
  };

  const open = async (inputs: ResultInputs): Promise<void> => {
    const { file: path, analyzer } = inputs;
    const wanted = JSON.stringify([path, analyzer]);
    if (opened === wanted && file !== undefined) {
      if (held !== undefined) hold(held.pass, file, inputs);
      return;
    }
    close();
    held = undefined;
    const load = async (from: string | undefined): Promise<void> => {
      file = openKeptAdvice(from);
      const pass = await file.load(analyzer);
      if (pass !== undefined) hold(pass, file, inputs);
    };
    isFallback = false;
    try {
      await load(path).catch((error: unknown) => {
        close();
        if (path === undefined || !(error instanceof DamagedKeptFile)) throw error;
        const { message: reason } = error.cause as Error;
        // what is still in its place cannot be used the second time either
        setAside({ path, reason, lost: LOST }, log);
        return load(path);
      });
    } catch (error) {
      writes.failed((error as Error).message);
      close();
      isFallback = true;
      await load(undefined);
    }
    opened = wanted;
  };

  /** The file of these results. One that could not be used before is tried again. */
  const current = (path: string | undefined): KeptAdviceFile => {
    if (!isFallback) return file ?? openKeptAdvice(undefined);
    const again = openKeptAdvice(path);
    file?.close();
    isFallback = false;
    return again;
  };

  const rowsOf = (advice: readonly Advice[], today: number): PassRow[] =>
    advice.map((one) => {
      const last = held?.byKey.get(keyOf(one));
      // a second pass on the same day replaces the first one
      const before = last === undefined ? noStreak : last.advice.computed === today ? last.before : last.after;
      return { advice: one, before, after: continueStreak(before, one.runsOut?.day, today) };
    });

  return {
    latest: () => held,
    forget: () => {
      held = undefined;
    },
    open,
    replace: async (advice, summary, inputs, signal) => {
      const rows = await inTurn(() => rowsOf(advice, summary.day));
      const pass = { summary, rows };
      try {
        file = current(inputs.file);
        await file.save(inputs.analyzer, pass, signal);
        writes.succeeded();
      } catch (error) {
        signal.throwIfAborted();
        writes.failed((error as Error).message);
      }
      const kept = file ?? openKeptAdvice(undefined);
      file = kept;
      await inTurn(() => hold(pass, kept, inputs));
    },
    close,
  };
}
