import type { Inventory } from '../inventory/inventory.ts';
import type { LocalTime } from '../model/local-time.ts';
import type { OwnerMapping } from '../model/owners.ts';
import { DatasourceError } from './errors.ts';
import type { UpstreamCache } from './upstream-cache.ts';
import type { UsersPolicy } from './user-names.ts';

/** The data behind the targets. */
export interface Backend {
  /** `undefined` until the first poll has finished. */
  readonly inventory: () => Inventory | undefined;
  readonly upstream: UpstreamCache;
  readonly users: UsersPolicy;
  readonly owners: () => OwnerMapping;
  /** Calendar of the analyzer. It defines `year`, `month` and the start of a day. */
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** @throws DatasourceError before the first poll has finished */
export function requireInventory({ inventory }: Backend): Inventory {
  const known = inventory();
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  return known;
}
