import { constants, crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureLabels } from '../../src/inventory/feature-row.ts';
import type { BlockUpdate, PageChunk } from '../../src/metrics/block-update.ts';
import type { Family } from '../../src/metrics/family.ts';
import { CHUNK_ROWS } from '../../src/metrics/feature-block.ts';
import { FeatureRenderer } from '../../src/metrics/feature-renderer.ts';
import { collectors, type Enabled } from '../../src/metrics/metric.ts';
import { renderGauges, rowsWithin } from '../../src/metrics/render.ts';
import { createOwners, noOwners, type OwnerEntry, type OwnerMapping, type Owners } from '../../src/model/owners.ts';
import { cases, isLong } from '../support/extent.ts';
import { allCollectors, complete, expiration, feature } from '../support/scenario.ts';
import { type GenerationRow, Generations, rowOf } from './feature-generations.ts';
import { collectExpirations, collectFeatures } from './slow-features.ts';

/** The features are rendered in chunks of compressed columns; the obvious way is one family after the other, row by row. */

interface Plain {
  readonly text: string;
  readonly series: number;
  readonly isLimited: boolean;
}

/** A block in the obvious way. */
function renderSlowly(families: readonly Family[], limit: number): Plain {
  const render = (rows: number): Omit<Plain, 'isLimited'> => {
    const chunks = [...renderGauges(families, rows)];
    return {
      text: chunks.map(({ bytes }) => bytes.toString()).join(''),
      series: chunks.reduce((sum, { samples }) => sum + samples, 0),
    };
  };
  const whole = render(Number.POSITIVE_INFINITY);
  if (whole.series <= limit) return { ...whole, isLimited: false };
  return { ...render(rowsWithin(families, limit)), isLimited: true };
}

function blocksSlowly(
  rows: readonly GenerationRow[],
  shown: Enabled,
  limit: number,
  owners: Owners = noOwners,
): readonly Plain[] {
  const table = rows.map(rowOf);
  const expirations = renderSlowly(collectExpirations(table, shown, owners), limit);
  const left = limit - expirations.series;
  return [expirations, renderSlowly(collectFeatures(table, shown, owners), left)];
}

const isFresh = (chunk: PageChunk | number): chunk is PageChunk => typeof chunk !== 'number';

