import { type Dashboard, dashboards } from './dashboards.ts';

/**
 * The dashboards as TypeScript that compiles only if they fit the types of a schema package of Grafana: the dashboard, each
 * panel, its options, and each override.
 */

/** A published package of the types of dashboards. */
export interface SchemaPackage {
  readonly name: string;
  /** Whether an option that the package does not know is an error. An older Grafana ignores newer ones. */
  readonly isStrict: boolean;
  /** The type of the fields of a table. Not every version exports one as for other panels. */
  readonly tableFields: string;
}

/** The name that the types of a panel have. */
const typeNames: Readonly<Record<string, string>> = {
  barchart: 'BarChart',
  gauge: 'Gauge',
  heatmap: 'Heatmap',
  stat: 'Stat',
  'state-timeline': 'StateTimeline',
  table: 'Table',
  text: 'Text',
  timeseries: 'TimeSeries',
};

/** What the newest package does not know, although its Grafana reads it. Each must occur. */
export const exceptions: Readonly<Record<string, string>> = {
  'variable.definition': 'shown in the list of variables',
  'variable.auto': 'added by the SDK to every variable',
  'options.footer': 'moved to other options when the dashboard is read',
  'options.tooltip.show': 'for older versions',
  'cellOptions.wrapText': 'moved to custom.wrapText when the dashboard is read',
  'custom.hidden': 'moved to custom.hideFrom when the dashboard is read',
};

interface Part {
  /** Where it is, for messages. */
  readonly where: string;
  readonly type: string;
  readonly value: unknown;
}

type Json = Record<string, unknown>;

const without = (value: object, ...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** Keys of annotations that belong to the data source. */
const QUERY_KEYS = ['target', 'expr', 'step', 'titleFormat', 'textFormat', 'tagKeys'];

/** The exceptions that occur. */
export type Seen = Set<string>;

function frame({ panels: _, templating, annotations, ...rest }: Dashboard, isStrict: boolean, seen: Seen): Json {
  const list = templating.list.map((variable) => {
    if ('definition' in variable) seen.add('variable.definition');
    if ('auto' in variable) seen.add('variable.auto');
    const remaining = without(variable, 'definition', 'auto', 'auto_min', 'auto_count');
    // the oldest types require what Grafana fills in
    return isStrict ? remaining : { id: '', datasource: null, ...remaining };
  });
  // the queries belong to the data sources
  return {
    ...rest,
    templating: { list },
    annotations: { list: annotations.list.map((one) => without(one, ...QUERY_KEYS)) },
  };
}

function* overridesOf(custom: string, properties: readonly { id: string; value: unknown }[], seen: Seen) {
  for (const { id, value } of properties) {
    const [, name] = /^custom\.(.+)$/.exec(id) ?? [];
    if (name === undefined) yield { type: 'Plain<FieldConfig>', value: { [id]: value } };
    else if (name === 'hidden') seen.add('custom.hidden');
    else if (name === 'cellOptions' && 'wrapText' in (value as object)) {
      seen.add('cellOptions.wrapText');
      yield { type: `Plain<Partial<${custom}>>`, value: { cellOptions: without(value as object, 'wrapText') } };
    } else yield { type: `Plain<Partial<${custom}>>`, value: { [name]: value } };
  }
}

type AnyPanel = Dashboard['panels'][number] & { readonly options?: object; readonly panels?: readonly AnyPanel[] };

/** The options that the newest package knows. */
function known(options: object, seen: Seen): Json {
  if ('footer' in options) seen.add('options.footer');
  const rest = without(options, 'footer');
  const { tooltip } = rest as { tooltip?: object };
  if (tooltip === undefined || !('show' in tooltip)) return rest;
  seen.add('options.tooltip.show');
  return { ...rest, tooltip: without(tooltip, 'show') };
}

function* partsOfPanel(where: string, panel: AnyPanel, schema: SchemaPackage, seen: Seen): Generator<Part> {
  const { options = {}, fieldConfig, ...rest } = panel;
  const name = typeNames[panel.type];
  if (name === undefined) throw new Error(`${where}: no types are known for panels of the type ${panel.type}`);
  yield { where, type: 'Plain<Partial<Panel>>', value: without(rest, 'targets') };
  yield {
    where: `${where}: options`,
    type: `Plain<${name}.Options>`,
    value: schema.isStrict ? known(options, seen) : options,
  };
  if (fieldConfig === undefined) return;
  const fields = panel.type === 'table' ? schema.tableFields : `${name}.FieldConfig`;
  const { custom = {}, ...defaults } = fieldConfig.defaults as Json;
  yield { where: `${where}: defaults`, type: 'Plain<FieldConfig>', value: defaults };
  if (Object.keys(custom as object).length > 0) {
    yield { where: `${where}: defaults`, type: `Plain<Partial<${fields}>>`, value: custom };
  }
  for (const { properties } of fieldConfig.overrides) {
    for (const part of overridesOf(fields, properties, seen)) yield { where: `${where}: overrides`, ...part };
  }
}

function* partsOf(dashboard: Dashboard, schema: SchemaPackage, seen: Seen): Generator<Part> {
  const { uid } = dashboard;
  yield { where: uid, type: 'Plain<Partial<Dashboard>>', value: frame(dashboard, schema.isStrict, seen) };
  const panels = dashboard.panels as readonly AnyPanel[];
  for (const panel of panels.flatMap((one) => [one, ...(one.panels ?? [])])) {
    if (panel.type !== 'row') yield* partsOfPanel(`${uid}: ${panel.title}`, panel, schema, seen);
  }
}

/** Enums as the texts that they are in JSON. */
const PLAIN = [
  'type Plain<T> = 0 extends 1 & T ? T',
  ': T extends string ? `$' + '{T}`',
  ': T extends readonly (infer I)[] ? readonly Plain<I>[]',
  ': T extends object ? { readonly [K in keyof T]: Plain<T[K]> }',
  ': T;',
].join(' ');

const declaration = (type: string, value: unknown, i: number, isStrict: boolean): string => {
  const json = JSON.stringify(value);
  // only a literal is checked for keys that the type does not have
  if (isStrict) return `export const v${i}: ${type} = ${json};`;
  return `const c${i} = ${json} as const; export const v${i}: ${type} = c${i};`;
};

/** A module, and the place of each of its lines in the dashboards. */
export function typedModule(schema: SchemaPackage): {
  readonly text: string;
  readonly places: readonly string[];
  readonly seen: Seen;
} {
  const seen: Seen = new Set();
  const parts = dashboards.flatMap((dashboard) => [...partsOf(dashboard, schema, seen)]);
  const types = Object.entries(typeNames).filter(([, name]) =>
    parts.some(({ type }) => type === `Plain<${name}.Options>`),
  );
  const head = [
    `import type { Dashboard, FieldConfig, Panel, TableFieldOptions } from '${schema.name}';`,
    ...types.map(([type, name]) => {
      const folder = type.replace('-', '');
      return `import type * as ${name} from '${schema.name}/dist/esm/raw/composable/${folder}/panelcfg/x/${name}PanelCfg_types.gen';`;
    }),
    PLAIN,
  ];
  const lines = parts.map(({ type, value }, i) => declaration(type, value, i, schema.isStrict));
  return {
    text: [...head, ...lines, ''].join('\n'),
    places: [...head.map(() => 'imports'), ...parts.map(({ where }) => where)],
    seen,
  };
}
