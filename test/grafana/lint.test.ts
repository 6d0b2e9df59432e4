import { describe, expect, it } from 'vitest';
import { rules } from '../support/dashboard-lint.ts';
import { type Dashboard, dashboards } from '../support/dashboards.ts';

type RuleName = keyof typeof rules;

// biome-ignore lint/suspicious/noExplicitAny: a dashboard is broken in ways that its type forbids
type Broken = any;

const panelOf = (dashboard: Broken, type: string): Broken => {
  const found = dashboard.panels.find((panel: Broken) => panel.type === type);
  if (found === undefined) throw new Error(`no panel of type ${type}`);
  return found;
};
const overrideOf = (dashboard: Broken, isWanted: (properties: Broken[]) => boolean): Broken =>
  dashboard.panels
    .flatMap((panel: Broken) => panel.fieldConfig?.overrides ?? [])
    .find(({ properties }: Broken) => isWanted(properties));
const without = (override: Broken, ids: readonly string[]): void => {
  override.properties = override.properties.filter(({ id }: Broken) => !ids.includes(id));
};

/** A mistake for each rule, as it was once made: the dashboard in which it is put, and how. */
const mistakes: Readonly<Record<RuleName, readonly [uid: string, put: (dashboard: Broken) => void]>> = {
  'options of heat maps are valid: without steps of colours the panel throws': [
    'license-vendor-license',
    (d) => {
      panelOf(d, 'heatmap').options.color.steps = 0;
    },
  ],
  'units, colours and bounds of tables belong to columns: as defaults they apply to names and versions': [
    'license-overview',
    (d) => {
      panelOf(d, 'table').fieldConfig.defaults.unit = 'percentunit';
    },
  ],
  'the text of a table without rows is in none of its empty cells': [
    'license-overview',
    (d) =>
      without(
        overrideOf(d, (p) => p.some(({ id, value }) => id === 'noValue' && value === '')),
        ['noValue'],
      ),
  ],
  'columns without a value are left out: a row that says something has no other': [
    'license-overview',
    (d) => {
      const { fieldConfig } = panelOf(d, 'table');
      fieldConfig.overrides = fieldConfig.overrides.filter(({ matcher }: Broken) => matcher.id !== 'byValue');
    },
  ],
  'tables have widths that fit beside the menu at 1440 pixels; columns without one share what is left': [
    'license-overview',
    (d) => {
      // that of notes is hidden in most panels, and not counted
      overrideOf(d, (p) => p.some(({ id, value }) => id === 'custom.minWidth' && value > 130)).properties.push({
        id: 'custom.width',
        value: 999,
      });
    },
  ],
  'tables ask for a limited number of rows, and say when no row exists': [
    'license-overview',
    (d) => {
      const options = d.panels.find(({ title }: Broken) => title === 'Busiest features').targets[0].url_options;
      options.params = options.params.filter(({ key }: Broken) => key !== 'none');
    },
  ],
  'headers of columns fit': [
    'license-optimisation',
    (d) => {
      const isWidth = ({ id }: Broken): boolean => id === 'custom.width';
      overrideOf(d, (p) => p.some(isWidth)).properties.find(isWidth).value = 40;
    },
  ],
  'lists have room for four rows, long reasons too': [
    'license-optimisation',
    (d) => {
      d.panels.find(({ title }: Broken) => title === 'By renewal').gridPos.h = 5;
    },
  ],
  'one thing has one word: denied, idle, waiting, expired, missing': [
    'license-optimisation',
    (d) => {
      panelOf(d, 'table').targets[0].columns[1].text = 'Refusal days';
    },
  ],
  'the lowest colour is that of a text or a plain bar: it is that of unknown values': [
    'license-overview',
    (d) => {
      panelOf(d, 'stat').fieldConfig.defaults.thresholds.steps[0].color = 'green';
    },
  ],
  'figures have colours of their own: the default is green, also for unknown values': [
    'license-overview',
    (d) => {
      delete panelOf(d, 'stat').fieldConfig.defaults.thresholds;
    },
  ],
  'coloured texts have a colour for those without one: the default is green': [
    'license-overview',
    (d) =>
      without(
        overrideOf(d, (p) => p.some(({ value }) => value?.type === 'color-text')),
        ['thresholds'],
      ),
  ],
  'titles fit': [
    'license-exporter',
    (d) => {
      panelOf(d, 'timeseries').title =
        'How long the last poll of each of the endpoints of the analyzer took, in seconds';
    },
  ],
  'every figure has a link to what it counts': [
    'license-overview',
    (d) => {
      panelOf(d, 'stat').links = [];
    },
  ],
  'links hand one value, never a list, to a variable with one value': [
    'license-expirations',
    (d) => {
      panelOf(d, 'stat').links[0].url = `/d/license-feature?var-vendor_license=\${vendor_licenses}`;
    },
  ],
  'a variable has one value, or several, in all dashboards: the menu hands on variables by name': [
    'license-expirations',
    (d) => {
      d.templating.list.find(({ name }: Broken) => name === 'vendor_licenses').name = 'vendor_license';
    },
  ],
  'names in parameters keep commas, quotes and braces: several are JSON, one is as it is': [
    'license-expirations',
    (d) => {
      panelOf(d, 'table').targets[0].url_options.params[0].value = '$vendor_licenses';
    },
  ],
  'fields of a frame are in order: Infinity sorts them by name': [
    'license-expirations',
    (d) => {
      panelOf(d, 'table').transformations = [];
    },
  ],
  'matchers of names are in backquotes: no version of Grafana escapes all characters in other quotes': [
    'license-vendor-license',
    (d) => {
      panelOf(d, 'stat').targets[0].expr = 'license_server_up{vendor_license="$vendor_license"}';
    },
  ],
  'no forecast of Prometheus: a line through a week is a coin flip': [
    'license-exporter',
    (d) => {
      panelOf(d, 'stat').targets[0].expr = 'predict_linear(license_feature_in_use[7d], 86400)';
    },
  ],
  'annotations are off until they are switched on: over a month they hide the data': [
    'license-feature',
    (d) => {
      d.annotations.list.at(-1).enable = true;
    },
  ],
};

const names = Object.keys(rules) as readonly RuleName[];

describe('the dashboards', () => {
  it.each(names)('%s', (name) => {
    expect(dashboards.flatMap((dashboard) => rules[name](dashboard, dashboards))).toEqual([]);
  });
});

describe('the rules find their mistakes', () => {
  it.each(names)('%s', (name) => {
    const [uid, put] = mistakes[name];
    const broken = dashboards.map((dashboard) => structuredClone(dashboard));
    const one = broken.find((dashboard) => dashboard.uid === uid) as Dashboard;
    const before = rules[name](one, broken);
    put(one);
    expect(rules[name](one, broken).length).toBeGreaterThan(before.length);
  });
});
