import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import type { ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import * as table from '@grafana/grafana-foundation-sdk/table';
import { KEEP, rowLink } from './links.ts';
import { type About, absolute, DAYS_LEFT, DAYS_LEFT_NAMES, PLAIN, place, SATURATION_BAR, type Step } from './panels.ts';
import { instant, JSON_SOURCE, JsonQuery, type Payload, PROMETHEUS } from './queries.ts';

/** Tables. How a value is shown belongs to its column: a default would apply to names and versions, too. */

/** A column of a table: its name, and how its values are shown. */
export interface Shown {
  readonly name: string;
  /** The name that is shown, if it is another one. */
  readonly as?: string;
  /** Grafana's id of the unit. Without one, values are shown as they are. */
  readonly unit?: string;
  readonly decimals?: number;
  /** Pixels. One column of a table has none and takes what is left. */
  readonly width?: number;
  /** Of the column that takes what is left: on a narrow screen, the table is scrolled. */
  readonly minWidth?: number;
  /** The colours of its text, or of its bar. */
  readonly steps?: readonly Step[];
  /** A bar from 0 to 1 instead of a text. */
  readonly gauge?: true;
  /** Shown for a value that is not known, or for one with a meaning of its own, as `permanent`. */
  readonly unknown?: string;
  /** For numbers that are texts, because one of them is `uncounted`. */
  readonly align?: 'right';
  /** Long texts take several lines. */
  readonly wrap?: true;
  /** The colours of texts. */
  readonly colors?: Readonly<Record<string, string>>;
  /** Names that are shown for values. */
  readonly names?: readonly ValueMapping[];
  /** The address of a link on each value. Names of vendor licenses and features have one without it. */
  readonly link?: string;
  readonly linkTitle?: string;
  /** Whether the column is there for links only. */
  readonly hidden?: true;
}

/** Days to an expiry. */
export const DAYS: Shown = {
  name: 'Days left',
  unit: 'none',
  decimals: 0,
  steps: DAYS_LEFT,
  names: DAYS_LEFT_NAMES,
  width: 90,
};

/** The columns of an expiry in tables of the JSON data source. */
export const EXPIRY: readonly Shown[] = [{ name: 'Expires', width: 100 }, DAYS];

/**
 * Licenses in use / bought, as a bar. Grafana leaves a fifth of the column to the text. In less than 300 pixels, "100%" needs more
 * than that, and its bar would be shorter than that of "97%".
 */
export const SHARE: Shown = {
  name: 'Share',
  as: 'Share in use',
  unit: 'percentunit',
  decimals: 0,
  gauge: true,
  steps: SATURATION_BAR,
  width: 300,
};

/** Licenses bought: a text, because a feature can be uncounted. */
export const BOUGHT: Shown = { name: 'Bought', width: 95, align: 'right' };

/** The words of these dashboards for the states of the analyzer. */
export const STATES: readonly ValueMapping[] = [
  { type: 'value', options: { inactive: { text: 'idle', index: 0 }, queued: { text: 'waiting', index: 1 } } },
] as ValueMapping[];

type Property = { id: string; value: unknown };

/** Where a bar from 0 to 1 ends. Grafana computes it for the whole column, but draws it within the padding: 1 would be cut off. */
const FULL = 1.05;

/** The dashboard that a name links to. */
const linked: Readonly<Record<string, 'license-vendor-license' | 'license-feature'>> = {
  'Vendor license': 'license-vendor-license',
  Product: 'license-vendor-license',
  Feature: 'license-feature',
};

function cellOptions({ gauge, steps, colors, wrap }: Shown): Property[] {
  if (gauge === true) {
    const value = { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' };
    return [
      { id: 'min', value: 0 },
      { id: 'max', value: FULL },
      // without it, an unknown value is drawn as 0
      {
        id: 'mappings',
        value: [{ type: 'special', options: { match: 'null', result: { text: '–', color: 'transparent', index: 0 } } }],
      },
      { id: 'custom.cellOptions', value },
    ];
  }
  if (steps === undefined && colors === undefined && wrap === undefined) return [];
  const type = steps === undefined && colors === undefined ? 'auto' : 'color-text';
  return [{ id: 'custom.cellOptions', value: { type, ...(wrap === true && { wrapText: true }) } }];
}

function mapped(colors: Readonly<Record<string, string>>): Property {
  const options = Object.fromEntries(Object.entries(colors).map(([text, color], index) => [text, { color, index }]));
  return { id: 'mappings', value: [{ type: 'value', options }] };
}

/** How a column is shown. */
const shownAs = (column: Shown): Property[] => [
  ...(column.as === undefined ? [] : [{ id: 'displayName', value: column.as }]),
  ...(column.unit === undefined ? [] : [{ id: 'unit', value: column.unit }]),
  ...(column.decimals === undefined ? [] : [{ id: 'decimals', value: column.decimals }]),
  ...(column.width === undefined ? [] : [{ id: 'custom.width', value: column.width }]),
  // a text without a colour of its own would be green
  ...(column.steps === undefined && column.colors === undefined
    ? []
    : [{ id: 'thresholds', value: absolute(column.steps ?? PLAIN) }]),
  ...(column.minWidth === undefined ? [] : [{ id: 'custom.minWidth', value: column.minWidth }]),
  ...(column.colors === undefined ? [] : [mapped(column.colors)]),
  ...(column.names === undefined ? [] : [{ id: 'mappings', value: column.names }]),
  ...(column.align === undefined ? [] : [{ id: 'custom.align', value: column.align }]),
  ...(column.unknown === undefined ? [] : [{ id: 'noValue', value: column.unknown }]),
  ...(column.hidden === undefined ? [] : [{ id: 'custom.hidden', value: true }]),
  ...cellOptions(column),
];

/** The link of a column: its own, or that of the name in it. */
function linkOf(column: Shown, owner: string | undefined, kept: readonly string[]): Property[] {
  const uid = linked[column.name];
  const url = column.link ?? (owner === undefined || uid === undefined ? undefined : rowLink(uid, owner, ...kept));
  if (url === undefined) return [];
  return [{ id: 'links', value: [{ title: column.linkTitle ?? `Show \${__value.text}`, url }] }];
}

function tablePanel(about: About, targets: readonly Builder<Dataquery>[]): table.PanelBuilder {
  // without a text of its own, a table without rows says "No data", and an empty cell is empty
  return (
    place(new table.PanelBuilder(), about, 12, 8)
      .targets([...targets])
      .cellHeight(common.TableCellHeight.Sm)
      // pages say how many rows there are, and none is cut in half
      .footer(new common.TableFooterOptionsBuilder().enablePagination(true))
  );
}

/** Column names for the labels of the metrics. */
const labelNames: Readonly<Record<string, string>> = {
  vendor_license: 'Vendor license',
  feature: 'Feature',
  version: 'Version',
  package: 'Package',
  feature_type: 'Type',
  endpoint: 'Endpoint',
  reason: 'Reason',
};

/** Widths of the labels, in pixels. The feature, or the reason, takes what is left. */
const labelWidths: Readonly<Record<string, number>> = {
  'Vendor license': 190,
  Version: 90,
  Package: 130,
  Type: 90,
  Endpoint: 175,
};

/**
 * A table of series: their labels, and the value of each query in a column of its own.
 *
 * @param sortBy name of a column; `-` before it sorts the largest first
 */
export function seriesTable(
  about: About,
  queries: readonly (Shown & { readonly expression: string })[],
  labels: readonly string[],
  sortBy?: string,
): table.PanelBuilder {
  const values = queries.map(
    ({ name }, i) => [queries.length > 1 ? `Value #${'ABCDEFGHIJ'[i]}` : 'Value', name] as const,
  );
  const hidden = Object.keys(labelNames).filter((label) => !labels.includes(label));
  const names = labels.map((label) => [label, labelNames[label] ?? label] as const);
  const panel = tablePanel(about, instant(queries.map(({ expression }) => expression)))
    .datasource(PROMETHEUS)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(['Time', '__name__', ...hidden].map((name) => [name, true])),
        indexByName: Object.fromEntries([...names, ...values].map(([field], i) => [field, i])),
        renameByName: Object.fromEntries([...names, ...values]),
      },
    });
  for (const [, name] of names) {
    const width = labelWidths[name];
    const column = { name, ...(width === undefined ? { minWidth: 70 } : { width }) };
    panel.overrideByName(name, [...shownAs(column), ...linkOf(column, 'Vendor license', [])]);
  }
  for (const query of queries) panel.overrideByName(query.name, [...shownAs(query), ...linkOf(query, undefined, [])]);
  if (sortBy === undefined) return panel;
  return panel.sortBy([
    new common.TableSortByFieldStateBuilder().displayName(sortBy.replace(/^-/, '')).desc(sortBy.startsWith('-')),
  ]);
}

/** A query of a table: the daemon sorts it, cuts it after `top` rows, and sends only the columns that are shown. */
export interface TableQuery {
  readonly target: ConstructorParameters<typeof JsonQuery>[0];
  readonly payload?: Payload;
  readonly top: number;
  /** The column of the vendor license, if names link to their dashboards. */
  readonly owner?: string;
  /** What the daemon answers when it is known that no row exists. */
  readonly none?: string;
  /** Whether links hand on the time range. */
  readonly keepsTime?: true;
}

/** A table of the JSON data source. */
export function jsonTable(about: About, query: TableQuery, shown: readonly Shown[]): table.PanelBuilder {
  const { none } = query;
  const columns = shown.map(({ name }) => name);
  const payload = { ...query.payload, top: query.top, columns, ...(none !== undefined && { none }) };
  const panel = tablePanel(about, [new JsonQuery(query.target, payload)]).datasource(JSON_SOURCE);
  const kept = query.keepsTime === true ? [KEEP.time] : [];
  for (const column of shown) {
    const properties = [...shownAs(column), ...linkOf(column, query.owner, kept)];
    if (properties.length > 0) panel.overrideByName(column.name, properties);
  }
  return panel;
}
