import type { LocalTime } from '../../base/model/local-time.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import type { DayOfSamples } from '../history/sample.ts';
import type { UsageFileReader, UsageLog } from '../sources/log/usage-log.ts';
import type { ReplayCounts } from './daemon-use.ts';
import { type DatedFile, dateFiles, linesOf, stemOf } from './dated-files.ts';
import type { InputFile, LeftOut } from './input-files.ts';
import { eachSaid, type MergedFile } from './log-merge.ts';
import { type LogPart, MergedLog, memberName } from './merged-log.ts';
import type { Names } from './names.ts';
import type { ReplayedDay } from './replayed-waits.ts';
import { type BegunBefore, UsageReplay } from './usage-replay.ts';

/** What a file says of where it was written. */
export interface Whereabouts {
  readonly name: string;
  /** Hosts on which servers started, as the file names them. */
  readonly hosts: ReadonlySet<string>;
  readonly daemons: ReadonlySet<string>;
  /** Whether it says which of several redundant servers serves. */
  readonly isOfGroup: boolean;
}

/** Hosts that one file names are one server that was moved; those of files that share a host too. */
function serversOf(files: readonly Whereabouts[]): readonly ReadonlySet<string>[] {
  let servers: Set<string>[] = [];
  for (const { hosts } of files) {
    const own = new Set([...hosts].map(memberName));
    if (own.size === 0) continue;
    const same = servers.filter((server) => [...own].some((host) => server.has(host)));
    const joined = new Set([...own, ...same.flatMap((server) => [...server])]);
    servers = [...servers.filter((server) => !same.includes(server)), joined];
  }
  return servers;
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1);

/** Of the others with a host, those of which a file is: it is called as their host or as they are, or is alone with them in a folder. */
function besides(file: Whereabouts, others: readonly Whereabouts[]): ReadonlySet<string> {
  const named = others.filter(({ hosts }) => hosts.size > 0);
  const words = new Set(file.name.toLowerCase().split(/[^a-z\d]+/));
  const [folder, stem] = [folderOf(file.name), stemOf(file.name)];
  const hostsOf = (chosen: readonly Whereabouts[]): ReadonlySet<string> =>
    new Set(chosen.flatMap(({ hosts }) => [...hosts].map(memberName)));
  const called = new Set([...hostsOf(named)].filter((host) => words.has(host)));
  if (called.size > 0) return called;
  const same = hostsOf(named.filter(({ name }) => stemOf(name) === stem));
  return same.size > 0 || folder === '' ? same : hostsOf(named.filter(({ name }) => folderOf(name) === folder));
}

/**
 * The member of a group of redundant servers that wrote each file, by name; undefined where that is not known, or if the files
 * are not of a group.
 *
 * @throws OperatorError if two servers have daemons of one name, whose licenses are not the same
 */
function membersOf(files: readonly Whereabouts[]): ReadonlyMap<string, string | undefined> {
  const isGroup = files.some(({ isOfGroup }) => isOfGroup);
  for (const daemon of new Set(files.flatMap(({ daemons }) => [...daemons]))) {
    const servers = serversOf(files.filter(({ daemons }) => daemons.has(daemon)));
    if (isGroup || servers.length < 2) continue;
    const names = servers.map((server) => [...server].join(' and ')).join(' and ');
    throw new OperatorError(
      `the logs are of ${servers.length} servers (${names}), which have a daemon ${daemon} each; import the logs of each server alone, with --server`,
    );
  }
  return new Map(
    files.map((file) => {
      const hosts = file.hosts.size > 0 ? new Set([...file.hosts].map(memberName)) : besides(file, files);
      const [host, ...others] = hosts;
      return [file.name, isGroup && others.length === 0 ? host : undefined];
    }),
  );
}

/** Where days go. */
export interface HistoryWriter {
  days(days: readonly DayOfSamples[]): void;
  /** The people who waited for a feature on a day. */
  blocked(day: ReplayedDay): void;
}

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
  readonly begin: () => HistoryWriter;
  /** @param name of the file that is read @param read bytes of all files @param all bytes */
  readonly onProgress: (name: string, read: number, all: number) => void;
}

/** What was found in a log, and what was not. */
export interface LogImport extends ReplayCounts {
  /** In the order of time. */
  readonly files: readonly (Pick<DatedFile, 'beginning' | 'datedBy'> & { readonly name: string })[];
  readonly leftOut: readonly LeftOut[];
  readonly unparsed: readonly { readonly name: string; readonly line: number }[];
  readonly unparsedCount: number;
  /** Records that say another number of licenses in use than the records before. */
  readonly contradictions: number;
  /** Files with the same daemon, and members of a group of redundant servers with theirs. */
  readonly together: readonly { readonly of: string; readonly files: readonly string[] }[];
  /** Lines that several files have. */
  readonly repeated: number;
  /** Lines that are older than those before them in the same file. */
  readonly disordered: number;
}

