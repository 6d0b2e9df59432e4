import { YEAR_HOURS } from './window.ts';

/**
 * How many licenses are needed where a full pool hides demand. Requests are taken to come independently: then the share of time
 * with all licenses in use shows the demand (Erlang's loss formula), and the demand shows how many licenses would be enough.
 */

/** Above this share of time, history cannot say how many licenses are missing. */
export const MOST_FULL = 0.15;
/** The demand is sought up to this multiple of the licenses. */
const MOST_LOAD = 64;
const HALVINGS = 60;

/** Share of time with all `licenses` in use, if `load` would be in use on average without a limit. */
function erlangB(load: number, licenses: number): number {
  let share = 1;
  for (let n = 1; n <= licenses; n += 1) share = (load * share) / (n + load * share);
  return share;
}

/** The load that keeps all licenses in use for this share of time. */
function loadOf(licenses: number, share: number): number {
  let [low, high] = [0, licenses * MOST_LOAD];
  for (let i = 0; i < HALVINGS; i += 1) {
    const load = (low + high) / 2;
    if (erlangB(load, licenses) < share) low = load;
    else high = load;
  }
  return high;
}

/** Probability of `count` of a Poisson distribution. */
function poisson(load: number, count: number): number {
  let logarithm = -load;
  for (let k = 1; k <= count; k += 1) logarithm += Math.log(load / k);
  return Math.exp(logarithm);
}

/** The smallest number above `licenses` that is exceeded for at most this share of time. */
function enoughFor(load: number, licenses: number, most: number): number {
  // fewer than the load are exceeded for about half of the time
  let n = Math.max(licenses + 1, Math.floor(load));
  let next = poisson(load, n + 1);
  let tail = 0;
  for (let [k, term] = [n + 1, next]; term > 1e-15; k += 1) {
    tail += term;
    term *= load / (k + 1);
  }
  while (tail > most && next > 0) {
    tail -= next;
    n += 1;
    next *= load / (n + 1);
  }
  return n;
}

/** How often all licenses were in use. */
export interface FullShare {
  /** Licenses, while the share was observed. */
  readonly licenses: number;
  /** Share of the time with all of them in use. */
  readonly share: number;
  /** Hours of a year that the share is of. */
  readonly hours: number;
}

/** How many licenses would be exceeded for at most `tolerance` hours a year: at least one more than there are. */
export function estimateNeeded({ licenses, share, hours }: FullShare, tolerance: number): number {
  if (licenses < 1 || share <= 0 || hours <= 0) return Math.floor(licenses) + 1;
  const whole = Math.floor(licenses);
  const load = loadOf(whole, Math.min(share, 0.99));
  return enoughFor(load, whole, tolerance / Math.min(hours, YEAR_HOURS));
}