function textOf(chunks: readonly PageChunk[]): Buffer {
  const texts = chunks.map((chunk) => {
    const text = inflateRawSync(chunk.bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    expect([crc32(text), text.length]).toEqual([chunk.crc, chunk.length]);
    return text;
  });
  return Buffer.concat(texts);
}

/** Applies the updates of a block. */
class Receiver {
  chunks: readonly PageChunk[] = [];

  apply({ chunks, crc, length, series, isLimited }: BlockUpdate): Plain {
    this.chunks = chunks.map((chunk) => (isFresh(chunk) ? chunk : (this.chunks[chunk] as PageChunk)));
    const text = textOf(this.chunks);
    expect([crc32(text), text.length]).toEqual([crc, length]);
    expect(this.chunks.reduce((sum, { samples }) => sum + samples, 0)).toBe(series);
    return { text: text.toString(), series, isLimited };
  }
}

class Page {
  readonly #renderer: FeatureRenderer;
  readonly #receivers = [new Receiver(), new Receiver()] as const;
  readonly #readers: number;
  /** The last versions, which are still read. */
  #read: { readonly version: number; readonly chunks: readonly PageChunk[]; readonly text: Buffer }[] = [];
  #version = 0;
  owners: OwnerMapping = noOwners;
  readonly generations = new Generations();
  /** The number of new chunks of the expirations and of the features in the last update. */
  fresh: readonly number[] = [];

  /** @param readers number of versions that are read at the same time */
  constructor(shown: Enabled = collectors, readers = 1) {
    this.#renderer = new FeatureRenderer(shown);
    this.#readers = readers;
  }

  get memory(): readonly unknown[] {
    return this.#receivers.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes.buffer));
  }

  show(rows: readonly GenerationRow[], layout = 1, limit = Number.POSITIVE_INFINITY): readonly Plain[] {
    this.#version += 1;
    const { expirations, features } = this.#renderer.render(
      this.generations.create(rows, layout),
      this.#version,
      { budget: limit, oldestInUse: this.#read[0]?.version ?? 0 },
      this.owners,
    );
    this.fresh = [expirations, features].map(({ chunks: pieces }) => pieces.filter(isFresh).length);
    const shown = [this.#receivers[0].apply(expirations), this.#receivers[1].apply(features)];
    const chunks = this.#receivers.flatMap((receiver) => receiver.chunks);
    for (const read of this.#read) expect(textOf(read.chunks).equals(read.text)).toBe(true);
    this.#read.push({ version: this.#version, chunks, text: textOf(chunks) });
    this.#read = this.#read.slice(-this.#readers);
    return shown;
  }
}

const name = fc.oneof(
  fc.constantFrom('', 'a', 'feature-1', 'feature-12', 'a"b', 'back\\', 'line\nfeed', 'größe ✓', '"'.repeat(300)),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const labels: fc.Arbitrary<FeatureLabels> = fc.record({
  vendorLicense: fc.constantFrom('s;d', 'server;daemon'),
  feature: name,
  version: name,
  package: name,
  featureType: fc.constantFrom('feature', 'package'),
});
const value = fc.oneof(
  { weight: 6, arbitrary: fc.nat(20) },
  fc.constantFrom(undefined, 0, 2 ** 31, 2 ** 31 - 1, -5, 1e15, 0.5, Number.POSITIVE_INFINITY),
);
const flag = fc.constantFrom(true, false, undefined);
const record = fc
  .record({ inUse: value, maxAvailable: value, logInUse: value, availableUser: flag, mappedTo: name, tokenPool: name })
  .map((fields) => feature({ ...fields, ...(fields.inUse === undefined && complete('GetFeatures')) }));
const expiry = fc.record({ licenseExpiration: value, minLicenseExpiration: value, showExpired: flag }).map(expiration);
const row: fc.Arbitrary<GenerationRow> = fc
  .record({
    labels,
    record: fc.option(record, { nil: undefined }),
    expirationRecord: fc.option(expiry, { nil: undefined }),
    isWithheld: fc.boolean(),
  })
  .map(({ labels: names, ...rest }) => ({ key: Object.values(names).join('\n'), ...names, ...rest }));

const label = fc.constantFrom('', 'cad', 'a "quoted" name', 'line\nfeed', 'größe');
const ownerEntry: fc.Arbitrary<OwnerEntry> = fc.record({
  vendorLicense: fc.constantFrom('s;d', 'S*', '*'),
  feature: fc.oneof(name, fc.constantFrom('*', 'feature-1*')),
  labels: fc.record({ owner: label, team: label }, { requiredKeys: [] }),
});

/** Each change of a row takes its records from another one, and its labels if `isMoved`. */
const change = fc.record({ at: fc.nat(), from: row, isMoved: fc.boolean() });
const budget = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(200));
const enabled = fc.constantFrom(collectors, allCollectors);

function applyChange(
  rows: readonly GenerationRow[],
  { at, from, isMoved }: { at: number; from: GenerationRow; isMoved: boolean },
) {
  return rows.map((old, i) => {
    if (i !== at % rows.length) return old;
    const { record: changed, expirationRecord, isWithheld } = from;
    return isMoved ? from : { ...old, record: changed, expirationRecord, isWithheld };
  });
}

describe('FeatureRenderer', () => {
  it('shows what the obvious way shows, after every change', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 30 }),
        fc.array(change, { maxLength: 4 }),
        budget,
        enabled,
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.array(ownerEntry, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        (first, changes, limit, on, readers, mappings) => {
          const page = new Page(on, readers);
          const all = mappings.map(createOwners);
          let at = 0;
          /** The owners change with every other generation. */
          const show = (): void => {
            const index = Math.floor(at / 2) % all.length;
            at += 1;
            page.owners = all[index] as OwnerMapping;
            expect(page.show(rows, layout, limit)).toEqual(blocksSlowly(rows, on, limit, all[index]));
          };
          let rows: readonly GenerationRow[] = first;
          let layout = 1;
          show();
          for (const next of changes) {
            rows = applyChange(rows, next);
            if (next.isMoved) layout += 1;
            show();
          }
        },
      ),
      { numRuns: isLong ? 100 : cases(10) },
    );
  });

  const many = Array.from(
    { length: 2 * CHUNK_ROWS + 5 },
    (_, i): GenerationRow => ({
      vendorLicense: 's;d',
      feature: `feature-${i}`,
      version: '1',
      package: '',
      featureType: 'feature',
      record: feature({ inUse: i % 7 }),
      isWithheld: false,
    }),
  );
  const withRow = (at: number, fields: Partial<GenerationRow>): readonly GenerationRow[] =>
    many.map((old, i) => (i === at ? { ...old, ...fields } : old));

  it('renders only the ranges of the families whose values change', () => {
    const page = new Page();
    page.show(many);
    expect(page.show(withRow(CHUNK_ROWS, { record: feature({ inUse: 999, maxInUse: 1234 }) }))).toEqual(
      blocksSlowly(
        withRow(CHUNK_ROWS, { record: feature({ inUse: 999, maxInUse: 1234 }) }),
        collectors,
        Number.POSITIVE_INFINITY,
      ),
    );
    expect(page.fresh).toEqual([0, 2]);
  });

  it('renders nothing again if a record has the same values', () => {
    const page = new Page();
    page.show(many);
    page.show(withRow(3, { record: feature({ inUse: 3 }) }));
    expect(page.fresh).toEqual([0, 0]);
  });

  it('renders the attributes again if they change', () => {
    const page = new Page();
    page.show(many);
    const rows = withRow(5, { record: feature({ inUse: 5, mappedTo: 'another application' }) });
    const [, features] = page.show(rows);
    expect(page.fresh).toEqual([0, 1]);
    expect(features?.text).toContain('mapped_to="another application"');
  });

  it('renders the attributes alone again if the owners change', () => {
    const page = new Page();
    page.show(many);
    const owners = createOwners([{ vendorLicense: 's;d', feature: 'feature-7', labels: { owner: 'cad' } }]);
    page.owners = owners;
    expect(page.show(many)).toEqual(blocksSlowly(many, collectors, Number.POSITIVE_INFINITY, owners));
    expect(page.fresh).toEqual([0, 3]);
    page.show(many);
    expect(page.fresh).toEqual([0, 0]);
  });

  it('looks up each owner once, also of a feature with several versions', () => {
    const looked: string[] = [];
    const { entries, names } = createOwners([{ vendorLicense: '*', feature: '*', labels: { owner: 'cad' } }]);
    const of = (vendorLicense: string, asked = ''): Readonly<Record<string, string>> => {
      looked.push(`${vendorLicense} ${asked}`);
      return { owner: 'cad' };
    };
    const page = new Page();
    page.owners = { entries, names, of };
    const rows = ['a', 'a', 'b', 'b'].map((letter, i) => ({
      ...(many[i] as GenerationRow),
      feature: letter,
      version: `${i}`,
    }));
    page.show(rows);
    expect(looked).toEqual(['s;d a', 's;d b']);
  });

  it('withholds usage alone', () => {
    const page = new Page();
    page.show(many);
    const rows = many.map((old) => ({ ...old, isWithheld: true }));
    expect(page.show(rows)).toEqual(blocksSlowly(rows, collectors, Number.POSITIVE_INFINITY));
    expect(page.show(many)).toEqual(blocksSlowly(many, collectors, Number.POSITIVE_INFINITY));
  });

  it('shows the same first rows when there are too many series', () => {
    const page = new Page();
    for (const limit of [100_000, 60_000, 5, 0]) {
      expect(page.show(many, 1, limit)).toEqual(blocksSlowly(many, collectors, limit));
    }
  });

  it('uses the memory of replaced chunks again', () => {
    const inUse = (used: number) => withRow(3, { record: feature({ inUse: used }) });
    const page = new Page();
    const memory = new Set<unknown>();
    const sizes = [1, 2, 3, 4, 5, 6].map((used) => {
      page.show(inUse(used));
      page.memory.forEach(memory.add, memory);
      return memory.size;
    });
    const chunks = page.memory.length;
    expect(sizes).toEqual([chunks, ...sizes.slice(1).fill(chunks + 1)]);
  });
});
