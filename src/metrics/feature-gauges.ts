import type { FeatureColumns } from '../inventory/feature-columns.ts';
import { usageNames } from '../inventory/feature-row.ts';
import type { MetricName } from './catalogue.ts';
import { fieldGauges } from './field-metrics.ts';
import { type Enabled, isEnabled } from './metric.ts';

/** Returns the value of a row, NaN if it is not known. */
export type ReadValue = (row: number) => number;

/** A gauge of a block, in page order. */
export interface FeatureGauge {
  readonly name: MetricName;
  /** Returns a function that reads its values in one generation. */
  readonly open: (columns: FeatureColumns) => ReadValue;
  /** The labels after those that all gauges have: those of the owner, or the attributes of the feature before them. */
  readonly extra: 'none' | 'owner' | 'attributes';
}

function openReported(columns: FeatureColumns, name: string): ReadValue {
  const { features, featureSlots, withheld } = columns;
  const column = features.numberColumn(name);
  const isUsage = usageNames.has(name);
  return (row) => {
    const slot = featureSlots[row] as number;
    return slot < 0 || (isUsage && withheld[row] === 1) ? Number.NaN : features.number(slot, column);
  };
}

/** From the record of GetExpirationFeatures; where that does not know it, from the record of GetFeatures. */
function openExpiry(columns: FeatureColumns, name: string): ReadValue {
  const { features, featureSlots, expirations, expirationSlots } = columns;
  const column = expirations.numberColumn(name);
  const other = features.layout.numbers.indexOf(name);
  return (row) => {
    const slot = expirationSlots[row] as number;
    const value = slot < 0 ? Number.NaN : expirations.number(slot, column);
    if (!Number.isNaN(value) || other === -1) return value;
    const featureSlot = featureSlots[row] as number;
    return featureSlot < 0 ? Number.NaN : features.number(featureSlot, other);
  };
}

/** An info metric of the features that GetFeatures reports, or of the others. */
const infoGauge = (name: MetricName, extra: FeatureGauge['extra'], ofReported: boolean): FeatureGauge => ({
  name,
  extra,
  open:
    ({ featureSlots }) =>
    (row) =>
      (featureSlots[row] as number) >= 0 === ofReported ? 1 : Number.NaN,
});

/** The enabled gauges that show fields of an endpoint. */
const shown = (
  endpoint: 'GetFeatures' | 'GetExpirationFeatures',
  enabled: Enabled,
  open: (columns: FeatureColumns, name: string) => ReadValue,
): readonly FeatureGauge[] =>
  fieldGauges(endpoint)
    .filter(({ metric }) => isEnabled(metric, enabled))
    .map(({ name, column }) => ({ name, open: (columns) => open(columns, column), extra: 'none' }));

/** The metrics of GetFeatures. */
export const featureGauges = (enabled: Enabled): readonly FeatureGauge[] => [
  infoGauge('license_feature_info', 'attributes', true),
  ...shown('GetFeatures', enabled, openReported),
];

/** The metrics of GetExpirationFeatures. */
export const expirationGauges = (enabled: Enabled): readonly FeatureGauge[] => [
  infoGauge('license_feature_expiration_info', 'owner', false),
  ...shown('GetExpirationFeatures', enabled, openExpiry),
];
