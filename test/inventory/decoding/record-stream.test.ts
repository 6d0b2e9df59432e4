import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, expirationRecords, featureRecords } from '../../../src/inventory/columns/record-fields.ts';
import { RecordStore } from '../../../src/inventory/columns/record-store.ts';
import { TextTable } from '../../../src/inventory/columns/text-table.ts';
import { refuse, refuseStructure } from '../../../src/inventory/decoding/body-limits.ts';
import { decodeAnswer } from '../../../src/inventory/decoding/decode.ts';
import { type JsonLimits, JsonScan } from '../../../src/inventory/decoding/json-scan.ts';
import { RecordStream, type StoredEndpoint } from '../../../src/inventory/decoding/record-stream.ts';
import { releaseRecords, type StoredRecords } from '../../../src/inventory/decoding/stored-records.ts';
import { readJson } from '../../../src/query-api/json.ts';
import { recordFields } from '../../../src/query-api/records.ts';
import { isLong } from '../../support/extent.ts';

/** The stream has the same result as scanning and decoding the whole body, for any body, any chunks and any previous answer. */

const PERMANENT_AFTER = 2_147_483_640;
const limits: JsonLimits = { depth: 32, items: 1000, members: 10_000 };

interface Result {
  readonly records: readonly object[];
  readonly discarded: object;
  readonly unknownFields: readonly string[];
}

const failureOf = (error: unknown) => {
  const { kind, message, code } = error as { kind: string; message: string; code?: string };
  return { kind, message, code };
};

/** The whole body is scanned, then decoded. */
function decodeSlowly(endpoint: StoredEndpoint, body: Buffer, bounds = limits): Result {
  const scan = new JsonScan(bounds);
  const passed = scan.push(body);
  if (passed !== undefined) throw refuseStructure(body, bounds, passed);
  if (scan.isOpen) throw refuse(body, 'ANSWER_INCOMPLETE');
  return decodeAnswer(endpoint, Buffer.from(body), PERMANENT_AFTER);
}

/** The error for each limit that the whole body exceeds. */
function refusals(body: Buffer, bounds: JsonLimits): unknown[] {
  const high = { depth: 1e9, items: 1e9, members: 1e9 };
  const passed = (['depth', 'items', 'members'] as const).filter(
    (name) => new JsonScan({ ...high, [name]: bounds[name] }).push(body) !== undefined,
  );
  return passed.map((limit) => failureOf(refuseStructure(body, bounds, limit)));
}

/** A store with the answers of one endpoint, compared with the slow way one after the other. */
class Site {
  readonly texts = new TextTable();
  readonly store: RecordStore;
  previous: StoredRecords | undefined;
  readonly endpoint: StoredEndpoint;
  #generation = 0;

  constructor(endpoint: StoredEndpoint) {
    this.endpoint = endpoint;
    const fields = endpoint === 'GetFeatures' ? featureRecords : expirationRecords;
    this.store = new RecordStore(fields.layout, (slot) => fields.releaseTexts(slot, this.store, this.texts));
  }

