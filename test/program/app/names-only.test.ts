import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '../../support/browser.ts';
import { startCollectingApp } from '../../support/collecting-app.ts';
import { createCleanup, createConfig, startAnalyzer, startApp } from '../../support/harness.ts';
import { FEATURES, startNamesOnlyAnalyzer, VENDOR_LICENSES } from '../../support/names-only-analyzer.ts';
import { type Piece, waitUntilReady, walk } from '../../support/page-walk.ts';
import { pageWords } from '../../support/page-words.ts';
import { peer } from '../../support/peers.ts';

/**
 * Everything that a person sees of a site of which only names are known, and of one that knows everything. Each piece that the
 * walk finds must be in a table, with the reason; anything else fails. So a new text, or a figure in an old place, is read by
 * a person before it passes.
 */

/** What may be there, by where it is. A place begins with the path. */
type Allowed = readonly (readonly [where: RegExp, text: RegExp, reason: string])[];

const isIn = (table: Allowed, { where, text }: Piece): boolean =>
  table.some(([place, words]) => place.test(where) && words.test(text));

/** Different pieces, so that a failure can be read. */
const distinct = (pieces: readonly Piece[]): readonly Piece[] => [
  ...new Map(pieces.map((piece) => [JSON.stringify(piece), piece])).values(),
];

const WHEN = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z|(?: [\d:]{5} UTC)?)$|^\d{13}$/;
const names = new Set<string>([...VENDOR_LICENSES, ...VENDOR_LICENSES.flatMap((name) => name.split(';')), ...FEATURES]);
const isName = ({ text }: Piece): boolean => names.has(text.replaceAll('"', ''));

const NO_ADVICE = /^no advice$|^(?:No advice: )?the number of licenses is not known and no use is recorded\.$/;

