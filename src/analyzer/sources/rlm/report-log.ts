import type { LocalTime } from '../../../base/model/local-time.ts';
import type { DenialCause } from '../../../base/model/observation/observation.ts';
import { HALF_MINUTE } from '../../blocked/episodes.ts';
import type { PersonLog } from '../../blocked/person-log.ts';
import { DiagnosticsCount, MAX_LINE } from '../lines.ts';
import { type DenialLog, type DenialReader, type Denials, isForeign, noneOf } from '../log/denials.ts';
import { MAX_REFUSAL_AGE } from '../log/refused-requests.ts';
import { yearlessTime } from '../times.ts';

/** The report log of an ISV server of RLM, which is plain text (vendor's documentation, "Reportlog File Format"). */

const REMEDY = 'the path of REPORTLOG in the options file of the ISV server';

const DATE = '(?<month>\\d{1,2})\\/(?<date>\\d{1,2}) ';
/** Seconds are not in all forms. */
const TIME = '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:\\.\\d{1,4})?)?';
/**
 * `DENY product version user host "isv_def" count why last_attempt mm/dd hh:mm`. Published logs of version 14 have the process
 * before the time, which the vendor does not describe.
 */
const DENY = new RegExp(
  `^DENY (?<product>\\S+) \\S+ (?<who>.* )?\\d{1,9} (?<why>-?\\d{1,5}) (?<lastAttempt>-?\\d{1,5})(?: [\\da-f]{1,16})? ${DATE}${TIME}$`,
  'i',
);
/** `OUT product version pool user host "isv_def" count … mm/dd hh:mm:ss`; the detailed form has more behind it. */
const OUT = new RegExp(
  `^OUT (?<product>\\S+) \\S+ (?:\\d{1,9} )?(?<who>\\S.{0,300}) "[^"]*" \\d{1,9} .*? (?:${DATE})?${TIME}(?: |$)`,
);

/** Seconds by which the clock of a server may be ahead. */
const MAX_AHEAD = 3600;
const DAY = 86_400;
const MINUTE = 60;

/** Status values of RLM, without their sign. */
const causes: Readonly<Record<string, DenialCause>> = {
  1: 'not_licensed',
  2: 'not_licensed',
  3: 'expired',
  4: 'not_permitted',
  6: 'not_licensed',
  8: 'not_licensed',
  10: 'not_permitted',
  11: 'not_permitted',
  12: 'not_permitted',
  13: 'not_permitted',
  14: 'not_permitted',
  22: 'all_in_use',
};

/** A line about a request for licenses. */
interface RequestLine {
  /** `asks again` for a refusal that was not the last attempt of an application: only that one is a denial to its user. */
  readonly kind: 'refused' | 'asks again' | 'out';
  readonly product: string;
  /** User and host; empty if the line does not name them. */
  readonly who: string;
  readonly cause: DenialCause;
  /** As the line has it: `month`, `date`, `hour`, `minute` and `second`. */
  readonly time: Readonly<Record<string, string | undefined>>;
}

/** @returns undefined for a line about something else, and for a checkout that is not understood */
export function readRequest(line: string): RequestLine | 'unparsed' | undefined {
  const isDenial = line.startsWith('DENY ');
  if (!isDenial && !line.startsWith('OUT ')) return undefined;
  const { product, who = '', why, lastAttempt, ...time } = (isDenial ? DENY : OUT).exec(line)?.groups ?? {};
  if (product === undefined) return isDenial ? 'unparsed' : undefined;
  const kind = !isDenial ? 'out' : Number(lastAttempt) === 0 ? 'asks again' : 'refused';
  return { kind, product, who, cause: causes[String(Math.abs(Number(why)))] ?? 'other', time };
}

/**
 * When a line was written, epoch seconds. In the small form, checkouts have no date: it is the last time that it was so late. A
 * time without seconds is the middle of its minute, or the line before if that is later.
 */
