import type { EndpointName } from '../../../base/query-api/endpoints.ts';

/** The decoding of one answer while it arrives. */
export interface IncomingAnswer<T> {
  /**
   * Takes the next bytes of the body. The caller must not use them afterwards.
   *
   * @returns a promise if the next bytes should wait until it resolves; nothing if they can be written at once
   */
  write(chunk: Buffer): Promise<void> | undefined;
  /** The body is complete. */
  end(): void;
  /** The rest of the body will not come. `result` need not settle. */
  abort(): void;
  /**
   * The decoded answer. It rejects as soon as the answer is known to be unusable, which can be before its end.
   *
   * @throws QueryError of kind `parse`, `schema` or `too_large`, or `aborted` after `close`
   */
  readonly result: Promise<T>;
}

/** Decodes answers. `Answers` is the type of the decoded answer of each endpoint. */
export interface Decoder<Answers> {
  /**
   * Begins to decode an answer.
   *
   * @param before an earlier answer to the same question: what has not changed since may be taken over from it
   */
  open<E extends EndpointName & keyof Answers>(endpoint: E, before?: Answers[E]): IncomingAnswer<Answers[E]>;
  /** Ends the decoding of every answer. */
  close(): Promise<void>;
}
