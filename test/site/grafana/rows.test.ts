import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { flatRows, table } from '../../../src/site/grafana/answers/panel-data.ts';
import { type Target, targets } from '../../../src/site/grafana/answers/targets.ts';
import { rowValues } from '../../../src/site/grafana/protocols/rows.ts';
import { type Daemon, DOWN, FEATURE, get, PRODUCT, type Reply, startDaemon } from '../../support/datasource-daemon.ts';
import { json, startFaulty, status } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startApp, WORKDAY } from '../../support/harness.ts';

/** The rows for Infinity, curl and scripts. */

const daemonCleanup = createCleanup();
let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(daemonCleanup, {}, { vendorLicenses: 3, featuresPerVendorLicense: 4, historyDays: 90 });
});
afterAll(() => daemonCleanup.run());
const cleanup = createCleanup();
afterEach(() => cleanup.run());

type Row = Readonly<Record<string, string | number | boolean | null>>;
type Parameters = Readonly<Record<string, string | readonly string[]>>;

const DAY = 86_400_000;
const now = WORKDAY * 1000;
const whose = { product: PRODUCT, feature: FEATURE };

/** The end of the range is now. */
const last = (days: number) => ({ from: String(now - days * DAY), to: String(now) });

async function ask(target: string, parameters: Parameters, url = daemon.url): Promise<Reply> {
  const sent = new URLSearchParams();
  for (const [name, values] of Object.entries(parameters))
    for (const value of [values].flat()) sent.append(name, value);
  return get(`${url}/rows/${target}?${sent}`);
}

async function answerOf(target: string, parameters: Parameters, url?: string) {
  const { status: code, body } = await ask(target, parameters, url);
  expect({ code, body }).toMatchObject({ code: 200 });
  expect(Object.keys(body)).toEqual(['rows', 'notices', 'total']);
  return body as { rows: Row[]; notices: { severity: string; text: string }[]; total: number };
}

const rowsOf = async (target: string, parameters: Parameters, url?: string): Promise<readonly Row[]> =>
  (await answerOf(target, parameters, url)).rows;

const keysOf = (row: Row | undefined): string => Object.keys(row ?? {}).join(' ');
const timesOf = (rows: readonly Row[]): readonly number[] => rows.map(({ time }) => Number(time));

describe('a parameter', () => {
  it.each([
    ['["a,b","c{d}"]', ['a,b', 'c{d}']],
    ['["{a,b}"]', '{a,b}'],
    ['["[a]", " a ", "\\"\\\\"]', ['[a]', ' a ', '"\\']],
    ['[]', []],
    ['{a,b}', ['a', 'b']],
    // no list of texts, so a text
    ['[a]', '[a]'],
    ['["a"', '["a"'],
    ['["a",1]', '["a",1]'],
    ['[["a"]]', '[["a"]]'],
    [' ["a"]', ' ["a"]'],
    ['a,b', 'a,b'],
  ])('is a list in JSON, a glob, or the text itself: %s', (raw, values) => {
    expect(rowValues(raw)).toEqual(values);
  });

  it('can be repeated, in each of these forms', () => {
    expect(rowValues(['["a,b"]', '{c,d}', 'e'])).toEqual(['a,b', 'c', 'd', 'e']);
  });

  it.each([
    ['product', ['']],
    ['product', ['[]']],
    ['product', ['', ' ']],
    ['feature', ['["",""]']],
    ['feature', ['']],
  ])('that names nothing does not mean everything: %s=%o', async (name, value) => {
    for (const target of ['history', 'rightsizing', 'expirations', 'attention']) {
      const { status: code, body, reason } = await ask(target, { ...whose, [name]: value });
      const noun = name === 'product' ? 'vendor license' : 'feature';
      const message = `${target}: ${name} is empty: no ${noun} is chosen`;
      expect([code, body.error, reason]).toEqual([400, { code: 'missing_parameter', message }, message]);
    }
  });

  it('that is empty is nothing for any other name, and where a target has no such name', async () => {
    const all = await rowsOf('expirations', { product: '%' });
    expect(await rowsOf('expirations', { product: '%', package: '', top: '', columns: '', status: '[]' })).toEqual(all);
    expect(await rowsOf('products', { product: '' })).toHaveLength(3);
    expect(await rowsOf('expirations', { product: ['', '%'] })).toEqual(all);
  });

  it.each(Object.entries(targets) as [string, Target][])(
    'names a shape that rows have: %s',
    async (target, { rowShapes, shapes }) => {
      for (const shape of [...shapes, 'timeserie'].filter((name) => !rowShapes.includes(name))) {
        const { status: code, body } = await ask(target, { ...whose, shape });
        const message = `${target}: shape is "${shape}", not one of ${rowShapes.join(', ')}`;
        expect([code, body.error]).toEqual([400, { code: 'bad_parameter', message }]);
      }
    },
  );
});

