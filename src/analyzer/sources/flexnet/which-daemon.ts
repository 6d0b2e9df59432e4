import type { LicenseSupply } from './inventory.ts';
import type { LmstatDaemon, LmstatFeature } from './lmstat-report.ts';

/** A feature and the vendor daemon that serves it. */
export type FeatureDaemon = Pick<LicenseSupply, 'feature' | 'daemon'>;

/** The API's own word for the daemon of features of which nothing says which daemon serves them. */
export const NO_DAEMON = 'undef';

/** The vendor daemons of an output, and which of them serves a feature. */
export class WhichDaemon {
  readonly #spelling = new Map<string, string>();
  /** By the name as it is listed; the last line of a daemon counts. */
  readonly #listed = new Map<string, LmstatDaemon>();
  readonly #supplied = new Map<string, Set<string>>();
  readonly #ofLists = new Map<readonly string[], string | undefined>();
  readonly #only: string | undefined;

  /** @param configured daemons of an output that names none */
  constructor(listed: readonly LmstatDaemon[], supply: readonly FeatureDaemon[], configured: readonly string[]) {
    for (const daemon of listed) {
      const key = daemon.name.toLowerCase();
      if (!this.#spelling.has(key)) this.#spelling.set(key, daemon.name);
      this.#listed.set(this.spelled(daemon.name), daemon);
    }
    this.#only =
      this.#answering(listed.map(({ name }) => name)) ?? (listed.length === 0 ? only(configured) : undefined);
    for (const { feature, daemon } of supply) {
      const daemons = this.#supplied.get(feature) ?? new Set();
      this.#supplied.set(feature, daemons.add(this.spelled(daemon)));
    }
  }

  /** The name of a daemon as the server lists it. */
  spelled(daemon: string): string {
    return this.#spelling.get(daemon.toLowerCase()) ?? daemon;
  }

  /** The daemons that the server lists, each with its last line. */
  get listed(): ReadonlyMap<string, LmstatDaemon> {
    return this.#listed;
  }

  /** The daemon of a feature that is served. Undefined if nothing says it. */
  of({ name, pools, listedDaemons }: LmstatFeature): string | undefined {
    const vendor = pools.find((pool) => pool.vendor !== undefined)?.vendor;
    if (vendor !== undefined) return this.spelled(vendor);
    return this.#ofList(listedDaemons) ?? this.#only ?? only(this.#supplied.get(name) ?? []);
  }

  /** Many features share one list. */
  #ofList(list: readonly string[]): string | undefined {
    if (!this.#ofLists.has(list)) this.#ofLists.set(list, this.#answering(list));
    return this.#ofLists.get(list);
  }

  /** The only daemon of a list, without those that are down: they cannot say how many licenses they have. */
  #answering(names: readonly string[]): string | undefined {
    const spelled = names.map((name) => this.spelled(name));
    return only(spelled.filter((name) => this.#listed.get(name)?.up !== false));
  }
}

function only(names: Iterable<string>): string | undefined {
  const [one, ...others] = new Set(names);
  return others.length === 0 ? one : undefined;
}
