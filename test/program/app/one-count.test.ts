import { afterAll, describe, expect, it } from 'vitest';
import {
  type CountedSite,
  startFlexNetSite,
  startFullSite,
  startOddAnalyzer,
  startTroubledSources,
} from '../../support/counted-sites.ts';
import { type Cleanup, createCleanup } from '../../support/harness.ts';
import { waitUntilReady } from '../../support/page-walk.ts';
import { contradictionsOf, saidBy } from '../../support/said-counts.ts';

/** What two pages, a tile, an API, a row or a metric say of the same thing is the same figure, or not known in all of them. */

const cleanup = createCleanup();
afterAll(() => cleanup.run());

/** What is said of each site at two places or more. */
const common = [
  'vendor licenses',
  'servers down',
  'features',
  'reported features',
  'in use, all',
  'saturated',
  'expired',
  'expiring in 30 days',
  'users',
  'alerts, critical',
  'alerts, warning',
  'alerts, info',
  'alerts, pending',
  'kinds of alerts without data',
  'features, all versions together',
  'age of servers',
] as const;

const advised = [
  'licenses that could go',
  'saving',
  'provisional advice',
  'features that lack licenses',
  'features that run out',
];

/** What is said of a feature, before its name. */
const refused = ['days refused', 'days with known denials'];

/** The sites, what else is said of them at two places, and what of at least one of their features. */
type Site = readonly [(cleanup: Cleanup) => Promise<CountedSite>, readonly string[], (readonly string[])?];
const sites: Readonly<Record<string, Site>> = {
  'that knows everything': [startFullSite, ['waiting', ...advised], refused],
  'of FlexNet, which knows little': [startFlexNetSite, advised],
  'of another analyzer with odd figures': [startOddAnalyzer, ['waiting']],
  'with sources in trouble': [startTroubledSources, ['waiting', 'sources', 'sources that are not up']],
};

describe('a site', () => {
  it.each(Object.entries(sites))('%s says one figure of one thing', async (_, [start, more, ofFeatures = []]) => {
    const site = await start(cleanup);
    await waitUntilReady(site.url);
    const all = await saidBy(site);
    const byMeaning = Map.groupBy(all, ({ what }) => what);
    for (const what of [...common, ...more]) {
      expect(byMeaning.get(what)?.length ?? 0, `${what} is said at two places`).toBeGreaterThan(1);
    }
    for (const what of ofFeatures) {
      const ofOne = [...byMeaning].filter(([name]) => name.startsWith(`${what}, `)).map(([, said]) => said.length);
      expect(Math.max(...ofOne), `${what} of a feature are said at two places`).toBeGreaterThan(1);
    }
    expect(contradictionsOf(all)).toEqual({});
  });
});
