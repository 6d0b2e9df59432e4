import type { LocalTime } from '../../base/model/local-time.ts';
import {
  type Collected,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../base/model/observation/observation.ts';
import type { Source } from '../../base/model/observation/source.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
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

/** The sources of an analyzer, and who is told about their collections. */
export interface CollectorOptions {
  readonly sources: readonly Source[];
  /** Slots are those of its days. */
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  /** Called with each collection. The next one of the same source waits for it. */
  readonly onCollected?: (collection: Collection, vendorLicenses: ReadonlySet<string>) => Promise<void>;
}

/** What all sources together report, and how they are. */
export interface Collector {
  /**
   * Collects from every source, then at the beginning of every slot. Starts with the data of an earlier run. Resolves
   * when every source has been collected once, or after 10 seconds: a source that hangs does not hold up the others.
   */
  start(known?: readonly Collected[]): Promise<void>;
  /** Resolves when every source has been collected once since the start, however long that takes. */
  firstCollection(): Promise<void>;
  /** Collects from every source now. */
  collect(): Promise<void>;
  /** The clock was set: everything is as old as before, and is collected again at once. @param by seconds */
  move(by: number): void;
  /** Replaces the sources. One that stays the same object goes on undisturbed. */
  replace(sources: readonly Source[]): void;
  stop(): void;
  /** Seconds between two collections of a vendor license; `undefined` if it is not collected. */
  intervalOf(vendorLicense: string): number | undefined;
  /** Seconds between two collections of the source that is collected most often; infinite without sources. */
  shortestInterval(): number;
  /** When a source is collected next, epoch seconds; `undefined` if there is no such source. */
  nextOf(source: string): number | undefined;
  /** In the order of the sources. */
  current(): readonly Collected[];
}

/** A vendor license without data for this long counts as down (spec section 8), seconds. */
export const DOWN_AFTER = 30 * 60;
const FIRST_WAIT_MS = 10_000;

/** Whether the last collection is too old (spec 2.1 IsCurrent, 4.4), here or at another analyzer. */
export function isDown({ collectedAt, observation }: Collected, now: number): boolean {
  return observation.isDownThere === true || now - collectedAt >= DOWN_AFTER;
}

/** Collects from sources, each on its own schedule, and keeps the newest of each vendor license. */
export function createCollector({ onCollected, ...options }: CollectorOptions): Collector {
  const { onProblem } = options;
  let collections: readonly SourceCollection[] = [];
  /** Of all sources. Only the first of two sources with the same vendor license counts. */
  let union: readonly Collected[] = [];
  const reportedNames = new Set<string>();

  const join = (): void => {
    const byName = new Map<string, Collected>();
    for (const collected of collections.flatMap((collection) => collection.current())) {
      const first = byName.get(collected.name);
      if (first === undefined) byName.set(collected.name, collected);
      else reportTwice(first, collected);
    }
    union = [...byName.values()];
  };

  const reportTwice = ({ name, source }: Collected, other: Collected): void => {
    if (reportedNames.has(name)) return;
    reportedNames.add(name);
    const message = `the sources ${source} and ${other.source} both report the vendor license ${name}; that of ${source} is used. Give one of them another part, or remove it`;
    onProblem(new OperatorError(message));
  };

  const add = async (collection: Collection): Promise<void> => {
    join();
    const used = new Set(union);
    const reached = collection.reached.filter((collected) => used.has(collected));
    await onCollected?.({ ...collection, reached }, new Set(union.map(({ name }) => name)));
  };

  /** @returns the collections of new sources */
  const replace = (sources: readonly Source[]): readonly SourceCollection[] => {
    const before = new Map(collections.map((collection) => [collection.source, collection]));
    collections = sources.map(
      (source) => before.get(source) ?? createSourceCollection({ ...options, source, onCollected: add }),
    );
    for (const collection of before.values()) if (!collections.includes(collection)) collection.stop();
    return collections.filter(({ source }) => !before.has(source));
  };

  const restore = (restored: readonly SourceCollection[], known: readonly Collected[]): void => {
    for (const collection of restored) collection.restore(known);
    join();
  };

  let first: Promise<unknown> = Promise.resolve();
  replace(options.sources);

  return {
    firstCollection: async () => {
      await first;
    },
    collect: async () => {
      await Promise.all(collections.map((collection) => collection.collect()));
    },
    start: async (known = []) => {
      restore(collections, known);
      first = Promise.all(collections.map((collection) => collection.start()));
      const waiting = Promise.withResolvers<void>();
      const timer = setTimeout(waiting.resolve, FIRST_WAIT_MS);
      await Promise.race([first, waiting.promise]);
      clearTimeout(timer);
    },
    replace: (sources) => {
      const added = replace(sources);
      restore(added, union);
      for (const collection of added) void collection.start();
    },
    move: (by) => {
      for (const collection of collections) collection.move(by);
      join();
    },
    stop: () => {
      for (const collection of collections) collection.stop();
    },
    intervalOf: (vendorLicense) => {
      const source = union.find(({ name }) => name === vendorLicense)?.source;
      return collections.find((collection) => collection.source.name === source)?.source.interval;
    },
    shortestInterval: () => Math.min(...collections.map(({ source }) => source.interval)),
    nextOf: (name) => collections.find(({ source }) => source.name === name)?.next(),
    current: () => union,
  };
}
