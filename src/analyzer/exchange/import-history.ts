import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { dateText, type LocalTime } from '../../base/model/local-time.ts';
import { SLOT } from '../history/imported-samples.ts';
import type { ImportOrigin } from '../history/imported-table.ts';
import type { DayOfSamples, Series } from '../history/sample.ts';
import { removeWorkFolders, StagingFile, workFolderOf } from '../history/staged-import.ts';
import type { UsageLog } from '../sources/log/usage-log.ts';
import { FoundDays } from './found-days.ts';
import { FoundWaits } from './found-waits.ts';
import { type AnalyzerImportOptions, importAnalyzer } from './import-analyzer.ts';
import { type HistoryWriter, importLogs, type LogImport } from './import-logs.ts';
import { importPrometheus } from './import-prometheus.ts';
import { importTexts, type ReadText, type TextImport } from './import-texts.ts';
import { contentStream, findFiles, type InputFile, type LeftOut } from './input-files.ts';
import type { Names } from './names.ts';
import type { PrometheusServer } from './prometheus-api.ts';

/** What every import needs. */
interface CommonOptions {
  /** Where imports are written: it exists. */
  readonly folder: string;
  /** The calendar of the history. */
  readonly localTime: LocalTime;
  readonly names: Names;
  /** Days before this one are not kept. */
  readonly firstDay: number;
  readonly asOfNow: boolean;
  /** Whether no licenses of a series are reserved where nothing is known of it. */
  readonly isWithoutReservations: (series: Series) => boolean;
  /** Whether people who waited are counted. */
  readonly people: boolean;
  readonly isDryRun: boolean;
  /** Epoch seconds. */
  readonly now: number;
  readonly onProgress: (name: string, read: number, all: number) => void;
}

export interface ImportOptions extends CommonOptions {
  /** A file or a folder. */
  readonly path: string;
  readonly logs: readonly UsageLog[];
  readonly readText: (text: string, now: number) => ReadText | undefined;
  /** Of the times in logs. */
  readonly logTime: LocalTime;
  readonly encoding: string | undefined;
}

/** Which server is asked, and for which days. */
export interface ServerImportOptions extends CommonOptions {
  readonly server: PrometheusServer;
  /** The first day, and the day after the last. */
  readonly from: number;
  readonly until: number;
}

/** What was found. */
export interface ImportReport {
  readonly logs: readonly { readonly form: string; readonly found: LogImport }[];
  readonly texts: TextImport | undefined;
  readonly leftOut: readonly LeftOut[];
  readonly days: FoundDays;
  readonly waits: FoundWaits;
  /** The files that wait to be taken up; none if nothing was found, or if it was only a trial. */
  readonly staged: readonly string[];
}

const HEAD = 1 << 16;
const DAY = 86_400;
const TEXTS = 'outputs of lmstat';

/** A folder for what is not whole. Those of commands that were killed are removed. */
function createWorkFolder(folder: string): string {
  removeWorkFolders(folder, 0);
  const work = workFolderOf(folder);
  // of an earlier process with the same id
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { mode: 0o700 });
  return work;
}

/** The beginning of a file, up to its last whole line. */
async function headOf(file: InputFile): Promise<string> {
  let head = '';
  for await (const chunk of contentStream(file)) {
    head += (chunk as Buffer).toString('latin1');
    if (head.length >= HEAD) break;
  }
  return head.slice(0, HEAD);
}

/** The same with no reserved licenses where they are not known. */
const withoutReservations = ({ samples, ...day }: DayOfSamples): DayOfSamples => ({
  ...day,
  samples: samples.map((sample) => ({ ...sample, reserved: sample.reserved ?? 0 })),
});

/** One form of an import, in a file that the history takes up. */
class Staged {
  readonly #options: CommonOptions;
  readonly #origin: Pick<ImportOrigin, 'form' | 'name' | 'seconds'>;
  readonly #work: string;
  #file: StagingFile | undefined;
  days = new FoundDays();
  waits = new FoundWaits();

  constructor(options: CommonOptions, work: string, origin: Pick<ImportOrigin, 'form' | 'name' | 'seconds'>) {
    this.#options = options;
    this.#work = work;
    this.#origin = origin;
  }

