import type { Snapshot } from '../../base/model/snapshot.ts';
import { createLatestOnly } from '../../base/scheduling/limit.ts';
import { runSliced } from '../../base/scheduling/slices.ts';
import { FeatureDerivation } from './feature-derivation.ts';
import type { FieldStates } from './field-states.ts';
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

/** How a snapshot is derived. */
export interface CurrentInventoryOptions {
  readonly policy: InventoryPolicy;
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
 * if one fails or is slow, the others still get the newest data. Parts that become too old are removed automatically.
 */
export class CurrentInventory {
  readonly #options: CurrentInventoryOptions;
  readonly #features = new FeatureDerivation();
  readonly #notify: (() => Promise<void>)[] = [];
  #newest: Snapshot | undefined;
  #current: Inventory | undefined;
  #ageOut: NodeJS.Timeout | undefined;
  #isStopped = false;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: CurrentInventoryOptions) {
    this.#options = options;
  }

  /** Commits a snapshot. Resolves when every reader has processed its inventory or a newer one. */
  commit(snapshot: Snapshot): Promise<void> {
    this.#newest = snapshot;
    return this.#update();
  }

  /** The inventory, which never changes. `undefined` before the first commit, and if no inventory can be derived. */
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
        await reader.read(this.#current);
      } catch (error) {
        if (!this.#isStopped) this.#options.onProblem(reader.name, error);
      }
    });
    this.#notify.push(read);
  }

  /** Stops the ageing and the notification of readers. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#ageOut);
  }

  async #update(): Promise<void> {
    await this.#derive();
    await this.#reading;
  }

  readonly #derive = createLatestOnly(async () => {
    if (this.#newest === undefined || this.#isStopped) return;
    const { policy, now, fields, onProblem } = this.#options;
    try {
      const sources = { snapshot: this.#newest, now: now(), policy, fields: fields?.(), features: this.#features };
      this.#current = await runSliced(deriveInventory(sources));
      this.#scheduleAgeOut(this.#current);
    } catch (error) {
      // the previous inventory would never age out
      this.#current = undefined;
      if (!this.#isStopped) onProblem('inventory', error);
    }
    // not after the last one only: while snapshots come faster than they are derived, there is no last one
    this.#reading = Promise.all(this.#notify.map((read) => read()));
  });

  #scheduleAgeOut({ agesOutAt }: Inventory): void {
    clearTimeout(this.#ageOut);
    if (agesOutAt === undefined || this.#isStopped) return;
    // slightly late, so that the time has passed when the timer fires
    const wait = Math.min(Math.max(0, (agesOutAt - this.#options.now()) * 1000) + 20, MAX_TIMEOUT);
    this.#ageOut = setTimeout(() => void this.#update(), wait).unref();
  }
}
