import type { Failure } from '../model/failure.ts';
import type { Reading } from '../model/snapshot.ts';

/** Statuses by which a server says that it does not have an endpoint. */
const STATUSES: ReadonlySet<string | undefined> = new Set(['404', '405', '501']);

/** Two such attempts must lie as far apart, seconds. */
const MIN_SECONDS = 300;

/** Whether a failure says that the analyzer does not have the endpoint. */
export const isMissing = ({ kind, code }: Failure): boolean => kind === 'status' && STATUSES.has(code);

/** Finds out whether the analyzer does not have an endpoint. */
export interface Absence {
  /** Takes in what an attempt came to. @param at epoch seconds @param isServing whether GetProducts is good */
  observe(readings: Iterable<Reading<unknown>>, at: number, isServing: boolean): void;
  readonly isAbsent: boolean;
}

/**
 * An endpoint is absent when all of it is missing at two attempts at least 5 minutes apart, with nothing else in between,
 * while GetProducts is good; and until some of it answers again.
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
