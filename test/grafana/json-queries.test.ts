import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSimulatedSite } from '../../src/analyzer/simulated-site.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp, WORKDAY } from '../harness.ts';
import { builderPayload, codePayload, interpolate, queriesOf, type Values } from './dashboards.ts';

/**
 * Every JSON query of every panel and annotation, as the plugin sends it, answered by the running daemon. The clock stands
 * still, so that the site is always as busy.
 */

const cleanup = createCleanup();
let url = '';
let single: Values = {};
let several: Values = {};
/** A feature of the vendor license that has ended within the time range. */
let ended = '';

const DAY = 86_400_000;
const now = WORKDAY * 1000;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  const options = { vendorLicenses: 6, featuresPerVendorLicense: 20, historyDays: 60 };
  const past = createSimulatedSite({
    seed: 1,
    timeZone: 'Europe/Berlin',
    interval: 60,
    now: () => WORKDAY,
    ...options,
  });
  // a server is down half an hour after its last collection
  let at = WORKDAY - 3600;
  const analyzer = await startAnalyzer({ ...options, now: () => at }, { past: past.past });
  cleanup.add(() => analyzer.stop());
  analyzer.site.force({ down: ['sim-lic02;sim_meshd'] });
  at = WORKDAY;
  await analyzer.collector.collect();
  const app = await startApp(createConfig(analyzer.url, { 'datasource.time_zone': 'Europe/Berlin' }));
  cleanup.add(() => app.stop());
  url = `${app.url}/grafana`;
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const names = async (payload: object): Promise<string[]> => {
    const response = await fetch(`${url}/variable`, { method: 'POST', body: JSON.stringify({ payload }) });
    return ((await response.json()) as { __value: string }[]).map(({ __value }) => __value);
  };
  single = { vendor_license: 'sim-lic01;sim_cadd', feature: 'sim-mesh-2' };
  const expirations = await (await fetch(`${url}/rows/expirations?product=sim-lic01%3Bsim_cadd`)).json();
  const isEnded = ({ days_left: days }: { days_left: number | null }) => days !== null && days < 0 && days > -30;
  ended = (expirations as { feature: string; days_left: number | null }[]).find(isEnded)?.feature ?? '';
  several = { vendor_license: await names({ target: 'products' }) };
}, 60_000);
afterAll(async () => {
  await cleanup.run();
  vi.useRealTimers();
});

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

/** Rows of an item, after everything has been checked that Grafana would stumble over. */
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

const queries = queriesOf('simpod-json-datasource');

describe('JSON queries of the dashboards', () => {
  it.each(queries.flatMap((query) => (['code', 'builder'] as const).map((mode) => ({ ...query, mode }))))(
    '$where is answered with rows, in $mode mode',
    async ({ where, dashboard, target, mode }) => {
      const isSeveral = dashboard.templating.list.some(({ name, multi }) => name === 'vendor_license' && multi);
      const isEnd = where === 'license-feature: annotation Expiries';
      const values = isSeveral ? several : isEnd ? { ...single, feature: ended } : single;
      const text = String(target.payload);
      const payload =
        mode === 'code'
          ? codePayload(text, values)
          : // what the builder form holds: the same keys, with the variables in texts
            builderPayload(
              JSON.parse(text.replace(/(?<!")\$(\w+)(?!")/g, '["$$$1"]')) as Record<string, unknown>,
              values,
            );
      expect(payload).not.toEqual({ impossible: true });
      const response = await fetch(`${url}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request({ ...target, editorMode: mode, payload }, values)),
      });
      const items = (await response.json()) as Item[];
      expect({ where, status: response.status, items }).toMatchObject({ status: 200 });
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) expect(item.refId).toBe(target.refId);
      const rows = items.map(rowsOf);
      expect({ where, rows: rows.some((count) => count > 0) }).toEqual({ where, rows: true });
      expect(items.flatMap(({ meta }) => meta?.notices ?? []).filter(({ severity }) => severity === 'error')).toEqual(
        [],
      );
    },
  );

  it('explains the payload that a variable made bad JSON', async () => {
    const values = { vendor_license: 'srv\\x;d', feature: 'f' };
    const query = queries.find(({ target }) => target.target === 'efficiency');
    const payload = codePayload(String(query?.target.payload), values);
    expect(payload).toEqual({});
    const body = JSON.stringify(request({ ...query?.target, payload }, values));
    const response = await fetch(`${url}/query`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toMatch(
      /payload arrived empty.*inside quotes.*backslash/s,
    );
    expect(interpolate('"$vendor_license"', { vendor_license: 'a' }, 'json')).toBe('"a"');
  });
});
