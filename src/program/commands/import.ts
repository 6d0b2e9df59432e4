import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { LICENSE_MANAGERS } from '../../analyzer/analyzer.ts';
import { seriesKey } from '../../analyzer/exchange/found-days.ts';
import {
  type AnalyzerOptions,
  type ImportOptions,
  type ImportReport,
  importAnswers,
  importHistory,
  importSeries,
  type ServerImportOptions,
} from '../../analyzer/exchange/import-history.ts';
import type { ReadText } from '../../analyzer/exchange/import-texts.ts';
import { Names } from '../../analyzer/exchange/names.ts';
import { readRecordedSeries } from '../../analyzer/history/recorded-series.ts';
import {
  IMPORT_FOLDER,
  ImportSummary,
  openImport,
  removeStaged,
  waitingImports,
} from '../../analyzer/history/staged-import.ts';
import { openStore } from '../../analyzer/history/store.ts';
import { keptDays } from '../../analyzer/settings.ts';
import { debugLogUsage } from '../../analyzer/sources/flexnet/debug-log-usage.ts';
import { reportLogUsage } from '../../analyzer/sources/rlm/report-log-usage.ts';
import type { SourceConfig } from '../../analyzer/sources/source-settings.ts';
import { QueryError } from '../../base/model/failure.ts';
import { createLocalTime, type LocalTime } from '../../base/model/local-time.ts';
import type { Log } from '../../base/model/log.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { runAtOnce } from '../../base/scheduling/slices.ts';
import { lockDirectory, StorageInUse } from '../../base/storage/directory-lock.ts';
import { giveToOwnerOf } from '../../base/storage/files.ts';
import { HISTORY_FILE } from '../../base/storage/saved-files.ts';
import { WINDOW_DAYS } from '../../insight/advice/method/window.ts';
import { createSourceAnalyzers } from '../app/source-analyzers.ts';
import { storagePathOf } from '../app/storage.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { recognize, replay } from './capture/replay.ts';
import type { CommandContext, CommandLine } from './command.ts';
import { dayOfFlag } from './history-export.ts';
import { reportText } from './import-report.ts';

/** Reads what a tool has printed. @param timeZone of the times in it */
export const reader =
  (timeZone: string) =>
  (text: string, now: number): ReadText | undefined => {
    const capture = recognize(text, now, timeZone);
    if (capture === undefined) return undefined;
    const { results, unread } = replay(capture);
    if (results.length === 0) return undefined;
    const { time } = capture.header;
    return {
      at: time === now ? undefined : time,
      observations: results.flatMap(({ vendorLicenses }) => vendorLicenses),
      unread: unread.map(({ line }) => line),
    };
  };

const PROGRESS_MS = 5_000;

const NEEDS_OWN =
  'import needs the embedded analyzer, because it writes the history, and the history of analyzer.url is kept there. Configure embedded_analyzer.sources instead; an analyzer can be a source too (manager: query-api)';
const NEEDS_SOURCES =
  'import needs embedded_analyzer.sources: history of license managers is not mixed with that of a simulated site';

function checkConfig({ analyzer, embeddedAnalyzer }: Config): void {
  if (analyzer !== undefined) throw new OperatorError(NEEDS_OWN);
  if (embeddedAnalyzer.sources.length === 0) throw new OperatorError(NEEDS_SOURCES);
}

function timeZoneOf(zone: string | undefined, fallback: string): LocalTime {
  try {
    return createLocalTime(zone ?? fallback);
  } catch {
    throw new OperatorError(`--time-zone ${zone} is no time zone; use a name such as Europe/Berlin`);
  }
}

