import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import { JSON_SOURCE, JsonQuery, PROMETHEUS, select } from './queries.ts';

/** What all dashboards have in common: their variables, links and annotations. */

const TAG = 'license-exporter';

/** A variable from the labels of a metric. */
function labelValues(name: string, label: string, query: string): dashboard.QueryVariableBuilder {
  return new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(PROMETHEUS)
    .query({ query, refId: name })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc);
}

export const vendorLicense = (several: boolean): dashboard.QueryVariableBuilder => {
  const info = select('license_vendor_license_info');
  const variable = labelValues('vendor_license', 'Vendor license', `label_values(${info}, vendor_license)`);
  // no custom value for "all": in a payload it must be the list
  return several ? variable.multi(true).includeAll(true).current({ text: 'All', value: '$__all' }) : variable;
};

/** Features that have figures, of the chosen vendor license. */
export const feature = (): dashboard.QueryVariableBuilder =>
  labelValues(
    'feature',
    'Feature',
    `label_values(${select('license_feature_info', 'vendor_license="$vendor_license"')}, feature)`,
  );

/** Vendor licenses whose server is down, from Prometheus. */
const serverDown = (matchers = ''): dashboard.AnnotationQueryBuilder => {
  const expression = `${select('license_server_up', matchers)} == 0`;
  return new dashboard.AnnotationQueryBuilder()
    .name('Server down')
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
    .enable(true)
    .hide(false)
    .iconColor(color)
    .target(query);

/** The vendor license and features of a dashboard, as JSON for payloads. */
interface Subject {
  readonly product: string;
  readonly feature?: string;
  /** The same as matchers for Prometheus. */
  readonly matchers?: string;
}

const expiries = ({ product, feature: name }: Subject): dashboard.AnnotationQueryBuilder => {
  const of = name === undefined ? '' : `,"feature":${name}`;
  return jsonAnnotation(
    'Expiries',
    'orange',
    new JsonQuery('expirations', `{"product":${product}${of},"shape":"annotations"}`, 'Anno'),
  );
};

/** Only for a dashboard of one feature: each annotation sends a request to the analyzer. */
const denials = ({ product, feature: name }: Subject): readonly dashboard.AnnotationQueryBuilder[] => {
  if (name === undefined) return [];
  const payload = `{"product":${product},"feature":${name},"shape":"annotations"}`;
  return [jsonAnnotation('Days with denials', 'purple', new JsonQuery('history', payload, 'Anno'))];
};

interface Head {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly from: string;
  readonly refresh: string;
  readonly about: Subject;
  readonly variables: readonly dashboard.QueryVariableBuilder[];
}

/** A dashboard without panels. */
export function createDashboard(head: Head): dashboard.DashboardBuilder {
  const link = new dashboard.DashboardLinkBuilder('Licenses')
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(false)
    .includeVars(true)
    .keepTime(true);
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
    .annotations([serverDown(head.about.matchers), expiries(head.about), ...denials(head.about)])
    .variables([
      // the first data source variable must be that of Prometheus: Grafana's linter uses it
      new dashboard.DatasourceVariableBuilder('prometheus_datasource')
        .label('Prometheus data source')
        .type('prometheus'),
      new dashboard.DatasourceVariableBuilder('json').label('JSON data source').type('simpod-json-datasource'),
      labelValues('job', 'Job', 'label_values(license_up, job)')
        .multi(true)
        .includeAll(true)
        .allValue('.+')
        .current({ text: 'All', value: '$__all' }),
      labelValues('instance', 'Instance', 'label_values(license_up{job=~"$job"}, instance)')
        .multi(true)
        .includeAll(true)
        .allValue('.+')
        .current({ text: 'All', value: '$__all' }),
      ...head.variables,
    ]);
}
