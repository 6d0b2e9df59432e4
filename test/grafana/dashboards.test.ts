import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderDashboards } from '../../grafana/generate.ts';
import { FIGURE } from '../../grafana/queries.ts';
import { targets } from '../../src/site/grafana/answers/targets.ts';
import { builtIn, dashboards, folder, interpolate, panelsOf, queriesOf, type Values } from '../support/dashboards.ts';
import { infinityQuery } from '../support/infinity.ts';
import { metricOf, namesIn } from '../support/promql.ts';

/** The rules of Grafana's dashboard linter 0.2, and our own. */

/** Ids of Grafana's units that the dashboards use. */
const units = [
  'none',
  'short',
  'percentunit',
  'suffix: d',
  'suffix: intervals',
  'locale',
  's',
  'h',
  'd',
  'Bps',
  'opm',
  'reqpm',
  'dateTimeAsIso',
  'dateTimeFromNow',
  'dtdurations',
  'bool_yes_no',
];

/** Sample values of all variables. */
const values: Values = {
  ...builtIn,
  job: ['license-exporter'],
  instance: ['a:10319'],
  vendor_license: 'srv.x;d',
  feature: 'f',
  vendor_licenses: ['srv.x;d', 'b;c'],
};

const prometheus = queriesOf('prometheus');
const infinity = queriesOf('yesoreyeram-infinity-datasource');

