import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Daemon,
  DOWN,
  FEATURE,
  get,
  PRODUCT,
  post,
  query,
  range,
  startDaemon,
} from '../../support/datasource-daemon.ts';
import { isLong } from '../../support/extent.ts';
import { createCleanup, WORKDAY } from '../../support/harness.ts';

const cleanup = createCleanup();
let daemon: Daemon;
beforeAll(async () => {
  // the nightly pass sends requests of its own
  daemon = await startDaemon(cleanup);
});
afterAll(() => cleanup.run());

const EMPTY =
  'the payload is empty. The usual causes are a multi-value variable inside quotes (write {"feature":$feature}, without quotes) and a variable value with a backslash or a double quote: both make the payload invalid JSON, which the plugin replaces with {}';
const whose = { product: PRODUCT, feature: FEATURE };
const TARGETS =
  'history, reserved, efficiency, heatmap, users, blocked, expirations, features, products, server_down, rightsizing, attention';

interface Bad {
  readonly what: string;
  readonly path?: string;
  readonly body: unknown;
  readonly status?: number;
  readonly code: string;
  readonly message: string;
}

const bad: readonly Bad[] = [
  { what: 'no JSON', body: '{"targets":[', code: 'bad_json', message: 'the body is not JSON' },
  { what: 'an array', body: [], code: 'bad_request', message: 'the body is not a JSON object' },
  { what: '{}', body: {}, code: 'bad_request', message: 'the request has no array "targets"' },
  {
    what: 'a target that is no object',
    body: { targets: [7] },
    code: 'bad_request',
    message: 'targets[0] is not a JSON object',
  },
  {
    what: 'an unknown target',
    body: query('histroy', whose),
    code: 'unknown_target',
    message: `there is no target "histroy"; valid are ${TARGETS}`,
  },
  {
    what: 'a target that every object has',
    body: query('constructor', whose),
    code: 'unknown_target',
    message: `there is no target "constructor"; valid are ${TARGETS}`,
  },
  { what: 'an empty payload', body: query('history', {}), code: 'empty_payload', message: `history: ${EMPTY}` },
  { what: 'a blank payload', body: query('users', ''), code: 'empty_payload', message: `users: ${EMPTY}` },
  {
    what: 'a payload that is no JSON',
    body: query('history', '{"product":'),
    code: 'bad_parameter',
    message: 'history: payload is not a JSON object',
  },
  {
    what: 'no product',
    body: query('history', { feature: FEATURE }),
    code: 'missing_parameter',
    message: 'history: payload.product is required',
  },
  {
    what: 'an empty feature',
    body: query('heatmap', { product: PRODUCT, feature: ' ' }),
    code: 'missing_parameter',
    message: 'heatmap: payload.feature is required',
  },
  {
    what: 'an unknown key',
    body: query('history', { ...whose, pakcage: 'x' }),
    code: 'bad_parameter',
    message:
      'history: payload.pakcage is unknown; history accepts product, feature, package, pattern, ftype, wildcard, shape, sort, top, columns, with, none, complete',
  },
  {
    what: 'several values where one is taken',
    body: query('history', { ...whose, package: ['a', 'b'] }),
    code: 'bad_parameter',
    message: 'history: payload.package has 2 values, but only one is allowed',
  },
  {
    what: 'a value that is an object',
    body: query('history', { ...whose, product: {} }),
    code: 'bad_parameter',
    message: 'history: payload.product is {}, not a string',
  },
  {
    what: 'a type there is not',
    body: query('history', { ...whose, ftype: 'features' }),
    code: 'bad_parameter',
    message: 'history: payload.ftype is "features", not one of feature, package, component',
  },
  {
    what: 'a shape of another target',
    body: query('reserved', { ...whose, shape: 'heatmap' }),
    code: 'bad_parameter',
    message: 'reserved: payload.shape is "heatmap", not one of table, timeseries, long',
  },
  {
    what: 'a month there is not',
    body: query('efficiency', { ...whose, month: 13 }),
    code: 'bad_parameter',
    message: 'efficiency: payload.month is "13", not an integer from 1 to 12',
  },
  {
    what: 'a duration there is not',
    body: query('heatmap', { ...whose, last: 'fortnight' }),
    code: 'bad_parameter',
    message:
      'heatmap: payload.last is "fortnight", not one of auto, last-day, last-7-days, last-365-days, last-week, last-month, last-quarter, 101, 107, 201, 301, 401, 465',
  },
  {
    what: 'a range that is no time',
    body: query('history', whose, { range: { from: 'yesterday', to: 'now' } }),
    code: 'bad_parameter',
    message: 'range.from is not a time; use ISO 8601 or epoch milliseconds',
  },
  {
    what: 'a range that is no object',
    body: query('history', whose, { range: 'now' }),
    code: 'bad_parameter',
    message: 'range is not an object',
  },
  {
    what: 'a range the wrong way round',
    body: query('history', whose, { range: { from: range(1).to, to: range(1).from } }),
    code: 'bad_parameter',
    message: 'range.from is later than range.to',
  },
  {
    what: 'a filter key there is not',
    body: query('history', whose, { filters: [{ key: 'host', operator: '=', value: 'x' }] }),
    code: 'bad_parameter',
    message: 'the ad-hoc filter key "host" is not one of product, feature, package',
  },
  {
    what: 'a filter by expression',
    body: query('history', whose, { adhocFilters: [{ key: 'feature', operator: '=~', value: '.*' }] }),
    code: 'bad_parameter',
    message: 'the ad-hoc filter operator "=~" is not supported; use = or !=',
  },
  {
    what: 'too many targets',
    body: { targets: Array.from({ length: 101 }, () => ({ target: 'products' })) },
    code: 'too_many',
    message: 'the request has 101 targets, the maximum is 100',
  },
  {
    what: '5 MB',
    body: { ...query('history', whose), scopedVars: { x: { value: 'x'.repeat(5_000_000) } } },
    status: 413,
    code: 'too_large',
    message: 'the body is larger than 4194304 bytes',
  },
  {
    what: 'a builder form without JSON',
    path: '/metrics',
    body: 'metric=history',
    code: 'bad_json',
    message: 'the body is not JSON',
  },
  {
    what: 'a variable with a payload that is no object',
    path: '/variable',
    body: { payload: [1] },
    code: 'bad_parameter',
    message: 'payload is not a JSON object',
  },
  {
    what: 'a POST to an unknown path',
    path: '/search',
    body: {},
    status: 404,
    code: 'not_found',
    message: 'there is nothing at "/grafana/search"',
  },
];

