import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import type { KeyName, TargetName } from '../src/datasource/targets.ts';
import type { MetricName } from '../src/metrics/catalogue.ts';

/** Queries of panels, variables and annotations. */

export const PROMETHEUS: DataSourceRef = { type: 'prometheus', uid: `\${prometheus_datasource}` };
export const JSON_SOURCE: DataSourceRef = { type: 'simpod-json-datasource', uid: `\${json}` };

const REF_IDS = 'ABCDEFGHIJ';

/**
 * Matchers of the selected vendor licenses and features. Names contain quotes, backslashes and dots. Grafana escapes a variable
 * for one kind of quotes or another, by version and feature toggle; `raw` and `regex` between backquotes need no escaping.
 */
export const ONE_VENDOR_LICENSE = `vendor_license=\`\${vendor_license:raw}\``;
export const ONE_FEATURE = `${ONE_VENDOR_LICENSE},feature=\`\${feature:raw}\``;
export const SEVERAL_VENDOR_LICENSES = `vendor_license=~\`\${vendor_licenses:regex}\``;

/** The same selections as keys of payloads. */
export const OF_VENDOR_LICENSE = { product: ['$vendor_license'] } as const;
export const OF_FEATURE = { product: ['$vendor_license'], feature: ['$feature'] } as const;
export const OF_VENDOR_LICENSES = { product: ['$vendor_licenses'] } as const;

/** A selector for the selected exporters; `matchers` are added to it. */
export const select = (metric: MetricName | `${MetricName}_bucket`, matchers = ''): string =>
  `${metric}{job=~"$job",instance=~"$instance"${matchers === '' ? '' : `,${matchers}`}}`;

/** One series where several exporters report the same one: two exporters must not count twice. */
export const once = (expression: string): string => `max without (job, instance) (${expression})`;

/** A metric of the selected exporters, each series once. */
export const metric = (name: MetricName, matchers = ''): string => once(select(name, matchers));

/** Ratio of licenses in use, for each feature. */
export const saturation = (matchers: string): string =>
  once(`${select('license_feature_in_use', matchers)} / (${select('license_feature_max_available', matchers)} > 0)`);

/** When the license of each feature expires, epoch seconds. */
export const expiration = (matchers: string): string =>
  metric('license_feature_expiration_timestamp_seconds', matchers);

/** How many licenses have expired. */
export const expired = (matchers: string): string => `sum(${expiration(matchers)} <= bool time())`;

/**
 * A row of a table with a text, and 0, in place of no row.
 *
 * @param known has a value only while it is known that no row exists
 */
export const noRow = (label: string, text: string, known: string): string =>
  `label_replace(0 * (${known}), "${label}", "${text}", "", "")`;

/** Query number `i` of a panel. */
const query = (expression: string, i: number): prometheus.DataqueryBuilder =>
  new prometheus.DataqueryBuilder()
    .refId(REF_IDS[i] ?? 'Z')
    .datasource(PROMETHEUS)
    .editorMode(prometheus.QueryEditorMode.Code)
    .expr(expression);

/** Range queries for lines, by legend and expression. */
export const lines = (series: Readonly<Record<string, string>>): Builder<Dataquery>[] =>
  Object.entries(series).map(([legend, expression], i) => query(expression, i).legendFormat(legend).range());

/** Instant queries, for single figures and for tables. */
export const instant = (
  expressions: readonly string[],
  format: prometheus.PromQueryFormat = prometheus.PromQueryFormat.Table,
): Builder<Dataquery>[] => expressions.map((expression, i) => query(expression, i).format(format).instant());

/** Instant queries for figures with names, by name and expression. */
export const current = (figures: Readonly<Record<string, string>>): Builder<Dataquery>[] =>
  Object.entries(figures).map(([name, expression], i) => query(expression, i).legendFormat(name).instant());

/** A payload of simpod-json-datasource. The plugin sends each value as a text, or as several texts. */
export type Payload = Readonly<Partial<Record<KeyName, string | number | boolean | readonly string[]>>>;

/**
 * A query of simpod-json-datasource. The payload is an object: the plugin then puts variables into each of its texts. In a payload
 * that is one text, a quote or a backslash in a name would make the JSON invalid. A variable is written as `['$name']`, whether
 * it has one value or several.
 */
export class JsonQuery implements Builder<Dataquery> {
  readonly #target: TargetName;
  readonly #payload: Payload;
  readonly #refId: string;

  constructor(target: TargetName, payload: Payload, refId = 'A') {
    this.#target = target;
    this.#payload = payload;
    this.#refId = refId;
  }

  build(): Dataquery {
    const query = {
      refId: this.#refId,
      datasource: JSON_SOURCE,
      editorMode: 'builder',
      target: this.#target,
      payload: this.#payload,
    };
    return { ...query, _implementsDataqueryVariant: () => undefined } as Dataquery;
  }
}