  /** Decodes an answer. The previous one is released when this one is good. */
  read(body: Buffer, cuts: readonly number[], bounds = limits): Result {
    const { endpoint, store, texts, previous } = this;
    const options = { endpoint, store, texts, previous, limits: bounds, permanentAfter: PERMANENT_AFTER };
    const stream = new RecordStream(options);
    try {
      for (const chunk of cut(body, cuts)) stream.write(chunk);
      const records = stream.end();
      // what is complete is not released
      stream.abort();
      this.clear();
      this.previous = records;
      return { ...this.#answerOf(records) };
    } catch (error) {
      stream.abort();
      stream.abort();
      throw error;
    }
  }

  /** Releases the present answer, and uses its slots again. */
  clear(): void {
    if (this.previous !== undefined) releaseRecords(this.previous, this.store);
    this.previous = undefined;
    this.store.retire(this.#generation);
    this.#generation += 1;
    this.store.reclaim(this.#generation);
  }

  #answerOf({ slots, discarded, unknownFields }: StoredRecords): Result {
    const { store, texts } = this;
    const layout = columnsOf(recordFields[this.endpoint]);
    const records = [...slots].map((slot) =>
      Object.fromEntries([
        ...layout.numbers.map((name, column) => [name, store.number(slot, column)]),
        ...layout.texts.map((name, column) => {
          const id = store.text(slot, column);
          return [name, id === 0 ? undefined : [texts.text(id), texts.string(id)]];
        }),
      ]),
    );
    return { records, discarded, unknownFields };
  }
}

/** Records as the columns show them. */
function inColumns(endpoint: StoredEndpoint, { records, discarded, unknownFields }: Result): Result {
  const { numbers, texts } = columnsOf(recordFields[endpoint]);
  const text = (raw: unknown) => {
    if (raw === undefined) return undefined;
    const wellFormed = String(raw).toWellFormed();
    return [wellFormed, wellFormed];
  };
  return {
    records: (records as Record<string, unknown>[]).map((each) =>
      Object.fromEntries([
        ...numbers.map((name) => [name, each[name] === undefined ? Number.NaN : Number(each[name])]),
        ...texts.map((name) => [name, text(each[name])]),
      ]),
    ),
    discarded,
    unknownFields,
  };
}

/** Every chunk has its own memory, because the stream may change it. */
function cut(body: Buffer, cuts: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < body.length; i += 1) {
    const size = cuts.length === 0 ? body.length : (cuts[i % cuts.length] as number);
    chunks.push(Buffer.from(body.subarray(at, at + size)));
    at += size;
  }
  return chunks;
}

/** Both ways have the same result, or refuse the body for the same reason. */
function expectSame(site: Site, body: Buffer, cuts: readonly number[], bounds = limits): void {
  const refused = refusals(body, bounds);
  if (refused.length > 1) {
    // which limit is reported depends on the chunks
    expect(refused).toContainEqual(outcome(() => site.read(body, cuts, bounds)));
    return;
  }
  const expected = outcome(() => inColumns(site.endpoint, decodeSlowly(site.endpoint, body, bounds)));
  expect(outcome(() => site.read(body, cuts, bounds))).toEqual(expected);
}

function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if ((error as Error).name !== 'QueryError') throw error;
    return failureOf(error);
  }
}

/** After the last answer is released, nothing is left. */
function expectEmpty(site: Site): void {
  site.clear();
  expect([site.store.used, site.texts.count]).toEqual([0, 1]);
}

const endpoints = fc.constantFrom<StoredEndpoint>('GetFeatures', 'GetExpirationFeatures');
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
const names = [...Object.keys(recordFields.GetFeatures), 'LicenseExpirationToDate', 'MinLicenseExpiration'];
const unknownNames = ['a', 'b', '__proto__', 'constructor', 'toString', '7', '1', 'feature', 'x'.repeat(50)];
const member = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...unknownNames), text),
  value,
);

/** JSON with bare NaN and, if they were drawn, duplicate names. */
const write = (drawn: unknown): string =>
  drawn === NOT_A_NUMBER ? 'NaN' : (JSON.stringify(drawn) ?? 'null').replaceAll(JSON.stringify(NOT_A_NUMBER), 'NaN');