/** Why a duration is shown. */
const COVERS = ', the shortest duration of the analyzer that covers the time range';

describe('a bad request', () => {
  it.each(bad)(
    'gets an error that names the problem: $what',
    async ({ path = '/query', body, status = 400, code, message }) => {
      const reply = await post(`${daemon.url}${path}`, body);
      expect(reply.body).toEqual({ message, error: { code, message } });
      expect(reply.status).toBe(status);
      expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
      // what Infinity shows of it
      const ascii = message.replace(/[^\x20-\x7e]/g, ' ');
      expect(reply.reason).toBe(ascii.length > 120 ? `${ascii.slice(0, 117)}...` : ascii);
      expect(daemon.requests).toEqual([]);
    },
  );

  it.each([
    ['an unknown target', '/rows/nothing', 400, 'unknown_target', `there is no target "nothing"; valid are ${TARGETS}`],
    [
      'no product',
      '/rows/history?feature=f',
      400,
      'missing_parameter',
      'history: product is required; in a URL, write ";" as %3B',
    ],
    [
      'an unknown parameter',
      '/rows/products?x=1',
      400,
      'bad_parameter',
      'products: x is unknown; products accepts filters, pattern, sort, top, columns, with, none, complete',
    ],
    [
      'an invalid time',
      '/rows/history?product=a&feature=b&from=now',
      400,
      'bad_parameter',
      'from is not a time; use ISO 8601 or epoch milliseconds',
    ],
    [
      'a range the wrong way round',
      '/rows/history?product=a&feature=b&from=2&to=1',
      400,
      'bad_parameter',
      'from is later than to',
    ],
    ['a path that cannot be decoded', '/rows/%zz', 400, 'bad_request', 'The path cannot be decoded.'],
    ['no target', '/rows', 404, 'not_found', 'there is nothing at "/grafana/rows"'],
    ['a path that goes up', '/rows/../../metrics/x', 404, undefined, undefined],
  ])('gets an error from /rows: %s', async (_, path, status, code, message) => {
    const url = `${daemon.url}${path}`;
    const response = await fetch(url);
    expect(response.status).toBe(status);
    if (code !== undefined) expect(await response.json()).toEqual({ message, error: { code, message } });
  });

  it.each([
    ['GET', '/query', 'POST'],
    ['PUT', '/query', 'POST'],
    ['GET', '/variable', 'POST'],
    ['DELETE', '/metrics', 'POST'],
    ['POST', '', 'GET, HEAD'],
    ['POST', '/rows/history', 'GET, HEAD'],
  ])('with the wrong method gets the valid one: %s %s', async (method, path, allow) => {
    const response = await fetch(`${daemon.url}${path}`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    const message = `only ${allow} are allowed here`;
    expect(await response.json()).toEqual({ message, error: { code: 'method_not_allowed', message } });
  });
});

describe('POST /query', () => {
  it('answers every target with its refId, and one that fails as a notice', async () => {
    const { status, body } = await post(`${daemon.url}/query`, {
      targets: [
        { refId: 'A', target: 'server_down', payload: {} },
        { refId: 'B', target: 'history', payload: { product: PRODUCT } },
        { refId: 'C', target: 'features', payload: { product: PRODUCT }, hide: true },
        { refId: 'D' },
      ],
    });
    expect(status).toBe(200);
    expect(body.map(({ refId }: { refId: string }) => refId)).toEqual(['A', 'B']);
    expect(body[1]).toEqual({
      refId: 'B',
      name: 'history',
      type: 'table',
      columns: [],
      rows: [],
      meta: { notices: [{ severity: 'error', text: 'history: payload.feature is required' }] },
    });
  });

  it('reports every failure when all targets fail, with the status of the first', async () => {
    const { status, body } = await post(`${daemon.url}/query`, {
      targets: [
        { refId: 'A', target: 'history', payload: { product: PRODUCT } },
        { refId: 'B', target: 'nothing', payload: {} },
      ],
    });
    expect([status, body.error.code]).toEqual([400, 'missing_parameter']);
    expect(body.message).toBe(
      `history: payload.feature is required; there is no target "nothing"; valid are ${TARGETS}`,
    );
  });

  it('has nothing to answer when every target is hidden', async () => {
    expect((await post(`${daemon.url}/query`, { targets: [] })).body).toEqual([]);
  });

  it('accepts any content type, and a payload as text', async () => {
    const body = JSON.stringify(query('history', JSON.stringify(whose)));
    const response = await fetch(`${daemon.url}/query`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveLength(3);
  });

  it('asks about several features, and names each', async () => {
    const { body } = await post(
      `${daemon.url}/query`,
      query('history', { product: PRODUCT, feature: [FEATURE, 'sim-cad-1'] }),
    );
    expect(body.map(({ title }: { title: string }) => title)).toEqual([
      `Max Available - ${FEATURE}`,
      `Elapsed Time - ${FEATURE}`,
      `Denials - ${FEATURE}`,
      'Max Available - sim-cad-1',
      'Elapsed Time - sim-cad-1',
      'Denials - sim-cad-1',
    ]);
  });

  it('expands % over the known names, or leaves it to the analyzer', async () => {
    const expanded = await post(`${daemon.url}/query`, query('history', { product: 'sim-lic0%', feature: 'sim-%' }));
    const titles = expanded.body.map(({ title }: { title: string }) => title);
    expect(titles).toHaveLength(3 * 12);
    expect(titles[0]).toBe('Max Available - sim-lic01;sim_cadd sim-cad-1');
    const payload = { product: PRODUCT, feature: '%', wildcard: 'upstream' };
    const added = await post(`${daemon.url}/query`, query('history', payload));
    expect(added.body.map(({ title }: { title: string }) => title)).toEqual([
      'Max Available',
      'Elapsed Time',
      'Denials',
    ]);
    const sum = (name: string): number =>
      expanded.body
        .filter(({ title }: { title: string }) => title.startsWith(`${name} - ${PRODUCT}`))
        .reduce((total: number, { datapoints }: { datapoints: number[][] }) => total + (datapoints[0]?.[0] ?? 0), 0);
    expect(added.body[2].datapoints[0][0]).toBe(sum('Denials'));
  });

  it('requests only existing combinations, and reports how many are left out', async () => {
    const all = await post(`${daemon.url}/variable`, { payload: { target: 'features' } });
    const feature = all.body.map(({ __value }: { __value: string }) => __value);
    const product = [PRODUCT, 'sim-lic02;sim_meshd', DOWN];
    const { body } = await post(`${daemon.url}/query`, query('efficiency', { product, feature }));
    expect(body.map(({ name }: { name: string }) => name)).toContain(`efficiency - ${PRODUCT} ${FEATURE}, last 7 days`);
    expect(body).toHaveLength(12);
    const shown = { severity: 'info', text: `shown: last 7 days${COVERS}` };
    expect(body[0].meta.notices).toEqual([shown]);
    const strange = Array.from({ length: 9 }, (_, i) => `strange ${i}`);
    const cut = await post(`${daemon.url}/query`, query('efficiency', { product, feature: [...feature, ...strange] }));
    const text = '20 of 39 combinations are drawn, those with the most hours in use in this time; narrow the selection';
    expect(cut.body).toHaveLength(20);
    expect(cut.body[0].meta.notices).toEqual([{ severity: 'warning', text }, shown]);
    expect(cut.body.map(({ name }: { name: string }) => name)).toContain(
      `efficiency - ${PRODUCT} ${FEATURE}, last 7 days`,
    );
    const parameters = new URLSearchParams();
    for (const name of product) parameters.append('product', name);
    for (const name of strange) parameters.append('feature', name);
    const rows = await get(`${daemon.url}/rows/efficiency?${parameters}`);
    // flat rows are not cut
    expect([rows.status, rows.body.notices]).toEqual([
      200,
      [{ severity: 'info', text: 'shown: last 365 days, the longest duration of the analyzer' }],
    ]);
  });

  it('says so when nothing matches', async () => {
    const { body } = await post(`${daemon.url}/query`, query('reserved', { product: PRODUCT, feature: 'none%' }));
    expect(body).toEqual([
      {
        refId: 'A',
        name: 'reserved',
        type: 'table',
        columns: [],
        rows: [],
        meta: { notices: [{ severity: 'info', text: 'no vendor license and feature matches the query' }] },
      },
    ]);
  });

  it('says so when the analyzer has no value', async () => {
    const payload = { product: PRODUCT, feature: 'sim.cad' };
    const [{ rows, meta }] = (await post(`${daemon.url}/query`, query('history', payload))).body;
    expect(rows).toEqual([]);
    expect(meta.executedQueryString).toContain('feature=sim.cad');
    expect(meta.notices).toEqual([{ severity: 'info', text: 'the analyzer has no value in the time range' }]);
  });

  it('has no columns when there are no rows: Grafana then shows the text of the panel, not a bare header', async () => {
    const { body } = await post(`${daemon.url}/query`, query('users', { product: PRODUCT, feature: 'none' }));
    expect(body[0]).toMatchObject({ name: 'users', type: 'table', columns: [], rows: [] });
  });

  it('applies ad-hoc filters, which also stand in for what the payload leaves out', async () => {
    const filters = [{ key: 'feature', operator: '=', value: FEATURE }];
    const filtered = await post(`${daemon.url}/query`, query('features', { product: '%' }, { filters }));
    expect(filtered.body[0].rows.map((row: string[]) => row[1])).toEqual([FEATURE]);
    const without = await post(
      `${daemon.url}/query`,
      query('history', { product: PRODUCT }, { adhocFilters: filters }),
    );
    expect(without.body[0].tags).toEqual({ product: PRODUCT, feature: FEATURE });
    const others = [{ key: 'product', operator: '!=', value: PRODUCT }];
    const rest = await post(`${daemon.url}/query`, query('products', {}, { filters: others }));
    expect(rest.body[0].rows.map(([name]: string[]) => name)).toEqual(['sim-lic02;sim_meshd', DOWN]);
  });

  it.each([
    ['package', '!=', {}],
    ['feature', '!=', { feature: '%', wildcard: 'upstream' }],
    ['product', '=', { product: '%', wildcard: 'upstream' }],
  ])('refuses an ad-hoc filter that cannot be applied: %s %s', async (key, operator, more) => {
    const filters = [{ key, operator, value: 'x' }];
    const { status, body } = await post(`${daemon.url}/query`, query('heatmap', { ...whose, ...more }, { filters }));
    const message = `heatmap: an ad-hoc filter on ${key} cannot be applied, because the analyzer adds up every ${key}`;
    expect([status, body.message]).toEqual([400, message]);
  });

  it('applies ad-hoc filters on packages', async () => {
    const ask = async (payload: object, operator: string, value: string) => {
      const filters = [{ key: 'package', operator, value }];
      return (await post(`${daemon.url}/query`, query('heatmap', { ...whose, ...payload }, { filters }))).body[0];
    };
    expect((await ask({}, '=', 'x')).meta.executedQueryString).toContain('&package=x&');
    expect((await ask({ package: 'x' }, '!=', 'y')).meta.executedQueryString).toContain('&package=x&');
    expect((await ask({ package: 'x' }, '=', 'y')).columns).toEqual([]);
    const filters = [{ key: 'feature', operator: '!=', value: FEATURE }];
    for (const [target, payload] of [
      ['features', { user: '%' }],
      ['expirations', { search: '0' }],
    ] as const) {
      const { body } = await post(`${daemon.url}/query`, query(target, { product: PRODUCT, ...payload }, { filters }));
      const column = body[0].columns.findIndex(({ text }: { text: string }) => text === 'Feature');
      const names = body[0].rows.map((row: string[]) => row[column]);
      expect(names.length).toBeGreaterThan(0);
      expect(names).not.toContain(FEATURE);
    }
  });

  it('undoes the escaping of the builder form and of payloads given as objects', async () => {
    const escaped = { product: 'sim\\-lic01;sim_cadd', feature: [`(${FEATURE}|sim\\.cad)`] };
    const scopedVars = { f: { text: 'All', value: [FEATURE, 'sim.cad'] } };
    const code = await post(
      `${daemon.url}/query`,
      query('reserved', { product: PRODUCT, feature: escaped.feature, shape: 'timeseries' }, { scopedVars }),
    );
    const titles = code.body.map(({ title }: { title: string }) => title);
    expect(titles[0]).toBe(`Reserved Licenses - ${FEATURE}`);
    expect(titles[3]).toBe('Reserved Licenses - sim.cad');
    const targets = [
      {
        refId: 'A',
        target: 'reserved',
        editorMode: 'builder',
        payload: { product: PRODUCT, feature: `(${FEATURE}|sim\\.cad)`, shape: 'timeseries' },
      },
    ];
    expect((await post(`${daemon.url}/query`, { range: range(2), targets })).body).toEqual(code.body);
  });

  it('withholds the usage of a server that is down, and shows null', async () => {
    const { body } = await post(`${daemon.url}/query`, query('features', { product: DOWN }));
    const columns = body[0].columns.map(({ text }: { text: string }) => text);
    const column = (name: string) => body[0].rows.map((row: unknown[]) => row[columns.indexOf(name)]);
    expect(new Set(column('In use'))).toEqual(new Set([null]));
    expect(new Set(column('Max queued'))).toEqual(new Set([null]));
    expect(column('Max available').every((value: unknown) => typeof value === 'number')).toBe(true);
  });
});

describe('what only the analyzer knows', () => {
  const never = new AbortController().signal;

  it('is asked for the features of a user, and withheld like the rest', async () => {
    const user = 'sim-user002';
    const { records } = await daemon.client.getFeatures({ product: PRODUCT, user }, never);
    expect(records.length).toBeGreaterThan(0);
    daemon.requests.length = 0;
    const { body } = await get(`${daemon.url}/rows/features?product=${PRODUCT}&user=${user}`);
    expect(body.rows.map((row: Record<string, unknown>) => [row.feature, row.in_use])).toEqual(
      records.map(({ feature, inUse }) => [feature, inUse]),
    );
    expect(daemon.requests).toEqual(['GetFeatures']);
    const down = await get(`${daemon.url}/rows/features?product=${DOWN}&user=%25`);
    expect(down.body.rows.length).toBeGreaterThan(0);
    for (const row of down.body.rows) expect(row).toMatchObject({ product: DOWN, in_use: null, max_queued: null });
  });

  it('is asked for expirations with a search level, a vendor license at a time', async () => {
    const { records } = await daemon.client.getExpirationFeatures({ product: PRODUCT, search: '2' }, never);
    daemon.requests.length = 0;
    const one = await get(`${daemon.url}/rows/expirations?product=${PRODUCT}&search=2`);
    const byExpiry = records.toSorted((a, b) => Number(a.licenseExpiration) - Number(b.licenseExpiration));
    expect(one.body.rows.map(({ feature }: { feature: string }) => feature)).toEqual(
      byExpiry.map(({ feature }) => feature),
    );
    expect(daemon.requests).toEqual(['GetExpirationFeatures']);
    const all = await get(`${daemon.url}/rows/expirations?product=%25&search=0&feature=sim-%25`);
    expect(new Set(all.body.rows.map(({ product }: { product: string }) => product)).size).toBe(3);
    const names = all.body.rows.map(({ feature }: { feature: string }) => feature);
    expect(names.every((name: string) => name.startsWith('sim-'))).toBe(true);
  });
});

describe('the window of efficiency and heat map', () => {
  const asked = async (payload: object, from: number, to: number): Promise<[string, string[], string]> => {
    const bounds = { from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() };
    const { body } = await post(`${daemon.url}/query`, query('heatmap', { ...whose, ...payload }, { range: bounds }));
    const { executedQueryString = '', notices = [] } = body[0].meta;
    return [executedQueryString.split('package=&')[1], notices.map(({ text }: { text: string }) => text), body[0].name];
  };
  const DAY = 86_400;

  it.each([
    ['6 hours', {}, 0.25, 0, 'year=2026&month=11&last=101', `last 24 hours${COVERS}`],
    ['a week', {}, 7, 0, 'year=2026&month=11&last=107', `last 7 days${COVERS}`],
    ['a month', {}, 30, 0, 'year=2026&month=11&last=465', `last 365 days${COVERS}`],
    ['three years', {}, 1100, 0, 'year=2026&month=11&last=465', 'last 365 days, the longest duration of the analyzer'],
    ['today, which ends at midnight', {}, 0.4, -0.6, 'year=2026&month=11&last=101', `last 24 hours${COVERS}`],
    ['a day and what is to come', {}, 1, -30, 'year=2026&month=11&last=101', `last 24 hours${COVERS}`],
    [
      'a week, with a duration of its own',
      { last: 'last-quarter' },
      7,
      0,
      'year=2026&month=11&last=401',
      'previous quarter',
    ],
    ['a code', { last: 201 }, 7, 0, 'year=2026&month=11&last=201', 'previous week'],
    ['a month of its own', { year: 2025, month: 3 }, 7, 0, 'year=2025&month=3', '2025-03'],
    ['a month of this year', { month: 3 }, 7, 0, 'year=2026&month=3', '2026-03'],
  ])('is %s', async (_, payload, before, end, window, shown) => {
    const [text, notices, name] = await asked(payload, WORKDAY - before * DAY, WORKDAY - end * DAY);
    expect([text, notices]).toEqual([window, [`shown: ${shown}`]]);
    expect(name).toBe(`Max In Use, ${shown.split(', ')[0]}`);
  });

  it('is the month in which a past range ends, by the calendar of the analyzer, and says so', async () => {
    // 13:00 UTC on 1 September; half of that day in Berlin is in the range
    const end = Date.UTC(2026, 8, 1, 13) / 1000;
    const notice = 'shown: 2026-09, because the time range does not end now';
    const name = 'Max In Use, 2026-09';
    expect(await asked({}, end - DAY, end)).toEqual(['year=2026&month=9', [notice], name]);
    const explicit = 'shown: 2026-09, because last last-day does not end now';
    expect(await asked({ last: 'last-day' }, end - DAY, end)).toEqual(['year=2026&month=9', [explicit], name]);
    // 23:30 UTC on 31 August is September in Berlin, but what the range shows is August
    const august = Date.UTC(2026, 7, 31, 23, 30) / 1000;
    expect((await asked({}, august - DAY, august))[2]).toBe('Max In Use, 2026-08');
  });
});

describe('GET /rows', () => {
  it('has columns for the names of several features', async () => {
    const product = encodeURIComponent(PRODUCT);
    const { body } = await get(`${daemon.url}/rows/reserved?product=${product}&feature={${FEATURE},sim-cad-1}`);
    expect(Object.keys(body.rows[0])).toEqual([
      'product',
      'feature',
      'category',
      'reserved_licenses',
      'distinct_users',
      'max_in_use',
    ]);
    expect(new Set(body.rows.map(({ feature }: { feature: string }) => feature))).toEqual(
      new Set([FEATURE, 'sim-cad-1']),
    );
    const repeated = await get(`${daemon.url}/rows/reserved?product=${product}&feature=${FEATURE}&feature=sim-cad-1`);
    expect(repeated.body).toEqual(body);
    // a ";" that was not written %3B, as curl sends it
    const plain = await get(`${daemon.url}/rows/reserved?product=${PRODUCT}&feature=${FEATURE}&feature=sim-cad-1`);
    expect(plain.body).toEqual(body);
  });

  it('has no row when there is nothing', async () => {
    const { body } = await get(`${daemon.url}/rows/server_down?filters=none`);
    expect(body).toEqual({ rows: [], notices: [], total: 0 });
  });
});

describe('lists of names', () => {
  it('give the targets and their keys to the builder form', async () => {
    const { body } = await post(`${daemon.url}/metrics`, {});
    expect(body.map(({ value }: { value: string }) => value).join(', ')).toBe(TARGETS);
    expect(body[0]).toEqual({
      value: 'history',
      label: 'Utilisation history',
      payloads: [
        { name: 'product', label: 'Product', type: 'select', width: 40, reloadMetric: false },
        { name: 'feature', label: 'Feature', type: 'select', width: 30 },
        { name: 'package', label: 'Package', type: 'input' },
        {
          name: 'pattern',
          label: 'Pattern',
          type: 'select',
          options: ['true', 'false'].map((value) => ({ label: value, value })),
        },
        {
          name: 'ftype',
          label: 'Type',
          type: 'select',
          options: ['feature', 'package', 'component'].map((value) => ({ label: value, value })),
        },
        {
          name: 'wildcard',
          label: 'Wildcard',
          type: 'select',
          options: ['expand', 'upstream'].map((value) => ({ label: value, value })),
        },
        {
          name: 'shape',
          label: 'Shape',
          type: 'select',
          options: ['timeseries', 'long', 'totals', 'annotations'].map((value) => ({ label: value, value })),
        },
        { name: 'sort', label: 'Sort', type: 'input' },
        { name: 'top', label: 'Top', type: 'input' },
        { name: 'columns', label: 'Columns', type: 'input' },
        { name: 'with', label: 'Rows with', type: 'input' },
        { name: 'none', label: 'Text for no row', type: 'input' },
        {
          name: 'complete',
          label: 'Complete',
          type: 'select',
          options: ['true', 'false'].map((value) => ({ label: value, value })),
        },
      ],
    });
    for (const { payloads } of body) for (const { name } of payloads) expect(typeof name).toBe('string');
  });

  it('give options of a parameter, by the escaped product, and none instead of an error', async () => {
    const options = async (name: string, payload: unknown) =>
      (await post(`${daemon.url}/metric-payload-options`, { metric: 'history', name, payload })).body;
    expect(await options('feature', { product: `(${PRODUCT}|sim-lic02;sim_meshd)` })).toContainEqual({
      label: FEATURE,
      value: FEATURE,
    });
    expect(await options('product', {})).toContainEqual({ label: PRODUCT, value: PRODUCT });
    expect(await options('feature', {})).toEqual([]);
    expect(await options('feature', { product: '' })).toEqual([]);
    expect(await options('nothing', { product: PRODUCT })).toEqual([]);
    expect((await post(`${daemon.url}/metric-payload-options`, {})).body).toEqual([]);
  });

  it('give the values of variables, each once', async () => {
    const values = async (payload: object) =>
      (await post(`${daemon.url}/variable`, { payload, range: range(1) })).body.map(
        ({ __text, __value }: Record<string, string>) => {
          expect(__text).toBe(__value);
          return __value;
        },
      );
    expect(await values({ target: 'products' })).toEqual([PRODUCT, 'sim-lic02;sim_meshd', DOWN]);
    expect(await values({ target: 'features', product: PRODUCT })).toEqual([
      'sim-cad-1',
      FEATURE,
      'sim-route-4',
      'sim-solver-3',
    ]);
    expect(await values({ target: 'features', product: [PRODUCT, DOWN] })).toHaveLength(8);
    expect(await values({ target: 'packages' })).toEqual([]);
    expect(await values({ target: '' })).toEqual([]);
    const users = await values({ target: 'users', product: PRODUCT, feature: FEATURE });
    expect(users).toContain('sim-user002');
    expect(new Set(users).size).toBe(users.length);
  });

  it('give keys and values of ad-hoc filters', async () => {
    expect((await post(`${daemon.url}/tag-keys`, {})).body).toEqual(
      ['product', 'feature', 'package'].map((text) => ({ type: 'string', text })),
    );
    expect((await post(`${daemon.url}/tag-values`, { key: 'product' })).body).toContainEqual({ text: PRODUCT });
    expect((await post(`${daemon.url}/tag-values`, { key: 'host' })).body).toEqual([]);
  });
});

describe('health', () => {
  it.each(['', '/', '?x'])('is good while the analyzer answers: %s', async (suffix) => {
    const { status, body } = await get(`${daemon.url}${suffix}`);
    expect([status, body]).toEqual([
      200,
      { status: 'ok', vendor_licenses: 3, polled_at: new Date(WORKDAY * 1000).toISOString() },
    ]);
    expect((await fetch(`${daemon.url}${suffix}`, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('a body of any shape', () => {
  /** Names that every object has, and names that requests have. */
  const names = [
    'toString',
    'valueOf',
    '__proto__',
    'constructor',
    'target',
    'targets',
    'payload',
    'product',
    'name',
    'key',
  ];
  const leaf = fc.oneof(fc.constantFrom(null, true, 1, '', 'features', 'product', 'users', PRODUCT), fc.string());
  const { body } = fc.letrec<{ value: unknown; body: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('body')),
    body: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5, noNullPrototype: true }),
  }));
  const paths = [
    'query',
    'search',
    'metrics',
    'metric-payload-options',
    'variable',
    'tag-keys',
    'tag-values',
    'annotations',
  ];

  it('is never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), body, async (path, json) => {
        expect((await post(`${daemon.url}/${path}`, json)).status).toBeLessThan(500);
      }),
      { numRuns: isLong ? 400 : 100 },
    );
  });
});

describe('the text for no row', () => {
  const none = 'No license is idle';
  const resultOf = async (target: string, payload: object) =>
    (await post(`${daemon.url}/query`, query(target, { ...payload, none }))).body;

  it('is the only row if it is known that no row exists', async () => {
    const [item] = await resultOf('expirations', { product: PRODUCT, feature: FEATURE, status: ['ended'] });
    expect(item).toMatchObject({ columns: [{ text: 'Result', type: 'string' }], rows: [[none]] });
    const [users] = await resultOf('users', { product: PRODUCT, feature: 'none' });
    expect(users.rows).toEqual([[none]]);
  });

  it('is not shown beside rows', async () => {
    const [{ columns, rows }] = await resultOf('features', { product: PRODUCT });
    expect(columns.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(none);
  });

  it('is replaced by what is not known: the usage of a server that is down', async () => {
    const [{ rows }] = await resultOf('features', { product: DOWN, with: ['In use'] });
    expect(rows).toEqual([['None is known, but there is no data about in use of 4 features']]);
  });
});
