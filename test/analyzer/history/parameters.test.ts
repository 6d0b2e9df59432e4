import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Endpoint,
  type EndpointName,
  endpointNames,
  endpoints,
  type Parameter,
} from '../../../src/base/query-api/endpoints.ts';
import { readJson } from '../../../src/base/query-api/json.ts';
import { type Answer, type Connection, connectTo, sendRaw } from '../../support/connection.ts';
import { startAnalyzer, WORKDAY } from '../../support/harness.ts';

/** Every parameter of every endpoint with every kind of value, over HTTP; each answer is checked against the OpenAPI document. */

let now = WORKDAY - 3600;
let connection: Connection;
let url = '';
let stop: () => Promise<void>;
/** A valid request to each endpoint that finds something, all parameters given. */
let base: Record<EndpointName, Record<string, string>>;

beforeAll(async () => {
  const analyzer = await startAnalyzer({ vendorLicenses: 6, now: () => now }, { gate: 'none' });
  const [first] = analyzer.collector.current();
  analyzer.site.force({ down: [first?.name ?? ''] });
  now = WORKDAY;
  await analyzer.collector.collect();
  stop = () => analyzer.stop();
  url = analyzer.url;
  connection = connectTo(url);
  const [found] = analyzer.collector
    .current()
    .flatMap(({ name, observation }) =>
      observation.pools
        .filter((each) => each.package !== '' && each.checkouts.length > 0)
        .map((each) => ({ product: name, pool: each, user: each.checkouts[0]?.user ?? '' })),
    );
  if (found === undefined) throw new Error('the simulated site has no package in use');
  const { product, pool, user } = found;
  const whose = { product, feature: pool.feature, package: pool.package };
  const window = { ...whose, year: '2026', month: '11', last: '107', type: pool.featureType };
  base = {
    GetProducts: { filters: product, package: pool.package, feature: pool.feature, user },
    GetFeatures: { product, package: pool.package, user, filters: pool.feature },
    GetUsers: {
      format: 'sql',
      ...whose,
      type: pool.featureType,
      tokenpool: '',
      sortdatafield: 'UsageTime',
      sortorder: 'desc',
      filters: user,
    },
    GetServerDown: { filters: first?.name ?? '' },
    GetExpirationFeatures: { product, package: pool.package, filters: pool.feature, search: '2' },
    GetHistory: { ...whose, ftype: pool.featureType },
    GetHistoryReserved: { ...whose, ftype: pool.featureType },
    GetEfficiency: window,
    GetHeatMap: window,
    GetHttpUserName: {},
    GetConcurrentUsers: {},
  };
});
afterAll(async () => {
  connection.close();
  await stop();
});

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { responses: Record<string, { content: object }> }>>>
  >;
}
const openApi = JSON.parse(readFileSync(join(import.meta.dirname, '../../../deploy/openapi.json'), 'utf8')) as OpenApi;
const ajv = new Ajv2020({ strict: false });
ajv.addSchema(openApi, 'openapi');

/** What is wrong with a body, by the document. */
function violations(name: EndpointName, { status, body, headers }: Answer): unknown {
  const { path, method } = endpoints[name];
  const type = String(headers['content-type']).split(';', 1)[0] ?? '';
  const quote = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
  const validate = ajv.getSchema(`openapi#/${pointer.map(quote).join('/')}`);
  if (validate === undefined) return `no schema for ${name} ${status} ${type}`;
  const isJson = type === 'application/json';
  // x-nan: the literal reads as the empty string, where a number is specified
  const value = isJson
    ? (JSON.parse(JSON.stringify(readJson(Buffer.from(body))), (key, item) =>
        key.startsWith('Log') && item === '' ? 0 : item,
      ) as unknown)
    : String(body);
  return validate(value) ? [] : validate.errors;
}

async function ask(name: EndpointName, query: string): Promise<Answer> {
  const { path, method } = endpoints[name];
  const answer = await connection.send(`/analyzer${path}?${query}`, { method });
  expect({ name, query: query.slice(0, 200), violations: violations(name, answer) }).toMatchObject({ violations: [] });
  return answer;
}

