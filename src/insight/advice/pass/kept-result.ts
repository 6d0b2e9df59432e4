import type { Log } from '../../../base/model/log.ts';
import { errorFields } from '../../../base/model/operator-error.ts';
import { inTurn } from '../../../base/scheduling/slices.ts';
import type { FileWrites } from '../../../base/storage/file-writes.ts';
import { setAside } from '../../../base/storage/set-aside.ts';
import { type Advice, METHOD } from '../method/advice.ts';
import type { CutsOf } from '../method/back-test.ts';
import type { SeriesName } from '../method/demand.ts';
import { type KeptAdviceFile, type KeptPass, openKeptAdvice, type PassRow, type PassSummary } from './kept-advice.ts';
import { DamagedKeptFile } from './kept-file.ts';
import { keyOf } from './known-features.ts';
import { type Memory, memoryAfter, noMemory } from './memory.ts';
import type { Owns } from './recorded-demand-source.ts';
import type { AdviceTable, KeptAdvice } from './rightsizing.ts';

/** Whose result it is, and where it is kept. */
export interface ResultInputs {
  /** Whose history it is. Results of another analyzer are never shown. */
  readonly analyzer: string;
  /** The file of the results; in memory without one. */
  readonly file: string | undefined;
  /** Whether a series is reported here. Other ones are not shown. */
  readonly owns: Owns;
}

interface Held {
  readonly pass: KeptPass;
  readonly table: AdviceTable;
  readonly byKey: ReadonlyMap<string, PassRow>;
}

/**
 * What another method leaves: a date that it confirmed, so that an alert about it does not end with an update. Its numbers are not
 * compared with those of this method.
 */
const confirmedBy = ({ rows }: KeptPass): ReadonlyMap<string, Memory> =>
  new Map(rows.map(({ advice, after: { streak } }) => [keyOf(advice), { ...noMemory, streak }]));

const LOST = 'the advice of earlier months is in the renamed file only; that of today is computed again';

/** The result of the last pass, in its file and in memory; only in memory while the file cannot be used. */
export class KeptResult {
  readonly #log: Log;
  readonly #writes: FileWrites;
  #file: KeptAdviceFile | undefined;
  /** What the file belongs to. */
  #opened: string | undefined;
  /** The results are in memory because the file cannot be used. */
  #isFallback = false;
  #held: Held | undefined;
  #confirmedByOther: ReadonlyMap<string, Memory> = new Map();

  constructor(log: Log, writes: FileWrites) {
    this.#log = log;
    this.#writes = writes;
  }

  /** `undefined` before the first pass. */
  latest(): { readonly pass: KeptPass; readonly table: AdviceTable } | undefined {
    return this.#held;
  }

  /** The result of another analyzer is not shown any more. */
  forget(): void {
    this.#held = undefined;
    this.#confirmedByOther = new Map();
  }

  /** Opens the file of these inputs, and reads what it has. A file that cannot be used is replaced by memory. */
  async open(inputs: ResultInputs): Promise<void> {
    const { file: path, analyzer } = inputs;
    const wanted = JSON.stringify([path, analyzer]);
    if (this.#opened === wanted && this.#file !== undefined) {
      if (this.#held !== undefined) this.#hold(this.#held.pass, this.#file, inputs);
      return;
    }
    this.close();
    this.#held = undefined;
    this.#isFallback = false;
    try {
      await this.#load(path, inputs).catch((error: unknown) => {
        this.close();
        if (path === undefined || !(error instanceof DamagedKeptFile)) throw error;
        const { message: reason } = error.cause as Error;
        // what is still in its place cannot be used the second time either
        setAside({ path, reason, lost: LOST }, this.#log);
        return this.#load(path, inputs);
      });
    } catch (error) {
      this.#writes.failed((error as Error).message);
      this.close();
      this.#isFallback = true;
      await this.#load(undefined, inputs);
    }
    this.#opened = wanted;
  }

