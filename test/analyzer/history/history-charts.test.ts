import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getEfficiency,
  getHeatMap,
  getHistory,
  getHistoryReserved,
} from '../../../src/analyzer/history/history-charts.ts';
import type { Recorded } from '../../../src/analyzer/history/recorded-days.ts';
import { Recorder } from '../../../src/analyzer/history/recorder.ts';
import type { Figures, Series } from '../../../src/analyzer/history/sample.ts';
import { createSlots } from '../../../src/analyzer/history/slots.ts';
import { openStore, type Store } from '../../../src/analyzer/history/store.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { UNCOUNTED } from '../../../src/base/model/uncounted.ts';
import { isLong } from '../../support/extent.ts';
import { onlyFigures } from '../../support/store-samples.ts';

/**
 * Every history answer against a recomputation from the raw samples, second by second, which uses nothing of the program except
 * the input figures. The calendar comes from Intl, minute by minute.
 */

/** A time zone and a day around which its clock changes, or not. */
const places = [
  ['UTC', '2026-02-27'],
  ['Europe/Berlin', '2026-10-24'],
  ['Europe/Berlin', '2026-03-28'],
  ['America/New_York', '2026-10-31'],
  // half an hour
  ['Australia/Lord_Howe', '2026-04-04'],
  ['Australia/Lord_Howe', '2026-10-03'],
  // at midnight
  ['America/Santiago', '2026-09-05'],
  ['Asia/Kolkata', '2026-12-30'],
] as const;

interface Collection {
  /** Seconds after the beginning. */
  readonly after: number;
  /** By series; `undefined` where the vendor license is not reached. */
  readonly figures: readonly (Figures | undefined)[];
}

interface Scenario {
  readonly place: (typeof places)[number];
  readonly interval: number;
  /** From the middle on, as after a restart with another setting. */
  readonly secondInterval: number;
  readonly collections: readonly Collection[];
  readonly lookedAt: number;
}

const allSeries: readonly Series[] = [
  { vendorLicense: 'a;d', feature: 'one', package: '', featureType: 'feature' },
  { vendorLicense: 'a;d', feature: 'one', package: 'suite', featureType: 'component' },
  { vendorLicense: 'b;d', feature: 'two', package: '', featureType: 'feature' },
];

const DAY = 86_400;
const LENGTH = 4 * DAY;

/** Figures that are known, but for one of so many. */
const figuresOf = (isUnknown: (figure: fc.Arbitrary<number>) => fc.Arbitrary<number | undefined>) =>
  fc.record({
    available: isUnknown(fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 9 }) }, fc.constant(UNCOUNTED))),
    inUse: isUnknown(fc.nat({ max: 5 })),
    reserved: isUnknown(fc.nat({ max: 3 })),
    users: isUnknown(fc.nat({ max: 4 })),
    denials: isUnknown(fc.oneof(fc.constant(0), fc.nat({ max: 3 }))),
  });
const known = figuresOf((figure) => figure);
const seldomUnknown = figuresOf((figure) => fc.option(figure, { nil: undefined, freq: 6 }));
const oftenUnknown = figuresOf((figure) => fc.option(figure, { nil: undefined, freq: 1 }));

const scenarioOf = (figures: fc.Arbitrary<Figures>): fc.Arbitrary<Scenario> =>
  fc.record({
    place: fc.constantFrom(...places),
    interval: fc.constantFrom(300, 420, 900, 1000, 3600),
    secondInterval: fc.constantFrom(300, 3600),
    collections: fc.array(
      fc.record({
        after: fc.nat({ max: LENGTH }),
        figures: fc.tuple(...allSeries.map(() => fc.option(figures, { nil: undefined, freq: 8 }))),
      }),
      { minLength: 1, maxLength: 120, size: 'max' },
    ),
    lookedAt: fc.nat({ max: 3 * DAY }),
  });
const scenario = fc.oneof(scenarioOf(known), scenarioOf(seldomUnknown), scenarioOf(oftenUnknown));

/** What the clock on the wall shows, by the minute. */
interface Wall {
  readonly date: string;
  readonly hour: number;
  readonly weekday: string;
}

type WallClock = (at: number) => Wall;

/** To ask Intl is what takes most of the time, and scenarios share their minutes. */
const walls = new Map<string, WallClock>();

function wallOf(timeZone: string): WallClock {
  const wall = walls.get(timeZone) ?? createWall(timeZone);
  walls.set(timeZone, wall);
  return wall;
}

