import { addJoined, SLOT } from '../history/imported-samples.ts';
import type { Sample } from '../history/sample.ts';

/** No local day has more. */
const MAX_SLOTS = (27 * 3600) / SLOT;

const NOT_SEEN = -1;

/** A part of a local day, epoch seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is in use of a feature now. */
export interface InUse {
  licenses: number;
  users: number;
  available: number | undefined;
}

/** What is known of a part of a slot, but not of its beginning. */
const withoutMoment = ({ inUse = 0, ...sample }: Sample): Sample => ({
  ...sample,
  available: undefined,
  inUse: undefined,
  users: undefined,
  whole: sample.whole ?? { peak: inUse, licenseSeconds: inUse * sample.seconds },
});

/** The slots of a feature on one local day: what is in use at the beginning of each, and over the whole of it. */
export class UsageDay {
  readonly #inUse = new Int32Array(MAX_SLOTS).fill(NOT_SEEN);
  readonly #users = new Int32Array(MAX_SLOTS);
  readonly #available = new Int32Array(MAX_SLOTS);
  readonly #peak = new Int32Array(MAX_SLOTS);
  readonly #denials = new Int32Array(MAX_SLOTS);
  readonly #licenseSeconds = new Float64Array(MAX_SLOTS);
  #start = 0;

  /** @param start first second of the day */
  begin(start: number): void {
    this.#start = start;
    this.#inUse.fill(NOT_SEEN);
    this.#peak.fill(0);
    this.#denials.fill(0);
    this.#licenseSeconds.fill(0);
  }

  /** That many are in use from one moment to the other, both within the day. */
  add(from: number, to: number, { licenses, users, available }: InUse): void {
    for (let at = from; at < to; ) {
      const slot = Math.floor((at - this.#start) / SLOT);
      const end = Math.min(this.#start + (slot + 1) * SLOT, to);
      if (this.#inUse[slot] === NOT_SEEN) {
        this.#inUse[slot] = licenses;
        this.#users[slot] = users;
        this.#available[slot] = available ?? NOT_SEEN;
      }
      this.#licenseSeconds[slot] = (this.#licenseSeconds[slot] ?? 0) + licenses * (end - at);
      this.peak(at, licenses);
      at = end;
    }
  }

  /** So many were in use at a moment, if only for less than a second. */
  peak(at: number, licenses: number): void {
    const slot = Math.floor((at - this.#start) / SLOT);
    if (licenses > (this.#peak[slot] ?? 0)) this.#peak[slot] = licenses;
  }

  deny(at: number): void {
    const slot = Math.floor((at - this.#start) / SLOT);
    this.#denials[slot] = (this.#denials[slot] ?? 0) + 1;
  }

  /** The slots of which the log tells a part. @param covered parts of the day, in order @param end first second after the day */
  samples(covered: readonly Span[], end: number): Sample[] {
    const samples: Sample[] = [];
    let next = 0;
    for (const { from, to } of covered) {
      const last = this.#slotAfter(to, end);
      for (let slot = Math.max(next, Math.floor((from - this.#start) / SLOT)); slot < last; ) {
        // of a slot that the log begins within, nobody knows what was in use at its beginning
        const isBegun = from > this.#start + slot * SLOT && slot >= next;
        const after = isBegun ? slot + 1 : this.#steadyUntil(slot, last);
        const sample = this.#sample(slot, after, end);
        addJoined(samples, isBegun ? withoutMoment(sample) : sample);
        slot = after;
      }
      next = Math.max(next, last);
    }
    return samples;
  }

  /** The first slot that is not covered: of one in which the last line stands at once, the line counts. */
  #slotAfter(to: number, end: number): number {
    const slot = Math.ceil((to - this.#start) / SLOT);
    const hasLine =
      to < end && (to - this.#start) % SLOT === 0 && (this.#peak[slot] ?? 0) + (this.#denials[slot] ?? 0) > 0;
    return hasLine ? slot + 1 : slot;
  }

  /** The slot before which nothing changes from one on. */
  #steadyUntil(slot: number, last: number): number {
    let after = slot + 1;
    if (!this.#isSteady(slot)) return after;
    const [inUse, users, available] = [this.#inUse[slot], this.#users[slot], this.#available[slot]];
    while (
      after < last &&
      this.#inUse[after] === inUse &&
      (inUse === NOT_SEEN || (this.#users[after] === users && this.#available[after] === available)) &&
      this.#isSteady(after)
    )
      after += 1;
    return after;
  }

  /** Whether a whole slot is as its first moment, and nothing was refused in it. */
  #isSteady(slot: number): boolean {
    const inUse = Math.max(0, this.#inUse[slot] ?? 0);
    return this.#denials[slot] === 0 && (this.#peak[slot] ?? 0) <= inUse && this.#licenseSeconds[slot] === inUse * SLOT;
  }

  /** What is known from one slot to before another: the same all the time. */
  #sample(slot: number, after: number, end: number): Sample {
    const at = this.#start + slot * SLOT;
    const seconds = Math.min((after - slot) * SLOT, end - at);
    const inUse = Math.max(0, this.#inUse[slot] ?? 0);
    const available = this.#available[slot] ?? NOT_SEEN;
    const peak = Math.max(inUse, this.#peak[slot] ?? 0);
    const licenseSeconds = this.#licenseSeconds[slot] ?? 0;
    return {
      at,
      seconds,
      available: this.#inUse[slot] === NOT_SEEN || available === NOT_SEEN ? undefined : available,
      inUse,
      reserved: undefined,
      users: this.#inUse[slot] === NOT_SEEN ? 0 : (this.#users[slot] ?? 0),
      denials: this.#denials[slot] ?? 0,
      // most slots are as their first moment, and all of several
      whole:
        peak === inUse && licenseSeconds === inUse * Math.min(SLOT, end - at) ? undefined : { peak, licenseSeconds },
    };
  }
}