  /** Keeps and shows the advice of a pass. What cannot be saved is shown nevertheless. */
  async replace(
    advice: readonly Advice[],
    summary: PassSummary,
    inputs: ResultInputs,
    signal: AbortSignal,
  ): Promise<void> {
    const rows = await inTurn(() => this.#rowsOf(advice, summary.day));
    const pass = { summary, rows };
    try {
      this.#file = this.#current(inputs.file);
      await this.#file.save(inputs.analyzer, pass, signal);
      this.#writes.succeeded();
    } catch (error) {
      signal.throwIfAborted();
      this.#writes.failed((error as Error).message);
    }
    const file = this.#file ?? openKeptAdvice(undefined);
    this.#file = file;
    await inTurn(() => this.#hold(pass, file, inputs));
  }

  /** Those of these days of whose month no advice is kept. */
  missing(origins: readonly number[], { analyzer }: ResultInputs): number[] {
    return this.#tried(() => this.#file?.missing(analyzer, origins)) ?? [];
  }

  /** Keeps the advice of the first day of a month. What cannot be saved is computed again after the next pass. */
  async keepMonth(advice: readonly Advice[], { analyzer }: ResultInputs, signal: AbortSignal): Promise<void> {
    try {
      await this.#file?.keepMonth(analyzer, advice, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#writes.failed((error as Error).message);
    }
  }

  /** The licenses that could go by the kept advice of earlier months, from a day on. */
  cutsOf(since: number, { analyzer }: ResultInputs): CutsOf {
    const cutsOf = this.#file?.cutsOf(analyzer, since);
    return (series) => this.#tried(() => cutsOf?.(series)) ?? [];
  }

  /** `undefined` if the file cannot be read. */
  #tried<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#writes.failed((error as Error).message);
      return undefined;
    }
  }

  close(): void {
    try {
      this.#file?.close();
    } catch (error) {
      this.#log.error(errorFields(error), 'the advice file was not closed');
    }
    this.#file = undefined;
    this.#opened = undefined;
  }

  async #load(path: string | undefined, inputs: ResultInputs): Promise<void> {
    const file = openKeptAdvice(path);
    this.#file = file;
    const pass = await file.load(inputs.analyzer);
    // the past stays in the file
    if (pass === undefined) return;
    if (pass.summary.method === METHOD) this.#hold(pass, file, inputs);
    else this.#confirmedByOther = confirmedBy(pass);
  }

  #hold(pass: KeptPass, file: KeptAdviceFile, { analyzer, owns }: ResultInputs): void {
    const { computedAt, day, tolerance, leftOut, backTest } = pass.summary;
    const rows: KeptAdvice[] = [];
    const byKey = new Map<string, PassRow>();
    for (const row of pass.rows) {
      if (owns(row.advice)) rows.push(file.toKept(analyzer, row));
      byKey.set(keyOf(row.advice), row);
    }
    this.#held = { pass, table: { computedAt, day, tolerance, leftOut, backTest, rows }, byKey };
  }

  /** The file of these results. One that could not be used before is tried again. */
  #current(path: string | undefined): KeptAdviceFile {
    if (!this.#isFallback) return this.#file ?? openKeptAdvice(undefined);
    const again = openKeptAdvice(path);
    this.#file?.close();
    this.#isFallback = false;
    return again;
  }

  /** What was remembered of a series before the first pass of a day. A second one on the same day replaces it. */
  rememberedBefore(series: SeriesName, today: number): Memory {
    const last = this.#held?.byKey.get(keyOf(series));
    if (last === undefined) return this.#confirmedByOther.get(keyOf(series)) ?? noMemory;
    return last.advice.computed === today ? last.before : last.after;
  }

  #rowsOf(advice: readonly Advice[], today: number): PassRow[] {
    return advice.map((one) => {
      const before = this.rememberedBefore(one, today);
      return { advice: one, before, after: memoryAfter(before, one, today) };
    });
  }
}
