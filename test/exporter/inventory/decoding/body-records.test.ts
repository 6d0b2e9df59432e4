import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../../src/base/model/records.ts';
import { readJson } from '../../../../src/base/query-api/json.ts';
import { recordFields } from '../../../../src/base/query-api/records.ts';
import { runAtOnce } from '../../../../src/base/scheduling/slices.ts';
import { placeOfFault } from '../../../../src/exporter/inventory/decoding/answer-faults.ts';
import { incomplete, refuseStructure } from '../../../../src/exporter/inventory/decoding/body-limits.ts';
import { BodyRecords } from '../../../../src/exporter/inventory/decoding/body-records.ts';
import { decodeAnswer } from '../../../../src/exporter/inventory/decoding/decode.ts';
import { type JsonLimits, JsonScan } from '../../../../src/exporter/inventory/decoding/json-scan.ts';
import {
  expirations,
  features,
  products,
  type RecordKind,
  serversDown,
} from '../../../../src/exporter/inventory/decoding/record-kinds.ts';
import { isLong } from '../../../support/extent.ts';

/** Reading record by record has the same result as scanning and decoding the whole body, for any body, chunks and answer before. */

const PERMANENT_AFTER = 2_147_483_640;
const limits: JsonLimits = { depth: 32, items: 1000, members: 10_000 };

const kinds = {
  GetProducts: products,
  GetFeatures: features,
  GetServerDown: serversDown,
  GetExpirationFeatures: expirations,
} as const satisfies Readonly<Record<string, RecordKind<unknown>>>;
type RecordEndpoint = keyof typeof kinds;

/** The whole body is scanned, then decoded. */
function decodeWhole(endpoint: RecordEndpoint, body: Buffer, bounds = limits): Answer<unknown> {
  const scan = new JsonScan(bounds);
  const passed = scan.push(body);
  if (passed !== undefined) throw refuseStructure(body, bounds, passed);
  if (scan.isOpen) throw incomplete(body, placeOfFault(body));
  return decodeAnswer(endpoint, Buffer.from(body), PERMANENT_AFTER);
}

/** The answers of one endpoint, one after the other, compared with the slow way. */
class Site {
  before: Answer<unknown> | undefined;
  readonly endpoint: RecordEndpoint;

  constructor(endpoint: RecordEndpoint) {
    this.endpoint = endpoint;
  }

  read(body: Buffer, cuts: readonly number[], bounds = limits): Answer<unknown> {
    const records = new BodyRecords<unknown>({
      kind: kinds[this.endpoint],
      isNested: this.endpoint === 'GetFeatures',
      permanentAfter: PERMANENT_AFTER,
      limits: bounds,
      before: this.before,
    });
    for (const chunk of cut(body, cuts)) runAtOnce(records.read(chunk));
    this.before = runAtOnce(records.end());
    return this.before;
  }
}

/** Every chunk has its own memory, because it is freed. */
function cut(body: Buffer, cuts: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < body.length; i += 1) {
    const size = cuts.length === 0 ? body.length : (cuts[i % cuts.length] as number);
    const chunk = Buffer.allocUnsafeSlow(Math.min(size, body.length - at));
    body.copy(chunk, 0, at);
    chunks.push(chunk);
    at += size;
  }
  return chunks;
}

/** The error for each limit that the whole body exceeds. */
function refusals(body: Buffer, bounds: JsonLimits): readonly unknown[] {
  const high = { depth: 1e9, items: 1e9, members: 1e9 };
  const passed = (['depth', 'items', 'members'] as const).filter(
    (name) => new JsonScan({ ...high, [name]: bounds[name] }).push(body) !== undefined,
  );
  return passed.map((limit) => outcome(() => fail(refuseStructure(body, bounds, limit))));
}

const fail = (error: Error): never => {
  throw error;
};

/** Both ways have the same result, or refuse the body for the same reason. */
function expectSame(site: Site, body: Buffer, cuts: readonly number[], bounds = limits): void {
  const found = outcome(() => site.read(body, cuts, bounds));
  // whether a text is UTF-8 is decided for each record
  if (!isUtf8(body)) return;
  const refused = refusals(body, bounds);
  // which limit is reported depends on the chunks
  if (refused.length > 1) expect(refused).toContainEqual(found);
  else expect(found).toEqual(outcome(() => decodeWhole(site.endpoint, body, bounds)));
}

function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    const { name, kind, message, code } = error as { name: string; kind: string; message: string; code?: string };
    if (name !== 'QueryError') throw error;
    // around a place, one way shows the whole body, and the other a part of it; what is a record depends on what is around it
    return { kind, message: message.replace(/, record \d+: after .*/, ''), code };
  }
}

