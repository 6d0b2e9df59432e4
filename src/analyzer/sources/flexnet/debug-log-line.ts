import type { DenialCause } from '../../../base/model/observation/observation.ts';
import { MAX_LINE, wholeNumber } from '../lines.ts';
import { dayIn, monthOf } from '../times.ts';

/** The lines of FlexNet's debug log that say when something happened, and who got a license or did not. */

/** A line of the debug log of which time and daemon are known. */
export interface LogLine {
  /** Seconds of the clock since midnight. */
  readonly clock: number;
  /** The day, from lines that name it. Days are counted from 1970-01-01. */
  readonly day: number | undefined;
  /** The vendor daemon or `lmgrd`; undefined for a banner. */
  readonly daemon: string | undefined;
  readonly event: LogEvent | 'unparsed' | undefined;
  /** What a line without an event says, with the white space at its end. */
  readonly message?: string;
}

/** A license was checked out, checked in, or refused. */
export interface LogEvent {
  readonly kind: 'out' | 'in' | 'denied';
  readonly feature: string;
  readonly licenses: number;
  /** User, host and, if the line has it, process; undefined if they are not in the line. They must not leave the reader. */
  readonly client: string | undefined;
  /** What stands in brackets. */
  readonly checkoutData: string | undefined;
  /** Why it was refused; undefined if the line does not say so. */
  readonly cause: DenialCause | undefined;
  /** Only the verbose form has them. */
  readonly counts: LogCounts | undefined;
}

/** Licenses of a feature at an event. */
interface LogCounts {
  /** As the client asks for it. */
  readonly version: string;
  readonly inUse: number;
  readonly outOf: number;
}

/** Error numbers of FlexNet (vendor's documentation) that say more than that a request was refused. */
const causes: Readonly<Record<string, DenialCause>> = {
  '-4': 'all_in_use',
  '-5': 'not_licensed',
  '-10': 'expired',
  '-18': 'not_licensed',
  '-21': 'not_licensed',
  '-24': 'all_in_use',
  '-25': 'not_licensed',
  '-38': 'not_permitted',
  '-39': 'not_permitted',
  '-87': 'not_permitted',
};

/** The error number is in the last group: `(Licensed number of users already reached. (-4,342:10054 ""))`. */
function causeIn(rest: string): DenialCause | undefined {
  const [, number] = /\((-\d{1,4})[,:)][^()]*\)\)?\s*$/.exec(rest.split('^^^', 1)[0] ?? '') ?? [];
  return number === undefined ? undefined : (causes[number] ?? 'other');
}

/** Of a client. */
export function userOf(client: string): string {
  const end = client.lastIndexOf('@');
  return end > 0 ? client.slice(0, end) : client;
}

/** Seconds between a line and the time in its text, if the text says when the line was written. */
const SAME_MOMENT = 120;
const MAX_FEATURE = 200;

/** What nearly all lines of a log look like: a pattern for all lines takes five times as long. */
const USUAL =
  /^(\d{1,2}):(\d{2}):(\d{2}) \(([^()]{1,64})\) (OUT|IN): "([^"]{1,200})" ([^\s"()[\]^]{1,300})\s*(?:\((\d{1,6}) licenses?\)\s*)?$/;

const PREFIX = /^\s*(\d{1,2}):(\d{2}):(\d{2})\s+\(([^()]{1,64})\)\s?/;
const DATED_PREFIX = /^\s*(\d{4})-(\d{2})-(\d{2})[T ](\d{1,2}):(\d{2}):(\d{2})\S*\s+\(([^()]{1,64})\)\s?/;
/** The time as syslog and the journal of systemd write it before each line: `Aug  3 09:00:00`, ISO 8601, `Mon 2026-08-03 09:00:00 UTC`. */
const JOURNAL_TIME =
  '[A-Z][a-z]{2} [ \\d]\\d \\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?|\\d{4}-\\d{2}-\\d{2}T[\\d:.,+Z-]{8,24}|[A-Z][a-z]{2} \\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2} [A-Z]{1,5}';
/** With the host and the program: `lic1 lmgrd[123]: `. */
const JOURNAL = new RegExp(`^(?:${JOURNAL_TIME}) [^\\s()]{1,253} [^\\s:()]{1,64}: ?`);
const TIMESTAMP = /^TIMESTAMP\s+(\d{1,2})\/(\d{1,2})\/(\d{4})/;
const STARTED = /\((\d{1,2})\/(\d{1,2})\/(\d{4})\)\s*$/;
/** `Mon Oct 06 2014 07:47:04`, after `Start-Date:`, `Time:`, `Reread time:` and in banners, or with the year at its end. */
const FULL_DATE =
  /\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? ([a-z]{3})[a-z]{0,6} +(\d{1,2}),? (?:(\d{4}) (\d{1,2}):(\d{2}):(\d{2})|(\d{1,2}):(\d{2}):(\d{2}) (?:[a-z]{1,5} )?(\d{4}))/i;

