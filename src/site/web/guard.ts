import type { ServerResponse } from 'node:http';
import { createAdmission, type Decision } from './admission.ts';
import { createAuthenticator } from './authenticator.ts';
import { createConnections } from './connections.ts';
import { createWebCounts, type WebLimits } from './limits.ts';
import { createPasswordCheck } from './password-check.ts';
import { createProxyReader } from './trusted-proxy.ts';

/** How often time limits are checked while anything is answered, milliseconds. */
const SWEEP_MS = 1_000;

/** What `createGuard` returns: checks users before a request is admitted. */
export type Guard = ReturnType<typeof createGuard>;

/** Limits and authentication. All listeners share one guard, because the limits apply to the process. */
export function createGuard(limits: WebLimits) {
  const counts = createWebCounts();
  const now = (): number => performance.now();
  const onCut = (reason: keyof typeof counts.cut): void => {
    counts.cut[reason] += 1;
  };
  let sweeping: NodeJS.Timeout | undefined;
  const beginSweeps = (): void => {
    sweeping ??= setInterval(sweep, Math.min(SWEEP_MS, limits.stalledMs / 4)).unref();
  };
  const endSweeps = (): void => {
    clearInterval(sweeping);
    sweeping = undefined;
  };
  const connections = createConnections(limits, onCut, now, beginSweeps);
  const admissions = { scrapes: createAdmission(limits.scrapes), requests: createAdmission(limits.requests) };
  /**
   * Waits until a request is admitted. Its place is free again when the response is closed. Scrapes and other requests have separate
   * queues.
   *
   * @param waitMs maximum time to wait, milliseconds
   */
  const enter = async (
    kind: keyof typeof admissions,
    address: string,
    waitMs: number,
    response: Pick<ServerResponse, 'closed' | 'once'>,
  ): Promise<'admitted' | 'refused' | 'gone'> => {
    // the client closed the connection during authentication
    if (response.closed) return 'gone';
    const decided = Promise.withResolvers<Decision | 'gone'>();
    const leave = admissions[kind].enter(address, now() + waitMs, decided.resolve);
    response.once('close', () => {
      leave();
      decided.resolve('gone');
    });
    const decision = await decided.promise;
    if (decision === 'admitted' || decision === 'gone') return decision;
    counts.refused[decision === 'late' ? 'deadline' : kind === 'scrapes' ? 'scrapes' : 'queue_full'] += 1;
    return 'refused';
  };
  const passwords = createPasswordCheck();
  // what waits to be admitted is an answer too
  const sweep = (): void => {
    for (const admission of Object.values(admissions)) admission.expire(now());
    if (!connections.sweep(now())) endSweeps();
  };
  return {
    limits,
    counts,
    connections,
    enter,
    authenticate: createAuthenticator(limits.logons, passwords),
    viewerOf: createProxyReader(),
    stop: async (): Promise<void> => {
      endSweeps();
      await passwords.close();
    },
  };
}