function timeOf(
  { time: { month, date, hour, minute, second } }: RequestLine,
  { now, before, localTime }: { readonly now: number; readonly before: number; readonly localTime: LocalTime },
): number | undefined {
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) };
  const day = { month: Number(month), date: Number(date) };
  const ofToday = localTime.startOf(localTime.dayOf(now)) + clock.hour * 3600 + clock.minute * 60;
  const last = ofToday > now + MAX_AHEAD ? ofToday - DAY : ofToday;
  const at = month === undefined ? last : yearlessTime(day, clock, { reference: now, localTime });
  if (at === undefined || second !== undefined) return at;
  return before >= at && before < at + MINUTE ? before : Math.max(at, Math.min(at + MINUTE / 2, now));
}

class ReportLogReader implements DenialReader {
  readonly diagnostics = new DiagnosticsCount();
  readonly daemons: ReadonlySet<string>;
  readonly #isv: string;
  readonly #localTime: LocalTime;
  readonly #people: PersonLog | undefined;
  /** Of the last line. */
  #at = Number.NEGATIVE_INFINITY;

  constructor(isv: string, localTime: LocalTime, people?: PersonLog) {
    this.#people = people;
    this.#isv = isv;
    this.#localTime = localTime;
    // its lines do not name it
    this.daemons = new Set([isv]);
  }

  seek(): void {}

  beginFile(): void {}

  push(lines: Iterable<string>, { now }: { readonly now: number }): readonly Denials[] {
    const denials: Denials[] = [];
    this.#people?.date(0, now - MAX_REFUSAL_AGE);
    for (const line of lines) {
      const read = line.length > MAX_LINE ? 'unparsed' : readRequest(line.trimEnd());
      if (read === 'unparsed') this.diagnostics.addUnparsed(line);
      else if (read !== undefined && read.kind !== 'asks again') {
        const at = timeOf(read, { now, before: this.#at, localTime: this.#localTime });
        this.#at = at ?? this.#at;
        const isRecent = at === undefined || now - at <= MAX_REFUSAL_AGE;
        if (isRecent && at !== undefined) this.#tell(read, at);
        if (isRecent && read.kind === 'refused')
          denials.push({ daemon: this.#isv, feature: read.product, cause: read.cause, count: 1 });
      }
    }
    return denials;
  }

  #tell({ kind, product, who, cause, time }: RequestLine, at: number): void {
    const people = this.#people;
    if (people === undefined) return;
    const asked = { daemon: this.#isv, feature: product, client: who };
    const key = `${product}\0${who}`;
    if (kind === 'out') people.got(key, asked, at);
    else if (userOf(who) !== '') people.refused(key, asked, at, cause, time.second === undefined ? HALF_MINUTE : 0);
    else people.refusedUnnamed(asked);
  }

  settle(): readonly Denials[] {
    return [];
  }
}

/** Of `user host "isv_def"`, where the user may have several words; empty if the line does not name anybody. */
export const userOf = (who: string): string =>
  who
    .replace(/ *"[^"]*" *$/, '')
    .replace(/ \S+$/, '')
    .replace(/^""$/, '');

/** Records that only a report log begins with. */
const RECORD =
  /^(?:RLM Report Log|START|PRODUCT|LICENSE FILE|INUSE|OUT|IN|DENY|END|TIMEZONE|AUTH|SHUTDOWN|SWITCH|LOG|QUE|DEQUE|REREAD|SUPPORT)\b/;
/** How many lines are looked at. */
const HEAD = 40;

/** The report log of an ISV server as a log of denials. */
export const reportLog = (isv: string): DenialLog => ({
  name: 'report log',
  remedy: REMEDY,
  createReader: (localTime, people) => new ReportLogReader(isv, localTime, people),
  problemOf: (head) => {
    if (head.includes('\0')) return `is not text; set ${REMEDY}`;
    const lines = head.split('\n').slice(0, -1);
    if (lines.some((line) => RECORD.test(line.trim()))) return undefined;
    return lines.length >= HEAD || isForeign(head)
      ? `is not a report log of RLM${noneOf(head)}; set ${REMEDY}`
      : undefined;
  },
});
