import { Retired } from './retired.ts';

/** The columns of a kind of record. */
export interface Layout {
  /** Numbers; flags are 0 and 1. */
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

/** The memory of a store, for readers in any thread. Segments are only added. */
export interface SharedRecords {
  readonly layout: Layout;
  readonly segments: readonly SharedArrayBuffer[];
}

/** Slots of a segment. A power of two, so that a slot is split by shifting. */
const SEGMENT_BITS = 12;
const SEGMENT = 2 ** SEGMENT_BITS;

/** The columns of one segment: first all numbers, then the ids of all texts. */
interface Segment {
  readonly numbers: Float64Array;
  readonly texts: Uint32Array;
}

const segmentOf = (memory: SharedArrayBuffer, { numbers, texts }: Layout): Segment => {
  const length = numbers.length * SEGMENT;
  return {
    numbers: new Float64Array(memory, 0, length),
    texts: new Uint32Array(memory, length * Float64Array.BYTES_PER_ELEMENT, texts.length * SEGMENT),
  };
};

/** Reads records by slot. */
export class RecordReader {
  protected readonly segments: Segment[] = [];
  readonly layout: Layout;

  constructor({ layout, segments }: SharedRecords) {
    this.layout = layout;
    for (const memory of segments) this.segments.push(segmentOf(memory, layout));
  }

  /** The position of a column. @throws RangeError when there is no such column */
  numberColumn(name: string): number {
    return position(this.layout.numbers, name);
  }

  textColumn(name: string): number {
    return position(this.layout.texts, name);
  }

  /** NaN is unknown. */
  number(slot: number, column: number): number {
    const segment = this.segments[slot >> SEGMENT_BITS] as Segment;
    return segment.numbers[(column << SEGMENT_BITS) + (slot & (SEGMENT - 1))] as number;
  }

  /** The id of a text, 0 if it is unknown. */
  text(slot: number, column: number): number {
    const segment = this.segments[slot >> SEGMENT_BITS] as Segment;
    return segment.texts[(column << SEGMENT_BITS) + (slot & (SEGMENT - 1))] as number;
  }
}

function position(names: readonly string[], name: string): number {
  const found = names.indexOf(name);
  if (found === -1) throw new RangeError(`there is no column ${name}`);
  return found;
}

/**
 * Records in slots. A record that is shown is never changed: a new version gets another slot, and the old slot is used
 * again when no reader can see it. Slots are counted references, because successive answers share the records that did
 * not change.
 */
export class RecordStore extends RecordReader {
  readonly #memory: SharedArrayBuffer[];
  readonly #free: number[] = [];
  readonly #retired = new Retired<number>();
  readonly #onFree: (slot: number) => void;
  /** Number of references by slot. */
  #references = new Uint16Array(0);
  /** By slot, how many generations were complete when it was allocated. */
  #since = new Uint32Array(0);
  #generations = 0;

  /** @param onFree called when nobody can see a slot any more, before it is used again */
  constructor(layout: Layout, onFree: (slot: number) => void = () => undefined) {
    const memory: SharedArrayBuffer[] = [];
    super({ layout, segments: memory });
    this.#memory = memory;
    this.#onFree = onFree;
  }

  get shared(): SharedRecords {
    return { layout: this.layout, segments: [...this.#memory] };
  }

  /** A slot with one reference and columns of undefined content. */
  allocate(): number {
    if (this.#free.length === 0) this.#grow();
    const slot = this.#free.pop() as number;
    this.#references[slot] = 1;
    this.#since[slot] = this.#generations;
    return slot;
  }

  setNumber(slot: number, column: number, value: number): void {
    const segment = this.segments[slot >> SEGMENT_BITS] as Segment;
    segment.numbers[(column << SEGMENT_BITS) + (slot & (SEGMENT - 1))] = value;
  }

  setText(slot: number, column: number, id: number): void {
    const segment = this.segments[slot >> SEGMENT_BITS] as Segment;
    segment.texts[(column << SEGMENT_BITS) + (slot & (SEGMENT - 1))] = id;
  }

  retain(slot: number): void {
    this.#references[slot] = (this.#references[slot] as number) + 1;
  }

  release(slot: number): void {
    const references = (this.#references[slot] as number) - 1;
    this.#references[slot] = references;
    if (references > 0) return;
    // no generation shows it: answers that are not usable need no derivation to be freed
    if (this.#since[slot] === this.#generations) this.#reuse(slot);
    else this.#retired.add(slot);
  }

  /** Marks the released slots as visible in a generation. The slots in use can be visible in the next one. */
  retire(generation: number): void {
    this.#retired.close(generation);
    this.#generations += 1;
  }

  /** Uses again the slots that no generation from this one on can show. */
  reclaim(oldestInUse: number): void {
    for (const slot of this.#retired.before(oldestInUse)) this.#reuse(slot);
  }

  /** Slots that are in use, retired ones included. */
  get used(): number {
    return this.segments.length * SEGMENT - this.#free.length;
  }

  #reuse(slot: number): void {
    this.#onFree(slot);
    this.#free.push(slot);
  }

  #grow(): void {
    const { numbers, texts } = this.layout;
    const bytes = numbers.length * Float64Array.BYTES_PER_ELEMENT + texts.length * Uint32Array.BYTES_PER_ELEMENT;
    const memory = new SharedArrayBuffer(bytes * SEGMENT);
    const first = this.segments.length * SEGMENT;
    this.#memory.push(memory);
    this.segments.push(segmentOf(memory, this.layout));
    const references = new Uint16Array(first + SEGMENT);
    references.set(this.#references);
    this.#references = references;
    const since = new Uint32Array(first + SEGMENT);
    since.set(this.#since);
    this.#since = since;
    // the lowest slot is taken first
    for (let slot = first + SEGMENT - 1; slot >= first; slot -= 1) this.#free.push(slot);
  }
}
