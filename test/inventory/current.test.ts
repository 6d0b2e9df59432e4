import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CurrentInventory, type CurrentInventoryOptions, type InventoryReader } from '../../src/inventory/current.ts';
import type { FeaturesRequest } from '../../src/inventory/features-request.ts';
import type { Inventory } from '../../src/inventory/inventory.ts';
import type { FeatureRecord, ProductRecord } from '../../src/model/records.ts';
import { WHOLE } from '../../src/model/snapshot.ts';
import { answer, createSnapshot, failed, feature, good, NOW, product } from '../support/scenario.ts';
import { createTestFeatures, everything, featureAt } from '../support/stored-answers.ts';

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
    features: createTestFeatures(),
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
    expect(first?.count).toBe(1);
    expect(await featuresAfter({ active: 9 })).toBe(first);
    const withheld = await featuresAfter({ isCurrent: false });
    expect([withheld === first, featureAt(withheld ?? [], 0).isWithheld]).toEqual([false, true]);
    expect(await featuresAfter({ product: 'LIC01;cdslmd' })).not.toBe(withheld);
    const shown = await featuresAfter({});
    expect(await featuresAfter({}, createSnapshot({ features }))).not.toBe(shown);
    current.stop();
  });

  it('releases features when they are neither current nor read', async () => {
    const released: unknown[] = [];
    const source = createTestFeatures();
    const { promise, resolve } = Promise.withResolvers<void>();
    const current = create([], { features: { ...source, release: (features) => void released.push(features) } });
    const commit = (fields: Partial<FeatureRecord>) =>
      current.commit(createSnapshot({ features: { [WHOLE]: good(answer([feature(fields)])) } }));
    await commit({ inUse: 1 });
    const first = current.latest()?.features;
    const reading = current.use(async () => promise);
    await commit({ inUse: 2 });
    const second = current.latest()?.features;
    await commit({ inUse: 3 });
    expect(released).toEqual([second]);
    resolve();
    await reading;
    expect(released).toEqual([second, first]);
    current.stop();
    expect(released).toHaveLength(3);
  });

  it('derives the same request again if its source has lost the features', async () => {
    let isLost = false;
    const current = create([], { features: { ...createTestFeatures(), holds: () => !isLost } });
    await current.commit(snapshotOf('a;b'));
    const first = current.latest()?.features;
    await current.commit(snapshotOf('a;b'));
    expect(current.latest()?.features).toBe(first);
    isLost = true;
    await current.commit(snapshotOf('a;b'));
    expect(current.latest()?.features).not.toBe(first);
    current.stop();
  });

  it('releases features that are derived when it is stopped', async () => {
    const released: unknown[] = [];
    const { derive, holds } = createTestFeatures();
    const { promise, resolve } = Promise.withResolvers<void>();
    let features: unknown;
    const slow = async (request: FeaturesRequest) => {
      const derived = await derive(request);
      features = derived.columns;
      await promise;
      return derived;
    };
    const current = create([], { features: { derive: slow, holds, release: (table) => void released.push(table) } });
    const committed = current.commit(snapshotOf('a;b'));
    current.stop();
    resolve();
    await committed;
    expect(released).toEqual([features]);
  });

  it('reports no problem after it is stopped', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    const current = create([], { features: { ...createTestFeatures(), derive: () => promise } });
    const committed = current.commit(snapshotOf('a;b'));
    current.stop();
    reject(new Error('the program is stopping'));
    await committed;
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
