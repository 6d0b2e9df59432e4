import type { LocalTime } from '../model/local-time.ts';
import { DatasourceError } from './errors.ts';
import type { PolledSite } from './polled-site.ts';
import type { UpstreamCache } from './upstream-cache.ts';
import type { UsersPolicy } from './user-names.ts';

/** What the targets are answered from. */
export interface Backend {
  /** Undefined before the first poll has ended. */
  readonly site: () => PolledSite | undefined;
  readonly upstream: UpstreamCache;
  readonly users: UsersPolicy;
  /** Calendar of the analyzer: in which `year` and `month` are meant, and days begin. */
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** @throws DatasourceError when nothing has been polled yet */
export function requireSite({ site }: Backend): PolledSite {
  const known = site();
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  return known;
}
