import type { DenialCause } from '../../model/observation/observation.ts';
import { MAX_LINE } from '../lines.ts';
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
}

/** A license was checked out, or refused. */
export interface LogEvent {
  readonly kind: 'out' | 'denied';
  readonly feature: string;
  /** User, host and, if the line has it, process; undefined if they are not in the line. They must not leave the reader. */
  readonly client: string | undefined;
  /** What stands in brackets. */
  readonly checkoutData: string | undefined;
  /** Why it was refused; undefined if the line does not say so. */
  readonly cause: DenialCause | undefined;
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

/** Seconds between a line and the time in its text, if the text says when the line was written. */
const SAME_MOMENT = 120;
const MAX_FEATURE = 200;

const PREFIX = /^\s*(\d{1,2}):(\d{2}):(\d{2})\s+\(([^()]{1,64})\)\s?/;
const DATED_PREFIX = /^\s*(\d{4})-(\d{2})-(\d{2})[T ](\d{1,2}):(\d{2}):(\d{2})\S*\s+\(([^()]{1,64})\)\s?/;
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
  const moment = momentIn(message);
  // a message may name other moments too, for instance that of the last reread
  return moment !== undefined && Math.abs(moment.clock - clock) <= SAME_MOMENT ? moment.day : undefined;
}

/**
 * The user and the process in the details between `^^^`: `version user address process …`; the user may have several words.
 * Without an address, the process is not known.
 */
function detailsIn(details: string): { user: string; process: string } {
  const words = details.split(/\s+/);
  const address = words.findIndex((word, at) => at > 1 && /^(?:\d+\.\d+\.\d+\.\d+|[\da-f]*:[\da-f:.]*)$/i.test(word));
  if (address === -1) return { user: words[1] ?? '', process: '' };
  return { user: words.slice(1, address).join(' '), process: words[address + 1] ?? '' };
}

/** `user@host`, where the user may have several words, up to the details. The verbose form adds the process. */
function clientOf(rest: string): string | undefined {
  const end = rest.search(/\s(?:\s|\[|\(|"|\^\^\^)/);
  const client = (end === -1 ? rest : rest.slice(0, end)).trim();
  if (client === '' || client.startsWith('(') || client.startsWith('[')) return undefined;
  const at = rest.indexOf('^^^');
  if (at === -1) return client;
  const { user, process } = detailsIn(rest.slice(at + 3).trim());
  // the verbose form may have the user only in the details
  return `${client.startsWith('@') ? user : ''}${client}\0${process}`;
}

/** `"feature" rest`, `feature rest`, or the old form `2 feature to user` */
function splitFeature(text: string): [feature: string, rest: string] | undefined {
  const [, feature, rest = ''] =
    /^"([^"]+)"\s*(.*)$/.exec(text) ??
    /^(?:\d+ )?(\S+) (?:to|by) (.+)$/.exec(text) ??
    /^([^\s"]\S*)\s+(.*)$/.exec(text) ??
    [];
  return feature === undefined || feature.length > MAX_FEATURE ? undefined : [feature, rest];
}

function eventOf(kind: LogEvent['kind'], text: string): LogEvent | 'unparsed' {
  const split = splitFeature(text);
  if (split === undefined) return 'unparsed';
  // the feature can be followed by a group without a meaning here, such as (PORT_AT_HOST_PLUS   )
  const rest = split[1].replace(/^\([^()]*\)\s+/, '');
  const [, checkoutData] = /\s\[([^\]]*)\]/.exec(` ${rest}`) ?? [];
  return { kind, feature: split[0], client: clientOf(rest), checkoutData, cause: causeIn(rest) };
}

/** What a line says. Undefined for one without a time. */
export function readLogLine(line: string): LogLine | undefined {
  if (line.length > MAX_LINE) return undefined;
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
  const message = line.slice(prefix[0].length).trim();
  const day = dated === null ? undefined : dayOf(dated[1], Number(dated[2]), dated[3]);
  const [whole, kind] = /^([A-Z]+):\s*/.exec(message) ?? [];
  if (whole === undefined) return { clock, day: day ?? dayNamedIn(message, clock), daemon, event: undefined };
  // other events have users and hosts in their text, which are no dates
  if (kind !== 'OUT' && kind !== 'DENIED') return { clock, day, daemon, event: undefined };
  return { clock, day, daemon, event: eventOf(kind === 'OUT' ? 'out' : 'denied', message.slice(whole.length)) };
}

/**
 * What a file is by its beginning. The REPORT log of a vendor daemon is encrypted, so that only the programs of the vendor
 * can read it.
 */
export function formOfLog(head: string): 'debug' | 'report' | 'other' | undefined {
  const text = head.replaceAll('\0', '').replace(/^(?:\ufeff|\u00ff\u00fe|\u00fe\u00ff|\u00ef\u00bb\u00bf)/, '');
  const lines = text.split('\n').slice(0, -1);
  if (lines.some((line) => DATED_PREFIX.test(line) || PREFIX.test(line))) return 'debug';
  if (/^#?\s*(?:FLEX\S*|Report)\b[^\n]{0,40}\breport\s?log/i.test(text)) return 'report';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text has none of them
  const binary = text.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g)?.length ?? 0;
  if (binary * 50 > text.length) return 'report';
  return lines.length >= 40 ? 'other' : undefined;
}
