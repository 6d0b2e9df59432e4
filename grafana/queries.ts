import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/common';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import type { MetricName } from '../src/exporter/metrics/catalogue.ts';
import { keyOf } from '../src/site/grafana/answers/panel-data.ts';
import type { KeyName } from '../src/site/grafana/answers/payload-keys.ts';
import type { TargetName } from '../src/site/grafana/answers/targets.ts';

/** Queries of panels, variables and annotations. */

export const PROMETHEUS: DataSourceRef = { type: 'prometheus', uid: `\${prometheus_datasource}` };
export const ROWS: DataSourceRef = { type: 'yesoreyeram-infinity-datasource', uid: `\${infinity}` };

const REF_IDS = 'ABCDEFGHIJ';

/**
 * Matchers of the selected vendor licenses and features. Names contain quotes, backslashes and dots. Grafana escapes a variable
 * for one kind of quotes or another, by version and feature toggle; `raw` and `regex` between backquotes need no escaping.
 */
export const ONE_VENDOR_LICENSE = `vendor_license=\`\${vendor_license:raw}\``;
export const ONE_FEATURE = `${ONE_VENDOR_LICENSE},feature=\`\${feature:raw}\``;
export const SEVERAL_VENDOR_LICENSES = `vendor_license=~\`\${vendor_licenses:regex}\``;

/** The same selections as parameters of `/grafana/rows`. */
export const OF_VENDOR_LICENSE = { product: `\${vendor_license:raw}` } as const;
export const OF_FEATURE = { ...OF_VENDOR_LICENSE, feature: `\${feature:raw}` } as const;
export const OF_VENDOR_LICENSES = { product: `\${vendor_licenses:json}` } as const;

/** A selector for the selected exporters; `matchers` are added to it. */
export const select = (name: 'up' | MetricName | `${MetricName}_${'sum' | 'count'}`, matchers = ''): string =>
  `${name}{job=~"$job",instance=~"$instance"${matchers === '' ? '' : `,${matchers}`}}`;

/** One series where several exporters report the same one: two exporters must not count twice. */
export const once = (expression: string): string => `max without (job, instance) (${expression})`;

/** A metric of the selected exporters, each series once. */
export const metric = (name: MetricName, matchers = ''): string => once(select(name, matchers));

/** When the license of each feature expires, epoch seconds, for each exporter. */
export const expiration = (matchers = ''): string => select('license_feature_expiration_timestamp_seconds', matchers);

/**
 * A sum for each vendor license. A vendor license is in one shard, so that exporters which report the same
 * one report the same features: the sums are compared, and not 20,000 series.
 */
const sumOfEach = (series: string): string =>
  `max by (vendor_license) (sum by (vendor_license, job, instance) (${series}))`;

/** A figure over all series. It is not known while series are left out, because it would be too low. */
const whole = (figure: string): string =>
  `((${figure}) and on () (max(${select('license_exporter_series_limit_exceeded')}) == 0))`;

/** The label with the name of a figure. */
export const FIGURE = 'figure';

/** The same with a label. */
export const named = (label: string, name: string, expression: string): string =>
  `label_replace(${expression}, "${label}", "${name}", "", "")`;

/** How many features are saturated, as the alert LicenseFeatureSaturated defines it. The exporter counts them. */
export const saturated = (matchers = ''): string =>
  whole(`sum(max by (vendor_license) (${select('license_vendor_license_saturated_features', matchers)}))`);

/** The sum of a metric over the selected features. */
export const sumOf = (name: MetricName, matchers = ''): string => whole(`sum(${sumOfEach(select(name, matchers))})`);

/** A row of a table that says something. It has no value: NaN is shown as what is not known. */
const saying = (text: string, when: string): string => `label_replace(NaN * (${when}), "note", "${text}", "", "")`;

/** @param known has a value only while it is known that no row exists */
export const orNoRow = (rows: string, text: string, known: string): string => `${rows} or ${saying(text, known)}`;

export const NOTHING_KNOWN = 'Nothing is known';

/** A panel without a series is empty, or complains about its fields. @param known series that are there if a row can be */
export const orUnknown = (rows: string, known: string): string =>
  `${rows} or ${saying(NOTHING_KNOWN, `vector(1) unless on () count(${known})`)}`;

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

/** Parameters of `/grafana/rows`: a text, which may be a variable, or a list. */
export type Parameters = Readonly<Partial<Record<KeyName | 'from' | 'to', string | number | readonly string[]>>>;

/** A column of the answer, and its name in the panel. */
export interface Read {
  /** As in the documentation of the target. */
  readonly name: string;
  readonly as?: string;
  /** Times are epoch milliseconds. A text without it. */
  readonly type?: 'number' | 'time';
}

export const nameOf = ({ name, as }: Read): string => as ?? name;

const columnTypes = { number: 'number', time: 'timestamp_epoch' } as const;

/** The time range of the panel. Grafana's backend fills it in, for alerts too. */
export const IN_RANGE = { from: `\${__timeFrom}`, to: `\${__timeTo}` } as const;

/**
 * A query of Infinity: rows of the daemon, parsed by the backend of the plugin. Columns have a type, because one that the plugin
 * guesses changes with the rows. The daemon sends only the columns that are read. A list is JSON: no other form keeps commas,
 * quotes and braces in names.
 */
export class RowsQuery implements Builder<Dataquery> {
  readonly #target: TargetName;
  readonly #parameters: Parameters;
  readonly #columns: readonly Read[];
  readonly #frame: { readonly refId: string; readonly format: 'table' | 'dataframe' };

  constructor(
    target: TargetName,
    parameters: Parameters,
    columns: readonly Read[],
    frame: { readonly refId: string; readonly format: 'table' | 'dataframe' } = { refId: 'A', format: 'table' },
  ) {
    this.#target = target;
    this.#parameters = parameters;
    this.#columns = columns;
    this.#frame = frame;
  }

  build(): Dataquery {
    const keys = this.#columns.map(({ name }) => keyOf(name));
    const columns = this.#parameters.shape === 'annotations' ? {} : { columns: keys };
    const asked = {
      ...this.#frame,
      datasource: ROWS,
      type: 'json',
      parser: 'backend',
      source: 'url',
      root_selector: 'rows',
      url: `/grafana/rows/${this.#target}`,
      url_options: {
        method: 'GET',
        data: '',
        params: Object.entries({ ...this.#parameters, ...columns }).map(([key, value]) => ({
          key,
          value: typeof value === 'object' ? JSON.stringify(value) : String(value),
        })),
      },
      columns: this.#columns.map((column, i) => ({
        selector: keys[i],
        text: nameOf(column),
        type: column.type === undefined ? 'string' : columnTypes[column.type],
      })),
    };
    return { ...asked, _implementsDataqueryVariant: () => undefined } as unknown as Dataquery;
  }
}
