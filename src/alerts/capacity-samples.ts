/**
 * The number of licenses of a feature over the last day: only its changes. It is a flat list of times (epoch seconds) and
 * numbers, because there are many features. Between two changes, and while nothing was known, the number is the one before.
 */
export type CapacitySamples = number[];

/** A day ago is these three hours, so that neither a short gap nor a change of the clocks matters. Seconds. */
const OLDEST = 25.5 * 3600;
const NEWEST = 22.5 * 3600;
/** Of a number that changes more often than this, only the lowest is kept. Seconds. */
const SPACING = 600;

/** Adds the number of now. @returns whether it is another one than before. @param at epoch seconds */
export function addSample(samples: CapacitySamples, at: number, licenses: number): boolean {
  const { length } = samples;
  if (samples[length - 1] === licenses) return false;
  const time = Math.floor(at);
  if (length >= 4 && time - (samples[length - 4] as number) < SPACING) {
    samples[length - 3] = Math.min(samples[length - 3] as number, samples[length - 1] as number);
    samples[length - 1] = licenses;
  } else samples.push(time, licenses);
  return true;
}

/** Forgets what is older than a day ago. @param now epoch seconds */
export function forgetOld(samples: CapacitySamples, now: number): void {
  let old = 0;
  while (old + 2 < samples.length && (samples[old + 2] as number) <= now - OLDEST) old += 2;
  if (old > 0) samples.splice(0, old);
}

/** The lowest number of a day ago; `undefined` if it is not known so far back. @param now epoch seconds */
export function lowestOfDayAgo(samples: CapacitySamples, now: number): number | undefined {
  let lowest: number | undefined;
  for (let i = 0; i < samples.length; i += 2) {
    if ((samples[i] as number) > now - NEWEST) break;
    const licenses = samples[i + 1] as number;
    const isBefore = i + 2 < samples.length && (samples[i + 2] as number) <= now - OLDEST;
    if (!isBefore && (lowest === undefined || licenses < lowest)) lowest = licenses;
  }
  return lowest;
}
