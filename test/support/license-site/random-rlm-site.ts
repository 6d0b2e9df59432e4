import fc from 'fast-check';
import type { Site, SiteCheckout, SiteDaemon, SitePool } from './site.ts';

/** Sites as RLM can have them: any characters in users, several pools of a product, shared licenses. */

const HOUR = 3600;

const word = (first: string, others: string, maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...first), fc.string({ unit: fc.constantFrom(...others), maxLength: maxLength - 1 }))
    .map(([head, rest]) => head + rest);

const LETTERS = 'abcdefgXYZ';
const product = word(LETTERS, `${LETTERS}0123456789_+.-`, 12);
const version = word('0123456789', '0123456789.', 8);
const isvName = word(LETTERS, `${LETTERS}0123456789_-`, 8);
const host = word(LETTERS, `${LETTERS}0123456789.-`, 12);
// a user can have blanks, several `@`, and look like another part of the line
const user = word(`${LETTERS}é日`, `${LETTERS}é日 @.()/:\\'"1v-`, 14).map((name) => name.trim());

const checkoutOf = (now: number): fc.Arbitrary<SiteCheckout> =>
  fc.record({
    user,
    host,
    display: fc.constant(''),
    since: fc.integer({ min: 0, max: 360 * 24 * 60 }).map((minutes) => now - (now % 60) - minutes * 60),
    licenses: fc.integer({ min: 1, max: 40 }),
    handle: fc.stringMatching(/^[0-9a-f]{1,6}[hs]?$/),
  });

const poolOf = (now: number): fc.Arbitrary<SitePool & { readonly product: string }> =>
  fc.record({
    product,
    version,
    count: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constant(Number.POSITIVE_INFINITY)),
    expires: fc.oneof(
      fc.constant('permanent' as const),
      fc.record({
        year: fc.integer({ min: 2015, max: 2099 }),
        month: fc.integer({ min: 1, max: 12 }),
        date: fc.integer({ min: 1, max: 28 }),
      }),
    ),
    reservations: fc.array(
      fc.record({
        kind: fc.constant('GROUP' as const),
        holder: fc.constant('g'),
        licenses: fc.integer({ min: 1, max: 5 }),
      }),
      { maxLength: 2 },
    ),
    checkouts: fc.array(checkoutOf(now), { maxLength: 6 }),
    queued: fc.constant([]),
  });

/**
 * With every second product, all checkouts of a user and host share the licenses of the first one. Of the others, no user has
 * two: which of several checkouts are shared cannot be known then.
 */
function settle(pools: readonly (SitePool & { readonly product: string })[]): SiteDaemon['features'] {
  const seen = new Map<string, Set<string>>();
  return pools.map(({ product: name, ...pool }) => {
    const key = `${name} ${pool.version}`;
    const users = seen.get(key) ?? new Set<string>();
    seen.set(key, users);
    const checkouts = pool.checkouts.map((checkout): SiteCheckout => {
      const isKnown = users.has(`${checkout.user}@${checkout.host}`);
      const settled =
        isKnown && name.length % 2 === 1 ? { ...checkout, user: `${checkout.user}${users.size}` } : checkout;
      users.add(`${settled.user}@${settled.host}`);
      return isKnown && name.length % 2 === 0 ? { ...settled, isShared: true } : settled;
    });
    const used = checkouts.reduce((sum, { licenses, isShared }) => sum + (isShared ? 0 : licenses), 0);
    return { name, pools: [{ ...pool, checkouts, count: Math.max(pool.count, used) }] };
  });
}

const daemonOf = (now: number): fc.Arbitrary<SiteDaemon> =>
  fc.record({
    name: isvName,
    isUp: fc.boolean(),
    features: fc.array(poolOf(now), { minLength: 1, maxLength: 6 }).map(settle),
  });

/** At least one ISV server runs. */
export const randomRlmSite: fc.Arbitrary<Site> = fc
  .integer({ min: Date.UTC(2021) / 1000, max: Date.UTC(2036) / 1000 })
  .chain((now) =>
    fc.record({
      servers: fc
        .record({ host, port: fc.integer({ min: 1, max: 65_535 }) })
        .map((server): Site['servers'] => [{ ...server, isUp: true, isMaster: true }]),
      now: fc.constant(now + HOUR),
      daemons: fc.uniqueArray(daemonOf(now), { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
    }),
  )
  .map((site) => ({
    ...site,
    daemons: site.daemons.map((daemon, at) => ({ ...daemon, isUp: daemon.isUp || at === 0 })),
  }));
