import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import type { MetricName } from '../src/metrics/catalogue.ts';
import { JSON_SOURCE, JsonQuery, metric, ONE_VENDOR_LICENSE, type Payload, PROMETHEUS, select } from './queries.ts';

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
    // no custom value for "all": in a payload it must be the list
    .includeAll(true)
    .current({ text: 'All', value: '$__all' });

/** A feature of the chosen vendor license: first those on which users wait, then those with the largest share in use. */
export const feature = (): dashboard.QueryVariableBuilder => {
  const of = (name: MetricName): string => select(name, ONE_VENDOR_LICENSE);
  const waiting = `max by (feature) (${of('license_feature_max_queued')} > 0)`;
  const share = `max by (feature) ((${of('license_feature_in_use')} > 0) / ${of('license_feature_max_available')})`;
  return ranked('feature', 'Feature', `${waiting} + 1 or ${share}`, of('license_feature_info'));
};

/** Vendor licenses whose server is down. Grafana drops points that are not larger than 0. */
const serverDown = (matchers = ''): dashboard.AnnotationQueryBuilder => {
  const expression = `(${metric('license_server_up', matchers)} == bool 0) > 0`;
  return new dashboard.AnnotationQueryBuilder()
    .name('Mark outages')
    .datasource(PROMETHEUS)
    .enable(true)
    .hide(false)
    .iconColor('red')
    .expr(expression)
    .step('60s')
    .titleFormat('License server down')
    .textFormat('{{vendor_license}}')
    .tagKeys('vendor_license')
    .target(new prometheus.DataqueryBuilder().refId('Anno').datasource(PROMETHEUS).expr(expression).range());
};

const jsonAnnotation = (name: string, color: string, query: JsonQuery): dashboard.AnnotationQueryBuilder =>
  new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(JSON_SOURCE)
    // off until a user switches it on: over a month, its lines hide the data
    .enable(false)
    .hide(false)
    .iconColor(color)
    .target(query);

/** The vendor license and features of a dashboard. */
interface Subject {
  /** Keys of payloads. Without them there are no annotations of expiries and denials. */
  readonly payload?: Payload;
  /** The same as matchers for Prometheus. */
  readonly matchers?: string;
  /** Whether the panels of the dashboard have a time axis. */
  readonly annotated?: boolean;
}

function annotations({ payload, matchers, annotated = true }: Subject): readonly dashboard.AnnotationQueryBuilder[] {
  if (!annotated) return [];
  const shape = 'annotations';
  const ofPayload =
    payload === undefined
      ? []
      : [jsonAnnotation('Mark expiries', 'orange', new JsonQuery('expirations', { ...payload, shape }, 'Anno'))];
  // only for one feature: each annotation sends a request to the analyzer
  const ofFeature =
    payload?.feature === undefined
      ? []
      : [jsonAnnotation('Mark denials', 'purple', new JsonQuery('history', { ...payload, shape }, 'Anno'))];
  return [serverDown(matchers), ...ofPayload, ...ofFeature];
}

interface Head {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly from: string;
  readonly refresh: string;
  readonly about: Subject;
  readonly variables: readonly (dashboard.QueryVariableBuilder | dashboard.TextBoxVariableBuilder)[];
  /** Whether data sources, job and instance are shown. One dashboard does, the others take them from its links. */
  readonly choosesSources?: boolean;
}

/** A dashboard without panels. */
export function createDashboard(head: Head): dashboard.DashboardBuilder {
  const link = new dashboard.DashboardLinkBuilder('Licenses')
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([TAG])
    // older versions require it
    .url('')
    .asDropdown(true)
    .includeVars(true)
    // each dashboard has the time range that suits its data
    .keepTime(false);
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
    .link(link)
    .annotations([...annotations(head.about)])
    .variables([
      // the first data source variable must be that of Prometheus: Grafana's linter uses it
      new dashboard.DatasourceVariableBuilder('prometheus_datasource')
        .label('Prometheus data source')
        .type('prometheus')
        .hide(shown),
      new dashboard.DatasourceVariableBuilder('json')
        .label('JSON data source')
        .type('simpod-json-datasource')
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
