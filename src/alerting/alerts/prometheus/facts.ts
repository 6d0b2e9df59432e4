/**
 * What the rules for Prometheus say of an alert from the series of the exporter. Each is a query for each alert that fires, at
 * every evaluation: only for those of which there are few.
 */

/** Features that a text names. */
const MAX_NAMED = 5;

const named = 'feature, version, package';

/**
 * The variables of a template, the last of which is a query: the features of a vendor license and an owner whose licenses end on
 * a day. Their value is a moment of that day in UTC, and the label `licenses` their number, if it is known. A license ends in the
 * last second of a day or in its first, in the time zone of the analyzer, which Prometheus does not know: 10 hours before the one
 * and 13 hours after the other it is this day in UTC too, if the time zone is between UTC-10 and UTC+13.
 */
function endingOn(owners: readonly string[]): string {
  const license = 'printf "vendor_license=%q" $labels.vendor_license';
  const matchers = owners.map((name) => `,${name}=%q`).join('');
  const variables = {
    license,
    owned: `printf "{%s${matchers}}" $license ${owners.map((name) => `$labels.${name}`).join(' ')}`,
    end: 'printf "(license_feature_expiration_timestamp_seconds{%s} < Inf)" $license',
    moment: 'printf "(%[1]s + 46800 - 82800 * (%[1]s %% 60 == bool 59))" $end',
    day: 'printf "year(%[1]s) * 10000 + month(%[1]s) * 100 + day_of_month(%[1]s)" $moment',
    onDay: 'printf "(%s and (%s == %s))" $moment $day (reReplaceAll "-" "" $labels.expires)',
    info: 'printf "(license_feature_info%[1]s or license_feature_expiration_info%[1]s)" $owned',
    ending: `printf "max by (${named}) (%s and on (vendor_license, ${named}, feature_type) %s)" $onDay $info`,
    licenses: `printf "max by (${named}) (license_feature_max_available{%s} > 0)" $license`,
    counted: `printf "count_values by (${named}) (\`licenses\`, %s)" $licenses`,
    query: `printf "%[1]s * on (${named}) group_left (licenses) %[2]s or on (${named}) %[1]s" $ending $counted`,
  };
  return Object.entries(variables)
    .map(([name, value]) => `{{ $${name} := ${value} }}`)
    .join('');
}

const FEATURE =
  '{{ .Labels.feature }}{{ with .Labels.version }} {{ . }}{{ end }}{{ with .Labels.package }} (package {{ . }}){{ end }}';
const NUMBER = '{{ with .Labels.licenses }} ({{ . }} {{ if eq . "1" }}license{{ else }}licenses{{ end }}){{ end }}';

/** `On Thursday 2026-12-03, these licenses end: spice 23.1 (28 licenses), layout 2.0. ` @param owners label names of owners */
function expiryFacts(end: string, owners: readonly string[]): string {
  const list = `{{ range $i, $_ := . }}{{ if lt $i ${MAX_NAMED} }}{{ if $i }}, {{ end }}${FEATURE}${NUMBER}{{ end }}{{ end }}`;
  const more = `{{ if gt (len .) ${MAX_NAMED} }} and others, {{ len . }} in all{{ end }}`;
  return `{{ if $labels.expires }}${endingOn(owners)}{{ with query $query | sortByLabel "feature" }}On {{ (. | first | value | toTime).Weekday }} {{ $labels.expires }}, these licenses ${end}: ${list}${more}. {{ end }}{{ end }}`;
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
