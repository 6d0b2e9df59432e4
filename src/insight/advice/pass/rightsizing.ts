import type { Advice } from '../method/advice.ts';
import type { OriginResult } from '../method/back-test.ts';
import type { Change } from '../method/change.ts';
import type { SeriesName } from '../method/demand.ts';

/** The results of the nightly pass. Readers get a new table after each pass, and never half of one. */
export interface AdviceTable {
  /** When the pass was finished, epoch seconds. */
  readonly computedAt: number;
  /** The local day of the pass. */
  readonly day: number;
  /** Hours a year for which `needed` may be exceeded. */
  readonly tolerance: number;
  readonly rows: readonly KeptAdvice[];
  /** What would have come of the advice of earlier months, the oldest first. */
  readonly backTest: readonly OriginResult[];
  /** Series that were left out because of `rightsizing.max_features`. */
  readonly leftOut: number;
}

/** Advice with what earlier passes add to it. */
export interface KeptAdvice extends Advice {
  /**
   * The day on which the licenses run out, after it was computed on two passes in succession and until it was not expected on seven
   * passes in succession. `undefined` otherwise. Alerts and metrics use it.
   */
  readonly confirmedRunsOut: number | undefined;
  /** The newest change of what is advised; `undefined` since the first pass. */
  readonly change: Change | undefined;
  /** Advice of earlier months, newest first. */
  readonly past: readonly PastAdvice[];
}

/** Advice of an earlier month, and the figures of that time. */
export interface PastAdvice extends SeriesName {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly state: Advice['state'];
  readonly bought: number | undefined;
  readonly count: number | undefined;
  readonly needed: number | undefined;
}

/** How the passes go, for metrics, pages and the log. */
export interface RightsizingStatus {
  readonly isEnabled: boolean;
  /** Epoch seconds; `undefined` before the first pass was finished. */
  readonly lastSuccess: number | undefined;
  /** Of the last pass. */
  readonly durationSeconds: number | undefined;
  /** Why the last pass failed; `undefined` if it did not. */
  readonly failure: string | undefined;
  /** Also where it begins with the end of the first poll. */
  readonly isRunning: boolean;
  /** How far a running pass is, or what it or the next one waits for, as a clause; `undefined` if that is not known. */
  readonly progress: string | undefined;
}

/** Advice on the number of licenses, computed once a night. */
export interface Rightsizing {
  /** `undefined` before the first pass was finished. */
  latest(): AdviceTable | undefined;
  status(): RightsizingStatus;
}
