import type { Field } from '../../base/query-api/field.ts';
import { type ModelName, modelName, recordFields } from '../../base/query-api/records.ts';
import { featureLabels, type Metric } from './metric.ts';

/** The gauges that show fields of records. The tables of fields say which, and what their help is. */

const labelsOf = {
  GetProducts: ['vendor_license'],
  GetFeatures: featureLabels,
  GetExpirationFeatures: featureLabels,
} as const;

type Shown = keyof typeof labelsOf;
type TableOf<Endpoint extends Shown> = (typeof recordFields)[Endpoint];
/** The names of the gauges of an endpoint. */
type Names<Endpoint extends Shown> = Extract<
  TableOf<Endpoint>[keyof TableOf<Endpoint>],
  { readonly metric: `license_${string}` }
>['metric'];
type AnyName = { [Endpoint in Shown]: Names<Endpoint> }[Shown];
type GaugeField<F> = {
  [Name in keyof F]: F[Name] extends { readonly metric: `license_${string}` } ? Name : never;
}[keyof F] &
  string;

/** A gauge, and the field that it shows by its name in the model. */
export interface FieldGauge<Name, Column> {
  readonly name: Name;
  readonly column: Column;
  readonly metric: Metric;
}

/** The groups in page order. */
const groups: readonly Metric['group'][] = ['default', 'borrow', 'reserve', 'activity', 'token', 'log', 'users'];

/** The gauges that are first in their group. The others follow in the order of the records. */
const first: readonly string[] = [
  'license_vendor_license_last_collection_timestamp_seconds',
  'license_vendor_license_min_expiration_timestamp_seconds',
  'license_vendor_license_current',
  'license_vendor_license_max_available',
  'license_feature_max_available',
  'license_feature_available',
  'license_feature_in_use',
  'license_feature_max_in_use',
  'license_feature_max_queued',
  'license_feature_used_reserve',
  'license_feature_log_available',
  'license_feature_log_in_use',
  'license_feature_log_unused_reserve',
  'license_feature_log_used_reserve',
] satisfies readonly AnyName[];

const placeOf = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);

/** What the help says of merged records whose figure is a bound. */
const ofMerged: Readonly<Partial<Record<Field['merge'], string>>> = {
  peak: '; sum of merged records, upper bound',
  distinct: '; maximum of merged records, lower bound',
};

function helpOf(endpoint: string, name: string, { help, merge }: Field): string {
  const what = help ?? `log10 of ${name.replace(/^Log/, '')}`;
  return `${what}, from ${endpoint}.${name}${ofMerged[merge] ?? ''}.`;
}

/** The gauges of the fields of an endpoint, in page order. */
export function fieldGauges<Endpoint extends Shown>(
  endpoint: Endpoint,
): readonly FieldGauge<Names<Endpoint>, ModelName<GaugeField<TableOf<Endpoint>>>>[] {
  const labels = labelsOf[endpoint];
  return Object.entries<Field>(recordFields[endpoint])
    .filter(([, { metric }]) => metric.startsWith('license_'))
    .map(([name, field]) => {
      const group: Metric['group'] = field.collector ?? 'default';
      return {
        name: field.metric as Names<Endpoint>,
        column: modelName(name as GaugeField<TableOf<Endpoint>>),
        metric: {
          type: 'gauge' as const,
          labels,
          group,
          presence: field.isSparse ? ('not 0' as const) : ('known' as const),
          help: helpOf(endpoint, name, field),
        },
      };
    })
    .sort(
      (a, b) => groups.indexOf(a.metric.group) - groups.indexOf(b.metric.group) || placeOf(a.name) - placeOf(b.name),
    );
}

const metricsBy = <Endpoint extends Shown>(endpoint: Endpoint): Readonly<Record<Names<Endpoint>, Metric>> =>
  Object.fromEntries(fieldGauges(endpoint).map(({ name, metric }) => [name, metric])) as Record<
    Names<Endpoint>,
    Metric
  >;

export const fieldMetrics = {
  ...metricsBy('GetProducts'),
  ...metricsBy('GetFeatures'),
  ...metricsBy('GetExpirationFeatures'),
};