/** Undefined for a date that does not exist, or that no log can have. */
const dayOf = (year: string | undefined, month: number, date: string | undefined): number | undefined =>
  Number(year) >= 1990 && Number(year) < 2200 ? dayIn(Number(year), { month, date: Number(date) }) : undefined;

function clockOf(hour: string | undefined, minute: string | undefined, second: string | undefined): number | undefined {
  const isClock = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  return isClock ? Number(hour) * 3600 + Number(minute) * 60 + Math.min(Number(second), 59) : undefined;
}

/** A line as its daemon wrote it. */
export const withoutJournal = (line: string): string => line.replace(JOURNAL, '');

/** A day with its time of the clock, anywhere in a text. */
function momentIn(text: string): { day: number; clock: number } | undefined {
  const found = FULL_DATE.exec(text);
  if (found === null) return undefined;
  const [, monthName = '', date, earlyYear, ...others] = found;
  const [hour, minute, second] = earlyYear === undefined ? others.slice(3) : others;
  const day = dayOf(earlyYear ?? others[6], monthOf(monthName) ?? 0, date);
  const clock = clockOf(hour, minute, second);
  return day === undefined || clock === undefined ? undefined : { day, clock };
}

/** The day that a message names as that of its own line. */
function dayNamedIn(message: string, clock: number): number | undefined {
  const [, month, date, year] =
    TIMESTAMP.exec(message) ?? ((message.includes(' started on ') && STARTED.exec(message)) || []);
  if (month !== undefined) return dayOf(year, Number(month), date);
  // `Time: DATE` is now; a peak `attempted at DATE` or a request that took long `at DATE` may have been at this time of another day
  const found = FULL_DATE.exec(message);
  const isNow = found !== null && /:\s*$/.test(message.slice(0, found.index));
  const moment = isNow ? momentIn(message) : undefined;
  return moment !== undefined && Math.abs(moment.clock - clock) <= SAME_MOMENT ? moment.day : undefined;
}

interface Details {
  readonly user: string;
  readonly process: string;
  readonly counts: LogCounts | undefined;
}

/**
 * The details between `^^^`: `version user address process handle in_use out_of …` (vendor's documentation); the user may have
 * several words. Without an address, the others are not known.
 */
function detailsIn(rest: string): Details | undefined {
  const at = rest.indexOf('^^^');
  if (at === -1) return undefined;
  const words = rest
    .slice(at + 3)
    .trim()
    .split(/\s+/);
  const address = words.findIndex((word, i) => i > 1 && /^(?:\d+\.\d+\.\d+\.\d+|[\da-f]*:[\da-f:.]*)$/i.test(word));
  if (address === -1) return { user: words[1] ?? '', process: '', counts: undefined };
  const [process = '', , ...others] = words.slice(address + 1);
  const [inUse, outOf] = others.map((word) => wholeNumber(word));
  const counts = inUse === undefined || outOf === undefined ? undefined : { version: words[0] ?? '', inUse, outOf };
  return { user: words.slice(1, address).join(' '), process, counts };
}