/** Lines that are named. */
const MAX_NAMED = 20;
/** A replay finds sessions that had begun before; after that, only what the verbose form says is new. */
const MAX_PASSES = 3;

/** The member of a group of servers that wrote each file. */
type Members = ReadonlyMap<string, string | undefined>;

interface Pass extends Pick<LogImport, 'unparsed' | 'unparsedCount' | 'contradictions' | 'repeated' | 'disordered'> {
  readonly replay: UsageReplay;
  readonly leftOut: readonly LeftOut[];
  readonly whereabouts: readonly Whereabouts[];
}

/** A file of the merge, and what it says of itself. */
interface ReadFile extends MergedFile, LogPart, Whereabouts {
  readonly hosts: Set<string>;
  readonly daemons: Set<string>;
  isOfGroup: boolean;
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

async function replayFiles(
  dated: readonly DatedFile[],
  options: LogImportOptions,
  { begunBefore, members }: { readonly begunBefore?: BegunBefore; readonly members?: Members },
): Promise<Pass> {
  const { log, logTime, localTime, names, begin, onProgress } = options;
  const seriesOf = (daemon: string, feature: string) => names.seriesOf(daemon, feature);
  const isListed = (daemon: string, feature: string) => names.isListed(daemon, feature);
  const { days: write, blocked: writeBlocked } = begin();
  const replay = new UsageReplay(
    { localTime, seriesOf, isListed, userOf: (who) => log.userOf(who), write, writeBlocked },
    begunBefore,
  );
  const size = total(dated.map(({ file }) => file.size));
  const unparsed: { name: string; line: number }[] = [];
  const leftOut: LeftOut[] = [];
  const readers: UsageFileReader[] = [];
  let read = 0;
  const files = dated.map(({ file, beginning }): ReadFile => {
    const { name } = file;
    let own = 0;
    return {
      name,
      beginning,
      member: members?.get(name),
      hosts: new Set(),
      daemons: new Set(),
      isOfGroup: false,
      read: (events) => {
        const reader = log.readFile(logTime, beginning, events, (line) => {
          if (unparsed.length < MAX_NAMED) unparsed.push({ name, line });
        });
        readers.push(reader);
        return reader;
      },
      lines: async function* () {
        try {
          yield* linesOf(file, options, (bytes) => {
            // a compressed file has more bytes than it takes
            const more = Math.min(bytes, file.size - own);
            own += more;
            read += more;
            onProgress(name, read, size);
          });
        } catch (error) {
          leftOut.push({ name, why: `ends early: it cannot be read on (${(error as Error).message})` });
        }
      },
    };
  });
  const merged = new MergedLog(replay, files);
  await eachSaid(files, (file, said) => {
    if (said.kind === 'isOn') file.hosts.add(said.name);
    else if (said.kind === 'serving') file.isOfGroup = true;
    else file.daemons.add(said.name);
    merged.add(file, said);
  });
  replay.finish();
  return {
    replay,
    unparsed,
    unparsedCount: total(readers.map(({ diagnostics }) => diagnostics.unparsed)),
    contradictions: total(readers.map(({ diagnostics }) => diagnostics.contradictions)),
    repeated: merged.repeated,
    disordered: merged.disordered,
    leftOut,
    whereabouts: files,
  };
}

/** What several files have in common. */
function togetherOf(files: readonly Whereabouts[], members: Members): LogImport['together'] {
  const daemons = [...new Set(files.flatMap((file) => [...file.daemons]))].map((daemon) => ({
    of: daemon,
    files: files.filter((file) => file.daemons.has(daemon)).map(({ name }) => name),
  }));
  const hosts = Map.groupBy(files, ({ name }) => members.get(name));
  const servers = [...hosts].flatMap(([host, own]) =>
    host === undefined ? [] : [{ of: `the redundant server ${host}`, files: own.map(({ name }) => name) }],
  );
  return [...daemons.filter((one) => one.files.length > 1), ...servers];
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
  let pass = await replayFiles(dated, options, {});
  const members = membersOf(pass.whereabouts);
  if (members.values().some((member) => member !== undefined)) pass = await replayFiles(dated, options, { members });
  for (let i = 1; i < MAX_PASSES && pass.replay.isIncomplete; i += 1)
    pass = await replayFiles(dated, options, { begunBefore: pass.replay.begunBefore, members });
  const { replay, unparsed, unparsedCount, contradictions, repeated, disordered } = pass;
  return {
    ...replay.counts,
    files: dated.map(({ file: { name }, beginning, datedBy }) => ({ name, beginning, datedBy })),
    leftOut: [...leftOut, ...pass.leftOut],
    unparsed,
    unparsedCount,
    contradictions,
    together: togetherOf(pass.whereabouts, members),
    repeated,
    disordered,
  };
}
