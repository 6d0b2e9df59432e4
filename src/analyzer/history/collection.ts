import type { LocalTime } from '../../base/model/local-time.ts';
import {
  type Collected,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../base/model/observation/observation.ts';
import type { Source } from '../../base/model/observation/source.ts';
import { createSlots } from './slots.ts';

/** One reading of a source. */
export interface Collection {
  readonly source: Source;
  /** When it began, epoch seconds. */
  readonly at: number;
  /** The beginning of the slot in which it began, epoch seconds. */
  readonly slot: number;
  /** Vendor licenses that were reached. */
  readonly reached: readonly Collected[];
  /** The names of all vendor licenses that it is about, those that are gone included. */
  readonly names: readonly string[];
}

/** One source, when it is collected, and who is told. */
export interface SourceCollectionOptions {
  readonly source: Source;
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  /** The next collection of this source waits for it. */
  readonly onCollected: (collection: Collection) => Promise<void>;
}

/** Collects from one source, and keeps the newest of each of its vendor licenses. */
export interface SourceCollection {
  readonly source: Source;
  /** In the order of the source. */
  current(): readonly Collected[];
  /** Begins with the last observations of an earlier process. */
  restore(known: readonly Collected[]): void;
  collect(): Promise<void>;
  /** The clock was set: everything is as old as before, and is collected again at once. @param by seconds */
  move(by: number): void;
  /** Collects now, and at every slot from now on. Resolves when the first collection is over. */
  start(): Promise<void>;
  /** When it is collected next, epoch seconds. */
  next(): number;
  stop(): void;
}

/** Collects one source in each of its slots. A slot that is due while it is still collected is left out and counted. */
export function createSourceCollection(options: SourceCollectionOptions): SourceCollection {
  const { source, localTime, now, onProblem, onCollected } = options;
  const slots = createSlots(localTime, source.interval);
  const stopping = new AbortController();
  let current: readonly Collected[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const keep = (observation: VendorLicenseObservation, before: Collected | undefined, at: number): Collected => {
    const collected = { source: source.name, name: vendorLicenseName(observation), observation };
    if (observation.reachable) return { ...collected, collectedAt: at };
    if (before === undefined || before.collectedAt === 0) return { ...collected, collectedAt: 0 };
    if (observation.isDownThere !== true) return before;
    return { ...before, observation: { ...before.observation, isDownThere: true } };
  };

  const read = async (): Promise<void> => {
    const begun = now();
    const slot = slots.of(begun);
    const observations = await source.read(stopping.signal);
    const before = new Map(current.map((collected) => [collected.name, collected]));
    const at = Math.floor(now());
    current = observations.map((observation) => keep(observation, before.get(vendorLicenseName(observation)), at));
    const reached = current.filter(
      (_, i) => observations[i]?.reachable === true && observations[i]?.isDownThere !== true,
    );
    const names = [...new Set([...before.keys(), ...current.map(({ name }) => name)])];
    await onCollected({ source, at: begun, slot, reached, names });
  };

  const collect = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };

  const attempt = (): Promise<void> =>
    collect().catch((error: unknown) => {
      // aborted by stop: not a problem
      if (!stopping.signal.aborted) onProblem(error);
    });

  /** Never twice at once: a collection that is due before the previous one is over is left out. */
  const collectAtSlot = (): void => {
    if (running === undefined) void attempt();
    else source.skip?.();
  };

  const next = (): number => slots.after(now() - source.offset) + source.offset;

  const schedule = (): void => {
    if (stopping.signal.aborted) return;
    // a timer may fire a little early, which must not be in the slot before
    const wait = Math.max(0, next() - now()) * 1000 + 2;
    timer = setTimeout(() => {
      collectAtSlot();
      schedule();
    }, wait);
    timer.unref();
  };

  return {
    source,
    current: () => current,
    restore: (known) => {
      const at = Math.floor(now());
      const own = known.filter((collected) => collected.source === source.name);
      // by a clock that was ahead then, it could be from the future
      current = own.map((one) => ({ ...one, collectedAt: Math.min(one.collectedAt, at) }));
      source.restore?.(current);
    },
    collect,
    move: (by) => {
      const later = (at: number): number => (at > 0 ? Math.round(at + by) : at);
      current = current.map((one) => ({ ...one, collectedAt: later(one.collectedAt) }));
      source.move?.(by);
      if (timer === undefined) return;
      clearTimeout(timer);
      schedule();
      // one that is running began by the other clock
      void Promise.resolve(running?.catch(() => undefined)).then(attempt);
    },
    start: () => {
      schedule();
      return attempt();
    },
    next,
    stop: () => {
      clearTimeout(timer);
      stopping.abort();
    },
  };
}
