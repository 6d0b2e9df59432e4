import { QueryError } from '../../../base/model/failure.ts';
import type { EndpointName } from '../../../base/query-api/endpoints.ts';
import type { ExpirationSection } from '../settings.ts';
import { placeOfFault } from './answer-faults.ts';
import { incomplete, refuseStructure, structureLimitsOf } from './body-limits.ts';
import { type Answers, decodeAnswer } from './decode.ts';
import type { Decoder, IncomingAnswer } from './decoder.ts';
import { JsonScan } from './json-scan.ts';

/** What decoding depends on beside the body. */
export interface LocalDecoderOptions extends Pick<ExpirationSection, 'permanentAfter'> {
  /** Called with each complete body before it is decoded. Must not change it. */
  readonly onBody?: (endpoint: EndpointName, body: Buffer) => void;
}

/** Collects the chunks of one answer, and decodes them when the last one is there. */
class LocalAnswer<T> implements IncomingAnswer<T> {
  readonly #scan: JsonScan;
  readonly #endpoint: EndpointName;
  readonly #chunks: Buffer[] = [];
  readonly #body = Promise.withResolvers<Buffer>();
  readonly result: Promise<T>;

  constructor(endpoint: EndpointName, decode: (body: Buffer) => T) {
    this.#endpoint = endpoint;
    this.#scan = new JsonScan(structureLimitsOf(endpoint));
    this.result = this.#body.promise.then(decode);
  }

  write(chunk: Buffer): undefined {
    this.#chunks.push(chunk);
    const passed = this.#scan.push(chunk);
    if (passed === undefined) return undefined;
    this.#body.reject(refuseStructure(this.#join(), structureLimitsOf(this.#endpoint), passed));
    return undefined;
  }

  end(): void {
    const body = this.#join();
    if (this.#scan.isOpen) this.#body.reject(incomplete(body, placeOfFault(body)));
    else this.#body.resolve(body);
  }

  abort(): void {
    this.#chunks.length = 0;
  }

  #join(): Buffer {
    const chunks = this.#chunks.splice(0).reverse();
    if (chunks.length === 1) return chunks[0] as Buffer;
    const joined = Buffer.allocUnsafeSlow(chunks.reduce((bytes, { length }) => bytes + length, 0));
    // a chunk that was copied is not kept in memory while the others are
    for (let at = 0, chunk = chunks.pop(); chunk !== undefined; at += chunk.length, chunk = chunks.pop()) {
      chunk.copy(joined, at);
    }
    return joined;
  }
}

/**
 * Decodes answers on this thread, for commands, tests and what is small. It checks the structure of a body while it arrives, and blocks the
 * thread while it decodes it.
 */
export function createLocalDecoder({ permanentAfter, onBody }: LocalDecoderOptions): Decoder<Answers> {
  let isClosed = false;

  const decode = <E extends EndpointName>(endpoint: E, body: Buffer): Answers[E] => {
    if (isClosed) throw new QueryError('aborted', 'the client is closed');
    onBody?.(endpoint, body);
    try {
      return decodeAnswer(endpoint, body, permanentAfter);
    } catch (error) {
      throw error instanceof QueryError
        ? error
        : new QueryError('parse', 'decoding the answer failed', { cause: error });
    }
  };

  return {
    open: <E extends EndpointName>(endpoint: E) =>
      new LocalAnswer<Answers[E]>(endpoint, (body) => decode(endpoint, body)),
    close: async () => {
      isClosed = true;
    },
  };
}
