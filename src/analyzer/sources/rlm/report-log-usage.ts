import type { LocalTime } from '../../../base/model/local-time.ts';
import { DiagnosticsCount, MAX_LINE, wholeNumber } from '../lines.ts';
import { SaidInUse } from '../log/said-in-use.ts';
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
import { readRequest, userOf } from './report-log.ts';

/**
 * The use of licenses in the report log of an ISV server of RLM (vendor's documentation, "Reportlog File Format"), in its forms
 * std, small and detailed.
 */

const DAY = 86_400;
const HALF_YEAR = 183;

const START = /^START (\S+) (\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2})(?::(\d{2}))?/;
const ISV = /^ISV: ([^\s,]{1,64})/;
/** A periodic time stamp, or the end of the file. */
const FULL_TIME = /^(?:END )?(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d{2})/;
/** The end of a line: `mm/dd hh:mm:ss`, in the small form `hh:mm`. The detailed form has more behind it. */
const TIME = / (?:(\d{1,2})\/(\d{1,2}) )?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,4})?(?: .*)?)?$/;

/** `user host "isv_def" count`, where the user may have several words. */
const WHO = '(?<who>.{1,300}) "[^"]*" (?<count>\\d{1,9})';
const HEX = '[\\da-f]{1,16}';
const HANDLE = `(?<handle>${HEX})`;
const SHARE = `(?<share>${HEX})`;
const WHAT = '(?<product>\\S+) (?<version>\\S+)';
const IN_USE_NOW = '(?<free>\\d{1,9}) (?<reserved>\\d{1,9})';
const OUT = new RegExp(`^OUT ${WHAT} (?:(?<pool>\\d{1,9}) )?${WHO} (?:${IN_USE_NOW} )?${HANDLE} ${SHARE}(?: |$)`, 'i');
const SMALL_OUT = new RegExp(`^OUT ${WHAT} ${WHO} ${HANDLE} ${SHARE} \\d{1,2}:\\d{2}$`, 'i');
const LISTED = new RegExp(`^INUSE ${WHAT} (?<pool>\\d{1,9}) ${WHO} ${HANDLE} (?:${SHARE} )?${HEX} `, 'i');
const IN = new RegExp(`^IN \\d{1,3} ${WHAT} ${WHO} ${IN_USE_NOW} ${HANDLE} `, 'i');
const SMALL_IN = new RegExp(`^IN \\d{1,3} \\d{1,9} ${HANDLE} \\d{1,2}:\\d{2}$`, 'i');
/** The licenses that are not reserved, and those that are. */
const PRODUCT = /^PRODUCT (\S+) (\S+) (\d{1,9}) (\d{1,9}) (\d{1,9}) /;

const dayOf = (month?: string, date?: string, year?: string): number | undefined =>
  dayIn(Number(year), { month: Number(month), date: Number(date) });

/** A line of the debug log: `08/03 09:05 (acme) OUT: …`. */
const DEBUG_LINE = /^\d{2}\/\d{2} \d{2}:\d{2}(?::\d{2})? \([^\s()]{1,64}\) /m;

/** Records that say nothing of the use of licenses. */
const OTHERS = new Set(
  'AUTH AUTH: DEQUE DYNRES ISV: LICENSE LOG log METER_DEC QUE REPROCESSED REREAD RLM ROAM_EXTEND SUPPORT TEMP TIMEJUMP TIMEZONE'.split(
    ' ',
  ),
);

/** Those who share licenses: they are in use until the last of them has gone. */
interface Group {
  /** The first one has the licenses. */
  readonly members: Set<string>;
  /** All by which it was named. */
  readonly handles: Set<string>;
}

interface Session {
  readonly group: Group;
  /** Product, version and pool; undefined if the line does not say it. */
  readonly pool: string | undefined;
  /** What the checkin gives back: nothing where another member of the group has the licenses. */
  event: LicenseEvent;
}

const handleOf = (written: string): string => written.toLowerCase().replace(/^0+(?=.)/, '');

class BeginningOfReportLog implements BeginningReader {
  readonly #localTime: LocalTime;
  #at: number | undefined;

  constructor(localTime: LocalTime) {
    this.#localTime = localTime;
  }

