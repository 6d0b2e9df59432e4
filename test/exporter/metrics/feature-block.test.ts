import { constants, crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createOwners,
  noOwners,
  type OwnerEntry,
  type OwnerMapping,
  type Owners,
} from '../../../src/base/model/owners.ts';
import { createFeatureRow, type FeatureLabels, type FeatureRow } from '../../../src/exporter/inventory/feature-row.ts';
import type { Block, Family } from '../../../src/exporter/metrics/family.ts';
import { renderGauges, rowsWithin } from '../../../src/exporter/metrics/family.ts';
import {
  expirationGauges,
  FeatureBlock,
  featureGauges,
  PIECE_ROWS,
  RangeLabels,
} from '../../../src/exporter/metrics/feature-block.ts';
import { collectors, type Enabled } from '../../../src/exporter/metrics/metric.ts';
import { cases, isLong } from '../../support/extent.ts';
import { allCollectors, complete, expiration, feature } from '../../support/scenario.ts';
import { collectExpirations, collectFeatures } from './slow-features.ts';

/** The features are rendered in pieces that are kept; the obvious way is one family after the other, row by row. */

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
  rows: readonly FeatureRow[],
  shown: Enabled,
  limit: number,
  owners: Owners = noOwners,
): readonly Plain[] {
  const expirations = renderSlowly(collectExpirations(rows, shown, owners), limit);
  const left = limit - expirations.series;
  return [expirations, renderSlowly(collectFeatures(rows, shown, owners), left)];
}

