import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageHtml } from '../../../src/base/html/frame.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { createPrices, type PriceEntry } from '../../../src/base/model/prices.ts';
import { createProposalSource } from '../../../src/insight/advice/pass/proposals.ts';
import { createReport } from '../../../src/insight/advice/pass/report.ts';
import type { AdviceTable, KeptAdvice } from '../../../src/insight/advice/pass/rightsizing.ts';
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

function pageOf(table: AdviceTable, entries: readonly PriceEntry[] = [entry({})], showsPrices = true): string {
  const source = createProposalSource({
    rightsizing: rightsizingOf(table),
    prices: () => createPrices(entries),
    localTime: () => localTime,
    nextPass: () => undefined,
  });
  const proposals = source.read(undefined, showsPrices);
  const report = createReport(proposals);
  const withoutPrices = showsPrices ? undefined : 'prices are not shown: REMEDY';
  return pageHtml(
    testSite,
    { title: 'Right-sizing' },
    reportContent(table, report, { withoutPrices, ownerOf: () => undefined }),
  );
}

/** The text of a page, or of one of its sections. */
function textOf(page: string, title?: string): string {
  const part =
    title === undefined ? page : (page.split(/<h2[^>]*>/).find((section) => section.startsWith(`${title}<`)) ?? '');
  return part.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
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
      'Licenses 17 16 15 14 13 Short, h a year 1 4 13 329 645 Saves, EUR 3,000 4,000 5,000 6,000 7,000',
    );
  });

  it('orders what could go by the month of the notice, then by money', () => {
    const names = ['b', 'c', 'a', 'e', 'd'];
    const renewals = [TODAY + 150, TODAY + 150, TODAY + 40, undefined, TODAY + 40];
    const entries = names.map((feature, i) => entry({ feature, price: i + 1, renewal: renewals[i] }));
    const page = pageOf(of(...names.map((feature) => adviceOf({ feature }))), entries);
    const shown = [...page.matchAll(/<strong><bdi>(\w)<\/bdi>|<h3>(.*?)</g)].map(
      ([, name, title]) => name ?? title?.trim(),
    );
    expect(shown).toEqual(['Notice in 2026-09', 'd', 'a', 'Notice in 2027-01', 'c', 'b', 'Renewal not known', 'e']);
  });

  it('says what would have come of earlier advice, in all and for each feature', () => {
    expect(textOf(pageOf(of(adviceOf())))).toContain('What would have come of the advice of a year ago is not known');
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
      /On 20\d\d-\d\d-\d\d, 4 could go: 16 would have been too few on 8 of 365 days since then\./,
    );
    expect(textOf(page, 'Could go')).toContain('16 would have been enough on all 365 days since then.');
    // less than a year is known after it
    expect(page.match(/<th scope="row">20/g)).toHaveLength(1);
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
    expect(textOf(page, 'Could go')).toContain('No feature has licenses that could go with high confidence');
    expect(textOf(page, 'Could go, provisional')).toMatch(/in no total\. p .*4 of 20, keep 16/);
    expect(textOf(page, 'Missing')).toMatch(/3 to buy: 23 \(22 to 24\) costs EUR 3,000 .*MISSING/);
    expect(textOf(page, 'Missing')).toMatch(/more than 20, number not known .*FULL/);
    expect(textOf(page, 'Refused because of reservations')).toContain('RESERVED');
    expect(textOf(page, 'Runs out')).toMatch(/busy week 17.2 of 20, 1.5 more a month about 2027-02 2027-01 to open/);
    expect(textOf(page, 'Unused, to be confirmed')).toMatch(
      /ask before you cancel.* in no total\. u .*20 licenses .*no use seen since 2026-01-22/,
    );
    expect(textOf(page)).toContain('0 licenses of 0 features could go ; 1 provisional in no total');
    expect(textOf(page)).toMatch(/1 feature run out within 120 days \(of [\d,]+ with advice\)/);
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
      refusalDays: 0.9,
    });
    const grown = adviceOf({
      feature: 'm',
      state: 'fine',
      count: undefined,
      bought: 12,
      fullHours: undefined,
      refusalDays: undefined,
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
      'd lic01;cadd : 4 dropped after the advice of 2026-06 (24 → 20). Since then: all in use 3.2 h a year, refusals on 1 day a year.',
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
      '50 of 4,000, by saving and number of licenses. All of them are in the CSV file.',
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

describe.runIf(peer('chromium'))('the report in a browser', () => {
  const cleanup = createCleanup();
  afterAll(() => cleanup.run());
  let browser: TestBrowser;
  let url = '';
  beforeAll(async () => {
    browser = await startBrowser();
    cleanup.add(() => browser.close());
    const long = adviceOf({ feature: 'x'.repeat(400), vendorLicense: 'y'.repeat(400), reason: 'z'.repeat(400) });
    const page = pageOf(adviceTable([long, ...manyAdvices(60)]), [entry({ price: 98_765 })]);
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
