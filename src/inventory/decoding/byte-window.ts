/** Bytes of a body, for reading bytes and words. */
export interface ByteWindow {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** A window on all bytes of a buffer, which it does not copy. */
export const windowOn = (bytes: Buffer): ByteWindow => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
});

/** The bytes of an item that goes on in the next chunk. */
export class Carry {
  #memory = Buffer.alloc(0);
  #from = 0;
  #to = 0;

  get length(): number {
    return this.#to - this.#from;
  }

  get window(): ByteWindow {
    return windowOn(this.#memory.subarray(this.#from, this.#to));
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#to + bytes.length > this.#memory.length) this.#grow(this.length + bytes.length);
    this.#memory.set(bytes, this.#to);
    this.#to += bytes.length;
  }

  /** Removes the first bytes. */
  remove(length: number): void {
    this.#from += length;
    if (this.#from === this.#to) this.#from = this.#to = 0;
  }

  /** Doubled, so that an item of any length is copied about once. */
  #grow(length: number): void {
    const memory = length * 2 > this.#memory.length ? Buffer.allocUnsafeSlow(length * 2) : this.#memory;
    this.#memory.copy(memory, 0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
    this.#memory = memory;
  }
}
