import { describe, expect, it } from 'vitest';
import { changeRecords, recordChanges } from './record-faults.ts';

const products = '[{"Product":"a;b","Active":3,"LogActive":NaN},{"Product":"c;d","Active":4,"LogActive":0.6}]';
const features = '[[{"Feature":"cad","InUse":3}]]';

const changed = (body: string, change: (typeof recordChanges)[number]): string =>
  changeRecords(Buffer.from(body), change).toString();

describe('faults in records', () => {
  it.each(recordChanges)('%s changes a list, also in a list, and keeps the shape of the answer', (change) => {
    expect(changed(products, change)).not.toBe(products);
    expect(changed(features, change)).not.toBe(features);
    expect(changed(features, change)).toMatch(/^\[\[.*\]\]$/);
  });

  it('changes what its name says', () => {
    expect(changed(products, 'renamed')).toBe(products.replaceAll(/"([PAL])(?=\w*":)/g, (of) => of.toLowerCase()));
    expect(changed(features, 'field')).toBe('[[{"Feature":"cad","inuse":3}]]');
    expect(changed(products, 'texts')).toContain('"Active":"0x1F","LogActive":NaN');
    expect(changed(products, 'NaN')).toContain('"Active":NaN,"LogActive":NaN');
    expect(changed(features, 'unusable')).toBe('[["no record"]]');
    expect(changed(features, 'unnamed')).toBe('[[{"InUse":3}]]');
    expect(changed(features, 'repeated')).toBe('[[{"Feature":"cad","InUse":3},{"Feature":"cad","InUse":3}]]');
  });

  it('leaves an answer without a list as it is', () => {
    expect(changed('194', 'negative')).toBe('194');
  });
});
