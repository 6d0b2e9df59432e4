import type { LocalTime } from '../../../base/model/local-time.ts';
import type { EndedWaits } from '../../../base/model/observation/observation.ts';
import { parseVendorLicense } from '../../../base/model/vendor-license.ts';
import { runSliced, untilAborted } from '../../../base/scheduling/slices.ts';
import type { DayColumns, Demand, DemandColumns, SeriesName, WaitsByDay } from '../method/demand.ts';
import { WINDOW_DAYS } from '../method/window.ts';
import type { DemandSource, ListedSeries } from './demand-source.ts';
import { type KnownFeatures, keyOf, type Taker } from './known-features.ts';

/**
 * Demand from the history of an analyzer in this process, also of licenses that are taken by other features: at each moment all tokens
 * that the features of a pool take, or the most that any component of a package takes; what is recorded of the pool or package itself,
 * if that is more. Hours have the time at each level, not when in the hour it was: the highest levels of all features are taken to be
 * at one time. So a sum is never too low.
 */

/** The hours of days from one to before another, ascending. */
export type Hours = (from: number, to: number) => Iterable<DemandColumns>;

/** A feature that takes licenses of another one. */
export interface TakingHours extends Pick<Taker, 'cost' | 'takes'> {
  readonly hours: Hours;
  readonly waits: WaitsByDay;
}

/** Licenses in use and how long, seconds; the highest first, and NaN, which is unknown, last. */
type Levels = (readonly [inUse: number, seconds: number])[];

const byLevel = ([a]: Levels[number], [b]: Levels[number]): number =>
  Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : b - a;

function levelsOf({ firstLevel, inUse, seconds }: DemandColumns, hour: number, cost: number): Levels {
  const levels: Levels = [];
  for (let i = firstLevel[hour] as number; i < (firstLevel[hour + 1] as number); i += 1) {
    levels.push([cost * (inUse[i] as number), seconds[i] as number]);
  }
  return levels.sort(byLevel);
}

/** Two levels at each time, as one. What lasts longer goes on with what is known of it alone. */
function combined(a: Levels, b: Levels, join: (a: number, b: number) => number): Levels {
  const result: Levels = [];
  let [i, j] = [0, 0];
  let [left, right] = [a[0]?.[1] ?? 0, b[0]?.[1] ?? 0];
  while (i < a.length || j < b.length) {
    const [x, y] = [a[i]?.[0], b[j]?.[0]];
    const seconds = x === undefined ? right : y === undefined ? left : Math.min(left, right);
    result.push([x === undefined ? (y as number) : y === undefined ? x : join(x, y), seconds]);
    left -= seconds;
    right -= seconds;
    if (x !== undefined && left <= 0) {
      i += 1;
      left = a[i]?.[1] ?? 0;
    }
    if (y !== undefined && right <= 0) {
      j += 1;
      right = b[j]?.[1] ?? 0;
    }
  }
  return result.sort(byLevel);
}

const sum = (a: number, b: number): number => a + b;
/** The higher one, or the one that is known. */
const highest = (a: number, b: number): number => (Number.isNaN(a) || a < b ? b : a);
/** The sum of what is known. */
const addKnown = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : a + b);

interface Hour {
  readonly hour: number;
  available: number;
  reserved: number;
  denials: number;
  own: Levels;
  taken: Levels;
}

/** Those of a day by the hour of the clock, which can come twice. */
function hoursOf(
  pool: DemandColumns | undefined,
  features: readonly (readonly [DemandColumns, TakingHours])[],
): Hour[] {
  const found = new Map<string, Hour>();
  const at = (columns: DemandColumns, i: number): Hour => {
    const hour = columns.hour[i] as number;
    const isSecond = i > 0 && columns.hour[i - 1] === hour;
    const key = `${hour} ${isSecond}`;
    const empty = { hour, available: Number.NaN, reserved: Number.NaN, denials: Number.NaN, own: [], taken: [] };
    const known = found.get(key) ?? empty;
    found.set(key, known);
    return known;
  };
  for (let i = 0; i < (pool?.count ?? 0); i += 1) {
    const columns = pool as DemandColumns;
    const known = at(columns, i);
    known.available = columns.available[i] as number;
    known.reserved = columns.reserved[i] as number;
    known.denials = columns.denials[i] as number;
    known.own = levelsOf(columns, i, 1);
  }
  for (const [columns, { cost, takes }] of features) {
    const join = takes === 'tokens' ? sum : highest;
    for (let i = 0; i < columns.count; i += 1) {
      const known = at(columns, i);
      known.denials = addKnown(known.denials, columns.denials[i] as number);
      known.taken = combined(known.taken, levelsOf(columns, i, cost), join);
    }
  }
  return [...found.values()].sort((a, b) => a.hour - b.hour);
}