describe('the committed dashboards', () => {
  it('are up to date; if not, run npm run dashboards', () => {
    const generated = renderDashboards();
    expect(readdirSync(folder).sort()).toEqual([...generated.keys()].sort());
    for (const [name, text] of generated) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it('have unique uids and titles, the classic schema, and cannot be edited in place', () => {
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    expect(new Set(dashboards.map(({ title }) => title)).size).toBe(dashboards.length);
    expect(dashboards).toHaveLength(7);
    for (const { schemaVersion, editable } of dashboards)
      expect({ schemaVersion, editable }).toEqual({ schemaVersion: 42, editable: false });
  });

  it('link to each other from one menu with their variables, each with its own time range', () => {
    for (const { links } of dashboards)
      expect(links).toMatchObject([{ type: 'dashboards', asDropdown: true, includeVars: true, keepTime: false }]);
    const uids = new Set(dashboards.map(({ uid }) => uid));
    const linked = dashboards.flatMap((dashboard) => [
      ...JSON.stringify(dashboard).matchAll(/"\/d\/([\w-]+)\?([^"\\]*)/g),
    ]);
    expect(linked.length).toBeGreaterThan(20);
    for (const [, uid = '', query = ''] of linked) {
      expect(uids).toContain(uid);
      for (const name of ['prometheus_datasource', 'infinity', 'job', 'instance'])
        expect(query).toContain(`\${${name}:queryparam}`);
    }
  });

  it('choose their data sources by variables, Prometheus first', () => {
    for (const { uid, templating } of dashboards) {
      const sources = templating.list.filter(({ type }) => type === 'datasource');
      expect(sources.map(({ name, label, query }) => [name, label, query])).toEqual([
        ['prometheus_datasource', 'Prometheus data source', 'prometheus'],
        ['infinity', 'Infinity data source', 'yesoreyeram-infinity-datasource'],
      ]);
      expect(templating.list[0]).toBe(sources[0]);
      // one dashboard shows the sources, the others take them from its links
      const hidden = templating.list.filter(({ hide }) => hide === 2).map(({ name }) => name);
      expect(hidden).toEqual(
        uid === 'license-exporter' ? [] : ['prometheus_datasource', 'infinity', 'job', 'instance'],
      );
    }
    const uids = dashboards.flatMap((dashboard) => [
      ...JSON.stringify(dashboard).matchAll(/"datasource":\{"type":"([\w-]+)","uid":"([^"]*)"\}/g),
    ]);
    expect(uids.length).toBeGreaterThan(100);
    for (const [, type, uid] of uids) {
      expect([type, uid]).toEqual(
        type === 'prometheus'
          ? ['prometheus', `\${prometheus_datasource}`]
          : ['yesoreyeram-infinity-datasource', `\${infinity}`],
      );
    }
  });

  it('have variables from Prometheus, refreshed with the time range: Infinity fails for an empty list', () => {
    for (const { uid, templating } of dashboards) {
      for (const variable of templating.list) {
        expect(['query', 'datasource', 'textbox']).toContain(variable.type);
        if (variable.type !== 'query') continue;
        expect(variable.datasource?.type).toBe('prometheus');
        expect({ uid, name: variable.name, refresh: variable.refresh }).toMatchObject({ refresh: 2 });
        // rows need the values themselves
        if (/^(vendor_licenses?|feature)$/.test(variable.name)) expect(variable.allValue).toBeUndefined();
      }
      const [job, instance] = templating.list.filter(({ name }) => name === 'job' || name === 'instance');
      expect(job).toMatchObject({ label: 'Job', multi: true, allValue: '.+' });
      expect(instance).toMatchObject({ label: 'Instance', multi: true, allValue: '.+' });
    }
  });

  const panels = dashboards.flatMap((dashboard) =>
    panelsOf(dashboard).map((panel) => ({ where: `${dashboard.uid}: ${panel.title}`, panel })),
  );

  it.each(panels)('$where has title, description, unit, queries and a text for no data', ({ panel }) => {
    expect(panel.title).not.toBe('');
    expect(panel.description.length).toBeGreaterThan(15);
    if (panel.type === 'text') return;
    // columns of tables have units of their own
    if (panel.type !== 'table') expect(units).toContain(panel.fieldConfig?.defaults.unit);
    const others = panel.fieldConfig?.overrides.flatMap(({ properties }) =>
      properties.filter(({ id }) => id === 'unit'),
    );
    for (const { value } of others ?? []) expect(units).toContain(value);
    expect(panel.targets?.length).toBeGreaterThan(0);
    for (const target of panel.targets ?? []) expect(target.datasource).toEqual(panel.datasource);
    expect(panel.fieldConfig?.defaults.noValue).toBeDefined();
  });

  it('have panels with unique ids that do not overlap', () => {
    for (const { uid, panels: list } of dashboards) {
      const all = [...list, ...panelsOf({ panels: list })];
      expect(new Set(all.map(({ id }) => id)).size).toBe(new Set(all).size);
      for (const { title, gridPos: a } of list)
        expect({ uid, title, fits: a.x + a.w <= 24 }).toMatchObject({ fits: true });
      for (const [i, { gridPos: a }] of list.entries()) {
        for (const { title, gridPos: b } of list.slice(i + 1)) {
          const overlap = a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
          expect({ uid, title, overlap }).toEqual({ uid, title, overlap: false });
        }
      }
    }
  });

  it('end with a closed row that says what to check when there is no data', () => {
    for (const { panels: list } of dashboards) {
      expect(list.at(-1)).toMatchObject({
        type: 'row',
        title: 'No data?',
        collapsed: true,
        panels: [{ type: 'text' }],
      });
    }
  });
});