const endpoints = fc.constantFrom(...(Object.keys(kinds) as RecordEndpoint[]));
const sizes = fc.oneof(
  fc.constant([]),
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 }),
  fc.array(fc.integer({ min: 100, max: 5000 }), { minLength: 1, maxLength: 4 }),
);

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'é', '😀', 'a', '\n', 'NaN', '\ud800') }),
  fc.constantFrom('', 'NaN', '"a":NaN', 'f', '/Date(1800000000000)/', ' '),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const NOT_A_NUMBER = '\u0001NaN';
const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 5 }) },
  fc.constantFrom(0, -1, 1.5, 1_800_000_000, 1_800_000_000_000, PERMANENT_AFTER, null, true, false, 'True', '17', 'x'),
  fc.constant(NOT_A_NUMBER),
  text,
  fc.double(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.constant({ a: { b: [[], {}] } }),
);
const names = [
  ...Object.keys(recordFields.GetFeatures),
  'LicenseExpirationToDate',
  'MinLicenseExpiration',
  'IsCurrent',
];
const unknownNames = ['a', 'b', '__proto__', 'constructor', 'toString', '7', '1', 'feature', 'x'.repeat(50)];
const member = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...unknownNames), text),
  value,
);

/** JSON with bare NaN and, if they were drawn, duplicate names. */
const write = (drawn: unknown): string =>
  drawn === NOT_A_NUMBER ? 'NaN' : (JSON.stringify(drawn) ?? 'null').replaceAll(JSON.stringify(NOT_A_NUMBER), 'NaN');
/** What identifies a record, for each of the endpoints. */
const namesOf = (feature: number) =>
  [
    ['Feature', `f${feature}`],
    ['Product', `s${feature % 3};d`],
    ['Label', `s${feature};d`],
  ] as const;
const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n  ');
const record = fc
  .tuple(fc.array(member, { maxLength: 12 }), fc.integer({ min: 0, max: 30 }), space)
  .map(
    ([members, feature, gap]) =>
      `{${gap}${[...members, ...(feature === 0 ? [] : namesOf(feature))]
        .map(([name, content]) => `${JSON.stringify(name)}${gap}:${write(content)}`)
        .join(`,${gap}`)}${gap}}`,
  );
const item = fc.oneof(
  { weight: 12, arbitrary: record },
  fc.constantFrom('null', '7', '"a"', '"]"', '[]', '[1,{"Feature":"no"}]', 'NaN', '{}', 'true', '{"Feature":"a"}'),
);
const items = fc.array(item, { maxLength: 12 });

/** An array of items, for GetFeatures in inner arrays of these lengths. */
function join(parts: readonly string[], lengths: readonly number[], gap: string): string {
  const outer: string[] = [];
  let at = 0;
  for (const length of lengths) {
    outer.push(length === 0 ? (parts[at] ?? '[]') : `[${parts.slice(at, at + length).join(`${gap},`)}${gap}]`);
    at += Math.max(1, length);
  }
  if (at < parts.length) outer.push(`[${gap}${parts.slice(at).join(`,${gap}`)}]`);
  return `${gap}[${outer.join(`,${gap}`)}${gap}]${gap}`;
}

const nesting = fc.tuple(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }), space);

/** Equal records are found by their bytes in a stream: without those that are equal and written, or nested, in two ways. */
function writtenInOneWay(parts: readonly string[], lengths: readonly number[]): readonly string[] {
  const texts = new Map<string, string>();
  return parts.filter((part) => {
    const key = JSON.stringify(readJson(Buffer.from(part)));
    const other = texts.get(key);
    if (other === undefined) texts.set(key, part);
    return other === undefined || (other === part && !lengths.includes(0));
  });
}

function bodyOf(endpoint: RecordEndpoint, all: readonly string[], [lengths, gap]: [number[], string]): Buffer {
  const parts = writtenInOneWay(all, lengths);
  return Buffer.from(endpoint === 'GetFeatures' ? join(parts, lengths, gap) : `${gap}[${parts.join(`,${gap}`)}${gap}]`);
}

const numRuns = isLong ? 400 : 80;

