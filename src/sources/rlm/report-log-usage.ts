import type { LocalTime } from '../../model/local-time.ts';
import { DiagnosticsCount, wholeNumber } from '../lines.ts';
import type {
  BeginningReader,
  LicenseEvent,
  LogBeginning,
  UsageEvents,
  UsageFileReader,
  UsageLog,
} from '../log/usage-log.ts';
import { WallClock } from '../log/wall-clock.ts';
import { dayIn } from '../times.ts';

/**
 * The use of licenses in the report log of an ISV server of RLM (vendor's documentation, "Reportlog File Format"), in its forms
 * std, small and detailed.
 */

const DAY = 86_400;
const HALF_YEAR = 183;

const START = /^START (\S+) (\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2})/;
const ISV = /^ISV: ([^\s,]{1,64})/;
/** A periodic time stamp, or the end of the file. */
const FULL_TIME = /^(?:END )?(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2})/;
/** The end of a line: `mm/dd hh:mm:ss`, in the small form `hh:mm`. The detailed form has more behind it. */
const TIME = / (?:(\d{1,2})\/(\d{1,2}) )?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,4})?(?: .*)?)?$/;

/** `user host "isv_def" count`, where the user may have several words. */
const WHO = '(.{1,300}) "[^"]*" (\\d{1,9})';
const HEX = '([\\da-f]{1,16})';
const OUT = new RegExp(`^OUT (\\S+) (\\S+) (?:\\d{1,9} )?${WHO} (?:\\d{1,9} \\d{1,9} )?${HEX} ${HEX}(?: |$)`, 'i');
const SMALL_OUT = new RegExp(`^OUT (\\S+) (\\S+) ${WHO} ${HEX} ${HEX} \\d{1,2}:\\d{2}$`, 'i');
const IN_USE = new RegExp(`^INUSE (\\S+) (\\S+) \\d{1,9} ${WHO} ${HEX} `, 'i');
const IN = new RegExp(`^IN \\d{1,3} (\\S+) (\\S+) ${WHO} \\d{1,9} \\d{1,9} ${HEX} `, 'i');
const SMALL_IN = new RegExp(`^IN \\d{1,3} (\\d{1,9}) ${HEX} \\d{1,2}:\\d{2}$`, 'i');
const DENY = /^DENY (\S+) (\S+) .* (-?\d{1,5}) (-?\d{1,5}) \d{1,2}\/\d{1,2} \d{1,2}:\d{2}/;
const PRODUCT = /^PRODUCT (\S+) (\S+) (\d{1,9}) (\d{1,9}) /;

const dayOf = (month?: string, date?: string, year?: string): number | undefined =>
  dayIn(Number(year), { month: Number(month), date: Number(date) });

class BeginningOfReportLog implements BeginningReader {
  readonly #localTime: LocalTime;
  #at: number | undefined;

  constructor(localTime: LocalTime) {
    this.#localTime = localTime;
  }

  push(lines: Iterable<string>): boolean {
    for (const line of lines) {
      const [, , month, date, year, hour, minute] = START.exec(line) ?? [];
      const day = dayOf(month, date, year);
      if (day === undefined) continue;
      this.#at = new WallClock(this.#localTime).momentOf(day * DAY + Number(hour) * 3600 + Number(minute) * 60);
      return true;
    }
    return false;
  }

  /** Its first records always say the date. */
  beginning(): LogBeginning | undefined {
    return this.#at === undefined ? undefined : { at: this.#at, isGuessed: false };
  }
}

class ReportLogUsage implements UsageFileReader {
  readonly diagnostics: DiagnosticsCount;
  readonly #events: UsageEvents;
  readonly #wall: WallClock;
  #isv = 'isv';
  #day = Number.NaN;
  #clock = 0;
  #isSwitched = false;
  /** Sessions of this file, by their handle. */
  readonly #open = new Map<string, LicenseEvent>();
  /** Licenses of each pool, by product. */
  readonly #pools = new Map<string, Map<string, number>>();

  constructor(localTime: LocalTime, events: UsageEvents, onUnparsed: ((line: number) => void) | undefined) {
    this.diagnostics = new DiagnosticsCount(({ line }) => onUnparsed?.(line));
    this.#events = events;
    this.#wall = new WallClock(localTime);
  }

  push(lines: Iterable<string>): void {
    for (const line of lines) {
      this.diagnostics.startLine();
      if (!this.#read(line.trimEnd())) this.diagnostics.addUnparsed(line);
    }
  }

  end(): void {}

  /** @returns false for a line that is not understood */
  #read(line: string): boolean {
    const [kind] = line.split(' ', 1);
    switch (kind) {
      case 'ISV:':
        this.#isv = ISV.exec(line)?.[1] ?? this.#isv;
        return true;
      case 'START':
        return this.#start(line);
      case 'PRODUCT':
        return this.#product(line);
      case 'OUT':
        return this.#out(SMALL_OUT.exec(line) ?? OUT.exec(line), line);
      case 'INUSE':
        return this.#out(IN_USE.exec(line), line);
      case 'IN':
        return this.#in(line);
      case 'DENY':
        return this.#deny(line);
      case 'SWITCH':
        this.#isSwitched = line.startsWith('SWITCH to');
        return true;
      case 'SHUTDOWN':
        return this.#endAt(this.#timeIn(line));
      default:
        return this.#other(line);
    }
  }

