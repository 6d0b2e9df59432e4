import { hash } from 'node:crypto';
import { QueryError } from '../../../base/model/failure.ts';
import type { Answer } from '../../../base/model/records.ts';
import { readJson } from '../../../base/query-api/json.ts';
import { isSameArray } from '../spelling.ts';
import { type BodyPlace, bodyFault, placeOfFault } from './answer-faults.ts';
import { incomplete, refuse, refuseStructure } from './body-limits.ts';
import { type JsonLimits, JsonScan } from './json-scan.ts';
import { type DecodedItem, isObject, RecordAnswer } from './record-answer.ts';
import type { RecordKind } from './record-kinds.ts';

/** The items of an answer by the hashes of their texts: one with the same text in the next answer has the same record. */
interface KnownTexts<R> {
  readonly permanentAfter: number;
  readonly items: Map<string, DecodedItem<R>>;
}

/** What is known of an answer, by its records. It goes with them. */
const textsOf = new WeakMap<readonly unknown[], KnownTexts<unknown>>();

export interface BodyRecordsOptions<R> {
  readonly kind: RecordKind<R>;
  /** Whether the records are in arrays in the array. */
  readonly isNested: boolean;
  /** A license that expires at this time or later is permanent, epoch seconds. */
  readonly permanentAfter: number;
  readonly limits: JsonLimits;
  /** The answer before, which most records are expected to equal. */
  readonly before: Answer<R> | undefined;
}

const spaces: readonly unknown[] = [0x20, 0x09, 0x0a, 0x0d];
const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The longest text of a record, and the longest text between two records, bytes. */
const MAX_TEXT = 256 * 1024;
/** The longest text around all records, bytes. */
const MAX_AROUND = 1024 * 1024;
/** What is between two records that follow each other. */
const SEPARATOR = /^[ \t\r\n]*,[ \t\r\n]*$/;
/** Records between two yields, and items that are no records. */
const STEP = 16;
const SWEEP = 256;
/** Bytes from which `recogniseBody` sees what a body is; it also asks whether there are more. */
const HEAD = 1025;

const sha1 = (text: Uint8Array): string => hash('sha1', text, 'binary');

/** Frees the memory of bytes that nobody needs any more. The garbage collector would only do so after many megabytes. */
function freeBytes({ buffer, byteLength }: Buffer): void {
  // a part of a larger memory is not alone in it
  if (byteLength > 0 && byteLength === buffer.byteLength) (buffer as ArrayBuffer).transfer(0);
}

function afterSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (spaces.includes(bytes[at])) at += 1;
  return at;
}

/** Whether what follows a closing brace is what follows a record in an array: the end of the array, or the next record. */
function seemsToEnd(bytes: Buffer, end: number): boolean {
  const at = afterSpaces(bytes, end);
  if (bytes[at] === CLOSE_ARRAY) return true;
  return bytes[at] === COMMA && bytes[afterSpaces(bytes, at + 1)] === OPEN_OBJECT;
}

/**
 * Reads the records of an answer while its bytes arrive, with the same result as `decodeAnswer` of the whole body, but that records
 * are equal only if they are written in the same way, and that each is UTF-8 or not. A record with the same text as in the answer
 * before is the same object, and is not parsed again.
 */
export class BodyRecords<R> {
  readonly #options: BodyRecordsOptions<R>;
  /** Of the answer before, and of this one. */
  readonly #before: ReadonlyMap<string, DecodedItem<R>>;
  readonly #items = new Map<string, DecodedItem<R>>();
  readonly #answer: RecordAnswer<R>;
  /** Of what is around the records. */
  readonly #scan: JsonScan;
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of a record that goes on in the next chunk. */
  #rest: Buffer = Buffer.alloc(0);
  /** What is around the records, with `{}` for each, or for several that follow each other. */
  #around = '';
  #isAfterRecord = false;
  /** Where the pieces of that begin in the body. */
  readonly #pieces: { readonly at: number; readonly place: BodyPlace }[] = [];
  /** What follows the last record, and where that begins. */
  #gap = '';
  #gapFrom = 0;
  #records = 0;
  /** Bytes of the body before those that are being read. */
  #passed = 0;
  /** Whether the body is no JSON: it is only scanned then. */
  #isMalformed = false;
  /** What is wrong with it, if a record is. */
  #fault: string | undefined;

