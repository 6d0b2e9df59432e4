import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageHtml } from '../../../src/base/html/frame.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createPrices, type PriceEntry } from '../../../src/base/model/prices.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { createProposalSource } from '../../../src/insight/advice/pass/proposals.ts';
import { createReport } from '../../../src/insight/advice/pass/report.ts';
import type { AdviceTable, KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
import type { ReportFrame } from '../../../src/site/pages/rightsizing/items.ts';
import { reportContent } from '../../../src/site/pages/rightsizing/route.ts';
import { sendPage } from '../../../src/site/web/page-answers.ts';
import { adviceOf, adviceTable, manyAdvices, pastOf, rightsizingOf, TODAY } from '../../support/advice-table.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser, views } from '../../support/browser.ts';
import { createCleanup } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { servePage, testSite } from '../../support/served-page.ts';

const localTime = createLocalTime('Europe/Berlin');

const entry = (fields: Partial<PriceEntry>): PriceEntry => ({
  vendorLicense: '%',
  feature: '%',
  package: '%',
  price: 1000,
  currency: 'EUR',
  per: 'year',
  renewal: TODAY + 103,
  noticeDays: 90,
  note: '',
  ...fields,
});

function pageOf(
  table: AdviceTable,
  entries: readonly PriceEntry[] = [entry({})],
  showsPrices = true,
  frame: Partial<ReportFrame> = {},
  inventory?: Inventory,
): string {
  const source = createProposalSource({
    rightsizing: rightsizingOf(table),
    prices: () => createPrices(entries),
    localTime: () => localTime,
    nextPass: () => undefined,
  });
  const proposals = source.read(inventory, showsPrices);
  const report = createReport(proposals);
  const withoutPrices = showsPrices ? undefined : 'prices are not shown: REMEDY';
  return pageHtml(
    testSite,
    { title: 'Right-sizing' },
    reportContent(table, report, {
      withoutPrices,
      ownerOf: () => undefined,
      url: 'https://lic.example.com/rightsizing',
      user: undefined,
      ...frame,
    }),
  );
}

/** The text of a page, or of one of its sections. */
function textOf(page: string, title?: string): string {
  const part =
    title === undefined ? page : (page.split(/<h2[^>]*>/).find((section) => section.startsWith(`${title}<`)) ?? '');
  return part
    .replace(/<\/?time[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

const of = (...rows: readonly KeptAdvice[]): AdviceTable => adviceTable(rows);

describe('the report', () => {
  it('says what could go with its saving, its renewal and the steps', () => {
    const text = textOf(pageOf(of(adviceOf())), 'Could go');
    expect(text).toContain('Notice in 2026-12 4 licenses, EUR 4,000 a year');
    expect(text).toContain('notice by 2026-12-01');
    expect(text).toContain('lic01;cadd 1 feature 4 licenses, EUR 4,000 a year');
    expect(text).toContain('16 were enough but for 4 h a year');
    expect(text).toContain('4 of 20, keep 16 EUR 4,000 a year notice by 2026-12-01');
    expect(text).toContain(
      'Licenses 17 16 kept 15 14 13 Short, h a year 1 4 13 329 645 Saves, EUR 3,000 4,000 – – – Fewer than 16 are not advised: 15 would have been too few for 13 h a year; 4 h are tolerated.',
    );
  });

  it('says why fewer are not advised that were enough, in a table with the number that is kept', () => {
    const more = adviceOf({ bought: 40, count: 15, enough: 25 });
    for (const confidence of ['high', 'provisional'] as const) {
      const text = textOf(pageOf(of({ ...more, confidence })));
      expect(text).toContain(
        'Licenses 26 25 kept 16 15 14 Short, h a year 0 0 4 13 329 Saves, EUR 14,000 15,000 – – – Fewer than 25 are not advised: 16 were enough in the last year, but for 4 h; 25 are kept, because the coming year may need more.',
      );
    }
  });

  it('orders what could go by the month of the notice, then by money', () => {
    const names = ['b', 'c', 'a', 'e', 'd'];
    const renewals = [TODAY + 150, TODAY + 150, TODAY + 100, undefined, TODAY + 100];
    const entries = names.map((feature, i) => entry({ feature, price: i + 1, renewal: renewals[i] }));
    const page = pageOf(of(...names.map((feature) => adviceOf({ feature }))), entries);
    const shown = [...page.matchAll(/<strong><bdi>(\w)<\/bdi>|<h3 class="screen">(.*?)</g)].map(
      ([, name, title]) => name ?? title?.trim(),
    );
    expect(shown).toEqual(['Notice in 2026-11', 'd', 'a', 'Notice in 2027-01', 'c', 'b', 'Renewal not known', 'e']);
  });

  it('takes no renewal for a notice', () => {
    const entries = [
      entry({ feature: 'a', renewal: TODAY + 150 }),
      entry({ feature: 'b', renewal: TODAY + 60, noticeDays: undefined }),
      entry({ feature: 'c', renewal: TODAY + 60, noticeDays: 0 }),
    ];
    const page = pageOf(of(...['a', 'b', 'c'].map((feature) => adviceOf({ feature }))), entries);
    const text = textOf(page, 'Could go');
    expect(text).toMatch(
      /Notice in 2027-01 8 licenses, EUR 8,000 a year .*c .*notice by 2027-01-17 .*Renewal in 2027-01, notice not known 4 licenses, EUR 4,000 a year .*b .*renewal 2027-01-17 /,
    );
    expect(text.match(/not known/g)).toHaveLength(2);
  });

  const permanent = (feature: string) =>
    ({
      ...{ vendorLicense: 'lic01;cadd', feature, version: '1', package: '', featureType: 'feature' },
      ...{ inactiveUse: 0, borrowedUse: 0, expiration: Number.POSITIVE_INFINITY },
    }) as FeatureRow;

  it('has permanent licenses and passed notices in no saving, and names them', () => {
    const entries = [
      entry({ feature: 'a' }),
      entry({ feature: 'p', renewal: undefined }),
      entry({ feature: 'o', per: 'once', renewal: undefined }),
      entry({ feature: 'l', renewal: TODAY + 43 }),
      entry({ feature: 'm', renewal: TODAY + 43, noticeDays: 50 }),
      entry({ feature: 'z', renewal: undefined, noticeDays: undefined }),
    ];
    const rows = ['a', 'p', 'o', 'l', 'm', 'z'].map((feature) => adviceOf({ feature }));
    const inventory = {
      at: TODAY * 86_400,
      features: [permanent('p'), { ...permanent('z'), expiration: (TODAY - 3) * 86_400 }],
    } as unknown as Inventory;
    const page = pageOf(of(...rows), entries, true, {}, inventory);
    const tiles = textOf(page.slice(0, page.indexOf('<h2>')));
    expect(tiles).toContain(
      '4 licenses of 1 feature could go at a renewal EUR 4,000 a year could be saved (with a price: 1 of 1 feature)',
    );
    expect(tiles).toContain(
      '8 licenses could go, but are permanent: that saves only maintenance (EUR 4,000 a year with a price: 1 of 2 features)',
    );
    expect(tiles).toContain(
      '12 licenses could go, but notice has passed (EUR 12,000 a year with a price: 3 of 3 features)',
    );
    expect(textOf(page, 'Could go')).toMatch(
      /^Could go .* a .*By vendor license lic01;cadd 1 feature 4 licenses, EUR 4,000 a year/,
    );
    const apart = textOf(page, 'Permanent licenses that could go');
    expect(apart).toMatch(/Dropping them saves only maintenance 8 licenses, EUR 4,000 a year p .* o /);
    expect(apart).toContain('The licenses are permanent: dropping them saves only their maintenance.');
    expect(apart).not.toContain('Saves');
    const late = textOf(page, 'Notice passed');
    expect(late).toMatch(
      /Too late for the renewal of 2026-12-31 8 licenses, EUR 8,000 a year l .*notice by 2026-10-02, passed .* m .*notice by 2026-11-11, passed .*The renewal of 2026-11-15 is over, and no later one is known 4 licenses, EUR 4,000 a year z /,
    );
    expect(late).toContain('It is too late for the renewal of 2026-12-31: notice had to be given by 2026-10-02.');
    // without them, nothing is said of them
    const usual = textOf(pageOf(of(adviceOf())));
    expect(usual).not.toMatch(/ermanent|passed|too late/i);
  });

  it('prints the lines that cost most, and the sum of each date', () => {
    const features = Array.from({ length: 40 }, (_, i) => `f${i}`);
    const entries = features.map((feature, i) =>
      entry({ feature, price: 1000 + i, renewal: TODAY + 100 + 7 * i, noticeDays: 0 }),
    );
    const page = pageOf(of(...features.map((feature) => adviceOf({ feature }))), entries);
    const section = page.slice(page.indexOf('<h2>Could go'), page.indexOf('By vendor license'));
    const printed = [...section.matchAll(/<li>.*?<bdi>(\w+)<\/bdi>/g)].map(([, name]) => name);
    expect(printed.length).toBeGreaterThan(10);
    expect(new Set(printed)).toEqual(new Set(features.slice(-printed.length)));
    expect(textOf(section)).toContain(`Could go ${printed.length} of 40, the others on the page`);
    expect(textOf(section)).toContain('Notice in 2027-02: 4 licenses, EUR 4,000 a year; Notice in 2027-03: ');
    expect(textOf(section)).toMatch(/Notice in 2027-07: [^;]*; and 4 later dates\. /);
  });

  it('names on paper whom and what a reader cannot open', () => {
    const silent = { count: undefined, reason: '-' };
    const rows = [
      adviceOf({ feature: 'a' }),
      adviceOf({ feature: 'b', vendorLicense: 'lic02;cadd' }),
      adviceOf({ feature: 'c', vendorLicense: 'lic03;cadd' }),
      ...Array.from({ length: 12 }, (_, i) =>
        adviceOf({
          feature: `p${i}`,
          confidence: 'provisional',
          count: 12 - i,
          uncertainties: [i < 2 ? 'use may grow' : 'use rose'],
          reason: `12 could go. This is provisional, because ${i < 2 ? 'use may grow' : 'use rose'}. No request was refused.`,
        }),
      ),
      adviceOf({ feature: 't', state: 'tight', busyWeek: 17, ...silent }),
      adviceOf({ feature: 's', state: 'tight', busyWeek: 19, ...silent }),
      adviceOf({ feature: 'u', state: 'unused', ...silent }),
    ];
    const owners: Readonly<Record<string, string>> = { 'lic01;cadd': 'ada', 'lic02;cadd': 'ben' };
    const text = textOf(
      pageOf(of(...rows), [entry({})], true, { ownerOf: (vendorLicense) => owners[vendorLicense], user: 'grace' }),
    );
    expect(text).toContain(
      'Not certain yet, in no total: p0 (12), p1 (11), because use may grow; p2 (10), p3 (9), p4 (8), p5 (7), p6 (6), p7 (5), because use rose; and 4 more.',
    );
    expect(text).toContain('With little room, none to give back: s , t .');
    expect(text).toContain('Unused, to be confirmed: u (EUR 20,000 a year).');
    expect(text).toContain('Whom to ask ada (1 feature), ben (1 feature); 1 feature without an owner');
    expect(text).toContain('https://lic.example.com/rightsizing. Printed for grace');
    expect(text).toContain(
      'If it is wrong Requests are refused. What is kept is meant to leave refusals on at most 12 days of the coming year, with a chance of 9 in 10.',
    );
    expect(textOf(pageOf(of(...rows)))).toContain('Whom to ask no owner is named: set owners');
  });

  it('says what would have come of earlier advice, in all and for each feature', () => {
    const untried = textOf(pageOf(of(adviceOf())));
    // what is not known is no headline
    expect(untried).toMatch(
      /Could go .*Tried on the past What would have come of the advice of a year ago is not known/,
    );
    expect(untried.match(/advice of a year ago is not known/g)).toHaveLength(1);
    const origin = TODAY - 370;
    const rows = Array.from({ length: 24 }, (_, i) =>
      adviceOf({
        feature: `f${i}`,
        applied: { origin, count: 4, kept: 16, days: 365, shortDays: i < 2 ? 7 * i + 1 : 0 },
      }),
    );
    const result = { features: 20, shortFeatures: 1, shortDays: 3, longShortFeatures: 0 };
    const page = pageOf({
      ...of(...rows),
      backTest: [
        { origin, ...result },
        { origin: TODAY - 20, ...result },
      ],
    });
    expect(textOf(page)).toContain(
      'this advice would have been short on 2 of 24 features, on 9 days in all; on 0 of them on more than 12 days.',
    );
    expect(textOf(page, 'Could go')).toMatch(
      /On 20\d\d-\d\d-\d\d, 4 could go: 16 would have been too few on 8 of 365 days after that\./,
    );
    expect(textOf(page, 'Could go')).toContain('16 would have been enough on all 365 days after that.');
    // less than a year is known after it
    expect(page.match(/<th scope="row"><time datetime="20/g)).toHaveLength(1);
  });

  it('has the other sections', () => {
    const page = pageOf(
      of(
        adviceOf({ feature: 'p', confidence: 'provisional' }),
        adviceOf({ feature: 'm', state: 'missing', count: 3, countRange: [2, 4], reason: 'MISSING' }),
        adviceOf({ feature: 'n', state: 'missing', count: undefined, reason: 'FULL' }),
        adviceOf({ feature: 'r', state: 'reserved', count: undefined, reason: 'RESERVED' }),
        adviceOf({
          feature: 'g',
          state: 'tight',
          count: undefined,
          growth: { kind: 'proven', perMonth: 1.46, share: 0.08, since: undefined },
          busyWeek: 17.2,
          runsOut: { day: TODAY + 80, earliest: TODAY + 50, latest: undefined },
        }),
        adviceOf({ feature: 'u', state: 'unused', count: undefined, reason: 'no use seen since 2026-01-22' }),
      ),
    );
    expect(textOf(page, 'Could go')).toContain(
      'No feature has licenses that could go at a renewal with high confidence',
    );
    expect(textOf(page, 'Could go, provisional')).toMatch(/in no total\. p .*4 of 20, keep 16/);
    expect(textOf(page, 'Missing')).toMatch(/buy 3 : about 23 \(22 to 24\) costs EUR 3,000 .*MISSING/);
    expect(textOf(page, 'Missing')).toMatch(/more than 20, number not known .*FULL/);
    expect(textOf(page, 'Refused because of reservations')).toContain('RESERVED');
    expect(textOf(page, 'Runs out')).toMatch(/busy week 17.2 of 20, \+1.5 a month about 2027-02 2027-01 to open/);
    expect(textOf(page, 'Unused, to be confirmed')).toMatch(
      /ask before you cancel.* in no total\. u .*20 licenses .*no use seen since 2026-01-22/,
    );
    expect(textOf(page)).toContain('No license could go at a renewal for certain');
    expect(textOf(page)).toContain(
      '1 more feature may have licenses to spare, but that is not certain yet: it is in no total.',
    );
    expect(textOf(page)).toMatch(/1 feature runs out of licenses within 120 days \(of [\d,]+ with advice\)/);
  });

  it('groups the features without advice by reason, with a number of each', () => {
    const silent = (state: KeptAdvice['state'], reason: string) => adviceOf({ state, reason, count: undefined });
    const rows = [
      silent('not enough data', 'only 5 of 13 weeks have data'),
      silent('no advice', 'No advice: is a component of a package'),
      silent('not enough data', 'only 11 of 13 weeks have data'),
      silent('not enough data', 'only 12 of 13 weeks have data'),
      silent('no advice', 'No advice: is a component of a package'),
    ];
    expect(textOf(pageOf(of(...rows)), 'Not covered')).toContain(
      '5 features without advice, by reason, with what their licenses cost a year. 3 EUR 60,000 only 5 of 13 weeks have data (for example) 2 EUR 40,000 is a component of a package',
    );
  });

  it('says when there will be advice on features of which too little is recorded', () => {
    const waits = (enoughFrom: number | undefined) =>
      adviceOf({ state: 'not enough data', reason: 'Not enough data: 5 of 13 weeks are recorded.', enoughFrom });
    const rows = [waits(TODAY + 40), adviceOf(), waits(undefined), waits(TODAY + 3), waits(TODAY + 40)];
    expect(textOf(pageOf(of(...rows)), 'Not enough data until')).toMatch(
      /^Not enough data until 1 feature: from 2026-11-21 on, if every day is recorded 2 features: from 2026-12-28 on, if every day is recorded 1 feature: not known when /,
    );
  });

  it('has the peaks of the weeks as a picture', () => {
    const weeklyPeaks = Array.from({ length: 52 }, (_, i) => (i < 5 ? null : 10 + (i % 4)));
    const page = pageOf(of(adviceOf({ weeklyPeaks }), adviceOf({ weeklyPeaks: [] })));
    expect(page.match(/<svg/g)).toHaveLength(1);
    expect(page).toContain('aria-label="Peaks of 47 weeks: at most 13 of 20 in use"');
  });

  it('looks back on advice that was followed', () => {
    const now = adviceOf({
      feature: 'd',
      state: 'fine',
      count: undefined,
      bought: 20,
      fullHours: 3.2,
      refusalDays: 30,
      refusalsNow: { days: 1, recordedDays: 160 },
    });
    const grown = adviceOf({
      feature: 'm',
      state: 'fine',
      count: undefined,
      bought: 12,
      fullHours: undefined,
      refusalsNow: undefined,
    });
    const kept = adviceOf({ feature: 'k', state: 'fine', count: undefined });
    const text = textOf(
      pageOf(
        of(
          {
            ...now,
            past: [
              pastOf(now, { month: '2026-10', bought: 20, state: 'fine' }),
              pastOf(now, { month: '2026-06', bought: 24 }),
            ],
          },
          { ...grown, past: [pastOf(grown, { month: '2026-05', state: 'missing', bought: 10 })] },
          { ...kept, past: [pastOf(kept, { bought: 20 }), pastOf(kept, { bought: 18 })] },
        ),
      ),
    );
    expect(text).toContain(
      'd lic01;cadd : 4 dropped after the advice of 2026-06 (24 → 20). Since then: all in use 3.2 h a year, refusals on 1 of 160 days.',
    );
    expect(text).toContain(
      'm lic01;cadd : 2 added after the advice of 2026-05 (10 → 12). Since then: hours with all in use not known, refusals not known.',
    );
    expect(text).not.toContain(' k ');
  });

  it('has no price for those who may not see them, and says why', () => {
    const table = of(adviceOf(), adviceOf({ state: 'missing', count: 2 }));
    expect(pageOf(table)).toMatch(/EUR/);
    const page = pageOf(table, [entry({})], false);
    expect(page).not.toMatch(/EUR|4,000|Saves|saves/);
    expect(textOf(page)).toContain('prices are not shown: REMEDY');
    expect(textOf(page)).toContain('4 of 20, keep 16 notice by 2026-12-01');
  });

  it('is bounded, and says how many there are', () => {
    const page = pageOf(adviceTable(manyAdvices(20_000), { leftOut: 7 }));
    expect(page.length).toBeLessThan(400_000);
    expect(textOf(page, 'Could go')).toContain(
      '50 of 4,000, by what they cost and number of licenses. All of them are in the CSV file.',
    );
    expect(textOf(page)).toContain('7 features, because of rightsizing.max_features');
  });

  it('has no script, and names change nothing around them', () => {
    const hostile = '</bdi><script>alert(1)</script>\u202e"\'&\n<img src=x onerror=alert(2)>';
    const states = ['could go', 'missing', 'reserved', 'unused', 'no advice'] as const;
    const rows = states.map((state) =>
      adviceOf({
        feature: hostile,
        vendorLicense: hostile,
        package: hostile,
        reason: hostile,
        state,
        past: [pastOf(adviceOf(), { month: '<b>', bought: 30 })],
      }),
    );
    const page = pageOf(of(...rows));
    expect(page).not.toMatch(/<script|<img|\u202e|<b>"|&quot;\n/);
    expect(page.match(/<bdi>/g)?.length).toBe(page.match(/<\/bdi>/g)?.length);
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toMatch(/<[^>]* (on\w+|src)=|href="http/);
  });
});

/** A report with as much of everything as paper has to hold, with long names. */
function full(): KeptAdvice[] {
  const name = (kind: string, i: number) => ({ feature: `${kind}${i}-${'w'.repeat(30)}` });
  const runsOut = { day: TODAY + 80, earliest: TODAY + 50, latest: TODAY + 200 };
  const silent = { count: undefined, reason: '-' };
  return Array.from({ length: 12 }, (_, i) => [
    ...['usd', 'chf', 'eur', 'once', 'late'].map((kind) => adviceOf(name(kind, i))),
    adviceOf({ ...name('p', i), confidence: 'provisional', uncertainties: ['use may rise'] }),
    adviceOf({ ...name('m', i), state: 'missing', count: 3 }),
    adviceOf({ ...name('g', i), state: 'tight', runsOut, ...silent }),
    adviceOf({ ...name('u', i), state: 'unused', ...silent }),
    adviceOf({ ...name('n', i), state: 'no advice', ...silent, reason: `No advice: ${'because '.repeat(i + 1)}.` }),
  ]).flat();
}

const renewals = [
  ...Array.from({ length: 12 }, (_, i) =>
    entry({ feature: `usd${i}-%`, currency: 'USD', renewal: TODAY + 120 + 31 * i }),
  ),
  entry({ feature: 'chf%', currency: 'CHF', noticeDays: undefined }),
  entry({ feature: 'once%', per: 'once', renewal: undefined }),
  entry({ feature: 'late%', renewal: TODAY + 20 }),
];

describe.runIf(peer('chromium'))('the report in a browser', () => {
  const cleanup = createCleanup();
  afterAll(() => cleanup.run());
  let browser: TestBrowser;
  let url = '';
  beforeAll(async () => {
    browser = await startBrowser();
    cleanup.add(() => browser.close());
    const long = adviceOf({ feature: 'x'.repeat(400), vendorLicense: 'y'.repeat(400), reason: 'z'.repeat(400) });
    const page = pageOf(
      adviceTable([long, ...full(), ...manyAdvices(60)]),
      [...renewals, entry({ price: 98_765 })],
      true,
      { ownerOf: (_, feature) => `team-of-${feature.length % 9}`, user: 'grace' },
    );
    url = await servePage(cleanup, '/rightsizing', { '/': async (_, reply) => sendPage(reply, page) });
  });

  it.each(Object.entries(drawnViews))('is flawless: %s', async (_, view) => {
    expect(await browser.look(`${url}/rightsizing`, view)).toMatchObject(flawless);
  });

  it('is printed on A4 without navigation, and no row is cut', async () => {
    const { page } = await browser.open(`${url}/rightsizing`, views.dark);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('header, .skip, .screen').filter({ visible: true }).count()).toBe(0);
    const style = (selector: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    expect(await style('.advice > li', 'breakInside')).toBe('avoid');
    expect(await style('.advice summary', 'display')).toBe('grid');
    expect(await style('body', 'backgroundColor')).toBe('rgb(255, 255, 255)');
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const [, width, height] = /MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? [];
    expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
    // however many features there are, one page has what a purchaser needs
    expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
    await page.close();
  });

  it('has lines that open, and fits a phone', async () => {
    const { page } = await browser.open(`${url}/rightsizing`, views.phone);
    const line = page.locator('.advice details').nth(1);
    const sentence = line.locator('p').first();
    expect(await sentence.isVisible()).toBe(false);
    await line.locator('summary').click();
    expect(await sentence.isVisible()).toBe(true);
    expect(await line.locator('a').getAttribute('href')).toContain('feature?vendor_license=');
    await page.close();
  });
});