function createWall(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    weekday: 'short',
  });
  const minutes = new Map<number, Wall>();
  return (at) => {
    const minute = Math.floor(at / 60);
    const found = minutes.get(minute);
    if (found !== undefined) return found;
    const parts = Object.fromEntries(format.formatToParts(minute * 60_000).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, weekday = '' } = parts;
    const wall = { date: `${year}-${month}-${day}`, hour: Number(hour), weekday: weekday.replace('.', '') };
    minutes.set(minute, wall);
    return wall;
  };
}

interface RawSample extends Figures {
  readonly at: number;
  readonly seconds: number;
}

/** Samples by series, with those of one slot as one. */
type Raw = RawSample[][];

/** Slots counted from midnight on the wall. */
function slotOf(at: number, interval: number, wall: (at: number) => Wall): number {
  const minute = Math.floor(at / 60) * 60;
  let midnight = minute;
  while (wall(midnight - 60).date === wall(minute).date) midnight -= 60;
  return midnight + Math.floor((at - midnight) / interval) * interval;
}

type Figure = number | undefined;

/** Of figures of different times those that are not known do not count. */
const mostOf = (a: Figure, b: Figure): Figure => (a === undefined ? b : b === undefined ? a : Math.max(a, b));
const more = (a: Figure, b: Figure): Figure => (a === undefined ? b : b === undefined ? a : a + b);
/** Of figures of one time the sum is not known where one of them is not. */
const together = (a: Figure, b: Figure): Figure => (a === undefined || b === undefined ? undefined : a + b);
/** Uncounted licenses are in no sum. */
const counted = (a: Figure, b: Figure): Figure => (b === UNCOUNTED ? a : a === UNCOUNTED ? b : together(a, b));

function addRaw(raw: Raw, series: number, sample: RawSample): void {
  const list = raw[series] as RawSample[];
  const i = list.findIndex(({ at }) => at === sample.at);
  const same = list[i];
  if (same === undefined) {
    list.push(sample);
    list.sort((a, b) => a.at - b.at);
    return;
  }
  list[i] = {
    at: same.at,
    seconds: Math.max(same.seconds, sample.seconds),
    available: mostOf(same.available, sample.available),
    inUse: mostOf(same.inUse, sample.inUse),
    reserved: mostOf(same.reserved, sample.reserved),
    users: mostOf(same.users, sample.users),
    denials: more(same.denials, sample.denials),
  };
}

interface Second {
  available: number | undefined;
  inUse: number | undefined;
  reserved: number | undefined;
  users: number | undefined;
}

/** What is known of the refusals of the series that have data in an hour, by date, hour and series. */
type Refused = Map<string, Map<number, Map<number, Figure>>>;

/** What the chosen series had, for each second with data. */
function bySecond(
  raw: Raw,
  chosen: readonly number[],
  now: number,
  wall: (at: number) => Wall,
): { seconds: Map<number, Second>; refused: Refused } {
  const seconds = new Map<number, Second>();
  const refused: Refused = new Map();
  const refuse = (at: number, series: number, denials: Figure): void => {
    const { date, hour } = wall(at);
    const hours = refused.get(date) ?? new Map<number, Map<number, Figure>>();
    const bySeries = hours.get(hour) ?? new Map<number, Figure>();
    bySeries.set(series, more(bySeries.get(series), denials));
    refused.set(date, hours.set(hour, bySeries));
  };
  for (const series of chosen) {
    const list = raw[series] ?? [];
    for (const [i, sample] of list.entries()) {
      const { date } = wall(sample.at);
      const end = Math.min(sample.at + sample.seconds, list[i + 1]?.at ?? Number.POSITIVE_INFINITY, now);
      for (let at = sample.at; at < Math.max(end, sample.at + 1) && wall(at).date === date; at += 1) {
        const sum = seconds.get(at) ?? { available: UNCOUNTED, inUse: 0, reserved: 0, users: undefined };
        sum.available = counted(sum.available, sample.available);
        sum.inUse = together(sum.inUse, sample.inUse);
        sum.reserved = together(sum.reserved, sample.reserved);
        sum.users = mostOf(sum.users, sample.users);
        // they count in the hour where the sample begins, and not in later hours, which begin at a full minute
        if (at === sample.at) refuse(at, series, sample.denials);
        else if (at % 60 === 0 && sample.denials !== undefined) refuse(at, series, 0);
        else if (at % 60 === 0) refuse(at, series, undefined);
        seconds.set(at, sum);
      }
    }
  }
  return { seconds, refused };
}

/** The first minute of the hour on the wall, or of the day. */
function startOf(at: number, of: 'date' | 'hour', wall: (at: number) => Wall): number {
  const key = (time: number): string => (of === 'date' ? wall(time).date : `${wall(time).date} ${wall(time).hour}`);
  let start = Math.floor(at / 60) * 60;
  while (key(start - 60) === key(at)) start -= 60;
  return start;
}

