import { steadyNow } from '../../base/model/steady-clock.ts';
import { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
import { requestChallenge } from './negotiation.ts';
import { ServerTraits } from './server-traits.ts';
import { createStats } from './stats.ts';

/** What a server answers to NEGOTIATE on a new connection. */
export type ProbeOutcome =
  | { readonly is: 'challenge'; readonly message: Buffer }
  /** No logon is required. */
  | { readonly is: 'open'; readonly status: number }
  | { readonly is: 'failed'; readonly error: Error };

/**
 * Asks a server for a challenge, with the cheapest call. This is no logon: no account counts it. Never rejects.
 *
 * @param headersTimeout milliseconds
 */
export async function probeChallenge(
  options: ConnectionPoolOptions & { readonly logonPath: string; readonly headersTimeout: number },
): Promise<ProbeOutcome> {
  const pool = new ConnectionPool(options, {
    generation: () => 0,
    idleLimit: () => Number.POSITIVE_INFINITY,
    now: steadyNow,
    onSocket: () => undefined,
  });
  const connection = pool.create();
  try {
    const traits = new ServerTraits(steadyNow, () => undefined);
    const outcome = await requestChallenge({ ...options, traits, stats: createStats() }, connection, undefined);
    if (outcome.kind === 'challenged') return { is: 'challenge', message: outcome.challenge };
    if (outcome.kind === 'response') return { is: 'open', status: outcome.status };
    return { is: 'failed', error: 'error' in outcome ? outcome.error : new Error(outcome.kind) };
  } catch (error) {
    return { is: 'failed', error: error as Error };
  } finally {
    connection.destroy();
  }
}
