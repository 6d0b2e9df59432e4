import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAnswer } from '../../../src/inventory/decoding/decode.ts';
import { type FeatureColumns, openFeatures } from '../../../src/inventory/feature-columns.ts';
import { createFeatureTable } from '../../../src/inventory/feature-table.ts';
import type { PartRecords } from '../../../src/inventory/features-request.ts';
import { DataPlane } from '../../../src/inventory/plane/data-plane.ts';
import type { Block } from '../../../src/metrics/block.ts';
import { updateBlock } from '../../../src/metrics/block-update.ts';
import { createFeatureRenderer, FeatureRenderer } from '../../../src/metrics/feature-renderer.ts';
import { assembleGzip, deflateEnd } from '../../../src/metrics/gzip.ts';
import { collectors } from '../../../src/metrics/metric.ts';
import { createOwners, type OwnerEntry } from '../../../src/model/owners.ts';
import type { ExpirationRecord, FeatureRecord, StoredAnswer } from '../../../src/model/records.ts';
import { WHOLE } from '../../../src/model/snapshot.ts';
import { deriveSlowly, type Expected, type Part, valuesOf } from '../../support/slow-derivation.ts';
import { everything } from '../../support/stored-answers.ts';

/** The data plane in one thread: what it shows after any polls, and that it keeps nothing that is no longer needed. */

const PERMANENT = 2_147_483_641;
const enabled = collectors;

const endpointOf = { features: 'GetFeatures', expirations: 'GetExpirationFeatures' } as const;
type Kind = keyof typeof endpointOf;

/** A wire record. Texts have many lengths, so that the memory of texts is compacted. */
const wireRecord = fc.record({
  Feature: fc.constantFrom('a', 'A', 'b', 'ü"\\\n', '\ud800', '\ufffd', '😀'),
  ServerName: fc.constantFrom('s', 'S', 't'),
  Daemon: fc.constantFrom('d', 'e'),
  FeatureType: fc.constantFrom('feature', 'Package'),
  Version: fc.constantFrom('', '1.0'),
  InUse: fc.oneof(fc.nat(3), fc.constant('NaN')),
  MaxAvailable: fc.nat(1000),
  MappedTo: fc.oneof(
    fc.constant(''),
    fc.nat(20).map(String),
    // their number of repetitions
    fc.constantFrom('3*70000', '4*70000', '5*70000', '6*300000'),
  ),
  LicenseExpiration: fc.constantFrom(1_900_000_000, 1_950_000_000, 2_147_483_647, 'NaN'),
});
type WireRecord = typeof wireRecord extends fc.Arbitrary<infer T> ? T : never;

/** What an analyzer answers, and how its answer ends. */
const answer = fc.record({
  kind: fc.constantFrom<Kind>('features', 'expirations'),
  part: fc.constantFrom(WHOLE, 's;d', 't;e'),
  records: fc.array(wireRecord, { maxLength: 12 }),
  /** Keeps the start of the previous answer. */
  same: fc.nat(12),
  end: fc.constantFrom('good', 'good', 'good', 'good', 'rejected', 'broken', 'aborted'),
});
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  { weight: 4, arbitrary: answer },
  { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom<Kind>('features', 'expirations'), at: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ withheld: fc.subarray(['s;d', 'T;E', 't;e']), products: fc.subarray(['s;d', 'T;E']) }),
  },
  { weight: 2, arbitrary: fc.record({ budget: fc.constantFrom(0, 1, 25, 1e6), isOther: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ release: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ owner: fc.constantFrom('', 'cad') }) },
);

/** An answer that is the newest good one of its part. */
interface Current {
  readonly wire: readonly WireRecord[];
  readonly handle: number;
  readonly body: string;
}

interface Shown {
  readonly columns: FeatureColumns;
  readonly rows: Expected['rows'];
}

function lengthen(text: string): string {
  const [unit = '', times] = text.split('*');
  return unit.repeat(Number(times ?? 1));
}

const mapValues = <T extends object>(record: T, map: (value: unknown) => unknown): T =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)])) as T;

