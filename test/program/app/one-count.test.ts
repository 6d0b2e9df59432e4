import { afterAll, describe, expect, it } from 'vitest';
import {
  type CountedSite,
  startFlexNetSite,
  startFullSite,
  startOddAnalyzer,
  startTroubledSources,
} from '../../support/counted-sites.ts';
import { type Cleanup, createCleanup } from '../../support/harness.ts';
import { askForAll, isPage, waitUntilReady } from '../../support/page-walk.ts';
import { moreQuestions, type Said, saidIn } from '../../support/said-counts.ts';

/** What two pages, a tile, an API, a row or a metric say of the same thing is the same figure, or not known in all of them. */

const cleanup = createCleanup();
afterAll(() => cleanup.run());

/** Everything that a site says. */
async function saidBy({ url, product, feature }: CountedSite): Promise<readonly Said[]> {
  const said: Said[] = [];
  const see = async (path: string, response: Response): Promise<readonly string[]> => {
    const body = await response.text();
    if (response.ok) said.push(...saidIn(path, body));
    if (!isPage(response)) return [];
    const links = body.matchAll(/href="([^"]*)"/g);
    return Array.from(links, ([, link = '']) => new URL(link.replaceAll('&amp;', '&'), url + path).href);
  };
  await askForAll(url, { product, feature }, see);
  for (const path of moreQuestions) await see(path, await fetch(url + path));
  return said;
}

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

/** The sites, and what else is said of them at two places. */
const sites: Readonly<Record<string, readonly [(cleanup: Cleanup) => Promise<CountedSite>, readonly string[]]>> = {
  'that knows everything': [startFullSite, ['waiting', ...advised]],
  'of FlexNet, which knows little': [startFlexNetSite, advised],
  'of another analyzer with odd figures': [startOddAnalyzer, ['waiting']],
  'with sources in trouble': [startTroubledSources, ['waiting', 'sources', 'sources that are not up']],
};

describe('a site', () => {
  it.each(Object.entries(sites))('%s says one figure of one thing', async (_, [start, more]) => {
    const site = await start(cleanup);
    await waitUntilReady(site.url);
    const byMeaning = Map.groupBy(await saidBy(site), ({ what }) => what);
    for (const what of [...common, ...more]) {
      expect(byMeaning.get(what)?.length ?? 0, `${what} is said at two places`).toBeGreaterThan(1);
    }
    const contradictions = [...byMeaning].filter(([, said]) => new Set(said.map(({ figure }) => figure)).size > 1);
    expect(
      Object.fromEntries(
        contradictions.map(([what, said]) => [what, said.map(({ figure, where }) => `${figure}: ${where}`)]),
      ),
    ).toEqual({});
  });
});