const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n  ');
const record = fc
  .tuple(fc.array(member, { maxLength: 12 }), fc.integer({ min: 0, max: 30 }), space)
  .map(
    ([members, feature, gap]) =>
      `{${gap}${[...members, ...(feature === 0 ? [] : [['Feature', `f${feature}`] as const])]
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

function bodyOf(endpoint: StoredEndpoint, all: readonly string[], [lengths, gap]: [number[], string]): Buffer {
  const parts = writtenInOneWay(all, lengths);
  return Buffer.from(endpoint === 'GetFeatures' ? join(parts, lengths, gap) : `${gap}[${parts.join(`,${gap}`)}${gap}]`);
}

const numRuns = isLong ? 400 : 80;

describe('RecordStream', () => {
  it('decodes the same as the whole body, in any chunks', () => {
    fc.assert(
      fc.property(endpoints, items, nesting, sizes, fc.boolean(), (endpoint, parts, nested, chunks, hasMark) => {
        const site = new Site(endpoint);
        const body = bodyOf(endpoint, parts, nested);
        expectSame(site, hasMark ? Buffer.concat([Buffer.from('\ufeff'), body]) : body, chunks);
        expectEmpty(site);
      }),
      { numRuns },
    );
  });

  it('decodes the same after any previous answers: items changed, added, removed, moved and repeated', () => {
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
        expectEmpty(site);
      }),
      { numRuns },
    );
  });

  it('refuses the same malformed bodies for the same reason, also after a good answer', () => {
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
          expectEmpty(site);
        },
      ),
      { numRuns: 2 * numRuns },
    );
  });

  it('is at the limits exactly where a full scan is, also for items that are taken over', () => {
    const lower = fc.record({ depth: fc.nat(2), items: fc.nat(2), members: fc.nat(2) });
    fc.assert(
      fc.property(
        endpoints,
        items,
        nesting,
        sizes,
        lower,
        fc.boolean(),
        (endpoint, parts, nested, chunks, less, isFirst) => {
          const site = new Site(endpoint);
          const body = bodyOf(endpoint, parts, nested);
          const depth = Math.max(1, 4 - less.depth);
          if (!isFirst) expectSame(site, body, chunks, { ...limits, depth });
          const scan = new JsonScan(limits);
          scan.push(body);
          expectSame(site, body, chunks, {
            ...limits,
            depth,
            items: scan.items - less.items,
            members: scan.members - less.members,
          });
          expectEmpty(site);
        },
      ),
      { numRuns },
    );
  });

  it('keeps the slots of unchanged records, wherever they are, and never shows a slot twice', () => {
    const site = new Site('GetFeatures');
    const named = (name: string) => `{"Feature":"${name}","InUse":1}`;
    const read = (features: readonly string[]): number[] => {
      site.read(Buffer.from(`[[${features.map(named).join(',')}]]`), [50]);
      return [...(site.previous?.slots ?? [])];
    };
    const [a, b, c, d] = read(['a', 'b', 'c', 'd']) as [number, number, number, number];
    expect(read(['a', 'b', 'c', 'd'])).toEqual([a, b, c, d]);
    expect(read(['d', 'new', 'b', 'changed', 'a'])).toEqual([d, expect.any(Number), b, expect.any(Number), a]);
    const longer = read(['d', 'new', 'b', 'a longer name', 'a']);
    expect(read(['d', 'new', 'b', 'a longer name', 'a'])).toEqual(longer);
    const repeated = read(['a', 'a', 'b', 'a', 'd', 'b']);
    expect([repeated.length, new Set(repeated).size]).toEqual([3, 3]);
    expect(read(['a', 'a', 'b', 'a', 'd', 'b'])).toEqual(repeated);
    expect(read(['x', 'a', 'longer', 'b', 'd']).toSorted()).toEqual(expect.arrayContaining([b, d]));
    expectEmpty(site);
  });

  it('finds records after any number of inserted or removed ones, but for the first few', () => {
    const site = new Site('GetFeatures');
    const named = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `{"Feature":"feature ${from + i}","InUse":1}`);
    const read = (records: readonly string[]): number[] => {
      site.read(Buffer.from(`[[${records.join(',')}]]`), [50]);
      return [...(site.previous?.slots ?? [])];
    };
    const all = read(named(0, 100));
    expect(read(named(5, 100))).toEqual(all.slice(5));
    expect(read([...named(1000, 1005), ...named(5, 100)]).slice(5)).toEqual(all.slice(5));
    const without = read(named(50, 100));
    expect(without.slice(10)).toEqual(all.slice(60));
    expect(read([...named(1000, 1050), ...named(50, 100)]).slice(50)).toEqual(without);
    expectEmpty(site);
  });

  it('does not take over a record of an array that is nested less deeply', () => {
    const site = new Site('GetFeatures');
    const nested = `{"Feature":"a","x":${'['.repeat(5)}${']'.repeat(5)}}`;
    expectSame(site, Buffer.from(`[${nested}]`), [], { ...limits, depth: 7 });
    expectSame(site, Buffer.from(`[[${nested}]]`), [], { ...limits, depth: 7 });
    expectEmpty(site);
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
      for (const chunks of [[], [1], [2, 3]]) {
        const site = new Site(endpoint);
        expectSame(site, Buffer.from(body), chunks);
        expectEmpty(site);
      }
    }
  });

  it('reads invalid UTF-8 as the whole body does', () => {
    const site = new Site('GetFeatures');
    const bytes = [
      Buffer.from('[[{"Feature":"a'),
      Buffer.from([0xe2, 0x82]),
      Buffer.from('"},{"Feature":"b",'),
      Buffer.from([0xff]),
    ];
    expectSame(site, Buffer.concat([...bytes, Buffer.from('"x":1}]]')]), [7]);
    expectSame(site, Buffer.concat([...bytes.slice(0, 3), Buffer.from('"x":1}]]')]), [7]);
    expectEmpty(site);
  });
});
