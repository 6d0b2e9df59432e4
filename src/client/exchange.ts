import type { Connection } from './connection.ts';
import type { Disposition, IncomingHeaders, Leg, LegOutcome } from './leg.ts';
import type { PendingRequest } from './pending-request.ts';
import type { NtlmStats } from './stats.ts';

/** Makes and counts one round trip, for a pending request or only for the logon of a connection. */
export function exchange(
  stats: NtlmStats,
  connection: Connection,
  leg: Leg,
  request: PendingRequest | undefined,
  onResponse: (status: number, headers: IncomingHeaders) => Disposition,
): Promise<LegOutcome> {
  stats.roundTrips += 1;
  if (request === undefined) return connection.exchange(leg, { onResponse });
  const { controller, handler } = request;
  return connection.exchange(leg, { onResponse, caller: { controller, sink: handler } });
}
