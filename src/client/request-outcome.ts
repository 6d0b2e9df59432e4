import { NtlmError } from '../ntlm/errors.ts';
import type { Connection, LegOutcome } from './connection.ts';
import type { Job } from './pending-request.ts';

/** How something on a connection ended. */
export type Served =
  | { readonly kind: 'delivered' }
  /** The connection must be logged on before the request can be sent again. */
  | { readonly kind: 'logon_needed' }
  /** The connection was lost in a way that a fresh one may mend. */
  | { readonly kind: 'retry'; readonly sent: boolean; readonly error: Error }
  /** `reported`: the caller's handler has the failure already. */
  | { readonly kind: 'failed'; readonly error: Error; readonly reported: boolean };

type Lost = LegOutcome & { kind: 'lost' };

export const DELIVERED: Served = { kind: 'delivered' };
export const LOGON_NEEDED: Served = { kind: 'logon_needed' };
export const failed = (error: Error, reported = false): Served => ({ kind: 'failed', error, reported });
export const retry = (error: Error, sent: boolean): Served => ({ kind: 'retry', sent, error });

/** Errors that say by themselves what happened; anything else inside a handshake is a lost connection. */
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

/** An exchange that was no leg of a logon was lost. */
export function lostOutside({ error, delivering, sent }: Lost, job: Job): Served {
  if (delivering) {
    job.handler.onResponseError?.(job.controller, error);
    return failed(error, true);
  }
  return isLost(error) ? retry(error, sent) : failed(error);
}

/**
 * A leg of a logon was lost.
 *
 * @param again nothing of a logon was spent, so a fresh connection may be tried if this one had worked before
 */
export function lostInside(outcome: Lost, connection: Connection, job: Job | undefined, again: boolean): Served {
  const { error, delivering } = outcome;
  if (delivering && job !== undefined) return lostOutside(outcome, job);
  // a connection that was never made is no handshake
  if (passesThrough(error) || !connection.wasOpen) return failed(error);
  const lost = new NtlmError('NTLM_CONNECTION_LOST', 'the connection was lost during the logon', { cause: error });
  return again && connection.served > 0 && isLost(error) ? retry(lost, false) : failed(lost);
}