/** Pages: what has a digit or a word that could be good news. Other words are in `pageWords`. */
const pages: Allowed = [
  [
    / footer > p$| h1 > bdi$/,
    /^license-exporter 0\.0\.0$|^127\.0\.0\.1:\d+$|^embedded@/,
    'the program, and the analyzer',
  ],
  [/ time(?:@title)?$/, /^\d+ ?s(?: ago)?$|^[\d-]{10} [\d:]{5} UTC$/, 'when something was polled, began or was read'],
  [/^\/ main > p\.soft$/, /^[\d-]{10} [\d:]{5} UTC: servers polled$/, 'when the page was made'],
  [/./, /^(?:of )?[24] (?:vendor licenses|features)$/, 'the number of names'],
  [/./, /^The analyzer answered 503\.$/, 'why an answer is missing'],
  [/ a$/, /^Expire in 30 days$/, 'the title of a figure'],
  [/p\.unknown$/, /^.* not known of (?:4 features|any feature)\.$/, 'says that it is not known'],
  [
    /^\/ main > p\.unknown$/,
    /^No alert fires (?:yet\. Without data, most alerts can neither start nor end\.|or is pending of those that have data\. Whether \d other kinds? of)$/,
    'says that it is not known',
  ],
  [
    /^\/ main > ul\.tiles > li\.is-unknown/,
    /^0$|^0 critical, 0 warning, 0 info, \d kinds? without data$/,
    'alerts, in the color of what is not known',
  ],
  [
    / main > ul\.rows > li\.is-pending > div/,
    /^(?:Analyzer cannot be polled|pending, critical|noticed|alerts in|\d+m(?: \d+s)?)$/,
    'the scripted analyzer does not answer GetServerDown',
  ],
  [/p\.unknown$/, /^Denials are not polled here: .* last 30 days\./, 'a setting'],
  [/./, /^Nothing is known to expire\.$/, 'a sentence on what is known'],
  [/span\.warn$/, /^never collected$/, 'a warning'],
  [/small$/, /^the analyzer has not reached it yet, so nothing is known about it$/, 'a warning'],
  [
    /^\/ main > ul\.rows\.three > li\.is-(?:good|bad) /,
    /^good$|^every \d+[smh], \d records$|^last complete never$|^There is no data that is new enough to be shown\.$/,
    'the state of polling',
  ],
  [
    /^\/alerts main > p\.soft$/,
    /^\d+ kinds of alerts, evaluated \d+s ago and at least every \d+s\. These have no data, so whether they apply is unknown:$/,
    'the engine',
  ],
  [
    /^\/alerts main > ul\.tiles\.alert-counts > li\.is-(?:none|pending) /,
    /^(?:\d|\?)$/,
    'alerts of this engine by state, below what has no data',
  ],
  [
    /^\/alerts /,
    /^\d pending$|^pending for \d+s$|^No alert matches the filter\.$|^\d alerts? match(?:es)? the filter\.$|^Nobody is notified: /,
    'the engine, and a setting',
  ],
  [/^\/alerts /, /^No good answer from GetServerDown\./, 'the text of an alert that is pending'],
  [
    /^\/alerts main > p\.unknown$/,
    /^No alert fires or is pending of those that have data\.$/,
    'says that it is not known',
  ],
  [/^\/alerts .*code$/, /old01/, 'an example of a matcher'],
  [
    /^\/rightsizing /,
    /^[\d-]{10}: advice on the number of licenses of 4 features, all versions of each together, from recorded use\.$|^there are no prices: set rightsizing\.price_file$|^Not covered$|^4 features without advice, by reason\.$/,
    'the number of names, and a setting',
  ],
  [/^\/rightsizing .*table\.counts/, /^4$/, 'the number of names without advice'],
  [/^\/rightsizing .*table\.counts|^\/feature main > p$/, NO_ADVICE, 'says that it is not known'],
  [
    /^\/rightsizing .*section\.basis/,
    /UTC, from the days before|^The advice is computed from the recorded use|^The page, with the reason of each line: /,
    'settings, and the method',
  ],
  [
    /^\/contracts main > p(?:\.soft)?(?: > time)?$|^\/rightsizing main > section\.basis > dl > dd > time$/,
    /^\d{4}-\d\d-\d\d$|^: what is renewed or expires until$|^, by when to act, |^Nothing is known to be renewed or to expire until$/,
    'dates of the calendar, and a sentence on what is known',
  ],
  [/^\/contracts main > ul\.tiles\.sums /, /^to act on in 18 months$/, 'what is not known'],
  [
    /^\/contracts main > (?:div\.problem|ul) /,
    /^Expiries of 2 vendor licenses are not all known\.$|never collected$|have no known expiry$|^4 more features$/,
    'says that it is not known',
  ],
  [/^\/ main > h1$/, /^Licenses$/, 'a title'],
  [/^\/feature .*scale\.along/, /^\d\d-\d\d$/, 'a date'],
  [
    /^\/feature /,
    /^No version$|^Last (?:30 days|7 days by the hour)$|^No advice: the number of licenses is not known/,
    'a name, and titles',
  ],
  [
    /^\/feature main > figure/,
    /How many licenses were in use is not known; 30 of 30 days are not known; denials are not known(?:$|\..* line: bought;)/,
    'says that it is not known',
  ],
  // a source of which the format says that it is up unless the document says otherwise
  [
    /^\/(?:vendor-license)? main > ul\.(?:tiles|rows) > li\.is-good /,
    /^(?:2 )?up$/,
    'the source was read, and reports no server that is down',
  ],
  [
    /^\/(?:sources)? main/,
    /^1 source: 1 up\.?$|^up$|^, took \d+\.\d s$|^\d+ s ago$|^in \d+ (?:s|min)$|^\d+$/,
    'the state of the source',
  ],
  [
    /^\/ main > details > (?:summary|table\.counts > tbody > tr > td(?: > (?:code|span\.soft))?)$/,
    /^\d+(?: series for Prometheus, by the names of the metrics| metrics?)?$|^(?:license|process|nodejs)_[a-z_]*…?$|^all others$/,
    'how many series /metrics has',
  ],
];

