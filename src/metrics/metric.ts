import type { Fields } from '../query-api/field.ts';

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

export type Collector = keyof typeof collectors;

/** Which collectors are enabled. */
export type Enabled = Readonly<Record<Collector, boolean>>;

export interface Metric {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  /** `default`: always exposed; `alerting`: while the alert engine is on; `messages`: with e-mail or a webhook; `sources`: if the daemon has sources. */
  readonly group: 'default' | 'alerting' | 'messages' | 'sources' | Collector;
  readonly help: string;
}

export const isEnabled = ({ group }: Metric, enabled: Enabled): boolean =>
  group === 'default' || (group !== 'alerting' && group !== 'messages' && group !== 'sources' && enabled[group]);

/** The labels of every metric of a feature. */
export const featureLabels = ['vendor_license', 'feature', 'version', 'package', 'feature_type'] as const;

/** The metrics that a table of fields names. */
export type MetricOf<F extends Fields> = Extract<F[keyof F]['metric'], `license_${string}`>;

/** Gauges of fields that share their labels. */
export function gauges<Name extends string>(
  labels: readonly string[],
  metrics: Readonly<Record<Name, Pick<Metric, 'group' | 'help'>>>,
): Readonly<Record<Name, Metric>> {
  const entries = Object.entries<Pick<Metric, 'group' | 'help'>>(metrics);
  return Object.fromEntries(entries.map(([name, metric]) => [name, { type: 'gauge', labels, ...metric }])) as Record<
    Name,
    Metric
  >;
}
