import type { Snapshot } from '../model/snapshot.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { runSliced } from '../scheduling/slices.ts';
import { deriveInventory, type Inventory, type InventoryPolicy } from './inventory.ts';

/** A reader that is notified of each new inventory. */
export interface InventoryReader {
  /** For the log. */
  readonly name: string;
  /**
   * Processes the newest inventory. The next call comes after this one has ended, with the inventory that is then newest.
   * An error is reported and does not affect other readers.
   */
  read(inventory: Inventory): void | Promise<void>;
}

export interface CurrentInventoryOptions {
  readonly policy: InventoryPolicy;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly readers: readonly InventoryReader[];
  /** Called with the name of the reader that failed, or with `inventory` if no inventory could be derived. */
  readonly onProblem: (name: string, error: unknown) => void;
}

export interface CurrentInventory {
  /** Commits a snapshot. Resolves when every reader has processed its inventory or a newer one. */
  commit(snapshot: Snapshot): Promise<void>;
  /** `undefined` before the first commit, and if no inventory can be derived. */
  latest(): Inventory | undefined;
  /** Stops the ageing and the notification of readers. */
  stop(): void;
}

/** The longest delay of a timer, milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * Holds the current inventory. A snapshot becomes current before anything is rendered. Each reader works at its own pace:
 * if one fails or is slow, the others still get the newest data. Parts that become too old are removed automatically.
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
    // slightly late, so that the time has passed when the timer fires
    const wait = Math.min(Math.max(0, (agesOutAt - now()) * 1000) + 20, MAX_TIMEOUT);
    ageOut = setTimeout(() => void update(), wait).unref();
  };

  const derive = createLatestOnly(async () => {
    if (newest === undefined || isStopped) return;
    try {
      current = await runSliced(deriveInventory(newest, now(), policy, current));
      scheduleAgeOut(current);
    } catch (error) {
      // the previous inventory would never age out
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