/** The other answers. */
const answers: Allowed = [
  [
    /blocked (?:meta )?notices text$/,
    /^who waited is not known(?:: .*| of \d features? on \d days?)$/,
    'says that it is not known',
  ],
  [/./, /^null$|^$/, 'says that it is not known'],
  [
    / (?:computed|activeAt|lastEvaluation|polled_at|collected|category)$|^\/grafana\/query (?:rightsizing|products|reserved) rows$/,
    WHEN,
    'when something was done',
  ],
  [
    /^\/(?:expirations\.csv|api\/v1\/contracts) note$/,
    /^expiries are not all known: |^expiry not known$|server was never collected|features have no known expiry/,
    'says that it is not known',
  ],
  [
    /^\/(?:expirations\.ics|api\/v1\/contracts) (?:SUMMARY|X-WR-CALDESC|DESCRIPTION)$/,
    /not all known$|never collected|have no known expiry/,
    'says that it is not known',
  ],
  [
    /^\/(?:expirations\.ics|api\/v1\/contracts) (?!SUMMARY|DESCRIPTION|X-WR-CALDESC)[A-Z]/,
    /./,
    'the frame of a calendar',
  ],
  [/^\/api\/v1\/contracts state$/, /^not known$|^renewal not known$/, 'says that it is not known'],
  [/^\/grafana vendor_licenses$|^\/api\/v1\/rightsizing total$/, /^[24]$/, 'the number of names'],
  [/^\/grafana status$|^\/-\/(?:healthy|ready) /, /^ok$|^Healthy\.$|^Ready\.$/, 'whether this process answers'],
  [/^\/api\/v1\/rightsizing notices$|rightsizing (?:meta )?notices text$/, /^\d features?$/, 'the number of names'],
  [
    /rightsizing(?: data)? (?:days|coverage)$|^\/grafana\/query rightsizing rows$/,
    /^0$/,
    'how much of the past is known',
  ],
  [
    /rightsizing(?: data)? notice_state$|^\/grafana\/query rightsizing rows$/,
    /^renewal not known$/,
    'says that it is not known',
  ],
  [/rightsizing(?: data)? confidence$|^\/grafana\/query rightsizing rows$/, /^none$/, 'how much of the past is known'],
  [
    /rightsizing(?: data)? (?:state|reason)$|^\/grafana\/query rightsizing rows$/,
    NO_ADVICE,
    'says that it is not known',
  ],
  [/ (?:type|feature_type)$|^\/grafana\/query (?:rightsizing|features) rows$/, /^feature$/, 'a part of the name'],
  [
    /features (?:license_type|license_model|rows)$/,
    /^floating$|^concurrent$/,
    'the defaults of the format of documents',
  ],
  [/features (?:token_cost|rows)$/, /^0$/, 'no tokens, which is the default of the format'],
  [/products (?:state|rows)$/, /^never collected$|^up$/, 'a warning; or the source reports no server that is down'],
  [/products (?:up|current|rows)$/, /^true$/, 'the same'],
  [/ status$/, /^success$/, 'whether the API answers'],
  [
    /^\/grafana\/(?:rows\/|query )(?:users|server_down)(?: |$)/,
    /^refused with 502$|^upstream_status$|^(?:GetServerDown: )?the analyzer answered 503$/,
    'an answer that is missing',
  ],
  [
    /^\/grafana\/rows\/\w+$|^\/grafana\/query \w+ (?:columns|rows)$/,
    /^\[\]$/,
    'an empty table, for which a panel asks for a text',
  ],
  [
    /^\/grafana\/query \w+ (?:name|refId|type|columns (?:text|type|unit)|fields (?:name|type)|meta (?!notices text).*)$/,
    /./,
    'the frame of a table',
  ],
  [/^\/grafana\/rows\/\w+ notices severity$/, /^(?:info|warning)$/, 'how much a sentence matters'],
  [
    / notices text$/,
    /^shown: last 7 days, the shortest duration|^shown: last 365 days, the longest|^the analyzer has no value in the time range|never collected, so no expiry is known$/,
    'what is shown, or that it is not known',
  ],
  [/^\/grafana\/query heatmap fields values$/, /^(?:\d|1\d|2[0-3])$/, 'the hours of a day'],
  [
    /^\/api\/v1\/(?:alerts|rules) .*alerts labels /,
    /^Licens\w+$|^127\.0\.0\.1:\d+$|^critical$|^license-exporter$/,
    'an alert about the analyzer',
  ],
  [
    /^\/(?:grafana\/(?:rows|query)\/?|api\/v1\/).*attention/,
    /^(?:\[\]|critical|pending|(?:The license )?[Aa]nalyzer cannot be polled\.?|\d{13}|LicenseAnalyzerUnreachable)$/,
    'an alert about the analyzer',
  ],
  [
    /^\/api\/v1\/(?:alerts|rules) .*alerts annotations /,
    /^No good answer from GetServerDown\.|^The license analyzer cannot be polled\.$|^There is no new data about any license server: |^Check whether the analyzer runs, |^http/,
    'an alert about the analyzer',
  ],
  [/^\/api\/v1\/(?:alerts|rules) .*alerts (?:state|value)$/, /^pending$|^0e\+00$/, 'an alert about the analyzer'],
  [
    /^\/api\/v1\/(?:alerts|rules) .*alerts$/,
    /^\[\]$/,
    'no alert fires; the health of a rule is unknown where it had no data',
  ],
  [/^\/api\/v1\/rules data groups (?:evaluationTime|file|interval|limit|name)$/, /./, 'the engine'],
  [
    /^\/api\/v1\/rules data groups rules (?:duration|evaluationTime|keepFiringFor|health|labels severity|name|query|state|type)$/,
    /./,
    'the settings of the rules',
  ],
  [
    /^\/metrics license_(?:exporter|upstream|poll|source|history|rightsizing)_|^\/metrics license_endpoint_state$|^\/metrics (?:process|nodejs)_/,
    /./,
    'of the exporter, its sources and its store',
  ],
  [/^\/metrics license_(?:up|data_known|vendor_license_data_known)$/, /^[01]$/, 'what is known'],
  [
    /^\/metrics license_alerts?_(?:complete|delivered|threshold|evaluated_timestamp_seconds)$/,
    /^[\d.]+$/,
    'settings and the state of the engine',
  ],
  [/^\/metrics license_(?:vendor_license|feature)_info$/, /^1$/, 'a name'],
  [
    /^\/metrics license_(?:server_up|vendor_license_current)$/,
    /^1$/,
    'the source was read, and reports no server that is down',
  ],
  [/^\/metrics license_vendor_license_last_collection_timestamp_seconds$/, /^\d{10}$/, 'when the source was read'],
];

