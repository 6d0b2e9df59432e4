import type { DayOfSamples } from '../analyzer/sample.ts';
import type { LocalTime } from '../model/local-time.ts';
import { LineDecoder } from '../sources/log/line-decoder.ts';
import type { LogBeginning, UsageLog } from '../sources/log/usage-log.ts';
import type { ReplayCounts } from './daemon-use.ts';
import { FileEvents } from './file-events.ts';
import { contentStream, type InputFile, type LeftOut } from './input-files.ts';
import type { Names } from './names.ts';
import { type BegunBefore, UsageReplay } from './usage-replay.ts';

/** The logs, how they are read, and where their days go. */
export interface LogImportOptions {
  readonly log: UsageLog;
  readonly files: readonly InputFile[];
  /** Of the times in the logs. */
  readonly logTime: LocalTime;
  /** The calendar of the history. */
  readonly localTime: LocalTime;
  readonly encoding: string | undefined;
  readonly names: Names;
  /** Begins to write all days, also after others were written. */
  readonly begin: () => (days: readonly DayOfSamples[]) => void;
  /** @param name of the file that is read @param read bytes of all files @param all bytes */
  readonly onProgress: (name: string, read: number, all: number) => void;
}

/** What was found in a log, and what was not. */
export interface LogImport extends ReplayCounts {
  /** In the order of time. */
  readonly files: readonly (LogBeginning & { readonly name: string })[];
  readonly leftOut: readonly LeftOut[];
  readonly unparsed: readonly { readonly name: string; readonly line: number }[];
  readonly unparsedCount: number;
  /** Lines that two files have. */
  readonly repeated: number;
  /** Lines that are older than those before them in the same file. */
  readonly disordered: number;
}

/** Lines that are named. */
const MAX_NAMED = 20;
/** A replay finds sessions that had begun before; after that, only what the verbose form says is new. */
const MAX_PASSES = 3;

interface DatedFile {
  readonly file: InputFile;
  readonly beginning: LogBeginning;
}

/** Calls back with the lines of a file, some at once. @param more returns whether more are needed */
async function eachLines(
  file: InputFile,
  encoding: string | undefined,
  more: (lines: readonly string[]) => boolean,
  onBytes?: (bytes: number) => void,
): Promise<void> {
  const decoder = new LineDecoder(encoding);
  const stream = contentStream(file);
  try {
    for await (const chunk of stream) {
      onBytes?.((chunk as Buffer).length);
      if (!more(decoder.push(chunk as Buffer))) return;
    }
    more(decoder.flush());
  } finally {
    stream.destroy();
  }
}

async function dateFiles(options: LogImportOptions, leftOut: LeftOut[]): Promise<readonly DatedFile[]> {
  const { log, files, logTime, encoding } = options;
  const dated: DatedFile[] = [];
  for (const file of files) {
    const reader = log.findBeginning(logTime);
    try {
      await eachLines(file, encoding, (lines) => !reader.push(lines));
    } catch (error) {
      leftOut.push({ name: file.name, why: `cannot be read (${(error as Error).message})` });
      continue;
    }
    const beginning = reader.beginning(file.writtenAt);
    if (beginning === undefined) leftOut.push({ name: file.name, why: 'has no line with a time' });
    else dated.push({ file, beginning });
  }
  return dated.sort((a, b) => a.beginning.at - b.beginning.at);
}

interface Pass extends Pick<LogImport, 'unparsed' | 'unparsedCount' | 'repeated' | 'disordered'> {
  readonly replay: UsageReplay;
  readonly leftOut: readonly LeftOut[];
}

async function replayFiles(
  dated: readonly DatedFile[],
  options: LogImportOptions,
  begunBefore: BegunBefore | undefined,
): Promise<Pass> {
  const { log, logTime, localTime, encoding, names, begin, onProgress } = options;
  const seriesOf = (daemon: string, feature: string) => names.seriesOf(daemon, feature);
  const isListed = (daemon: string, feature: string) => names.isListed(daemon, feature);
  const replay = new UsageReplay({ localTime, seriesOf, isListed, write: begin() }, begunBefore);
  const all = dated.reduce((sum, { file }) => sum + file.size, 0);
  const unparsed: { name: string; line: number }[] = [];
  const leftOut: LeftOut[] = [];
  let [unparsedCount, repeated, disordered, before] = [0, 0, 0, 0];
  for (const { file, beginning } of dated) {
    const events = new FileEvents(replay, beginning);
    const reader = log.readFile(logTime, beginning, events, (line) => {
      if (unparsed.length < MAX_NAMED) unparsed.push({ name: file.name, line });
    });
    let read = 0;
    const push = (lines: readonly string[]): boolean => {
      reader.push(lines);
      return true;
    };
    try {
      await eachLines(file, encoding, push, (bytes) => {
        read += bytes;
        onProgress(file.name, before + Math.min(read, file.size), all);
      });
    } catch (error) {
      leftOut.push({ name: file.name, why: `ends early: it cannot be read on (${(error as Error).message})` });
    }
    reader.end();
    before += file.size;
    unparsedCount += reader.diagnostics.unparsed;
    repeated += events.repeated;
    disordered += events.disordered;
  }
  replay.finish();
  return { replay, unparsed, unparsedCount, repeated, disordered, leftOut };
}

/**
 * Replays the files of a log in the order of time. If their checkins show sessions that had begun before, the replay is repeated
 * with them.
 *
 * @throws OperatorError if a name is not known
 */
export async function importLogs(options: LogImportOptions): Promise<LogImport> {
  const leftOut: LeftOut[] = [];
  const dated = await dateFiles(options, leftOut);
  let pass = await replayFiles(dated, options, undefined);
  for (let i = 1; i < MAX_PASSES && pass.replay.isIncomplete; i += 1)
    pass = await replayFiles(dated, options, pass.replay.begunBefore);
  const { replay, unparsed, unparsedCount, repeated, disordered } = pass;
  return {
    ...replay.counts,
    files: dated.map(({ file: { name }, beginning }) => ({ name, ...beginning })),
    leftOut: [...leftOut, ...pass.leftOut],
    unparsed,
    unparsedCount,
    repeated,
    disordered,
  };
}
