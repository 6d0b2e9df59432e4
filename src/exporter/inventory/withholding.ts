import type { ProductRecord } from '../../base/model/records.ts';

/**
 * Withheld usage: it is known, and not shown, because the analyzer goes on reporting the last counts of a vendor license that is not
 * current, is down, or is not said to be current. Rows have it as unknown, so that metrics, alerts, pages and Grafana leave it out.
 */

/** What is known of a vendor license. */
interface Currency {
  /** Whether GetServerDown lists it. */
  readonly isDown: boolean;
  readonly product: ProductRecord | undefined;
  /** Whether the answers lack the field `IsCurrent`, which says whether figures are old. */
  readonly lacksIsCurrent: boolean;
}

/** `metrics.usage_when_not_current`. */
export type UsagePolicy = 'withhold' | 'export';

/** Whether the usage of a vendor license, and of its features, is withheld. */
export const isUsageWithheld = (policy: UsagePolicy, { isDown, product, lacksIsCurrent }: Currency): boolean =>
  policy === 'withhold' && (isDown || product?.isCurrent === false || lacksIsCurrent);

/** Whether a row shows no value for a field. @param isUsage of the field, by the tables in `src/base/query-api` */
export const isFieldWithheld = (isUsage: boolean, isWithheld: boolean): boolean => isUsage && isWithheld;