const isPage = ({ where }: Piece): boolean =>
  / (?:main|header|footer|nav|a)\b/.test(where) && !where.startsWith('/api');

/** Whether a piece says nothing about licenses and servers, or that something is not known. */
const isClassified = (piece: Piece): boolean =>
  isName(piece) || (isPage(piece) ? pageWords.has(piece.text) || isIn(pages, piece) : isIn(answers, piece));

const settings = {
  'access.names': '*',
  'access.prices': '*',
  'access.reclaim': '*',
  'rightsizing.enabled': true,
  // on a busy host, a shorter interval is missed, and the pages say so
  'alerting.evaluation_interval': '5s',
};

const cleanup = createCleanup();
let browser: TestBrowser;
beforeAll(async () => {
  if (!peer('chromium')) return;
  browser = await startBrowser();
  cleanup.add(() => browser.close());
});
afterAll(() => cleanup.run());

/** Starts an exporter that polls this analyzer. @returns its URL */
async function startExporter(analyzer: string): Promise<string> {
  const app = await startApp(createConfig(analyzer, settings));
  cleanup.add(() => app.stop());
  return app.url;
}

/** Starts the whole on a source that knows only names. @returns its URL */
async function startDocumentSite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-names-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'site.json');
  const vendorLicenses = VENDOR_LICENSES.map((name) => {
    const [server, daemon] = name.split(';');
    return { server, daemon, features: FEATURES.map((feature) => ({ feature })) };
  });
  writeFileSync(file, JSON.stringify({ version: 1, vendor_licenses: vendorLicenses }));
  return (await startCollectingApp(cleanup, [{ name: 'site', manager: 'json', via: { file } }], settings)).url;
}

const sites: readonly (readonly [string, () => Promise<string>])[] = [
  ['an analyzer that leaves out all but names', async () => startExporter(await startNamesOnlyAnalyzer(cleanup))],
  ['a source that knows only names', startDocumentSite],
];

describe.runIf(peer('chromium'))('a site of which only names are known', () => {
  it.each(sites)('has no figure and no good news, on any page and in any answer: %s', async (_, start) => {
    const url = await start();
    await waitUntilReady(url);
    const found = await walk(browser, url, { product: VENDOR_LICENSES[0], feature: FEATURES[0] });
    const paths = new Set(found.map(({ where }) => where.split(' ')[0]));
    // what a reader looks at was seen
    for (const path of [
      '/',
      '/alerts',
      '/rightsizing',
      '/contracts',
      '/reclaim',
      '/api/v1/contracts',
      '/vendor-license',
      '/feature',
      '/metrics',
      '/expirations.csv',
      '/expirations.ics',
      '/grafana/query',
    ])
      expect(paths).toContain(path);
    expect(distinct(found.filter((piece) => !isClassified(piece)))).toEqual([]);
  });
});

