import { describe, expect, it } from 'vitest';
import type { ProductsAnswer } from '../../../src/base/model/snapshot.ts';
import { decodeAnswer } from '../../../src/exporter/inventory/decoding/decode.ts';
import { keepNotListed } from '../../../src/exporter/poll/incomplete-lists.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;

const products = (...names: readonly unknown[]): ProductsAnswer =>
  decodeAnswer('GetProducts', Buffer.from(JSON.stringify(names.map((Product) => ({ Product })))), Infinity);

const namesOf = ({ notListed = [] }: ProductsAnswer): readonly string[] => notListed.map(({ product }) => product);
const nowhere = () => false;

describe('a list of vendor licenses with unusable records', () => {
  it.each([[''], [null], [7], [';;'], [{}], [['a;b']], [true], [undefined]])('keeps what it lacks: %j', (broken) => {
    const kept = keepNotListed(products(broken, 'C;d'), products('a;b', 'c;d'), nowhere, NOW);
    expect([namesOf(kept), kept.incompleteSince]).toEqual([['a;b'], NOW]);
    // also after further ones, with the time of the first
    const later = keepNotListed(products(broken, 'c;d', 'new;d'), kept, nowhere, NOW + 60);
    expect([namesOf(later), later.incompleteSince]).toEqual([['a;b'], NOW]);
  });

  it('keeps it for a day, or while another endpoint names it', () => {
    const kept = keepNotListed(products('', 'c;d'), products('a;b', 'c;d', 'e;f'), nowhere, NOW);
    expect(namesOf(keepNotListed(products('', 'c;d'), kept, nowhere, NOW + DAY - 1))).toEqual(['a;b', 'e;f']);
    const isNamed = (product: string): boolean => product === 'e;f';
    expect(namesOf(keepNotListed(products('', 'c;d'), kept, isNamed, NOW + DAY))).toEqual(['e;f']);
  });

  it('is ended by a complete list', () => {
    const kept = keepNotListed(products('', 'c;d'), products('a;b', 'c;d'), nowhere, NOW);
    const complete = keepNotListed(products('c;d'), kept, nowhere, NOW + 60);
    expect([namesOf(complete), complete.incompleteSince]).toEqual([[], undefined]);
  });
});
