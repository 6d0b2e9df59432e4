import type { LocalTime } from '../../../base/model/local-time.ts';
import type { DenialCause } from '../../../base/model/observation/observation.ts';
import { DiagnosticsCount, MAX_LINE } from '../lines.ts';
import { type DenialLog, type DenialReader, type Denials, isForeign, noneOf } from '../log/denials.ts';
import { MAX_REFUSAL_AGE } from '../log/refused-requests.ts';
import { yearlessTime } from '../times.ts';

/** The report log of an ISV server of RLM, which is plain text (vendor's documentation, "Reportlog File Format"). */

const REMEDY = 'the path of REPORTLOG in the options file of the ISV server';

/** `DENY product version user host "isv_def" count why last_attempt mm/dd hh:mm`; the detailed form has seconds too. */
const DENY =
  /^DENY (\S+) (\S+) (?:.* )?\d{1,9} (-?\d{1,5}) (-?\d{1,5}) (\d{1,2})\/(\d{1,2}) (\d{1,2}):(\d{2})(?::\d{2}(?:\.\d{1,4})?)?$/;

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

/** A request that was refused for the last time. */
interface Refusal {
  readonly product: string;
  readonly cause: DenialCause;
  /** Epoch seconds. */
  readonly at: number | undefined;
}

/**
 * Reads a line of a report log.
 *
 * @returns a denial, `false` for one after which the application asks again, `unparsed`, or undefined for a line about something else
 */
export function readReportLine(
  line: string,
  now: number,
  localTime: LocalTime,
): Refusal | false | 'unparsed' | undefined {
  if (!line.startsWith('DENY ')) return undefined;
  const [, product, , why = '', lastAttempt, month, date, hour, minute] = DENY.exec(line) ?? [];
  if (product === undefined) return 'unparsed';
  // only the last attempt of an application is a denial to its user
  if (Number(lastAttempt) === 0) return false;
  const day = { month: Number(month), date: Number(date) };
  const at = yearlessTime(day, { hour: Number(hour), minute: Number(minute) }, { reference: now, localTime });
  return { product, cause: causes[String(Math.abs(Number(why)))] ?? 'other', at };
}

class ReportLogReader implements DenialReader {
  readonly diagnostics = new DiagnosticsCount();
  readonly daemons: ReadonlySet<string>;
  readonly #isv: string;
  readonly #localTime: LocalTime;

  constructor(isv: string, localTime: LocalTime) {
    this.#isv = isv;
    this.#localTime = localTime;
    // its lines do not name it
    this.daemons = new Set([isv]);
  }

  seek(): void {}

  beginFile(): void {}

  push(lines: Iterable<string>, { now }: { readonly now: number }): readonly Denials[] {
    const denials: Denials[] = [];
    for (const line of lines) {
      const read = line.length > MAX_LINE ? 'unparsed' : readReportLine(line.trimEnd(), now, this.#localTime);
      if (read === 'unparsed') this.diagnostics.addUnparsed(line);
      else if (read && (read.at === undefined || now - read.at <= MAX_REFUSAL_AGE))
        denials.push({ daemon: this.#isv, feature: read.product, cause: read.cause, count: 1 });
    }
    return denials;
  }

  settle(): readonly Denials[] {
    return [];
  }
}

/** Records that only a report log begins with. */
const RECORD =
  /^(?:RLM Report Log|START|PRODUCT|LICENSE FILE|INUSE|OUT|IN|DENY|END|TIMEZONE|AUTH|SHUTDOWN|SWITCH|LOG|QUE|DEQUE|REREAD|SUPPORT)\b/;
/** How many lines are looked at. */
const HEAD = 40;

/** The report log of an ISV server as a log of denials. */
export const reportLog = (isv: string): DenialLog => ({
  name: 'report log',
  remedy: REMEDY,
  createReader: (localTime) => new ReportLogReader(isv, localTime),
  problemOf: (head) => {
    if (head.includes('\0')) return `is not text; set ${REMEDY}`;
    const lines = head.split('\n').slice(0, -1);
    if (lines.some((line) => RECORD.test(line.trim()))) return undefined;
    return lines.length >= HEAD || isForeign(head)
      ? `is not a report log of RLM${noneOf(head)}; set ${REMEDY}`
      : undefined;
  },
});
