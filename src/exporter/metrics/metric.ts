/** Groups of metrics that can be enabled, with their default. */
export const collectors = {
  alerts: true,
  borrow: true,
  reserve: true,
  icons: false,
  log: false,
  activity: false,
  token: false,
  users: false,
  history: false,
  rightsizing: true,
} as const;

type Collector = keyof typeof collectors;

export type Enabled = Readonly<Record<Collector, boolean>>;

/** Groups whose metrics are there if what they are of is. */
const unswitched = ['alerting', 'messages', 'sources', 'logons'] as const;

/**
 * When a metric has a sample, for each of what its labels name.
 *
 * - `always`: from the first page on. A counter with which a rule finds the first failure is `always`.
 * - `known`: while its value is known, a 0 too.
 * - `not 0`: while its value is not 0: a 0 would say nothing that no sample does not say.
 * - `seen`: from the first event on: a counter of which no rule needs the first increase.
 */
export type Presence = 'always' | 'known' | 'not 0' | 'seen';

/** The type, the labels and the help of a metric, the group that enables it, and when it has a sample. */
export interface Metric {
  /** A `summary` has no quantiles: it is a sum and a count. */
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly labels: readonly string[];
  /**
   * `default`: always exposed; `alerting`: while the alert engine is on; `messages`: with e-mail or a webhook; `sources`: if the
   * daemon has sources; `logons`: if it has none, and so logs on to an analyzer.
   */
  readonly group: 'default' | 'alerting' | (typeof unswitched)[number] | Collector;
  readonly presence: Presence;
  readonly help: string;
}

const isUnswitched = (group: Metric['group']): group is (typeof unswitched)[number] =>
  (unswitched as readonly string[]).includes(group);

/** Whether a metric is shown, as far as settings decide. */
export const isEnabled = ({ group }: Metric, enabled: Enabled): boolean =>
  group === 'default' || (!isUnswitched(group) && enabled[group]);

/** The labels of every metric of a feature. */
export const featureLabels = ['vendor_license', 'feature', 'version', 'package', 'feature_type'] as const;

/** The labels of history, which has no versions. */
export const historyLabels = ['vendor_license', 'feature', 'package', 'feature_type'] as const;

export const attributeLabels = ['license_type', 'license_model', 'token_pool', 'token_source', 'mapped_to'] as const;

/** Metrics of one group that share presence and labels, by their help. A name that ends with `_total` is that of a counter. */
export function metricsOf<Name extends string, const Labels extends readonly string[]>(
  group: Metric['group'],
  presence: Presence,
  labels: Labels,
  helps: Readonly<Record<Name, string>>,
  type?: Metric['type'],
): Readonly<Record<Name, Metric & { readonly labels: Labels }>> {
  const metrics = Object.entries<string>(helps).map(([name, help]) => [
    name,
    { type: type ?? (name.endsWith('_total') ? 'counter' : 'gauge'), labels, group, presence, help },
  ]);
  return Object.fromEntries(metrics);
}
