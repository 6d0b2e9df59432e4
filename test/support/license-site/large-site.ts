import type { Site, SiteCheckout, SiteFeature, SitePool } from './site.ts';

/** A site of any size. Its figures follow from the numbers of its features and users, so that they are the same in every run. */
export interface SiteSize {
  readonly daemon?: string;
  readonly features: number;
  /** Checkouts of each feature that has any. */
  readonly users: number;
  /** How many features have checkouts; all by default. */
  readonly busy?: number;
  /** Epoch seconds. The oldest checkout began 20 hours before. */
  readonly now: number;
  readonly host?: string;
  readonly port?: number;
}

export function createLargeSite({
  daemon = 'vendord',
  features,
  users,
  busy = features,
  now,
  host = 'licenses.example.com',
  port = 27_000,
}: SiteSize): Site {
  return {
    servers: [{ host, port, isUp: true, isMaster: true }],
    now,
    daemons: [
      {
        name: daemon,
        isUp: true,
        features: Array.from({ length: features }, (_, at) => createFeature(at, at < busy ? users : 0, now)),
      },
    ],
  };
}

function createFeature(at: number, users: number, now: number): SiteFeature {
  const checkouts = Array.from({ length: users }, (_, user) => createCheckout(at * users + user, now));
  const used = checkouts.reduce((sum, { licenses }) => sum + licenses, 0);
  const pool: SitePool = {
    version: `20${20 + (at % 10)}.1`,
    count: used + (at % 7) + 1,
    expires:
      at % 5 === 0 ? 'permanent' : { year: new Date(now * 1000).getUTCFullYear() + 1, month: (at % 12) + 1, date: 28 },
    reservations: [],
    checkouts,
    queued: [],
  };
  return { name: `feature_${at + 1}`, pools: [pool] };
}

const createCheckout = (at: number, now: number): SiteCheckout => ({
  user: `user${at % 997}`,
  host: `ws${at % 1009}.example.com`,
  display: `ws${at % 1009}:0`,
  since: now - (now % 60) - (at % 1200) * 60,
  licenses: at % 11 === 0 ? 2 : 1,
  handle: String(at + 100),
});
