import type { PoolHead } from './lmstat-lines.ts';
import type {
  LmstatCheckout,
  LmstatFeature,
  LmstatLicenseType,
  LmstatReservation,
  LmstatSupply,
} from './lmstat-report.ts';

interface PoolDraft extends PoolHead {
  licenseType: LmstatLicenseType | undefined;
  readonly reservations: LmstatReservation[];
  readonly checkouts: LmstatCheckout[];
}

interface FeatureDraft extends LmstatFeature {
  readonly pools: PoolDraft[];
}

const NO_HEAD: PoolHead = { feature: undefined, version: undefined, vendor: undefined, expires: 'unknown' };

/** The features of a text, in its order, and the daemons that were listed before each. */
export class LmstatFeatures {
  readonly all: FeatureDraft[] = [];
  /** The daemons of one list: it ends with a heading or a feature. */
  #daemons: string[] = [];
  #isListOver = false;
  #current: FeatureDraft | undefined;
  #servers = '';

  /** The following features are those of these servers. */
  startServers(servers: string): void {
    this.close();
    this.endDaemonList();
    this.#servers = servers;
  }

  addDaemon(name: string): void {
    // features refer to the list before this one
    if (this.#isListOver) this.#daemons = [];
    this.#daemons.push(name);
    this.#isListOver = false;
  }

  endDaemonList(): void {
    this.#isListOver = true;
  }

  /** The following features are those of one daemon. */
  startDaemon(name: string): void {
    this.#daemons = [name];
    this.#isListOver = true;
  }

  open(name: string, supply: LmstatSupply): void {
    this.endDaemonList();
    this.#current = { name, supply, listedDaemons: this.#daemons, servers: this.#servers, pools: [] };
    this.all.push(this.#current);
  }

  /** What follows belongs to no feature until the next one. */
  close(): void {
    this.#current = undefined;
  }

  /** The pool that is being listed. Undefined outside of a feature. */
  get pool(): PoolDraft | undefined {
    if (this.#current === undefined) return undefined;
    return this.#current.pools.at(-1) ?? addPool(this.#current.pools, NO_HEAD);
  }

  /** False outside of a feature. */
  addPool(head: PoolHead): boolean {
    if (this.#current !== undefined) addPool(this.#current.pools, head);
    return this.#current !== undefined;
  }
}

function addPool(pools: PoolDraft[], head: PoolHead): PoolDraft {
  const pool = { ...head, licenseType: undefined, reservations: [], checkouts: [] };
  pools.push(pool);
  return pool;
}
