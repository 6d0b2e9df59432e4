import { createLocalTime } from '../model/local-time.ts';
import { UNCOUNTED } from './promql.ts';

/** Parts of annotations: templates of Prometheus. */

/** The feature of the labels, with version, package and vendor license. */
export const FEATURE_TEXT =
  '{{ $labels.feature }}{{ if $labels.version }} {{ $labels.version }}{{ end }}{{ if $labels.package }} (package {{ $labels.package }}){{ end }} of {{ $labels.vendor_license }}';

/** Which analyzer, in alerts about all of it. */
export const ANALYZER_TEXT =
  'analyzer{{ if $labels.analyzer }} {{ $labels.analyzer }}{{ end }}{{ if $labels.shard }} (shard {{ $labels.shard }}){{ end }}';

/** The value as a time. */
export const TIME_TEXT = '{{ ($value | toTime).UTC.Format "2006-01-02 15:04" }} UTC';
/** A template that evaluates an expression; inside, `.` is its first sample. Without a sample, nothing is written. */
const withSample = (expression: string, args: string, text: string): string =>
  `{{ with printf ${JSON.stringify(expression)}${args} | query }}{{ with . | first }}${text}{{ end }}{{ end }}`;

/** Two moments of a year with different clocks, if a zone has them. */
const SEASONS = [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)].map((at) => at / 1000);

/**
 * The value, an expiry, as the day that `expiryDay` finds. A template knows no time zone: it takes the noon of the day, which the
 * first and the last second tell, so that an hour of summer time does not matter.
 */
export function dayText(timeZone: string): string {
  const { offsetAt } = createLocalTime(timeZone);
  const offset = Math.min(...SEASONS.map(offsetAt));
  const noon = '43200 * ((%[1]f %% 900 == bool 0) - (%[1]f %% 60 == bool 59))';
  return withSample(
    `vector(%[1]f + ${offset} + ${noon})`,
    ' $value',
    '{{ (. | value | toTime).UTC.Format "2006-01-02" }}',
  );
}

/** The value, which is the beginning of a local day, as a month. In UTC, its noon is on the same day in nearly all time zones. */
export const MONTH_TEXT = withSample(
  'vector(%f + 43200)',
  ' $value',
  '{{ (. | value | toTime).UTC.Format "2006-01" }}',
);

const RUNS_OUT = 'license:feature_runs_out_timestamp_seconds:min{analyzer=%q, shard=%q, vendor_license=%q}';
const RUNS_OUT_ARGS = ' $labels.analyzer $labels.shard $labels.vendor_license';
/** Maximum number of features in a list. */
const MAX_LISTED = 10;

const ofRunsOut = (expression: string): string => `printf ${JSON.stringify(expression)}${RUNS_OUT_ARGS} | query`;

/** `a about 2027-03, b about 2027-05, of 12 features. `: the features of the vendor license that run out, if it is known. */
export const RUNS_OUT_LIST_TEXT = `{{ with ${ofRunsOut(`sort(bottomk(${MAX_LISTED}, ${RUNS_OUT}) + 43200)`)} }}{{ range $i, $one := . }}{{ if $i }}, {{ end }}{{ $one.Labels.feature }} about {{ ($one.Value | toTime).UTC.Format "2006-01" }}{{ end }}{{ with ${ofRunsOut(`count(${RUNS_OUT}) > ${MAX_LISTED}`)} }}, of {{ . | first | value }} features{{ end }}. {{ end }}`;

/** Time since the value. */
export const AGE_TEXT = withSample('vector(time() - %f)', ' $value', '{{ . | value | humanizeDuration }}');

/** A metric of the feature. */
const ofFeature = (metric: string, matcher = ''): string =>
  `max(${metric}{${matcher}vendor_license=%q, feature=%q, version=%q, package=%q, feature_type=%q} * on (job, instance) group_left () license:exporter:info{analyzer=%q, shard=%q})`;
const OF_FEATURE_ARGS =
  ' $labels.vendor_license $labels.feature $labels.version $labels.package $labels.feature_type $labels.analyzer $labels.shard';

/** Text about a metric of the feature; inside, `.` is the sample. */
const withMetric = (metric: string, text: string): string => withSample(ofFeature(metric), OF_FEATURE_ARGS, text);

/** Text about the number of licenses of a feature; inside, `.` is the sample. */
const withLicenses = (text: string): string => withMetric('license_feature_max_available', text);

/** The number of licenses, or `uncounted`. */
export const LICENSES_TEXT = `{{ with printf ${JSON.stringify(ofFeature('license_feature_info', `${UNCOUNTED}, `))}${OF_FEATURE_ARGS} | query }}uncounted{{ else }}${withLicenses('{{ . | value }}')}{{ end }}`;

/** `26 of 28 licenses are in use. `, if both are known. */
export const IN_USE_TEXT = withMetric(
  'license_feature_in_use',
  `{{ $inUse := . | value }}${withLicenses('{{ $inUse }} of {{ . | value }} licenses are in use. ')}`,
);

/** The number of servers of the source in the labels. */
export const SERVERS_TEXT = withSample(
  'count(count by (server) (license_source_member_up{source=%q, manager=%q}))',
  ' $labels.license_source $labels.manager',
  '{{ . | value }}',
);

/** A link to the runbook of an alert on an exporter. If no exporter is running, the last address is used. */
const runbookOn = (info: string, args: string, alert: string): string =>
  withSample(
    `${info} or last_over_time(${info}[1h])`,
    args,
    `{{ . | label "external_url" }}/runbooks#${alert.toLowerCase()}`,
  );

/** A link to the runbook of an alert, on any exporter. */
export const runbookText = (alert: string): string => runbookOn('license_exporter_analyzer_info', '', alert);

/** The same, on an exporter of the analyzer in the labels. */
export const ownRunbookText = (alert: string): string =>
  runbookOn('license_exporter_analyzer_info{analyzer=%[1]q, shard=%[2]q}', ' $labels.analyzer $labels.shard', alert);

/** A link that opens a new silence for the alert. */
export function silenceText(alertmanagerUrl: string, alert: string): string {
  const matchers = ['severity', 'analyzer', 'vendor_license', 'feature', 'version'].map((name) => {
    const value = `{{ $labels.${name} | printf "%q" | urlquery | reReplaceAll "[+]" "%20" }}`;
    return `{{ if $labels.${name} }}${encodeURIComponent(`,${name}=`)}${value}{{ end }}`;
  });
  const filter = `${encodeURIComponent(`{alertname="${alert}"`)}${matchers.join('')}${encodeURIComponent('}')}`;
  return `${alertmanagerUrl}/#/silences/new?filter=${filter}`;
}
