import { afterAll, describe, expect, it } from 'vitest';
import {
  type CountedSite,
  startFlexNetSite,
  startFullSite,
  startOddAnalyzer,
  startTroubledSources,
} from '../support/counted-sites.ts';
import { type Cleanup, createCleanup, eventually } from '../support/harness.ts';
import { waitUntilReady } from '../support/page-walk.ts';
import { answeredPanels, askPanels } from '../support/panel-answers.ts';
import { peer } from '../support/peers.ts';
import { contradictionsOf, type Said, saidBy } from '../support/said-counts.ts';
import { historyTotals, rowsOf } from '../support/said-in-answers.ts';
import { panelReaders } from '../support/said-on-panels.ts';
import { type Related, relatedIn } from '../support/said-relations.ts';
import { startPrometheus } from '../support/start-prometheus.ts';

/**
 * What panels of dashboards say of a thing is what other panels, pages, rows and metrics say of it. Every query of every panel is
 * sent, for all vendor licenses and features of a site, in several time ranges.
 */

const cleanup = createCleanup();
afterAll(() => cleanup.run());

const DAY = 86_400_000;

/** In days. */
const ranges = { '24 hours': 1, '7 days': 7, '30 days': 30, '365 days': 365 };

/** The history and the users of an analyzer whose figures of now are replaced by odd ones. */
const NOT_ODD = /Use against bought|holds/;
const NONE = /^$/;

/** The sites, and the panels that are left out there. */
type Site = readonly [start: (cleanup: Cleanup) => Promise<CountedSite>, leftOut: RegExp];
const sites: Readonly<Record<string, Site>> = {
  'that knows everything': [startFullSite, NONE],
  'of FlexNet, which knows little': [startFlexNetSite, NONE],
  'of another analyzer with odd figures': [startOddAnalyzer, NOT_ODD],
  'with sources in trouble': [startTroubledSources, NONE],
};

/** Panels that say nothing that is said elsewhere, and why. */
const onlyHere: Readonly<Record<string, string>> = {
  'license-exporter: Exporter': 'how it is, in words',
  'license-exporter: Duration of polls': 'how long the exporter has worked',
  'license-exporter: Latency, average': 'how long the analyzer takes',
  'license-exporter: Requests to the analyzer': 'a rate',
  'license-exporter: Failed requests': 'a rate',
  'license-exporter: Bytes from the analyzer': 'a rate',
  'license-exporter: Logons per minute': 'a rate',
  'license-exporter: Alerts delivered': 'a rate, and none is delivered from these sites',
  'license-exporter: Alerts waiting for delivery': 'none is delivered from these sites',
  'license-exporter: Values discarded of the last answers': 'only a metric says them',
  'license-optimisation: Fewer licenses than a week ago': 'these sites have started today',
  'license-optimisation: The advice of a year ago': 'only the advice of a year ago says it, of more than a year',
};

/** Says everything that the panels say in a range. */
async function saidOnPanels(
  site: CountedSite,
  prometheus: string,
  range: keyof typeof ranges,
): Promise<readonly Said[]> {
  const rowsAt = async (query: string) => rowsOf(await (await fetch(`${site.url}/grafana/rows/${query}`)).text());
  const to = Date.now();
  // a day of which less than half is in a range is not part of it, and the nightly pass has whole days
  const from = Math.floor(to / DAY - ranges[range]) * DAY;
  const vendorLicenses = (await rowsAt('products')).map(({ product }) => String(product));
  const features = Map.groupBy(await rowsAt('features?product=%25'), ({ product }) => String(product));
  const said: Said[] = [];
  const ask = async (uids: readonly string[], vendorLicense = '', feature = ''): Promise<void> => {
    const asked = { url: site.url, prometheus, range: { from, to }, vendorLicenses, vendorLicense, feature };
    for (const panel of await askPanels(asked, uids)) {
      expect(panel.error ?? 'the analyzer answered 503').toContain('the analyzer answered 503');
      const figures = panel.error === undefined ? (panelReaders[panel.where]?.(panel, range) ?? []) : [];
      for (const [what, figure] of figures) said.push({ what, figure: `${figure ?? 'unknown'}`, where: panel.where });
    }
  };
  const ofSite = ['overview', 'expirations', 'exporter', 'holders', 'optimisation'].map((name) => `license-${name}`);
  await ask(ofSite);
  for (const vendorLicense of vendorLicenses) {
    await ask(['license-vendor-license'], vendorLicense);
    const question = new URLSearchParams({
      product: vendorLicense,
      feature: '%',
      shape: 'totals',
      from: `${from}`,
      to: `${to}`,
    });
    const totals = historyTotals(await rowsAt(`history?${question}`), vendorLicense, range);
    for (const [what, figure] of totals)
      said.push({ what, figure: `${figure ?? 'unknown'}`, where: '/grafana/rows/history' });
    const names = new Set((features.get(vendorLicense) ?? []).map(({ feature }) => String(feature)));
    for (const feature of names) await ask(['license-feature'], vendorLicense, feature);
  }
  return said;
}

