import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import type { MetricName } from '../src/exporter/metrics/catalogue.ts';
import {
  IN_RANGE,
  ONE_VENDOR_LICENSE,
  type Parameters,
  PROMETHEUS,
  type Read,
  ROWS,
  RowsQuery,
  select,
} from './queries.ts';

/** What all dashboards have in common: their variables, links and annotations. */

const TAG = 'license-exporter';

/** A variable whose values come from Prometheus. */
function queryVariable(name: string, label: string, query: string): dashboard.QueryVariableBuilder {
  return new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(PROMETHEUS)
    .query({ query, refId: name })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged);
}

/** A variable from the labels of a metric. */
const labelValues = (name: string, label: string, selector: string, from: string): dashboard.QueryVariableBuilder =>
  queryVariable(name, label, `label_values(${selector}, ${from})`).sort(dashboard.VariableSort.AlphabeticalAsc);

/**
 * A variable with one value, the first by its rank. Grafana opens a dashboard on the first value. Those without a rank are the
 * last, and stay a day after they were last reported.
 *
 * @param all what the names are chosen from
 */
function ranked(name: string, label: string, rank: string, all: string): dashboard.QueryVariableBuilder {
  const query = `query_result(sort_desc(${rank} or max by (${name}) (last_over_time(${all}[1d])) * 0))`;
  return (
    queryVariable(name, label, query)
      // {name="VALUE"} RESULT TIME: Grafana does not escape quotes in VALUE
      .regex(`/^\\{${name}="(.*)"\\} \\S+ \\S+$/`)
      .sort(dashboard.VariableSort.Disabled)
  );
}

/** The vendor license of a dashboard that shows one: first the one with the most users. A rank by features would read them all. */
export const vendorLicense = (): dashboard.QueryVariableBuilder =>
  ranked(
    'vendor_license',
    'Vendor license',
    `max by (vendor_license) (${select('license_vendor_license_distinct_users')})`,
    select('license_vendor_license_info'),
  );

/**
 * The vendor licenses of a dashboard that shows several. Its name differs from that of a single one: links between dashboards
 * keep variables by name, and a single value must not become a list, or "all".
 */
export const vendorLicenses = (): dashboard.QueryVariableBuilder =>
  labelValues('vendor_licenses', 'Vendor licenses', select('license_vendor_license_info'), 'vendor_license')
    .multi(true)
    // no custom value for "all": in a request it must be the list
    .includeAll(true)
    .current({ text: 'All', value: '$__all' });

/** A feature of the chosen vendor license: first those on which users wait, then those with the largest share in use. */
export const feature = (): dashboard.QueryVariableBuilder => {
  const of = (name: MetricName): string => select(name, ONE_VENDOR_LICENSE);
  const waiting = `max by (feature) (${of('license_feature_max_queued')} > 0)`;
  const share = `max by (feature) ((${of('license_feature_in_use')} > 0) / ${of('license_feature_max_available')})`;
  return ranked('feature', 'Feature', `${waiting} + 1 or ${share}`, of('license_feature_info'));
};

const events: readonly Read[] = [
  { name: 'Time', as: 'time', type: 'time' },
  ...['Title', 'Text', 'Tags'].map((name): Read => ({ name, as: name.toLowerCase() })),
];

/** Annotations of a day. They are off until a user switches them on: over a month, their lines hide the data. */
function marks(name: string, color: string, target: 'expirations' | 'history', of: Parameters) {
  const parameters = { ...of, ...IN_RANGE, shape: 'annotations' };
  return new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(ROWS)
    .enable(false)
    .hide(false)
    .iconColor(color)
    .target(new RowsQuery(target, parameters, events, { refId: 'Anno', format: 'dataframe' }));
}

/** Only for one feature: each annotation of denials sends a request to the analyzer. */
const annotations = (of: Parameters | undefined): readonly dashboard.AnnotationQueryBuilder[] =>
  of === undefined
    ? []
    : [
        marks('Mark expiries', 'orange', 'expirations', of),
        ...(of.feature === undefined ? [] : [marks('Mark denials', 'purple', 'history', of)]),
      ];

interface Head {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly from: string;
  readonly refresh: string;
  /** The vendor license, and the feature, whose expiries and denials can be marked. */
  readonly about?: Parameters;
  readonly variables: readonly (dashboard.QueryVariableBuilder | dashboard.TextBoxVariableBuilder)[];
  /** Whether data sources, job and instance are shown. One dashboard does, the others take them from its links. */
  readonly choosesSources?: boolean;
}

/** The menu that leads to the other dashboards. */
export const menu = (): dashboard.DashboardLinkBuilder =>
  new dashboard.DashboardLinkBuilder('Licenses')
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([TAG])
    // older versions require it
    .url('')
    .asDropdown(true)
    .includeVars(true)
    // each dashboard has the time range that suits its data
    .keepTime(false);

/** A dashboard without panels. */
export function createDashboard(head: Head): dashboard.DashboardBuilder {
  const shown = head.choosesSources === true ? dashboard.VariableHide.DontHide : dashboard.VariableHide.HideVariable;
  return new dashboard.DashboardBuilder(`Licenses / ${head.title}`)
    .uid(head.uid)
    .description(head.description)
    .tags([TAG])
    .timezone('browser')
    .readonly()
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .time({ from: head.from, to: 'now' })
    .refresh(head.refresh)
    .link(menu())
    .annotations([...annotations(head.about)])
    .variables([
      // the first data source variable must be that of Prometheus: Grafana's linter uses it
      new dashboard.DatasourceVariableBuilder('prometheus_datasource')
        .label('Prometheus data source')
        .type('prometheus')
        .hide(shown),
      new dashboard.DatasourceVariableBuilder('infinity')
        .label('Infinity data source')
        .type('yesoreyeram-infinity-datasource')
        .hide(shown),
      labelValues('job', 'Job', 'license_up', 'job')
        .multi(true)
        .includeAll(true)
        .allValue('.+')
        .current({ text: 'All', value: '$__all' })
        .hide(shown),
      labelValues('instance', 'Instance', 'license_up{job=~"$job"}', 'instance')
        .multi(true)
        .includeAll(true)
        .allValue('.+')
        .current({ text: 'All', value: '$__all' })
        .hide(shown),
      // older versions require it
      ...head.variables.map((variable) => variable.hide(dashboard.VariableHide.DontHide)),
    ]);
}
