import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultRules } from '../../../deploy/prometheus/generate.ts';
import type { DayOfSamples, PastPiece, Series } from '../../../src/analyzer/history/sample.ts';
import { createLocalTime, dateText } from '../../../src/base/model/local-time.ts';
import type { PoolObservation, VendorLicenseObservation } from '../../../src/base/model/observation/observation.ts';
import type { Source } from '../../../src/base/model/observation/source.ts';
import { quickPolls } from '../../support/end-to-end.ts';
import {
  type Cleanup,
  createCleanup,
  createConfig,
  eventually,
  startAnalyzer,
  startApp,
  testHistory,
} from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { findAlerts } from '../../support/promtool.ts';
import { createRandom } from '../../support/random.ts';
import { cases, demandOf, HISTORY_DAYS, type Law } from './demand-kinds.ts';

/** From recorded demand to the alert LicenseRunsOut: history, two nightly passes, metrics, the engine and the rules for Prometheus. */

const localTime = createLocalTime('Europe/Berlin');
const DAY = 86_400;
/** A Monday: the laws of demand count their days from it. The history ends in summer. */
const FIRST_DAY = 20_283;
const TODAY = FIRST_DAY + HISTORY_DAYS;
/** The law of the growing demand says that all licenses are needed after this many days. */
const DAYS_LEFT = 63;
const SEED = 17;
/** The growth of a year shows the date to within about two months. */
const DAYS_OFF = 60;

