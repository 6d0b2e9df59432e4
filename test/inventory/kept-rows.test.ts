import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CurrentInventory, type FeatureSource } from '../../src/inventory/current.ts';
import { openFeatures } from '../../src/inventory/feature-columns.ts';
import type { FeatureRow } from '../../src/inventory/feature-row.ts';
import { createFeatureTable, type FeatureTable } from '../../src/inventory/feature-table.ts';
import { DataPlane } from '../../src/inventory/plane/data-plane.ts';
import { createFeatureRenderer } from '../../src/metrics/feature-renderer.ts';
import type { StoredAnswer } from '../../src/model/records.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { createSnapshot, good, NOW } from '../support/scenario.ts';
import { valuesOf } from '../support/slow-derivation.ts';
import { everything } from '../support/stored-answers.ts';

/** Slots, texts and arrays are used again for later polls: a row that a reader keeps must never show them. */

/** The features of a data plane in this thread. */
function createSource(plane: Pick<DataPlane<never, never>, 'derive'>): FeatureSource {
  const inUse = new Map<FeatureTable, number>();
  return {
    derive: async (request) => {
      const derived = plane.derive(request, Math.min(...inUse.values(), Number.MAX_SAFE_INTEGER));
      const columns = createFeatureTable(openFeatures(derived.columns));
      inUse.set(columns, derived.columns.generation);
      return { ...derived, columns };
    },
    holds: (features) => inUse.has(features),
    release: (features) => void inUse.delete(features),
  };
}

const snapshotOf = (answer: StoredAnswer): Snapshot => {
  const snapshot = createSnapshot({ features: {} });
  const { GetFeatures } = snapshot.endpoints;
  const parts = new Map([['', good(answer)]]);
  return { ...snapshot, endpoints: { ...(GetFeatures && { GetFeatures: { ...GetFeatures, parts } }) } };
};

const record = fc.record({
  Feature: fc.constantFrom('a', 'b', 'c', 'd'),
  ServerName: fc.constantFrom('s', 't'),
  Daemon: fc.constant('d'),
  Version: fc.constantFrom('', '1'),
  InUse: fc.nat(20),
  MaxAvailable: fc.nat(20),
  MappedTo: fc.nat(30).map(String),
});
const poll = fc.record({
  records: fc.array(record, { maxLength: 8 }),
  /** Which rows are kept, and how many rows an iterator has read that is kept. */
  kept: fc.array(fc.nat(8), { maxLength: 3 }),
  /** For how many polls a reader uses the inventory. */
  uses: fc.nat(3),
});

const OUT = 'released';

/** The values of a row, or that it has none any more. */
function read(row: FeatureRow): unknown {
  try {
    return valuesOf(row);
  } catch (error) {
    expect((error as Error).message).toContain('the features were released');
    return OUT;
  }
}

it('a row that is kept over polls shows what it showed first, or throws once nobody uses its inventory', async () => {
  let out = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(poll, { minLength: 2, maxLength: 12 }), async (polls) => {
      const plane = new DataPlane(createFeatureRenderer);
      const current = new CurrentInventory({
        policy: { ...everything, usageWhenNotCurrent: 'withhold' },
        features: createSource(plane),
        now: () => NOW,
        onProblem: (_, error) => {
          throw error;
        },
      });
      const rows: { readonly row: FeatureRow; readonly first: unknown; readonly until: number }[] = [];
      const iterators: { readonly rows: Iterator<FeatureRow>; readonly left: unknown[]; readonly until: number }[] = [];
      const readers: { readonly until: number; readonly end: () => void; readonly ended: Promise<void> }[] = [];
      for (const [number, { records, kept, uses }] of polls.entries()) {
        const arriving = plane.open({ endpoint: 'GetFeatures', question: 'all', permanentAfter: 2 ** 31 });
        arriving.write(Buffer.from(JSON.stringify([records])));
        arriving.end();
        const answer = (await arriving.result) as StoredAnswer;
        plane.keep('GetFeatures', [answer.handle]);
        await current.commit(snapshotOf(answer));
        const until = number + uses;
        const { promise, resolve } = Promise.withResolvers<void>();
        const ended = current.use(async (inventory) => {
          const features = inventory?.features ?? [];
          const all = [...features];
          const expected = all.map(valuesOf);
          for (const place of kept) {
            const row = all[place];
            if (row !== undefined) rows.push({ row, first: expected[place], until });
            const iterator = features[Symbol.iterator]();
            for (let i = 0; i < place; i += 1) iterator.next();
            iterators.push({ rows: iterator, left: expected.slice(place), until });
          }
          await promise;
        });
        readers.push({ until, end: resolve, ended });
        for (const reader of readers.filter((each) => each.until < number)) {
          reader.end();
          await reader.ended;
        }
        for (const { row, first, until: used } of rows) {
          const found = read(row);
          if (found !== OUT || used >= number) expect(found).toEqual(first);
          else out += 1;
        }
        for (const { rows: iterator, left, until: used } of iterators) {
          const { done, value } = iterator.next();
          if (done === true) continue;
          const found = read(value);
          const wanted = left.shift();
          if (found !== OUT || used >= number) expect(found).toEqual(wanted);
        }
      }
      for (const reader of readers) reader.end();
      await Promise.all(readers.map(({ ended }) => ended));
      current.stop();
      expect(rows.map(({ row }) => read(row)).filter((values) => values !== OUT)).toEqual([]);
    }),
  );
  expect(out).toBeGreaterThan(0);
});
