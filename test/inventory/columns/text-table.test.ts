import { expect, it } from 'vitest';
import { TextTable } from '../../../src/inventory/columns/text-table.ts';

class MeasuredTable extends TextTable {
  get size(): number {
    return this.bytes.reduce((sum, { length }) => sum + length, 0);
  }
}

it('uses the memory of texts again that nobody needs, even if it is never shared', () => {
  const table = new MeasuredTable();
  const kept = table.intern('kept');
  for (let round = 0; round < 100; round += 1) {
    const ids = Array.from({ length: 10_000 }, (_, i) => table.intern(`text ${i} of round ${round}`));
    for (const id of ids) table.release(id);
  }
  expect(table.size).toBeLessThan(4 * 1024 * 1024);
  expect([table.count, table.text(kept)]).toEqual([2, 'kept']);
});
