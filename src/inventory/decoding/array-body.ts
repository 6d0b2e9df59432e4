import { answerFault, recogniseBody } from './answer-faults.ts';
import { refuse, refuseStructure } from './body-limits.ts';
import { Carry, windowOn } from './byte-window.ts';
import { type ItemReceiver, ItemSplitter } from './item-splitter.ts';
import { type JsonLimits, JsonScan, leading } from './json-scan.ts';

const OPEN_ARRAY = 0x5b;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** More bytes than `recogniseBody` reads. It also asks whether there are more than these. */
const HEAD = 1025;
/** An item that spans two chunks is completed in steps of at least this size, bytes. */
const STEP = 1024;

function isBlank(bytes: Buffer): boolean {
  const from = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  return bytes.subarray(from).every((byte) => byte < 0x80);
}

/**
 * The body of an answer that must be an array. Its limits are checked and its items are found as its bytes arrive, in
 * chunks of any size. Only an item that goes on in the next chunk is copied.
 */
export class ArrayBody {
  #head = Buffer.alloc(0);
  #splitter: ItemSplitter | undefined;
  /** All bytes until it is known what the body is, and of a body that is not an array; otherwise an incomplete item. */
  readonly #carry = new Carry();
  readonly #isNested: boolean;
  readonly #limits: JsonLimits;
  readonly #scan: JsonScan;
  readonly #receiver: ItemReceiver;

  constructor(isNested: boolean, limits: JsonLimits, receiver: ItemReceiver) {
    this.#isNested = isNested;
    this.#limits = limits;
    this.#scan = new JsonScan(limits);
    this.#receiver = receiver;
  }

  /** @throws QueryError of kind `too_large`, or what the first bytes show */
  write(chunk: Buffer): void {
    if (this.#head.length < HEAD) this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD - this.#head.length)]);
    if (this.#splitter !== undefined) this.#split(chunk, this.#splitter);
    else this.#begin(chunk);
    this.#check();
  }

  /**
   * The body is complete.
   *
   * @returns the whole body if it is not an array
   * @throws QueryError of kind `too_large` or `parse`
   */
  end(): Buffer | undefined {
    this.#splitter?.read(this.#carry.window, true);
    this.#check();
    if (this.#scan.isOpen) throw refuse(this.#head, 'ANSWER_INCOMPLETE');
    if (this.#splitter === undefined) return this.#carry.window.bytes;
    if (!this.#splitter.isComplete) throw answerFault(recogniseBody(this.#head));
    return undefined;
  }

  #check(): void {
    const { passed } = this.#scan;
    if (passed !== undefined) throw refuseStructure(this.#head, this.#limits, passed);
  }

  #begin(chunk: Buffer): void {
    const isBegun = this.#scan.isBegun;
    const at = isBegun ? 0 : chunk.findIndex((byte) => leading[byte] === 0);
    if (isBegun || chunk[at] !== OPEN_ARRAY) {
      this.#scan.push(chunk);
      this.#carry.append(chunk);
      return;
    }
    this.#carry.append(chunk.subarray(0, at));
    this.#splitter = new ItemSplitter(this.#isNested, this.#scan, this.#receiver);
    if (!isBlank(this.#carry.window.bytes)) this.#splitter.reject();
    this.#carry.remove(this.#carry.length);
    this.#split(chunk.subarray(at), this.#splitter);
  }

  #split(chunk: Buffer, splitter: ItemSplitter): void {
    let at = 0;
    while (at < chunk.length && this.#carry.length > 0) at = this.#complete(chunk, at, splitter);
    if (at === chunk.length) return;
    const rest = chunk.subarray(at);
    this.#carry.append(rest.subarray(splitter.read(windowOn(rest), false)));
  }

  /** Adds bytes to the incomplete item. @returns the position up to which the chunk is read */
  #complete(chunk: Buffer, from: number, splitter: ItemSplitter): number {
    const before = this.#carry.length;
    const length = Math.max(this.#receiver.expectedLength - before, before, STEP);
    const to = Math.min(from + length, chunk.length);
    this.#carry.append(chunk.subarray(from, to));
    const read = splitter.read(this.#carry.window, false);
    // what follows the item is read where it is
    this.#carry.remove(read < before ? read : this.#carry.length);
    return read < before ? to : from + read - before;
  }
}
