import type { LicenseSupply } from './inventory.ts';
import type { LmstatDaemon, LmstatFeature } from './lmstat-report.ts';

/** A feature and the vendor daemon that serves it. */
export type FeatureDaemon = Pick<LicenseSupply, 'feature' | 'daemon'>;

/** Which vendor daemon serves a feature. */
export class WhichDaemon {
  readonly #listed: readonly string[];
  readonly #down = new Set<string>();
  readonly #spelling = new Map<string, string>();
  readonly #supplied = new Map<string, Set<string>>();
  readonly #configured: readonly string[];

  constructor(listed: readonly LmstatDaemon[], supply: readonly FeatureDaemon[], configured: readonly string[]) {
    this.#listed = listed.map(({ name }) => name);
    this.#configured = configured;
    for (const { name, up } of listed) {
      this.#spelling.set(name.toLowerCase(), name);
      if (up) this.#down.delete(name.toLowerCase());
      else this.#down.add(name.toLowerCase());
    }
    for (const { feature, daemon } of supply) {
      const daemons = this.#supplied.get(feature) ?? new Set();
      this.#supplied.set(feature, daemons.add(this.spelled(daemon)));
    }
  }

  /** The name of a daemon as the server lists it. */
  spelled(daemon: string): string {
    return this.#spelling.get(daemon.toLowerCase()) ?? daemon;
  }

  /** Undefined if nothing says it. */
  of({ name, pools, listedDaemons, supply }: LmstatFeature): string | undefined {
    const vendor = pools.find((pool) => pool.vendor !== undefined)?.vendor;
    if (vendor !== undefined) return this.spelled(vendor);
    // counts are those of a daemon that answers
    const answering = (names: readonly string[]): readonly string[] =>
      supply.kind === 'error' ? names : names.filter((one) => !this.#down.has(one.toLowerCase()));
    return (
      only(answering(listedDaemons)) ??
      only(answering(this.#listed)) ??
      only([...(this.#supplied.get(name) ?? [])]) ??
      (this.#listed.length === 0 ? only(this.#configured) : undefined)
    );
  }
}

function only(names: readonly string[]): string | undefined {
  return new Set(names).size === 1 ? names[0] : undefined;
}
