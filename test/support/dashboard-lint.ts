import type { Dashboard, Override, Panel, Target } from './dashboards.ts';
import { panelsOf } from './dashboards.ts';
import { infinityQuery } from './infinity.ts';

/**
 * Rules over the JSON of the dashboards. Each stands for a mistake that Grafana 12.2 was seen to draw: nothing fails, but a
 * panel is empty, cut, or says something false.
 */

/** What is wrong with one dashboard, in sentences; empty if nothing is. */
type Rule = (dashboard: Dashboard, all: readonly Dashboard[]) => readonly string[];

/** Width of a dashboard at 1440 pixels beside the menu of Grafana, and what a panel needs beside its content. */
const WIDTH = 1108;
const [GAP, PADDING, ICONS, CHARACTER, HEADER] = [8, 16, 90, 6.9, 7.5];
/** Grafana's width of a column that has none. */
const FLEXIBLE = 110;
/** Beside the header of a column by which a table is sorted. */
const ARROW = 18;

const property = ({ properties }: Override, id: string): unknown => properties.find((found) => found.id === id)?.value;

const overridesOf = ({ fieldConfig }: Panel): readonly Override[] => fieldConfig?.overrides ?? [];

const overrideOf = (panel: Panel, name: string): Override | undefined =>
  overridesOf(panel).find(({ matcher }) => matcher.id === 'byName' && matcher.options === name);

const parameterOf = (target: Target | undefined, name: string): string | undefined =>
  target?.datasource.type === 'prometheus' || target === undefined
    ? undefined
    : infinityQuery(target).url_options.params.find(({ key }) => key === name)?.value;

/** The columns of a table in their order. */
function columnsOf({ transformations = [] }: Panel): readonly string[] {
  const organize = transformations.findLast(({ id }) => id === 'organize')?.options;
  const renamed = (organize?.renameByName ?? {}) as Readonly<Record<string, string>>;
  const order = (organize?.indexByName ?? {}) as Readonly<Record<string, number>>;
  return Object.keys(order).map((name) => renamed[name] ?? name);
}

/** The names of columns and series as they are shown. */
const shownNames = (panel: Panel): readonly string[] => [
  ...(panel.type === 'table' ? columnsOf(panel) : []),
  ...(panel.targets ?? []).flatMap((target) =>
    target.datasource.type === 'prometheus' ? [] : infinityQuery(target).columns.map(({ text }) => text),
  ),
];

const widthOf = ({ gridPos: { w } }: Panel): number => (w / 24) * WIDTH - GAP;

const panelRule =
  (check: (panel: Panel) => readonly string[]): Rule =>
  (dashboard) =>
    panelsOf(dashboard).flatMap((panel) =>
      check(panel).map((problem) => `${dashboard.uid}: ${panel.title}: ${problem}`),
    );

const tableRule = (check: (panel: Panel) => readonly string[]): Rule =>
  panelRule((panel) => (panel.type === 'table' ? check(panel) : []));

interface Placement {
  readonly path: string;
  readonly text: string;
}

/** Every text of a dashboard. */
function textsOf(value: unknown, path = ''): readonly Placement[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, `${path}/${key}`));
}

const several = ({ templating }: Dashboard): ReadonlySet<string> =>
  new Set(templating.list.filter(({ multi }) => multi).map(({ name }) => name));