function columnsOf(day: number, hours: readonly Hour[]): DemandColumns {
  const levels = hours.map(({ own, taken }) => combined(own, taken, highest));
  const firstLevel = new Int32Array(hours.length + 1);
  for (const [i, of] of levels.entries()) firstLevel[i + 1] = (firstLevel[i] as number) + of.length;
  const all = levels.flat();
  const column = (of: (hour: Hour) => number): Float64Array => Float64Array.from(hours, of);
  return {
    day,
    count: hours.length,
    hour: column(({ hour }) => hour),
    available: column(({ available }) => available),
    reserved: column(({ reserved }) => reserved),
    denials: column(({ denials }) => denials),
    firstLevel,
    inUse: Float64Array.from(all, ([inUse]) => inUse),
    seconds: Float64Array.from(all, ([, seconds]) => seconds),
  };
}

/** The days of all, each with what is recorded of it. */
function* inStep(all: readonly Hours[], from: number, to: number): Generator<(DemandColumns | undefined)[]> {
  const readers = all.map((hours) => Iterator.from(hours(from, to)));
  try {
    const next = readers.map((reader) => reader.next());
    for (;;) {
      const day = Math.min(...next.map(({ done, value }) => (done === true ? Number.POSITIVE_INFINITY : value.day)));
      if (day === Number.POSITIVE_INFINITY) return;
      yield next.map(({ done, value }) => (done !== true && value.day === day ? value : undefined));
      for (const [i, { done, value }] of next.entries()) {
        if (done !== true && value.day === day) next[i] = (readers[i] as (typeof readers)[number]).next();
      }
    }
  } finally {
    for (const reader of readers) reader.return?.();
  }
}

const most = (values: Float64Array): number => values.reduce(highest, Number.NaN);

/** The days of a pool as their hours show them. */
function daysOf({ days }: Demand, found: readonly DemandColumns[]): DayColumns {
  const own = new Map(Array.from(days.day, (day, i) => [day, i]));
  const ofPool = (column: Float64Array): Float64Array =>
    Float64Array.from(found, ({ day }) => column[own.get(day) ?? -1] ?? Number.NaN);
  return {
    day: Int32Array.from(found, ({ day }) => day),
    available: ofPool(days.available),
    inUse: Float64Array.from(found, ({ inUse }) => most(inUse)),
    reserved: ofPool(days.reserved),
    denials: Float64Array.from(found, ({ denials }) => denials.reduce(addKnown, Number.NaN)),
  };
}

const wasDenied = (columns: DemandColumns | undefined): boolean =>
  columns?.denials.some((denials) => denials > 0) === true;

/** All licenses of a feature that takes others were in use: whether those that it takes were, only their hours say. */
const ofTaken = (waits: readonly EndedWaits[]): readonly EndedWaits[] =>
  waits.map((one) => (one.cause === 'all_busy' ? { ...one, cause: 'all_in_use' } : one));

/** The people of a pool and of the features that take from it; undefined if those of one that was denied are not known. */
function waitsOf(
  [own, ...taking]: readonly (DemandColumns | undefined)[],
  ownWaits: WaitsByDay,
  takers: readonly TakingHours[],
): readonly EndedWaits[] | undefined {
  const day = [own, ...taking].find((one) => one !== undefined)?.day ?? Number.NaN;
  const all = [ownWaits.get(day), ...takers.map(({ waits }) => waits.get(day))];
  const isUnknown = [own, ...taking].some((one, i) => wasDenied(one) && all[i] === undefined);
  if (isUnknown || all.every((waits) => waits === undefined)) return undefined;
  return all.flatMap((waits = [], i) => (i === 0 ? waits : ofTaken(waits)));
}

/** All days together, a day in each step. */
function* combineDays(
  { hours: ownHours, waits: ownWaits }: Pick<TakingHours, 'hours' | 'waits'>,
  takers: readonly TakingHours[],
  [from, to]: readonly [number, number],
): Generator<void, { readonly days: DemandColumns[]; readonly waits: WaitsByDay }> {
  const found: DemandColumns[] = [];
  const known = new Map<number, readonly EndedWaits[]>();
  for (const [columns, ...others] of inStep([ownHours, ...takers.map((taker) => taker.hours)], from, to)) {
    const taking = others.flatMap((of, i): (readonly [DemandColumns, TakingHours])[] =>
      of === undefined ? [] : [[of, takers[i] as TakingHours]],
    );
    const day = (columns ?? taking[0]?.[0])?.day as number;
    found.push(columnsOf(day, hoursOf(columns, taking)));
    const waits = waitsOf([columns, ...others], ownWaits, takers);
    if (waits !== undefined) known.set(day, waits);
    yield;
  }
  return { days: found, waits: known };
}

/**
 * The demand of a pool or package. Hundreds of features can take licenses of one, so that their years are read in slices.
 *
 * @param today does not count
 */
