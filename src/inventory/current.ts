import type { Snapshot } from '../model/snapshot.ts';
import { createLatestOnly } from '../scheduling/latest-only.ts';
import { Uses } from '../scheduling/uses.ts';
import type { FeatureTable } from './feature-table.ts';
import { type Derived, type FeaturesRequest, isSameRequest } from './features-request.ts';
import type { FieldStates } from './field-states.ts';
import { type Inventory, type InventoryPolicy, planInventory } from './inventory.ts';

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

/** Derives features from the records of answers. */
export interface FeatureSource {
  /** The rows can be read until they are released. */
  derive(request: FeaturesRequest): Promise<Derived<FeatureTable>>;
  /** Whether the source still has what the rows were derived from. If not, they can be read, but not rendered. */
  holds(features: FeatureTable): boolean;
  /** No reader uses the rows any more. */
  release(features: FeatureTable): void;
}

/** How a snapshot is derived, and from which thread its features come. */
export interface CurrentInventoryOptions {
  readonly policy: InventoryPolicy;
  readonly features: FeatureSource;
  /** Which fields are missing in the answers of the newest snapshot. */
  readonly fields?: () => FieldStates;
  /** Epoch seconds. */
  readonly now: () => number;
  /** Called with the name of the reader that failed, or with `inventory` if no inventory could be derived. */
  readonly onProblem: (name: string, error: unknown) => void;
}

/** The newest inventory. Its memory is used again when nobody uses it any more. */
export interface CurrentInventory {
  /** Commits a snapshot. Resolves when every reader has processed its inventory or a newer one. */
  commit(snapshot: Snapshot): Promise<void>;
  /**
   * The inventory, to be read in the same turn of the event loop. `undefined` before the first commit, and if no inventory
   * can be derived.
   */
  latest(): Inventory | undefined;
  /** Notifies a reader of each inventory from now on. */
  subscribe(reader: InventoryReader): void;
  /** Runs work that reads the inventory over several turns of the event loop; `undefined` as `latest`, and once it is stopped. */
  use<T>(work: (inventory: Inventory | undefined) => Promise<T>): Promise<T>;
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
  /** Features are released when they are neither current nor in use. */
  const uses = new Uses<FeatureTable>((features) => {
    features.release();
    options.features.release(features);
  });
  let newest: Snapshot | undefined;
  let current: Inventory | undefined;
  let derived: { readonly request: FeaturesRequest; readonly features: Derived<FeatureTable> } | undefined;
  let ageOut: NodeJS.Timeout | undefined;
  let isStopped = false;
  let reading: Promise<unknown> = Promise.resolve();

  const use: CurrentInventory['use'] = async (work) => {
    // once stopped, its features are released
    const inventory = isStopped ? undefined : current;
    const features = inventory?.features;
    if (features !== undefined) uses.begin(features);
    try {
      return await work(inventory);
    } finally {
      if (features !== undefined) uses.end(features);
    }
  };

  const notify: (() => Promise<void>)[] = [];
  const subscribe = (reader: InventoryReader): void => {
    const read = createLatestOnly(async () => {
      if (current === undefined || isStopped) return;
      try {
        await use(async (inventory) => inventory && reader.read(inventory));
      } catch (error) {
        if (!isStopped) onProblem(reader.name, error);
      }
    });
    notify.push(read);
  };

  const scheduleAgeOut = ({ agesOutAt }: Inventory): void => {
    clearTimeout(ageOut);
    if (agesOutAt === undefined || isStopped) return;
    // slightly late, so that the time has passed when the timer fires
    const wait = Math.min(Math.max(0, (agesOutAt - now()) * 1000) + 20, MAX_TIMEOUT);
    ageOut = setTimeout(() => void update(), wait).unref();
  };

  const forget = (): void => {
    if (derived !== undefined) uses.end(derived.features.columns);
    derived = undefined;
  };

  /** The features of a request. They are derived only if it differs from the previous one. */
  const featuresOf = async (request: FeaturesRequest): Promise<Derived<FeatureTable>> => {
    const isCurrent = derived !== undefined && options.features.holds(derived.features.columns);
    if (derived !== undefined && isCurrent && isSameRequest(derived.request, request)) return derived.features;
    derived = undefined;
    const features = await options.features.derive(request);
    uses.begin(features.columns);
    derived = { request, features };
    return features;
  };

  const derive = createLatestOnly(async () => {
    if (newest === undefined || isStopped) return;
    const before = derived?.features.columns;
    try {
      const plan = planInventory(newest, now(), policy, options.fields?.());
      current = plan.complete(await featuresOf(plan.request));
      scheduleAgeOut(current);
    } catch (error) {
      // the previous inventory would never age out
      current = undefined;
      if (!isStopped) onProblem('inventory', error);
    }
    // not earlier, because they were current until now
    if (before !== undefined && before !== derived?.features.columns) uses.end(before);
    if (isStopped) forget();
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
    subscribe,
    use,
    stop: () => {
      isStopped = true;
      clearTimeout(ageOut);
      forget();
    },
  };
}