describe('hostile names', () => {
  const names = [
    'a,b',
    'c{d}',
    '{e,f}',
    '"quoted"',
    "it's",
    'back\\slash',
    '100%',
    'a%b',
    ' spaces ',
    '[1]',
    '["x"]',
    'a;b',
    'a&b=c',
    'a+b',
    'ümlaut ☃',
  ];

  it('reach what they name, alone and together, and nothing else', async () => {
    const faulty = await startFaulty(cleanup);
    const records = [...names, 'other', 'axb', '1001'].map((Feature) => ({ Feature, LicenseExpiration: 0 }));
    faulty.break('GetExpirationFeatures', json(JSON.stringify(records)));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const found = async (feature: string | readonly string[]) => {
      const parameters = { product: PRODUCT, feature, status: 'permanent', columns: 'feature' };
      return (await rowsOf('expirations', parameters, `${app.url}/grafana`)).map((row) => row.feature);
    };
    for (const name of names) expect([name, await found(JSON.stringify([name]))]).toEqual([name, [name]]);
    expect((await found(JSON.stringify(names))).toSorted()).toEqual(names.toSorted());
    expect((await found(names.map((name) => JSON.stringify([name])))).toSorted()).toEqual(names.toSorted());
  });

  it('reach the analyzer as they are', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    for (const name of names.filter((text) => !text.includes('%'))) {
      faulty.seen.length = 0;
      await ask('history', { product: '["lic,01;d{a}"]', feature: JSON.stringify([name]) }, `${app.url}/grafana`);
      expect(faulty.seen).toEqual([expect.stringContaining(`product=lic,01;d{a}&feature=${name}`)]);
    }
  });
});

