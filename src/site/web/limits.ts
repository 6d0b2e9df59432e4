import type { AdmissionLimits } from './admission.ts';

/** The limits for each peer address and in total. docs/http.md shows these numbers. */
export interface WebLimits {
  readonly connections: { readonly total: number; readonly perAddress: number };
  /** Requests to the telemetry path. */
  readonly scrapes: AdmissionLimits;
  /** Requests to all other paths except health and readiness. */
  readonly requests: AdmissionLimits;
  /** Passwords that must be hashed: bcrypt takes about 60 ms of one thread. */
  readonly logons: AdmissionLimits;
  /** Pipelined requests of a connection. */
  readonly ahead: number;
  /** How long a peer may read nothing of a response, milliseconds. */
  readonly stalledMs: number;
  /** How long a request may take, from its headers to the last byte of the response, milliseconds. */
  readonly answerMs: number;
  /** How long the headers of a request may take, milliseconds. */
  readonly headMs: number;
  /** How long a request waits in the queue if its route has no deadline, milliseconds. */
  readonly waitMs: number;
}

/** The limits of the listener, with the reason for each; docs/http.md lists them. */
export const webLimits: WebLimits = {
  // one address can have 16 + 16 running and 256 waiting requests; some systems allow only 1,024 file descriptors
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

/** Why requests are answered with 503 before they reach their route. */
export type RefusalReason = 'scrapes' | 'queue_full' | 'deadline' | 'logons';

/** Why connections are closed. */
export type CutReason = 'too_many' | 'pipelining' | 'stalled' | 'too_long';

/** How often each limit was reached since the start. */
export interface WebCounts {
  readonly refused: Record<RefusalReason, number>;
  readonly cut: Record<CutReason, number>;
}

/** Counts of a listener that has refused nothing yet. */
export function createWebCounts(): WebCounts {
  return {
    refused: { scrapes: 0, queue_full: 0, deadline: 0, logons: 0 },
    cut: { too_many: 0, pipelining: 0, stalled: 0, too_long: 0 },
  };
}