async function withTakers(
  own: Demand,
  ownHours: Pick<TakingHours, 'hours' | 'waits'>,
  takers: readonly TakingHours[],
  { today, signal }: { readonly today: number; readonly signal: AbortSignal },
): Promise<Demand> {
  const whole = [own.days.day[0] ?? today, today] as const;
  const { days, waits } = await runSliced(untilAborted(combineDays(ownHours, takers, whole), signal));
  const hours: Hours = (from, to) => days.filter(({ day }) => from <= day && day < to);
  return { ...own, days: daysOf(own, days), detail: { kind: 'hours', hours, waits } };
}

/** The store of an analyzer in the same process. Its methods throw errors with a message for the operator. */
export interface RecordedHistory<S extends SeriesName = SeriesName> {
  readonly localTime: LocalTime;
  series(): readonly S[];
  /** Days before this one are complete. */
  sealedUntil(): number;
  totals(series: S, before: number): DayColumns;
  hours(series: S, from: number, to: number): Iterable<DemandColumns>;
  /** The days from one to before another of which the people who waited are known. */
  waits(
    series: S,
    from: number,
    to: number,
  ): readonly { readonly day: number; readonly waits: readonly EndedWaits[] }[];
  intervalOf(vendorLicense: string): number | undefined;
  pastAdded(): Promise<void>;
  pastDaysLeft(): number | undefined;
}

/** The vendor licenses and features that are reported here, by their canonical names. */
export type Owns = (series: SeriesName) => boolean;

const canonical = <S extends SeriesName>({
  vendorLicense,
  feature,
  package: packageName,
  featureType,
}: S): SeriesName => ({
  vendorLicense: parseVendorLicense(vendorLicense).vendorLicense,
  feature,
  package: packageName,
  featureType,
});

/** Reads what an analyzer in the same process has recorded. */
export function createRecordedSource<S extends SeriesName>(history: RecordedHistory<S>, owns: Owns): DemandSource {
  /** The recorded series by canonical names. */
  let recorded = new Map<string, readonly S[]>();
  let takersOf: (key: string) => readonly Taker[] = () => [];
  const storedOf = (series: SeriesName): S | undefined => recorded.get(keyOf(series))?.[0];

  const exclusionOf = (known: KnownFeatures, key: string, series: SeriesName): string | undefined => {
    if ((recorded.get(key)?.length ?? 0) > 1) return 'is recorded for several parts of the vendor license';
    const feature = known.features.get(key);
    if (feature !== undefined) return feature.exclusion;
    if (!known.isCollected(series.vendorLicense))
      return 'is not listed, because its license server was never collected';
    return isGone(known, key, series) ? 'is not listed any more' : undefined;
  };

  const isGone = (known: KnownFeatures, key: string, series: SeriesName): boolean =>
    !known.features.has(key) && known.isComplete(series.vendorLicense);

  return {
    localTime: history.localTime,
    concurrency: 1,
    readsPast: true,
    readsAll: true,
    ready: () => history.pastAdded(),
    waitsFor: () => {
      const days = history.pastDaysLeft();
      return days === undefined ? undefined : `${days} days of earlier history are still being written`;
    },
    isComplete: (today) => history.sealedUntil() >= today,
    intervalOf: (vendorLicense) => history.intervalOf(vendorLicense),
    list: (known) => {
      const found = new Map<string, S[]>();
      for (const series of history.series()) {
        const key = keyOf(series);
        if (found.has(key)) found.get(key)?.push(series);
        else if (owns(canonical(series))) found.set(key, [series]);
      }
      recorded = found;
      takersOf = (key) => known.features.get(key)?.takers ?? [];
      const items: ListedSeries[] = [];
      for (const [key, [first]] of found) {
        const series = canonical(first as S);
        items.push({ series, exclusion: exclusionOf(known, key, series), isGone: isGone(known, key, series) });
      }
      return { items, leftOut: 0 };
    },
    read: async (series, today, signal) => {
      const stored = storedOf(series);
      if (stored === undefined) throw new Error('it is not recorded any more');
      const recordedOf = (of: S): Pick<TakingHours, 'hours' | 'waits'> => ({
        hours: (from, to) => history.hours(of, from, Math.min(to, today)),
        waits: new Map(history.waits(of, today - WINDOW_DAYS, today).map(({ day, waits }) => [day, waits])),
      });
      const own = recordedOf(stored);
      const demand: Demand = { series, days: history.totals(stored, today), detail: { kind: 'hours', ...own } };
      const taking = takersOf(keyOf(series)).flatMap(({ series: taker, cost, takes }): TakingHours[] => {
        const of = storedOf(taker);
        return of === undefined ? [] : [{ ...recordedOf(of), cost, takes }];
      });
      return taking.length === 0 ? demand : withTakers(demand, own, taking, { today, signal });
    },
  };
}