/** What a link hands to the variables of a dashboard. */
function linkProblems(from: Dashboard, url: string, all: readonly Dashboard[]): readonly string[] {
  // a row names its dashboard; of those that it can name, this one has all variables
  const named = url.replace(`\${__data.fields["Dashboard"]}`, 'license-feature');
  const [, uid = '', query = ''] = /^\/d\/([\w-]+)\?(.*)$/s.exec(named) ?? [];
  const to = all.find((dashboard) => dashboard.uid === uid);
  if (to === undefined) return [`${url} leads to no dashboard`];
  const lists = several(from);
  const problems = query.split('&').flatMap((part) => {
    if (part.includes('__all_variables')) return ['hands on all variables, those with several values too'];
    const panel = /^viewPanel=panel-(\d+)$/.exec(part)?.[1];
    if (panel !== undefined)
      return panelsOf(to).some(({ id }) => id === Number(panel)) ? [] : [`has no panel ${panel}`];
    const [, target = '', source = ''] =
      /^var-(\w+)=\$\{(\w+)/.exec(part) ?? /^\$\{((\w+)):queryparam\}$/.exec(part) ?? [];
    const variable = to.templating.list.find(({ name }) => name === target);
    if (target !== '' && variable === undefined) return [`hands on ${target}, which ${uid} does not have`];
    return variable?.multi === false && lists.has(source)
      ? [`hands the list ${source} to ${target}, which is one value`]
      : [];
  });
  return problems.map((problem) => `${from.uid}: the link ${url}: ${problem}`);
}

export const rules = {
  'options of heat maps are valid: without steps of colours the panel throws': panelRule(({ type, options }) => {
    if (type !== 'heatmap') return [];
    const { steps = 0 } = (options?.color ?? {}) as { steps?: number };
    return steps >= 2 && steps <= 128 ? [] : [`color.steps is ${steps}`];
  }),
  'units, colours and bounds of tables belong to columns: as defaults they apply to names and versions': tableRule(
    ({ fieldConfig }) =>
      ['unit', 'decimals', 'min', 'max', 'mappings', 'thresholds', 'color', 'links']
        .filter((key) => {
          const value = fieldConfig?.defaults[key];
          return value !== undefined && !(Array.isArray(value) && value.length === 0);
        })
        .map((key) => `has a default ${key}`),
  ),
  'the text of a table without rows is in none of its empty cells': tableRule((panel) => {
    const everywhere = overridesOf(panel).find(({ matcher }) => matcher.id === 'byRegexp' && matcher.options === '.*');
    return everywhere !== undefined && property(everywhere, 'noValue') === '' ? [] : ['has it in every empty cell'];
  }),
  'columns without a value are left out: a row that says something has no other': tableRule((panel) => {
    const found = overridesOf(panel).find(({ matcher }) => matcher.id === 'byValue');
    return found !== undefined && property(found, 'custom.hidden') === true ? [] : ['keeps them'];
  }),
  'tables have widths that fit beside the menu at 1440 pixels; columns without one share what is left': tableRule(
    (panel) => {
      const columns = columnsOf(panel).filter(
        (name) => name !== 'Note' && property(overrideOf(panel, name) ?? noOverride, 'custom.hidden') !== true,
      );
      const of = (name: string, id: string): number | undefined =>
        property(overrideOf(panel, name) ?? noOverride, id) as number | undefined;
      const flexible = columns.filter((name) => of(name, 'custom.width') === undefined);
      const widths = columns.map((name) => of(name, 'custom.width') ?? of(name, 'custom.minWidth') ?? FLEXIBLE);
      const sum = widths.reduce((total, width) => total + width, 0);
      return [
        ...(columns.length === 0 ? ['its columns are not known'] : []),
        ...(columns.length > 0 && flexible.length === 0 ? ['no column takes what is left'] : []),
        ...(sum > widthOf(panel) - PADDING ? [`${sum} pixels in ${Math.round(widthOf(panel) - PADDING)}`] : []),
      ];
    },
  ),
  'tables ask for a limited number of rows, and say when no row exists': tableRule(({ targets = [] }) =>
    targets
      .filter(({ datasource }) => datasource.type !== 'prometheus')
      .flatMap((target) => [
        ...(parameterOf(target, 'top') === undefined ? [`${target.refId} has no top`] : []),
        ...(parameterOf(target, 'none') === undefined ? [`${target.refId} has no text for no row`] : []),
        ...(infinityQuery(target).columns.some(({ selector }) => selector === 'note') ? [] : ['has no note']),
      ]),
  ),
  'headers of columns fit': tableRule((panel) =>
    columnsOf(panel).flatMap((name) => {
      const override = overrideOf(panel, name) ?? noOverride;
      const width = property(override, 'custom.width') as number | undefined;
      const isHidden = property(override, 'custom.hidden') === true;
      const sorted = (panel.options?.sortBy ?? []) as readonly { readonly displayName: string }[];
      const arrow = sorted.some(({ displayName }) => displayName === name) ? ARROW : 0;
      return width === undefined || isHidden || name.length * HEADER + PADDING + arrow <= width
        ? []
        : [`the header ${name} is cut at ${width} pixels`];
    }),
  ),
  'lists have room for four rows, long reasons too': tableRule((panel) => {
    const top = Number(parameterOf(panel.targets?.[0], 'top') ?? 0);
    const least = columnsOf(panel).includes('Reason') ? 10 : 6;
    return top > 10 && panel.gridPos.h < least ? [`is ${panel.gridPos.h} high, not ${least}`] : [];
  }),
  'one thing has one word: denied, idle, waiting, expired, missing': (dashboard) =>
    [
      ...textsOf(dashboard)
        .filter(({ path }) => /\/(title|description|noValue|legendFormat|text)$/.test(path))
        .map(({ text }) => text),
      ...panelsOf(dashboard).flatMap(shownNames),
    ].flatMap((text) => {
      const found = /\b(refus\w*|inactive|queued|ended|short)\b/i.exec(text)?.[0];
      return found === undefined ? [] : [`${dashboard.uid}: "${found}" in "${text}"`];
    }),
  'the lowest colour is that of a text or a plain bar: it is that of unknown values': panelRule((panel) => {
    const all = [
      panel.fieldConfig?.defaults.thresholds,
      ...overridesOf(panel).map(
        (override) => property(override, 'thresholds') as { steps: { color: string }[] } | undefined,
      ),
    ];
    return all.flatMap((thresholds) => {
      const color = thresholds?.steps[0]?.color ?? 'text';
      return ['text', 'blue', 'transparent', 'gray'].includes(color) ? [] : [`unknown is ${color}`];
    });
  }),
  'figures have colours of their own: the default is green, also for unknown values': panelRule(
    ({ type, fieldConfig }) =>
      type === 'stat' && fieldConfig?.defaults.thresholds === undefined ? ['is green without data'] : [],
  ),
  'coloured texts have a colour for those without one: the default is green': tableRule((panel) =>
    overridesOf(panel).flatMap((override) => {
      const { type } = (property(override, 'custom.cellOptions') ?? {}) as { type?: string };
      return type === 'color-text' && property(override, 'thresholds') === undefined
        ? [`${override.matcher.options} is green by default`]
        : [];
    }),
  ),
  'titles fit': panelRule((panel) => {
    const icons = panel.type === 'stat' ? ICONS : ICONS / 2;
    return panel.title.length * CHARACTER + icons + PADDING > widthOf(panel) ? ['the title is cut at 1440 pixels'] : [];
  }),
  'every figure has a link to what it counts': panelRule(({ type, links = [] }) =>
    type === 'stat' && links.length === 0 ? ['has no link'] : [],
  ),
  'links hand one value, never a list, to a variable with one value': (dashboard, all) =>
    textsOf(dashboard)
      .filter(({ path, text }) => path.endsWith('/url') && text.startsWith('/d/'))
      .flatMap(({ text }) => linkProblems(dashboard, text, all)),
  'a variable has one value, or several, in all dashboards: the menu hands on variables by name': (dashboard, all) =>
    dashboard.templating.list
      .filter(({ name, multi }) =>
        all.some(({ templating }) => templating.list.some((other) => other.name === name && other.multi !== multi)),
      )
      .map(({ name }) => `${dashboard.uid}: ${name} has several values in other dashboards`),
  'names in parameters keep commas, quotes and braces: several are JSON, one is as it is': (dashboard) =>
    textsOf(dashboard)
      .filter(({ path }) => /\/params\/\d+\/value$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\$(?!\{__time)(?:\{(\w+)(?::(\w+))?\}|\w+)/g)]
          .filter(
            ([found, name, format]) =>
              found !== text || format !== (several(dashboard).has(name ?? '') ? 'json' : 'raw'),
          )
          .map(([found]) => `${dashboard.uid}${path}: ${found} in ${text}`),
      ),
  'fields of a frame are in order: Infinity sorts them by name': panelRule(
    ({ type, transformations = [], targets = [] }) =>
      (type === 'table' || type === 'heatmap') &&
      targets.some(({ datasource }) => datasource.type !== 'prometheus') &&
      !transformations.some(({ id }) => id === 'organize')
        ? ['has the order of names']
        : [],
  ),
  'matchers of names are in backquotes: no version of Grafana escapes all characters in other quotes': (dashboard) =>
    textsOf(dashboard)
      .filter(({ path }) => /\/(expr|query|definition)$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(["'`])\$\{?(vendor_licenses?|feature)(?::(\w+))?\}?(["'`])/g)]
          .filter(
            ([, quote, name, format]) => quote !== '`' || format !== (name === 'vendor_licenses' ? 'regex' : 'raw'),
          )
          .map(([found]) => `${dashboard.uid}${path}: ${found}`),
      ),
  'no forecast of Prometheus: a line through a week is a coin flip': (dashboard) =>
    textsOf(dashboard)
      .filter(({ path, text }) => path.endsWith('/expr') && /predict_linear|deriv\(/.test(text))
      .map(({ path }) => `${dashboard.uid}${path}`),
  'annotations are off until they are switched on: over a month they hide the data': ({ uid, annotations }) =>
    annotations.list.filter(({ enable }) => enable).map(({ name }) => `${uid}: ${name}`),
} satisfies Record<string, Rule>;

const noOverride: Override = { matcher: { id: 'byName', options: '' }, properties: [] };
