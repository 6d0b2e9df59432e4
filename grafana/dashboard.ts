import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
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
 * A variable with one value, the busiest first. Grafana opens a dashboard on the first value: it is one on which users wait, or
 * with the largest share in use. Those without figures are the last, and stay a day after they were last reported.
 *
 * @param matchers of the names to choose from
 */
function busiest(name: string, label: string, all: string, matchers = ''): dashboard.QueryVariableBuilder {
  const highest = (expression: string): string => `max by (${name}) (${expression})`;
  const inUse = select('license_feature_in_use', matchers);
  const available = select('license_feature_max_available', matchers);
  const queued = select('license_feature_max_queued', matchers);
  // idle features are left out first: a site can have 20,000
  const ranked = `${highest(`${queued} > 0`)} + 1 or ${highest(`(${inUse} > 0) / ${available}`)}`;
  const query = `query_result(sort_desc(${ranked} or ${highest(`last_over_time(${all}[1d])`)} * 0))`;
  return (
    queryVariable(name, label, query)
      // {name="VALUE"} RESULT TIME: Grafana does not escape quotes in VALUE
      .regex(`/^\\{${name}="(.*)"\\} \\S+ \\S+$/`)
      .sort(dashboard.VariableSort.Disabled)
  );
}

/** The vendor license of a dashboard that shows one. */
export const vendorLicense = (): dashboard.QueryVariableBuilder =>
  busiest('vendor_license', 'Vendor license', select('license_vendor_license_info'));

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

/** Features that have figures, of the chosen vendor license. */
export const feature = (): dashboard.QueryVariableBuilder =>
  busiest('feature', 'Feature', select('license_feature_info', ONE_VENDOR_LICENSE), ONE_VENDOR_LICENSE);

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
