import type { LocalTime } from '../../base/model/local-time.ts';
import { LineDecoder } from '../sources/log/line-decoder.ts';
import type { LogBeginning, UsageEvents, UsageFileReader, UsageLog } from '../sources/log/usage-log.ts';
import { shownAt, WallClock } from '../sources/log/wall-clock.ts';
import { contentStream, type InputFile, type LeftOut } from './input-files.ts';
import { eachSaid } from './log-merge.ts';

/** The files of a log in the order of time. */

/** A file, and when it begins. */
export interface DatedFile {
  readonly file: InputFile;
  readonly beginning: LogBeginning;
  /** Where its date is from: its own lines, the file system, or the files before and after it. */
  readonly datedBy: 'lines' | 'file' | 'neighbors';
}

/** What is dated. */
interface DateOptions {
  readonly log: UsageLog;
  readonly files: readonly InputFile[];
  /** Of the times in the logs. */
  readonly logTime: LocalTime;
  readonly encoding: string | undefined;
}

const DAY = 86_400;
/** Writers of one log may be out of order by seconds. */
const DISORDER = 60;

/** The lines of a file, some at once. @param onBytes gets the bytes that were read */
export async function* linesOf(
  file: InputFile,
  { log, encoding }: Pick<DateOptions, 'log' | 'encoding'>,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<readonly string[], void> {
  const decoder = new LineDecoder(encoding);
  const stream = contentStream(file);
  try {
    for await (const chunk of stream) {
      onBytes((chunk as Buffer).length);
      yield decoder.push(chunk as Buffer).map(log.ownLine);
    }
    yield decoder.flush().map(log.ownLine);
  } finally {
    stream.destroy();
  }
}

/** A name without what rotation and compression add to it: a date, or a number at its end or before `.log`. */
export const stemOf = (name: string): string =>
  name
    .replace(/\.(?:gz|zst)$/, '')
    .replace(/[-._]?\d{4}([-._]?)\d{2}\1\d{2}(?:[-._T]?\d{2,6})?/, '')
    .replace(/[-._]\d{1,4}$|\.\d{1,4}(?=\.log$)/, '');

/** Files of one log that rotation has named, in the order of its names. */
type Family = readonly DatedFile[];

const byName = new Intl.Collator('en', { numeric: true });

function familiesOf(dated: readonly DatedFile[]): readonly Family[] {
  const sorted = dated.toSorted((a, b) => byName.compare(a.file.name, b.file.name));
  return [...Map.groupBy(sorted, ({ file }) => stemOf(file.name)).values()].map((members) => {
    const known = members.filter(({ datedBy }) => datedBy === 'lines');
    const [first, last] = [known[0], known.at(-1)];
    // `log.1` is newer than `log.2`, and `log-20260801` is older than `log-20260802`
    const isFalling = first !== undefined && last !== undefined && first.beginning.at > last.beginning.at;
    return isFalling ? members.toReversed() : members;
  });
}

/** The first and the last time in a file, as a clock on the wall shows them. */
async function spanOf({ file, beginning }: DatedFile, { log, logTime, encoding }: DateOptions) {
  const readers: UsageFileReader[] = [];
  const whole = {
    beginning,
    read: (events: UsageEvents) => {
      const reader = log.readFile(logTime, beginning, events);
      readers.push(reader);
      return reader;
    },
    lines: () => linesOf(file, { log, encoding }),
  };
  await eachSaid([whole], () => undefined);
  const last = Math.max(beginning.at, ...readers.map(({ lastAt }) => lastAt));
  return { first: shownAt(beginning.at, logTime), last: shownAt(last, logTime) };
}

/** The time of a file between two others is theirs; that of the file may be when it was copied. */
async function dateByNeighbors(members: Family, options: DateOptions): Promise<readonly DatedFile[]> {
  const dated: DatedFile[] = [];
  for (const [i, one] of members.entries()) {
    const before = dated.at(-1);
    const after = members.slice(i + 1).find(({ datedBy }) => datedBy === 'lines');
    if (one.datedBy === 'lines' || before === undefined || before.datedBy === 'file' || after === undefined) {
      dated.push(one);
      continue;
    }
    const own = await spanOf(one, options);
    const { last } = await spanOf(before, options);
    // the first day on which it does not begin before the end of the other
    const shift = Math.ceil((last - DISORDER - own.first) / DAY) * DAY;
    const fits = own.last + shift <= shownAt(after.beginning.at, options.logTime) + DISORDER;
    const beginning = { ...one.beginning, at: new WallClock(options.logTime).momentOf(own.first + shift) };
    dated.push(fits ? { ...one, beginning, datedBy: 'neighbors' } : one);
  }
  return dated;
}

/** @param leftOut gets the files that have no time */
export async function dateFiles(options: DateOptions, leftOut: LeftOut[]): Promise<readonly DatedFile[]> {
  const { log, files, logTime } = options;
  const dated: DatedFile[] = [];
  for (const file of files) {
    const reader = log.findBeginning(logTime);
    try {
      for await (const lines of linesOf(file, options)) if (reader.push(lines)) break;
    } catch (error) {
      leftOut.push({ name: file.name, why: `cannot be read (${(error as Error).message})` });
      continue;
    }
    const beginning = reader.beginning(file.writtenAt);
    if (beginning === undefined) leftOut.push({ name: file.name, why: 'has no line with a time' });
    else dated.push({ file, beginning, datedBy: beginning.isGuessed ? 'file' : 'lines' });
  }
  const sure: DatedFile[] = [];
  for (const family of familiesOf(dated)) {
    const isGuessed = family.some(({ datedBy }) => datedBy === 'file');
    sure.push(...(isGuessed ? await dateByNeighbors(family, options) : family));
  }
  return sure.sort((a, b) => a.beginning.at - b.beginning.at || byName.compare(a.file.name, b.file.name));
}
