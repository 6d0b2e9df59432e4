/** Parts of PromQL expressions. */

/** The labels that identify what an alert is about, as lists for `by` and `on`. */
export const SITE = 'analyzer, shard';
export const VENDOR_LICENSE = `${SITE}, vendor_license`;
/** A feature name. The mapping of owners and the sums over versions are by name. */
export const FEATURE_NAME = `${VENDOR_LICENSE}, feature`;
export const FEATURE = `${FEATURE_NAME}, version, package, feature_type`;
/** History has no versions. */
export const HISTORY = `${FEATURE_NAME}, package, feature_type`;
/** A source of the embedded analyzer. In alerts, the label `source` names the sender. */
export const SOURCE = `${SITE}, license_source, manager`;

/** The features whose licenses are uncounted, in `license_feature_info`. They have no number of licenses. */
export const UNCOUNTED = 'license_type="uncounted"';

/** A string literal. */
export const quote = (text: string): string => JSON.stringify(text);

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** A duration in the largest unit that gives a whole number, for example `90m`. Milliseconds are kept. @param seconds 0 or more */
export function durationOf(seconds: number): string {
  const unit = units.find(([, size]) => seconds >= size && seconds % size === 0);
  if (unit !== undefined) return `${seconds / unit[1]}${unit[0]}`;
  return seconds === 0 ? '0s' : `${Math.round(seconds * 1000)}ms`;
}

/** A selector of a series with these matchers. */
export const select = (series: string, ...matchers: readonly string[]): string =>
  matchers.length === 0 ? series : `${series}{${matchers.join(', ')}}`;

/** Several expressions, of which the first one that has a sample with these labels wins. */
export const either = (...expressions: readonly string[]): string => expressions.join('\nor\n');

/**
 * Samples of a metric per analyzer and shard, of the replicas whose poll is good. If no poll is good, of all of them.
 *
 * @param labels what to keep, a list
 * @param data which poll, a value of the label `data` of `license:exporter:trusted`
 */
export const ofReplicas = (operator: 'max' | 'min', labels: string, metric: string, data: string): string =>
  `${operator} by (${labels}) (\n  ${metric}\n  * on (job, instance) group_left (${SITE}) license:exporter:trusted{data=${quote(data)}}\n)`;

/** Samples of a metric about the exporter itself, with its analyzer and shard, of all replicas. */
export const ofExporters = (operator: 'max' | 'min', labels: string, metric: string): string =>
  `${operator} by (${labels}) (\n  ${metric} * on (job, instance) group_left (${SITE}) license:exporter:info\n)`;

/** Samples of a metric of sources, with the label `source` as `license_source`. */
export const ofSources = (operator: 'max' | 'count', labels: string, metric: string): string =>
  `${operator} by (${labels}) (label_replace(
  ${metric} * on (job, instance) group_left (${SITE}) license:exporter:info,
  "license_source", "$1", "source", "(.+)"
))`;
