import { afterEach, describe, expect, it } from 'vitest';
import { QUIET } from '../../grafana/panels.ts';
import {
  builtIn,
  dashboards,
  interpolate,
  type Panel,
  panelsOf,
  queriesOf,
  type Target,
  type Values,
} from '../support/dashboards.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../support/harness.ts';
import { type InfinityQuery, infinityQuery, pathOf } from '../support/infinity.ts';
import { FEATURES, startNamesOnlyAnalyzer, VENDOR_LICENSES } from '../support/names-only-analyzer.ts';
import { peer } from '../support/peers.ts';
import { startPrometheus } from '../support/start-prometheus.ts';

/**
 * What the dashboards show when the daemon has stopped: no panel may read as if all was well. The panels are found by a walk
 * through the dashboards. One that the walk does not understand fails.
 */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** The texts for what is not known. A panel without a text of its own shows Grafana's. */
const UNKNOWN = ['No data', 'unknown', 'Nothing is known', 'no answer', 'nothing recorded, or no answer'];
/** Colours that say neither good nor bad. */
const NEUTRAL = ['text', 'transparent', QUIET];

interface Mapping {
  readonly type: string;
  readonly options: { readonly match?: string; readonly result?: { readonly text?: string; readonly color?: string } };
}

/** Whether Grafana colours the text for no data, by type of panel. A type that is not listed is not understood. */
const isColored: Readonly<Record<string, boolean>> = {
  stat: true,
  table: false,
  timeseries: false,
  barchart: false,
  heatmap: false,
  'state-timeline': false,
};

/** What Grafana shows in a panel without a value: its text, and the lowest of its colours. */
function shownWithoutData({ type, fieldConfig }: Panel): { readonly text: string; readonly color: string } {
  const { noValue = 'No data', mappings = [], thresholds } = fieldConfig?.defaults ?? {};
  const { text, color } =
    (mappings as readonly Mapping[]).find(
      ({ type: kind, options }) => kind === 'special' && options.match?.includes('null') === true,
    )?.options.result ?? {};
  // Grafana's own thresholds begin with green
  const lowest = isColored[type] === true ? (thresholds?.steps[0]?.color ?? 'green') : 'text';
  return { text: text ?? noValue, color: color ?? lowest };
}

/** Why a panel sounds like good news, or is not understood; nothing if neither. */
function problemsOf(panel: Panel): readonly string[] {
  // texts of the dashboard itself
  if (panel.type === 'text') return [];
  if (isColored[panel.type] === undefined) return [`a panel of the type ${panel.type} is not understood`];
  const { text, color } = shownWithoutData(panel);
  return [...(UNKNOWN.includes(text) ? [] : [`says "${text}"`]), ...(NEUTRAL.includes(color) ? [] : [`is ${color}`])];
}

const panels = dashboards.flatMap((dashboard) =>
  panelsOf(dashboard).map((panel) => ({ where: `${dashboard.uid}: ${panel.title}`, panel })),
);

describe('the dashboards without data', () => {
  it.each(panels)('$where says that nothing is known', ({ panel }) => {
    expect(problemsOf(panel)).toEqual([]);
  });

  it('are found unknown by the walk only if they say so', () => {
    const stat = (defaults: object, type = 'stat') =>
      problemsOf({ type, fieldConfig: { defaults, overrides: [] } } as unknown as Panel);
    const plain = { steps: [{ value: null, color: 'text' }] };
    expect(stat({ noValue: 'unknown', thresholds: plain })).toEqual([]);
    expect(stat({ noValue: 'none', thresholds: plain })).toEqual(['says "none"']);
    expect(stat({ thresholds: { steps: [{ value: null, color: 'green' }] } })).toEqual(['is green']);
    expect(stat({})).toEqual(['is green']);
    const mapped = { type: 'special', options: { match: 'null+nan', result: { text: 'up', color: 'green' } } };
    expect(stat({ thresholds: plain, mappings: [mapped] })).toEqual(['says "up"', 'is green']);
    expect(stat({}, 'gauge')).toEqual(['a panel of the type gauge is not understood']);
  });
});

const CHAIN = 'license-overview: Exporter, sources, analyzer, servers';
const ALERTS = 'license-overview: Alerts that fire';

/** Whether a value is what was last said, how long ago, and that it is not known now: this is shown for a day after the daemon has stopped. */
const isSaid = (text: string): boolean => text.startsWith(ALERTS) || text.startsWith(CHAIN);

/** Queries of Prometheus, with their panels. */
const placed = panels.flatMap(({ where, panel: { targets = [] } }) =>
  targets.filter(({ datasource }) => datasource.type === 'prometheus').map((target) => ({ where, target })),
);

/** What a real Prometheus answers to the query of a panel. */
async function valuesOf(
  url: string,
  values: Values,
  { where, target }: Placed,
  at: number,
): Promise<readonly string[]> {
  // the value for all is inserted unchanged
  const selected = (target.expr ?? '').replaceAll('=~"$job"', '=~".+"').replaceAll('=~"$instance"', '=~".+"');
  const expression = interpolate(selected, values, 'prometheus');
  const response = await fetch(`${url}/api/v1/query?time=${at}&query=${encodeURIComponent(expression)}`);
  const { status, data } = (await response.json()) as { status: string; data?: { result: Sample[] } };
  expect({ where, status }).toEqual({ where, status: 'success' });
  // NaN is drawn as what is not known
  const known = (data?.result ?? []).filter(({ value }) => value[1] !== 'NaN');
  return known.map(({ metric: { figure, link = figure }, value }) => {
    const of = link === undefined ? '' : ` ${target.refId} ${link}`;
    return `${where}${of}: ${value[1]}`;
  });
}

