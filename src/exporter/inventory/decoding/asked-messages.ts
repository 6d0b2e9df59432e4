import type { Failure } from '../../../base/model/failure.ts';
import type { EndpointName } from '../../../base/query-api/endpoints.ts';
import type { ExpirationSection } from '../settings.ts';

/** The messages between the main thread and the thread that decodes what Grafana asks for. */

/** The start data of the thread. */
export interface AskedSettings extends Pick<ExpirationSection, 'permanentAfter'> {}

/** To the thread: bytes of an answer as they arrived, or the end of the interest in it. */
export type AskedInput =
  | {
      /** The answer; several can arrive at the same time. */
      readonly id: number;
      readonly endpoint: EndpointName;
      readonly chunks: readonly ArrayBuffer[];
      readonly isFirst: boolean;
      readonly isLast: boolean;
    }
  | { readonly aborted: number };

/**
 * A long list of texts or records. `place` is its place in the answer, emptied: within one message they remain the same
 * object. Each page holds serialized arrays of items.
 */
export interface PagedList {
  readonly place: unknown[];
  readonly pages: readonly Uint8Array[];
}

/** From the thread: a decoded answer, or why it is not usable. */
export type AskedReply =
  | { readonly id: number; readonly answer: unknown; readonly lists: readonly PagedList[] }
  | { readonly id: number; readonly failure: Failure };