  /** Begins, or begins again. */
  begin(): HistoryWriter {
    this.#file?.discard();
    const { folder, localTime, now, asOfNow } = this.#options;
    const work = this.#work;
    const time = new Date(now * 1000).toISOString().replace(/[-:.]/g, '');
    const key = `${time}-${randomBytes(4).toString('hex')}`;
    const origin = { ...this.#origin, key, at: Math.floor(now), asOfNow };
    const file = new StagingFile({ work, folder, localTime }, origin);
    this.#file = file;
    this.days = new FoundDays();
    this.waits = new FoundWaits();
    const { firstDay, isWithoutReservations, people } = this.#options;
    return {
      days: (found) => {
        const days = found.map((one) => (isWithoutReservations(one.series) ? withoutReservations(one) : one));
        const kept = days.filter(({ day }) => day >= firstDay);
        file.write(kept);
        this.days.add(kept);
        if (kept.length < days.length) this.days.addTooOld(days.filter(({ day }) => day < firstDay));
      },
      blocked: ({ series, day, waits }) => {
        if (!people || day < firstDay) return;
        this.waits.add(series, waits);
        if (waits !== undefined) file.writeBlocked(series, { day, waits });
      },
    };
  }

  /** @returns the path of the file, if it can be taken up */
  end(contradictions = 0): string | undefined {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return undefined;
    if (!this.#options.isDryRun && this.days.days > 0) return file.complete(contradictions);
    file.discard();
    return undefined;
  }

  discard(): void {
    this.#file?.discard();
  }
}

/** Why a file cannot be imported, if its beginning shows it. */
function refusalOf(head: string, logs: readonly UsageLog[]): string | undefined {
  if (/^\0+$/.test(head)) return 'has only zeros: it was truncated while a program wrote to it';
  for (const log of logs) {
    const why = log.refusalOf(head);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Which log a file is of. */
async function sortFiles(
  files: readonly InputFile[],
  logs: readonly UsageLog[],
  leftOut: LeftOut[],
): Promise<ReadonlyMap<UsageLog | undefined, readonly InputFile[]>> {
  const sorted = new Map<UsageLog | undefined, InputFile[]>();
  for (const file of files) {
    try {
      const head = await headOf(file);
      const log = logs.find((one) => one.isForm(head));
      const why = log === undefined ? refusalOf(head, logs) : undefined;
      if (why !== undefined) {
        leftOut.push({ name: file.name, why });
        continue;
      }
      sorted.set(log, [...(sorted.get(log) ?? []), file]);
    } catch (error) {
      leftOut.push({ name: file.name, why: `cannot be read (${(error as Error).message})` });
    }
  }
  return sorted;
}

/**
 * Reads logs and texts, and writes what they tell into files that the history takes up. Interrupted, it leaves nothing; repeated,
 * it gives the same.
 *
 * @throws OperatorError if the path cannot be read, or a name is not known
 */
export async function importHistory(options: ImportOptions): Promise<ImportReport> {
  const work = createWorkFolder(options.folder);
  const begun: Staged[] = [];
  const contradictions = new Map<Staged, number>();
  const stage = (form: string, seconds: number): Staged => {
    const staged = new Staged(options, work, { form, name: basename(options.path), seconds });
    begun.push(staged);
    return staged;
  };
  try {
    const { files: inputs, leftOut: notRead } = await findFiles(options.path);
    const leftOut = [...notRead];
    const sorted = await sortFiles(inputs, options.logs, leftOut);
    const logs: { form: string; found: LogImport }[] = [];
    for (const [log, files] of sorted) {
      if (log === undefined) continue;
      // it knows each change
      const staged = stage(log.form, 0);
      const found = await importLogs({ ...options, log, files, begin: () => staged.begin() });
      contradictions.set(staged, found.contradictions);
      logs.push({ form: log.form, found });
      leftOut.push(...found.leftOut);
    }
    const others = sorted.get(undefined)?.toSorted((a, b) => a.writtenAt - b.writtenAt) ?? [];
    const texts =
      others.length === 0
        ? undefined
        : await importTexts({ ...options, files: others, write: stage(TEXTS, 300).begin().days });
    leftOut.push(...(texts?.leftOut ?? []));
    const days = new FoundDays();
    const waits = new FoundWaits();
    for (const one of begun) {
      days.join(one.days);
      waits.join(one.waits);
    }
    const staged = begun.flatMap((one) => one.end(contradictions.get(one)) ?? []);
    return { logs, texts, leftOut, days, waits, staged };
  } catch (error) {
    for (const one of begun) one.discard();
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Stages what is written, and gives it up if that fails. */
async function stageOne(
  options: CommonOptions,
  origin: Pick<ImportOrigin, 'form' | 'name' | 'seconds'>,
  read: (write: (days: readonly DayOfSamples[]) => void) => Promise<readonly LeftOut[]>,
): Promise<ImportReport> {
  const work = createWorkFolder(options.folder);
  const staged = new Staged(options, work, origin);
  try {
    const leftOut = await read(staged.begin().days);
    const file = staged.end();
    const { days, waits } = staged;
    return { logs: [], texts: undefined, leftOut, days, waits, staged: file === undefined ? [] : [file] };
  } catch (error) {
    staged.discard();
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export interface AnalyzerOptions extends CommonOptions, Pick<AnalyzerImportOptions, 'client' | 'prefix' | 'today'> {
  /** Of the source. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Reads the days of another analyzer. @throws QueryError @throws OperatorError if its days are others */
export const importAnswers = ({ name, signal, ...options }: AnalyzerOptions): Promise<ImportReport> =>
  stageOne(options, { form: 'Query API', name, seconds: DAY }, async (write) => {
    const { ambiguous } = await importAnalyzer({ ...options, write }, signal);
    const why = 'cannot be requested alone: its name has a %, or it is also listed in a package';
    return ambiguous.map((feature) => ({ name: feature, why }));
  });

/** Reads series of a server with the API of Prometheus, as `importHistory` reads files. @throws OperatorError */
export const importSeries = ({ server, from, until, ...options }: ServerImportOptions): Promise<ImportReport> =>
  stageOne(options, { form: 'Prometheus', name: new URL(server.url).host, seconds: SLOT }, async (write) => {
    const { onProgress } = options;
    const onDay = (day: number, read: number, all: number): void => onProgress(dateText(day), read, all);
    await importPrometheus({ ...options, server, from, until, write, onProgress: onDay });
    return [];
  });
