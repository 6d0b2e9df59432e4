/** The memory of a text table, for readers in any thread. */
export interface SharedTexts {
  /** Segment, offset and length by id, three numbers each; `ENTRIES` ids in each memory. */
  readonly entries: readonly SharedArrayBuffer[];
  /** UTF-8. A text lies in one memory. */
  readonly bytes: readonly SharedArrayBuffer[];
}

/** The id of an unknown text. */
export const UNKNOWN_TEXT = 0;
/** The id of the empty text. */
const EMPTY_TEXT = 1;

const ENTRY_BITS = 13;
const ENTRIES = 2 ** ENTRY_BITS;
const ENTRY = 3;
const BYTES = 256 * 1024;

/** Reads texts by id. */
export class TextReader {
  protected entries: Uint32Array[];
  protected bytes: Buffer[];

  constructor({ entries, bytes }: SharedTexts) {
    this.entries = entries.map((memory) => new Uint32Array(memory));
    this.bytes = bytes.map((memory) => Buffer.from(memory));
  }

  text(id: number): string {
    const { memory, from, to } = this.range(id);
    return memory.toString('utf8', from, to);
  }

  /** The bytes of a text. */
  range(id: number): { readonly memory: Buffer; readonly from: number; readonly to: number } {
    const entries = this.entries[id >> ENTRY_BITS] as Uint32Array;
    const at = (id & (ENTRIES - 1)) * ENTRY;
    const from = entries[at + 1] as number;
    return {
      memory: this.bytes[entries[at] as number] as Buffer,
      from,
      to: from + (entries[at + 2] as number),
    };
  }
}

/**
 * Texts by number: a record holds the number, and equal texts are held once. A text is held while it is referenced. A lone
 * surrogate, which UTF-8 cannot represent, is replaced.
 */
export class TextTable extends TextReader {
  readonly #ids = new Map<string, number>();
  readonly #strings: (string | undefined)[] = [undefined];
  readonly #free: number[] = [];
  #references: Uint32Array = new Uint32Array(ENTRIES);
  #entryMemory: SharedArrayBuffer[] = [];
  #byteMemory: SharedArrayBuffer[] = [];
  #end = BYTES;
  #live = 0;
  #written = 0;

  constructor() {
    super({ entries: [], bytes: [] });
    this.#addEntries();
    this.intern('');
  }

  /** The id of a text, with one more reference. */
  intern(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) {
      this.#references[known] = (this.#references[known] as number) + 1;
      return known;
    }
    const wellFormed = text.toWellFormed();
    return wellFormed === text ? this.#add(text) : this.intern(wellFormed);
  }

  /** Adds a reference. */
  retain(id: number): void {
    if (id > EMPTY_TEXT) this.#references[id] = (this.#references[id] as number) + 1;
  }

  /** Removes a reference. A text without references is forgotten, so no reader may need it any more. */
  release(id: number): void {
    if (id <= EMPTY_TEXT) return;
    const references = (this.#references[id] as number) - 1;
    this.#references[id] = references;
    if (references > 0) return;
    this.#ids.delete(this.string(id));
    this.#strings[id] = undefined;
    this.#free.push(id);
    this.#live -= this.range(id).to - this.range(id).from;
  }

  /** The text, without decoding it. */
  string(id: number): string {
    return this.#strings[id] as string;
  }

  /** Number of texts that are held. */
  get count(): number {
    return this.#ids.size;
  }

  /** The memory with all present texts. Most of it is the same as in the previous call. */
  share(): SharedTexts {
    this.#compactIfSparse();
    return { entries: [...this.#entryMemory], bytes: [...this.#byteMemory] };
  }

  #add(text: string): number {
    this.#compactIfSparse();
    const id = this.#free.pop() ?? this.#strings.length;
    if (id >> ENTRY_BITS >= this.entries.length) this.#addEntries();
    if (id >= this.#references.length) this.#growReferences();
    this.#ids.set(text, id);
    this.#strings[id] = text;
    this.#references[id] = 1;
    this.#write(id, text);
    return id;
  }

  #write(id: number, text: string): void {
    const length = Buffer.byteLength(text);
    if (this.bytes.length === 0 || this.#end + length > (this.bytes.at(-1)?.length ?? 0)) {
      const memory = new SharedArrayBuffer(Math.max(BYTES, length));
      this.#byteMemory.push(memory);
      this.bytes.push(Buffer.from(memory));
      this.#end = 0;
    }
    this.bytes.at(-1)?.write(text, this.#end);
    const entries = this.entries[id >> ENTRY_BITS] as Uint32Array;
    entries.set([this.bytes.length - 1, this.#end, length], (id & (ENTRIES - 1)) * ENTRY);
    this.#end += length;
    this.#live += length;
    this.#written += length;
  }

  #addEntries(): void {
    const memory = new SharedArrayBuffer(ENTRIES * ENTRY * Uint32Array.BYTES_PER_ELEMENT);
    this.#entryMemory.push(memory);
    this.entries.push(new Uint32Array(memory));
  }

  #growReferences(): void {
    const references = new Uint32Array(this.#references.length * 2);
    references.set(this.#references);
    this.#references = references;
  }

  #compactIfSparse(): void {
    if (this.#written > 4 * BYTES && this.#written > 2 * this.#live) this.#compact();
  }

  /** Writes all texts to new memory. Readers of an older generation keep the old memory. */
  #compact(): void {
    const count = this.entries.length;
    this.#entryMemory = [];
    this.#byteMemory = [];
    this.entries = [];
    this.bytes = [];
    this.#live = 0;
    this.#written = 0;
    for (let i = 0; i < count; i += 1) this.#addEntries();
    for (const [text, id] of this.#ids) this.#write(id, text);
  }
}
