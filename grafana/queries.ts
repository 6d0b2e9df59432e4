import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import type { TargetName } from '../src/datasource/targets.ts';
import type { MetricName } from '../src/metrics/catalogue.ts';

/** Queries of panels, variables and annotations. */

export const PROMETHEUS: DataSourceRef = { type: 'prometheus', uid: `\${prometheus_datasource}` };
export const JSON_SOURCE: DataSourceRef = { type: 'simpod-json-datasource', uid: `\${json}` };

const REF_IDS = 'ABCDEFGHIJ';

/** A selector for the selected exporters; `matchers` are added to it. */
export const select = (metric: MetricName | `${MetricName}_bucket`, matchers = ''): string =>
  `${metric}{job=~"$job",instance=~"$instance"${matchers === '' ? '' : `,${matchers}`}}`;

/** One series where several exporters report the same one: two exporters must not count twice. */
export const once = (expression: string): string => `max without (job, instance) (${expression})`;

/** A metric of the selected exporters, each series once. */
export const metric = (name: MetricName, matchers = ''): string => once(select(name, matchers));

/** Ratio of licenses in use, for each feature. */
export const saturation = (matchers = ''): string =>
  once(`${select('license_feature_in_use', matchers)} / (${select('license_feature_max_available', matchers)} > 0)`);

/** When the license of each feature expires, epoch seconds. */
export const expiration = (matchers = ''): string => metric('license_feature_expiration_timestamp_seconds', matchers);

/** How many licenses have expired. */
export const expired = (matchers = ''): string => `sum(${expiration(matchers)} <= bool time())`;

/** How many licenses expire within some days and have not expired yet. */
export const expiring = (days: number, matchers = ''): string =>
  `sum((${expiration(matchers)} > bool time()) * (${expiration(matchers)} <= bool time() + ${days} * 86400))`;

/** Excludes uncounted licenses, which are reported as 99999 available. */
export const COUNTED = '< 99999';

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

/**
 * A query of simpod-json-datasource. The payload is a text in code mode, because the plugin escapes the variables of an
 * object. Write `"$name"` for a variable with one value and `$name` for one with several.
 */
export class JsonQuery implements Builder<Dataquery> {
  readonly #target: TargetName;
  readonly #payload: string;
  readonly #refId: string;

  constructor(target: TargetName, payload: string, refId = 'A') {
    this.#target = target;
    this.#payload = payload;
    this.#refId = refId;
  }

  build(): Dataquery {
    const query = {
      refId: this.#refId,
      datasource: JSON_SOURCE,
      editorMode: 'code',
      target: this.#target,
      payload: this.#payload,
    };
    return { ...query, _implementsDataqueryVariant: () => undefined } as Dataquery;
  }
}
