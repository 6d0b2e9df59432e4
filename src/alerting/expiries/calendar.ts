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

/** All-day events, such as expiries, as a calendar (RFC 5545) that programs subscribe to, or that a mail carries. */

/** What a calendar shows on one day. A name cannot break the format. */
export interface CalendarEvent {
  /** The same texts for the same event, so that a program changes it and does not add another one. */
  readonly identity: readonly (string | undefined)[];
  /** Such as `2026-12-31`. */
  readonly date: string;
  readonly title: string;
  /** The first lines of its description: the first ones of a long list. */
  readonly list: readonly string[];
  /** The other lines. */
  readonly details: readonly (string | undefined)[];
}

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

/** `20 licenses` */
export function licensesText(licenses: Expiry['licenses']): string {
  if (licenses === unknown) return 'number of licenses not known';
  if (licenses === 'uncounted') return licenses;
  return countText(licenses, 'license');
}

/** What expires on the same day: one vendor license of one owner. */
interface Day {
  readonly date: string;
  readonly expiries: Expiry[];
}

/** The first names of a title. */
export const titleNames = (names: readonly string[]): string => limited([...new Set(names)], TITLE_NAMES).join(', ');

function titleOf(expiries: readonly Expiry[], vendorLicense: string): string {
  const [first] = expiries;
  if (expiries.length === 1 && first !== undefined) {
    const count = first.licenses === unknown ? '' : ` (${licensesText(first.licenses)})`;
    return `${first.feature}${count} expires – ${vendorLicense}`;
  }
  const names = expiries.map(({ feature }) => feature);
  const verb = new Set(names).size === 1 ? 'expires' : 'expire';
  return `${titleNames(names)} ${verb} – ${vendorLicense}`;
}

/** One feature in a description: `solver 2024.1, package suite, 20 licenses` */
export function detailOf(item: Omit<Expiry, 'vendorLicense' | 'expiration' | 'owner'>): string {
  const { feature, version, package: pkg, featureType, licenses } = item;
  const parts = [
    `${feature}${version === '' ? '' : ` ${version}`}`,
    featureType === '' ? '' : featureType,
    pkg === '' ? '' : `package ${pkg}`,
    licensesText(licenses),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

const uidOf = (...labels: readonly (string | undefined)[]): string =>
  `${hash('sha256', JSON.stringify(labels.map((label) => label ?? null))).slice(0, 32)}@license-exporter`;

const joined = (lines: readonly (string | undefined)[]): string =>
  lines.flatMap((text) => (text === undefined ? [] : [line(text)])).join('\n');

const eventData = (
  { identity, date, title, list, details }: CalendarEvent,
  url: string | undefined,
): ICalEventData => ({
  id: uidOf(...identity),
  start: date,
  summary: line(title),
  description: joined([...limited(list, LIST_LINES), ...details, url]),
});

function expiryEvent({ date, expiries }: Day): CalendarEvent {
  const { vendorLicense = '', owner } = expiries[0] ?? {};
  return {
    identity: [vendorLicense, owner, date],
    date,
    title: titleOf(expiries, vendorLicense),
    list: expiries.map(detailOf),
    details: [`Vendor license: ${vendorLicense}`, owner === undefined ? undefined : `Owner: ${owner}`],
  };
}

const unknownEvent = (unknowns: readonly UnknownExpiry[], { now, timeZone }: CalendarOptions): CalendarEvent => ({
  // one event that moves with the day
  identity: ['unknown'],
  date: dateText(createLocalTime(timeZone).dayOf(now)),
  title: unknownText(unknowns),
  list: unknowns.map(({ vendorLicense, reason }) => `${vendorLicense}: ${reason}`),
  details: [],
});

function unknownText({ length }: readonly UnknownExpiry[]): string {
  return `Expiries of ${countText(length, 'vendor license')} are not all known`;
}

/** The parts of the text of a calendar, each made when it is read. An event that is `undefined` is a pause. */
export function calendarParts(
  events: Iterable<CalendarEvent | undefined>,
  options: CalendarOptions,
): IteratorObject<string> {
  const { name, now, url, unknown: unknowns = [] } = options;
  const calendar = new ICalCalendar({
    prodId: { company: 'license-exporter', product: 'expirations' },
    method: ICalCalendarMethod.PUBLISH,
    // the library writes these two as they are
    name: escapeText(line(name), false),
    ...(unknowns.length > 0 && { description: escapeText(unknownText(unknowns), false) }),
    ttl: REFRESH,
  });
  const textOf = (event: CalendarEvent): string => {
    const data = { ...eventData(event, url), allDay: true, stamp: new Date(now * 1000) };
    return foldLines(new ICalEvent(data, calendar).toString());
  };
  const phases: readonly (() => Iterable<string>)[] = [
    () => [calendar.toString().slice(0, -END.length)],
    () => (unknowns.length > 0 ? [textOf(unknownEvent(unknowns, options))] : []),
    () => Iterator.from(events).map((event) => (event === undefined ? '' : textOf(event))),
    () => [`${END}\r\n`],
  ];
  return phases.values().flatMap((phase) => phase());
}

/**
 * One event for each day, vendor license and owner. `undefined` is a pause.
 *
 * @param expiries in the order of their dates
 * @param timeZone of the analyzer, IANA name
 */
export function* expiryEvents(
  expiries: readonly Expiry[],
  timeZone: string,
): Generator<CalendarEvent | undefined, void> {
  const days = new Map<string, Day>();
  for (const expiry of expiries) {
    yield undefined;
    const date = expiryDay(expiry.expiration, timeZone);
    if (date === undefined) continue;
    const key = JSON.stringify([date, expiry.vendorLicense, expiry.owner]);
    const day = days.get(key);
    if (day === undefined) days.set(key, { date, expiries: [expiry] });
    else day.expiries.push(expiry);
  }
  yield* days.values().map(expiryEvent);
}

/**
 * The text of a calendar with one all-day event for each day, vendor license and owner.
 *
 * It is made at once. For thousands of expiries, use `calendarParts` and `expiryEvents`.
 */
export const expiryCalendar = (expiries: readonly Expiry[], options: CalendarOptions): string =>
  [...calendarParts(expiryEvents(expiries, options.timeZone), options)].join('');
