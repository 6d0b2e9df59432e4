import type { LocalTime } from '../model/local-time.ts';
import { DatasourceError } from './errors.ts';
import type { Site } from './polled-site.ts';
import type { Questions } from './upstream-cache.ts';
import type { UsersPolicy } from './user-names.ts';

/** Where answers come from. */
export interface Sources {
  /** Undefined before the first poll has been taken in. */
  readonly site: () => Site | undefined;
  readonly questions: Questions;
  readonly users: UsersPolicy;
  /** Calendar of the analyzer: in which `year` and `month` are meant, and days begin. */
  readonly localTime: LocalTime;
  /** Epoch seconds. */
  readonly now: () => number;
}

/** @throws DatasourceError when nothing has been polled yet */
export function requireSite({ site }: Sources): Site {
  const known = site();
  if (known === undefined) throw new DatasourceError('upstream_down', 'the analyzer has not been polled yet');
  return known;
}
