import { type Collected, vendorLicenseName } from '../observation/observation.ts';
import type { Source } from '../observation/source.ts';
import type { Slots } from './slots.ts';

export interface CollectorOptions {
  readonly source: Source;
  /** Collections begin with them. */
  readonly slots: Slots;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
  /** Called with each collection and its start time. The next collection waits for it. */
  readonly onCollected?: (at: number, collection: Collection) => Promise<void>;
}

/** The result of one collection. */
export interface Collection {
  /** Every vendor license of the source. */
  readonly all: readonly Collected[];
  /** Those that were reached this time. */
  readonly reached: readonly Collected[];
}

export interface Collector {
  /** Collects once, then at the beginning of every slot. Starts with the data of an earlier run. */
  start(known?: readonly Collected[]): Promise<void>;
  collect(): Promise<void>;
  stop(): void;
  /** In the order of the source. */
  current(): readonly Collected[];
}

/** A vendor license without data for this long counts as down (spec section 8), seconds. */
export const DOWN_AFTER = 30 * 60;

/** Whether the last collection is too old (spec 2.1 IsCurrent, 4.4). */
export function isDown({ collectedAt }: Collected, now: number): boolean {
  return now - collectedAt >= DOWN_AFTER;
}

/** Collects from a source and keeps the newest of each vendor license; one that is unreachable keeps its last data. */
export function createCollector({ source, slots, now, onProblem, onCollected }: CollectorOptions): Collector {
  const stopping = new AbortController();
  let current: readonly Collected[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const at = now();
    const observations = await source.read(stopping.signal);
    const before = new Map(current.map((collected) => [collected.name, collected]));
    const collectedAt = Math.floor(now());
    current = observations.map((observation) => {
      const name = vendorLicenseName(observation);
      if (observation.reachable) return { name, collectedAt, observation };
      return before.get(name) ?? { name, collectedAt: 0, observation };
    });
    const all = current;
    const reached = all.filter((_, i) => observations[i]?.reachable === true);
    await onCollected?.(at, { all, reached });
  };

  const collect = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };

  const schedule = (): void => {
    if (stopping.signal.aborted) return;
    const at = now();
    // a timer may fire a little early, which must not be in the slot before
    const wait = Math.max(0, slots.after(at) - at) * 1000 + 2;
    timer = setTimeout(() => {
      collect()
        .catch((error: unknown) => {
          // aborted by stop: not a problem
          if (!stopping.signal.aborted) onProblem(error);
        })
        .finally(schedule);
    }, wait);
    timer.unref();
  };

  return {
    collect,
    start: async (known = []) => {
      current = known;
      await collect();
      schedule();
    },
    stop: () => {
      clearTimeout(timer);
      stopping.abort();
    },
    current: () => current,
  };
}