describe('every shape', () => {
  const all = { product: '%', feature: '%' };
  const keys: Readonly<Record<string, string>> = {
    'history long': 'product feature time max_available elapsed_time denials',
    'history days': 'product feature time max_available max_in_use distinct_users reserved_licenses',
    'history periods': 'product feature period elapsed_time denials max_available',
    'history totals': 'product feature denials days_with_denials license_hours max_available',
    'history annotations': 'time title text tags',
    'reserved long': 'product feature category reserved_licenses distinct_users max_in_use',
    'efficiency long': 'product feature category total_duration',
    'heatmap long': 'product feature hour weekday weekday_index value',
    'heatmap wide': 'hour mon tue wed thu fri sat sun bought',
    'expirations months': 'month licenses_expiring vendor_licenses first',
    'expirations totals':
      'expired within_7_days within_21_days within_30_days within_90_days later permanent without_date',
    'expirations annotations': 'time title text tags',
    'features totals': 'features saturated in_use max_queued inactive_use borrowed_use unused_reserve',
    'server_down table': 'product server daemon qualifier last_collection',
  };

  it.each(
    (Object.entries(targets) as [string, Target][])
      // without right-sizing and alerts
      .filter(([, { from }]) => from === 'analyzer' || from === 'poll')
      .flatMap(([target, { rowShapes }]) => rowShapes.map((shape) => [target, shape] as const)),
  )(
    'is a list of flat rows with the same keys, one type a column, and no more than its total: %s %s',
    async (target, shape) => {
      const named = shape === 'wide' ? whose : all;
      const asked = { ...named, ...(target === 'expirations' ? {} : last(30)) };
      const { rows, total } = await answerOf(target, { ...asked, shape });
      expect(rows.length).toBeGreaterThan(0);
      expect(total).toBe(rows.length);
      const [first] = rows;
      expect(keysOf(first)).toBe(keys[`${target} ${shape}`] ?? keysOf(first));
      for (const row of rows) expect(keysOf(row)).toBe(keysOf(first));
      for (const key of Object.keys(first ?? {})) {
        const types = new Set(
          rows
            .map((row) => row[key])
            .filter((value) => value !== null)
            .map((value) => typeof value),
        );
        expect([key, types.size <= 1]).toEqual([key, true]);
      }
      const isDefault = (targets[target as keyof typeof targets] as Target).rowShapes[0] === shape;
      if (isDefault) expect(await rowsOf(target, asked)).toEqual(rows);
    },
  );

  it('is cut by top, and says of how many rows', async () => {
    for (const [target, shape] of [
      ['history', 'days'],
      ['history', 'periods'],
      ['history', 'annotations'],
      ['expirations', 'months'],
      ['expirations', 'annotations'],
      ['heatmap', 'wide'],
    ] as const) {
      const asked = {
        product: target === 'expirations' ? '%' : PRODUCT,
        feature: target === 'expirations' ? '%' : FEATURE,
        shape,
      };
      const range = target === 'expirations' ? {} : last(30);
      const { rows } = await answerOf(target, { ...asked, ...range });
      expect(rows.length).toBeGreaterThan(2);
      const cut = await answerOf(target, { ...asked, ...range, top: '2' });
      expect([shape, cut.rows, cut.total]).toEqual([shape, rows.slice(0, 2), rows.length]);
      expect(cut.notices.at(-1)?.text).toMatch(new RegExp(`^2 of ${rows.length} rows`));
    }
  });

  it('is in the order and with the columns that are asked for', async () => {
    const parameters = { ...whose, ...last(30), shape: 'days', sort: '-time', columns: ['max_in_use', 'Time'] };
    const rows = await rowsOf('history', parameters);
    expect(keysOf(rows[0])).toBe('max_in_use time');
    expect(timesOf(rows)).toEqual(timesOf(rows).toSorted((a, b) => b - a));
    const events = await rowsOf('history', { ...whose, shape: 'annotations', columns: 'text', top: '1' });
    expect(events).toEqual([{ text: expect.stringMatching(/^2026-\d\d-\d\d: \d+ denials? of sim-mesh-2/) }]);
  });
});

