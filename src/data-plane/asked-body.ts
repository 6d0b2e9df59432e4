import { type BodyLimits, limitsOf, refuse, refuseStructure, type SizeLimits } from '../decoding/body-limits.ts';
import { JsonScan } from '../decoding/json-scan.ts';
import type { EndpointName } from '../query-api/endpoints.ts';

/** Bytes that are enough to recognise what a body is. */
const HEAD = 2048;

/** A body as it arrives. Size and structure are checked before anything is decoded. */
export class AskedBody {
  readonly #limits: BodyLimits;
  readonly #scan: JsonScan;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(endpoint: EndpointName, sizes: SizeLimits) {
    this.#limits = limitsOf(endpoint, sizes);
    this.#scan = new JsonScan(this.#limits);
  }

  /**
   * @param chunk owns its memory
   * @throws QueryError of kind `too_large`, or what the first bytes show
   */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    const { size, source } = this.#limits;
    if (this.#bytes > size) throw refuse(this.#head(), 'ANSWER_TOO_LARGE', `limit of ${source}: ${size} bytes`);
    const passed = this.#scan.push(chunk);
    if (passed !== undefined) throw refuseStructure(this.#head(), this.#limits, passed);
  }

  /**
   * The whole body. The memory of its chunks is returned one by one.
   *
   * @throws QueryError of kind `parse` if an array, an object or a string is still open
   */
  take(): Buffer {
    if (this.#scan.isOpen) throw refuse(this.#head(), 'ANSWER_INCOMPLETE');
    const whole = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks.splice(0)) {
      whole.set(chunk, at);
      at += chunk.byteLength;
      // returns its memory now, not with the next collection of garbage
      (chunk.buffer as ArrayBuffer).transfer(0);
    }
    return whole;
  }

  #head(): Buffer {
    const first: Uint8Array[] = [];
    let bytes = 0;
    for (const chunk of this.#chunks) {
      first.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= HEAD) break;
    }
    return Buffer.concat(first);
  }
}
