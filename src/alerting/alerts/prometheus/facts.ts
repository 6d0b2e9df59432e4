/**
 * What the rules for Prometheus say of an alert from the series of the exporter. Each is a query for each alert that fires, at
 * every evaluation: only for those of which there are few.
 */

/** Features that a text names. */
const MAX_NAMED = 5;

const ids = 'vendor_license, feature, version, package, feature_type';

/**
 * The variables of a template, the last of which is a query: when the licenses of a vendor license and an owner end, with their
 * number as the label `licenses`, `0` if that is not known. The value is a moment of that day in UTC. A license ends in the last second
 * of a day or in its first, in the time zone of the analyzer, which Prometheus does not know: 10 hours before the one and 13 hours
 * after the other it is this day in UTC too, if the time zone is between UTC-10 and UTC+13.
 */
function endingQuery(owners: readonly string[]): string {
  const matchers = owners.map((name) => `,${name}=%q`).join('');
  const variables = {
    license: 'printf "vendor_license=%q" $labels.vendor_license',
    owned: `printf "%s${matchers}" $license ${owners.map((name) => `$labels.${name}`).join(' ')}`,
    end: 'printf "license_feature_expiration_timestamp_seconds{%s}" $license',
    info: 'printf "{__name__=~`license_feature(_expiration)?_info`,%s}" $owned',
    number: `printf "max by (${ids}) (license_feature_max_available{%s} or on (${ids}) 0 * %s)" $license $info`,
    query: `printf "max by (feature, version, package, licenses) ((%[1]s + 46800 - 82800 * (%[1]s %% 60 == bool 59)) * on (${ids}) group_left (licenses) count_values by (${ids}) (\`licenses\`, %[2]s and on (${ids}) %[3]s))" $end $number $info`,
  };
  return Object.entries(variables)
    .map(([name, value]) => `{{ $${name} := ${value} }}`)
    .join('');
}

const FEATURE =
  '{{ .Labels.feature }}{{ with .Labels.version }} {{ . }}{{ end }}{{ with .Labels.package }} (package {{ . }}){{ end }}';
const NUMBER =
  '{{ if ne .Labels.licenses "0" }} ({{ .Labels.licenses }} {{ if eq .Labels.licenses "1" }}license{{ else }}licenses{{ end }}){{ end }}';

/** `On Thursday 2026-12-03, these licenses end: spice 23.1 (28 licenses), layout 2.0. ` @param owners label names of owners */
function expiryFacts(end: string, owners: readonly string[]): string {
  const isOfDay =
    '{{ if lt .Value 1e11 }}{{ $at := toTime .Value }}{{ if eq ($at.Format "2006-01-02") $labels.expires }}';
  const first = `{{ if not $count }}On {{ $at.Weekday }} {{ $labels.expires }}, these licenses ${end}: {{ else if lt (len $count) ${MAX_NAMED} }}, {{ end }}`;
  const named = `${first}{{ if lt (len $count) ${MAX_NAMED} }}${FEATURE}${NUMBER}{{ end }}{{ $count = printf "%s." $count }}`;
  const list = `{{ range query $query | sortByLabel "feature" }}${isOfDay}${named}{{ end }}{{ end }}{{ end }}`;
  const more = `{{ if gt (len $count) ${MAX_NAMED} }} and others, {{ len $count }} in all{{ end }}{{ if $count }}. {{ end }}`;
  return `{{ if $labels.expires }}{{ $count := "" }}${endingQuery(owners)}${list}${more}{{ end }}`;
}

const serverFacts =
  '{{ with query (printf "time() - max(license_vendor_license_last_collection_timestamp_seconds{vendor_license=%q})" $labels.vendor_license) }}The analyzer has received no data from {{ $labels.vendor_license }} for {{ . | first | value | humanizeDuration }}. {{ end }}';

const facts: Readonly<Record<string, (owners: readonly string[]) => string>> = {
  LicenseServerDown: () => serverFacts,
  LicenseExpired: (owners) => expiryFacts('ended', owners),
  LicenseExpiringSoon: (owners) => expiryFacts('end', owners),
};

/** Sentences that begin a description, as a template of Prometheus; empty for most alerts. @param owners label names of owners */
export const factsOf = (alert: string, owners: readonly string[]): string => facts[alert]?.(owners) ?? '';
