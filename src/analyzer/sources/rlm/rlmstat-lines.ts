import { parseServer } from '../../../base/model/license-server.ts';
import type { LocalTime } from '../../../base/model/local-time.ts';
import { wholeNumber } from '../lines.ts';
import { type Expiry, expiryOf, monthOf, type SourceTime, timeOf } from '../times.ts';
import type { RlmError, RlmPool, RlmStart, RlmUsage } from './report.ts';

/** The lines of `rlmstat -a`: those of servers, then their statistics, pools and checkouts. */

/** `rlm status on h (port 5053), up 5d 14:26:14`. */
const MASTER = /^\s*rlm status on ([^\s(),]+)\s*\(port (\d{1,6})\)/i;
/** `csci  63133  Yes  0`: name, port, whether it runs, restarts. One that never ran may have no port. */
const TABLE_ROW = /^\s*([\w.-]+)\s+(?:\d{1,6}\s+)?(yes|no)(?:\s+\d{1,9})?$/i;
/** `csci license pool status on h (port 63133)`, `… license usage status …`, `… ISV server status …`. */
const SECTION =
  /^\s*([\w.-]+)\s+(ISV server|license pool|license usage) status on (?=\S)(?:([^\s(),]+)\s*\(port (\d{1,6})\))?/i;
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

/** What the head of a section says. */
export interface SectionHead {
  readonly isv: string;
  readonly kind: SectionKind;
  /** The ISV server as a license server; undefined if that cannot be the arguments of a tool. */
  readonly server: string | undefined;
}

