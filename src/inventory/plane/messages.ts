import type { Failure } from '../../model/failure.ts';
import type { OwnerEntry } from '../../model/owners.ts';
import type { StoredEndpoint } from '../decoding/record-stream.ts';
import type { SharedFeatures } from '../feature-columns.ts';
import type { Derived, FeaturesRequest } from '../features-request.ts';
import type { Opening } from './data-plane.ts';
import type { PageRendering, PageUpdate } from './page-renderer.ts';

/** The start data of the thread. */
export interface PlaneStart {
  /** Handles of answers, and versions of the page, are larger than this. */
  readonly firstHandle: number;
}

/** A message to the thread of the data plane. `id` identifies an answer or a request. */
export type PlaneMessage<Rendering extends PageRendering = PageRendering> =
  | { readonly type: 'open'; readonly id: number; readonly opening: Opening }
  | { readonly type: 'write'; readonly id: number; readonly chunks: readonly ArrayBuffer[] }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'keep'; readonly endpoint: StoredEndpoint; readonly handles: readonly number[] }
  | { readonly type: 'owners'; readonly entries: readonly OwnerEntry[] }
  | { readonly type: 'derive'; readonly id: number; readonly request: FeaturesRequest; readonly oldestInUse: number }
  | { readonly type: 'render'; readonly id: number; readonly rendering: Rendering };

/**
 * A result, why an answer is not usable, the number of bytes that were read since the last such reply, or the text of an
 * unexpected error.
 */
export type PlaneReply =
  | { readonly id: number; readonly value: unknown | Derived<SharedFeatures> | PageUpdate }
  | { readonly id: number; readonly failure: Failure }
  | { readonly id: number; readonly read: number }
  | { readonly id: number; readonly error: string };
