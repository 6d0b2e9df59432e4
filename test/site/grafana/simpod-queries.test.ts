import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interpolate, type Values } from '../../support/dashboards.ts';
import { FEATURE, get, PRODUCT, post, startDaemon } from '../../support/datasource-daemon.ts';
import { createCleanup, WORKDAY } from '../../support/harness.ts';
import saved from './simpod-queries.json' with { type: 'json' };

/**
 * The queries of the last dashboards for simpod-json-datasource, those of 0.2.0 and after. Sites have imported them: they go on
 * working. Each is sent as the plugin sends it. The time is fixed, so that usage is the same in every run.
 */

const cleanup = createCleanup();
let url = '';
let single: Values = {};
let several: Values = {};
/** A feature of the vendor license that expired within the time range. */
let ended = '';

const DAY = 86_400_000;
const now = WORKDAY * 1000;

beforeAll(async () => {
  const size = { vendorLicenses: 6, featuresPerVendorLicense: 20, historyDays: 60 };
  ({ url } = await startDaemon(cleanup, {}, size));
  single = { vendor_license: PRODUCT, feature: FEATURE, month: '' };
  const { body: expirations } = await get(`${url}/rows/expirations?product=${PRODUCT}`);
  const isEnded = ({ days_left: days }: { days_left: number | null }) => days !== null && days < 0 && days > -30;
  ended = expirations.rows.find(isEnded).feature;
  const { body: products } = await post(`${url}/variable`, { payload: { target: 'products' } });
  several = { vendor_licenses: products.map(({ __value }: { __value: string }) => __value) };
});
afterAll(() => cleanup.run());

interface Item {
  readonly refId: string;
  readonly name?: string;
  readonly type?: string;
  readonly target?: string;
  readonly title?: string;
  readonly datapoints?: readonly (readonly [number | null, number])[];
  readonly columns?: readonly { readonly text: string; readonly type: string }[];
  readonly rows?: readonly (readonly unknown[])[];
  readonly fields?: readonly { readonly name: string; readonly type: string; readonly values: readonly unknown[] }[];
  readonly meta?: { readonly notices?: readonly { readonly severity: string; readonly text: string }[] };
}

/** Rows of an item, after a check for everything that Grafana cannot handle. */
function rowsOf(item: Item): number {
  expect(typeof item.refId).toBe('string');
  const isCell = (type: string, value: unknown): boolean =>
    value === null || typeof value === (type === 'time' ? 'number' : type);
  if (item.datapoints !== undefined) {
    expect(item.title).toBe(item.target);
    const times = item.datapoints.map(([, at]) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const [value, at] of item.datapoints) expect(isCell('number', value) && at > 1e12).toBe(true);
    return item.datapoints.length;
  }
  if (item.fields !== undefined) {
    for (const { type, values } of item.fields) {
      expect(values).toHaveLength(item.fields[0]?.values.length ?? 0);
      for (const value of values) expect({ type, value, ok: isCell(type, value) }).toMatchObject({ ok: true });
    }
    return item.fields[0]?.values.length ?? 0;
  }
  expect(item.type).toBe('table');
  for (const row of item.rows ?? []) {
    expect(row).toHaveLength(item.columns?.length ?? 0);
    for (const [i, value] of row.entries()) {
      const type = item.columns?.[i]?.type ?? '';
      expect({ type, value, ok: isCell(type, value) }).toMatchObject({ ok: true });
    }
  }
  return item.rows?.length ?? 0;
}

/** The request of simpod-json-datasource 0.6. */
const request = (target: object, values: Values) => ({
  app: 'dashboard',
  requestId: 'Q1',
  timezone: 'browser',
  panelId: 1,
  range: {
    from: new Date(now - 30 * DAY).toISOString(),
    to: new Date(now).toISOString(),
    raw: { from: 'now-30d', to: 'now' },
  },
  intervalMs: 5000,
  maxDataPoints: 600,
  scopedVars: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { text: value, value }])),
  targets: [target],
});

interface SavedQuery {
  readonly where: string;
  readonly target: {
    readonly refId: string;
    readonly target: string;
    readonly payload: Readonly<Record<string, unknown>>;
  };
}
const queries = saved as unknown as readonly SavedQuery[];

/** The payload that the plugin sends for a payload that is an object: each text is interpolated separately. */
const sentPayload = (payload: SavedQuery['target']['payload'], values: Values): unknown =>
  Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key,
      Array.isArray(value)
        ? value.map((item) => interpolate(String(item), values, 'regex'))
        : interpolate(String(value), values, 'regex'),
    ]),
  );

describe('queries of the last dashboards for simpod-json-datasource', () => {
  it.each(queries)('$where is answered with rows', async ({ where, target }) => {
    const isEnd = where === 'license-feature: annotation Mark expiries';
    const values = { ...single, ...several, ...(isEnd && { feature: ended }) };
    const payload = sentPayload(target.payload, values);
    const reply = await post(`${url}/query`, request({ ...target, payload }, values));
    // no pass of right-sizing has run; a wrong payload would be rejected before
    if (target.target === 'rightsizing' && reply.status === 503) {
      expect(reply.body.error.code).toBe('not_ready');
      return;
    }
    const items = reply.body as Item[];
    expect({ where, status: reply.status, items }).toMatchObject({ status: 200 });
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(item.refId).toBe(target.refId);
    const rows = items.map(rowsOf);
    expect({ where, rows: rows.some((count) => count > 0) }).toEqual({ where, rows: true });
    expect(items.flatMap(({ meta }) => meta?.notices ?? []).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each(['sim-"quoted"', 'sim-back\\slash', 'a\\.b', 'sim-100%', '(a|b)', "it's", '{x}'])(
    'ask for the feature %s by its name',
    async (feature) => {
      const { target } = queries.find((query) => query.target.target === 'history') as SavedQuery;
      const values = { ...single, feature };
      const payload = sentPayload(target.payload, values);
      const { status, body } = await post(`${url}/query`, request({ ...target, payload }, values));
      expect({ status, body }).toMatchObject({ status: 200 });
      // the analyzer was asked for this name, or the inventory has no such name
      expect(JSON.stringify(body)).not.toMatch(/empty_payload|bad_/);
    },
  );
});