const encode = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join('&');

/** How much an answer holds: records or data points. */
function size(name: EndpointName, { body }: Answer): number {
  const value = readJson(Buffer.from(body)) as never;
  const series = (all: { data: unknown[] }[]): number => all.reduce((sum, { data }) => sum + data.length, 0);
  switch (endpoints[name].answer) {
    case 'records':
      return (value as unknown[]).length;
    case 'nested-records':
      return (value as unknown[][])[0]?.length ?? 0;
    case 'users':
      return (value as { data: unknown[] }).data.length;
    case 'trend':
      return series(value);
    default:
      return series((value as { series: { data: unknown[] }[] }[])[0]?.series ?? []);
  }
}

const errorOf = ({ status, body }: Answer): unknown => {
  if (status === 200) return 200;
  const { error } = JSON.parse(String(body)) as { error: { code: string; parameter: string } };
  return [status, error.code, error.parameter];
};

const swapCase = (text: string): string =>
  [...text].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('');

const injections = [
  "' OR '1'='1",
  '"; DROP TABLE day; --',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '{{7*7}}',
  '(a+)+$',
  '\u0000\r\nX: y',
  '%00',
  '[^]*',
];

const parameters = endpointNames.flatMap((name) =>
  endpoints[name].parameters.map((parameter): [EndpointName, string, Parameter] => [name, parameter.name, parameter]),
);

