import { describe, expect, it } from 'vitest';
import type { ObservationMemory } from '../../../../src/analyzer/sources/json/entry-reading.ts';
import { NOW, parse } from './documents.ts';

describe('denials by a counter', () => {
  /** Denials of each collection. A number is what the feature has; undefined is a server that is down. */
  function collect(totals: readonly (number | undefined)[], documentOf: (feature: object, i: number) => object) {
    let memory: ObservationMemory | undefined;
    return totals.map((total, i) => {
      const feature = { feature: 'f', version: '1', denials_total: total };
      const parsed = parse(documentOf(feature, i), { memory, now: NOW + i * 300, writtenAt: NOW + i * 300 });
      memory = parsed.memory;
      return parsed.vendorLicenses[0]?.pools[0]?.denials;
    });
  }
  const vendorLicense = (feature: { readonly denials_total?: number | undefined }) => ({
    server: 's',
    daemon: 'd',
    ...(feature.denials_total === undefined ? { reachable: false } : { features: [feature] }),
  });

  it('are those since the previous document', () => {
    const documentOf = (feature: object) => ({ version: 1, vendor_licenses: [vendorLicense(feature)] });
    expect(collect([5, 5, 8, 1, 1, 0], documentOf)).toEqual([undefined, 0, 3, 1, 0, 0]);
  });

  it('go on when the server answers again', () => {
    const documentOf = (feature: object) => ({ version: 1, vendor_licenses: [vendorLicense(feature)] });
    expect(collect([5, undefined, undefined, 8], documentOf)).toEqual([undefined, undefined, undefined, 3]);
  });

  it('of two vendor licenses and two versions are counted apart', () => {
    const features = (a: number, b: number) => [
      { feature: 'f', version: '1', denials_total: a },
      { feature: 'f', version: '2', denials_total: b },
    ];
    const documentOf = (a: number, b: number, c: number, d: number) => ({
      version: 1,
      vendor_licenses: [
        { server: 's', daemon: 'x', features: features(a, b) },
        { server: 's', daemon: 'y', features: features(c, d) },
      ],
    });
    const { memory } = parse(documentOf(1, 10, 100, 1000));
    const { vendorLicenses } = parse(documentOf(2, 12, 103, 1004), { memory });
    expect(vendorLicenses.flatMap(({ pools }) => pools.map(({ denials }) => denials))).toEqual([1, 2, 3, 4]);
  });

  it('of a document that is read twice are counted once', () => {
    const both = [
      { feature: 'f', denials: 4 },
      { feature: 'g', denials_total: 9 },
    ];
    const document = { version: 1, time: NOW, vendor_licenses: [{ server: 's', daemon: 'd', features: both }] };
    const denialsOf = ({ vendorLicenses }: ReturnType<typeof parse>) =>
      vendorLicenses.flatMap(({ pools }) => pools.map(({ denials }) => denials));
    const first = parse(document);
    expect(denialsOf(first)).toEqual([4, undefined]);
    const again = parse(document, { memory: first.memory, now: NOW + 300 });
    expect(denialsOf(again)).toEqual([undefined, undefined]);
    // the file without a time of its own
    const { time: _, ...undated } = document;
    expect(denialsOf(parse(undated, { memory: again.memory, writtenAt: NOW }))).toEqual([undefined, undefined]);
    expect(denialsOf(parse(undated, { memory: again.memory, writtenAt: NOW + 1 }))).toEqual([4, 0]);
  });
});
