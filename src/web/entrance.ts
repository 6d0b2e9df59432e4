import type { ServerResponse } from 'node:http';
import { createAdmission, type Decision } from './admission.ts';
import type { WebCounts, WebLimits } from './limits.ts';

/** The result of a request for admission. */
export type Outcome = 'admitted' | 'refused' | 'gone';

export interface Entrance {
  /**
   * Waits until a request is admitted. Its place is free again when the response is closed.
   *
   * @param waitMs maximum time to wait, milliseconds
   */
  enter(
    kind: 'scrapes' | 'requests',
    address: string,
    waitMs: number,
    response: Pick<ServerResponse, 'closed' | 'once'>,
  ): Promise<Outcome>;
  /** Refuses requests that have waited too long. @param at milliseconds */
  expire(at: number): void;
}

/** Admits requests. Scrapes and other requests have separate queues. @param now milliseconds */
export function createEntrance(limits: WebLimits, { refused }: WebCounts, now: () => number): Entrance {
  const admissions = { scrapes: createAdmission(limits.scrapes), requests: createAdmission(limits.requests) };
  return {
    enter: async (kind, address, waitMs, response) => {
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
      refused[decision === 'late' ? 'deadline' : kind === 'scrapes' ? 'scrapes' : 'queue_full'] += 1;
      return 'refused';
    },
    expire: (at) => {
      admissions.scrapes.expire(at);
      admissions.requests.expire(at);
    },
  };
}