  push(lines: Iterable<string>): boolean {
    for (const line of lines) {
      const [, , month, date, year, hour, minute, second = 0] = START.exec(line) ?? [];
      const day = dayOf(month, date, year);
      if (day === undefined) continue;
      this.#at = new WallClock(this.#localTime).momentOf(
        day * DAY + Number(hour) * 3600 + Number(minute) * 60 + Number(second),
      );
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
  lastAt = Number.NEGATIVE_INFINITY;
  #day = Number.NaN;
  #clock = 0;
  #isSwitched = false;
  /** Before the first START there is text for people. */
  #hasStarted = false;
  /** Sessions of this file, by their handle. */
  readonly #open = new Map<string, Session>();
  /** By the handle of each member, and of one that has gone or is listed later. */
  readonly #groups = new Map<string, Group>();
  /** Licenses of each pool, by product. */
  readonly #pools = new Map<string, Map<string, number>>();
  readonly #said = new SaidInUse(() => this.diagnostics.addContradiction());

  constructor(localTime: LocalTime, events: UsageEvents, onUnparsed: ((line: number) => void) | undefined) {
    this.diagnostics = new DiagnosticsCount(({ line }) => onUnparsed?.(line));
    this.#events = events;
    this.#wall = new WallClock(localTime);
  }

  push(lines: Iterable<string>): void {
    for (const line of lines) {
      this.diagnostics.startLine();
      if (line.length > MAX_LINE || !this.#read(line.trimEnd())) this.diagnostics.addUnparsed(line);
    }
  }

  end(): void {}

  /** @returns false for a line that is not understood */
  #read(line: string): boolean {
    const [kind] = line.split(' ', 1);
    switch (kind) {
      case 'RLM':
        this.#hasStarted = false;
        return true;
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
        return this.#out(LISTED.exec(line), line);
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
    if (day === undefined) return !this.#hasStarted || line === '' || OTHERS.has(line.split(' ', 1)[0] ?? '');
    const at = this.#momentAt(day, Number(hour), Number(minute), 0);
    if (line.startsWith('END')) return this.#endAt(at);
    this.#events.runs(this.#isv, at);
    return true;
  }

  #start(line: string): boolean {
    const [, host = '', month, date, year, hour, minute, second = 0] = START.exec(line) ?? [];
    const day = dayOf(month, date, year);
    if (day === undefined) return false;
    this.#hasStarted = true;
    this.#open.clear();
    this.#groups.clear();
    this.#pools.clear();
    this.#said.clear();
    this.#isSwitched = false;
    const at = this.#momentAt(day, Number(hour), Number(minute), Number(second));
    this.#events.isOn(host, at);
    this.#events.starts(this.#isv, at);
    return true;
  }

  /** Of a file that goes on in another one, the sessions go on there: they are listed at its beginning. */
  #endAt(at: number | undefined): boolean {
    if (at === undefined) return false;
    if (this.#isSwitched) for (const { event } of this.#open.values()) this.#events.in(this.#isv, at, event);
    this.#open.clear();
    this.#events.stops(this.#isv, at);
    return true;
  }

  #product(line: string): boolean {
    const [, product, version, pool, count, reservations] = PRODUCT.exec(line) ?? [];
    const [free, reserved] = [wholeNumber(count), wholeNumber(reservations)];
    if (product === undefined || free === undefined || reserved === undefined || Number.isNaN(this.#day)) return false;
    const licenses = free + reserved;
    const pools = this.#pools.get(product) ?? new Map<string, number>();
    if (pools.get(`${version} ${pool}`) === undefined) this.#said.set(`${product} ${version} ${pool}`, 0);
    this.#pools.set(product, pools.set(`${version} ${pool}`, licenses));
    const sum = pools.values().reduce((total, one) => total + one, 0);
    this.#events.bought(this.#isv, this.#moment(), product, sum);
    return true;
  }

  #out(found: RegExpExecArray | null, line: string): boolean {
    const { product, version, pool, who = '', count, free, reserved, handle, share = '0' } = found?.groups ?? {};
    const at = this.#timeIn(line);
    if (product === undefined || handle === undefined || at === undefined) return false;
    const key = handleOf(handle);
    // one that is listed at the end of a file has been there before
    if (this.#open.has(key)) return true;
    const shared = handleOf(share);
    // a session that shares with nobody has its own handle there, as each published log shows, or, assumed, 0. One of a group has
    // that of another member, which may have gone
    const isShared = shared !== '0' && shared !== key;
    const group = this.#groupOf(isShared ? shared : key, isShared || line.startsWith('INUSE'));
    const licenses = group.members.size === 0 ? Number(count) : 0;
    group.members.add(key);
    group.handles.add(key);
    this.#groups.set(key, group);
    const event = {
      feature: product,
      client: key,
      user: userOf(who),
      licenses,
      inUse: undefined,
      available: undefined,
    };
    const poolKey = pool === undefined ? undefined : `${product} ${version} ${pool}`;
    this.#open.set(key, { group, pool: poolKey, event });
    this.#events.out(this.#isv, at, event);
    this.#compare(poolKey, licenses, free, reserved);
    return true;
  }

  /** @param isKnown whether the handle may be of a group that is there */
  #groupOf(handle: string, isKnown: boolean): Group {
    const known = isKnown ? this.#groups.get(handle) : undefined;
    const group = known ?? { members: new Set(), handles: new Set() };
    group.handles.add(handle);
    this.#groups.set(handle, group);
    return group;
  }

  #in(line: string): boolean {
    const found = SMALL_IN.exec(line) ?? IN.exec(line);
    const { product, who = '', count, free, reserved, handle = '' } = found?.groups ?? {};
    const at = this.#timeIn(line);
    if (found === null || at === undefined) return false;
    const key = handleOf(handle);
    const session = this.#open.get(key);
    this.#open.delete(key);
    if (session === undefined) {
      // it had begun before; in the small form, the line does not say of what it is
      if (product === undefined) return true;
      const known = { feature: product, client: key, user: userOf(who), licenses: Number(count) };
      this.#events.in(this.#isv, at, { ...known, inUse: undefined, available: undefined });
      this.#compare(this.#onlyPool(product), -known.licenses, free, reserved);
      return true;
    }
    const { group, pool, event } = session;
    this.#events.in(this.#isv, at, event);
    group.members.delete(key);
    if (group.members.size === 0) for (const one of group.handles) this.#groups.delete(one);
    const [heir] = group.members;
    const next = heir === undefined ? undefined : this.#open.get(heir);
    if (next !== undefined && event.licenses > 0) {
      next.event = { ...next.event, licenses: event.licenses };
      this.#events.out(this.#isv, at, next.event);
    }
    this.#compare(pool, next === undefined ? -event.licenses : 0, free, reserved);
    return true;
  }

