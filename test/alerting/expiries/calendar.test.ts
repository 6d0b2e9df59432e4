import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import {
  type CalendarOptions,
  calendarParts,
  expiryCalendar,
  expiryEvents,
} from '../../../src/alerting/expiries/calendar.ts';
import type { Expiry } from '../../../src/alerting/expiries/expiry.ts';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import { NOW } from '../../support/scenario.ts';

const berlin = createLocalTime('Europe/Berlin');

const options: CalendarOptions = {
  name: 'License expiries',
  now: NOW,
  timeZone: 'Europe/Berlin',
  url: 'https://licenses.example.com/',
};

const expiry = (fields: Partial<Expiry> = {}): Expiry => ({
  vendorLicense: 'lic01;cdslmd',
  feature: 'base',
  version: '22.1',
  package: '',
  featureType: 'Feature',
  licenses: 10,
  // 2026-12-24 in Berlin, the day before in UTC
  expiration: Date.UTC(2026, 11, 23, 23, 30) / 1000,
  owner: 'cad',
  ...fields,
});

function parse(text: string): { calendar: ICAL.Component; events: readonly ICAL.Event[] } {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return { calendar, events: calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event)) };
}

const eventsOf = (expiries: readonly Expiry[], changes: Partial<CalendarOptions> = {}): readonly ICAL.Event[] =>
  parse(expiryCalendar(expiries, { ...options, ...changes })).events;

describe('calendar of expiries', () => {
  it('has an all-day event on the day at the site', () => {
    const [event] = eventsOf([expiry()]);
    expect(event?.startDate.toString()).toBe('2026-12-24');
    expect(event?.startDate.isDate).toBe(true);
    expect(event?.endDate.toString()).toBe('2026-12-25');
    expect(event?.summary).toBe('base (10 licenses) expires – lic01;cdslmd');
    expect(event?.description).toBe(
      'base 22.1, Feature, 10 licenses\nVendor license: lic01;cdslmd\nOwner: cad\nhttps://licenses.example.com/',
    );
  });

  it('is published for subscribers, with a name and a refresh interval', () => {
    const { calendar } = parse(expiryCalendar([], options));
    expect(calendar.getFirstPropertyValue('method')).toBe('PUBLISH');
    expect(calendar.getFirstPropertyValue('x-wr-calname')).toBe('License expiries');
    expect(calendar.getFirstPropertyValue('x-published-ttl')).toBe('PT6H');
    expect(calendar.getFirstPropertyValue('x-wr-caldesc')).toBeNull();
  });

  it.each([
    [1, 'base (1 license) expires – lic01;cdslmd'],
    ['uncounted', 'base (uncounted) expires – lic01;cdslmd'],
    [unknown, 'base expires – lic01;cdslmd'],
  ] as const)('says how many licenses expire: %s', (licenses, summary) => {
    expect(eventsOf([expiry({ licenses })])[0]?.summary).toBe(summary);
  });

  it('has one event for what a vendor license and an owner lose on one day', () => {
    const features = ['a', 'b', 'c', 'd', 'd'].map((feature, at) => expiry({ feature, version: `${at}` }));
    const events = eventsOf([...features, expiry({ owner: undefined }), expiry({ vendorLicense: 'lic02;x' })]);
    expect(events.map(({ summary }) => summary)).toEqual([
      'a, b, c, and 1 more expire – lic01;cdslmd',
      'base (10 licenses) expires – lic01;cdslmd',
      'base (10 licenses) expires – lic02;x',
    ]);
    expect(events[0]?.description).toContain('d 3, Feature, 10 licenses\nd 4, Feature, 10 licenses\n');
    expect(events[1]?.description).not.toContain('Owner');
  });

  it('keeps the UID of an event while its features and the time change, and has another one for another day', () => {
    const uid = (fields: Partial<Expiry>, now = NOW) => eventsOf([expiry(fields)], { now })[0]?.uid;
    expect(uid({ licenses: 5 }, NOW + 99)).toBe(uid({}));
    expect(eventsOf([expiry(), expiry({ feature: 'mesh' })])[0]?.uid).toBe(uid({}));
    const others = [uid({}), uid({ owner: 'cae' }), uid({ vendorLicense: 'lic02;x' }), uid({ expiration: NOW })];
    expect(new Set(others).size).toBe(4);
  });

  it('says today what is not known', () => {
    const unknowns = [
      { vendorLicense: 'lic01;a', reason: 'timed out' },
      { vendorLicense: 'lic02;b', reason: 'refused' },
    ];
    const { calendar, events } = parse(expiryCalendar([expiry()], { ...options, unknown: unknowns }));
    expect(calendar.getFirstPropertyValue('x-wr-caldesc')).toBe('Expiries of 2 vendor licenses are not all known');
    expect(events[0]?.summary).toBe('Expiries of 2 vendor licenses are not all known');
    expect(events[0]?.startDate.toString()).toBe(dateText(berlin.dayOf(NOW)));
    expect(events[0]?.description).toContain('lic01;a: timed out\nlic02;b: refused\n');
    expect(events).toHaveLength(2);
  });

  it('cannot be broken by a name', () => {
    const hostile = 'x\r\nEND:VCALENDAR\r\n,;\\"\u202egnp\u2066\0\ud800\u2028é😀'.repeat(9);
    const text = expiryCalendar([expiry({ feature: hostile, vendorLicense: hostile, owner: hostile })], {
      ...options,
      name: hostile,
      unknown: [{ vendorLicense: hostile, reason: hostile }],
    });
    const { calendar, events } = parse(text);
    expect(events).toHaveLength(2);
    const shown = hostile
      .replaceAll(/[\r\u202e\u2066\0\ud800\u2028](?![\udc00-\udfff])/g, '\ufffd')
      .replaceAll('\n', ' ');
    // ical.js does not unescape properties that it does not know
    const name = String(calendar.getFirstPropertyValue('x-wr-calname'));
    expect(name.replaceAll(/\\(.)/g, '$1')).toBe(shown);
    expect(events[1]?.summary).toBe(`${shown} (10 licenses) expires – ${shown}`);
    expect(text.match(/^END:VCALENDAR$/gm)).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
    const longest = Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)));
    expect(longest).toBeLessThanOrEqual(75);
  });

  it('is the same in parts', () => {
    const expiries = Array.from({ length: 100 }, (_, at) => expiry({ expiration: NOW + at * 86_400 }));
    const parts = [...calendarParts(expiryEvents(expiries, options.timeZone), options)];
    expect(parts.length).toBeGreaterThan(100);
    expect(parts.join('')).toBe(expiryCalendar(expiries, options));
  });
});
