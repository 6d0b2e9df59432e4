import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, FEATURE, get, PRODUCT, post, startDaemon } from '../../support/datasource-daemon.ts';
import { createCleanup, eventually } from '../../support/harness.ts';

/** A month of the analyzer is the same in every chart, in every table and in the API. */

const cleanup = createCleanup();
let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(cleanup, {}, { vendorLicenses: 3, featuresPerVendorLicense: 10, historyDays: 50 });
});
afterAll(() => cleanup.run());

const whose = { product: PRODUCT, feature: FEATURE };
const never = new AbortController().signal;
/** October in Berlin, where the analyzer is, and as a browser in UTC sends it. */
const ranges = {
  Berlin: { from: '2026-10-01T00:00:00+02:00', to: '2026-10-31T23:59:59.999+01:00' },
  UTC: { from: '2026-10-01T00:00:00Z', to: '2026-10-31T23:59:59.999Z' },
};
const [FIRST, END] = [Date.parse('2026-10-01T00:00:00+02:00'), Date.parse('2026-11-01T00:00:00+01:00')];

const ask = async (target: string, payload: object, range: object) =>
  (await post(`${daemon.url}/query`, { range, targets: [{ refId: 'A', target, payload }] })).body;

const sum = (values: Iterable<number | null>): number =>
  [...values].reduce<number>((total, value) => total + (value ?? 0), 0);

describe.each(Object.entries(ranges))('October as %s sends it', (_, range) => {
  it('has 31 points, and the totals of the API', async () => {
    const api = await daemon.client.getHistory(whose, never);
    const series = await ask('history', whose, range);
    expect(series.map(({ title }: { title: string }) => title)).toEqual(['Max Available', 'Elapsed Time', 'Denials']);
    for (const { title, datapoints } of series) {
      const { at, values } = api.find(({ name }) => name === title) ?? { at: [], values: [] };
      const days = [...at].flatMap((time, i) => (time >= FIRST && time < END ? [[values[i], time]] : []));
      expect(days).toHaveLength(31);
      expect(datapoints).toEqual(days);
    }
    const [, elapsed, denials] = series.map(({ datapoints }: { datapoints: [number, number][] }) =>
      sum(datapoints.map(([value]) => value)),
    );
    expect(denials).toBeGreaterThan(0);
    const [totals] = await ask('history', { ...whose, shape: 'totals' }, range);
    expect(totals.rows[0].slice(0, 3)).toEqual([PRODUCT, FEATURE, denials]);
    expect(totals.rows[0][4]).toBeCloseTo(elapsed, 9);
    const [long] = await ask('history', { ...whose, shape: 'long' }, range);
    expect(long.rows).toHaveLength(31);
    const parameters = new URLSearchParams({ ...whose, from: String(Date.parse(range.from)), to: range.to });
    const { body } = await get(`${daemon.url}/rows/history?${parameters}`);
    expect(sum(body.rows.map((row: { denials: number }) => row.denials))).toBe(denials);
  });

  it('has 31 days of reservations', async () => {
    const [table] = await ask('reserved', whose, range);
    const days = table.rows.map(([day]: [string]) => day);
    expect([days.length, days[0], days.at(-1)]).toEqual([31, '2026-10-01', '2026-10-31']);
  });

  it('is the month of the heat map, and is said so', async () => {
    const [frame] = await ask('heatmap', whose, range);
    expect(frame.name).toBe('Max In Use, 2026-10');
    expect(frame.meta.notices[0].text).toBe('shown: 2026-10, because the time range does not end now');
  });

  it('has one annotation a day over all features, which name the denials of the day', async () => {
    const [frame] = await ask('history', { ...whose, feature: '%', shape: 'annotations' }, range);
    const [time, , , text] = frame.fields.map(({ values }: { values: unknown[] }) => values);
    expect(new Set(time).size).toBe(time.length);
    expect(time.length).toBeLessThanOrEqual(31);
    expect(text[0]).toMatch(/^2026-10-\d\d: \d+ denials? of sim-.* \(\d+\)/);
    // the sum of the analyzer has no names of features
    const [summed] = await ask(
      'history',
      { ...whose, feature: '%', wildcard: 'upstream', shape: 'annotations' },
      range,
    );
    expect(summed.fields[3].values[0]).toMatch(/^2026-10-\d\d: \d+ denials?$/);
  });
});

it('has no number for uncounted licenses, and none in the sum of the analyzer', async () => {
  const { body } = await get(`${daemon.url}/rows/features?product=%25`);
  const uncounted = body.rows.filter((row: { license_type: string }) => row.license_type === 'uncounted');
  expect(uncounted.length).toBeGreaterThan(0);
  const { product, feature } = uncounted[0];
  const notice = { severity: 'info', text: `Max Available is left out where licenses are uncounted: ${feature}` };
  const one = await ask('history', { product, feature }, ranges.Berlin);
  expect(one.map(({ title }: { title: string }) => title)).toEqual(['Elapsed Time', 'Denials']);
  expect(one[0].meta.notices).toEqual([notice]);
  const all = await ask('history', { product: '%', feature: '%', wildcard: 'upstream' }, ranges.Berlin);
  // the sum is that of the counted ones
  expect(all.map(({ title }: { title: string }) => title)).toEqual(['Max Available', 'Elapsed Time', 'Denials']);
  expect(all[0].meta.notices ?? []).toEqual([]);
  const products = (await get(`${daemon.url}/rows/products`)).body.rows;
  for (const { max_available: most } of products) expect(most).toBeLessThan(10_000);
});

it('lists what needs attention, from the evaluation of alerts, without an Alertmanager', async () => {
  await eventually('alerts', async () => (await get(`${daemon.url}/rows/attention`)).body.rows?.length > 0);
  const [table] = await ask('attention', {}, ranges.Berlin);
  expect(table.columns.map(({ text }: { text: string }) => text)).toEqual([
    'Severity',
    'State',
    'What',
    'Product',
    'Feature',
    'Details',
    'Since',
    'Alerts at',
    'Owner',
    'Alert',
  ]);
  expect(table.rows[0].slice(0, 4)).toEqual(['critical', 'critical', 'Server is down', 'sim-lic03;sim_solverd']);
  const { body } = await get(`${daemon.url}/rows/attention?severity=critical&top=1&columns={What,product}`);
  expect(body.rows).toEqual([{ what: 'Server is down', product: 'sim-lic03;sim_solverd' }]);
});
