import type { SelectionRules } from './selection.ts';

/** The records of a part that may be shown. */
export interface PartRecords {
  /** `WHOLE`, or the vendor license that the records belong to. */
  readonly part: string;
  readonly handle: number;
  /** See `StoredAnswer.only`. */
  readonly only?: string;
}

/** What the features are derived from. It is plain data and can be sent to a thread. */
export interface FeaturesRequest {
  readonly features: readonly PartRecords[];
  readonly expirations: readonly PartRecords[];
  /** The names in the last good GetProducts. */
  readonly products: readonly string[];
  /** Vendor licenses whose usage is withheld. */
  readonly withheld: readonly string[];
  readonly selection: SelectionRules;
}

/** The result of a derivation. */
export interface Derived<Columns> {
  readonly columns: Columns;
  /** Number of records with the same labels as another record. */
  readonly mergedFeatures: number;
  readonly mergedExpirations: number;
}

/** Whether both requests have the same result, as long as no other request came in between. */
export const isSameRequest = (a: FeaturesRequest, b: FeaturesRequest): boolean =>
  JSON.stringify([a.features, a.expirations]) === JSON.stringify([b.features, b.expirations]) &&
  hasSameOwners(a, b) &&
  isSameList(a.withheld, b.withheld);

/** Whether records have the same owners, and the same records are selected. */
export const hasSameOwners = (a: FeaturesRequest, b: FeaturesRequest): boolean =>
  isSameList(a.products, b.products) && ruleText(a.selection) === ruleText(b.selection);

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

const ruleText = ({ shard, include, exclude }: SelectionRules): string =>
  JSON.stringify([shard.index, shard.total, include.map(String), exclude.map(String)]);
