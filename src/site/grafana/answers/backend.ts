import type { AttentionRow } from '../../../base/model/attention-row.ts';
import type { LocalTime } from '../../../base/model/local-time.ts';
import type { Elsewhere, EndedWaits, WaitingPeople } from '../../../base/model/observation/observation.ts';
import type { OwnerMapping } from '../../../base/model/owners.ts';
import type { IsSaturated } from '../../../exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../exporter/inventory/inventory.ts';
import type { ProposalSource } from '../../../insight/advice/pass/proposals.ts';
import { DatasourceError } from './errors.ts';
import type { UpstreamCache } from './upstream-cache.ts';

/** Data that not every user may see: names of license users, and prices. For the user of one request. */
export interface Confidential {
  /** Why it is not served; `undefined` if it is. */
  readonly refusal: () => string | undefined;
  /** Called with the number of names or prices of each answer that has been made. */
  readonly onServed: (count: number) => void;
}

export interface Attention {
  readonly rows: Iterable<AttentionRow>;
  /** How many kinds of alerts may fire without being seen, because they have no data. */
  readonly withoutData: number;
}

/** Names and hosts of users are personal data. Whether they are served, and in which form. */
export interface UsersPolicy extends Confidential {
  /** Key of the hashes that replace names; `undefined` if names are shown. */
  readonly pseudonymKey: string | undefined;
}

/** A recorded day of a feature, in one of its packages. */
export interface WaitedDay {
  readonly vendorLicense: string;
  readonly feature: string;
  readonly package: string;
  /** Local day. */
  readonly day: number;
  /** The people who have waited; undefined if they are not known. */
  readonly waits: readonly EndedWaits[] | undefined;
  /** Those who wait now, on the day that is today; undefined if they are not known, and on other days. */
  readonly now: readonly WaitingPeople[] | undefined;
  readonly elsewhere: Elsewhere | undefined;
}

/** The recorded days from one to before another, or why the people are not known. */
export type ReadWaits = (
  from: number,
  to: number,
  isAskedFor: (feature: Pick<WaitedDay, 'vendorLicense' | 'feature' | 'package'>) => boolean,
) => Promise<readonly WaitedDay[] | { readonly reason: string }>;

/** The data behind the targets. */
export interface Backend {
  /** `undefined` until there is one. Before the first poll, nothing of it is known. */
  readonly inventory: () => Inventory | undefined;
  /** The alerts that fire; `undefined` until they have been evaluated. */
  readonly attention: () => Attention | undefined;
  readonly upstream: UpstreamCache;
  /** Whether the analyzer is in this process: it answers many requests at once. */
  readonly isAnalyzerHere: boolean;
  readonly users: UsersPolicy;
  readonly owners: () => OwnerMapping;
  /** Which features are saturated, as LicenseFeatureSaturated defines it. */
  readonly isSaturated: IsSaturated;
  /** Advice on the number of licenses. */
  readonly proposals: ProposalSource;
  /** The people who waited for licenses. */
  readonly waits: ReadWaits;
  /** Whether prices are shown. */
  readonly prices: Confidential;
  /** Whether it is shown who holds licenses that could come back, and how they do. */
  readonly reclaim: Pick<Confidential, 'refusal'>;
  /** Calendar of the analyzer. It defines `year`, `month` and the start of a day. */
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** The data behind the targets, without what depends on the user of a request. */
export interface SharedBackend extends Omit<Backend, 'users' | 'prices' | 'reclaim'> {
  readonly users: Omit<UsersPolicy, keyof Confidential>;
}

/** @throws DatasourceError before the first poll has finished */
export function requireInventory(known: Inventory | undefined): Inventory {
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  return known;
}