describe('days', () => {
  /** The first and the last time, and the number of rows. */
  const spanOf = (rows: readonly Row[]) => [timesOf(rows)[0], timesOf(rows).at(-1), rows.length];

  it('draw a line over 6 hours, 24 hours, 30 days and a year, and none beyond the data', async () => {
    const of = async (days: number) => spanOf(await rowsOf('history', { ...whose, ...last(days), shape: 'days' }));
    expect(await of(0.25)).toEqual([now - DAY / 4, now, 2]);
    // most of yesterday is in the range
    expect(await of(1)).toEqual([now - DAY, now, 3]);
    expect(await of(30)).toEqual([now - 30 * DAY, now, 32]);
    // what is recorded since 20 August, by weeks from a Monday on
    const first = Date.parse('2026-08-17T00:00:00+02:00');
    expect(await of(365)).toEqual([first, now, 15]);
  });

  it('begin at midnight of the analyzer on both sides of the clock change, and end with a range of the past', async () => {
    const range = {
      from: String(Date.parse('2026-10-24T00:00:00+02:00')),
      to: String(Date.parse('2026-10-26T00:00:00+01:00')),
    };
    const rows = await rowsOf('history', { ...whose, ...range, shape: 'days' });
    expect(timesOf(rows).map((time) => new Date(time).toISOString())).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      // this day has 25 hours
      '2026-10-25T23:00:00.000Z',
    ]);
    expect({ ...rows[2], time: 0 }).toEqual({ ...rows[1], time: 0 });
  });

  it('have what both endpoints answer', async () => {
    const parameters = { ...whose, ...last(30) };
    const [days, history, reserved] = await Promise.all([
      rowsOf('history', { ...parameters, shape: 'days' }),
      rowsOf('history', parameters),
      rowsOf('reserved', parameters),
    ]);
    const steps = days.slice(0, -1);
    expect(steps.map(({ max_available }) => max_available)).toEqual(history.map(({ max_available }) => max_available));
    for (const key of ['max_in_use', 'distinct_users', 'reserved_licenses']) {
      expect(steps.map((row) => row[key])).toEqual(reserved.map((row) => row[key]));
    }
    expect(days.at(-1)).toEqual({ ...steps.at(-1), time: now });
  });

  it('ascend for each of several features, and name it', async () => {
    const rows = await rowsOf('history', {
      product: PRODUCT,
      feature: '["sim-mesh-2","sim-cad-1"]',
      ...last(7),
      shape: 'days',
    });
    for (const feature of ['sim-mesh-2', 'sim-cad-1']) {
      const times = timesOf(rows.filter((row) => row.feature === feature));
      expect([times.length, new Set(times).size, times]).toEqual([9, 9, times.toSorted((a, b) => a - b)]);
    }
    expect(rows).toHaveLength(18);
  });

  it('say which of their columns are not known, and why', async () => {
    const faulty = await startFaulty(cleanup, { now: () => WORKDAY });
    const app = await startApp(
      createConfig(faulty.url, { 'datasource.cache_ttl': '0s', 'datasource.time_zone': 'Europe/Berlin' }),
    );
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const url = `${app.url}/grafana`;
    const range = { from: String(Date.now() - DAY), to: String(Date.now()) };
    const asked = { ...whose, ...range, shape: 'days' };
    const isKnown = (rows: readonly Row[]) =>
      ['max_available', 'max_in_use'].map((key) => rows.length > 0 && rows.every((row) => row[key] !== null));
    expect(isKnown(await rowsOf('history', asked, url))).toEqual([true, true]);
    faulty.break('GetHistoryReserved?', status(500));
    const trend = await answerOf('history', asked, url);
    expect(isKnown(trend.rows)).toEqual([true, false]);
    expect(trend.notices).toEqual([
      {
        severity: 'warning',
        text: 'Max In Use, Distinct Users, Reserved Licenses: no data, because the analyzer answered 500',
      },
    ]);
    faulty.break('GetHistory?', status(500));
    const reserved = await answerOf('history', asked, url);
    expect(isKnown(reserved.rows)).toEqual([false, true]);
    expect(reserved.notices).toEqual([
      { severity: 'warning', text: 'Max Available: no data, because the analyzer answered 500' },
    ]);
    faulty.break('GetHistory', status(500));
    const none = await ask('history', asked, url);
    expect([none.status, none.body.error.code]).toEqual([502, 'upstream_status']);
    // one of two features
    faulty.break('feature=sim-cad-1', status(500));
    const part = await answerOf('history', { ...asked, feature: '["sim-mesh-2","sim-cad-1"]' }, url);
    expect(new Set(part.rows.map((row) => row.feature))).toEqual(new Set(['sim-mesh-2']));
    expect(part.notices).toEqual([{ severity: 'error', text: 'feature "sim-cad-1": the analyzer answered 500' }]);
  });

  it('have no row of a feature that is not known', async () => {
    const { rows, total } = await answerOf('history', { product: PRODUCT, feature: 'none', ...last(7), shape: 'days' });
    expect([rows, total]).toEqual([[], 0]);
  });
});

