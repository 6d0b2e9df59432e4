import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLmstat } from '../../../../src/analyzer/sources/flexnet/lmstat.ts';
import type {
  LmstatCheckout,
  LmstatFeature,
  LmstatReport,
} from '../../../../src/analyzer/sources/flexnet/lmstat-report.ts';
import { createSourceTime, type SourceTime } from '../../../../src/analyzer/sources/times.ts';
import { dayOfDate } from '../../../../src/base/model/local-time.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { randomFlexnetSite } from '../../../support/license-site/random-flexnet-site.ts';
import { type LmstatStyle, renderLmstat } from '../../../support/license-site/render-lmstat.ts';
import {
  licensesOf,
  reservedOf,
  type Site,
  type SiteCheckout,
  type SiteDaemon,
  type SiteFeature,
  type SitePool,
  type SiteQueued,
} from '../../../support/license-site/site.ts';

/** A site is rendered as text, and the text is read: all that it says is in the report. */

const zones = ['UTC', 'Asia/Kolkata', 'America/Phoenix'].map((zone) => createSourceTime(zone, zone));

const styles: fc.Arbitrary<LmstatStyle> = fc.record({
  version: fc.constantFrom('11.7', '11.19.6'),
  newline: fc.constantFrom('\n', '\r\n'),
  isDoubleSpaced: fc.boolean(),
  hasExpiry: fc.boolean(),
});

const read = (text: string, localTime: SourceTime): LmstatReport =>
  parseLmstat(text, { localTime, now: 0, split: 'auto', knownHosts: new Set() });

const expectedUser = (one: SiteCheckout | SiteQueued): object => ({
  user: one.user,
  host: one.host,
  display: one.display,
  handle: one.handle,
  licenses: one.licenses,
  since: 'since' in one ? one.since : undefined,
  linger: 'linger' in one ? one.linger : undefined,
  queued: !('since' in one),
});

const foundUser = ({ user, host, display, handle, licenses, since, linger, queued }: LmstatCheckout): object => ({
  user,
  host,
  display,
  handle,
  licenses,
  since,
  linger,
  queued,
});

function expectedPool(
  pool: SitePool,
  name: string,
  daemon: SiteDaemon,
  style: LmstatStyle,
  localTime: SourceTime,
): object {
  const { version, expires, reservations, checkouts, queued, count } = pool;
  const day = expires === 'permanent' ? undefined : dayOfDate(expires.year, expires.month, expires.date);
  return {
    feature: name,
    version,
    vendor: daemon.name,
    expires: style.hasExpiry ? day && localTime.startOf(day + 1) - 1 : 'unknown',
    licenseType: count === Number.POSITIVE_INFINITY ? 'uncounted' : 'floating',
    reservations,
    checkouts: [...checkouts, ...queued].map(expectedUser),
  };
}

function expectedFeature(feature: SiteFeature, daemon: SiteDaemon, style: LmstatStyle, localTime: SourceTime): object {
  const { name, pools } = feature;
  if (!daemon.isUp) return { name, supply: { kind: 'error', error: { code: -5, detail: 222 } }, pools: [] };
  const issued = pools.reduce((sum, { count }) => sum + count, 0);
  const inUse = pools.reduce((sum, pool) => sum + licensesOf(pool) + reservedOf(pool), 0);
  const isShown = ({ checkouts, reservations, queued }: SitePool): boolean =>
    checkouts.length + reservations.length + queued.length > 0;
  return {
    name,
    supply: issued === Number.POSITIVE_INFINITY ? { kind: 'uncounted' } : { kind: 'counted', issued, inUse },
    pools: pools.filter(isShown).map((pool) => expectedPool(pool, name, daemon, style, localTime)),
  };
}

const foundFeature = ({ name, supply, pools }: LmstatFeature): object => ({
  name,
  supply,
  // one without a head and without lines says nothing
  pools: pools
    .filter(
      ({ version, checkouts, reservations }) => version !== undefined || checkouts.length + reservations.length > 0,
    )
    .map((pool) => ({ ...pool, checkouts: pool.checkouts.map(foundUser) })),
});

function expectSame(site: Site, style: LmstatStyle, localTime: SourceTime): void {
  const report = read(renderLmstat(site, localTime, style), localTime);
  expect(report.diagnostics).toMatchObject({ unparsed: 0, masks: [], contradictions: 0 });
  expect(report.referenceTime).toBe(site.now - (site.now % 60));
  expect(report.members.map(({ host, up, isMaster }) => [host, up, isMaster])).toEqual(
    site.servers.map(({ host, isUp, isMaster }) => [host, isUp, isMaster]),
  );
  expect(report.daemons.map(({ name, up }) => [name, up])).toEqual(site.daemons.map(({ name, isUp }) => [name, isUp]));
  expect(report.features.map(foundFeature)).toEqual(
    site.daemons.flatMap((daemon) =>
      daemon.features.map((feature) => expectedFeature(feature, daemon, style, localTime)),
    ),
  );
}

describe('a rendered site', () => {
  it('is read as it was described', () => {
    fc.assert(
      fc.property(randomFlexnetSite, styles, fc.constantFrom(...zones), (site, style, localTime) => {
        expectSame(site, style, localTime);
      }),
    );
  });

  it('of 500 features with 40 users is read', () => {
    const [utc] = zones;
    if (utc === undefined) throw new Error('no zone');
    const site = createLargeSite({ features: 500, users: 40, now: Date.UTC(2026, 2, 3, 4, 5) / 1000 });
    expectSame(site, { version: '11.19.6', newline: '\n', isDoubleSpaced: false, hasExpiry: true }, utc);
  });
});
