import type { Snapshot } from '../model/snapshot.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { runSliced } from '../scheduling/slices.ts';
import { deriveInventory, type Inventory, type InventoryPolicy } from './inventory.ts';

/** Somebody that is notified of each new inventory. */
export interface InventoryReader {
  /** For the log. */
  readonly name: string;
  /**
   * Takes the newest inventory in. Not called again before it has ended, and then with the newest one only. What it throws
   * is reported, and concerns no other reader.
   */
  read(inventory: Inventory): void | Promise<void>;
}

export interface CurrentInventoryOptions {
  readonly policy: InventoryPolicy;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly readers: readonly InventoryReader[];
  /** Called with the name of the reader that failed, or with `inventory` when none could be derived. */
  readonly onProblem: (name: string, error: unknown) => void;
}

export interface CurrentInventory {
  /** Takes a snapshot over; resolves when every reader has ended with its inventory, or with a newer one. */
  commit(snapshot: Snapshot): Promise<void>;
  /** `undefined` before the first commit, and where none can be derived. */
  latest(): Inventory | undefined;
  /** Ends the ageing; readers are notified no more. */
  stop(): void;
}

/** Timers cannot wait longer, milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * Holds the current inventory. A snapshot becomes current before anything is made of it, and each reader works at its own
 * pace: one that fails, or takes long, leaves the others on the newest data. Parts that grow too old leave by themselves.
 */
export function createCurrentInventory(options: CurrentInventoryOptions): CurrentInventory {
  const { policy, now, onProblem } = options;
  let newest: Snapshot | undefined;
  let current: Inventory | undefined;
  let ageOut: NodeJS.Timeout | undefined;
  let isStopped = false;
  let reading: Promise<unknown> = Promise.resolve();

  const notify = options.readers.map((reader) =>
    createLatestOnly(async () => {
      if (current === undefined || isStopped) return;
      try {
        await reader.read(current);
      } catch (error) {
        onProblem(reader.name, error);
      }
    }),
  );

  const scheduleAgeOut = ({ agesOutAt }: Inventory): void => {
    clearTimeout(ageOut);
    if (agesOutAt === undefined || isStopped) return;
    // a little later than the moment itself, so that it has passed then
    const wait = Math.min(Math.max(0, (agesOutAt - now()) * 1000) + 20, MAX_TIMEOUT);
    ageOut = setTimeout(() => void update(), wait).unref();
  };

  const derive = createLatestOnly(async () => {
    if (newest === undefined || isStopped) return;
    try {
      current = await runSliced(deriveInventory(newest, now(), policy, current));
      scheduleAgeOut(current);
    } catch (error) {
      // what was known before would never grow old
      current = undefined;
      onProblem('inventory', error);
    }
    // not after the last one only: while snapshots come faster than they are derived, there is no last one
    reading = Promise.all(notify.map((read) => read()));
  });

  const update = async (): Promise<void> => {
    await derive();
    await reading;
  };

  return {
    commit: (snapshot) => {
      newest = snapshot;
      return update();
    },
    latest: () => current,
    stop: () => {
      isStopped = true;
      clearTimeout(ageOut);
    },
  };
}
