import { NtlmError } from '../../base/ntlm/errors.ts';
import type { Connection } from './connection.ts';
import type { LegOutcome } from './leg.ts';
import type { PendingRequest } from './pending-request.ts';

/** How a request or a logon on a connection ended. */
export type RequestOutcome =
  | { readonly kind: 'delivered' }
  /** The connection must be logged on before the request can be sent again. */
  | { readonly kind: 'logon_needed' }
  /** The connection was lost. The request may succeed on a new connection. */
  | { readonly kind: 'retry'; readonly sent: boolean; readonly error: Error }
  /** `reported`: the failure was already reported to the caller's handler. */
  | { readonly kind: 'failed'; readonly error: Error; readonly reported: boolean };

type Lost = LegOutcome & { kind: 'lost' };

/** The handler has the whole answer. */
export const DELIVERED: RequestOutcome = { kind: 'delivered' };
/** The server wants a logon on this connection first; the handler has nothing yet. */
export const LOGON_NEEDED: RequestOutcome = { kind: 'logon_needed' };
/** The request is over. @param reported whether its handler knows it already */
export const failed = (error: Error, reported = false): RequestOutcome => ({ kind: 'failed', error, reported });
/** The request can be sent again on another connection. @param sent whether the server may have seen it */
export const retry = (error: Error, sent: boolean): RequestOutcome => ({ kind: 'retry', sent, error });

/** Whether an error is reported as it is. Any other error during a handshake is reported as a lost connection. */
function passesThrough(error: Error): boolean {
  const { code } = error as { code?: string };
  return (
    ['AbortError', 'TimeoutError'].includes(error.name) ||
    (error instanceof NtlmError && error.code !== 'NTLM_CONNECTION_CLOSED') ||
    (code?.startsWith('UND_ERR_') === true && code !== 'UND_ERR_SOCKET')
  );
}

const isLost = (error: Error): boolean => {
  const { code } = error as { code?: string };
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'NTLM_CONNECTION_CLOSED'].includes(code ?? '');
};

/** The outcome of a connection that was lost outside a logon. */
export function lostDuringRequest({ error, delivering, sent }: Lost, request: PendingRequest): RequestOutcome {
  if (delivering) {
    request.handler.onResponseError?.(request.controller, error);
    return failed(error, true);
  }
  return isLost(error) ? retry(error, sent) : failed(error);
}

/**
 * The outcome of a connection that was lost during a logon.
 *
 * @param again whether no logon was sent; a new connection can then be tried if this one worked before
 */
export function lostDuringLogon(
  outcome: Lost,
  connection: Connection,
  request: PendingRequest | undefined,
  again: boolean,
): RequestOutcome {
  const { error, delivering } = outcome;
  if (delivering && request !== undefined) return lostDuringRequest(outcome, request);
  // without a connection there was no handshake
  if (passesThrough(error) || !connection.wasOpen) return failed(error);
  const lost = new NtlmError('NTLM_CONNECTION_LOST', 'the connection was lost during the logon', { cause: error });
  return again && connection.served > 0 && isLost(error) ? retry(lost, false) : failed(lost);
}