/** A line of the log every few seconds. */
function progressTo(log: Log): (name: string, read: number, all: number) => void {
  let last = performance.now();
  return (file, read, all) => {
    if (performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    log.info({ file, percent: Math.floor((100 * read) / all) }, 'importing');
  };
}

/** @returns whether no other process has the history: then the imports are in it now */
function takeUpHere(config: Config, storage: string, localTime: LocalTime, now: number): boolean {
  const { retention, storeMaxSize } = config.embeddedAnalyzer;
  let lock: ReturnType<typeof lockDirectory>;
  try {
    lock = lockDirectory(storage, '');
  } catch (error) {
    if (error instanceof StorageInUse) return false;
    throw error;
  }
  try {
    const path = join(storage, HISTORY_FILE);
    const isArchived = config.storage.archive !== undefined;
    const store = openStore({ path, localTime, origin: LICENSE_MANAGERS, maxSize: storeMaxSize, isArchived });
    try {
      const today = localTime.dayOf(now);
      const samplesFrom = today - keptDays(retention.samples);
      runAtOnce(store.seal(today));
      for (const file of waitingImports(join(storage, IMPORT_FOLDER))) {
        const open = openImport(file, localTime);
        try {
          const summary = new ImportSummary();
          for (const piece of open.pieces()) {
            if (piece === undefined) continue;
            runAtOnce(store.import(piece, open.staged));
            summary.add(piece);
          }
          runAtOnce(store.importBlocked([...open.blocked()]));
          summary.remember(store, open);
        } finally {
          open.close();
        }
        removeStaged(file);
      }
      runAtOnce(store.addNowBought());
      runAtOnce(store.prune(samplesFrom, today - keptDays(retention.history)));
    } finally {
      store.close();
      giveToOwnerOf(storage, path);
    }
    return true;
  } finally {
    lock.close();
  }
}

/** The days of an analyzer that is a source. @throws OperatorError for another source */
async function importSource(
  { name, manager, via, ...source }: SourceConfig,
  options: Omit<AnalyzerOptions, 'client' | 'prefix' | 'name' | 'signal'>,
  { config, log }: { readonly config: Config; readonly log: Log },
): Promise<ImportReport> {
  if (via?.kind !== 'analyzer') {
    throw new OperatorError(
      `the source ${name} is ${manager}, which has no history; pass a file, a folder or an address, or a source with manager: query-api`,
    );
  }
  const analyzers = createSourceAnalyzers(config.storage.path, { now: () => Date.now() / 1000, log });
  const { client, close } = analyzers.clientOf(via.client);
  try {
    const prefix = 'prefix' in source && typeof source.prefix === 'string' ? source.prefix : '';
    return await importAnswers({ ...options, client, prefix, name, signal: new AbortController().signal });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new OperatorError(`the analyzer ${via.url} of the source ${name}: ${error.message}`, { cause: error });
  } finally {
    await close();
    analyzers.close();
  }
}

const isAddress = (argument: string): boolean => /^https?:\/\//i.test(argument);

/** @throws OperatorError for an address or a file that cannot be used */
function serverOf({ argument, values }: CommandLine): Pick<ServerImportOptions, 'server'> {
  const file = values['authorization-file'];
  const { username, password } = new URL(argument);
  if (username !== '' || password !== '') {
    throw new OperatorError(
      'the address has a user or a password, which other users of this host can see; pass them with --authorization-file',
    );
  }
  if (file === undefined) return { server: { url: argument, authorization: undefined } };
  try {
    return { server: { url: argument, authorization: readFileSync(file, 'utf8').trim() } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`--authorization-file ${file} cannot be read: ${code}`, { cause: error });
  }
}

/** As long as Prometheus is often told to keep samples. */
const DEFAULT_DAYS = 400;

function daysOf({ values }: CommandLine, today: number): Pick<ServerImportOptions, 'from' | 'until'> {
  const from = dayOfFlag('first-day', values['first-day']) ?? today - DEFAULT_DAYS;
  const until = (dayOfFlag('last-day', values['last-day']) ?? today - 1) + 1;
  if (from >= until) throw new OperatorError('--first-day is after --last-day');
  return { from, until };
}

/** Millions of lines and samples are garbage at once: the space for them would grow to more than all the rest of the process. */
const limitYoungSpace = (): void => setFlagsFromString('--heap-growing-percent=100');

/** Imports logs and outputs of tools into the history, and prints what was found. @throws OperatorError with the remedy */
export async function importCommand({ line, env, createLog, print }: CommandContext): Promise<number> {
  const config = loadConfig({ ...line, env, requireAnalyzer: false });
  checkConfig(config);
  limitYoungSpace();
  const storage = storagePathOf(config);
  const { embeddedAnalyzer } = config;
  const localTime = createLocalTime(embeddedAnalyzer.timeZone);
  const now = Date.now() / 1000;
  const today = localTime.dayOf(now);
  const folder = join(storage, IMPORT_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  giveToOwnerOf(storage, folder);
  const recorded = readRecordedSeries(join(storage, HISTORY_FILE), today - WINDOW_DAYS);
  const logTime = timeZoneOf(line.values['time-zone'], embeddedAnalyzer.timeZone);
  const asOfNow = line.switches.has('available-as-of-now');
  const isWithout = line.switches.has('without-reservations');
  const wasReserved = new Set(recorded.filter((series) => series.wasReserved).map(seriesKey));
  const isWithoutReservations: ImportOptions['isWithoutReservations'] = (series) =>
    isWithout && !wasReserved.has(seriesKey(series));
  const isDryRun = line.switches.has('dry-run');
  const log = createLog(config.log);
  const servers = [...new Set(embeddedAnalyzer.sources.flatMap((one) => one.servers.slice(0, 1)))];
  const common = {
    folder,
    localTime,
    names: new Names({ known: recorded, server: line.values.server, servers }),
    firstDay: today - keptDays(embeddedAnalyzer.retention.history),
    asOfNow,
    people: config.people,
    isWithoutReservations,
    isDryRun,
    now,
    onProgress: progressTo(log),
  };
  const other = embeddedAnalyzer.sources.find(({ name }) => name === line.argument);
  const read = (): Promise<ImportReport> => {
    if (other !== undefined) return importSource(other, { ...common, today }, { config, log });
    if (isAddress(line.argument)) return importSeries({ ...common, ...serverOf(line), ...daysOf(line, today) });
    return importHistory({
      ...common,
      path: line.argument,
      logs: [debugLogUsage, reportLogUsage],
      readText: reader(logTime.timeZone),
      logTime,
      encoding: line.values.encoding,
    });
  };
  const report = await read();
  print(reportText(report, recorded, { today, asOfNow, isWithoutReservations: isWithout }));
  if (isDryRun) {
    print('Nothing was written: --dry-run.\n');
    return report.days.days > 0 ? 0 : 1;
  }
  for (const file of report.staged) giveToOwnerOf(storage, file);
  if (report.staged.length === 0) return 1;
  print(
    takeUpHere(config, storage, localTime, now)
      ? 'The history has it now.\n'
      : `The process that uses ${storage} takes it up within a minute.\n`,
  );
  return 0;
}
