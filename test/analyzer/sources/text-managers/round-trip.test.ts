import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { managerCodes } from '../../../../src/analyzer/sources/manager-codes.ts';
import { managers } from '../../../../src/analyzer/sources/managers.ts';
import { createLocalTime, dayOfDate } from '../../../../src/base/model/local-time.ts';
import type { PoolObservation } from '../../../../src/base/model/observation/observation.ts';
import { cases } from '../../../support/extent.ts';
import { randomRlmSite } from '../../../support/license-site/random-rlm-site.ts';
import { renderTexts } from '../../../support/license-site/render-texts.ts';
import { licensesOf, reservedOf, type Site, type SitePool } from '../../../support/license-site/site.ts';
import { sourceSettings } from '../../../support/source-settings.ts';
import { type TextManager, textManagers } from './published.ts';

/** A site is rendered as text, and the text is read: all figures that the manager has are those of the site. */

const utc = createLocalTime('UTC');

const waiter = fc.record({
  user: fc.stringMatching(/^[a-z]{1,8}$/),
  host: fc.stringMatching(/^[a-z]{1,8}$/),
  display: fc.constant(''),
  licenses: fc.integer({ min: 1, max: 9 }),
  handle: fc.stringMatching(/^[1-9]\d{0,5}$/),
});

/** Users that the formats can hold: none has two blanks, a quote, or the letters that separate columns. */
const plain = (name: string): string =>
  name
    .replaceAll(/["'\\/:@()]/g, '_')
    .replaceAll(/\s+/g, ' ')
    .trim() || 'a';

/** Licenses that are listed once, with their users, and requests that wait. */
const site: fc.Arbitrary<Site> = fc
  .tuple(randomRlmSite, fc.array(waiter, { maxLength: 2 }))
  .map(([random, queued]) => ({
    ...random,
    daemons: random.daemons.map((daemon, d) => ({
      ...daemon,
      isUp: true,
      features: daemon.features.map(({ name, pools }, f) => ({
        name: `${name}_${d}_${f}`,
        pools: pools.map((pool) => {
          const checkouts = pool.checkouts.map((one, at) => {
            const { isShared: _, ...checkout } = one;
            return { ...checkout, user: plain(one.user), handle: String(1000 + at), ...(at === 1 && { linger: 7200 }) };
          });
          return { ...pool, checkouts, queued, count: Math.min(pool.count, 1e6) + licensesOf({ ...pool, checkouts }) };
        }),
      })),
    })),
  }));

function expectedOf(name: string, pool: SitePool, manager: TextManager): object {
  const { answers } = managers[manager];
  const has = (question: keyof typeof answers): boolean => answers[question] !== 'none';
  const end = pool.expires;
  const permanent = manager === 'lmx' || manager === 'rms' ? undefined : 'unknown';
  const expires = end === 'permanent' ? permanent : utc.startOf(dayOfDate(end.year, end.month, end.date) + 1) - 1;
  return {
    feature: name,
    version: has('versions') ? pool.version : '',
    increments: [{ count: pool.count, expires: has('expiry') ? expires : 'unknown' }],
    inUse: licensesOf(pool),
    checkouts: has('users')
      ? pool.checkouts.map(({ user, host, since, licenses, linger }) => ({
          ...{ user, host, licenses },
          // minutes, and of LS-DYNA no year
          since: has('since') ? since : undefined,
          borrowed: has('borrowed') && linger !== undefined,
        }))
      : [],
    queued: has('queue') ? pool.queued.map(({ user, host, licenses }) => ({ user, host, licenses })) : undefined,
    reserved: manager === 'slurm' && reservedOf(pool) > 0 ? reservedOf(pool) : undefined,
    unusedReserve: manager === 'rms' ? reservedOf(pool) : undefined,
  };
}

const foundOf = (pool: PoolObservation): object => ({
  feature: pool.feature,
  version: pool.version,
  increments: pool.increments,
  inUse: pool.inUse,
  checkouts: pool.checkouts.map(({ user, host, since, licenses, borrowed }) => ({
    user,
    host,
    licenses,
    since,
    borrowed,
  })),
  queued: pool.queued?.map(({ user, host, licenses }) => ({ user, host, licenses })),
  reserved: pool.reserved,
  unusedReserve: pool.unusedReserve,
});

describe.each(textManagers)('a rendered site of %s', (manager) => {
  it('is read as it was described', () => {
    fc.assert(
      fc.property(site, (random) => {
        const stdout = renderTexts[manager](random)[0][1];
        const [{ host, port }] = random.servers;
        const { now } = random;
        const parsed = managerCodes[manager].read({
          settings: sourceSettings({ manager, servers: [`${port}@${host}`] }),
          via: 'command',
          now,
          output: { stdout, stderr: '', exitCode: 0, at: now },
          more: { server: `${port}@${host}`, memory: undefined },
        });
        expect(parsed.diagnostics).toMatchObject({ unparsed: 0, contradictions: 0 });
        expect(parsed.problems).toEqual([]);
        const pools = random.daemons.flatMap(({ features }) =>
          features.flatMap((feature) => feature.pools.map((pool) => expectedOf(feature.name, pool, manager))),
        );
        expect(parsed.vendorLicenses.flatMap((one) => one.pools.map(foundOf))).toEqual(pools);
      }),
      { numRuns: cases(200) },
    );
  });
});
