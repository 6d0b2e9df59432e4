import { vendorLicenseName } from '../../../base/model/observation/observation.ts';
import { DiagnosticsCount, linesOf, type OnUnread } from '../lines.ts';
import { checkLogs, DenialCount, withDenials } from '../log/denials.ts';
import type { ManagerCode, ManagerReader, ReaderDeps, ReadInput, Vocabulary } from '../manager.ts';
import type { Parsed } from '../parsed.ts';
import type { SourceSettings } from '../source-settings.ts';
import { createTextReader } from '../text-reader.ts';
import { createSourceTime } from '../times.ts';
import { textOf } from '../transport/transport.ts';
import { cutFailure } from './failure.ts';
import { observeRlm } from './observe.ts';
import type { RlmOwn } from './own-settings.ts';
import { parseRlmstat } from './parse.ts';
import { readRequest, reportLog, userOf } from './report-log.ts';

/** The manager `rlm`: how its tools are asked, what is read, and the words of its tools, which name nobody. */

const atStart = (words: string): string => String.raw`(?<=^[ \t]{0,40})(?:${words})`;

/** What stays of the output of rlmstat. */
export const shapes: readonly string[] = [
  atStart(String.raw`rlm status on|Setting license file path to|copyright(?= \(c\))`),
  String.raw`(?<=\S )(?:ISV server|license pool|license usage) status on(?= )|\(port \d{1,6}\)|, up(?= )`,
  atStart(String.raw`Name\s{1,40}Port\s{1,40}Running(?:\s{1,40}Restarts)?|no licenses? (?:are )?(?:currently )?in use`),
  String.raw`ISV servers(?=:|\s)|(?<=\s)(?:yes|no)(?=(?:\s{1,40}\d{1,9})?\s{0,40}$)`,
  atStart(
    String.raw`(?:count|# reservations|inuse|exp|obsolete|min_remove|total checkouts):(?:\s{0,9}\d{1,15}(?![\w-]))?`,
  ),
  String.raw`(?<=, {0,9})(?:count|# reservations|inuse|exp|obsolete|min_remove|total checkouts|pool):(?:\s{0,9}\d{1,15}(?![\w-]))?`,
  String.raw`(?<=(?:^|[,:])[ \t]{0,40})(?:unlimited|uncounted)(?=,|\s{0,40}$)`,
  String.raw`(?<=^)rlm(?:util|stat)(?:\.exe)?(?= v\d\S{0,20}\s{0,40}$)`,
  '(?<=exp: )permanent',
  atStart('token-based license'),
  String.raw`\d{1,9}\/\d{1,9}\s{1,9}at(?=\s{1,9}\d{1,2}\/)|\(handle:`,
  String.raw`(?<=\s|\()v(?=[^\s,:()]{0,40}\d[^\s,:()]{0,40}(?:[,:)]|\s{0,40}$))`,
  atStart(String.raw`(?:Recent|Todays|Today's) Statistics(?= \()|Startup time:`),
  String.raw`, init time:|(?<=\S )(?:software version|comm version)(?=:? )|(?:debug|report|info) log file(?:name)?:`,
  atStart(
    String.raw`Recent stats\s{1,40}Today'?s stats\s{1,40}Total stats|(?:messages|connections|checkouts|denials|removals):`,
  ),
  String.raw`error connecting to "?rlm"? server|error connecting to(?= )|(?<=\S )server(?=\s{0,40}$)`,
  "bad (?:server )?host ?name|unknown host|can(?:not|'t) resolve|host not found|name or service not known",
  'not authori[sz]ed|permission denied|authentication failed|access denied|bad license password',
  "no license files? found|can't (?:open|read) license (?:file|data)|no server to connect to",
  '(?:lmstat|lmutil) - copyright|flexible license manager status on',
];

/** What stays of a report log: the kinds of records, and the numbers at their ends. */
const reportShapes: readonly string[] = [
  '^(?:RLM Report Log|START|PRODUCT|LICENSE FILE|INUSE|OUT|IN|DENY|END|TIMEZONE|AUTH|SHUTDOWN|SWITCH|LOG|QUE|DEQUE|REREAD)(?= |$)',
  String.raw`(?<= )\d{1,9} -?\d{1,5} -?\d{1,5}(?= \d{1,2}\/\d{1,2} )`,
  String.raw`(?<= )\d{1,2}\/\d{1,2} \d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,4})?)?(?=\s{0,9}$)`,
];

/** The words that may stay. */
export const vocabulary: Vocabulary = {
  words: `
    a all and any are as at authentication authorised authorized bad based build can cannot checkins checkout checkouts comm
    communication connect connecting connection connections copyright could count currently debug denials denied does error
    expired failed feature file filename files find for found from handle has host hostname if in inc info init inuse is isv
    isvs license licenses log lost messages min_remove name network no not obsolete of on open or password path permission
    permanent please pool port process product read recent refused removals report reprise request reservations reserved
    resolve restarts rights rlm rlmstat rlmutil running sec seconds server servers service setting software startup stats
    statistics status stopped system that the time timed to today todays token total uncounted unknown unlimited up usage use
    used user users version was with yes you your`,
  names: [],
};

/** The server that was asked. */
interface Asked {
  readonly server: string;
}

const args = (server: string): readonly string[] => ['rlmstat', '-a', '-c', server];

