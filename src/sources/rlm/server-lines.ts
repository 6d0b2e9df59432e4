import type { RlmError } from './report.ts';

/** The lines that say which servers there are, and whether they answer. */

/** `rlm status on h (port 5053), up 5d 14:26:14`. */
const MASTER = /^\s*rlm status on ([^\s(),]+)\s*\(port (\d{1,6})\)/i;
/** `csci  63133  Yes  0`: name, port, whether it runs, restarts. One that never ran may have no port. */
const TABLE_ROW = /^\s*([\w.-]+)\s+(?:\d{1,6}\s+)?(yes|no)(?:\s+\d{1,9})?$/i;
/** `csci license pool status on h (port 63133)`, `… license usage status …`, `… ISV server status …`. */
const SECTION = /^\s*([\w.-]+)\s+(ISV server|license pool|license usage) status on \S/i;
/** `--------- ISV servers ----------`, and `Name  Port Running Restarts` below it. */
const TABLE_HEAD = /^\s*(?:name\s+port\s+running(?:\s+restarts)?|-{3,}\s*ISV servers\s*-{3,})$/i;
const RULE = /^\s*-{5,}$/;
/** The first lines that the tool prints. */
const BANNER = /^\s*(?:setting license file path to\s|rlm(?:util|stat)(?:\.exe)?\s+v\d\S*$)/i;

/** The server that the first line of a section names. */
export const masterOf = (line: string): { host: string; port: string } | undefined => {
  const [, host, port] = MASTER.exec(line) ?? [];
  return host === undefined || port === undefined ? undefined : { host, port };
};

/** An ISV server in the table of servers, and whether it runs. */
export const tableRowOf = (line: string): { name: string; isRunning: boolean } | undefined => {
  const [, name, running = ''] = TABLE_ROW.exec(line) ?? [];
  return name === undefined ? undefined : { name, isRunning: /^yes$/i.test(running) };
};

/** What the lines below a head are about. */
export type SectionKind = 'status' | 'pools' | 'usage';

const kinds: Readonly<Record<string, SectionKind>> = {
  'isv server': 'status',
  'license pool': 'pools',
  'license usage': 'usage',
};

/** The ISV server and the subject of a section. */
export const sectionOf = (line: string): { isv: string; kind: SectionKind } | undefined => {
  const [, isv, words = ''] = SECTION.exec(line) ?? [];
  const kind = kinds[words.toLowerCase()];
  return isv === undefined || kind === undefined ? undefined : { isv, kind };
};

/** Whether a line is the head of the table of ISV servers. */
export const isTableHead = (line: string): boolean => TABLE_HEAD.test(line);

/** Whether a line is one that the tool prints about itself. */
export const isBanner = (line: string): boolean => BANNER.test(line);

/** Whether a line only separates sections. */
export const isRule = (line: string): boolean => RULE.test(line);

/** The messages of the tool that say why there is no data. The words of the last four are those of RLM's status values. */
const errors: readonly (readonly [pattern: RegExp, kind: RlmError['kind']])[] = [
  [
    /bad (server )?host ?name|unknown host|cannot resolve|can't resolve|host not found|name or service not known/i,
    'unknown_host',
  ],
  [
    /not authorized|not authorised|permission denied|authentication failed|access denied|bad license password/i,
    'refused',
  ],
  [/no license files? found|can't (open|read) license (file|data)|no server to connect to/i, 'no_license_file'],
  [/^\s*(lmstat|lmutil) - copyright|flexible license manager status on/i, 'other_manager'],
];
/** A line of FlexNet's debug log, `10:01:02 (vend) …`, quotes refusals of clients in the same words. The tool writes no times. */
const LOG_LINE = /^\s*(?:\d{4}-\d{2}-\d{2}[T ])?\d{1,2}:\d{2}:\d{2}\S*\s+\([^()]{1,64}\)/;
const UNREACHABLE = /error connecting to "?([\w.-]{1,100})"? server/i;

/** Undefined for a line that is no message of an error. */
export function errorOf(line: string): RlmError | undefined {
  if (LOG_LINE.test(line)) return undefined;
  const [, server] = UNREACHABLE.exec(line) ?? [];
  if (server !== undefined) return { kind: 'unreachable', server: server.toLowerCase() === 'rlm' ? 'rlm' : server };
  const kind = errors.find(([pattern]) => pattern.test(line))?.[1];
  return kind === undefined ? undefined : { kind };
}

/** Lines that say nothing about licenses. */
const noise: readonly RegExp[] = [
  /^\s*copyright\b/i,
  /^\s*[\w.-]+\s+(software|comm) version:?\s+v/i,
  /^\s*[\w.-]+\s+(debug|report|info)\s+log\s+file(name)?:/i,
  /^\s*startup time:/i,
  /^\s*recent stats\s+today'?s stats\s+total stats$/i,
  // the durations of these columns
  /^\s*[\d:]+(d [\d:]+)?\s+[\d:]+(d [\d:]+)?\s+[\d:]+(d [\d:]+)?$/,
  /^\s*(messages|connections|checkouts|denials|removals):\s+\d/i,
  /^\s*(ISV servers:?|no licenses? (are )?(currently )?in use.*)$/i,
];

/** Whether a line says nothing about licenses. */
export const isNoise = (line: string): boolean => line.trim() === '' || noise.some((pattern) => pattern.test(line));
