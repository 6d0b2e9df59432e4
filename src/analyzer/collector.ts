import type { Source, VendorLicenseObservation } from './source.ts';

/** What is known of one vendor license: its last good observation, and whether that is of the last collection. */
export interface Collected {
  /** `server;daemon` or `server;daemon;part`. */
  readonly name: string;
  /** Epoch seconds of the last collection with data, 0 without one. */
  readonly collectedAt: number;
  readonly observation: VendorLicenseObservation;
}

export interface CollectorOptions {
  readonly source: Source;
  /** Seconds. */
  readonly interval: number;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

export interface Collector {
  /** Collects once, then on every interval. */
  start(): Promise<void>;
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
export function createCollector({ source, interval, now, onProblem }: CollectorOptions): Collector {
  const stopping = new AbortController();
  let current: readonly Collected[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const observations = await source.read(stopping.signal);
    const before = new Map(current.map((collected) => [collected.name, collected]));
    current = observations.map((observation) => {
      const { server, daemon, part, reachable } = observation;
      const name = part === '' ? `${server};${daemon}` : `${server};${daemon};${part}`;
      if (reachable) return { name, collectedAt: Math.floor(now()), observation };
      return before.get(name) ?? { name, collectedAt: 0, observation };
    });
  };

  const collect = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    collect,
    start: async () => {
      await collect();
      timer = setInterval(() => {
        collect().catch((error: unknown) => {
          // given up because of stop: nobody's problem
          if (!stopping.signal.aborted) onProblem(error);
        });
      }, interval * 1000);
      timer.unref();
    },
    stop: () => {
      clearInterval(timer);
      stopping.abort();
    },
    current: () => current,
  };
}
