import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import type { MatcherConfig, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import * as table from '@grafana/grafana-foundation-sdk/table';
import { KEEP, rowLink } from './links.ts';
import {
  type About,
  absolute,
  DAYS_LEFT,
  DAYS_LEFT_NAMES,
  GOOD_BELOW,
  NO_ANSWER,
  ordered,
  PLAIN,
  place,
  type Step,
} from './panels.ts';
import {
  instant,
  NOTHING_KNOWN,
  nameOf,
  orUnknown,
  type Parameters,
  PROMETHEUS,
  type Read,
  ROWS,
  RowsQuery,
} from './queries.ts';

/** Tables. How a value is shown belongs to its column: a default would apply to names and versions, too. */

/** A column of a table: its name, and how its values are shown. */
export interface Shown extends Read {
  /** Grafana's id of the unit. Without one, values are shown as they are. */
  readonly unit?: string;
  readonly decimals?: number;
  /** Pixels. One column of a table has none and takes what is left. */
  readonly width?: number;
  /** Of the column that takes what is left: on a narrow screen, the table is scrolled. */
  readonly minWidth?: number;
  /** The colours of its text. */
  readonly steps?: readonly Step[];
  /** Shown for a value that is not known, or for one with a meaning of its own, as `permanent`. */
  readonly unknown?: string;
  /** Long texts take several lines. A name without spaces would be cut without a sign that it is. */
  readonly wrap?: true;
  /** The colours of texts. */
  readonly colors?: Readonly<Record<string, string>>;
  /** Names that are shown for values. */
  readonly names?: readonly ValueMapping[];
  /** The address of a link on each value. Names of vendor licenses and features have one without it. */
  readonly link?: string;
  /** Whether the column is there for links only. */
  readonly hidden?: true;
}

/** Days to an expiry. */
export const DAYS: Shown = {
  name: 'Days left',
  type: 'number',
  unit: 'none',
  // 7.8 days are not within a week
  decimals: 1,
  steps: DAYS_LEFT,
  names: DAYS_LEFT_NAMES,
  width: 90,
};

/** The day of an expiry, in the time zone of the analyzer. */
export const EXPIRES: Shown = { name: 'Expires', width: 100 };

/** The vendor license of a row. Names of FlexNet are long, for example `1055@lic1.example.com;ansyslmd`. */
export const VENDOR_LICENSE: Shown = { name: 'Product', as: 'Vendor license', minWidth: 240 };

/** Licenses in use / bought. */
export const SHARE: Shown = { name: 'Share', type: 'number', unit: 'percentunit', decimals: 0, width: 62 };

/** The share of a feature, with both of its numbers. */
export const IN_USE_OF_BOUGHT: readonly Shown[] = [
  SHARE,
  { name: 'In use', type: 'number', unit: 'locale', width: 62 },
  { name: 'Bought', type: 'number', unit: 'locale', width: 67 },
];

/** Requests that wait for a feature. */
export const WAITING: Shown = {
  name: 'Max queued',
  as: 'Waiting',
  type: 'number',
  unit: 'locale',
  width: 70,
  steps: GOOD_BELOW(1, 'orange'),
};

export const count = (name: string, as: string, width: number, rest: Partial<Shown> = {}): Shown => ({
  name,
  as,
  type: 'number',
  unit: 'locale',
  decimals: 0,
  width,
  ...rest,
});

/** People who waited, in a table of denials: each once a day. */
export const PEOPLE: readonly Shown[] = [count('People', 'People', 65), count('Minutes waited', 'Minutes', 72)];
/** Those who wait now. */
export const WAIT_NOW: Shown = { ...count('Waiting now', 'Now', 50), steps: GOOD_BELOW(1, 'orange') };
/** Why, in the words of the pages. */
export const CAUSE: Shown = { name: 'Cause', width: 125, wrap: true };
/** What ends it. */
export const REMEDY: Shown = { name: 'Remedy', minWidth: 200, wrap: true };

/** A figure that stands for uncounted licenses, which have no number. */
export const UNCOUNTED = -1;
export const UNCOUNTED_NAME = {
  type: 'value',
  options: { [UNCOUNTED]: { text: 'uncounted', color: 'text', index: 0 } },
} as unknown as ValueMapping;

/** Names and colours for the values 0, 1, … of a column. */
export const stateNames = (
  states: readonly (readonly [text: string, color: string])[],
): Pick<Shown, 'steps' | 'names'> => ({
  steps: PLAIN,
  names: [
    {
      type: 'value',
      options: Object.fromEntries(states.map(([text, color], i) => [i, { text, color, index: i }])),
    },
  ] as unknown as NonNullable<Shown['names']>,
});

/** The words of these dashboards for the states of the analyzer. */
export const STATES: readonly ValueMapping[] = [
  {
    type: 'value',
    options: {
      inactive: { text: 'idle', color: 'orange', index: 0 },
      queued: { text: 'waiting', color: 'orange', index: 1 },
    },
  },
] as ValueMapping[];

type Property = { id: string; value: unknown };

/** The dashboard that a name links to. */
const linked: Readonly<Record<string, 'license-vendor-license' | 'license-feature'>> = {
  'Vendor license': 'license-vendor-license',
  Feature: 'license-feature',
};

function cellOptions({ steps, colors, wrap }: Shown): Property[] {
  if (steps === undefined && colors === undefined && wrap === undefined) return [];
  const type = steps === undefined && colors === undefined ? 'auto' : 'color-text';
  return [{ id: 'custom.cellOptions', value: { type, ...(wrap === true && { wrapText: true }) } }];
}

function mapped(colors: Readonly<Record<string, string>>): Property {
  const options = Object.fromEntries(Object.entries(colors).map(([text, color], index) => [text, { color, index }]));
  return { id: 'mappings', value: [{ type: 'value', options }] };
}

/** How a column is shown. */
export const shownAs = (column: Shown): Property[] => [
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
  ...(column.unknown === undefined ? [] : [{ id: 'noValue', value: column.unknown }]),
  ...(column.hidden === undefined ? [] : [{ id: 'custom.hidden', value: true }]),
  ...cellOptions(column),
];

/** The link of a column: its own, or that of the name in it. */
function linkOf(column: Shown, kept: readonly string[]): Property[] {
  const uid = linked[nameOf(column)];
  const url = column.link ?? (uid === undefined ? undefined : rowLink(uid, ...kept));
  if (url === undefined) return [];
  return [{ id: 'links', value: [{ title: `Show \${__value.text}`, url }] }];
}

/** Columns without any value. A row that says something has no other column, and without a mapping no row has an owner. */
const WITHOUT_VALUE: MatcherConfig = { id: 'byValue', options: { reducer: 'firstNotNull', op: 'eq', value: null } };

/** A table whose cells without a value are empty. */
export function tablePanel(about: About, targets: readonly Builder<Dataquery>[]): table.PanelBuilder {
  return (
    place(new table.PanelBuilder(), about, 12, 8)
      .targets([...targets])
      .cellHeight(common.TableCellHeight.Sm)
      // instead of rows; not in empty cells
      .noValue(NO_ANSWER)
      .overrideByRegexp('.*', [{ id: 'noValue', value: '' }])
      .withOverride({ matcher: WITHOUT_VALUE, properties: [{ id: 'custom.hidden', value: true }] })
  );
}

/** Column names for the labels of the metrics, and of a row that says that there is no other. */
const labelNames: Readonly<Record<string, string>> = {
  note: 'Note',
  link: 'Link',
  source: 'Source',
  manager: 'Manager',
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
  Version: 90,
  Package: 130,
  Type: 90,
  Endpoint: 175,
  Manager: 90,
};

/** How series become rows. */
export interface Series {
  /** For several queries: what is there if a row can be. Without it, a row says that nothing is known. */
  readonly known?: string;
  readonly labels: readonly string[];
  /** Names of columns; `-` before one sorts the largest first. */
  readonly sortBy: readonly string[];
}

/** A table of series: their labels, and the value of each query in a column of its own. */
export function seriesTable(
  about: About,
  queries: readonly (Shown & { readonly expression: string })[],
  { known, labels, sortBy }: Series,
): table.PanelBuilder {
  const values = queries.map(
    (query, i) => [queries.length > 1 ? `Value #${'ABCDEFGHIJ'[i]}` : 'Value', nameOf(query)] as const,
  );
  const shown = [...labels, 'note'];
  const names = shown.map((label) => [label, labelNames[label] ?? label] as const);
  const excluded = Object.keys(labelNames).filter((label) => !shown.includes(label));
  // several frames without a field are an empty panel, and one is its text
  const expressions = queries.map(({ expression }, i) =>
    i === 0 && known !== undefined ? orUnknown(expression, known) : expression,
  );
  const panel = tablePanel(about, instant(expressions))
    .datasource(PROMETHEUS)
    .noValue(NOTHING_KNOWN)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(['Time', '__name__', ...excluded].map((name) => [name, true])),
        indexByName: Object.fromEntries([...names, ...values].map(([field], i) => [field, i])),
        renameByName: Object.fromEntries([...names, ...values]),
      },
    });
  for (const [label, name] of names) {
    const width = labels.length === 1 ? undefined : labelWidths[name];
    const size =
      width === undefined ? { minWidth: label === 'vendor_license' ? 150 : label === 'link' ? 100 : 120 } : { width };
    const column: Shown = { name, ...(label === 'note' && { wrap: true }), ...size };
    panel.overrideByName(name, [...shownAs(column), ...linkOf(column, [])]);
  }
  for (const query of queries) panel.overrideByName(nameOf(query), [...shownAs(query), ...linkOf(query, [])]);
  return panel.sortBy(
    sortBy.map((name) =>
      new common.TableSortByFieldStateBuilder().displayName(name.replace(/^-/, '')).desc(name.startsWith('-')),
    ),
  );
}

