import { NtlmError } from '../../base/ntlm/errors.ts';
import type { Connection } from './connection.ts';
import type { CredentialGate } from './credential-gate.ts';
import { exchange, offers } from './negotiation.ts';
import { isReplayable, type PendingRequest } from './pending-request.ts';
import { DELIVERED, failed, LOGON_NEEDED, lostDuringRequest, type RequestOutcome } from './request-outcome.ts';
import type { ServerTraits } from './server-traits.ts';
import type { NtlmStats } from './stats.ts';

/** What a request on a connection needs: the account, and how the server behaves. */
export interface ServingOptions {
  readonly gate: CredentialGate;
  readonly traits: ServerTraits;
  readonly stats: NtlmStats;
}

/** Sends a request on a connection that is logged on or needs no logon. */
export async function serveRequest(
  { gate, traits, stats }: ServingOptions,
  connection: Connection,
  request: PendingRequest,
): Promise<RequestOutcome> {
  let needsLogon = false;
  const { path, headers, options } = request;
  const { method, body, headersTimeout, bodyTimeout } = options;
  const leg = { path, method, headers, body, headersTimeout, bodyTimeout };
  const outcome = await exchange(stats, connection, leg, request, (status, answered) => {
    needsLogon = status === 401 && offers(answered).length > 0;
    return needsLogon ? 'drain' : 'deliver';
  });
  if (outcome.kind === 'lost') return lostDuringRequest(outcome, request);
  if (!needsLogon) {
    connection.requestsSinceLogon += 1;
    if (connection.state === 'authenticated' && connection.generation === gate.generation) gate.served();
    traits.learn(outcome.headers);
    return DELIVERED;
  }
  stats.reauthentications += 1;
  connection.shortLogons = connection.requestsSinceLogon > 1 ? 0 : connection.shortLogons + 1;
  traits.needsLogonForQueries = true;
  // if a logon served no request, or twice in a row only one, the server requires a logon for each request
  const isShort = connection.requestsSinceLogon === 0 || connection.shortLogons > 1;
  if (isShort && connection.state === 'authenticated') traits.setPerRequest();
  if (isReplayable(request)) return LOGON_NEEDED;
  const message = 'the server requires a new logon, but the request body cannot be sent again';
  return failed(new NtlmError('NTLM_BODY_NOT_REPLAYABLE', message));
}
