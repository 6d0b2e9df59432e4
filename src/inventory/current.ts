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

/** The longest delay of a timer, milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * Holds the current inventory. A snapshot becomes current before anything is rendered. Each reader works at its own pace:
 * if one fails or is slow, the others still get the newest data. Parts that become too old are removed automatically. Its memory
 * is used again when nobody uses it any more.
 */
export class CurrentInventory {
  readonly #options: CurrentInventoryOptions;
  /** Features are released when they are neither current nor in use. */
  readonly #uses: Uses<FeatureTable>;
  readonly #notify: (() => Promise<void>)[] = [];
  #newest: Snapshot | undefined;
  #current: Inventory | undefined;
  #derived: { readonly request: FeaturesRequest; readonly features: Derived<FeatureTable> } | undefined;
  #ageOut: NodeJS.Timeout | undefined;
  #isStopped = false;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: CurrentInventoryOptions) {
    this.#options = options;
    this.#uses = new Uses((features) => {
      features.release();
      options.features.release(features);
    });
  }

  /** Commits a snapshot. Resolves when every reader has processed its inventory or a newer one. */
  commit(snapshot: Snapshot): Promise<void> {
    this.#newest = snapshot;
    return this.#update();
  }

  /**
   * The inventory, to be read in the same turn of the event loop. `undefined` before the first commit, and if no inventory
   * can be derived.
   */
  latest(): Inventory | undefined {
    return this.#current;
  }

  /**
   * Whether a part of an inventory is too old by now. Its timer is late after a sleep of the machine, and while the process was
   * stopped. Once this is stopped, another one follows at once, maybe by a clock that was set.
   */
  isOutdated(inventory: Inventory | undefined): boolean {
    return !this.#isStopped && inventory?.agesOutAt !== undefined && this.#options.now() > inventory.agesOutAt;
  }

  /** Derives the inventory again. Resolves as `commit` does. */
  renew(): Promise<void> {
    return this.#update();
  }

  /** Derives the inventory again if a part of it is too old: what answers with it must wait for this before. */
  async refresh(): Promise<void> {
    if (this.isOutdated(this.#current)) await this.#derive();
  }

  /** Notifies a reader of each inventory from now on. */
  subscribe(reader: InventoryReader): void {
    const read = createLatestOnly(async () => {
      if (this.#current === undefined || this.#isStopped) return;
      try {
        await this.use(async (inventory) => inventory && reader.read(inventory));
      } catch (error) {
        if (!this.#isStopped) this.#options.onProblem(reader.name, error);
      }
    });
    this.#notify.push(read);
  }

  /** Runs work that reads the inventory over several turns of the event loop; `undefined` as `latest`, and once it is stopped. */
  readonly use = async <T>(work: (inventory: Inventory | undefined) => Promise<T>): Promise<T> => {
    // once stopped, its features are released
    const inventory = this.#isStopped ? undefined : this.#current;
    const features = inventory?.features;
    if (features !== undefined) this.#uses.begin(features);
    try {
      return await work(inventory);
    } finally {
      if (features !== undefined) this.#uses.end(features);
    }
  };

  /** Stops the ageing and the notification of readers. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#ageOut);
    this.#forget();
  }

  async #update(): Promise<void> {
    await this.#derive();
    await this.#reading;
  }

  readonly #derive = createLatestOnly(async () => {
    if (this.#newest === undefined || this.#isStopped) return;
    const { policy, now, fields, onProblem } = this.#options;
    const before = this.#derived?.features.columns;
    try {
      const plan = planInventory(this.#newest, now(), policy, fields?.());
      this.#current = plan.complete(await this.#featuresOf(plan.request));
      this.#scheduleAgeOut(this.#current);
    } catch (error) {
      // the previous inventory would never age out
      this.#current = undefined;
      if (!this.#isStopped) onProblem('inventory', error);
    }
    // not earlier, because they were current until now
    if (before !== undefined && before !== this.#derived?.features.columns) this.#uses.end(before);
    if (this.#isStopped) this.#forget();
    // not after the last one only: while snapshots come faster than they are derived, there is no last one
    this.#reading = Promise.all(this.#notify.map((read) => read()));
  });

  /** The features of a request. They are derived only if it differs from the previous one. */
  async #featuresOf(request: FeaturesRequest): Promise<Derived<FeatureTable>> {
    const { features: source } = this.#options;
    const derived = this.#derived;
    if (derived !== undefined && source.holds(derived.features.columns) && isSameRequest(derived.request, request))
      return derived.features;
    this.#derived = undefined;
    const features = await source.derive(request);
    this.#uses.begin(features.columns);
    this.#derived = { request, features };
    return features;
  }

  #scheduleAgeOut({ agesOutAt }: Inventory): void {
    clearTimeout(this.#ageOut);
    if (agesOutAt === undefined || this.#isStopped) return;
    // slightly late, so that the time has passed when the timer fires
    const wait = Math.min(Math.max(0, (agesOutAt - this.#options.now()) * 1000) + 20, MAX_TIMEOUT);
    this.#ageOut = setTimeout(() => void this.#update(), wait).unref();
  }

  #forget(): void {
    if (this.#derived !== undefined) this.#uses.end(this.#derived.features.columns);
    this.#derived = undefined;
  }
}
