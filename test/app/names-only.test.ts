import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetNames } from '../../src/datasource/targets.ts';
import { startBrowser, type TestBrowser, views } from '../support/browser.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../support/harness.ts';
import { FEATURES, startNamesOnlyAnalyzer, VENDOR_LICENSES } from '../support/names-only-analyzer.ts';
import { peer } from '../support/peers.ts';

/**
 * Everything that a person sees of a site of which only names are known, and of one that knows everything. The walk
 * finds what looks like a figure or like good news in the DOM of every page that a link leads to, and in every answer. What it
 * finds must be in the tables here, with the reason; anything else fails.
 */

/** A piece of text, and where it is. */
interface Found {
  readonly where: string;
  readonly text: string;
}

/** Every visible text of a page, with the elements that it is in, and every link. */
const WALK = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.replace(/\\s+/g, ' ').trim();
    if (text === '' || node.parentElement.closest('script, style')) continue;
    const path = [];
    for (let one = node.parentElement; one !== document.body; one = one.parentElement) {
      path.unshift([one.tagName.toLowerCase(), ...one.classList].join('.'));
    }
    texts.push({ where: path.join(' > '), text });
  }
  return { texts, links: [...document.querySelectorAll('a[href]')].map(({ href }) => href) };
})()`;

interface Walked {
  readonly texts: readonly Found[];
  readonly links: readonly string[];
}

/** A figure, or a word that reads as good news. */
const isFigure = (text: string): boolean => /\d|\b(?:no|none|nothing|up|ok|never|permanent|enough)\b/i.test(text);
/** A class of what is drawn in a good color. */
const isGood = (where: string): boolean => /\.(?:is-)?(?:good|ok|up)\b/.test(where);
const isUnknown = (text: string): boolean => /not known|unknown|no data|not evaluated|cannot be read/i.test(text);

/** What may be there, by where it is. The first part of a place is the path of its page. */
type Allowed = readonly (readonly [where: RegExp, text: RegExp, reason: string])[];

const isAllowed = ({ where, text }: Found, allowed: Allowed): boolean =>
  allowed.some(([place, words]) => place.test(where) && words.test(text));

/** The leaves of a JSON value, by the names on the way. */
function leavesOf(value: unknown, where: string): readonly Found[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, where));
  if (typeof value !== 'object') return [{ where, text: String(value) }];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, `${where} ${key}`));
}

/** The cells of a table in CSV, by the names of their columns. */
function cellsOf(csv: string, where: string): readonly Found[] {
  const rows = csv
    .trim()
    .split(/\r?\n/)
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell));
  const [header = [], ...records] = rows;
  return records.flatMap((cells) => cells.map((text, column) => ({ where: `${where} ${header[column]}`, text })));
}

/** The pieces of an answer that is no page. */
function piecesOf(body: string, type: string, where: string): readonly Found[] {
  if (type.startsWith('application/json')) return leavesOf(JSON.parse(body), where);
  if (type.startsWith('text/csv')) return cellsOf(body, where);
  const lines = body.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  if (type.startsWith('text/calendar')) {
    return lines.map((line) => ({ where: `${where} ${line.split(/[:;]/)[0]}`, text: line }));
  }
  // a figure of a sample is its value
  return lines.map((line) => ({
    where: `${where} ${line.split(/[{ ]/)[0]}`,
    text: line.slice(line.lastIndexOf(' ') + 1),
  }));
}

const cleanup = createCleanup();
let browser: TestBrowser;
beforeAll(async () => {
  if (!peer('chromium')) return;
  browser = await startBrowser();
  cleanup.add(() => browser.close());
});
afterAll(() => cleanup.run());

/** Walks through everything that the daemon serves, from its first page on. */
async function walk(url: string, places: readonly string[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  const rows = targetNames.flatMap((name) => places.map((place) => `/grafana/rows/${name}?${place}`));
  const queue = ['/', '/api/v1/alerts', '/api/v1/rules', '/api/v1/rightsizing', ...rows];
  const seen = new Set(queue);
  for (const path of queue) {
    const response = await fetch(url + path);
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/html')) {
      // a refusal names what is missing, and shows no figure
      if (response.ok) found.push(...piecesOf(await response.text(), type, path));
      continue;
    }
    const { page } = await browser.open(url + path, views.desktop);
    const { texts, links } = await page.evaluate<Walked>(WALK);
    await page.close();
    found.push(...texts.map(({ where, text }) => ({ where: `${path} ${where}`, text })));
    for (const link of links.map((href) => new URL(href)).filter(({ origin }) => origin === url)) {
      const next = link.pathname + link.search;
      // the runbooks are the same on every site
      if (seen.has(next) || next.startsWith('/runbooks')) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return found;
}

const settings = { 'access.names': '*', 'access.prices': '*', 'rightsizing.enabled': true };

async function start(url: string) {
  const app = await startApp(createConfig(url, { ...settings, 'alerting.evaluation_interval': '250ms' }));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  await eventually('advice', async () => (await fetch(`${app.url}/api/v1/rightsizing`)).ok, 20_000);
  await eventually('an evaluation', async () => (await fetch(`${app.url}/grafana/rows/attention`)).ok);
  return app;
}

/** What may be a number, or good, where only names are known. */
const namesOnly: Allowed = [
  [
    /^\/[^ ]* (?:main|footer|header).*/,
    /^(?:license-exporter 0\.0\.0|127\.0\.0\.1:\d+)$/,
    'the program, and the analyzer',
  ],
  [/ time$/, /^(?:\d+s|[\d-]{10} [\d:]{5} UTC)$/, 'when something was polled or began'],
  [/^\/ main > p\.soft/, /^[\d-]{10} [\d:]{5} UTC/, 'when the page was made'],
  [/./, /^(?:of )?\d+ (?:vendor licenses|features)$/, 'the number of names'],
  [/./, /^The analyzer answered 503\.$/, 'why an answer is missing'],
  [/ a$/, /^Expire in 30 days$/, 'the title of a figure'],
  [/p\.unknown$/, /^.* not known of (?:4 features|any feature)\.$/, 'says that it is not known'],
  [/p\.unknown$/, /^No alert fires yet\. Without data, most alerts can neither start nor end\.$/, 'names the reason'],
  [/p\.unknown$/, /^Denials are not polled here: .*30 days/, 'names the reason'],
  [/./, /^Nothing is known to expire\.$/, 'a sentence on what is known'],
  [/span\.warn$/, /^never collected$/, 'a warning'],
  [/small$/, /^the analyzer has not reached it yet, so nothing is known about it$/, 'a warning'],
  [/^\/ main > ul\.rows\.three /, /./, 'the state of polling: its own figures, and good where the analyzer answered'],
  [/^\/alerts/, /^\d+ kinds of alerts, evaluated \d+s ago and at least every \d+s\. These have no data/, 'the engine'],
  [/^\/alerts\S* main > ul\.tiles\.alert-counts > li\.is-(?:none|pending)/, /^\d+$/, 'alerts of this engine by state'],
  [
    /^\/alerts/,
    /^(?:\d pending|pending for \d+s|No alert matches the filter\.|\d alert matches the filter\.)$/,
    'the same',
  ],
  [/^\/alerts/, /^No good answer from GetServerDown\./, 'the text of an alert that is pending'],
  [/^\/alerts.* code$/, /old01/, 'an example of a matcher'],
  [
    /^\/rightsizing/,
    /^[\d-]{10}: advice on the number of licenses of 4 features, from recorded use\.$/,
    'the number of names',
  ],
  [/^\/rightsizing/, /^there are no prices: set rightsizing\.price_file$/, 'a setting'],
  [/^\/rightsizing/, /^No advice, and why$|^4 features, by reason\.$|^No advice: /, 'says that it is not known'],
  [/^\/rightsizing.*table\.counts/, /^4$|is not known and no use is recorded\.$/, 'the number of names without advice'],
  [
    /figcaption/,
    /How many licenses were in use is not known; 30 of 30 days are not known; denials are not known\..*line: bought;/,
    'says that it is not known',
  ],
  [
    /^\/rightsizing.*section\.basis/,
    /UTC, from the days before|^4 hours a year with more in use than kept/,
    'settings',
  ],
  [/^\/feature/, /^(?:No version|Last 30 days)$|^No advice: /, 'a name, and titles'],
  [
    / (?:collected|computed|activeAt|evaluated|lastEvaluation|polled_at|DTSTAMP|DTSTART|UID)$/,
    /./,
    'when, and the name of an event',
  ],
  [
    /^\/expirations\.csv note$|^\/expirations\.ics/,
    /not all known|^(?:VERSION|PRODID|SEQUENCE|REFRESH|X-PUBLISHED|DESCRIPTION|NAME)/,
    'the frame of a calendar',
  ],
  [/^\/expirations\.ics/, /never collected/, 'says what is not known'],
  [/^\/grafana vendor_licenses$|^\/api\/v1\/rightsizing\S* total$/, /^\d$/, 'the number of names'],
  [/^\/api\/v1\/rightsizing\S* notices$/, /^4 features$/, 'the number of names'],
  [/rightsizing.* (?:days|coverage)$/, /^0$/, 'how much of the past is known'],
  [/rightsizing.* confidence$/, /^none$/, 'how much of the past is known'],
  [/rightsizing.* (?:state|reason)$/, /^no advice$|^No advice: /, 'says that it is not known'],
  [/^\/grafana\/rows\/products\S* state$/, /^never collected$/, 'a warning'],
  [/^\/grafana status$/, /^ok$/, 'whether the data source answers'],
  [/^\/api\/v1\/(?:alerts|rules)/, /./, 'the alerts of the engine, whose texts the page shows'],
  [
    /^\/metrics license_(?:exporter|upstream|poll|endpoint_state)|^\/metrics (?:process|nodejs)_/,
    /./,
    'of the exporter itself',
  ],
  [/^\/metrics license_up$/, /^0$/, 'one endpoint gives no answer'],
  [/^\/metrics license_(?:data_known|vendor_license_data_known)$/, /^[01]$/, 'says what is known'],
  [/^\/metrics license_(?:vendor_license|feature)_info$/, /^1$/, 'a name'],
  [/^\/metrics license_history_/, /./, 'of the store of this process'],
];

describe.runIf(peer('chromium'))('a site of which only names are known', () => {
  it('has no figure and no good news, on any page and in any answer', { timeout: 120_000 }, async () => {
    const app = await start(await startNamesOnlyAnalyzer(cleanup));
    const [vendorLicense] = VENDOR_LICENSES;
    const places = ['', `product=${encodeURIComponent(vendorLicense)}&feature=${FEATURES[0]}`];
    const found = await walk(app.url, places);
    // the walk has seen the pages and the answers
    for (const path of [
      '/ ',
      '/alerts ',
      '/rightsizing ',
      '/vendor-license',
      '/feature',
      '/metrics ',
      '/expirations.csv',
      '/expirations.ics',
      '/grafana/rows/features',
    ])
      expect(found.some(({ where }) => where.startsWith(path))).toBe(true);
    const figures = found.filter(({ where, text }) => isFigure(text) || isGood(where));
    expect(figures.filter((one) => !isAllowed(one, namesOnly))).toEqual([]);
  });
});

/** What even a site that knows everything cannot know yet, or does not have. */
const neverKnown: Allowed = [
  [
    /^\/ main > ul\.tiles > li\.is-unknown/,
    /^(?:Alerts|0|0 critical.*, [12] kinds? without data)$/,
    'denials are not polled, and growth needs a year',
  ],
  [
    /^\/ main > p\.unknown/,
    /^No alert fires of those that have data\..* Whether [12] other kinds? of$|^(?:alerts|appl(?:ies|y) is not known\.)$/,
    'the same',
  ],
  [
    /^\/ main > p\.unknown/,
    /^Denials are not polled here: |^(?:history\.features|and set|metrics\.collectors\.history|\.)$/,
    'a setting',
  ],
  [/^\/alerts\S* main > p\.soft$/, /^\d+ kinds of alerts, .* These have no data/, 'the same two kinds'],
  [/^\/rightsizing main > p\.unknown$/, /^How many licenses could go, /, 'advice needs weeks of use'],
  [
    /^\/feature\S* main > figure > figcaption\.soft$/,
    /; 29 of 30 days are not known; no denials\./,
    'the analyzer has begun today',
  ],
];

describe.runIf(peer('chromium'))('a site of which everything is known', () => {
  it('has nothing that is not known, on any page and in any answer', { timeout: 120_000 }, async () => {
    const analyzer = await startAnalyzer({ vendorLicenses: 2, featuresPerVendorLicense: 4 });
    cleanup.add(() => analyzer.stop());
    const app = await start(analyzer.url);
    const found = await walk(app.url, ['', 'product=sim-lic01%3Bsim_cadd&feature=sim-mesh-2']);
    expect(
      found.filter(({ where, text }) => isUnknown(`${where} ${text}`) && !isAllowed({ where, text }, neverKnown)),
    ).toEqual([]);
  });
});
