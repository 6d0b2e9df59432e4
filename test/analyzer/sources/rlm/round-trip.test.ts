import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observeRlm } from '../../../../src/analyzer/sources/rlm/observe.ts';
import { parseRlmstat } from '../../../../src/analyzer/sources/rlm/parse.ts';
import { createSourceTime } from '../../../../src/analyzer/sources/times.ts';
import { dayOfDate } from '../../../../src/base/model/local-time.ts';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { createLargeSite } from '../../../support/license-site/large-site.ts';
import { randomRlmSite } from '../../../support/license-site/random-rlm-site.ts';
import { type RlmStyle, renderRlmstat } from '../../../support/license-site/render-rlmstat.ts';
import {
  licensesOf,
  reservedOf,
  type Site,
  type SiteDaemon,
  type SitePool,
} from '../../../support/license-site/site.ts';

/** A site is rendered as text, and the text is read: all figures are those of the site. */

const zones = ['UTC', 'Asia/Kolkata', 'America/Phoenix'].map((zone) => createSourceTime(zone, zone));

const styles: fc.Arbitrary<RlmStyle> = fc.record({
  version: fc.constantFrom('9.1', '12.2', '12.4', '15.1', '16.0'),
  newline: fc.constantFrom('\n', '\r\n'),
  indent: fc.constantFrom('\t', '    ', ''),
  areNumbered: fc.boolean(),
});

function read(text: string, site: Site, localTime: (typeof zones)[number]) {
  const report = parseRlmstat(text, { localTime });
  return observeRlm(report, { server: '5053@rlm.example.com', part: '', now: site.now, localTime });
}

/** What is known of a product, in words of the site. */
function expectedOf(pools: readonly SitePool[], localTime: (typeof zones)[number]): object {
  const sum = (figure: (pool: SitePool) => number): number => pools.reduce((all, pool) => all + figure(pool), 0);
  const reserved = sum(reservedOf);
  return {
    increments: pools.map(({ count, expires }) => ({
      count,
      expires:
        expires === 'permanent'
          ? undefined
          : localTime.startOf(dayOfDate(expires.year, expires.month, expires.date) + 1) - 1,
    })),
    inUse: sum(licensesOf),
    reserved: reserved === 0 ? undefined : reserved,
    reservations: reserved === 0 ? [] : undefined,
    checkouts: pools
      .flatMap(({ checkouts }) => checkouts)
      .map(({ user, host, since, licenses, handle, isShared }, _, all) => ({
        user,
        host,
        since,
        handle,
        licenses: isShared ? 0 : licenses,
        shareHandle: isShared ? all.find((one) => one.user === user && one.host === host)?.handle : undefined,
      })),
  };
}

function foundOf({ increments, inUse, reserved, reservations, checkouts }: PoolObservation): object {
  return {
    increments,
    inUse,
    reserved,
    reservations,
    checkouts: checkouts.map(({ user, host, since, licenses, handle, shareHandle }) => ({
      user,
      host,
      since,
      handle,
      licenses,
      shareHandle,
    })),
  };
}

function productsOf({ features }: SiteDaemon): Map<string, SitePool[]> {
  const products = new Map<string, SitePool[]>();
  for (const { name, pools } of features) {
    for (const pool of pools) {
      const key = `${name} v${pool.version}`;
      products.set(key, [...(products.get(key) ?? []), pool]);
    }
  }
  return products;
}

function expectSame(site: Site, text: string, localTime: (typeof zones)[number]): void {
  const parsed = read(text, site, localTime);
  expect(parsed.diagnostics).toEqual({ unparsed: 0, masks: [], contradictions: 0 });
  expect(parsed.referenceTime).toBe(site.now);
  expect(parsed.vendorLicenses.map(({ daemon, reachable }) => [daemon, reachable])).toEqual(
    site.daemons.map(({ name, isUp }) => [name, isUp]),
  );
  for (const [at, daemon] of site.daemons.entries()) {
    const found = parsed.vendorLicenses[at]?.pools ?? [];
    const expected = daemon.isUp ? [...productsOf(daemon)] : [];
    expect(found.map((pool) => [`${pool.feature} v${pool.version}`, foundOf(pool)])).toEqual(
      expected.map(([name, pools]) => [name, expectedOf(pools, localTime)]),
    );
  }
}

describe('a rendered site', () => {
  it('is read as it was described', () => {
    fc.assert(
      fc.property(randomRlmSite, styles, fc.constantFrom(...zones), (site, style, localTime) => {
        expectSame(site, renderRlmstat(site, localTime, style), localTime);
      }),
    );
  });

  it('of 500 products with 40 users is read', () => {
    const site = createLargeSite({ features: 500, users: 40, now: Date.UTC(2026, 2, 3, 4, 5) / 1000 });
    const [utc] = zones;
    if (utc === undefined) throw new Error('no zone');
    // without shared licenses, no user has two checkouts of a product
    expectSame(site, renderRlmstat(site, utc), utc);
  });
});
