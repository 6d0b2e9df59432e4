import { licensesOf, type Site, type SiteCheckout, type SiteFeature, type SitePool } from './site.ts';

/** A site as an observation document, see docs/json-source.md. */
export function renderObservations(site: Site): string {
  const [{ host, port }] = site.servers;
  const vendorLicenses = site.daemons.map(({ name, isUp, features }) => ({
    server: `${port}@${host}`,
    daemon: name,
    reachable: isUp,
    reports: ['borrowed'],
    features: features.flatMap((feature) => feature.pools.map((pool) => featureOf(feature, pool))),
  }));
  return JSON.stringify({ version: 1, time: site.now, vendor_licenses: vendorLicenses });
}

const featureOf = ({ name }: SiteFeature, pool: SitePool): object => ({
  feature: name,
  version: pool.version,
  count: pool.count === Number.POSITIVE_INFINITY ? 'uncounted' : pool.count,
  expires: pool.expires === 'permanent' ? 'permanent' : dateOf(pool.expires),
  in_use: licensesOf(pool),
  reservations: pool.reservations.map(({ holder, licenses }) => ({ holder, licenses, used: 0 })),
  checkouts: pool.checkouts.map(checkoutOf),
  queued: pool.queued.map(({ user, host, licenses }) => ({ user, host, licenses })),
});

const dateOf = ({ year, month, date }: { year: number; month: number; date: number }): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;

const checkoutOf = ({ user, host, display, since, licenses, handle }: SiteCheckout): object => ({
  user,
  host,
  display,
  since,
  licenses,
  handle,
  borrowed: false,
});