describe('periods', () => {
  const of = (days: number, more: Parameters = {}) =>
    answerOf('history', { ...whose, ...last(days), shape: 'periods', ...more });
  const periodsOf = (rows: readonly Row[]) => rows.map(({ period }) => String(period));

  it.each([
    [30, 'day', '2026-10-19', '2026-11-18', 31],
    [61, 'day', '2026-09-18', '2026-11-18', 62],
    [62.5, 'week', '2026-09-14', '2026-11-16', 10],
    // of what is recorded
    [365, 'week', '2026-08-17', '2026-11-16', 14],
    [430, 'month', '2026-08', '2026-11', 4],
  ])('of %d days are bars that can be told apart: each a %s', async (days, unit, first, latest, count) => {
    const { rows, notices } = await of(days);
    const periods = periodsOf(rows);
    expect([periods[0], periods.at(-1), periods.length]).toEqual([first, latest, count]);
    expect(periods).toEqual(periods.toSorted());
    expect(notices).toContainEqual({ severity: 'info', text: `a bar is a ${unit}` });
    const [totals] = await rowsOf('history', { ...whose, ...last(days), shape: 'totals' });
    const sum = (key: string) => rows.reduce((total, row) => total + Number(row[key]), 0);
    expect(sum('denials')).toBe(totals?.denials);
    expect(sum('elapsed_time')).toBeCloseTo(Number(totals?.license_hours), 6);
    expect(Math.max(...rows.map((row) => Number(row.max_available)))).toBe(totals?.max_available);
  });
});