/** `user@host`, where the user may have several words, up to the details. The verbose form adds the process. */
function clientOf(rest: string, details: Details | undefined): string | undefined {
  const end = rest.search(/\s(?:\s|\[|\(|"|\^\^\^)/);
  const client = (end === -1 ? rest : rest.slice(0, end)).trim();
  if (client === '' || client.startsWith('(') || client.startsWith('[')) return undefined;
  if (details === undefined) return client;
  const { user, process } = details;
  // the verbose form may have the user only in the details
  return `${client.startsWith('@') ? user : ''}${client}\0${process}`;
}

/** `"feature" rest`, `feature rest`, or the old form `2 feature to user` */
function splitFeature(text: string): [feature: string, rest: string] | undefined {
  const [, feature, rest = ''] =
    /^"([^"]+)"\s*(.*)$/.exec(text) ??
    /^(?:\d+ )?"?([^\s"]+)"? (?:to|by) (.+)$/.exec(text) ??
    /^([^\s"]\S*)\s+(.*)$/.exec(text) ??
    [];
  return feature === undefined || feature.length > MAX_FEATURE ? undefined : [feature, rest];
}

/** `(3 licenses)`, or before the feature in the old form. One where the line has no number. */
function licensesIn(text: string): number {
  const [, before, after] = /^(\d{1,6}) \S+ (?:to|by) |\((\d{1,6}) licenses?\)/.exec(text) ?? [];
  return Number(before ?? after ?? 1);
}

function eventOf(kind: LogEvent['kind'], text: string): LogEvent | 'unparsed' {
  const split = splitFeature(text);
  if (split === undefined) return 'unparsed';
  // the feature can be followed by a group without a meaning here, such as (PORT_AT_HOST_PLUS   )
  const rest = split[1].replace(/^\([^()]*\)\s+/, '');
  const [, inBrackets = ''] = /\s\[([^\]]*)\]/.exec(` ${rest}`) ?? [];
  // some daemons write the process there (assumed: a feature whose name is a number would show it wrong)
  const isProcess = /^\d{1,10}$/.test(inBrackets);
  const details = detailsIn(rest);
  const client = clientOf(rest, details);
  return {
    kind,
    feature: split[0],
    licenses: licensesIn(text),
    client: isProcess && details === undefined && client !== undefined ? `${client}\0${inBrackets}` : client,
    checkoutData: isProcess || inBrackets === '' ? undefined : inBrackets,
    cause: kind === 'denied' ? causeIn(rest) : undefined,
    counts: details?.counts,
  };
}

/** A session takes more licenses, or gives some back: `(5->6 licenses)`. */
function upgradeOf(text: string): LogEvent | 'unparsed' {
  const [, before, after] = /\((\d{1,6})->(\d{1,6}) licenses?\)/.exec(text) ?? [];
  if (after === undefined) return 'unparsed';
  const more = Number(after) - Number(before);
  const event = eventOf(more < 0 ? 'in' : 'out', text);
  return event === 'unparsed' ? event : { ...event, licenses: Math.abs(more) };
}

const kinds: Readonly<Record<string, LogEvent['kind']>> = { OUT: 'out', IN: 'in', DENIED: 'denied' };

/** A checkout or a checkin in its usual form. */
function readUsualLine(line: string): LogLine | undefined {
  const [, hour, minute, second, daemon, kind = '', feature = '', client, licenses] = USUAL.exec(line) ?? [];
  const clock = clockOf(hour, minute, second);
  const eventKind = kinds[kind];
  if (clock === undefined || eventKind === undefined) return undefined;
  const event = {
    kind: eventKind,
    feature,
    licenses: licenses === undefined ? 1 : Number(licenses),
    client,
    checkoutData: undefined,
    cause: undefined,
    counts: undefined,
  };
  return { clock, day: undefined, daemon, event };
}

/** What a line says. Undefined for one without a time. */
export function readLogLine(written: string): LogLine | undefined {
  if (written.length > MAX_LINE) return undefined;
  const usual = readUsualLine(written);
  if (usual !== undefined) return usual;
  const line = withoutJournal(written);
  const plain = PREFIX.exec(line);
  const dated = plain === null ? DATED_PREFIX.exec(line) : null;
  const prefix = plain ?? dated;
  if (prefix === null) {
    const moment = momentIn(line);
    return moment === undefined ? undefined : { ...moment, daemon: undefined, event: undefined };
  }
  const [hour, minute, second, daemon] = prefix.slice(dated === null ? 1 : 4);
  const clock = clockOf(hour, minute, second);
  if (clock === undefined) return undefined;
  const message = line.slice(prefix[0].length).trimStart();
  const day = dated === null ? undefined : dayOf(dated[1], Number(dated[2]), dated[3]);
  const [whole, kind = ''] = /^([A-Z]+):\s*/.exec(message) ?? [];
  if (whole === undefined) {
    return { clock, day: day ?? dayNamedIn(message, clock), daemon, event: undefined, message };
  }
  // other events have users and hosts in their text, which are no dates
  const eventKind = kinds[kind];
  const text = message.slice(whole.length).trimEnd();
  if (kind === 'UPGRADE') return { clock, day, daemon, event: upgradeOf(text) };
  if (eventKind === undefined) return { clock, day, daemon, event: undefined };
  return { clock, day, daemon, event: eventOf(eventKind, text) };
}

/**
 * What a file is by its beginning. The REPORT log of a vendor daemon is encrypted, so that only the programs of the vendor
 * can read it.
 */
export function formOfLog(head: string): 'debug' | 'report' | 'other' | undefined {
  const text = head.replaceAll('\0', '').replace(/^(?:\ufeff|\u00ff\u00fe|\u00fe\u00ff|\u00ef\u00bb\u00bf)/, '');
  const lines = text.split('\n').slice(0, -1).map(withoutJournal);
  if (lines.some((line) => DATED_PREFIX.test(line) || PREFIX.test(line))) return 'debug';
  if (/^#?\s*(?:FLEX\S*|Report)\b[^\n]{0,40}\breport\s?log/i.test(text)) return 'report';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text has none of them
  const binary = text.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g)?.length ?? 0;
  if (binary * 50 > text.length) return 'report';
  return lines.length >= 40 ? 'other' : undefined;
}