function textOf({ pieces, ...joined }: Block): string {
  const texts = pieces.map((piece) => {
    const text = inflateRawSync(piece.bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    expect([crc32(text), text.length]).toEqual([piece.crc, piece.length]);
    return text;
  });
  const whole = Buffer.concat(texts);
  expect([crc32(whole), whole.length]).toEqual([joined.crc, joined.length]);
  return whole.toString();
}

class Page {
  readonly #blocks: readonly [FeatureBlock, FeatureBlock];
  #before = new Set<unknown>();
  owners: OwnerMapping = noOwners;
  /** The number of new pieces of the expirations and of the features in the last rendering. */
  fresh: readonly number[] = [];

  constructor(shown: Enabled = collectors) {
    const ranges = new RangeLabels();
    this.#blocks = [new FeatureBlock(expirationGauges(shown), ranges), new FeatureBlock(featureGauges(shown), ranges)];
  }

  async show(rows: readonly FeatureRow[], limit = Number.POSITIVE_INFINITY): Promise<readonly Plain[]> {
    const expirations = await this.#blocks[0].render(rows, this.owners, limit);
    const features = await this.#blocks[1].render(rows, this.owners, limit - expirations.series);
    const blocks = [expirations, features];
    this.fresh = blocks.map(({ pieces }) => pieces.filter((piece) => !this.#before.has(piece)).length);
    this.#before = new Set(blocks.flatMap(({ pieces }) => pieces));
    return blocks.map((block) => ({ text: textOf(block), series: block.series, isLimited: block.isLimited }));
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
const keyOf = (names: object): string => JSON.stringify(Object.values(names));
const value = fc.oneof(
  { weight: 6, arbitrary: fc.nat(20) },
  fc.constantFrom(undefined, 0, 2 ** 31, 2 ** 31 - 1, -5, 1e15, 0.5, Number.POSITIVE_INFINITY),
);
const flag = fc.constantFrom(true, false, undefined);
const record = fc
  .record({ inUse: value, maxAvailable: value, logInUse: value, availableUser: flag, mappedTo: name, tokenPool: name })
  .map((fields) => feature({ ...fields, ...(fields.inUse === undefined && complete('GetFeatures')) }));
const expiry = fc.record({ licenseExpiration: value, minLicenseExpiration: value, showExpired: flag }).map(expiration);
const row: fc.Arbitrary<FeatureRow> = fc
  .record({
    labels,
    record: fc.option(record, { nil: undefined }),
    expiration: fc.option(expiry, { nil: undefined }),
    isWithheld: fc.boolean(),
  })
  .map(({ labels: names, ...rest }) => createFeatureRow({ labels: { ...names, key: keyOf(names) }, ...rest }));

const label = fc.constantFrom('', 'cad', 'a "quoted" name', 'line\nfeed', 'größe');
const ownerEntry: fc.Arbitrary<OwnerEntry> = fc.record({
  vendorLicense: fc.constantFrom('s;d', 'S*', '*'),
  feature: fc.oneof(name, fc.constantFrom('*', 'feature-1*')),
  labels: fc.record({ owner: label, team: label }, { requiredKeys: [] }),
});

/** Each change of a row takes its figures from another one, and its labels if `isMoved`. */
const change = fc.record({ at: fc.nat(), from: row, isMoved: fc.boolean() });
const budget = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(200));
const enabled = fc.constantFrom(collectors, allCollectors);

function applyChange(
  rows: readonly FeatureRow[],
  { at, from, isMoved }: { at: number; from: FeatureRow; isMoved: boolean },
) {
  return rows.map((old, i) => {
    if (i !== at % rows.length) return old;
    const { vendorLicense, feature: named, version, package: pkg, featureType, key } = old;
    return isMoved ? from : { ...from, vendorLicense, feature: named, version, package: pkg, featureType, key };
  });
}

describe('the blocks of the features', () => {
  it('show what the obvious way shows, after every change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.array(change, { maxLength: 4 }),
        budget,
        enabled,
        fc.array(fc.array(ownerEntry, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        async (first, changes, limit, on, mappings) => {
          const page = new Page(on);
          const all = mappings.map(createOwners);
          let at = 0;
          /** The owners change with every other rendering. */
          const show = async (): Promise<void> => {
            const index = Math.floor(at / 2) % all.length;
            at += 1;
            page.owners = all[index] as OwnerMapping;
            expect(await page.show(rows, limit)).toEqual(blocksSlowly(rows, on, limit, all[index]));
          };
          let rows: readonly FeatureRow[] = first;
          await show();
          for (const next of changes) {
            rows = applyChange(rows, next);
            await show();
          }
        },
      ),
      { numRuns: isLong ? 100 : cases(10) },
    );
  });

  type Fields = Parameters<typeof feature>[0];
  const rowAt = (i: number, fields: Fields = {}, more: Partial<FeatureLabels> = {}, isWithheld = false): FeatureRow => {
    const names = {
      vendorLicense: 's;d',
      feature: `feature-${i}`,
      version: '1',
      package: '',
      featureType: 'feature',
      ...more,
    };
    const reported = feature({ inUse: i % 7, ...fields });
    return createFeatureRow({
      labels: { ...names, key: keyOf(names) },
      record: reported,
      expiration: undefined,
      isWithheld,
    });
  };
  const many = Array.from({ length: 2 * PIECE_ROWS + 5 }, (_, i) => rowAt(i));
  const withRow = (at: number, fields: Fields): readonly FeatureRow[] =>
    many.map((old, i) => (i === at ? rowAt(at, fields) : old));

  it('render only the ranges of the gauges whose values change', async () => {
    const page = new Page();
    await page.show(many);
    const rows = withRow(PIECE_ROWS, { inUse: 999, maxInUse: 1234 });
    expect(await page.show(rows)).toEqual(blocksSlowly(rows, collectors, Number.POSITIVE_INFINITY));
    expect(page.fresh).toEqual([0, 2]);
  });

  it('render a range again if a feature of it is another one', async () => {
    const page = new Page();
    await page.show(many);
    const rows = many.map((old, i) => (i === 3 ? rowAt(3, {}, { version: '2' }) : old));
    expect(await page.show(rows)).toEqual(blocksSlowly(rows, collectors, Number.POSITIVE_INFINITY));
  });

  it('render nothing again if a row shows the same', async () => {
    const page = new Page();
    await page.show(many);
    await page.show(withRow(3, { inUse: 3 }));
    expect(page.fresh).toEqual([0, 0]);
  });

  it('render the attributes again if they change', async () => {
    const page = new Page();
    await page.show(many);
    const [, features] = await page.show(withRow(5, { inUse: 5, mappedTo: 'another application' }));
    expect(page.fresh).toEqual([0, 1]);
    expect(features?.text).toContain('mapped_to="another application"');
  });

  it('render the attributes alone again if the owners change', async () => {
    const page = new Page();
    await page.show(many);
    const owners = createOwners([{ vendorLicense: 's;d', feature: 'feature-7', labels: { owner: 'cad' } }]);
    page.owners = owners;
    expect(await page.show(many)).toEqual(blocksSlowly(many, collectors, Number.POSITIVE_INFINITY, owners));
    expect(page.fresh).toEqual([0, 3]);
    await page.show(many);
    expect(page.fresh).toEqual([0, 0]);
  });

  it('look up each owner once, also of a feature with several versions', async () => {
    const looked: string[] = [];
    const { entries, names } = createOwners([{ vendorLicense: '*', feature: '*', labels: { owner: 'cad' } }]);
    const of = (vendorLicense: string, asked = ''): Readonly<Record<string, string>> => {
      looked.push(`${vendorLicense} ${asked}`);
      return { owner: 'cad' };
    };
    const block = new FeatureBlock(featureGauges(collectors), new RangeLabels());
    const rows = ['a', 'a', 'b', 'b'].map((letter, i) => rowAt(i, {}, { feature: letter, version: `${i}` }));
    await block.render(rows, { entries, names, of }, 1000);
    expect(looked).toEqual(['s;d a', 's;d b']);
  });

  it('show the same as before after a rendering that failed in the middle', async () => {
    const block = new FeatureBlock(featureGauges(collectors), new RangeLabels());
    const first = textOf(await block.render(many, noOwners, Number.POSITIVE_INFINITY));
    const { entries, names } = createOwners([{ vendorLicense: '*', feature: '*', labels: { owner: 'cad' } }]);
    const of = (_: string, asked = ''): Readonly<Record<string, string>> => {
      // the last range
      if (asked === `feature-${many.length - 1}`) throw new Error('no owner');
      return { owner: 'cad' };
    };
    const failing = block.render(withRow(3, { inUse: 999 }), { entries, names, of }, Number.POSITIVE_INFINITY);
    await expect(failing).rejects.toThrow('no owner');
    expect(textOf(await block.render(many, noOwners, Number.POSITIVE_INFINITY))).toBe(first);
  });

  it('withhold usage alone', async () => {
    const page = new Page();
    await page.show(many);
    const rows = many.map((_, i) => rowAt(i, {}, {}, true));
    expect(await page.show(rows)).toEqual(blocksSlowly(rows, collectors, Number.POSITIVE_INFINITY));
    expect(await page.show(many)).toEqual(blocksSlowly(many, collectors, Number.POSITIVE_INFINITY));
  });

  it('show the same first rows when there are too many series', async () => {
    const page = new Page();
    for (const limit of [100_000, 60_000, 5, 0]) {
      expect(await page.show(many, limit)).toEqual(blocksSlowly(many, collectors, limit));
    }
  });
});