/** What even a site that knows everything does not know yet, or does not have. */
const neverKnown: Allowed = [
  [
    /^\/ main > ul\.tiles > li\.is-unknown/,
    /^(?:Alerts|0|0 critical.*, [12] kinds? without data)$/,
    'denials are not polled, and growth needs a year',
  ],
  [
    /^\/ main > p\.unknown/,
    /^No alert fires or is pending of those that have data\..* Whether [12] other kinds? of$|^(?:alerts|appl(?:ies|y) is not known\.)$/,
    'the same',
  ],
  [
    /^\/ main > p\.unknown/,
    /^Denials are not polled here: |^(?:history\.features|and set|metrics\.collectors\.history|\.)$/,
    'a setting',
  ],
  [/^\/alerts main > p\.soft$/, /^\d+ kinds of alerts, .* These have no data/, 'the same kinds of alerts'],
  [/^\/api\/v1\/rules data groups rules health$/, /^unknown$/, 'the same kinds of alerts, and those of sources'],
  [/^\/rightsizing main > p\.unknown$/, /^How many licenses could go, /, 'advice needs weeks of use'],
  [/rightsizing/, /^null$|^$/, 'the same, and there are no prices'],
  [
    /rightsizing(?: data)? notice_state$|^\/grafana\/query rightsizing rows$/,
    /^not known$/,
    'nobody has told the notices',
  ],
  [
    /^\/reclaim main > p\.unknown$/,
    /^Whether (?:an|the) application is idle /,
    'the simulated license manager does not watch every application',
  ],
  [/^\/expirations\.csv note$/, /^$/, 'nothing to note'],
  [
    /^\/contracts main > (?:h2|ul\.rows\.contracts .*span\.unknown)$/,
    /^Not known$|^no owner$|^notice not known$/,
    'nobody has told the notices and the owners',
  ],
  [
    /^\/api\/v1\/contracts (?:act_by|renewal|notice|price|per|currency|value_per_year|advice|note|DESCRIPTION)$/,
    /^$|^notice not known$|^DESCRIPTION:.*\\nNotice not known\\nRenewal: .*\\nNo owner/,
    'the same, there are no prices, and permanent licenses have no dates',
  ],
  [
    /^\/feature main > figure/,
    /; 29 of 30 days are not known; no denials|; 16\d of 168 hours are not known, and empty/,
    'the analyzer has begun today',
  ],
  [
    / (?:owner|package|version|mapped_to|token_pool)$|^\/grafana\/query (?:features|expirations) rows$/,
    /^$/,
    'a name that is empty',
  ],
  [
    /^\/(?:grafana\/rows\/attention|api\/v1\/attention data attention) (?:feature|owner|alerts_at|since)$|^\/grafana\/query attention rows$/,
    /^null$/,
    'an alert about a server has no feature, what alerts already has no time for it, and what is to come has no beginning',
  ],
  [
    /^\/grafana\/(?:rows\/blocked|query blocked)(?: columns| rows| (?:meta )?notices text)?$/,
    /^\[\]$|^who waited is not known: an analyzer in another process does not tell it$/,
    'the analyzer is in another process',
  ],
  [/^\/grafana\/query heatmap fields values$/, /^null$/, 'the hours of the week that have not been yet'],
  [
    /^\/grafana\/(?:rows\/|query )users(?: full_name| share_handle| rows)$/,
    /^null$/,
    'the simulated license manager has no such names',
  ],
  [
    /^\/grafana\/(?:rows\/|query )(?:attention|server_down|history|reserved)(?: columns| rows)?$/,
    /^\[\]$/,
    'no alert, no server that is down, and no finished day',
  ],
  [/^\/api\/v1\/(?:rules|alerts) .*alerts$/, /^\[\]$/, 'no alert of this rule'],
  [
    /^\/alerts |^\/api\/v1\/(?:rules|alerts) .*alerts annotations /,
    /^Its last collection was on |Who uses its licenses, and whether they run out, is not known now/,
    'the site was collected on another day, and an alert that is pending says what that means',
  ],
];

const isUnknown = ({ where, text }: Piece): boolean =>
  /^null$|^$|^\[\]$|^[–-]$|not known|unknown|no data|not evaluated|cannot be read|refused with/i.test(text) ||
  /unknown/.test(where);

describe.runIf(peer('chromium'))('a site of which everything is known', () => {
  it('has nothing that is not known, on any page and in any answer', async () => {
    const analyzer = await startAnalyzer({ vendorLicenses: 2, featuresPerVendorLicense: 4 });
    cleanup.add(() => analyzer.stop());
    const url = await startExporter(analyzer.url);
    await waitUntilReady(url);
    const found = await walk(browser, url, { product: 'sim-lic01;sim_cadd', feature: 'sim-cad-1' });
    expect(distinct(found.filter((piece) => isUnknown(piece) && !isIn(neverKnown, piece)))).toEqual([]);
  });
});