describe('a wide heat map', () => {
  it('has the values of the long one, Monday first', async () => {
    const long = await rowsOf('heatmap', { ...whose, last: 'last-7-days' });
    const wide = await rowsOf('heatmap', { ...whose, last: 'last-7-days', shape: 'wide' });
    expect(wide.map(({ hour }) => hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
    expect(long.length).toBeGreaterThan(150);
    for (const { hour, weekday, value } of long) {
      expect(wide[Number(hour)]?.[String(weekday).toLowerCase()]).toBe(value);
    }
    const [live] = await rowsOf('features', { product: PRODUCT, filters: FEATURE });
    expect(wide.map(({ bought }) => bought)).toEqual(wide.map((_, i) => (i === 0 ? live?.bought : null)));
    expect(live?.bought).toEqual(expect.any(Number));
    const known = wide
      .flatMap(({ hour: _, bought: __, ...days }) => Object.values(days))
      .filter((value) => value !== null);
    expect(known).toHaveLength(long.length);
  });

  it('has no row without a value, and is of one feature', async () => {
    const none = await answerOf('heatmap', { product: PRODUCT, feature: 'none', shape: 'wide' });
    expect([none.rows, none.total]).toEqual([[], 0]);
    const { status: code, body } = await ask('heatmap', { product: PRODUCT, feature: '%', shape: 'wide' });
    const message = 'heatmap: wide is of one vendor license and feature, but 4 match; narrow the selection';
    expect([code, body.error]).toEqual([400, { code: 'bad_parameter', message }]);
  });
});

describe('columns', () => {
  it('have numbers of licenses, and a type that says which are uncounted', async () => {
    for (const target of ['features', 'expirations']) {
      const rows = await rowsOf(target, { product: '%', columns: '{feature,bought,license_type}' });
      for (const { bought, license_type: type } of rows) {
        expect(type).toMatch(/^floating$|^node-locked$|^uncounted$/);
        expect(typeof bought).toBe(type === 'uncounted' ? 'object' : 'number');
      }
      expect(rows.length).toBeGreaterThan(3);
    }
    expect(keysOf((await rowsOf('expirations', { product: '%' }))[0])).not.toContain('license_type');
  });

  it('of texts have texts, also where an analyzer sends numbers', () => {
    const columns = [
      { text: 'Status', type: 'string' },
      { text: 'In use', type: 'number' },
    ] as const;
    const rows = [
      ['active', 1],
      [3, 2],
      [true, null],
      [null, 0],
    ] as const;
    expect([...flatRows([table('users', columns, rows)])]).toEqual([
      { status: 'active', in_use: 1 },
      { status: '3', in_use: 2 },
      { status: 'true', in_use: null },
      { status: null, in_use: 0 },
    ]);
  });

  it('that are sums are known by their keys too', async () => {
    const [byName] = await rowsOf('products', { columns: ['Product', 'In use', 'Bought'] });
    const [byKey] = await rowsOf('products', { columns: '{product,in_use,bought}' });
    expect(byName?.in_use).toBeGreaterThan(0);
    expect(byKey).toEqual(byName);
  });

  it('of users are sorted by who holds a license longest, unless another order is asked for', async () => {
    const sinceOf = async (more: Parameters) =>
      (await rowsOf('users', { ...whose, ...more })).map((row) => Number(row.since));
    const since = await sinceOf({});
    expect(since).toEqual(since.toSorted((a, b) => a - b));
    expect(new Set(since).size).toBeGreaterThan(3);
    expect(await sinceOf({ sort: '-since' })).toEqual(since.toReversed());
    const byName = (await rowsOf('users', { ...whose, sortdatafield: 'Username' })).map(({ user }) => String(user));
    expect(byName).toEqual(byName.toSorted());
  });
});

describe('the note', () => {
  const noted = (...columns: string[]) => ({ columns: [...columns, 'note'] });

  it('is null beside rows, and a column like any other', async () => {
    for (const [target, shape] of [
      ['features', 'table'],
      ['history', 'long'],
      ['history', 'totals'],
      ['history', 'periods'],
      ['expirations', 'months'],
    ] as const) {
      const column = { features: 'feature', history: 'max_available', expirations: 'first' }[target];
      const { rows, total } = await answerOf(target, { ...whose, ...last(7), shape, ...noted(column) });
      expect([shape, rows.length > 0, total]).toEqual([shape, true, rows.length]);
      for (const row of rows) expect([keysOf(row), row.note]).toEqual([`${column} note`, null]);
    }
    const first = await rowsOf('products', { columns: ['Note', 'product'], top: '1' });
    expect(first).toEqual([
      { note: '1 of 3 rows, by Product', product: null },
      { note: null, product: PRODUCT },
    ]);
  });

  it.each([
    ['history', 'days'],
    ['history', 'annotations'],
    ['heatmap', 'wide'],
    ['features', 'totals'],
    ['expirations', 'totals'],
  ])('has no place in %s %s', async (target, shape) => {
    const { status: code, body } = await ask(target, { ...whose, shape, columns: 'note' });
    expect([code, body.message]).toEqual([400, expect.stringContaining('columns "note" is not a column; valid are ')]);
  });

  it('is no column that rows are sorted or chosen by, and is there only if it is asked for', async () => {
    expect((await ask('products', { sort: 'note' })).status).toBe(400);
    expect((await ask('products', { with: 'note' })).status).toBe(400);
    expect(await rowsOf('products', { filters: 'none', none: 'x' })).toEqual([]);
  });

  it('says that there is nothing', async () => {
    const asked = { ...whose, status: 'ended', ...noted('feature', 'days_left') };
    expect(await answerOf('expirations', asked)).toEqual({
      rows: [{ feature: null, days_left: null, note: 'Nothing' }],
      notices: [],
      total: 0,
    });
    const [row] = await rowsOf('expirations', { ...asked, none: 'None has expired' });
    expect(row).toEqual({ feature: null, days_left: null, note: 'None has expired' });
    const users = await rowsOf('users', { product: PRODUCT, feature: 'none', none: 'Nobody', columns: 'note' });
    expect(users).toEqual([{ note: 'Nobody' }]);
  });

  it('says what is not known', async () => {
    const down = await rowsOf('features', { product: DOWN, with: 'in_use', none: 'None', ...noted('feature') });
    expect(down).toEqual([{ feature: null, note: 'None is known, but there is no data about in use of 4 features' }]);
    for (const target of ['history', 'reserved', 'heatmap']) {
      const rows = await rowsOf(target, { product: PRODUCT, feature: 'none', none: 'None', columns: 'note' });
      expect([target, rows]).toEqual([target, [{ note: 'None is known, but there is no data about the time range' }]]);
    }
  });

  it('says what is missing, before the rows that are known', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await startApp(createConfig(faulty.url, { 'access.names': '*' }));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const url = `${app.url}/grafana`;
    faulty.break('feature=x', status(500));
    const names = ['x1', 'x2', 'x3', 'x4', 'x5'];
    const asked = { product: PRODUCT, ...noted('feature') };
    const note = (all: string): string => `features ${all}: the analyzer answered 500`;
    const { rows, total, notices } = await answerOf(
      'users',
      { ...asked, feature: JSON.stringify([...names.slice(0, 2), FEATURE]) },
      url,
    );
    // one reason is said once
    expect(rows[0]).toEqual({ feature: null, note: note('"x1", "x2"') });
    expect(rows.slice(1).length).toBe(total);
    expect(total).toBeGreaterThan(0);
    for (const row of rows.slice(1)) expect(row).toEqual({ feature: FEATURE, note: null });
    expect(notices).toHaveLength(1);
    // without a row, too, and never "nothing"
    const none = await rowsOf(
      'history',
      { ...asked, feature: JSON.stringify([...names, 'unknown']), none: 'None' },
      url,
    );
    expect(none).toEqual([
      { feature: null, note: expect.stringMatching(/^features "x1", "x2", .*: the analyzer answered 500$/) },
    ]);
    faulty.break(undefined);
  });

  it('says that names and advice are not served, in place of an error', async () => {
    const faulty = await startFaulty(cleanup);
    const app = await startApp(createConfig(faulty.url, { 'access.names': 'auto' }));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const url = `${app.url}/grafana`;
    for (const [target, code] of [
      ['users', 403],
      ['rightsizing', 503],
    ] as const) {
      const refused = await ask(target, whose, url);
      expect(refused.status).toBe(code);
      const { message } = refused.body;
      expect(await answerOf(target, { ...whose, columns: ['feature', 'Note'] }, url)).toEqual({
        rows: [{ feature: null, note: message }],
        notices: [{ severity: 'warning', text: message }],
        total: 0,
      });
    }
    // an error of the request, or of the analyzer, stays one
    expect((await ask('users', { product: PRODUCT, columns: 'note' }, url)).status).toBe(400);
    faulty.break('GetHistory', status(500));
    expect((await ask('history', { ...whose, columns: 'note' }, url)).status).toBe(502);
  });
});

describe('an answer in part', () => {
  it('has the rows that are known, and why others are missing', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetExpirationFeatures?product=sim-lic02', status(500));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const url = `${app.url}/grafana`;
    const text = 'GetExpirationFeatures of sim-lic02;sim_meshd: the analyzer answered 500';
    for (const shape of ['table', 'months', 'totals', 'annotations']) {
      const { rows, notices } = await answerOf('expirations', { product: '%', shape }, url);
      expect([shape, rows.length > 0, notices]).toEqual([shape, true, [{ severity: 'warning', text }]]);
    }
    const [note] = await rowsOf('expirations', { product: '%', columns: ['product', 'note'] }, url);
    expect(note).toEqual({ product: null, note: text });
    // nothing could be had
    const none = await ask('expirations', { product: 'sim-lic02;sim_meshd' }, url);
    expect([none.status, none.body.error.code]).toEqual([502, 'upstream_status']);
  });
});
