import { licensesInUse } from '../../../src/analyzer/usage.ts';
import type { Collected } from '../../../src/observation/observation.ts';
import type { Expected, Use } from './managed-site.ts';

/** What must be known of the vendor licenses at each time, without a look at what is known. */

interface Known {
  /** Epoch seconds of the last reading with data. */
  readonly at: number;
  readonly use: Use;
}

/** A sample that the history must have. */
interface Recorded {
  readonly slot: number;
  readonly use: Use;
}

export class Expectations {
  readonly #known = new Map<string, Known | 'unsure'>();
  readonly #recorded = new Map<string, Recorded[]>();
  /** Slots of which the fault leaves open what is recorded. */
  readonly #unsure = new Map<string, Set<number>>();

  /** A reading has ended. @param at epoch seconds */
  add(vendorLicenses: readonly string[], slot: number, at: number, { reached }: Expected): void {
    for (const name of vendorLicenses) {
      if (reached === 'unsure') {
        this.#known.set(name, 'unsure');
        this.#unsure.set(name, (this.#unsure.get(name) ?? new Set()).add(slot));
        continue;
      }
      const use = reached.get(name);
      if (use === undefined) continue;
      this.#known.set(name, { at: Math.floor(at), use });
      this.#recorded.set(name, [...(this.#recorded.get(name) ?? []), { slot, use }]);
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
  downAt(vendorLicenses: readonly string[], now: number, after: number): { down: Set<string>; unsure: Set<string> } {
    const [down, unsure] = [new Set<string>(), new Set<string>()];
    for (const name of vendorLicenses) {
      const known = this.#known.get(name);
      if (known === 'unsure') unsure.add(name);
      else if (now - (known?.at ?? 0) >= after) down.add(name);
    }
    return { down, unsure };
  }

  /** Licenses in use by slot, as the history of a feature must have them. Of two readings in a slot the higher one counts. */
  historyOf(name: string, feature: string): ReadonlyMap<number, number> {
    const bySlot = new Map<number, number>();
    for (const { slot, use } of this.#recorded.get(name) ?? []) {
      const inUse = use.get(feature);
      if (inUse !== undefined) bySlot.set(slot, Math.max(inUse, bySlot.get(slot) ?? 0));
    }
    return bySlot;
  }

  isUnsure(name: string, slot: number): boolean {
    return this.#unsure.get(name)?.has(slot) ?? false;
  }
}