describe('the records of a body', () => {
  it('are decoded as from the whole body, in any chunks', () => {
    fc.assert(
      fc.property(endpoints, items, nesting, sizes, fc.boolean(), (endpoint, parts, nested, chunks, hasMark) => {
        const site = new Site(endpoint);
        const body = bodyOf(endpoint, parts, nested);
        expectSame(site, hasMark ? Buffer.concat([Buffer.from('\ufeff'), body]) : body, chunks);
      }),
      { numRuns },
    );
  });

  it('are decoded the same after any answers before: changed, added, removed, moved and repeated', () => {
    const edit = fc.record({
      at: fc.nat(20),
      to: fc.nat(20),
      remove: fc.integer({ min: 0, max: 3 }),
      insert: fc.array(item, { maxLength: 2 }),
      copy: fc.boolean(),
    });
    const poll = fc.tuple(fc.array(edit, { maxLength: 3 }), nesting, sizes);
    fc.assert(
      fc.property(endpoints, items, fc.array(poll, { maxLength: 6 }), (endpoint, first, polls) => {
        const site = new Site(endpoint);
        const parts = [...first];
        for (const [edits, nested, chunks] of polls) {
          expectSame(site, bodyOf(endpoint, parts, nested), chunks);
          for (const { at, to, remove, insert, copy } of edits) {
            const removed = parts.splice(at, remove, ...insert);
            if (copy) parts.splice(to, 0, ...removed);
          }
        }
      }),
      { numRuns },
    );
  });

  it('are refused for the same reason if the body is malformed, also after a good answer', () => {
    const damage = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.integer({ min: 0, max: 3 }),
      insert: fc.oneof(
        fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', 'NaN', '\ufeff', ':', '0', ' ', '\u000b', '[[', ']]]'),
        fc.uint8Array({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(
        endpoints,
        items,
        nesting,
        sizes,
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (endpoint, parts, nested, chunks, damages, isFirst) => {
          const site = new Site(endpoint);
          const good = bodyOf(endpoint, parts, nested);
          if (!isFirst) expectSame(site, good, chunks);
          let body = good;
          for (const { at, remove, insert } of damages) {
            const from = Math.floor(at * body.length);
            body = Buffer.concat([body.subarray(0, from), Buffer.from(insert as string), body.subarray(from + remove)]);
          }
          expectSame(site, body, chunks);
          expectSame(site, good, chunks);
        },
      ),
      { numRuns: 2 * numRuns },
    );
  });

  it.each([
    ['a value', '[[{"Feature":"a"},{"Feature":"b","InUse":jdoe}]]', 'byte 42, record 2', '"InUse": comes xxxx}'],
    ['a comma too few', '[[{"Feature":"a"}{"Feature":"b"}]]', 'byte 18, record 2', ' comes {'],
    ['a comma too many', '[[{"Feature":"a"},\n{"Feature":"b"},]]', 'byte 36, record 3', ', comes ]]'],
    ['an escape', '[[{"Feature":"jdoe\\x"}]]', 'byte 19, record 1', 'comes \\x"}'],
    ['a quote too many', '[[{"Feature":"a""},{"Feature":"b"}]]', 'byte 17, record 1', 'comes "},{'],
    ['a quote too few', '[[{"Feature":"a,"InUse":1},{"Feature":"b"}]]', 'byte 18, record 1', 'comes xxxxx"'],
    ['a mistake before its end', '[[{"Feature":"a","InUse":01},{"Feature":"b"', 'byte 26, record 1', 'comes xx}'],
  ])('say where %s is wrong, without values', (_, broken, place, around) => {
    const body = Buffer.from(broken);
    for (const chunks of [[], [1], [7]]) {
      expect(() => new Site('GetFeatures').read(body, chunks)).toThrow(`(${place}: after `);
      expect(() => new Site('GetFeatures').read(body, chunks)).toThrow(around);
      expect(() => new Site('GetFeatures').read(body, chunks)).not.toThrow('jdoe');
    }
    expect(() => decodeWhole('GetFeatures', body)).toThrow(`(${place}: after `);
  });

  it('have all values but one that is no number', () => {
    for (const token of ['NaN', 'nan', '-Infinity', '1.#QNAN', '-nan(ind)', '1.#INF']) {
      const body = Buffer.from(`[[{"Feature":"a","InUse":${token},"MaxAvailable":3},{"Feature":"b","InUse":2}]]`);
      const { records, discarded } = new Site('GetFeatures').read(body, []);
      expect(records).toMatchObject([{ inUse: undefined, maxAvailable: 3 }, { inUse: 2 }]);
      expect(discarded.nan).toBe(1);
    }
  });

  it('are nested no deeper than the whole body may be', () => {
    fc.assert(
      fc.property(endpoints, items, nesting, sizes, fc.nat(2), (endpoint, parts, nested, chunks, less) => {
        expectSame(new Site(endpoint), bodyOf(endpoint, parts, nested), chunks, { ...limits, depth: 4 - less });
      }),
      { numRuns },
    );
  });

  it('are no more than the whole body may have', () => {
    const of = (count: number) => Buffer.from(`[${Array.from({ length: count }, () => '{"Feature":"a"}').join()}]`);
    const site = new Site('GetExpirationFeatures');
    expectSame(site, of(limits.items), []);
    expectSame(site, of(limits.items + 1), []);
    expect(outcome(() => site.read(of(limits.items + 1), []))).toMatchObject({ code: 'ANSWER_TOO_MANY_ITEMS' });
  });

  const named = (name: string, inUse = 1) => `{"Feature":"${name}","ServerName":"s","Daemon":"d","InUse":${inUse}}`;
  const readNames = (site: Site, records: readonly string[]) =>
    site.read(Buffer.from(`[[${records.join(',')}]]`), [50]).records;

  it('are the same objects while their texts are the same, wherever they are', () => {
    const site = new Site('GetFeatures');
    const [a, b, c, d] = readNames(
      site,
      ['a', 'b', 'c', 'd'].map((name) => named(name)),
    );
    expect(readNames(site, [named('d'), named('new'), named('b'), named('c', 2), named('a')])).toEqual([
      d,
      expect.anything(),
      b,
      expect.anything(),
      a,
    ]);
    const [d2, , b2, c2, a2] = readNames(site, [named('d'), named('new'), named('b'), named('c', 3), named('a')]);
    expect([a2, b2, d2].map((each, i) => each === [a, b, d][i])).toEqual([true, true, true]);
    expect([c2 === c, (c2 as { inUse: number }).inUse, (c as { inUse: number }).inUse]).toEqual([false, 3, 1]);
  });

  it('are all the same if the body is: another answer with the same records', () => {
    const site = new Site('GetFeatures');
    const first = site.read(Buffer.from(`[[${named('a')}]]`), []);
    const second = site.read(Buffer.from(`[[${named('a')}]]`), [7]);
    expect([second === first, second.records === first.records]).toEqual([false, true]);
    expect(second).toEqual(first);
  });

  it('are read again if licenses become permanent at another time', () => {
    const body = Buffer.from('[{"Feature":"a","LicenseExpiration":1800000000}]');
    const readWith = (permanentAfter: number, before?: Answer<unknown>) => {
      const records = new BodyRecords({ kind: expirations, isNested: false, permanentAfter, limits, before });
      runAtOnce(records.read(Buffer.from(body)));
      return runAtOnce(records.end());
    };
    const first = readWith(PERMANENT_AFTER);
    expect(readWith(1_700_000_000, first).records).toMatchObject([{ licenseExpiration: Number.POSITIVE_INFINITY }]);
  });

  it('may have braces in their texts', () => {
    const site = new Site('GetExpirationFeatures');
    expectSame(site, Buffer.from('[{"Feature":"a},{b","x":[{"y":1},{"z":[]}]},{"Feature":"}]"},{"Feature":"c"}]'), [3]);
    expect(site.before?.records).toHaveLength(3);
  });

  it.each([
    '',
    ' \n',
    ' '.repeat(2000),
    '\ufeff',
    ' \ufeff[]',
    '\ufeff\ufeff[]',
    '[]',
    '[[]]',
    '[[],[]]',
    '{}',
    '{"Message":"no"}',
    '{"a":',
    '17',
    'NaN',
    '"text"',
    'null',
    'text',
    '<html><body>[{"a":1}]</body></html>',
    '<?xml version="1.0"?><a/>',
    '\u001f\u008b[[',
    '[\u0000]',
    '[1]x',
    '[1][2]',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[[1],]',
    '[[1]2]',
    '[}',
    '[1}',
    '[[1}]',
    ']',
    '[[{"Feature":"a"}]',
    '[{"Feature":"a"},\ufeff{"Feature":"b"}]',
    '[[{"Feature":"a","Feature":"b"}]]',
    '[[{"Feature":"a","LogInUse":NaN,"__proto__":{"InUse":3}}]]',
    `[${'['.repeat(40)}`,
    `[{"Feature":"a"},${'[]'.repeat(40)}]`,
  ])('has the result of the whole body for %j', (body) => {
    for (const endpoint of ['GetFeatures', 'GetExpirationFeatures'] as const) {
      for (const chunks of [[], [1], [2, 3]]) expectSame(new Site(endpoint), Buffer.from(body), chunks);
    }
  });

  it('reads a text that is not UTF-8 as Windows-1252', () => {
    const site = new Site('GetFeatures');
    const bytes = [Buffer.from('[[{"Feature":"b"},{"Feature":"a'), Buffer.from([0xe2, 0x82]), Buffer.from('"}]]')];
    expectSame(site, Buffer.concat(bytes), [7]);
    expect(site.before?.records).toMatchObject([{ feature: 'b' }, { feature: 'aâ‚' }]);
  });
});