/** A query of a table: the daemon sorts it, cuts it after `top` rows, and sends only the columns that are shown. */
export interface TableQuery {
  readonly target: ConstructorParameters<typeof RowsQuery>[0];
  readonly parameters?: Parameters;
  readonly top: number;
  /** What the daemon says in a row when it is known that no other row exists. */
  readonly none: string;
  /** Whether links hand on the time range. */
  readonly keepsTime?: true;
}

/** When, or of what time, a table has no row. */
const SAID_ON = ` (\${__to:date:YYYY-MM-DD HH:mm})`;
const SAID_OF = ` from \${__from:date:YYYY-MM-DD} to \${__to:date:YYYY-MM-DD}`;

/** What the daemon says in a row: that there is nothing, what is not known, or what is left out. Without such a row, it is hidden. */
const NOTE: Shown = { name: 'Note', minWidth: 130, wrap: true };

/** A table of rows of the daemon. */
export function rowsTable(about: About, query: TableQuery, columns: readonly Shown[]): table.PanelBuilder {
  const { top } = query;
  const none = `${query.none}${query.parameters?.from === undefined ? SAID_ON : SAID_OF}`;
  // first: on a narrow screen, a row with a note beyond the edge looks empty
  const shown = [NOTE, ...columns];
  const panel = tablePanel(about, [new RowsQuery(query.target, { ...query.parameters, top, none }, shown)])
    .datasource(ROWS)
    .withTransformation(ordered(shown.map(nameOf)));
  const kept = query.keepsTime === true ? [KEEP.time] : [];
  for (const column of shown) panel.overrideByName(nameOf(column), [...shownAs(column), ...linkOf(column, kept)]);
  return panel;
}
