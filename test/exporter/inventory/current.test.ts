import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProductRecord } from '../../../src/base/model/records.ts';
import { WHOLE } from '../../../src/base/model/snapshot.ts';
import {
  CurrentInventory,
  type CurrentInventoryOptions,
  type InventoryReader,
} from '../../../src/exporter/inventory/current.ts';
import type { Inventory } from '../../../src/exporter/inventory/inventory.ts';
import { everything, featureAt } from '../../support/derived-inventory.ts';
import { answer, createSnapshot, failed, feature, good, NOW, product } from '../../support/scenario.ts';

const namesOf = (inventory: Inventory | undefined): readonly string[] | undefined =>
  inventory?.vendorLicenses.map(({ vendorLicense }) => vendorLicense);

/** A reader that keeps the names of each inventory it read. */
function createRecordingReader(name: string): InventoryReader & { readonly names: string[] } {
  const names: string[] = [];
  return { name, names, read: (inventory) => void names.push(String(namesOf(inventory))) };
}

const snapshotOf = (name: string) => createSnapshot({ products: good(answer([product({ product: name })])) });

let now = NOW;
const problems: string[] = [];

function create(readers: readonly InventoryReader[], more: Partial<CurrentInventoryOptions> = {}): CurrentInventory {
  const current = new CurrentInventory({
    policy: { ...everything, usageWhenNotCurrent: 'withhold' },
    now: () => now,
    onProblem: (reader, error) => problems.push(`${reader}: ${(error as Error).message}`),
    ...more,
  });
  for (const reader of readers) current.subscribe(reader);
  return current;
}

beforeEach(() => {
  now = NOW;
  problems.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the current inventory', () => {
  it('is current before any reader has seen it', async () => {
    let seen: readonly string[] | undefined;
    const read = (): void => {
      seen = namesOf(current.latest());
    };
    const current = create([{ name: 'page', read }]);
    expect(current.latest()).toBeUndefined();
    await current.commit(snapshotOf('a;b'));
    expect(seen).toEqual(['a;b']);
    expect(namesOf(current.latest())).toEqual(['a;b']);
    current.stop();
  });

  it('reaches the other readers when one of them throws, or fails later', async () => {
    const reader = createRecordingReader('alerts');
    const throwing = {
      name: 'metrics',
      read: () => {
        throw new Error('a bug');
      },
    };
    const failing = { name: 'pages', read: () => Promise.reject(new Error('another')) };
    const current = create([throwing, failing, reader]);
    await current.commit(snapshotOf('a;b'));
    await current.commit(snapshotOf('c;d'));
    expect(reader.names).toEqual(['a;b', 'c;d']);
    expect(problems.toSorted()).toEqual(['metrics: a bug', 'metrics: a bug', 'pages: another', 'pages: another']);
    current.stop();
  });

  it('has the same features until their records, owners or usage change', async () => {
    const current = create([]);
    const features = { [WHOLE]: good(answer([feature()])) };
    const before = createSnapshot({ features, products: good(answer([product()])) });
    const featuresAfter = async (products: Partial<ProductRecord>, same = before) => {
      const { GetProducts } = createSnapshot({ products: good(answer([product(products)])) }).endpoints;
      await current.commit({ ...same, endpoints: { ...same.endpoints, ...(GetProducts && { GetProducts }) } });
      return current.latest()?.features;
    };
    const first = await featuresAfter({});
    expect(first?.length).toBe(1);
    expect(await featuresAfter({ active: 9 })).toBe(first);
    const withheld = await featuresAfter({ isCurrent: false });
    expect(featureAt(withheld ?? [], 0).isWithheld).toBe(true);
    // what was kept is as it was
    expect(featureAt(first ?? [], 0).isWithheld).toBe(false);
    expect(await featuresAfter({ product: 'LIC01;cdslmd' })).not.toBe(withheld);
    const shown = await featuresAfter({});
    // without products, the names of the records are shown
    expect(await featuresAfter({ product: 'LIC01;cdslmd' }, createSnapshot({ features }))).not.toBe(shown);
    current.stop();
  });

  it('reports no problem after it is stopped', async () => {
    const fail = (): never => {
      current.stop();
      throw new Error('the program is stopping');
    };
    const policy = { ...everything, usageWhenNotCurrent: 'withhold' as const, ownsVendorLicense: fail };
    const current = create([], { policy });
    await current.commit(snapshotOf('a;b'));
    expect(problems).toEqual([]);
  });

  it('does not wait for a reader that hangs, and then gives it only the newest', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = createRecordingReader('slow');
    const fast = createRecordingReader('fast');
    const hanging = {
      name: 'slow',
      read: async (inventory: Inventory) => {
        slow.read(inventory);
        await promise;
      },
    };
    const current = create([hanging, fast]);
    const commits = ['a;b', 'c;d', 'e;f'].map((name) => current.commit(snapshotOf(name)));
    await expect.poll(() => fast.names.at(-1)).toBe('e;f');
    expect(slow.names).toHaveLength(1);
    resolve();
    await Promise.all(commits);
    expect(slow.names.at(-1)).toBe('e;f');
    expect(slow.names.length).toBeLessThanOrEqual(2);
    current.stop();
  });

  it('reaches its readers while snapshots come faster than it is derived', async () => {
    let left = 50;
    const seen: number[] = [];
    const policy = {
      ...everything,
      ownsVendorLicense: () => {
        // the next snapshot comes while this one is being derived
        if (left > 0) void current.commit(snapshotOf(`a;${left}`));
        left -= 1;
        return true;
      },
      usageWhenNotCurrent: 'withhold',
    } as const;
    const current = create([{ name: 'metrics', read: () => void seen.push(left) }], { policy });
    await current.commit(snapshotOf('a;b'));
    expect(seen[0]).toBeGreaterThan(40);
    expect(namesOf(current.latest())).toEqual(['a;1']);
    current.stop();
  });

  it('is undefined while it cannot be derived, and is defined again with the next snapshot', async () => {
    let isBroken = false;
    const policy = {
      ...everything,
      ownsVendorLicense: () => {
        if (isBroken) throw new Error('a bug');
        return true;
      },
      usageWhenNotCurrent: 'withhold',
    } as const;
    const current = create([], { policy });
    await current.commit(snapshotOf('a;b'));
    isBroken = true;
    await current.commit(snapshotOf('c;d'));
    expect(current.latest()).toBeUndefined();
    expect(problems).toEqual(['inventory: a bug']);
    isBroken = false;
    await current.commit(snapshotOf('c;d'));
    expect(namesOf(current.latest())).toEqual(['c;d']);
    current.stop();
  });

  it('removes data that is too old without a new poll, and notifies its readers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reader = createRecordingReader('metrics');
    const current = create([reader]);
    const products = failed({ at: NOW - 299, value: answer([product({ product: 'a;b' })]) });
    await current.commit(createSnapshot({ products }));
    expect(current.latest()?.vendorLicenses.at(0)?.isReported).toBe(true);
    now = NOW + 1.1;
    await vi.advanceTimersByTimeAsync(1100);
    await expect.poll(() => reader.names).toHaveLength(2);
    expect(current.latest()?.vendorLicenses.length).toBe(0);
    current.stop();
  });

  it('does not notify readers after it is stopped', async () => {
    const reader = createRecordingReader('metrics');
    const current = create([reader]);
    current.stop();
    await current.commit(snapshotOf('a;b'));
    expect(reader.names).toEqual([]);
  });
});
