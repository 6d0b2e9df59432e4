import { hash } from 'node:crypto';
import {
  escape as escapeText,
  foldLines,
  ICalCalendar,
  ICalCalendarMethod,
  ICalEvent,
  type ICalEventData,
} from 'ical-generator';
import { expiryDay } from '../../base/model/expiry-day.ts';
import { createLocalTime, dateText } from '../../base/model/local-time.ts';
import { unknown } from '../../base/model/unknown.ts';
import { visible } from '../../base/model/visible-text.ts';
import { countText } from '../../base/texts.ts';
import type { Expiry } from './expiry.ts';
import type { UnknownExpiry } from './unknown-expiry.ts';

/** Expiries as a calendar (RFC 5545) that programs subscribe to, or that a mail carries. */

/** The name, the zone and the links of a calendar. */
export interface CalendarOptions {
  /** Its name in the calendar program. */
  readonly name: string;
  /** Epoch seconds. */
  readonly now: number;
  /** The IANA name of the zone of the analyzer. */
  readonly timeZone: string;
  /** Where people find more, for the descriptions. */
  readonly url: string | undefined;
  /** What is missing in the calendar. Without it, the calendar is complete. */
  readonly unknown?: readonly UnknownExpiry[];
}

/** How long a program keeps the calendar before it asks again, seconds. */
const REFRESH = 6 * 3600;
/** Names in the title of an event. */
const TITLE_NAMES = 3;
/** Lines of a list in a description. */
const LIST_LINES = 50;
/** The last line of a calendar. */
const END = 'END:VCALENDAR';

/** On one line, in which every character can be seen. */
const line = (text: string): string =>
  visible(text)
    .replaceAll(/[\n\t]/g, ' ')
    .toWellFormed();

const limited = (items: readonly string[], most: number): readonly string[] =>
  items.length <= most ? items : [...items.slice(0, most), `and ${items.length - most} more`];

function licensesText(licenses: Expiry['licenses']): string {
  if (licenses === unknown) return 'number of licenses not known';
  if (licenses === 'uncounted') return licenses;
  return countText(licenses, 'license');
}

/** What expires on the same day: one vendor license of one owner. */
interface Day {
  readonly date: string;
  readonly expiries: Expiry[];
}

function titleOf(expiries: readonly Expiry[], vendorLicense: string): string {
  const [first] = expiries;
  if (expiries.length === 1 && first !== undefined) {
    const count = first.licenses === unknown ? '' : ` (${licensesText(first.licenses)})`;
    return `${line(first.feature)}${count} expires – ${vendorLicense}`;
  }
  const names = [...new Set(expiries.map(({ feature }) => line(feature)))];
  const noun = names.length === 1 ? 'expires' : 'expire';
  return `${limited(names, TITLE_NAMES).join(', ')} ${noun} – ${vendorLicense}`;
}

function detailOf({ feature, version, package: pkg, featureType, licenses }: Expiry): string {
  const parts = [
    `${feature}${version === '' ? '' : ` ${version}`}`,
    featureType === '' ? '' : featureType,
    pkg === '' ? '' : `package ${pkg}`,
    licensesText(licenses),
  ];
  return line(parts.filter((part) => part !== '').join(', '));
}

const joined = (lines: readonly (string | undefined)[]): string =>
  lines.filter((text) => text !== undefined).join('\n');

/** The same text for the same expiries, so that a program changes its event and does not add another one. */
const uidOf = (...labels: readonly (string | undefined)[]): string =>
  `${hash('sha256', JSON.stringify(labels.map((label) => label ?? null))).slice(0, 32)}@license-exporter`;

function expiryEvent({ date, expiries }: Day, { url }: CalendarOptions): ICalEventData {
  const { vendorLicense = '', owner } = expiries[0] ?? {};
  const name = line(vendorLicense);
  return {
    id: uidOf(vendorLicense, owner, date),
    start: date,
    summary: titleOf(expiries, name),
    description: joined([
      ...limited(expiries.map(detailOf), LIST_LINES),
      `Vendor license: ${name}`,
      owner === undefined ? undefined : `Owner: ${line(owner)}`,
      url,
    ]),
  };
}

function unknownEvent(unknowns: readonly UnknownExpiry[], { now, timeZone, url }: CalendarOptions): ICalEventData {
  const reasons = unknowns.map(({ vendorLicense, reason }) => line(`${vendorLicense}: ${reason}`));
  return {
    // one event that moves with the day
    id: uidOf('unknown'),
    start: dateText(createLocalTime(timeZone).dayOf(now)),
    summary: unknownText(unknowns),
    description: joined([...limited(reasons, LIST_LINES), url]),
  };
}

function unknownText({ length }: readonly UnknownExpiry[]): string {
  return `Expiries of ${countText(length, 'vendor license')} are not all known`;
}

/**
 * The parts of the text of a calendar, each made when it is read. An empty part is a pause. The expiries are in the order of their
 * dates.
 */
export function calendarParts(expiries: readonly Expiry[], options: CalendarOptions): IteratorObject<string> {
  const { name, now, timeZone, unknown: unknowns = [] } = options;
  const calendar = new ICalCalendar({
    prodId: { company: 'license-exporter', product: 'expirations' },
    method: ICalCalendarMethod.PUBLISH,
    // the library writes these two as they are
    name: escapeText(line(name), false),
    ...(unknowns.length > 0 && { description: escapeText(unknownText(unknowns), false) }),
    ttl: REFRESH,
  });
  const textOf = (event: ICalEventData): string =>
    foldLines(new ICalEvent({ ...event, allDay: true, stamp: new Date(now * 1000) }, calendar).toString());

  const days = new Map<string, Day>();
  const addToDay = (expiry: Expiry): '' => {
    const date = expiryDay(expiry.expiration, timeZone);
    if (date === undefined) return '';
    const key = JSON.stringify([date, expiry.vendorLicense, expiry.owner]);
    const day = days.get(key);
    if (day === undefined) days.set(key, { date, expiries: [expiry] });
    else day.expiries.push(expiry);
    return '';
  };
  const phases: readonly (() => Iterable<string>)[] = [
    () => expiries.values().map(addToDay),
    () => [calendar.toString().slice(0, -END.length)],
    () => (unknowns.length > 0 ? [textOf(unknownEvent(unknowns, options))] : []),
    () => days.values().map((day) => textOf(expiryEvent(day, options))),
    () => [`${END}\r\n`],
  ];
  return phases.values().flatMap((phase) => phase());
}

/**
 * The text of a calendar with one all-day event for each day, vendor license and owner.
 *
 * It is made at once. For thousands of expiries, use `calendarParts`.
 */
export const expiryCalendar = (expiries: readonly Expiry[], options: CalendarOptions): string =>
  [...calendarParts(expiries, options)].join('');
