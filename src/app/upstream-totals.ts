import type { NtlmDispatcher } from '../client/dispatcher.ts';
import { createStats, type NtlmStats } from '../client/stats.ts';
import type { UpstreamState } from '../metrics/self.ts';
import { toWall } from '../model/steady-clock.ts';
import type { CredentialGate } from '../ntlm/credential-gate.ts';

/** Transport counters over all reloads: a counter must not decrease. */
export interface UpstreamTotals {
  /** Adds the counts of a dispatcher that is replaced. */
  retire(dispatcher: NtlmDispatcher): void;
  /** All counts, including those of the current dispatcher. */
  state(gate: CredentialGate, dispatcher: NtlmDispatcher): UpstreamState;
}

export function createUpstreamTotals(): UpstreamTotals {
  const retired = createStats();
  return {
    retire: ({ stats }) => {
      for (const name of Object.keys(retired) as (keyof NtlmStats)[]) retired[name] += stats[name];
    },
    state: (gate, { stats }) => ({
      authenticated: gate.authenticated,
      authRetryAt: gate.retryAt === 0 ? 0 : toWall(gate.retryAt) / 1000,
      connectionsOpened: retired.sockets + stats.sockets,
      roundTrips: retired.roundTrips + stats.roundTrips,
      handshakes: retired.handshakes + stats.handshakes,
      reauthentications: retired.reauthentications + stats.reauthentications,
      rejectedLogons: retired.rejected + stats.rejected,
      staleRetries: retired.staleRetries + stats.staleRetries,
    }),
  };
}
