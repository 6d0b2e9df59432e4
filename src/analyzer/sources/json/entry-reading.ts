import {
  type PoolObservation,
  type VendorLicenseObservation,
  vendorLicenseName,
} from '../../../base/model/observation/observation.ts';
import type { DiagnosticsCount } from '../lines.ts';
import type { SourceTime } from '../times.ts';
import type { FeatureEntry, VendorLicenseEntry } from './document.ts';
import { featureKey, namesOf } from './document-check.ts';
import { type PoolContext, reportsOf, toPool } from './pools.ts';

/** Entries of vendor licenses as observations. */

/** What is kept of entries until the next ones. */
export interface ObservationMemory {
  /** When they were written. */
  readonly writtenAt: number | undefined;
  /** Denials that a license manager counts since its start, by vendor license, then by feature. */
  readonly denialTotals: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** What entries are read with. */
export interface EntryContext {
  /** Of dates without a time. */
  readonly localTime: SourceTime;
  /** Third part of the names of vendor licenses that have none. */
  readonly part: string;
  /** Times after it cannot be right. Undefined if the clock of the writer is wrong: then no time is used. */
  readonly latest: number | undefined;
  /** When the entries were written, epoch seconds. */
  readonly writtenAt: number | undefined;
  /** Of the previous entries, undefined before the first ones. */
  readonly memory: ObservationMemory | undefined;
}

/** Turns entries of vendor licenses into observations, one after the other. They are those of a checked document, or what another manager has made of its text. */
export class EntryReading {
  readonly vendorLicenses: VendorLicenseObservation[] = [];
  readonly diagnostics: DiagnosticsCount;
  readonly #denialTotals = new Map<string, ReadonlyMap<string, number>>();
  readonly unreachable: string[] = [];
  readonly empty: string[] = [];
  readonly #context: EntryContext;
  /** Denials of a document that was read before are counted already. */
  readonly #isNew: boolean;

  constructor(context: EntryContext, diagnostics: DiagnosticsCount) {
    this.#context = context;
    this.diagnostics = diagnostics;
    const { writtenAt, memory } = context;
    const previous = memory?.writtenAt;
    this.#isNew = writtenAt === undefined || previous === undefined || writtenAt > previous;
  }

  add(entry: VendorLicenseEntry): void {
    const names = namesOf(entry, this.#context.part);
    const name = vendorLicenseName(names);
    const isUnreachable = entry.reachable === false;
    const isEmpty = !isUnreachable && entry.features?.length === 0;
    if (isUnreachable) this.unreachable.push(name);
    if (isEmpty) this.empty.push(name);
    const pools = this.#poolsOf(entry, name, vendorLicenseName({ ...names, part: '' }));
    const before = this.#context.memory?.denialTotals.get(name);
    // without an answer the counters are not known; they count on
    if ((isUnreachable || isEmpty) && before !== undefined) this.#denialTotals.set(name, before);
    this.vendorLicenses.push({ ...names, reachable: !isUnreachable && !isEmpty, pools });
  }

  #poolsOf(entry: VendorLicenseEntry, name: string, tokenSource: string): PoolObservation[] {
    const context: PoolContext = {
      localTime: this.#context.localTime,
      latest: this.#context.latest,
      vendorLicense: tokenSource,
      reports: reportsOf(entry),
      onContradiction: () => this.diagnostics.addContradiction(),
    };
    const before = this.#context.memory?.denialTotals.get(name);
    const totals = new Map<string, number>();
    const pools: PoolObservation[] = [];
    for (const feature of entry.features ?? []) {
      const denials = this.#denialsOf(feature, before, totals);
      pools.push(toPool(feature, denials, context));
    }
    if (totals.size > 0) this.#denialTotals.set(name, totals);
    return pools;
  }

  #denialsOf(
    feature: FeatureEntry,
    before: ReadonlyMap<string, number> | undefined,
    totals: Map<string, number>,
  ): number | undefined {
    const { denials, denials_total: total } = feature;
    const isCounter = total !== undefined && total !== null;
    const key = isCounter ? featureKey(feature) : '';
    if (isCounter) totals.set(key, total);
    if (!this.#isNew) return undefined;
    return isCounter ? denialsSince(before?.get(key), total) : (denials ?? undefined);
  }

  /** For the next entries. */
  get memory(): ObservationMemory {
    return { writtenAt: this.#context.writtenAt, denialTotals: this.#denialTotals };
  }
}

/**
 * Requests denied between two readings of a counter. A counter that has fallen was started again and has counted its value
 * since. Undefined at first sight: how much of it is new is not known.
 */
function denialsSince(previous: number | undefined, current: number): number | undefined {
  if (previous === undefined) return undefined;
  return current >= previous ? current - previous : current;
}
