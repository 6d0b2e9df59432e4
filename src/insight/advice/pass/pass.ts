import { setTimeout } from 'node:timers/promises';
import { isKnown, unknown } from '../../../base/model/unknown.ts';
import { inTurn, runSliced, untilAborted } from '../../../base/scheduling/slices.ts';
import type { CurrentInventory } from '../../../exporter/inventory/current.ts';
import type { Advice, AdviceContext, WorkingTime } from '../method/advice.ts';
import { applied, BackTest, type CutsOf, type EarlierCut, isYearAgo, type OriginResult } from '../method/back-test.ts';
import type { DayColumns, Demand, SeriesName } from '../method/demand.ts';
import { evaluating } from '../method/evaluation.ts';
import { isMistaken, recordedRefusalsOf } from '../method/refusals.ts';
import { type DemandSource, type ListedSeries, NOT_POLLED, NothingKnown } from './demand-source.ts';
import { keyOf, knownFeaturesOf } from './known-features.ts';
import { createReservationStatements, type WithoutReservations } from './without-reservations.ts';

export interface PassOptions {
  readonly source: DemandSource;
  readonly inventory: CurrentInventory['latest'];
  readonly tolerance: number;
  readonly workingTime: WorkingTime;
  readonly withoutReservations: readonly WithoutReservations[];
  /** The local day of today. */
  readonly today: number;
  /** Whether today is an earlier day: what was bought is that of its history then, and what is gone now was there. */
  readonly isEarlier?: boolean;
  /** The advice of earlier months. */
  readonly cutsOf?: CutsOf;
  /** Of the last pass. */
  readonly lastAdvice: Iterable<Advice>;
  /** `mayRise` of the last pass of a day before. */
  readonly mayRiseBefore: (series: SeriesName) => boolean | undefined;
  readonly signal: AbortSignal;
  /** Called after each series, with how many of how many are done. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** The advice on all series of one pass. */
export interface PassResult {
  /** In the order of the list. */
  readonly advice: readonly Advice[];
  readonly backTest: readonly OriginResult[];
  /** The first recorded day of any series that was read. */
  readonly firstDay: number | undefined;
  readonly leftOut: number;
  /** Series whose history could not be read, and why the first one could not. */
  readonly failed: number;
  readonly firstFailure: string | undefined;
  /** Series of which reservations are recorded although `rightsizing.without_reservations` says that no licenses are reserved. */
  readonly reserved: readonly SeriesName[];
}

/** After this many series in succession that cannot be read, the others cannot either. */
const MOST_FAILURES = 20;

/** The longest pause after a series. */
const MOST_PAUSE_MS = 10;

const noDays: DayColumns = {
  day: new Int32Array(),
  available: new Float64Array(),
  inUse: new Float64Array(),
  reserved: new Float64Array(),
  denials: new Float64Array(),
};

/** The demand of a series whose history is not read. */
const unread = (series: SeriesName): Demand => ({
  series,
  days: noDays,
  detail: { kind: 'curve', hoursAtLeast: new Float64Array() },
});

/** Computes the advice for all series. @throws Error with the cause, for the operator */
export async function runPass(options: PassOptions): Promise<PassResult> {
  const { source, today, signal, isEarlier = false, cutsOf = () => [] } = options;
  const inventory = options.inventory();
  if (inventory === undefined) throw new NothingKnown(NOT_POLLED);
  const known = await inTurn(() => knownFeaturesOf(inventory));
  const list = await inTurn(() => source.list(known));
  const advice = new Array<Advice>(list.items.length);
  let recordedRefusals = recordedRefusalsOf(options.lastAdvice);
  let failed = 0;
  let inSuccession = 0;
  let firstFailure: string | undefined;

  const statements = createReservationStatements(options.withoutReservations);
  const reserved = new Map<string, SeriesName>();
  const backTest = new BackTest();
  let firstDay: number | undefined;

  const evaluate = (read: Demand, exclusion: string | undefined, cuts: readonly EarlierCut[]): Promise<Advice> => {
    const { series } = read;
    const feature = known.features.get(keyOf(series));
    const reservedNow = isEarlier ? 0 : (feature?.reserved ?? 0);
    const { demand, reservedOn } = statements.of(read, today, reservedNow);
    if (reservedOn !== undefined) reserved.set(keyOf(series), series);
    const bought = (isEarlier ? undefined : feature?.bought) ?? unknown;
    const context: AdviceContext = {
      reservedNow,
      reservedOn,
      mayRiseBefore: options.mayRiseBefore(series),
      yearAgo: cuts.find(({ origin }) => isYearAgo(origin, today)),
      today,
      tolerance: options.tolerance,
      workingTime: options.workingTime,
      bought: isKnown(bought) ? bought : undefined,
      exclusion,
      hasContract: feature !== undefined && !feature.isTaking,
      interval: source.intervalOf(series.vendorLicense),
      refusalsRecorded: recordedRefusals.get(series.vendorLicense),
    };
    return runSliced(untilAborted(evaluating(demand, context), signal));
  };

  const adviseUnread = (series: SeriesName, cuts: readonly EarlierCut[], error: unknown): Promise<Advice> => {
    signal.throwIfAborted();
    const reason = (error as Error).message;
    failed += 1;
    inSuccession += 1;
    firstFailure ??= reason;
    if (inSuccession >= MOST_FAILURES || failed === list.items.length) throw error;
    return evaluate(unread(series), `has a history that could not be read: ${reason}`, cuts);
  };

  const advise = async (item: ListedSeries, isFirst: boolean): Promise<Advice> => {
    const { series, isGone = false } = item;
    const exclusion = isEarlier && isGone ? undefined : item.exclusion;
    const cuts = cutsOf(series);
    if (exclusion !== undefined && !source.readsAll) return evaluate(unread(series), exclusion, cuts);
    try {
      const demand = await source.read(series, today, signal);
      firstDay = Math.min(firstDay ?? today, demand.days.day[0] ?? today);
      if (isFirst) for (const cut of cuts) backTest.add(applied(cut, demand.days, today));
      const result = await evaluate(demand, exclusion, cuts);
      inSuccession = 0;
      return result;
    } catch (error) {
      return adviseUnread(series, cuts, error);
    }
  };

  let done = 0;
  const adviseAll = async (items: Iterable<readonly [number, ListedSeries]>): Promise<void> => {
    const waiting = Iterator.from(items);
    const work = async (): Promise<void> => {
      for (const [i, item] of waiting) {
        const started = performance.now();
        advice[i] = await advise(item, advice[i] === undefined);
        done += 1;
        options.onProgress?.(Math.min(done, advice.length), advice.length);
        // nobody waits for the pass: others get as much of the thread as it takes
        await setTimeout(Math.min(performance.now() - started, MOST_PAUSE_MS), undefined, { signal });
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: source.concurrency }, work));
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  };

  await adviseAll(list.items.entries());
  const found = recordedRefusalsOf(advice);
  const assumed = recordedRefusals;
  recordedRefusals = found;
  await adviseAll([...list.items.entries()].filter(([i]) => isMistaken(advice[i] as Advice, assumed, found)));
  return {
    advice,
    backTest: backTest.results(),
    firstDay,
    leftOut: list.leftOut,
    failed,
    firstFailure,
    reserved: [...reserved.values()],
  };
}