function read({ settings, via, output, more }: ReadInput<RlmOwn, Asked>, onUnread?: OnUnread): Parsed {
  const { servers, part, timeZone, calendarZone } = settings;
  const localTime = createSourceTime(timeZone, calendarZone);
  const report = parseRlmstat(textOf(output), { localTime, onUnread });
  // a tool ends its last line; a part of the output would look like fewer pools and users
  if (via === 'command' && report.isCut) throw cutFailure(more.server);
  return observeRlm(report, { server: servers[0] ?? 'the server', part, now: output.at, localTime });
}

/** How many requests a report log says were refused for the last time. */
function deniedIn(text: string, onUnread: OnUnread): number {
  const diagnostics = new DiagnosticsCount(onUnread);
  let denials = 0;
  for (const line of linesOf(text)) {
    diagnostics.startLine();
    const found = readRequest(line);
    if (found === 'unparsed') diagnostics.addUnparsed(line);
    else if (found?.kind === 'refused') denials += 1;
  }
  return denials;
}

/** Reads rlmstat, with the denials of report logs. */
function createReader(settings: SourceSettings & RlmOwn, deps: ReaderDeps<RlmOwn, Asked, Parsed>): ManagerReader {
  const { now, elapsed } = deps.host;
  const { people } = deps;
  const nameOf = (isv: string): string =>
    vendorLicenseName({ server: settings.servers[0] ?? '', daemon: isv, part: settings.part });
  const logs = new Map(
    Object.entries(settings.reportLogs).map(([isv, log]) => [
      isv.toLowerCase(),
      new DenialCount(reportLog(isv.toLowerCase()), log, {
        now,
        elapsed,
        people: people?.log({ userOf, vendorLicenseOf: nameOf }),
      }),
    ]),
  );
  const reader = createTextReader(settings, deps, { args, more: (server) => ({ server }), keep: () => undefined });

  /** Logs of ISV servers that there are not: their denials would be missing without a word. */
  const strangeProblems = ({ vendorLicenses }: Parsed): Parsed['problems'] => {
    const isvs = vendorLicenses.map(({ daemon }) => daemon.toLowerCase());
    const strange = [...logs.keys()].filter((isv) => !isvs.includes(isv));
    if (strange.length === 0 || isvs.length === 0) return [];
    const message = `report_logs names the ISV server ${strange.join(', ')}, which the server does not have; it has ${isvs.join(', ')}`;
    return [{ kind: 'unparsed', message, isMinor: true }];
  };

  return {
    read: async (signal) => {
      const parsed = await reader.read(signal);
      const vendorLicenses: Parsed['vendorLicenses'][number][] = [];
      for (const one of parsed.vendorLicenses) {
        const isv = one.daemon.toLowerCase();
        const denied = await logs.get(isv)?.take();
        denied?.confirm();
        const known = denied?.of(isv);
        const counted = withDenials(one, known);
        vendorLicenses.push(known === undefined || people === undefined ? counted : people.taken(counted, nameOf(isv)));
      }
      const problems = [...logs.values()].flatMap((log) => log.problems());
      return { ...parsed, vendorLicenses, problems: [...parsed.problems, ...problems, ...strangeProblems(parsed)] };
    },
    close: async () => {
      await Promise.all([reader.close(), ...[...logs.values()].map((log) => log.stop())]);
    },
  };
}

/** What reads the output of rlmstat, and report logs. */
export const rlmCode: ManagerCode<RlmOwn, Asked, Parsed> = {
  texts: {
    rlmstat: {
      title: 'rlmutil rlmstat -a',
      places: ({ servers, via }) =>
        // a file or an address has one answer
        (via?.kind === 'command' ? servers : servers.slice(0, 1)).map((server, at) => ({
          of: `server ${at + 1}`,
          args: args(server),
        })),
      recognize: (text, _now, timeZone) => {
        const { masters, isvs, errors, referenceTime } = parseRlmstat(text, {
          localTime: createSourceTime(timeZone, timeZone),
        });
        const isSure = masters.length + isvs.length > 0;
        if (!isSure && errors.every(({ kind }) => kind === 'other_manager')) return undefined;
        return { servers: masters.map(({ host, port }) => `${port}@${host}`), at: referenceTime, isSure };
      },
      shapes,
      normalized: (text) => text,
    },
    report: {
      title: 'the end of the report log',
      places: ({ reportLogs }) =>
        Object.entries(reportLogs).map(([isv, log]) => ({ of: isv, log, kind: reportLog(isv) })),
      recognize: (text) => (/^RLM Report Log\b/m.test(text) ? { servers: [], at: undefined, isSure: true } : undefined),
      shapes: reportShapes,
      normalized: (text) => text,
    },
  },
  read,
  createReader,
  replay: ({ settings, via, now, texts }) => ({
    readings: texts('rlmstat').map(({ output, of = '', onUnread }) => () => {
      const number = Number(/^server (\d{1,4})$/.exec(of)?.[1] ?? 1);
      const server = settings.servers[number - 1] ?? 'the server';
      return read({ settings: { ...settings, servers: [server] }, via, now, output, more: { server } }, onUnread);
    }),
    remarks: texts('report').map(({ output, onUnread }) => `report log: ${deniedIn(output.stdout, onUnread)} denials`),
  }),
  checkFiles: ({ reportLogs }, host) =>
    checkLogs(
      Object.entries(reportLogs).map(([isv, log]) => [reportLog(isv.toLowerCase()), log]),
      host,
    ),
  vocabulary,
};