/** The ISV server and the subject of a section. */
export const sectionOf = (line: string): SectionHead | undefined => {
  const [, isv, words = '', host, port] = SECTION.exec(line) ?? [];
  const kind = kinds[words.toLowerCase()];
  if (isv === undefined || kind === undefined) return undefined;
  const server = `rlm:${port}@${host}/${isv}`;
  return { isv, kind, server: parseServer(server) === undefined ? undefined : server };
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

/** `Recent Statistics (00:16:08), init time: Wed Nov 3 12:32:30 2021`, or `Todays Statistics`. */
const STATISTICS = /^\s*(Recent|Todays|Today's)\s+Statistics\s*\(([^()]{1,40})\),\s*init time:(.+)$/i;
/** `5d 14:26:14`. */
const DURATION = /^\s*(?:(\d{1,6})d\s+)?(\d{1,6}):(\d{2}):(\d{2})$/;
/** `Wed Nov  3 12:32:30 2021`. */
const MOMENT = /^\s*(?:[a-z]{3}\s+)?([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(\d{4})$/i;

/** Seconds of `5d 14:26:14`. */
function durationOf(written: string): number | undefined {
  const [, days = '0', hours, minutes, seconds] = DURATION.exec(written) ?? [];
  if (hours === undefined) return undefined;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** Epoch seconds of `Wed Nov  3 12:32:30 2021`. */
function momentOf(written: string, localTime: LocalTime): number | undefined {
  const [, monthName = '', date, hour, minute, second, year] = MOMENT.exec(written) ?? [];
  const month = monthOf(monthName);
  if (month === undefined) return undefined;
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  return timeOf(Number(year), { month, date: Number(date) }, clock, localTime);
}

/** The counts of a server since its start or since they were reset. */
export interface Statistics {
  /** `Recent Statistics`: those are reset most often, so that rounding and changes of the clock matter least. */
  readonly isRecent: boolean;
  /** When the statistics ended, that is when the tool ran. Undefined if that cannot be computed. */
  readonly end: number | undefined;
}

/** Reads a statistics line of a server: its end is the time at which the tool ran. Undefined for a line of another form. */
export function statisticsOf(line: string, localTime: LocalTime): Statistics | undefined {
  const [, name, elapsed = '', init = ''] = STATISTICS.exec(line) ?? [];
  if (name === undefined) return undefined;
  const [start, seconds] = [momentOf(init, localTime), durationOf(elapsed)];
  const end = start === undefined || seconds === undefined ? undefined : start + seconds;
  return { isRecent: /^recent$/i.test(name), end };
}

/** `nuke_i v2024.0331, pool: 3`; versions before 12.4 print no number of the pool. */
const POOL_HEAD = /^\s*([^\s,:]+)\s+v([^\s,:]+)(?:,\s*pool:\s*(\d{1,9}))?$/;

/** The figures that are read. Others are known to be noise if they stand beside one of these. */
const FIGURES = new Set(['count', '# reservations', 'inuse', 'exp', 'obsolete', 'min_remove', 'total checkouts']);

const UNLIMITED = /^(unlimited|uncounted)$/i;

/** A pool while the lines below `… license pool status on …` are read. */
export class PoolUnderway implements RlmPool {
  readonly product: string;
  readonly version: string;
  count: number | undefined;
  reserved: number | undefined;
  inUse: number | undefined;
  expires: Expiry = 'unknown';
  isTokenBased = false;

  constructor(product: string, version: string) {
    this.product = product;
    this.version = version;
  }

  /** Whether the line is one of this pool. */
  add(line: string, localTime: SourceTime): boolean {
    // (F: RLM 12.4) the whole line below the head of such a pool
    if (/^\s*token-based license/i.test(line)) {
      this.isTokenBased = true;
      return true;
    }
    const figures = figuresOf(line);
    if (![...figures.keys()].some((name) => FIGURES.has(name))) return false;
    for (const [name, value] of figures) this.#set(name, value, localTime);
    return true;
  }

  #set(name: string, value: string, localTime: SourceTime): void {
    if (name === 'count') this.count = countOf(value);
    else if (name === '# reservations') this.reserved = wholeNumber(value);
    else if (name === 'inuse') this.inUse = wholeNumber(value);
    else if (name === 'exp') this.expires = expiryOf(value, localTime);
  }
}

/** The pool that a line begins, undefined for another line. */
export function poolHeadOf(line: string): PoolUnderway | undefined {
  const [, product, version] = POOL_HEAD.exec(line) ?? [];
  return product === undefined || version === undefined ? undefined : new PoolUnderway(product, version);
}

/** `count: 22, # reservations: 0, inuse: 3, exp: 1-jul-2024`, or `UNCOUNTED, inuse: 1`. */
function figuresOf(line: string): Map<string, string> {
  const figures = new Map<string, string>();
  for (const part of line.split(',')) {
    const colon = part.indexOf(':');
    if (UNLIMITED.test(part.trim())) figures.set('count', part.trim());
    else if (colon !== -1) figures.set(part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1).trim());
  }
  return figures;
}

/**
 * A count of 0 is not known: RLM writes 0 for uncounted licenses in license files, and a pool whose licenses were all
 * removed would have it too.
 */
function countOf(written: string): number | undefined {
  if (UNLIMITED.test(written)) return Number.POSITIVE_INFINITY;
  return wholeNumber(written) || undefined;
}

/** `1/0 at 03/28 20:41`: licenses, a second number that no document explains, and the time of the checkout. */
const COUNT_AND_START =
  /\s(\d{1,9})\/(\d{1,9})\s+at\s+(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\S)/;
/** `nuke_i v2024.0331: ` */
const PRODUCT = /^\s*(\S+)\s+v([^\s:]+):\s+/;
/** `(handle: 36a5)`, or of the oldest versions `(809f418)` before the count. */
const HANDLE = /\(handle:\s*(\w+)\)/;
/** `sun1(v1.0) (809f418)`: the host, the version that was asked for, and the handle. (D: RLM manual, rlmremove) */
const HOST = /^([^\s()]+)(?:\s*\(v[^\s()]*\))?(?:\s+\((\w+)\))?$/;

/**
 * Reads a line below `… license usage status on …`, one for each checkout, from its fixed parts, because users can hold any character: a user ends at the last `@`. Undefined for a
 * line of another form.
 */
export function usageOf(line: string): RlmUsage | undefined {
  const middle = COUNT_AND_START.exec(line);
  const product = PRODUCT.exec(line);
  if (middle === null || product === null || product[0].length > middle.index) return undefined;
  const who = line.slice(product[0].length, middle.index).trim();
  const at = who.lastIndexOf('@');
  const [, host, oldHandle] = HOST.exec(who.slice(at + 1)) ?? [];
  if (at <= 0 || host === undefined) return undefined;
  const handle = HANDLE.exec(line.slice(middle.index + middle[0].length))?.[1] ?? oldHandle;
  return {
    product: product[1] ?? '',
    version: product[2] ?? '',
    user: who.slice(0, at).trimEnd(),
    host,
    licenses: Number(middle[1]),
    start: startOf(middle),
    handle,
  };
}

function startOf([, , , month, date, year, hour, minute, second]: RegExpExecArray): RlmStart {
  return {
    ...(year !== undefined && { year: Number(year) }),
    month: Number(month),
    date: Number(date),
    hour: Number(hour),
    minute: Number(minute),
    ...(second !== undefined && { second: Number(second) }),
  };
}
