import { createAuthenticator } from './authenticator.ts';
import { createConnections } from './connections.ts';
import { createEntrance } from './entrance.ts';
import { createWebCounts, type WebLimits } from './limits.ts';
import { createPasswordCheck } from './password-check.ts';
import { createProxyReader } from './trusted-proxy.ts';

/** How often time limits are checked, milliseconds. */
const SWEEP_MS = 1_000;

export type Guard = ReturnType<typeof createGuard>;

/** Limits and authentication. All listeners share one guard, because the limits apply to the process. */
export function createGuard(limits: WebLimits) {
  const counts = createWebCounts();
  const now = (): number => performance.now();
  const onCut = (reason: keyof typeof counts.cut): void => {
    counts.cut[reason] += 1;
  };
  const connections = createConnections(limits, onCut, now);
  const entrance = createEntrance(limits, counts, now);
  const passwords = createPasswordCheck();
  let sweeping: NodeJS.Timeout | undefined;
  const sweep = (): void => {
    connections.sweep(now());
    entrance.expire(now());
  };
  return {
    limits,
    counts,
    connections,
    entrance,
    authenticate: createAuthenticator(limits.logons, passwords),
    viewerOf: createProxyReader(),
    start: (): void => {
      sweeping = setInterval(sweep, Math.min(SWEEP_MS, limits.stalledMs / 4)).unref();
    },
    stop: async (): Promise<void> => {
      clearInterval(sweeping);
      await passwords.close();
    },
  };
}
