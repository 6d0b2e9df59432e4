import type { Failure } from '../../base/model/failure.ts';
import type { Reading } from '../../base/model/snapshot.ts';

/** HTTP statuses of a missing endpoint. */
const STATUSES: ReadonlySet<string | undefined> = new Set(['404', '405', '501']);

/** Minimum time between the two attempts, seconds. */
const MIN_SECONDS = 300;

/** Whether a failure means that the analyzer does not have the endpoint. */
export const isMissing = ({ kind, code }: Failure): boolean => kind === 'status' && STATUSES.has(code);

/** Whether the analyzer lacks an endpoint, derived from its answers. */
export interface Absence {
  /** Records the outcome of an attempt. @param at epoch seconds @param isServing whether GetProducts is good */
  observe(readings: Iterable<Reading<unknown>>, at: number, isServing: boolean): void;
  readonly isAbsent: boolean;
}

/**
 * An endpoint becomes absent when all its parts are missing in two attempts at least 5 minutes apart, with no other
 * outcome in between, while GetProducts is good. It stays absent until a part answers again.
 */
export function createAbsence(isAbsentAtFirst: boolean): Absence {
  let isAbsent = isAbsentAtFirst;
  let since: number | undefined;
  return {
    observe: (readings, at, isServing) => {
      const all = [...readings];
      if (all.some(({ ok }) => ok)) isAbsent = false;
      if (isAbsent) return;
      const isAllMissing =
        isServing && all.length > 0 && all.every((reading) => !reading.ok && isMissing(reading.failure));
      since = isAllMissing ? (since ?? at) : undefined;
      isAbsent = since !== undefined && at - since >= MIN_SECONDS;
    },
    get isAbsent() {
      return isAbsent;
    },
  };
}
