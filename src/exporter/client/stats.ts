/** Counters of the transport since the start. */
export interface NtlmStats {
  sockets: number;
  handshakes: number;
  requests: number;
  roundTrips: number;
  reauthentications: number;
  rejected: number;
  staleRetries: number;
}

/** Counts of a dispatcher that has sent nothing yet. */
export function createStats(): NtlmStats {
  return { sockets: 0, handshakes: 0, requests: 0, roundTrips: 0, reauthentications: 0, rejected: 0, staleRetries: 0 };
}
