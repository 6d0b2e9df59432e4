import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { pageHtml } from '../../../src/base/html/frame.ts';
import type { PriceEntry } from '../../../src/base/model/prices.ts';
import { unknown } from '../../../src/base/model/unknown.ts';
import type { FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import { type ContractOptions, readContracts } from '../../../src/insight/contracts/contract-calendar.ts';
import type { ContractData } from '../../../src/site/pages/contracts/data.ts';
import { contractsContent } from '../../../src/site/pages/contracts/route.ts';
import { sendPage } from '../../../src/site/web/page-answers.ts';
import { adviceOf, adviceTable, TODAY } from '../../support/advice-table.ts';
import { drawnViews, flawless, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { contractInventory, contractOptions, contractRow, endOf, NOON } from '../../support/contract-rows.ts';
import { startFaulty, status } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startApp, WORKDAY } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { priceEntry } from '../../support/price-entry.ts';
import { servePage, testSite, textOf } from '../../support/served-page.ts';

/** `/contracts`, and `/api/v1/contracts` in its three formats. */

const NEVER = Number.POSITIVE_INFINITY;

interface Shown extends Partial<Omit<ContractData, 'contracts'>> {
  readonly options?: Partial<ContractOptions>;
}

async function pageOf(rows: readonly FeatureRow[], entries: readonly PriceEntry[] = [], more: Shown = {}) {
  const { options = {}, ...data } = more;
  const contracts = await readContracts(contractInventory(rows), contractOptions(entries, options));
  const asked = { owner: [], months: 18 };
  const parts = { contracts, asked, unknown: [], withoutPrices: undefined, withoutAdvice: undefined, ...data };
  const { content, prices } = await contractsContent(parts, ['cad']);
  const page = pageHtml(testSite, { title: 'Contracts' }, content);
  return { page, text: textOf(page), prices };
}

describe('the page', () => {
  it('says by when to act, on what, worth how much, and whose it is', async () => {
    const advice = adviceTable([adviceOf({ count: 4 })]);
    const entry = priceEntry({ price: 3100, renewal: TODAY + 90, noticeDays: 60 });
    const { page, text, prices } = await pageOf([contractRow()], [entry], { options: { advice } });
    expect(text).toContain(
      '2026-12 1 feature, EUR 62,000 a year notice until 2026-12-18 in 30 days solver version 1 · 20 licenses lic01;cadd · owner cad renewal 2027-02-16 expires 2027-02-26 EUR 62,000 a year 4 of 20 could go',
    );
    expect(text).toContain('2026-12-18 the next day to act');
    expect(text).toContain('EUR 62,000 a year to decide about in 18 months: 1 of 1 feature');
    expect(page).toContain('href="feature?vendor_license=lic01%3Bcadd&amp;feature=solver"');
    expect(page).toContain('<a href="rightsizing">4 of 20 could go</a>');
    expect(text).not.toContain('Not known');
    // the feature, and the sums of its month and of all
    expect(prices).toBe(3);
  });

  it('says of how many features a sum is, in each currency', async () => {
    const rows = ['a', 'b', 'c', 'd'].map((feature) => contractRow({ feature }));
    const entries = [
      priceEntry({ feature: 'a', currency: 'USD' }),
      priceEntry({ feature: 'd' }),
      priceEntry({ feature: 'b' }),
    ];
    const { text } = await pageOf(rows, entries);
    expect(text).toContain(
      'EUR 4,000 a year to decide about in 18 months: 2 of 4 features USD 2,000 a year to decide about in 18 months: 1 of 4 features',
    );
    expect(text).toContain('4 features, EUR 4,000 a year, USD 2,000 a year (the value of 3)');
  });

  it('names what has passed before the months', async () => {
    const rows = [
      contractRow({ feature: 'due' }),
      contractRow({ feature: 'gone', expiration: endOf(-3) }),
      contractRow({ feature: 'late' }),
      contractRow({ feature: 'old' }),
    ];
    const entries = [
      priceEntry({ feature: 'late', noticeDays: 101 }),
      priceEntry({ feature: 'old', renewal: TODAY - 7, noticeDays: 1 }),
    ];
    const { page, text } = await pageOf(rows, entries);
    const titles = [...page.matchAll(/<h2 id="[^"]*">([^<]*?) ?</g)].map(([, title]) => title);
    expect(titles).toEqual(['Not known', 'Expired', 'Renewal passed', 'Notice passed', '2027-02']);
    expect(text).toContain('expired 2026-11-15 3 days ago gone');
    expect(text).toContain('renewal 2026-11-11 7 days ago old');
    expect(text).toContain('notice until 2026-11-17 1 day ago late');
    expect(text).toContain('expires 2027-02-26 in 100 days due');
  });

  it('lists the features of one block, with what each is worth', async () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((feature) => contractRow({ feature }));
    const { page, text } = await pageOf(rows, [
      priceEntry({ feature: 'a' }),
      priceEntry({ feature: 'b', per: 'once' }),
    ]);
    expect(page.match(/<details>/g)).toHaveLength(1);
    expect(text).toContain('5 features : a , b , c , d , …');
    expect(text).toContain('a version 1 · 20 licenses · EUR 2,000 a year b version 1 · 20 licenses · bought once');
    expect(text).toContain('notice not known EUR 2,000 a year 3 without a price 1 bought once');
    expect(text).toContain('5 features, EUR 2,000 a year (the value of 1)');
  });

  it('says that advice is about all versions together', async () => {
    const advice = adviceTable([
      adviceOf({ bought: 32, count: 9 }),
      adviceOf({ feature: 'b', state: 'missing', count: 3 }),
    ]);
    const rows = [contractRow(), contractRow({ version: '2', maxAvailable: 12 }), contractRow({ feature: 'b' })];
    const { text } = await pageOf(rows, [], { options: { advice, showsPrices: false } });
    expect(text).toContain('solver version 1 · 20 licenses · 9 of 32 could go in all versions');
    expect(text).toContain('b version 1 · 20 licenses · 3 missing lic01');
    expect(text).toContain('advice on 3 features');
  });

  it('names what is not known, with the remedy', async () => {
    const rows = [
      contractRow({ vendorLicense: 'lic02;x' }),
      contractRow({ feature: 'b', maxAvailable: unknown }),
      contractRow({ feature: 'c', expiration: unknown }),
    ];
    const { text } = await pageOf(rows, [priceEntry({ feature: 'b' })], {
      unknown: [{ vendorLicense: 'lic03;y', reason: 'timed out' }],
    });
    expect(text).toContain('Expiries of 1 vendor license are not all known. lic03;y : timed out');
    expect(text).toContain('1 of 2 has no price: add it to rightsizing.price_file');
    expect(text).toContain('1 of 2 has a price, but no number of licenses: the value is not known');
    expect(text).toContain('2 of 2 have no known notice: add notice_days in rightsizing.price_file');
    expect(text).toContain('1 of 2 has no owner: add it to owners or owners_file');
    expect(text).toContain('1 more feature has no known renewal and is not listed');
    expect(text).toContain('number of licenses not known');
    expect(text).not.toContain('EUR');
  });

  it('has no 0 where nothing is known, and says how many more are not known', async () => {
    const undated = contractRow({ feature: 'b', expiration: unknown });
    expect((await pageOf([undated])).text).toContain('not known to act on in 18 months');
    expect((await pageOf([])).text).toContain('0 features to act on in 18 months');
    const unreported = { unknown: [{ vendorLicense: 'lic03;y', reason: 'timed out' }] };
    expect((await pageOf([], [], unreported)).text).not.toContain('0 features');
    expect((await pageOf([contractRow(), undated])).text).toContain(
      '1 feature to act on in 18 months; 1 more not known',
    );
  });

  it('counts what never ends, and what ends later', async () => {
    const rows = [
      contractRow({ feature: 'a', expiration: NEVER }),
      contractRow({ feature: 'b', expiration: NEVER }),
      contractRow({ feature: 'c', expiration: endOf(900) }),
    ];
    const { text } = await pageOf(rows, [priceEntry({ feature: 'a' })]);
    expect(text).toContain('Nothing is known to be renewed or to expire until 2028-05-18.');
    expect(text).toContain('2 features never expire; 1 of them costs EUR 2,000 a year.');
    expect(text).toContain('1 feature is renewed or expires from 2028-05-18 on.');
  });

  it('has no price and no gap of prices for those who may not see them, and says why', async () => {
    const { text, prices } = await pageOf([contractRow()], [priceEntry({ feature: 'no' })], {
      options: { showsPrices: false },
      withoutPrices: 'prices are not shown: REMEDY',
      withoutAdvice: 'advice is being computed',
    });
    expect(text).toContain('Prices are not shown: REMEDY. Advice is being computed.');
    expect(text).not.toMatch(/EUR|no price|price not known/);
    expect(prices).toBe(0);
  });

  it('is bounded, and says how many there are', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) =>
      contractRow({ feature: `f${i}`, expiration: endOf(i % 500), vendorLicense: `lic${i % 50};x` }),
    );
    const { page, text, prices } = await pageOf(rows, [priceEntry()]);
    expect(page.length).toBeLessThan(1_000_000);
    expect(page.match(/<a href="feature\?/g)).toHaveLength(1000);
    expect(text.slice(0, 1000)).toContain(
      '1,000 of 20,000 features are listed: those to act on first, and at most 200',
    );
    // the sums are those of all of them
    expect(text.slice(0, 1000)).toContain('EUR 40,000,000 a year to decide about');
    expect(text.slice(-100)).toContain('2028-03 1,240 features, EUR 2,480,000 a year Not listed here.');
    // with a sum for each of 17 months and for all of them
    expect(prices).toBe(1018);
  });

  it('lists the first features of a long row, and says how many there are', async () => {
    const { page, text } = await pageOf(Array.from({ length: 300 }, (_, i) => contractRow({ feature: `f${i}` })));
    expect(page.match(/<a href="feature\?/g)).toHaveLength(200);
    expect(text).toContain('and 100 more, which are in the CSV file');
    expect(text).toContain('200 of 300 features are listed');
  });

  it('has no markup of names', async () => {
    const hostile = '</bdi><script>alert(1)</script>\u202e"\'&\n<img src=x onerror=alert(2)>';
    const names = {
      feature: hostile,
      vendorLicense: hostile,
      package: hostile,
      version: hostile,
      featureType: hostile,
    };
    const { page } = await pageOf([contractRow(names), contractRow({ ...names, version: '2' })], [], {
      unknown: [{ vendorLicense: hostile, reason: hostile }],
    });
    expect(page).not.toMatch(/<script|<img|\u202e/);
    expect(page.match(/<bdi>/g)?.length).toBe(page.match(/<\/bdi>/g)?.length);
  });
});

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const PRICES = `vendor_license,feature,price,currency,per,renewal,notice_days
sim-lic01;%,%,100,EUR,year,2027-03-01,90
`;

/** A daemon with owners and prices. @param broken a part of the analyzer that fails */
async function start(settings: Parameters<typeof createConfig>[1] = {}, broken?: string) {
  vi.useFakeTimers({ toFake: ['Date'], now: WORKDAY * 1000 });
  cleanup.add(() => vi.useRealTimers());
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-contracts-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'prices.csv'), PRICES);
  const faulty = await startFaulty(cleanup, { vendorLicenses: 5, featuresPerVendorLicense: 12 });
  if (broken !== undefined) faulty.break(broken, status(500));
  const app = await startApp(
    createConfig(faulty.url, {
      'datasource.time_zone': 'Europe/Berlin',
      'rightsizing.price_file': join(folder, 'prices.csv'),
      'access.prices': ['*'],
      owners: [{ vendor_license: 'sim-lic01;*', owner: 'cad', team: 'chips' }],
      ...settings,
    }),
  );
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const get = async (path: string) => {
    const response = await fetch(`${app.url}${path}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const json = async (query = '') =>
    JSON.parse((await get(`/api/v1/contracts${query}`)).text) as {
      readonly until: string;
      readonly notices: readonly string[];
      readonly data: readonly Readonly<Record<string, string | number | null>>[];
    };
  const events = async (query = '') => {
    const { text } = await get(`/api/v1/contracts?format=ics${query}`);
    const calendar = new ICAL.Component(ICAL.parse(text));
    return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  };
  const served = () => app.log.entries.flatMap(({ message, fields }) => (message === 'prices served' ? [fields] : []));
  return { get, json, events, served };
}

const COLUMNS = [
  ...['state', 'act_by', 'vendor_license', 'feature', 'version', 'package', 'feature_type', 'licenses', 'renewal'],
  ...['notice', 'expires', 'price', 'per', 'currency', 'value_per_year', 'owner', 'team', 'advice', 'note'],
];

describe('the API', () => {
  it('has each license with its days, its value and its owner', async () => {
    const { json } = await start();
    const { data, until, notices } = await json();
    expect(until).toBe('2028-05-18');
    expect(notices).toEqual([expect.stringContaining('advice on the number of licenses')]);
    expect(data.length).toBeGreaterThan(20);
    for (const row of data) expect(Object.keys(row)).toEqual(COLUMNS);
    // one feature is on trial, and expires before
    const cad = data.filter((row) => row.owner === 'cad' && row.state === 'due' && row.feature !== 'sim-route-4');
    expect(cad.length).toBeGreaterThan(3);
    for (const row of cad) {
      expect(row).toMatchObject({ act_by: '2026-12-01', renewal: '2027-03-01', notice: '2026-12-01', team: 'chips' });
      if (row.feature_type !== 'component' && typeof row.licenses === 'number') {
        expect(row).toMatchObject({ price: 100, per: 'year', value_per_year: row.licenses * 100, note: null });
      }
    }
    const others = data.filter((row) => row.owner === null && row.state === 'due');
    expect(others[0]).toMatchObject({ price: null, value_per_year: null, notice: null, team: null });
    expect(others[0]?.note).toBe('notice not known; price not known');
    expect(others[0]?.act_by).toBe(others[0]?.expires);
  });

  it('has the same rows as CSV', async () => {
    const { get, json } = await start();
    const { headers, text } = await get('/api/v1/contracts?format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="contracts.csv"');
    const [head, ...lines] = text.trimEnd().split('\r\n');
    expect(head?.replace('\uFEFF', '').split(',')).toEqual(COLUMNS);
    expect(lines).toHaveLength((await json()).data.length);
  });

  it('has an event for each notice and renewal as a calendar', async () => {
    const { get, events } = await start();
    expect((await get('/api/v1/contracts?format=ics')).headers.get('content-type')).toBe(
      'text/calendar; charset=utf-8',
    );
    const cad = await events('&owner=cad');
    const [notice, renewal] = ['Notice for', 'Renewal of'].map((title) =>
      cad.find(
        ({ summary, description }) =>
          summary.startsWith(title) && description.includes('Notice by 2026-12-01') && description.includes('Value: '),
      ),
    );
    expect(notice?.startDate.toString()).toBe('2026-12-01');
    expect(notice?.summary).toMatch(/^Notice for .* by 2026-12-01 – sim-lic01;sim_cadd$/);
    expect(renewal?.startDate.toString()).toBe('2027-03-01');
    expect(renewal?.description).toMatch(
      /, EUR [\d,]+ a year(?:\n.*)*\nRenewal: 2027-03-01\nExpires: [\d-]+\nValue: EUR /,
    );
    expect(renewal?.description).toContain('Owner: cad');
    const uids = (await events()).map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    expect(uids.length).toBeGreaterThan(cad.length);
  });

  it('has no prices for those who may not see them, in any format and on the page', async () => {
    const { get, json, events } = await start({ 'access.prices': 'auto' });
    const { data, notices } = await json();
    expect(notices[0]).toMatch(/^prices are not shown: access\.prices does not list/);
    expect(data.some(({ notice }) => notice === '2026-12-01')).toBe(true);
    for (const row of data) expect(row).toMatchObject({ price: null, per: null, currency: null, value_per_year: null });
    for (const path of ['/contracts', '/api/v1/contracts?format=csv', '/api/v1/contracts?format=ics']) {
      expect((await get(path)).text).not.toContain('EUR');
    }
    expect((await events()).some(({ summary }) => summary.startsWith('Notice for'))).toBe(true);
    expect((await get('/contracts')).text).toContain('Prices are not shown: access.prices does not list');
  });

  it('has a line in the log with the number of prices, and none where no price is served', async () => {
    const { get, json, served } = await start();
    const priced = (await json()).data.filter(({ price }) => price !== null).length;
    expect(priced).toBeGreaterThan(3);
    await get('/contracts');
    expect(served()).toEqual([
      expect.objectContaining({ page: '/api/v1/contracts', prices: priced }),
      expect.objectContaining({ page: '/contracts', prices: expect.any(Number) }),
    ]);
    const hidden = await start({ 'access.prices': 'auto' });
    for (const path of ['/contracts', '/api/v1/contracts', '/api/v1/contracts?format=ics']) await hidden.get(path);
    expect(hidden.served()).toEqual([]);
  });

  it('names the vendor licenses whose expiries are not known, before the others', async () => {
    const { json, events, get } = await start({}, 'GetExpirationFeatures?product=sim-lic01');
    const [first] = (await json()).data;
    expect(first).toMatchObject({
      state: 'not known',
      vendor_license: 'sim-lic01;sim_cadd',
      act_by: null,
      owner: 'cad',
      note: expect.stringMatching(/^expiries are not all known: GetExpirationFeatures of sim-lic01;sim_cadd: .*500/),
    });
    expect((await events())[0]?.summary).toBe('Expiries of 1 vendor license are not all known');
    expect((await get('/contracts')).text).toContain('Expiries of 1 vendor license are not all known.');
  });

  it('is 503 with the reason if nothing is known, and so is the page', async () => {
    const { get } = await start({}, '/api/');
    const { status: code, text } = await get('/api/v1/contracts');
    expect([code, JSON.parse(text)]).toEqual([
      503,
      { status: 'error', errorType: 'unavailable', error: expect.stringMatching(/^expiries are not known: Get.*500/) },
    ]);
    expect(await get('/contracts')).toMatchObject({
      status: 503,
      text: expect.stringContaining('Expiries are not known: Get'),
    });
  });

  it('reads months and owners, and refuses others with the valid ones', async () => {
    const { get, json } = await start();
    const all = (await json()).data.length;
    const owned = (await json('?owner=cad')).data;
    expect(new Set(owned.map(({ owner }) => owner))).toEqual(new Set(['cad']));
    expect(owned.length + (await json('?owner=')).data.length).toBe(all);
    expect((await json('?months=1')).data.filter(({ state }) => state === 'due').length).toBeLessThan(all);
    expect((await get('/contracts?owner=cad')).text).toContain(
      '<a href="contracts?months=18&amp;owner=cad" aria-current="true">',
    );
    for (const [query, message] of [
      ['months=x', 'months is "x", not an integer from 0 to 600'],
      ['months=601', 'months is "601", not an integer from 0 to 600'],
      ['owner=no', 'owner is "no", which no entry of owners or owners_file names'],
    ] as const) {
      expect((await get(`/contracts?${query}`)).status).toBe(400);
      expect(await get(`/api/v1/contracts?${query}`)).toMatchObject({
        status: 400,
        text: expect.stringContaining(JSON.stringify(message).slice(1, -1)),
      });
    }
    expect((await get('/api/v1/contracts?format=xml')).text).toContain('not one of json, csv, ics');
    expect((await get('/api/v1/contracts?days=3')).text).toContain('valid are format, months and owner');
  });
});

describe.runIf(peer('chromium'))('the page in a browser', () => {
  const opened = createCleanup();
  afterAll(() => opened.run());
  let browser: TestBrowser;
  let url = '';
  beforeAll(async () => {
    browser = await startBrowser();
    opened.add(() => browser.close());
    const names = { feature: 'x'.repeat(400), vendorLicense: 'y'.repeat(400) };
    const rows = [
      contractRow(names),
      contractRow({ expiration: NOON - 9 }),
      ...Array.from({ length: 60 }, (_, i) => contractRow({ feature: `f${i}`, expiration: endOf(i % 9) })),
      contractRow({ feature: 'z', expiration: NEVER }),
    ];
    const { page } = await pageOf(rows, [priceEntry({ price: 98_765 })], {
      unknown: [{ vendorLicense: 'y'.repeat(400), reason: 'z'.repeat(400) }],
      options: { advice: adviceTable([adviceOf({ feature: 'f3' })]) },
    });
    url = await servePage(opened, '/contracts', { '/': async (_, reply) => sendPage(reply, page) });
  });

  it.each(Object.entries(drawnViews))('is flawless: %s', async (_, view) => {
    expect(await browser.look(`${url}/contracts`, view)).toMatchObject(flawless);
  });
});