  #other(line: string): boolean {
    const [, month, date, year, hour, minute] = FULL_TIME.exec(line) ?? [];
    const day = dayOf(month, date, year);
    if (day === undefined) return true;
    const at = this.#momentAt(day, Number(hour), Number(minute), 0);
    if (line.startsWith('END')) return this.#endAt(at);
    this.#events.runs(this.#isv, at);
    return true;
  }

  #start(line: string): boolean {
    const [, , month, date, year, hour, minute] = START.exec(line) ?? [];
    const day = dayOf(month, date, year);
    if (day === undefined) return false;
    this.#open.clear();
    this.#pools.clear();
    this.#isSwitched = false;
    this.#events.starts(this.#isv, this.#momentAt(day, Number(hour), Number(minute), 0));
    return true;
  }

  /** Of a file that goes on in another one, the sessions go on there: they are listed at its beginning. */
  #endAt(at: number | undefined): boolean {
    if (at === undefined) return false;
    if (this.#isSwitched) for (const event of this.#open.values()) this.#events.in(this.#isv, at, event);
    this.#open.clear();
    this.#events.stops(this.#isv, at);
    return true;
  }

  #product(line: string): boolean {
    const [, product, version, pool, count] = PRODUCT.exec(line) ?? [];
    const licenses = wholeNumber(count);
    if (product === undefined || licenses === undefined || Number.isNaN(this.#day)) return false;
    const pools = this.#pools.get(product) ?? new Map<string, number>();
    this.#pools.set(product, pools.set(`${version} ${pool}`, licenses));
    const sum = pools.values().reduce((total, one) => total + one, 0);
    this.#events.bought(this.#isv, this.#moment(), product, sum);
    return true;
  }

  #out(found: RegExpExecArray | null, line: string): boolean {
    const [, feature, , who = '', count, handle, share] = found ?? [];
    const at = this.#timeIn(line);
    if (feature === undefined || handle === undefined || at === undefined) return false;
    const key = handle.toLowerCase();
    // one that is listed at the end of a file has been there before
    if (this.#open.has(key)) return true;
    const isShared = line.startsWith('OUT') && share !== undefined && !/^0+$/.test(share);
    const user = who.replace(/ \S+$/, '');
    const licenses = isShared ? 0 : Number(count);
    const event = { feature, client: key, user, licenses, inUse: undefined, available: undefined };
    this.#open.set(key, event);
    this.#events.out(this.#isv, at, event);
    return true;
  }

  #in(line: string): boolean {
    const handle = (SMALL_IN.exec(line)?.[2] ?? IN.exec(line)?.[5])?.toLowerCase();
    const at = this.#timeIn(line);
    if (handle === undefined || at === undefined) return false;
    const event = this.#open.get(handle);
    this.#open.delete(handle);
    const [, feature, , who = '', count] = IN.exec(line) ?? [];
    const own =
      feature === undefined ? undefined : { feature, user: who.replace(/ \S+$/, ''), licenses: Number(count) };
    const known = event ?? (own && { ...own, client: handle, inUse: undefined, available: undefined });
    if (known !== undefined) this.#events.in(this.#isv, at, known);
    return true;
  }

  /** Only the last attempt of an application is a denial to its user. */
  #deny(line: string): boolean {
    const [, product, , , lastAttempt] = DENY.exec(line) ?? [];
    const at = this.#timeIn(line);
    if (product === undefined || at === undefined) return false;
    this.#events.asks(this.#isv, at, product);
    if (Number(lastAttempt) !== 0) this.#events.denied(this.#isv, at, product);
    return true;
  }

  /** The moment at the end of a line, which has no year, and in the small form no day. */
  #timeIn(line: string): number | undefined {
    const [found, month, date, hour, minute, second] = TIME.exec(line) ?? [];
    if (found === undefined || Number.isNaN(this.#day)) return undefined;
    const clock = Number(hour) * 3600 + Number(minute) * 60;
    if (month !== undefined) {
      const year = new Date(this.#day * DAY * 1000).getUTCFullYear();
      const days = [year - 1, year, year + 1].flatMap((one) => dayOf(month, date, String(one)) ?? []);
      const day = days.find((one) => Math.abs(one - this.#day) < HALF_YEAR);
      return day === undefined ? undefined : this.#momentAt(day, Number(hour), Number(minute), Number(second ?? 0));
    }
    // the clock went back: the next day, unless it is changed
    const isNext = this.#clock - clock > DAY / 2;
    return this.#momentAt(this.#day + (isNext ? 1 : 0), Number(hour), Number(minute), 0);
  }

  #momentAt(day: number, hour: number, minute: number, second: number): number {
    this.#day = day;
    this.#clock = hour * 3600 + minute * 60 + second;
    return this.#moment();
  }

  #moment(): number {
    return this.#wall.momentOf(this.#day * DAY + this.#clock);
  }
}

/** The report log of an ISV server of RLM as a record of use. */
export const reportLogUsage: UsageLog = {
  form: 'RLM report log',
  isForm: (head) => /^RLM Report Log Format /m.test(head) || (/^START \S+ \d/m.test(head) && /^PRODUCT /m.test(head)),
  findBeginning: (localTime) => new BeginningOfReportLog(localTime),
  readFile: (localTime, _, events, onUnparsed) => new ReportLogUsage(localTime, events, onUnparsed),
};
