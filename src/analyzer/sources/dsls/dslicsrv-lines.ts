import { wholeNumber } from '../lines.ts';
import { type SourceTime, timeOf } from '../times.ts';

/** The lines of DSLicSrv. */

/** What stands before an answer. */
export const PROMPT = /^(?:\s*admin\s*>)+\s*/i;
/** How the heading of the table begins. */
export const TABLE = 'Editor,EditorId,Feature,';
/** `Dassault Systemes    (5E756A80-1C80-478D-B83A-1D5913677621)`: the licenses of an editor follow. */
export const EDITOR = /^\s*\S.*\([0-9a-f]{8}(?:-[0-9a-f]{4,12}){0,4}\)$/i;
/** A server that does not serve licenses. */
export const NOT_READY = /^\s*Ready:\s*no\b/i;
/** Lines about the tool, the server and its settings. */
export const noise: readonly RegExp[] = [
  /^\s*License Administration Tool\b/i,
  /^\s*(?:Software version|Build date|Server names?|Ready|Computer name|Licensing port|Administration port|Password protected|Automatic recycling enabled|Enable offline license extraction|Remote administration):/i,
  /^\s*(?:Standalone|Failover|Cluster) mode\b|^\s*Server configuration$|^\s*Warning:\s/i,
  /^\s*(?:connect|disconnect|getLicense\w*|getServer\w*|quit|exit)\b/i,
  // the list of licenses
  /^\s*Status\s+Editor\s+Model\s|^\s*(?:active|inactive|expired|invalid)\s+\S.*\sUTC\b|^\s*(?:active|expired)\s.*\d{4}-\d{2}-\d{2}\.\d/i,
];

/** Times as a JVM writes them in its locale: `2025-01-01 00:59:00`, `6/30/24, 4:59:00 PM`, `13.09.2025, 01:59:00`, `2025/9/26 上午7:59:00`. */
const MOMENT =
  /^(\d{1,4})([-/.]) ?(\d{1,2})[-/.] ?(\d{1,4})\.?,?\s*(AM|PM|上午|下午|午前|午後|오전|오후)?\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?\s*(AM|PM)?$/;
const AFTERNOON = new Set(['PM', '下午', '午後', '오후']);

/** Epoch seconds. Undefined for another form, and where nothing says which number is the month. */
export function momentOf(written: string, localTime: SourceTime): number | undefined {
  const match = MOMENT.exec(written.trim());
  if (match === null) return undefined;
  const [, first = '', separator = '', second, third = '', before, hour, minute, secondOfMinute = '0', after] = match;
  const half = before ?? after;
  const isYearFirst = first.length === 4;
  if (!isYearFirst && separator === '/' && half === undefined) return undefined;
  const [year, month, date] = isYearFirst
    ? [first, second, third]
    : separator === '.'
      ? [third, second, first]
      : [third, first, second];
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (AFTERNOON.has(half) ? 12 : 0);
  const fullYear = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  const clock = { hour: hours, minute: Number(minute), second: Number(secondOfMinute) };
  return timeOf(fullYear, { month: Number(month), date: Number(date) }, clock, localTime);
}

/** The cells of a line of the table. A name with a comma is in quotes. */
export function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (let from = 0; from <= line.length; ) {
    const isQuoted = line[from] === '"';
    const quote = isQuoted ? line.indexOf('"', from + 1) : -1;
    const comma = line.indexOf(',', quote === -1 ? from : quote);
    const to = comma === -1 ? line.length : comma;
    cells.push((quote === -1 ? line.slice(from, to) : line.slice(from + 1, quote)).trim());
    from = to + 1;
  }
  return cells;
}

/** `label: value` pairs, and the text before the first one. */
export function labelled(
  line: string,
  labels: RegExp,
): { readonly head: string; readonly values: ReadonlyMap<string, string> } {
  const [head = '', ...parts] = line.split(labels);
  const values = new Map<string, string>();
  for (let at = 0; at + 1 < parts.length; at += 2)
    values.set((parts[at] ?? '').toLowerCase(), (parts[at + 1] ?? '').trim());
  return { head: head.trim(), values };
}

export const OF_POOL =
  /(?:^|\s)(maxReleaseNumber|maxReleaseDate|expirationDate|type|count|inuse|customerId|pricing structure):?(?=\s|[\d:])/i;
/** Labels of a user, or of a process of one. */
export const OF_USER = /(?:^|\s)(internal Id|granted since|last used at|by user|on host|tokens|queue position):/i;
/** `ws1 (41D614510658D14D-0a19ad1a.1)/10.0.0.1  ada   C:\…`: a process of a user. */
export const PROCESS = /^\s*(\S+)\s+\([^()]*\)\/(\S*)\s+(\S.*)$/;

/** A number of licenses. Undefined for another word. */
export const count = (written: string | undefined): number | 'uncounted' | undefined => {
  if (/^unlimited$/i.test(written ?? '')) return 'uncounted';
  return wholeNumber(written);
};
