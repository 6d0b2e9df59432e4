import { licensesInUse } from '../../../src/analyzer/history/usage.ts';
import type { Collected } from '../../../src/base/model/observation/observation.ts';
import type { Expected, Use } from './managed-site.ts';

/** What must be known of the vendor licenses at each time, without a look at what is known. */

interface Known {
  /** Epoch seconds of the last reading with data. */
  readonly at: number;
  readonly use: Use;
}

/** The slots that are expected, epoch seconds. */
export interface SlotRange {
  readonly start: number;
  readonly end: number;
  readonly interval: number;
}

/** In a slot. */
const NOTHING = -1;
const UNSURE = -2;

export class Expectations {
  readonly #range: SlotRange;
  readonly #known = new Map<string, Known | 'unsure'>();
  /** Licenses in use by slot. All memory is taken at the start, because the memory of the process is watched. */
  readonly #history = new Map<string, Map<string, Int32Array>>();

  /** @param features of each vendor license */
  constructor(vendorLicenses: readonly string[], features: readonly string[], range: SlotRange) {
    this.#range = range;
    const slots = 1 + Math.ceil((range.end - range.start) / range.interval);
    const empty = (): Int32Array => new Int32Array(slots).fill(NOTHING);
    for (const name of vendorLicenses) this.#history.set(name, new Map(features.map((feature) => [feature, empty()])));
  }

  /** A reading has ended. @param at epoch seconds */
  add(vendorLicenses: readonly string[], slot: number, at: number, { reached }: Expected): void {
    for (const name of vendorLicenses) {
      const use = reached === 'unsure' ? reached : reached.get(name);
      if (use === undefined) continue;
      this.#known.set(name, use === 'unsure' ? use : { at: Math.floor(at), use });
      for (const [feature, history] of this.#history.get(name) ?? []) {
        const index = this.#indexOf(slot);
        const before = history[index] ?? NOTHING;
        // of two readings in a slot the higher one counts
        history[index] = use === 'unsure' || before === UNSURE ? UNSURE : Math.max(before, use.get(feature) ?? NOTHING);
      }
    }
  }

  /** The last good data is kept, and that of others is not touched. */
  *problemsOf(vendorLicenses: readonly string[], current: readonly Collected[]): Generator<string, void> {
    for (const name of vendorLicenses) {
      const known = this.#known.get(name);
      if (known === 'unsure') continue;
      const collected = current.find((one) => one.name === name);
      const at = collected?.collectedAt ?? 0;
      if (at !== (known?.at ?? 0)) yield `${name} has data of ${at}, not of ${known?.at}`;
      for (const [feature, inUse] of known?.use ?? []) {
        const pools = collected?.observation.pools.filter((pool) => pool.feature === feature) ?? [];
        const found = pools.reduce((sum, pool) => sum + (licensesInUse(pool) ?? Number.NaN), 0);
        if (pools.length === 0 || found !== inUse) yield `${name}: ${feature} has ${found} in use, not ${inUse}`;
      }
    }
  }

  /** Those without data for so long, and those that may be. Epoch seconds. */
  downAt(now: number, after: number): { down: Set<string>; unsure: Set<string> } {
    const [down, unsure] = [new Set<string>(), new Set<string>()];
    for (const name of this.#history.keys()) {
      const known = this.#known.get(name);
      if (known === 'unsure') unsure.add(name);
      else if (now - (known?.at ?? 0) >= after) down.add(name);
    }
    return { down, unsure };
  }

  /**
   * How the history of a feature differs.
   *
   * @param found licenses in use by slot
   * @returns the number of slots that were compared
   */
  *differences(
    name: string,
    feature: string,
    found: ReadonlyMap<number, number | undefined>,
  ): Generator<string, number> {
    const { start, interval } = this.#range;
    let compared = 0;
    for (const [index, wanted] of this.#history.get(name)?.get(feature)?.entries() ?? []) {
      const slot = start + index * interval;
      const inUse = found.get(slot) ?? NOTHING;
      if (wanted === UNSURE || (wanted === NOTHING && inUse === NOTHING)) continue;
      compared += 1;
      if (inUse !== wanted) yield `history of ${name}, ${feature} in the slot ${slot}: ${inUse}, not ${wanted}`;
    }
    for (const slot of found.keys())
      if (!Number.isInteger(this.#indexOf(slot))) yield `history of ${name}, ${feature} has a slot ${slot}`;
    return compared;
  }

  #indexOf(slot: number): number {
    return (slot - this.#range.start) / this.#range.interval;
  }
}
