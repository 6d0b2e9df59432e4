import type { CheckoutEntry, FeatureEntry } from '../json/document.ts';
import { wholeNumber } from '../lines.ts';
import { ifKnown } from '../parsed.ts';
import { textManagerCode } from '../text-manager.ts';
import { readLines, type TextContext, type TextReport, unknownHost, unreachable } from '../text-report.ts';
import { dayIn, monthOf, yearlessTime } from '../times.ts';

/**
 * The answers of `lstc_qrun`: the table of programs with their licenses (`-r`, with users `-R`), and the list of running and queued
 * programs. Seen in public texts of servers of 2017 to 2024. A text can have both.
 */

const name = 'LS-DYNA';
const refusals = [
  unknownHost(name, /unknown host|(?:cannot|can't|could not) resolve|name or service not known/i),
  unreachable(
    name,
    /\*{3}\s*ERROR\b|failed to open server|connection (?:refused|timed out)|(?:cannot|can't|could not) connect/i,
  ),
];

const SERVER = /^\s*Using (?:user specified|default) server\s+(?:(\d{1,5})@)?(\S+)$/i;
const TABLE_HEAD = /^\s*PROGRAM\s+EXPIRATION\s+CPUS\s+USED\s+FREE\s+MAX\b/i;
/** `MPPDYNA   12/30/2022   440   60   500 |   0`. In use is `-` if the users follow. */
const PROGRAM =
  /^\s*(\S+)\s+(\d{1,2}\/\d{1,2}\/\d{4}|\S{1,12})\s+(\d{1,9}|-)\s+(\d{1,9}|-)\s+(\d{1,9}|-)\s*\|\s*(\d{1,9}|-)$/;
const GROUP = /^\s*LICENSE GROUP\s+(\d{1,9}|-)\s+(\d{1,9}|-)\s+(\d{1,9}|-)\s*\|\s*(\d{1,9}|-)$/i;
/** ` ada     59005@node7.example.com  80`, below a program. */
const USER = /^\s*(\S(?:.*\S)?)\s+(\d{1,10})@(\S+)\s+(\d{1,9})$/;
const LIST = /^\s*(Running|Queued) Programs$/i;
/** `     ada    84212@o0284.example.co MPPDYNA          Tue Mar 17 16:18    28`. Long names are cut. */
const LISTED =
  /^\s*(\S(?:.*\S)?)\s+(\d{1,10})@(\S+)\s+(\S+)\s+([A-Z][a-z]{2})\s+([A-Z][a-z]{2})\s+(\d{1,2})\s+(\d{1,2}):(\d{2})(?::\d{2})?\s+(\d{1,9})$/;
const noise =
  /^\s*(?:LICENSE INFORMATION|[-\s|]{5,}|User\s+Host\s+Program\s.*|No programs (?:running|queued|running or queued))$/i;

/** `12/30/2022`, the month first, as `2022-12-30`. */
function expiryOf(written: string): string | undefined {
  const [, month, date, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(written) ?? [];
  if (year === undefined || dayIn(Number(year), { month: Number(month), date: Number(date) }) === undefined)
    return undefined;
  return `${year}-${month?.padStart(2, '0')}-${date?.padStart(2, '0')}`;
}

/** A program, or the group that several of them share. */
interface Licenses {
  readonly feature: string;
  readonly expires?: string;
  readonly used: number | undefined;
  readonly free: number | undefined;
  readonly total: number | undefined;
  readonly queue: number | undefined;
  /** Below the line of the program. */
  readonly users: Process[];
  group?: string;
}

/** A process that holds licenses, or waits for them. */
interface Process {
  readonly user: string;
  readonly host: string;
  readonly pid: string;
  readonly licenses: number;
  readonly program?: string;
  readonly since?: number;
  readonly isQueued?: true;
}

class Reading {
  readonly #context: TextContext;
  readonly licenses: Licenses[] = [];
  readonly listed: Process[] = [];
  readonly servers: string[] = [];
  isOwn = false;
  /** Whether programs are listed with their times. */
  hasList = false;
  /** Whether the text says which programs wait. */
  hasQueue = false;
  #isQueue = false;
  #isInTable = false;

  constructor(context: TextContext) {
    this.#context = context;
  }

  readonly read = (line: string): boolean => {
    const isRead = this.#readHead(line) || this.#readTable(line) || this.#readListed(line) || noise.test(line);
    this.isOwn ||=
      isRead &&
      /^\s*(?:Using (?:user specified|default) server|LICENSE INFORMATION|PROGRAM\s|Running Programs|No programs)/i.test(
        line,
      );
    return isRead;
  };

  #readHead(line: string): boolean {
    const [, port = '31010', host] = SERVER.exec(line) ?? [];
    if (host !== undefined) {
      this.servers.push(`${port}@${host.toLowerCase()}`);
      return true;
    }
    if (TABLE_HEAD.test(line)) {
      // a text can have several answers of the server, one after the other: the last one counts
      this.licenses.length = 0;
      this.#isInTable = true;
      return true;
    }
    const [, list] = LIST.exec(line) ?? [];
    if (list === undefined) {
      this.hasList ||= /^\s*No programs running/i.test(line);
      this.hasQueue ||= /^\s*No programs (?:running or )?queued/i.test(line);
      return false;
    }
    this.#isInTable = false;
    this.#isQueue = /queued/i.test(list);
    this.hasQueue ||= this.#isQueue;
    if (!this.#isQueue) this.listed.length = 0;
    this.hasList = true;
    return true;
  }

  #readTable(line: string): boolean {
    if (!this.#isInTable) return false;
    const [group, ...ofGroup] = GROUP.exec(line) ?? [];
    if (group !== undefined) return this.#addGroup(ofGroup);
    const [, feature, expires = '', ...figures] = PROGRAM.exec(line) ?? [];
    if (feature !== undefined) {
      this.licenses.push({ feature, ...ifKnown('expires', expiryOf(expires)), ...figuresOf(figures), users: [] });
      return true;
    }
    const [, user, pid = '', host = '', licenses] = USER.exec(line) ?? [];
    if (user === undefined) return false;
    this.licenses.at(-1)?.users.push({ user, host, pid, licenses: Number(licenses) });
    return this.licenses.length > 0;
  }

  /** The programs above it share its licenses. */
  #addGroup(figures: readonly string[]): boolean {
    const programs = this.licenses.slice(this.licenses.findLastIndex((one) => one.group !== undefined) + 1);
    const groups = this.licenses.filter(({ feature }) => feature.startsWith(GROUP_NAME)).length;
    const group = groups === 0 ? GROUP_NAME : `${GROUP_NAME} ${groups + 1}`;
    for (const program of programs) program.group = group;
    const ends = new Set(programs.map((one) => one.expires));
    const [expires] = ends.size === 1 ? ends : [undefined];
    this.licenses.push({ feature: group, ...ifKnown('expires', expires), ...figuresOf(figures), users: [], group });
    return true;
  }

  #readListed(line: string): boolean {
    if (!this.hasList || this.#isInTable) return false;
    const [, user, pid = '', host = '', program = '', weekday, monthName = '', date, hour, minute, licenses] =
      LISTED.exec(line) ?? [];
    const month = monthOf(monthName);
    if (user === undefined || month === undefined) return false;
    const { now, localTime } = this.#context;
    const since = yearlessTime(
      { month, date: Number(date) },
      { hour: Number(hour), minute: Number(minute) },
      { reference: now, localTime, weekday },
    );
    const isQueued = this.#isQueue && ({ isQueued: true } as const);
    this.listed.push({ user, host, pid, program, licenses: Number(licenses), ...ifKnown('since', since), ...isQueued });
    return true;
  }
}

const GROUP_NAME = 'LICENSE GROUP';

const figuresOf = ([used, free, total, queue]: readonly string[]) => ({
  used: wholeNumber(used),
  free: wholeNumber(free),
  total: wholeNumber(total),
  queue: wholeNumber(queue),
});

const isPartOf = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

/** The list of programs cuts names. */
const isSame = (a: Process, b: Process): boolean =>
  a.pid === b.pid && (isPartOf(a.host, b.host) || isPartOf(a.user, b.user));

/** A program with its users, of whom the list has the times. @param listed what the list has of the program */
function entryOf(
  of: Licenses,
  listed: readonly Process[],
  { hasList, hasQueue }: Reading,
  vendorLicense: string,
): FeatureEntry {
  const running = listed.filter(({ isQueued }) => isQueued === undefined);
  const waiting = listed.filter(({ isQueued }) => isQueued === true);
  const isGroup = of.group === of.feature;
  const processes = of.users.length > 0 ? of.users : running;
  const checkouts = processes.map((one): CheckoutEntry => {
    const since = running.find((other) => isSame(one, other))?.since;
    return { user: one.user, host: one.host, handle: one.pid, licenses: one.licenses, ...ifKnown('since', since) };
  });
  const sum = processes.reduce((total, { licenses }) => total + licenses, 0);
  const used = of.used ?? (of.users.length > 0 ? sum : undefined);
  // of waiting programs that are not listed, only the number is known
  const rest = (of.queue ?? 0) - waiting.reduce((total, { licenses }) => total + licenses, 0);
  const unlisted = rest > 0 ? [{ user: '', host: '', licenses: rest }] : [];
  return {
    feature: of.feature,
    ...(of.group !== undefined && !isGroup && { token: { pool: of.group, source: vendorLicense, cost: 1 } }),
    increments: [{ ...ifKnown('count', of.total), ...ifKnown('expires', of.expires) }],
    ...ifKnown('in_use', used),
    ...ifKnown('available', of.free),
    ...(!isGroup &&
      (hasList || processes.length > 0 || used === 0) && {
        checkouts,
        checkouts_complete: used === undefined ? of.users.length === 0 : sum >= used,
      }),
    ...((of.queue !== undefined || hasQueue) && {
      queued: [...waiting.map(({ user, host, licenses }) => ({ user, host, licenses })), ...unlisted],
    }),
  };
}

/** Reads what lstc_qrun printed. It never fails. */
function parseLsdyna(text: string, context: TextContext): TextReport {
  const reading = new Reading(context);
  const lines = readLines(text, refusals, context, reading.read);
  // the list alone has users, but not how many licenses there are
  const named = new Set(reading.licenses.map(({ feature }) => feature));
  const unnamed = new Set(reading.listed.flatMap(({ program = '' }) => (named.has(program) ? [] : [program])));
  const others = [...unnamed].map((feature) => ({ feature, ...figuresOf([]), users: [] }));
  const listed = Map.groupBy(reading.listed, ({ program }) => program);
  const features = [...reading.licenses, ...others].map((one) =>
    entryOf(one, listed.get(one.feature) ?? [], reading, `${context.server};lstc`),
  );
  const isIdle =
    features.length === 0 && reading.hasList && lines.refusal === undefined && lines.diagnostics.unparsed === 0;
  return {
    ...lines,
    vendorLicenses: features.length > 0 ? [{ daemon: 'lstc', features }] : isIdle ? [{ daemon: 'lstc' }] : [],
    isIdle,
    servers: reading.servers,
    isOwn: reading.isOwn,
    problems: [],
  };
}

const AT_START = String.raw`(?<=^[ \t]{0,40})`;
const FIGURES = String.raw`(?:\d{1,9}|-)\s{1,20}(?:\d{1,9}|-)\s{1,20}(?:\d{1,9}|-)\s{0,20}\|\s{0,20}(?:\d{1,9}|-)(?=\s{0,9}$)`;

/** What reads the outputs of lstc_qrun. */
export const lsdynaCode = textManagerCode({
  name: 'LS-DYNA',
  kind: 'lstc_qrun',
  title: 'lstc_qrun -R',
  runs: (server) => [
    ['-s', server, '-R'],
    // without an option, it lists programs with their times
    ['-s', server],
  ],
  parse: parseLsdyna,
  shapes: [
    `${AT_START}(?:Using (?:user specified|default) server|LICENSE INFORMATION|LICENSE GROUP|Running Programs|Queued Programs)`,
    String.raw`${AT_START}PROGRAM\s{1,20}EXPIRATION\s{1,20}CPUS\s{1,20}USED\s{1,20}FREE\s{1,20}MAX(?: \| QUEUE)?`,
    String.raw`${AT_START}No programs (?:running|queued|running or queued)|${AT_START}User\s{1,20}Host\s{1,20}Program\s{1,20}Started\s{1,20}# procs`,
    FIGURES,
  ],
  vocabulary: {
    words: `
      cannot connect connection could cpus default error expiration failed free group host information license max no not open or procs
      program programs queue queued refused resolve running server specified started to unknown used user using`,
    names: [],
  },
});