  /** The pool of a product, if there is one only: a checkin has the version that was asked for. */
  #onlyPool(product: string): string | undefined {
    const [own, ...others] = this.#pools.get(product)?.keys() ?? [];
    return own === undefined || others.length > 0 ? undefined : `${product} ${own}`;
  }

  /** Each record says how many licenses of its pool are in use now, of which some are reserved ones. */
  #compare(pool: string | undefined, change: number, free: string | undefined, reserved: string | undefined): void {
    if (pool === undefined) return;
    this.#said.change(pool, change, free === undefined ? undefined : Number(free) + Number(reserved));
  }

  /** Only the last attempt of an application is a denial to its user. */
  #deny(line: string): boolean {
    const request = readRequest(line);
    const at = this.#timeIn(line);
    if (request === undefined || request === 'unparsed' || at === undefined) return false;
    const { kind, product: feature, who, cause } = request;
    if (kind === 'asks again') this.#events.asks(this.#isv, at, feature);
    else this.#events.denied(this.#isv, at, { feature, client: undefined, who, cause });
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
    this.lastAt = this.#moment();
    return this.lastAt;
  }

  #moment(): number {
    return this.#wall.momentOf(this.#day * DAY + this.#clock);
  }
}

/** The report log of an ISV server of RLM as a record of use. */
export const reportLogUsage: UsageLog = {
  form: 'RLM report log',
  isForm: (head) => /^RLM Report Log Format /m.test(head) || (/^START \S+ \d/m.test(head) && /^PRODUCT /m.test(head)),
  refusalOf: (head) =>
    DEBUG_LINE.test(head)
      ? 'is a debug log of RLM, which does not say how many licenses are in use; pass the report log, the path of REPORTLOG in the options file of the ISV server'
      : undefined,
  ownLine: (line) => line,
  userOf,
  findBeginning: (localTime) => new BeginningOfReportLog(localTime),
  readFile: (localTime, _, events, onUnparsed) => new ReportLogUsage(localTime, events, onUnparsed),
};
