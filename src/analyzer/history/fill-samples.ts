import type { Sample } from './sample.ts';

/** When a sample ends: its time is over, or the next one begins. */
const endOf = (samples: readonly Sample[], i: number): number => {
  const { at, seconds } = samples[i] as Sample;
  return Math.min(at + seconds, samples[i + 1]?.at ?? Number.POSITIVE_INFINITY);
};

/** A recording, read from its beginning to its end. */
class Reading {
  readonly #samples: readonly Sample[];
  #next = 0;
  /** The sample of the present moment. */
  sample: Sample | undefined;
  /** When that changes. */
  until = Number.NEGATIVE_INFINITY;

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
    this.passTo(Number.NEGATIVE_INFINITY);
  }

  /** @param at no earlier than before, and no later than `until` */
  passTo(at: number): void {
    if (at < this.until) return;
    const next = this.#samples[this.#next];
    if (next === undefined || next.at > at) {
      this.sample = undefined;
      this.until = next?.at ?? Number.POSITIVE_INFINITY;
      return;
    }
    this.sample = next;
    this.until = endOf(this.#samples, this.#next);
    this.#next += 1;
  }
}

/** Whether one sample knows a figure that the other does not. */
const adds = (more: Sample, kept: Sample): boolean =>
  (kept.available === undefined && more.available !== undefined) ||
  (kept.inUse === undefined && more.inUse !== undefined) ||
  (kept.reserved === undefined && more.reserved !== undefined) ||
  (kept.users === undefined && more.users !== undefined) ||
  (kept.denials === undefined && more.denials !== undefined);

/** A part of time in which neither recording has another sample. */
interface Piece {
  readonly at: number;
  until: number;
  readonly kept: Sample | undefined;
  readonly more: Sample | undefined;
}

/** @param onBoth called with each sample of `more` of which `kept` knows denials of a part */
function piecesOf(
  kept: readonly Sample[],
  more: readonly Sample[],
  onBoth: (sample: Sample) => void,
): readonly Piece[] {
  const [first, second] = [new Reading(kept), new Reading(more)];
  const pieces: Piece[] = [];
  for (let at = Math.min(first.until, second.until); at < Number.POSITIVE_INFINITY; ) {
    first.passTo(at);
    second.passTo(at);
    const until = Math.min(first.until, second.until);
    if (second.sample !== undefined && first.sample?.denials !== undefined) onBoth(second.sample);
    const isNeeded = second.sample !== undefined && (first.sample === undefined || adds(second.sample, first.sample));
    const piece = { at, until, kept: first.sample, more: isNeeded ? second.sample : undefined };
    const last = pieces.at(-1);
    const isSame = last?.until === at && last.kept === piece.kept && last.more === piece.more;
    if (isSame) last.until = until;
    else if (piece.kept !== undefined || piece.more !== undefined) pieces.push(piece);
    at = until;
  }
  return pieces;
}

/** What is known of the whole slot, if the piece is one. */
function wholeOf({ at, until, kept, more }: Piece): Sample['whole'] {
  const known = kept?.inUse === undefined ? more : kept;
  return known?.at === at && known.seconds === until - at ? known.whole : undefined;
}

/**
 * Denials of each sample count in its first piece. If `kept` knows those of a part of a sample of `more`, nobody knows how many
 * are left for the rest.
 */
class DenialShares {
  readonly #counted = new Set<Sample>();
  readonly #shared = new Set<Sample>();

  share(sample: Sample): void {
    this.#shared.add(sample);
  }

  of({ kept, more }: Piece): number | undefined {
    if (kept?.denials !== undefined) return this.#take(kept, kept.denials);
    if (more?.denials === undefined) return undefined;
    if (this.#shared.has(more)) return more.denials === 0 ? 0 : undefined;
    return this.#take(more, more.denials);
  }

  #take(sample: Sample, denials: number): number {
    if (this.#counted.has(sample)) return 0;
    this.#counted.add(sample);
    return denials;
  }
}

/**
 * The union of two recordings of one time, in order: at each moment the figures that `kept` knows, and those of `more` for
 * the others. No denial counts twice.
 */
export function fillSamples(kept: readonly Sample[], more: readonly Sample[]): readonly Sample[] {
  if (kept.length === 0) return more;
  if (more.length === 0) return kept;
  const shares = new DenialShares();
  const pieces = piecesOf(kept, more, (sample) => shares.share(sample));
  return pieces.map((piece) => {
    const { at, until, kept: own, more: other } = piece;
    if (other === undefined && own?.at === at && own.seconds === until - at) return own;
    return {
      at,
      seconds: until - at,
      available: own?.available ?? other?.available,
      inUse: own?.inUse ?? other?.inUse,
      reserved: own?.reserved ?? other?.reserved,
      users: own?.users ?? other?.users,
      denials: shares.of(piece),
      whole: wholeOf(piece),
    };
  });
}
