import type { AdmissionLimits } from './admission.ts';

/** The limits of a peer address and of all together. docs/http.md shows these numbers. */
export interface WebLimits {
  readonly connections: { readonly total: number; readonly perAddress: number };
  /** Requests of the telemetry path. */
  readonly scrapes: AdmissionLimits;
  /** Requests of every other path but health and readiness. */
  readonly requests: AdmissionLimits;
  /** Passwords that are not known yet: a bcrypt hash takes some 60 ms of the only thread. */
  readonly logons: AdmissionLimits;
  /** Requests that one connection may send ahead of the answer it waits for. */
  readonly ahead: number;
  /** How long a peer may take no byte of an answer, milliseconds. */
  readonly stalledMs: number;
  /** How long a request may take from its head to the last byte of its answer, milliseconds. */
  readonly answerMs: number;
  /** How long the head of a request may take, milliseconds. */
  readonly headMs: number;
  /** How long a request waits for its turn where its route has no deadline of its own, milliseconds. */
  readonly waitMs: number;
}

export const webLimits: WebLimits = {
  // one address can have 16 + 16 at work and 256 waiting; 1,024 file descriptors are all that some systems give
  connections: { total: 800, perAddress: 300 },
  scrapes: { work: 40, workPerAddress: 16, waiting: 0, waitingPerAddress: 0 },
  requests: { work: 64, workPerAddress: 16, waiting: 256, waitingPerAddress: 256 },
  logons: { work: 1, workPerAddress: 1, waiting: 20, waitingPerAddress: 4 },
  ahead: 20,
  stalledMs: 30_000,
  answerMs: 300_000,
  headMs: 10_000,
  waitMs: 25_000,
};

/** Why requests are answered with 503 before they come to their route. */
export type RefusalReason = 'scrapes' | 'queue_full' | 'deadline' | 'logons';

/** Why connections are cut. */
export type CutReason = 'too_many' | 'pipelining' | 'stalled' | 'too_long';

/** How often the limits took effect since the start. */
export interface WebCounts {
  readonly refused: Record<RefusalReason, number>;
  readonly cut: Record<CutReason, number>;
}

export function createWebCounts(): WebCounts {
  return {
    refused: { scrapes: 0, queue_full: 0, deadline: 0, logons: 0 },
    cut: { too_many: 0, pipelining: 0, stalled: 0, too_long: 0 },
  };
}