function lawOf(name: string): Law {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no demand of the kind ${name}`);
  return found.law;
}

const growing = lawOf('2 % a month, in 9 weeks');
const level = lawOf('flat, 8 % free');

/** What the site has: one vendor license with both kinds of demand, and one where nothing grows. */
const laws: readonly (readonly [server: string, feature: string, law: Law])[] = [
  ['lic01', 'solver', growing],
  ['lic01', 'mesh', level],
  ['lic02', 'viewer', level],
];
const boughtOf = (law: Law): number => law.bought(law, HISTORY_DAYS, SEED);
const seriesOf = (server: string, feature: string): Series => ({
  vendorLicense: `${server};cadd`,
  feature,
  package: '',
  featureType: 'feature',
});

/** The days of a law, hour by hour. A request that no license is left for is refused. */
function recordedDays(series: Series, law: Law): DayOfSamples[] {
  const available = boughtOf(law);
  const days = [...demandOf(law, SEED, 0, HISTORY_DAYS, createRandom(SEED))];
  return days.map((demanded, i) => ({
    series,
    day: FIRST_DAY + i,
    samples: localTime.hoursOf(FIRST_DAY + i).map(({ start, hour }) => {
      const wanted = demanded[hour] ?? 0;
      const inUse = Math.min(wanted, available);
      const denials = wanted - inUse;
      return { at: start, seconds: 3600, available, inUse, reserved: 0, users: inUse, denials };
    }),
  }));
}

/** Everything before today, newest first. */
function* past(): Generator<PastPiece> {
  const all = laws.map(([server, feature, law]) => recordedDays(seriesOf(server, feature), law));
  for (let i = HISTORY_DAYS - 1; i >= 0; i -= 1) {
    yield { series: all.flatMap((days) => days.slice(i, i + 1)), completeFrom: FIRST_DAY + i, daysLeft: i };
  }
}

const poolOf = (feature: string, law: Law): PoolObservation => ({
  feature,
  version: '1.0',
  package: '',
  featureType: 'feature',
  licenseType: 'floating',
  licenseModel: 'concurrent',
  increments: [{ count: boughtOf(law), expires: undefined }],
  reservations: [],
  checkouts: [],
  queued: [],
  denials: 0,
});

const source: Source = {
  name: 'cad',
  interval: 3600,
  offset: 0,
  read: async () =>
    [...Map.groupBy(laws, ([server]) => server)].map(
      ([server, features]): VendorLicenseObservation => ({
        server,
        daemon: 'cadd',
        part: '',
        reachable: true,
        pools: features.map(([, feature, law]) => poolOf(feature, law)),
      }),
    ),
};

const CLOCK_SET = 'the clock of this host was set; nothing is known until the analyzer has answered again';
const PASS = 'license_rightsizing_last_success_timestamp_seconds';

/** The dates on a page, by feature. */
const datesOn = (page: string): ReadonlyMap<string, number> =>
  new Map(
    [...page.matchAll(/^license_feature_runs_out_timestamp_seconds\{.*?feature="(\w+)".*\} (\S+)$/gm)].map(
      ([, feature = '', value]) => [feature, Number(value)],
    ),
  );

interface Fired {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * What fires by the rules for Prometheus when a page is scraped for ten minutes. promtool begins in 1970, so the times of the
 * page are moved there; those before it are its beginning.
 */
async function firesInPrometheus(page: string, scrapedAt: number): Promise<readonly Fired[]> {
  const target = 'job="license-exporter",instance="e1"';
  const scraped = [...page.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels, value = '']) => {
    const isTime = name.endsWith('_timestamp_seconds');
    const shown = isTime ? String(Math.max(0, Number(value) - scrapedAt)) : value.replace('+Inf', 'Inf');
    const all = labels === undefined ? target : `${labels},${target}`;
    return { series: `${name}{${all}}`, values: Array.from({ length: 11 }, () => shown).join(' ') };
  });
  const test = {
    interval: '1m',
    input_series: [{ series: `up{${target}}`, values: '1x10' }, ...scraped],
    alert_rule_test: [{ eval_time: '10m', alertname: 'LicenseRunsOut', exp_alerts: [] }],
  };
  return findAlerts(test, defaultRules());
}

/** The default time of the nightly pass. */
const passOf = (day: number): number => localTime.startOf(day) + 20 * 60;

/** What two nights leave behind: the pages after the passes, and what the engine fired after each. */
interface Nights {
  readonly pages: readonly [string, string];
  readonly fired: readonly [readonly Fired[], readonly Fired[]];
  /** Dates of the advice of the second pass, by feature. */
  readonly advised: Readonly<Record<string, string | null>>;
}

/** The site, its analyzer and the exporter over two nightly passes in succession. */
async function runNights(cleanup: Cleanup, isEmbedded: boolean): Promise<Nights> {
  vi.useFakeTimers({ toFake: ['Date'], now: (passOf(TODAY) - 2) * 1000 });
  cleanup.add(() => vi.useRealTimers());
  let ahead = 0;
  const now = (): number => Date.now() / 1000 + ahead;
  const analyzer = await startAnalyzer({ now }, { sources: [source], past, history: testHistory });
  cleanup.add(() => analyzer.stop());
  await analyzer.demand.pastAdded();
  const config = createConfig(analyzer.url, {
    ...quickPolls,
    // what was polled before a night is still good after it
    'poll.max_data_age': '2d',
    'alerting.evaluation_interval': '250ms',
    'datasource.time_zone': localTime.timeZone,
    'rightsizing.enabled': true,
  });
  const app = await startApp(config, isEmbedded ? { recorded: analyzer.demand } : {});
  cleanup.add(() => app.stop());
  const messages = (): readonly string[] => app.log.entries.map(({ message }) => message);
  /** The page with the results of the pass of a day, when the engine has evaluated them too. */
  const pageAfterPass = async (day: number): Promise<string> => {
    // not one of the time before the clock was set
    const ofDay = (): readonly string[] => messages().slice(messages().lastIndexOf(CLOCK_SET) + 1);
    await eventually('the pass', () => ofDay().includes('advice on the number of licenses computed'));
    // they are on the page after the next poll
    const at = Date.now() / 1000 + 1;
    vi.setSystemTime(at * 1000);
    await eventually('the page', async () => localTime.dayOf((await app.sample(PASS)) ?? 0) === day);
    const evaluation = `license_alerts_evaluated_timestamp_seconds{analyzer="${new URL(analyzer.url).host}"}`;
    await eventually('an evaluation', async () => ((await app.sample(evaluation)) ?? 0) >= at);
    return app.metrics();
  };
  const dataOf = async <T>(path: string): Promise<T> =>
    ((await (await fetch(`${app.url}${path}`)).json()) as { readonly data: T }).data;
  const alerts = async (): Promise<readonly Fired[]> => {
    const { alerts: all } = await dataOf<{ readonly alerts: readonly Fired[] }>('/api/v1/alerts');
    return all.filter(({ labels: { alertname } }) => alertname === 'LicenseRunsOut');
  };
  /** A collection after midnight completes the day. Then it is time for the next pass. */
  const nextNight = async (): Promise<void> => {
    ahead = DAY;
    await analyzer.collector.collect();
    ahead = 0;
    vi.setSystemTime((passOf(TODAY + 1) + 1) * 1000);
    await eventually('the new time', () => messages().includes(CLOCK_SET));
  };
  const first = await pageAfterPass(TODAY);
  const firedBefore = await alerts();
  await nextNight();
  const second = await pageAfterPass(TODAY + 1);
  const rows = await dataOf<readonly { readonly feature: string; readonly runs_out: string | null }[]>(
    '/api/v1/rightsizing?columns=feature&columns=runs_out',
  );
  return {
    pages: [first, second],
    fired: [firedBefore, await alerts()],
    advised: Object.fromEntries(rows.map(({ feature, runs_out: date }) => [feature, date])),
  };
}

describe.each([
  ['an analyzer in the same process', true],
  ['an analyzer outside the process', false],
])('licenses run out, by the history of %s', (_, isEmbedded) => {
  const cleanup = createCleanup();
  let nights: Nights;
  beforeAll(async () => {
    nights = await runNights(cleanup, isEmbedded);
  });
  afterAll(() => cleanup.run());

  /** The day on which they run out, by the metrics of the second pass. */
  const dayOnPage = (): number => localTime.dayOf(datesOn(nights.pages[1]).get('solver') ?? Number.NaN);
  const monthOf = (day: number): string => dateText(day).slice(0, 7);
  const aboutSolver = {
    labels: expect.objectContaining({ severity: 'warning', vendor_license: 'lic01;cadd' }),
  };

  it('the metrics have the date of the feature that grows after the second pass, and no other date', () => {
    const [before, after] = nights.pages.map(datesOn);
    expect(before).toEqual(new Map());
    expect(after).toEqual(new Map([['solver', localTime.startOf(dayOnPage())]]));
    expect(nights.advised).toEqual({ solver: dateText(dayOnPage()), mesh: null, viewer: null });
    expect(Math.abs(dayOnPage() - (TODAY + DAYS_LEFT))).toBeLessThanOrEqual(DAYS_OFF);
  });

  it('the engine fires for it, and for no other', () => {
    const [before, after] = nights.fired;
    expect(before).toEqual([]);
    const month = monthOf(dayOnPage());
    const annotations = expect.objectContaining({
      summary: expect.stringContaining(`solver of lic01;cadd is expected to run out of licenses about ${month} (`),
      description: expect.stringMatching(/^Once they run out/),
    });
    expect(after).toEqual([expect.objectContaining({ ...aboutSolver, state: 'firing', annotations })]);
  });

  it.runIf(peer('promtool'))('the rules for Prometheus fire for it, and for no other', async () => {
    const [before, after] = nights.pages;
    expect(await firesInPrometheus(before, passOf(TODAY))).toEqual([]);
    const annotations = expect.objectContaining({
      summary: 'Features of lic01;cadd are expected to run out of licenses.',
    });
    expect(await firesInPrometheus(after, passOf(TODAY + 1))).toEqual([
      expect.objectContaining({ ...aboutSolver, annotations }),
    ]);
  });
});
