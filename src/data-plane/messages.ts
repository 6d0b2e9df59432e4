import type { StoredEndpoint } from '../decoding/record-stream.ts';
import type { SharedFeatures } from '../inventory/feature-columns.ts';
import type { Derived, FeaturesRequest } from '../inventory/features-request.ts';
import type { Failure } from '../model/failure.ts';
import type { Opening, Rendered, Rendering } from './data-plane.ts';

/** The start data of the thread. */
export interface PlaneStart {
  /** Handles of answers are larger than this. */
  readonly firstHandle: number;
}

/** The next bytes of an answer. */
export interface AnswerBytes {
  readonly type: 'bytes';
  readonly id: number;
  /** Before the first bytes. */
  readonly opening?: Opening;
  readonly chunks: readonly ArrayBuffer[];
  readonly isLast: boolean;
}

/** A message to the thread of the data plane. `id` identifies an answer or a request. */
export type PlaneMessage =
  | AnswerBytes
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'keep'; readonly endpoint: StoredEndpoint; readonly handles: readonly number[] }
  | { readonly type: 'derive'; readonly id: number; readonly request: FeaturesRequest; readonly oldestInUse: number }
  | { readonly type: 'render'; readonly id: number; readonly rendering: Rendering };

/** A result, why an answer is not usable, or the text of an unexpected error. */
export type PlaneReply =
  | { readonly id: number; readonly value: unknown | Derived<SharedFeatures> | Rendered }
  | { readonly id: number; readonly failure: Failure }
  | { readonly id: number; readonly error: string };
