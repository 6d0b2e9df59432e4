import { highest, isSum, type Sample } from './sample.ts';

/** Samples that other programs recorded, in slots of five minutes from the beginning of the local day. */

/** Seconds of a slot: imports are recorded as by an analyzer that looks every five minutes. */
export const SLOT = 300;

/** Adds the next sample. Slots in which nothing changes are one: most are, and nobody needs them apart. */
export function addJoined(samples: Sample[], sample: Sample): void {
  const last = samples.at(-1);
  const isSame =
    last !== undefined &&
    last.at + last.seconds === sample.at &&
    last.available === sample.available &&
    last.inUse === sample.inUse &&
    last.reserved === sample.reserved &&
    last.users === sample.users &&
    last.denials === sample.denials &&
    !last.denials &&
    last.whole === undefined &&
    sample.whole === undefined;
  if (isSame) samples[samples.length - 1] = { ...last, seconds: last.seconds + sample.seconds };
  else samples.push(sample);
}

const endOf = ({ at, seconds }: Sample): number => at + seconds;

/** A part of a sample. Its denials count at its beginning; what is known of a whole slot is so of it alone. */
const partOf = (sample: Sample, at: number, seconds: number): Sample => ({
  ...sample,
  at,
  seconds,
  denials: sample.denials === undefined || at === sample.at ? sample.denials : 0,
});

const peakOf = ({ whole, inUse }: Sample): number | undefined => highest(whole?.peak, inUse);

const licenseSecondsOf = ({ whole, inUse, seconds }: Sample): number | undefined =>
  whole?.licenseSeconds ?? (inUse === undefined ? undefined : inUse * seconds);

/** Of two samples of one time the higher figures. */
function higherOf(a: Sample, b: Sample): Sample {
  const inUse = highest(a.inUse, b.inUse);
  const peak = highest(peakOf(a), peakOf(b));
  const licenseSeconds = highest(licenseSecondsOf(a), licenseSecondsOf(b));
  const isSteady = peak === inUse && licenseSeconds === (inUse === undefined ? undefined : inUse * a.seconds);
  return {
    at: a.at,
    seconds: a.seconds,
    available: highest(a.available, b.available),
    inUse,
    reserved: highest(a.reserved, b.reserved),
    users: highest(a.users, b.users),
    denials: highest(a.denials, b.denials),
    whole: isSteady ? undefined : { peak, licenseSeconds },
  };
}

/**
 * What two imports know of a day: at each moment the higher figures, in any order and however often. Sums over the day count only
 * where nothing else is known of it.
 */
export function higherSamples(a: readonly Sample[], b: readonly Sample[]): readonly Sample[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const [aIsSum, bIsSum] = [a.some(isSum), b.some(isSum)];
  if (aIsSum !== bIsSum) return aIsSum ? b : a;
  const samples: Sample[] = [];
  let [i, j] = [0, 0];
  let at = Number.NEGATIVE_INFINITY;
  for (;;) {
    const [x, y] = [a[i], b[j]];
    if (x === undefined && y === undefined) return samples;
    at = Math.max(at, Math.min(x?.at ?? Number.POSITIVE_INFINITY, y?.at ?? Number.POSITIVE_INFINITY));
    const [hasX, hasY] = [x !== undefined && x.at <= at, y !== undefined && y.at <= at];
    const until = Math.min(...[x, y].flatMap((one) => (one === undefined ? [] : one.at <= at ? endOf(one) : one.at)));
    const parts = [hasX ? x : undefined, hasY ? y : undefined].flatMap((one) =>
      one === undefined ? [] : partOf(one, at, until - at),
    );
    const [first, second] = parts;
    if (first !== undefined) addJoined(samples, second === undefined ? first : higherOf(first, second));
    at = until;
    if (x !== undefined && endOf(x) <= at) i += 1;
    if (y !== undefined && endOf(y) <= at) j += 1;
  }
}

/** Licenses in use times seconds between two moments, as far as they are known. */
export function licenseSecondsWithin(samples: readonly Sample[], from: number, to: number): number {
  let sum = 0;
  for (const sample of samples) {
    const seconds = Math.min(to, endOf(sample)) - Math.max(from, sample.at);
    if (seconds <= 0) continue;
    const known = licenseSecondsOf(sample) ?? 0;
    sum += (known * seconds) / sample.seconds;
  }
  return sum;
}
