import { afterAll, beforeAll, expect, it } from 'vitest';
import { get, PRODUCT, post, startDaemon } from '../../support/datasource-daemon.ts';
import { createCleanup } from '../../support/harness.ts';

/** The key `expiry_month` of expirations: the rows of a bar of the calendar. */

const cleanup = createCleanup();
let url = '';

beforeAll(async () => {
  ({ url } = await startDaemon(cleanup, {}, { vendorLicenses: 6, featuresPerVendorLicense: 20, historyDays: 2 }));
});
afterAll(() => cleanup.run());

const rows = async (query: string) => (await get(`${url}/rows/expirations?product=%25&${query}`)).body.rows;

it('lists as many upcoming licenses for a month as the calendar counts', async () => {
  const payload = { product: '%', shape: 'months', status: ['upcoming'] };
  const { body } = await post(`${url}/query`, { targets: [{ refId: 'A', target: 'expirations', payload }] });
  const months: [string, number][] = body[0].rows;
  expect(months.map(([month]) => month).slice(-2)).toEqual(['later', 'permanent']);
  let total = 0;
  for (const [month, count] of months.slice(0, -1)) {
    const found = await rows(`status=upcoming&expiry_month=${month}`);
    expect({ month, found: found.length }).toEqual({ month, found: count });
    total += count;
  }
  expect(total).toBeGreaterThan(20);
  expect(await rows('status=upcoming')).toHaveLength(total);
});

it('is no restriction if it is empty, as an empty text box sends it', async () => {
  expect(await rows('expiry_month=')).toEqual(await rows(''));
});

it('must be a month', async () => {
  const { status, body } = await get(`${url}/rows/expirations?product=%25&expiry_month=2026-13`);
  expect([status, body.message]).toEqual([
    400,
    'expirations: expiry_month is "2026-13", not a month as 2026-01, or later',
  ]);
});

it('has the number of licenses and their use, if asked for', async () => {
  const [row] = await rows('columns=Bought&columns=In%20use&sort=-In%20use');
  expect(Object.keys(row)).toEqual(['bought', 'in_use']);
  expect(row.bought).toBeGreaterThanOrEqual(row.in_use);
  expect(row.in_use).toBeGreaterThan(0);
});

it('is answered without columns if no row is found: Grafana then shows the text of the panel', async () => {
  const payload = { product: PRODUCT, expiry_month: '2001-01' };
  const { body } = await post(`${url}/query`, { targets: [{ refId: 'A', target: 'expirations', payload }] });
  expect(body).toMatchObject([{ refId: 'A', name: 'expirations', type: 'table', columns: [], rows: [] }]);
  const all = await post(`${url}/query`, {
    targets: [{ refId: 'A', target: 'expirations', payload: { product: PRODUCT } }],
  });
  expect(all.body[0].columns.length).toBeGreaterThan(3);
});