  constructor(options: BodyRecordsOptions<R>) {
    const { kind, permanentAfter, limits, before } = options;
    const known = before && (textsOf.get(before.records) as KnownTexts<R> | undefined);
    this.#options = options;
    this.#before = known?.permanentAfter === permanentAfter ? known.items : new Map();
    this.#answer = new RecordAnswer(kind, permanentAfter);
    this.#scan = new JsonScan(limits);
  }

  /**
   * Reads the next bytes of the body, in small steps. They are freed, and may be changed before.
   *
   * @throws QueryError as soon as the answer exceeds a limit
   */
  *read(chunk: Buffer): Generator<void> {
    if (this.#head.length < HEAD) this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD - this.#head.length)]);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let records = 1; at < bytes.length; records += 1) {
      const from = this.#isMalformed ? bytes.length : this.#skipTo(bytes, at);
      if (this.#isMalformed) this.#scanAround(bytes.subarray(at));
      const end = from === bytes.length ? from : this.#readRecord(bytes, from);
      if (end === -1) {
        if (bytes.length - from > MAX_TEXT) throw this.#refuseUnended(bytes.subarray(from));
        at = from;
        break;
      }
      if (end > from) {
        this.#gapFrom = this.#passed + end;
        this.#records += 1;
      }
      at = end;
      if (records % STEP === 0) yield;
    }
    // a copy, because the bytes are freed
    this.#rest = Buffer.from(bytes.subarray(at));
    this.#passed += at;
    freeBytes(bytes);
    freeBytes(chunk);
  }

  /** The body is complete. @throws QueryError of kind `parse`, `schema` or `too_large` when the answer is not usable */
  *end(): Generator<void, Answer<R>> {
    const { before, permanentAfter } = this.#options;
    if (this.#scan.isOpen || this.#rest.length > 0) throw incomplete(this.#head, this.#placeOfFault());
    const others = this.#othersIn(this.#parseAround());
    for (const [i, item] of others.entries()) {
      if (!isObject(item)) this.#answer.add(this.#answer.decode(item), false);
      if (i % SWEEP === 0) yield;
    }
    const isFirst = others.length > 0 && !isObject(others[0]);
    const answer = this.#answer.finish(isFirst ? { raw: others[0] } : undefined);
    // an answer with the same records has the same array, so that nothing is done for it again
    const isSame = before !== undefined && isSameArray(before.records, answer.records);
    const records = isSame ? before.records : answer.records;
    textsOf.set(records, { permanentAfter, items: this.#items });
    return { ...answer, records };
  }

  /** Passes over what is before the next record. @returns where it begins, or the end of the bytes */
  #skipTo(bytes: Buffer, at: number): number {
    let done = at;
    for (let from = bytes.indexOf(OPEN_OBJECT, at); from !== -1; from = bytes.indexOf(OPEN_OBJECT, from + 1)) {
      this.#scanAround(bytes.subarray(done, from));
      done = from;
      // a brace can be in a text between two records
      if (!this.#scan.isInString) return from;
    }
    this.#scanAround(bytes.subarray(done));
    return bytes.length;
  }

  #scanAround(bytes: Buffer): void {
    const passed = this.#scan.push(bytes);
    if (passed !== undefined) throw refuseStructure(this.#head, this.#options.limits, passed);
    if (this.#isMalformed) return;
    this.#gap += bytes.toString('latin1');
    if (this.#gap.length > MAX_TEXT) throw this.#refuseLong();
  }

  /** @returns the position after the record, or -1 if it goes on in the next chunk */
  #readRecord(bytes: Buffer, from: number): number {
    const { depth, isBegun } = this.#scan;
    if (isBegun && depth === 0) {
      this.#isMalformed = true;
      return from;
    }
    const isRecord = depth === 1 || (depth === 2 && this.#options.isNested);
    const guess = isRecord ? bytes.indexOf(CLOSE_OBJECT, from) + 1 : 0;
    if (guess !== 0 && seemsToEnd(bytes, guess) && this.#addKnown(sha1(bytes.subarray(from, guess)))) return guess;
    const end = this.#findEnd(bytes, from, depth);
    if (end === -1) return -1;
    this.#isMalformed = !this.#addText(bytes.subarray(from, end), isRecord);
    return this.#isMalformed ? from : end;
  }

  #findEnd(bytes: Buffer, from: number, depth: number): number {
    const { limits } = this.#options;
    const scan = new JsonScan({ ...limits, depth: limits.depth - depth });
    const end = scan.scan(bytes, from, bytes.length, 0);
    if (scan.passed !== undefined) throw refuseStructure(this.#head, limits, scan.passed);
    return end;
  }

  /** @returns whether a text with this hash was decoded before */
  #addKnown(key: string): boolean {
    const own = this.#items.get(key);
    const found = own ?? this.#before.get(key);
    if (found === undefined) return false;
    this.#answer.add(found, own !== undefined);
    if (own === undefined) this.#items.set(key, found);
    this.#pass('{}');
    return true;
  }

  /** @param item stands for what was read */
  #pass(item: string): void {
    const isNext = item === '{}' && this.#isAfterRecord && SEPARATOR.test(this.#gap);
    if (!isNext) {
      this.#beginPiece();
      this.#around += this.#gap + item;
    }
    this.#isAfterRecord = item === '{}';
    this.#gap = '';
    if (this.#around.length > MAX_AROUND) throw this.#refuseLong(MAX_AROUND);
  }

  /** @returns whether the text is JSON */
  #addText(text: Buffer, isRecord: boolean): boolean {
    if (text.length > MAX_TEXT) throw this.#refuseLong();
    const key = sha1(text);
    if (isRecord && this.#addKnown(key)) return true;
    try {
      const raw = readJson(text);
      // in a deeper array, it is a part of an item that is no record
      if (!isRecord) {
        this.#pass('0');
        return true;
      }
      const decoded = this.#answer.decode(raw);
      this.#answer.add(decoded, false);
      // one that is not usable is decoded each time, because an answer of such records alone describes the first
      if (decoded.record !== undefined) this.#items.set(key, decoded);
      this.#pass('{}');
      return true;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#fault = this.#placeIn(text);
      return false;
    }
  }

  /** Where a text is wrong that follows the gap. */
  #placeIn(text: Buffer): string | undefined {
    return placeOfFault(text, ({ at }) => ({ bytes: this.#gapFrom + this.#gap.length + at, records: this.#records }));
  }

  #beginPiece(): void {
    this.#pieces.push({ at: this.#around.length, place: { bytes: this.#gapFrom, records: this.#records } });
  }

  /** The first mistake of the body. */
  #placeOfFault(): string | undefined {
    const next = this.#fault === undefined && this.#rest.length === 0 ? '' : '{}';
    const around = Buffer.from(this.#around + this.#gap + next, 'latin1');
    this.#beginPiece();
    const between = placeOfFault(around, ({ at }) => {
      const { at: from, place } = this.#pieces.findLast((piece) => piece.at <= at) as { at: number; place: BodyPlace };
      return { bytes: place.bytes + at - from, records: place.records };
    });
    return between ?? this.#fault ?? this.#placeIn(this.#rest);
  }

  #parseAround(): unknown {
    try {
      if (!this.#isMalformed) return readJson(Buffer.from(this.#around + this.#gap, 'latin1'));
    } catch {
      // as below
    }
    throw bodyFault(this.#head, this.#placeOfFault());
  }

  /** The items of the answer, of which those that are objects were read. */
  #othersIn(around: unknown): readonly unknown[] {
    if (!Array.isArray(around)) throw new QueryError('schema', 'the answer is not an array');
    return this.#options.isNested ? around.flat() : around;
  }

  /** The error for a record without an end. A quote too many, or too few, can be the cause. */
  #refuseUnended(record: Buffer) {
    const place = this.#placeIn(record);
    return place === undefined ? this.#refuseLong() : bodyFault(this.#head, place);
  }

  /** The error for a body that is no answer of the Query API, but may be JSON. @param limit bytes */
  #refuseLong(limit = MAX_TEXT) {
    return refuse(this.#head, 'ANSWER_LONG_ITEM', `limit: ${limit} bytes`);
  }
}