/** Whether a site says something else of each of these things than before. */
function isChanged(things: readonly string[], before: readonly Said[], after: readonly Said[]): boolean {
  const figuresOf = (said: readonly Said[], thing: string): string =>
    [...new Set(said.flatMap(({ what, figure }) => (what === thing ? figure : [])))].sort().join();
  return things.every((thing) => figuresOf(before, thing) !== figuresOf(after, thing));
}

/** By a panel and what it says: whether that is said elsewhere too. */
const comparedKinds = new Map<string, boolean>();

function noteCompared(said: readonly Said[], related: readonly Related[]): void {
  const relatedTo = new Set(related.flatMap(({ what, others }) => [what, ...others]));
  for (const [what, all] of Map.groupBy(said, (one) => one.what)) {
    const places = new Set(all.map(({ where }) => where));
    const [kind] = what.split(/ of |, /);
    const isCompared = places.size > 1 || relatedTo.has(what) || what.startsWith('share in row');
    for (const where of places) {
      const key = `${where}: ${kind}`;
      if (panelReaders[where] !== undefined) comparedKinds.set(key, comparedKinds.get(key) === true || isCompared);
    }
  }
}

describe.runIf(peer('prometheus'))('panels, pages, rows and metrics', () => {
  it.each(Object.entries(sites))('of a site %s say one figure of one thing', async (_, [start, leftOut]) => {
    const site = await start(cleanup);
    await waitUntilReady(site.url);
    const { url, query } = await startPrometheus(cleanup, site.url);
    await eventually('scrapes', async () => (await query('count_over_time(license_up[1m]) >= 4')).length === 1);
    const isKept = ({ where }: Said): boolean => !leftOut.test(where);
    const readAll = async () => {
      const onPages = await saidBy(site);
      const onPanels: Said[] = [];
      for (const range of Object.keys(ranges))
        onPanels.push(...(await saidOnPanels(site, url, range as keyof typeof ranges)).filter(isKept));
      return { onPages, said: [...onPages, ...onPanels] };
    };
    const first = await readAll();
    const apart = Object.keys(contradictionsOf(first.said));
    // an alert may begin to fire while everything is read: only what the pages say otherwise by now is read again
    const hasMoved = apart.length > 0 && isChanged(apart, first.onPages, await saidBy(site));
    const { said } = hasMoved ? await readAll() : first;
    const related = relatedIn(said);
    noteCompared(said, related);
    expect(contradictionsOf(said)).toEqual({});
    expect(related.filter(({ figure, least, most }) => Number(figure) < least || Number(figure) > most)).toEqual([]);
  });

  it('have a reader for every panel', () => {
    const all = answeredPanels.map(({ where }) => where);
    const isRead = (where: string): boolean => panelReaders[where] !== undefined || onlyHere[where] !== undefined;
    expect(all.filter((where) => !isRead(where))).toEqual([]);
    // every panel of the lists must exist
    expect([...Object.keys(panelReaders), ...Object.keys(onlyHere)].filter((where) => !all.includes(where))).toEqual(
      [],
    );
    expect(Object.keys(onlyHere).filter((where) => panelReaders[where] !== undefined)).toEqual([]);
  });

  it('compare what each panel says with another place on one of the sites', () => {
    expect([...comparedKinds].flatMap(([kind, isCompared]) => (isCompared ? [] : kind))).toEqual([]);
    const silent = Object.keys(panelReaders).filter(
      (where) => !comparedKinds.keys().some((key) => key.startsWith(`${where}: `)),
    );
    expect(silent).toEqual([]);
  });
});