describe('each endpoint', () => {
  it.each(endpointNames)('%s finds something with all parameters given', async (name) => {
    const answer = await ask(name, encode(base[name]));
    expect(answer.status).toBe(200);
    const { answer: kind } = endpoints[name];
    if (kind !== 'text' && kind !== 'integer') expect(size(name, answer)).toBeGreaterThan(0);
  });

  it.each(endpointNames)('%s ignores parameters it does not know, and answers 431 beyond 16 KiB', async (name) => {
    const { path, method } = endpoints[name];
    expect((await ask(name, `${encode(base[name])}&unknown=1&unknown=2&=&&__proto__=x&toString`)).status).toBe(200);
    const long = `${method} /analyzer${path}?product=${'a'.repeat(17_000)} HTTP/1.1\r\nhost: a\r\n\r\n`;
    expect(await sendRaw(url, long).closed).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe.each(parameters)('%s %s', (name, parameter, table) => {
  const { required, wildcard, allowed, integer } = table;
  const isText = wildcard === true;
  const mayBeEmpty = !required || (parameter === 'package' && ['GetEfficiency', 'GetHeatMap'].includes(name));
  const withValue = (value: string): string => encode({ ...base[name], [parameter]: value });
  const without = (): string => {
    const { [parameter]: _, ...rest } = base[name];
    return encode(rest);
  };
  const missing = [400, 'missing_parameter', parameter];
  const illegal = [400, 'illegal_value', parameter];

  it('missing, empty, without a value', async () => {
    expect(errorOf(await ask(name, without()))).toEqual(required ? missing : 200);
    expect(errorOf(await ask(name, withValue('')))).toEqual(mayBeEmpty ? 200 : missing);
    expect(errorOf(await ask(name, `${without()}&${parameter}`))).toEqual(mayBeEmpty ? 200 : missing);
  });

  it('given twice', async () => {
    const again = `${parameter}=${encodeURIComponent(base[name][parameter] ?? '')}`;
    expect(errorOf(await ask(name, `${encode(base[name])}&${again}`))).toEqual([400, 'repeated_parameter', parameter]);
  });

  it('with wildcards', async () => {
    if (!isText) {
      expect(errorOf(await ask(name, withValue('%')))).toEqual(illegal);
      return;
    }
    const own = base[name][parameter] ?? '';
    const exact = size(name, await ask(name, encode(base[name])));
    const middle = own.length > 2 ? `${own.slice(0, 1)}%${own.slice(-1)}` : '%';
    // one that matches nothing has no tokens to draw on
    if (parameter === 'tokenpool') return;
    for (const pattern of ['%', '%%', `${own}%`, `%${own}`, middle]) {
      expect(size(name, await ask(name, withValue(pattern)))).toBeGreaterThanOrEqual(exact);
    }
    // as a person types it, with a malformed percent sequence
    expect(size(name, await ask(name, `${without()}&${parameter}=%`))).toBeGreaterThanOrEqual(exact);
    expect(size(name, await ask(name, withValue(`${own}%x`)))).toBe(0);
  });

  it('in the other case', async () => {
    const own = base[name][parameter] ?? '';
    const swapped = await ask(name, withValue(swapCase(own)));
    if (isText && parameter !== 'tokenpool') {
      const exact = size(name, await ask(name, encode(base[name])));
      expect(size(name, swapped)).toBe(name === 'GetUsers' ? exact : 0);
    } else if (allowed !== undefined) {
      // values of a choice are matched exactly; digits have no case
      expect(errorOf(swapped)).toEqual(/[a-z]/i.test(own) ? illegal : 200);
    }
  });

  it('illegal, and just legal', async () => {
    for (const value of allowed ?? []) expect(errorOf(await ask(name, withValue(value)))).toBe(200);
    if (allowed !== undefined) {
      for (const value of ['x', '0', ' ', allowed.join()])
        expect(errorOf(await ask(name, withValue(value)))).toEqual(illegal);
    }
    if (integer !== undefined) {
      const [min, max] = integer;
      for (const value of [min, max]) expect(errorOf(await ask(name, withValue(String(value))))).toBe(200);
      for (const value of [min - 1, max + 1, -1, 1.5, 'x', '1e1', '0x1', ' 1', 'NaN', '9'.repeat(400)]) {
        expect(errorOf(await ask(name, withValue(String(value))))).toEqual(illegal);
      }
    }
  });

  it('with unicode, very long, and with what tries to break out', async () => {
    const values = [
      '設計 ✓ Größe',
      '\ud83d\ude00',
      'a'.repeat(8000),
      'a%'.repeat(2800),
      'é'.repeat(2000),
      ...injections,
    ];
    for (const value of values) {
      expect(errorOf(await ask(name, withValue(value)))).toEqual(isText ? 200 : illegal);
    }
    for (const raw of ['%zz', '%', '%E0%A4%A', '%ff%fe']) {
      expect(errorOf(await ask(name, `${without()}&${parameter}=${raw}`))).toEqual(isText ? 200 : illegal);
    }
  });
});

describe('meanings', () => {
  const users = async (
    more: Record<string, string>,
  ): Promise<{ totalCount: number; data: Record<string, unknown>[] }> => {
    const answer = await ask(
      'GetUsers',
      encode({ format: 'sql', product: '%', feature: '%', sortdatafield: 'Username', ...more }),
    );
    return readJson(Buffer.from(answer.body)) as never;
  };

  it('tokenpool: who draws on that pool', async () => {
    const drawing = await users({ tokenpool: 'SIM-tok%' });
    expect(drawing.totalCount).toBeGreaterThan(0);
    expect(new Set(drawing.data.map((user) => user['license_model']))).toEqual(new Set(['token']));
    expect((await users({ tokenpool: 'none' })).totalCount).toBe(0);
  });

  it('format: sql and mdx are the same', async () => {
    expect(await users({ format: 'mdx' })).toEqual(await users({}));
  });

  it('last: wins over year and month', async () => {
    const window = base.GetHeatMap;
    const today = await ask('GetHeatMap', encode({ ...window, year: '1999', month: '01', last: '101' }));
    expect(size('GetHeatMap', today)).toBeGreaterThan(0);
    expect(
      size('GetHeatMap', await ask('GetHeatMap', encode({ ...window, year: '1999', month: '01', last: '' }))),
    ).toBe(0);
    expect(size('GetHeatMap', await ask('GetHeatMap', encode({ ...window, last: '201' })))).toBe(0);
  });
});

/** So that a parameter added to the table cannot be forgotten here. */
it('has a value for every parameter', () => {
  for (const name of endpointNames) {
    const { parameters: known }: Endpoint = endpoints[name];
    expect(Object.keys(base[name]).sort()).toEqual(known.map((parameter) => parameter.name).sort());
  }
});