describe.runIf(peer('prometheus'))('the dashboards of a daemon that has stopped', () => {
  it('have no value that is not of the past', async () => {
    const analyzer = await startAnalyzer({ vendorLicenses: 3, featuresPerVendorLicense: 12 });
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url));
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (!isStopped) await app.stop();
      isStopped = true;
    };
    cleanup.add(stop);
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const { url, query } = await startPrometheus(cleanup, app.url);
    await eventually('scrapes', async () => (await query('count_over_time(license_up[1m]) >= 4')).length === 1);
    const vendorLicenses = (await query('license_vendor_license_info')).map(
      ([labels]) => (labels as { vendor_license: string }).vendor_license,
    );
    const values: Values = {
      ...builtIn,
      vendor_license: 'sim-lic01;sim_cadd',
      vendor_licenses: vendorLicenses,
      feature: 'sim-mesh-2',
    };

    const found = async (at: number) => (await Promise.all(placed.map((one) => valuesOf(url, values, one, at)))).flat();

    const now = Date.now() / 1000;
    const known = await found(now);
    expect(known.length).toBeGreaterThan(placed.length / 2);
    expect(known.some((text) => text.startsWith('license-overview: License servers: '))).toBe(true);

    await stop();
    await expect(fetch(`${app.url}/grafana/`)).rejects.toThrow();
    await eventually('the end of its series', async () => (await query('license_up')).length === 0);
    // an hour later: what a panel shows now must not be a figure of before
    const later = await found(now + 3600);
    expect(later.filter((text) => !isSaid(text))).toEqual(['license-exporter: Exporter A exporter: 3']);
    // the exporter is down, and what is behind it is not known
    expect(later.filter((text) => text.startsWith(`${CHAIN} A`))).toEqual([
      `${CHAIN} A 1 Exporter: 3`,
      `${CHAIN} A 2 Sources: 1`,
      `${CHAIN} A 3 Analyzer: 1`,
      `${CHAIN} A 4 Servers: 1`,
    ]);
    expect(later.filter((text) => text.startsWith(`${CHAIN} C`))).toEqual([`${CHAIN} C 1 Exporter: 0`]);
  });
});

describe.runIf(peer('prometheus'))('the dashboards of a site of which only names are known', () => {
  it('have no figure of the site', async () => {
    const app = await startApp(createConfig(await startNamesOnlyAnalyzer(cleanup)));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const { url, query } = await startPrometheus(cleanup, app.url);
    await eventually('scrapes', async () => (await query('count_over_time(license_up[1m]) >= 4')).length === 1);
    const names = { vendor_license: VENDOR_LICENSES[0], vendor_licenses: VENDOR_LICENSES, feature: FEATURES[0] };
    const now = Date.now() / 1000;
    const values = await Promise.all(placed.map((one) => valuesOf(url, { ...builtIn, ...names }, one, now)));
    // one dashboard is about the exporter, which is known
    const ofExporter = values.flat().filter((text) => text.startsWith('license-exporter: '));
    expect(ofExporter.length).toBeGreaterThan(5);
    const others = values.flat().filter((text) => !ofExporter.includes(text));
    // the state "unknown" of each vendor license
    expect(others.filter((text) => !isSaid(text))).toEqual(
      VENDOR_LICENSES.map(() => 'license-overview: License servers: 1'),
    );
    expect(others.filter((text) => text.startsWith(`${CHAIN} A`))).toEqual([
      `${CHAIN} A 1 Exporter: 0`,
      `${CHAIN} A 2 Sources: 5`,
      `${CHAIN} A 3 Analyzer: 2`,
      `${CHAIN} A 4 Servers: 1`,
    ]);
    // how many fire of each severity is not known
    expect(others.filter((text) => text.startsWith(ALERTS)).map((text) => text.replace(/: [\d.]+$/, ''))).toEqual([
      `${ALERTS} A evaluated ago`,
    ]);
  });
});

describe('the dashboards of a daemon that does not know its site', () => {
  const none = ({ url_options }: InfinityQuery) => url_options.params.find(({ key }) => key === 'none')?.value;
  const queries = queriesOf('yesoreyeram-infinity-datasource')
    .map(({ where, target }) => ({ where, query: infinityQuery(target) }))
    .filter(({ query }) => none(query) !== undefined);

  it('get no text for no row', async () => {
    const settings = { 'access.names': '*', 'alerting.evaluation_interval': '250ms', 'rightsizing.enabled': true };
    const app = await startApp(createConfig(await startNamesOnlyAnalyzer(cleanup), settings));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    await eventually('advice', async () => (await fetch(`${app.url}/api/v1/rightsizing`)).ok);
    await eventually('an evaluation', async () => (await fetch(`${app.url}/grafana/rows/attention`)).ok);
    const [vendorLicense] = VENDOR_LICENSES;
    const variables: Values = {
      vendor_license: vendorLicense,
      vendor_licenses: VENDOR_LICENSES,
      feature: FEATURES[0],
      month: '',
      user: '%',
    };
    expect(queries.length).toBeGreaterThan(10);
    const to = Date.now();
    for (const { where, query } of queries) {
      const response = await fetch(`${app.url}${pathOf(query, variables, { from: to - 86_400_000, to })}`);
      // who uses what, the analyzer refuses to say
      expect([200, 502]).toContain(response.status);
      const text = await response.text();
      expect({ where, text, isCalm: text.includes(`"${none(query)?.replace(/\$.*/s, '')}`) }).toMatchObject({
        isCalm: false,
      });
    }
  });
});

interface Placed {
  readonly where: string;
  readonly target: Target;
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}
