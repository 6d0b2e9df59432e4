import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queriesOf, type Values } from '../support/dashboards.ts';
import { FEATURE, get, PRODUCT, startDaemon } from '../support/datasource-daemon.ts';
import { createCleanup, WORKDAY } from '../support/harness.ts';
import { cellsOf, infinityQuery, pathOf } from '../support/infinity.ts';

/**
 * Every query for rows of every panel and annotation, as Infinity sends it, answered by the running daemon. The time is fixed,
 * so that usage is the same in every run.
 */

const cleanup = createCleanup();
let root = '';
let variables: Values = {};
/** A feature of the vendor license that expired within the time range. */
let ended = '';

const DAY = 86_400_000;
const now = WORKDAY * 1000;
const range = { from: now - 30 * DAY, to: now };

beforeAll(async () => {
  const size = { vendorLicenses: 6, featuresPerVendorLicense: 20, historyDays: 60 };
  const { url } = await startDaemon(cleanup, {}, size);
  root = url.replace(/\/grafana$/, '');
  const { body: expirations } = await get(`${url}/rows/expirations?product=${PRODUCT}`);
  const isEnded = ({ days_left: days }: { days_left: number | null }) => days !== null && days < 0 && days > -30;
  ended = expirations.rows.find(isEnded).feature;
  const { body: products } = await get(`${url}/rows/products`);
  const names = products.rows.map(({ product }: { product: string }) => product);
  variables = { vendor_license: PRODUCT, feature: FEATURE, month: '', user: '%', vendor_licenses: names };
});
afterAll(() => cleanup.run());

const queries = queriesOf('yesoreyeram-infinity-datasource');

const ask = async (query: ReturnType<typeof infinityQuery>, values: Values) => {
  const { status, body } = await get(`${root}${pathOf(query, values, range)}`);
  return { status, body };
};

describe('queries for rows of the dashboards', () => {
  it.each(queries)('$where is answered with rows that have its columns', async ({ where, target }) => {
    const query = infinityQuery(target);
    const isEnd = where === 'license-feature: annotation Mark expiries';
    const { status, body } = await ask(query, { ...variables, ...(isEnd && { feature: ended }) });
    // no pass of right-sizing has run: a figure is an error, and a table says so
    if (query.url.endsWith('/rightsizing') && status === 503) {
      expect(body.error.code).toBe('not_ready');
      expect(query.columns.map(({ selector }) => selector)).not.toContain('note');
      return;
    }
    expect({ where, status, body }).toMatchObject({ status: 200 });
    // who waited is not known of an analyzer elsewhere: a table says so in a row, for a chart there is a notice
    const isSilent = query.url.endsWith('/blocked') && !query.columns.some(({ selector }) => selector === 'note');
    if (isSilent) expect(body.notices).toHaveLength(1);
    expect({ where, rows: cellsOf(query, body.rows).length > 0 }).toEqual({ where, rows: !isSilent });
    expect(body.notices.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([]);
  });

  it.each(['sim-"quoted"', 'sim-back\\slash', 'a\\.b', 'sim-100%', '(a|b)', "it's", '{x}', 'a, b'])(
    'ask for the feature %s by its name',
    async (feature) => {
      const history = queries.find(({ target }) => infinityQuery(target).url.endsWith('/history'));
      const { status, body } = await ask(infinityQuery(history?.target as (typeof queries)[number]['target']), {
        ...variables,
        feature,
      });
      // the analyzer was asked for this name, or the inventory has no such name
      expect({ status, body }).toMatchObject({ status: 200 });
    },
  );
});