describe('PromQL of the dashboards', () => {
  const expressions = [
    ...prometheus.map(({ where, target }) => ({
      where,
      expression: interpolate(target.expr ?? '', values, 'prometheus'),
    })),
    ...dashboards.flatMap(({ uid, templating }) =>
      templating.list
        .filter(({ type }) => type === 'query')
        .map(({ name, query, definition }) => {
          const text = (query as { query: string }).query;
          expect(definition).toBe(text);
          const [, values_ = '', result = ''] = /^(?:label_values\((.+), \w+\)|query_result\((.+)\))$/.exec(text) ?? [];
          return {
            where: `${uid}: variable ${name}`,
            expression: interpolate(values_ || result, values, 'prometheus'),
          };
        }),
    ),
  ];

  it.each(expressions)('$where is valid and uses only metrics and labels of the exporter', ({ where, expression }) => {
    const { selectors, grouping, errors } = namesIn(expression);
    expect({ expression, errors }).toEqual({ expression, errors: [] });
    expect(selectors.length).toBeGreaterThan(0);
    const labels = new Set([
      'job',
      'instance',
      // made in the expression
      FIGURE,
      ...selectors.flatMap(({ metric }) => metricOf(metric)?.labels ?? []),
    ]);
    for (const { metric, matchers, around } of selectors) {
      // Prometheus itself says whether it could scrape
      if (metric === 'up') continue;
      const found = metricOf(metric);
      expect({ metric, found: found !== undefined }).toEqual({ metric, found: true });
      for (const matcher of matchers) {
        const label = matcher.split(/[=!]/, 1)[0] ?? '';
        expect(['job', 'instance', ...(found?.labels ?? [])]).toContain(label);
      }
      // counters are used only as rates; of one, the series are counted, because it is there for every source
      if (/_total$/.test(metric) && metric !== 'license_source_contradictions_total') {
        expect(['rate', 'irate', 'increase']).toContain(around[0]);
      }
    }
    expect(grouping.filter((label) => !labels.has(label))).toEqual([]);
    if (!where.includes('variable')) {
      expect(
        selectors.every(
          ({ matchers }) =>
            matchers.some((m) => m.startsWith('job=~')) && matchers.some((m) => m.startsWith('instance=~')),
        ),
      ).toBe(true);
    }
  });

  it('selects jobs and instances by the variables, and rate intervals by the scrape interval', () => {
    for (const { where, target } of prometheus) {
      const expression = (target.expr ?? '').replaceAll(/\$\{/g, '');
      const count = (part: string): number => expression.split(part).length - 1;
      expect({ where, selectors: count('{') }).toEqual({
        where,
        selectors: count('{job=~"$job",instance=~"$instance"'),
      });
      for (const [, range] of expression.matchAll(/\bi?rate\([^[]*\[([^\]]*)\]/g))
        expect(range).toBe('$__rate_interval');
    }
  });

  it('reports the mistakes that it checks for', () => {
    expect(namesIn('sum(x').errors).not.toEqual([]);
    expect(namesIn('sum by (a) (rate(x_total{job=~"b"}[5m]))')).toEqual({
      selectors: [{ metric: 'x_total', matchers: ['job=~"b"'], around: ['rate'] }],
      grouping: ['a'],
      errors: [],
    });
    expect(metricOf('license_nothing')).toBeUndefined();
    expect(metricOf('license_up_bucket')).toBeUndefined();
  });
});

describe('queries for rows', () => {
  it.each(infinity)('$where is parsed by the backend, with parameters of its target', ({ dashboard, target }) => {
    const query = infinityQuery(target);
    expect(query).toMatchObject({ type: 'json', parser: 'backend', source: 'url', root_selector: 'rows' });
    const [, name = ''] = /^\/grafana\/rows\/(\w+)$/.exec(query.url) ?? [];
    const definition = targets[name as keyof typeof targets];
    const parameters = new Map(query.url_options.params.map(({ key, value }) => [key, value]));
    const keys: readonly string[] = [...definition.keys, 'from', 'to'];
    for (const key of parameters.keys()) expect(keys).toContain(key);
    for (const key of definition.required) expect([...parameters.keys()]).toContain(key);
    const variables = dashboard.templating.list.map((variable) => variable.name);
    const used = [...parameters.values()].flatMap((value) => [...value.matchAll(/\$\{?(\w+)/g)].map(([, one]) => one));
    for (const variable of used) expect([...variables, '__timeFrom', '__timeTo', '__from', '__to']).toContain(variable);
  });

  it('read the columns that they ask for', () => {
    for (const { where, target } of infinity) {
      const { columns, url_options } = infinityQuery(target);
      const asked = url_options.params.find(({ key }) => key === 'columns')?.value;
      if (asked !== undefined)
        expect({ where, asked: JSON.parse(asked) }).toEqual({ where, asked: columns.map(({ selector }) => selector) });
      expect(new Set(columns.map(({ text }) => text)).size).toBe(columns.length);
    }
  });

  it('use every target', () => {
    // metrics answer what these would
    const unused = ['products', 'server_down', 'reserved'];
    const used = new Set([...infinity.map(({ target }) => infinityQuery(target).url.split('/').at(-1)), ...unused]);
    expect([...used].sort()).toEqual(Object.keys(targets).sort());
  });

  it('mark expiries and days with denials', () => {
    const names = new Set(dashboards.flatMap(({ annotations }) => annotations.list.map(({ name }) => name)));
    expect([...names].sort()).toEqual(['Mark denials', 'Mark expiries']);
  });
});