/** The table of texts replaces a lone surrogate. */
const wellFormed = (value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

const recordsOf = (kind: Kind, body: string): readonly (FeatureRecord | ExpirationRecord)[] =>
  decodeAnswer(endpointOf[kind], Buffer.from(body), PERMANENT).records.map((record) => mapValues(record, wellFormed));

const pageOf = (blocks: readonly Block[]): string =>
  gunzipSync(Buffer.concat(assembleGzip(blocks, deflateEnd(Buffer.alloc(0))))).toString();

/** Drives a data plane as the main thread does, and knows what it must show. */
class Driver {
  readonly plane = new DataPlane(createFeatureRenderer);
  readonly #current: Readonly<Record<Kind, Map<string, Current>>> = { features: new Map(), expirations: new Map() };
  readonly #shown: Shown[] = [];
  #newest: Shown | undefined;
  #owners: readonly OwnerEntry[] = [];
  #base = 0;
  #blocks: { expirations: Block; features: Block } | undefined;

  async poll({ kind, part, records, same, end }: Answer): Promise<void> {
    // expiries are requested for each vendor license
    if (kind === 'expirations' && part === WHOLE) return;
    const current = this.#current[kind];
    const wire = [...(current.get(part)?.wire.slice(0, same) ?? []), ...records];
    const items = wire.map((record) => JSON.stringify({ ...record, MappedTo: lengthen(record.MappedTo) })).join();
    const body = kind === 'features' ? `[[${items}]]` : `[${items}]`;
    const incoming = this.plane.open({ endpoint: endpointOf[kind], question: part, permanentAfter: PERMANENT });
    incoming.result.catch(() => undefined);
    const bytes = Buffer.from(end === 'broken' ? `${body.slice(0, -1)},{"Feature":` : body);
    const half = bytes.length >> 1;
    incoming.write(Buffer.from(bytes.subarray(0, half)));
    incoming.write(Buffer.from(bytes.subarray(half)));
    if (end === 'aborted') incoming.abort();
    else incoming.end();
    if (end === 'broken' || end === 'aborted') {
      await expect(incoming.result).rejects.toThrow();
    } else {
      const { handle, count } = (await incoming.result) as StoredAnswer;
      expect(count).toBe(wire.length);
      if (end === 'good') {
        // a site is requested as a whole, or per vendor license
        if (kind === 'features')
          for (const other of current.keys()) {
            if ((other === WHOLE) !== (part === WHOLE)) current.delete(other);
          }
        current.set(part, { wire, handle, body });
      }
    }
    this.keep(kind);
  }

  keep(kind: Kind): void {
    this.plane.keep(
      endpointOf[kind],
      [...this.#current[kind].values()].map(({ handle }) => handle),
    );
  }

  forget(kind: Kind, at: number): void {
    const current = this.#current[kind];
    const part = [...current.keys()][at % Math.max(1, current.size)];
    if (part !== undefined) current.delete(part);
    this.keep(kind);
  }

  derive(withheld: readonly string[], products: readonly string[]): void {
    const requested = (kind: Kind): readonly PartRecords[] =>
      [...this.#current[kind]].map(([part, { handle }]) => ({ part, handle }));
    const selection = everything.rules;
    const request = {
      features: requested('features'),
      expirations: requested('expirations'),
      products,
      withheld,
      selection,
    };
    const { columns, mergedFeatures, mergedExpirations } = this.plane.derive(request, this.#oldestInUse());
    const parts = (kind: Kind) =>
      [...this.#current[kind]].map(([part, { body }]) => ({ part, records: recordsOf(kind, body) }));
    const { rows, merged } = deriveSlowly({
      features: parts('features') as readonly Part<FeatureRecord>[],
      expirations: parts('expirations') as readonly Part<ExpirationRecord>[],
      products,
      withheld,
      selection,
    });
    expect([mergedFeatures, mergedExpirations]).toEqual(merged);
    this.#newest = { columns: openFeatures(columns), rows };
    this.#shown.push(this.#newest);
  }

  /** @param isOther whether another page is rendered, as after a reload */
  render(budget: number, isOther: boolean): void {
    if (this.#newest === undefined) return;
    if (isOther) {
      this.#base = 0;
      this.#blocks = undefined;
    }
    const updates = this.plane.render({ enabled, budget, base: this.#base, oldestInUse: this.#base });
    this.#base = updates.version;
    this.#blocks = {
      expirations: updateBlock(updates.expirations, this.#blocks?.expirations),
      features: updateBlock(updates.features, this.#blocks?.features),
    };
    const whole = new FeatureRenderer(enabled).render(
      this.#newest.columns,
      1,
      { budget, oldestInUse: 0 },
      createOwners(this.#owners),
    );
    const expected = [updateBlock(whole.expirations, undefined), updateBlock(whole.features, undefined)];
    expect(pageOf([this.#blocks.expirations, this.#blocks.features])).toBe(pageOf(expected));
  }

  useOwner(owner: string): void {
    this.#owners = owner === '' ? [] : [{ vendorLicense: 's;d', feature: 'A', labels: { owner } }];
    this.plane.useOwners(this.#owners);
  }

  /** A reader does not need its rows any more. The newest ones are current, and stay. */
  release(at: number): void {
    if (this.#shown.length > 1) this.#shown.splice(at % (this.#shown.length - 1), 1);
  }

  check(): void {
    for (const { columns, rows } of this.#shown) expect([...createFeatureTable(columns)].map(valuesOf)).toEqual(rows);
  }

  /** Nothing is known any more, and nobody reads. */
  end(): void {
    for (const kind of ['features', 'expirations'] as const) {
      this.#current[kind].clear();
      this.keep(kind);
    }
    this.#shown.length = 0;
    // the first one is the last generation that shows a record
    for (let i = 0; i < 2; i += 1) {
      this.derive([], []);
      this.render(1e6, false);
      this.#shown.length = 0;
    }
    this.derive([], []);
  }

  #oldestInUse(): number {
    return Math.min(...this.#shown.map(({ columns }) => columns.generation), Number.MAX_SAFE_INTEGER);
  }
}

async function apply(driver: Driver, each: object): Promise<void> {
  if ('end' in each) await driver.poll(each as Answer);
  else if ('forget' in each) driver.forget(each.forget as Kind, (each as unknown as { at: number }).at);
  else if ('withheld' in each) {
    const { withheld, products } = each as { withheld: string[]; products: string[] };
    driver.derive(withheld, products);
  } else if ('budget' in each) driver.render(each.budget as number, (each as unknown as { isOther: boolean }).isOther);
  else if ('owner' in each) driver.useOwner(each.owner as string);
  else driver.release((each as { release: number }).release);
}

describe('DataPlane', () => {
  it('shows what the obvious way shows, leaves rows as they are while they are read, and keeps nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const driver = new Driver();
        for (const each of steps) {
          await apply(driver, each);
          driver.check();
        }
        driver.end();
        // the empty text
        expect(driver.plane.counts()).toEqual({ features: 0, expirations: 0, texts: 1 });
      }),
      { numRuns: 30 },
    );
  });

  it('keeps nothing of answers that are not shown, even if nothing is derived for a long time', async () => {
    const driver = new Driver();
    const polled = (end: Answer['end'], feature: string): Promise<void> => {
      const record = { ServerName: 's', Daemon: 'd', FeatureType: 'feature', Version: '', InUse: 1, MaxAvailable: 2 };
      const records = [{ ...record, Feature: feature, MappedTo: '', LicenseExpiration: 1_900_000_000 } as WireRecord];
      return driver.poll({ kind: 'features', part: WHOLE, records, same: 0, end });
    };
    await polled('good', 'a');
    driver.derive([], []);
    const before = driver.plane.counts();
    for (const end of ['broken', 'rejected', 'aborted'] as const) {
      await polled(end, 'b');
      expect(driver.plane.counts()).toEqual(before);
    }
    // it is compared with the last answer that was not rejected
    await polled('good', 'a');
    expect(driver.plane.counts()).toEqual(before);
  });
});