/** Whether an hour counts for a window. */
function isInWindow(hourStart: number, window: string, now: number, wall: (at: number) => Wall): boolean {
  const { date } = wall(hourStart);
  const today = wall(now).date;
  const hours = { '101': 24, '107': 24 * 7, '465': 24 * 365 }[window];
  if (hours !== undefined) return hourStart >= startOf(now, 'hour', wall) - (hours - 1) * 3600 && hourStart <= now;
  const [year = 0, month = 0] = today.split('-').map(Number);
  const monthsAgo = (date_: string): number => {
    const [y = 0, m = 0] = date_.split('-').map(Number);
    return (year - y) * 12 + (month - m);
  };
  if (window === '301') return monthsAgo(date) === 1;
  if (window === '401') return Math.floor((monthsAgo(date) + 2 - ((month - 1) % 3)) / 3) === 1;
  if (window === '201') {
    const age = (Date.parse(today) - Date.parse(date)) / 86_400_000;
    const weekday = new Date(today).getUTCDay();
    return age > weekday && age <= weekday + 7;
  }
  return date.startsWith(window);
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Everything the four endpoints must answer. */
function recompute(raw: Raw, chosen: readonly number[], now: number, wall: (at: number) => Wall, window: string) {
  const { seconds, refused } = bySecond(raw, chosen, now, wall);
  interface Day extends Partial<Record<'available' | 'held' | 'reserved' | 'users' | 'inUse', Figure>> {
    readonly start: number;
  }
  const days = new Map<string, Day>();
  const level = new Map<number, number>();
  const heat = new Map<string, [number, number, number]>();
  const hourStarts = new Map<string, number>();
  const hoursInWindow = new Map<number, boolean>();
  for (const [at, { available, inUse, reserved, users }] of seconds) {
    const { date, hour, weekday } = wall(at);
    const day: Day = days.get(date) ?? { start: startOf(at, 'date', wall) };
    days.set(date, day);
    day.available = mostOf(day.available, available);
    day.inUse = mostOf(day.inUse, inUse);
    day.reserved = mostOf(day.reserved, reserved);
    day.users = mostOf(day.users, users);
    day.held = more(day.held, inUse);
    const key = `${date} ${hour}`;
    const hourStart = hourStarts.get(key) ?? startOf(at, 'hour', wall);
    hourStarts.set(key, hourStart);
    if (inUse === undefined) continue;
    const isIn = hoursInWindow.get(hourStart) ?? isInWindow(hourStart, window, now, wall);
    hoursInWindow.set(hourStart, isIn);
    if (!isIn) continue;
    level.set(inUse, (level.get(inUse) ?? 0) + 1);
    const cell = `${weekday} ${hour}`;
    const most = Math.max(heat.get(cell)?.[2] ?? 0, inUse);
    heat.set(cell, [hour, weekdays.indexOf(weekday), most]);
  }
  const inOrder = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  const highest = Math.max(0, ...level.keys());
  const efficiency = Array.from({ length: highest }, (_, i) => {
    const atLeast = [...level].filter(([inUse]) => inUse >= i + 1).reduce((sum, [, count]) => sum + count, 0);
    return [String(i + 1), atLeast / 3600];
  });
  return {
    trend: [
      inOrder.map(([, { start, available }]) => [start * 1000, available]),
      inOrder.map(([, { start, held }]) => [start * 1000, held === undefined ? undefined : held / 3600]),
      inOrder.map(([date, { start }]) => {
        const hours = [...(refused.get(date)?.values() ?? [])];
        return [start * 1000, hours.map((bySeries) => [...bySeries.values()].reduce(together)).reduce(more)];
      }),
    ].map((points) => points.filter(([, value]) => value !== undefined)),
    reserved: {
      categories: inOrder.map(([date]) => date),
      data: [
        inOrder.map(([, { reserved }]) => reserved ?? null),
        inOrder.map(([, { users }]) => users ?? null),
        inOrder.map(([, { inUse }]) => inUse ?? null),
      ],
    },
    efficiency,
    heat: [...heat.values()].sort(([h1, w1], [h2, w2]) => w1 - w2 || h1 - h2),
  };
}

/** Records the collections as the analyzer does, and keeps what went in. */
async function play({
  place,
  interval,
  secondInterval,
  collections,
}: Scenario): Promise<{ store: Store; raw: Raw; begin: number }> {
  const [timeZone, date] = place;
  const localTime = createLocalTime(timeZone);
  const wall = wallOf(timeZone);
  const begin = Date.parse(`${date}T00:00:00Z`) / 1000;
  const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
  const raw: Raw = allSeries.map(() => []);
  const inOrder = collections.toSorted((a, b) => a.after - b.after);
  const half = Math.floor(inOrder.length / 2);
  for (const [part, seconds] of [
    [inOrder.slice(0, half), interval],
    [inOrder.slice(half), secondInterval],
  ] as const) {
    const recorder = new Recorder({
      // a restart keeps what is stored
      open: () => ({ ...store, close: () => {} }),
      localTime,
      sampleDays: 30,
      days: 400,
      onProblem: (error) => {
        throw error;
      },
      onRecovery: () => {},
    });
    for (const { after, figures: bySeries } of part) {
      const at = begin + after;
      const recorded = allSeries.flatMap((series, i): [Series, Figures][] => {
        const figures = bySeries[i];
        if (figures === undefined) return [];
        addRaw(raw, i, { at: slotOf(at, seconds, wall), seconds, ...figures });
        return [[series, figures]];
      });
      await recorder.record(createSlots(localTime, seconds).of(at), seconds, onlyFigures(recorded));
    }
    await recorder.stop();
  }
  return { store, raw, begin };
}

const selections = [
  { selector: { product: 'a;d', feature: 'one', package: '', featureType: 'feature' }, chosen: [0] },
  { selector: { product: 'a;d', feature: 'one', package: '', featureType: '' }, chosen: [0, 1] },
  { selector: { product: 'a;d', feature: 'one', package: 'su%te', featureType: '' }, chosen: [1] },
  { selector: { product: '%', feature: '%' }, chosen: [0, 1, 2] },
  { selector: { product: 'A;D', feature: 'one' }, chosen: [] },
];

const windows = ['2026-10', '2026-03', '101', '107', '465', '201', '301', '401'];

const toParameters = (window: string): { year: string; month: string; last?: string } => {
  const [year = '', month] = window.split('-');
  return month === undefined ? { year: '1999', month: '1', last: window } : { year, month };
};

describe('history', () => {
  it('of several series has what they hold at the very second it is asked', async () => {
    const localTime = createLocalTime('Europe/Berlin');
    const store = openStore({ path: undefined, localTime, origin: 'test', maxSize: 2 ** 30 });
    const now = Date.UTC(2026, 9, 26, 8) / 1000;
    const figures = { available: 5, inUse: 2, reserved: 0, users: 1, denials: 0 };
    for (const _ of store.record(now, 900, onlyFigures(allSeries.map((series) => [series, figures]))));
    const recorded: Recorded = { store, localTime, now };
    const all = { product: '%', feature: '%' };
    const [heat] = await getHeatMap(recorded, all, { year: '2026', month: '10' });
    expect(heat?.series[0]?.data).toEqual([[9, 1, 6]]);
    expect((await getHistoryReserved(recorded, all))[0]?.series.map(({ data }) => data)).toEqual([[0], [1], [6]]);
    store.close();
  });

  it('is what a recomputation by the second gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario,
        fc.constantFrom(...selections),
        fc.constantFrom(...windows),
        async (played, { selector, chosen }, window) => {
          const { store, raw, begin } = await play(played);
          const [timeZone] = played.place;
          const wall = wallOf(timeZone);
          const latest = begin + Math.max(...played.collections.map(({ after }) => after));
          const now = latest + played.lookedAt;
          const recorded: Recorded = { store, localTime: createLocalTime(timeZone), now };
          const wanted = recompute(raw, chosen, now, wall, window);

          const trend = await getHistory(recorded, selector);
          expect(trend.map(({ name, type, yAxis }) => [name, type, yAxis])).toEqual([
            ['Max Available', 'line', 0],
            ['Elapsed Time', 'column', 1],
            ['Denials', 'column', 2],
          ]);
          expect(trend.map(({ data }) => data)).toEqual(wanted.trend);

          const [reserved] = await getHistoryReserved(recorded, selector);
          expect(reserved?.series.map(({ name }) => name)).toEqual([
            'Reserved Licenses',
            'Distinct Users',
            'Max In Use',
          ]);
          expect(reserved?.categories).toEqual(wanted.reserved.categories);
          expect(reserved?.series.map(({ data }) => data)).toEqual(wanted.reserved.data);

          const [efficiency] = await getEfficiency(recorded, selector, toParameters(window));
          expect(efficiency).toEqual({ series: [{ name: 'Total Duration', data: wanted.efficiency }] });

          const [heat] = await getHeatMap(recorded, selector, toParameters(window));
          expect(heat?.series).toEqual([{ name: 'Max In Use', data: wanted.heat }]);
          store.close();
        },
      ),
      { numRuns: isLong ? 1000 : 20 },
    );
  });
});
