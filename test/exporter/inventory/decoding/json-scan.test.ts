import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScan } from '../../../../src/exporter/inventory/decoding/json-scan.ts';

/** The scan counts the same as a parser for any chunks, and never refuses what is within its limits. */

const limits = { depth: 32, items: 1000, members: 1000 };

interface Count {
  readonly depth: number;
  readonly items: number;
  readonly members: number;
}

/** The simple count over the result of JSON.parse. */
function count(value: unknown): Count {
  if (typeof value !== 'object' || value === null) return { depth: 0, items: 0, members: 0 };
  const children = Object.values(value);
  const inner = children.map(count);
  const own = Math.max(1, children.length);
  const sum = (key: 'items' | 'members') => inner.reduce((total, one) => total + one[key], 0);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    items: sum('items') + (Array.isArray(value) ? own : 0),
    members: sum('members') + (Array.isArray(value) ? 0 : own),
  };
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of cuts) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

function scan(text: string, cuts: readonly number[] = [], bounds = limits) {
  const scanned = new JsonScan(bounds);
  const passed = cut(Buffer.from(text), cuts)
    .map((chunk) => scanned.push(chunk))
    .find((limit) => limit !== undefined);
  return { passed, items: scanned.items, members: scanned.members, isOpen: scanned.isOpen };
}

/** Text with many characters that have a meaning outside strings. */
const tricky = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'é', '😀', 'a', '\n') });

const { structure } = fc.letrec((tie) => ({
  structure: fc.oneof(
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(tricky, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tricky,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie('structure'),
  ),
}));
const sizes = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 200 });
const indents = fc.constantFrom('', ' ', '\t');

describe('JsonScan', () => {
  it('counts the same as JSON.parse, in any chunks', () => {
    fc.assert(
      fc.property(structure, sizes, indents, (value, cuts, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { items, members } = count(JSON.parse(text));
        expect(scan(text, cuts)).toEqual({ passed: undefined, items, members, isOpen: false });
      }),
      { numRuns: 500 },
    );
  });

  it('accepts a text exactly at its limits, and refuses it if a limit is one lower', () => {
    fc.assert(
      fc.property(structure, sizes, (value, cuts) => {
        const text = JSON.stringify(value);
        const exact = count(JSON.parse(text));
        expect(scan(text, cuts, exact).passed).toBeUndefined();
        for (const limit of ['depth', 'items', 'members'] as const) {
          if (exact[limit] === 0) continue;
          expect(scan(text, cuts, { ...exact, [limit]: exact[limit] - 1 }).passed).toBe(limit);
        }
      }),
    );
  });

  it('reports every incomplete text as open', () => {
    fc.assert(
      fc.property(structure, sizes, (value, cuts) => {
        const bytes = Buffer.from(JSON.stringify(value));
        for (let end = 1; end < bytes.length; end += 1) {
          const scanned = new JsonScan(limits);
          for (const chunk of cut(bytes.subarray(0, end), cuts)) scanned.push(chunk);
          expect(scanned.isOpen).toBe(true);
        }
      }),
    );
  });

  it('allows 32 nested arrays and not 33, also next to others and across chunks', () => {
    const nested = (depth: number) => `[[],${'['.repeat(depth - 1)}${']'.repeat(depth)}`;
    expect(scan(nested(32), [1, 20, 3]).passed).toBeUndefined();
    expect(scan(nested(33), [1, 20, 3]).passed).toBe('depth');
    expect(scan('['.repeat(100_000)).passed).toBe('depth');
    expect(scan('{"a":'.repeat(33)).passed).toBe('depth');
  });

  it('distinguishes items from members after 32 levels', () => {
    const text = `${'[{"a":'.repeat(16)}[]${'}]'.repeat(16)}`;
    expect(scan(text, [], { ...limits, depth: 33 })).toMatchObject({ items: 17, members: 16, isOpen: false });
    expect(scan('[{},1,{"a":1,"b":2},[],3]')).toMatchObject({ items: 6, members: 3 });
  });

  it.each([
    ['HTML', `<script>${'{['.repeat(50)}"`],
    ['a name', 'CORP\\svc-lic'],
    ['a number', '17'],
    ['a string', `"${'['.repeat(50)}`],
    ['nothing', ''],
    ['gzip', '\u001f\u008b[[[['],
  ])('finds no structure in %s', (_, text) => {
    expect(scan(text, [1, 1])).toEqual({ passed: undefined, items: 0, members: 0, isOpen: false });
  });

  it('skips leading white space and a byte order mark', () => {
    expect(scan('\ufeff \r\n\t[1,2]', [1, 1, 1, 1])).toMatchObject({ items: 2, isOpen: false });
    expect(scan('\ufeff  ', [1]).isOpen).toBe(false);
  });
});
