import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderArchive } from '../../grafana/generate.ts';
import { featureSaturated } from '../../src/alerting/alerts/definitions/feature-saturated/feature-saturated.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { createLocalTime, dateText } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { exchangeOnce, exchangeOptions } from '../support/archive-peer.ts';
import { rules } from '../support/dashboard-lint.ts';
import { type Dashboard, dashboards, type Panel, panelsOf, type Variable } from '../support/dashboards.ts';
import { createCleanup } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { type Postgresql, startPostgresql } from '../support/start-postgresql.ts';

/** The dashboard on the archive, whose queries a real PostgreSQL answers. */

const path = join(import.meta.dirname, '../../grafana/archive/license-archive.json');
const dashboard = JSON.parse(readFileSync(path, 'utf8')) as Dashboard;
const cleanup = createCleanup();
afterAll(() => cleanup.run());

const localTime = createLocalTime('Europe/Berlin');
const DAY = 20_000;
/** Grafana's `sqlstring`: it puts a backslash before double quotes, which PostgreSQL would keep. */
const quoted = (value: string): string => `'${value.replaceAll("'", "''").replaceAll('"', '\\"')}'`;
/** What the data source of Grafana makes of a query: "Macros" of its documentation, and the format `sqlstring` of variables. */
function interpolate(
  sql: string,
  values: Readonly<Record<string, readonly string[]>>,
  from: number,
  to: number,
): string {
  const time = (at: number): string => `'${new Date(at * 1000).toISOString()}'`;
  return sql
    .replace(/\$\{(\w+):sqlstring\}/g, (_, name: string) => (values[name] ?? []).map(quoted).join())
    .replace(/\$__timeFilter\(([^)]*)\)/g, (_, column: string) => `${column} BETWEEN ${time(from)} AND ${time(to)}`)
    .replaceAll('$__timeFrom()', time(from))
    .replaceAll('$__timeTo()', time(to));
}

describe('the dashboard on the archive', () => {
  it('is up to date; if not, run npm run dashboards', () => {
    expect(readFileSync(path, 'utf8')).toBe(renderArchive());
  });

  it('has a title and a description in each panel, one data source, and a text that is true after an error too', () => {
    for (const { type, title, description, datasource, targets = [], fieldConfig } of panelsOf(dashboard)) {
      expect(title).not.toBe('');
      expect(description.length).toBeGreaterThan(15);
      expect(fieldConfig?.defaults.noValue).toBe(type === 'table' ? 'no answer' : 'nothing recorded, or no answer');
      for (const target of targets) expect(target.datasource).toEqual(datasource);
      expect(datasource).toEqual({ type: 'grafana-postgresql-datasource', uid: `\${postgresql}` });
    }
  });

  it.each([
    'units, colours and bounds of tables belong to columns: as defaults they apply to names and versions',
    'the text of a table without rows is in none of its empty cells',
    'columns without a value are left out: a row that says something has no other',
    'the lowest colour is that of a text or a plain bar: it is that of unknown values',
    'coloured texts have a colour for those without one: the default is green',
    'titles fit',
    'links hand one value, never a list, to a variable with one value',
    'a variable has one value, or several, in all dashboards: the menu hands on variables by name',
  ] as const)('%s', (name) => {
    const others = dashboards.map((one) => ({
      ...one,
      // jobs and instances are handed on as a text here: the menu of another dashboard gives one, or all
      templating: { list: one.templating.list.filter((found) => !['job', 'instance'].includes(found.name)) },
    }));
    const all = name.startsWith('a variable') ? others : dashboards;
    expect(rules[name](dashboard, [...all, dashboard])).toEqual([]);
  });

  it('has the menu of the other dashboards, and asks nobody for what its links hand on', () => {
    expect(dashboard.links).toEqual(dashboards[0]?.links);
    const hidden = dashboard.templating.list.filter(({ hide }) => hide === 2);
    expect(hidden.map(({ name, type }) => [name, type])).toEqual([
      ['prometheus_datasource', 'datasource'],
      ['infinity', 'datasource'],
      ['job', 'textbox'],
      ['instance', 'textbox'],
    ]);
  });

  it('leads from each name to what was and to what is now', () => {
    const linksOf = ({ fieldConfig }: Panel): Readonly<Record<string, readonly string[]>> =>
      Object.fromEntries(
        (fieldConfig?.overrides ?? []).flatMap(({ matcher, properties }) => {
          const links = properties.find(({ id }) => id === 'links')?.value as { url: string }[] | undefined;
          return links === undefined ? [] : [[String(matcher.options), links.map(({ url }) => url)]];
        }),
      );
    const sources = ['prometheus_datasource', 'infinity', 'job', 'instance']
      .map((name) => `\${${name}:queryparam}`)
      .join('&');
    const cell = (variable: string, column: string): string =>
      `&var-${variable}=\${__data.fields["${column}"]:percentencode}`;
    const analyzer = cell('analyzer', 'Analyzer');
    const vendorLicense = cell('vendor_license', 'Vendor license');
    const featureName = cell('feature', 'Feature');
    const here = `/d/license-archive?${sources}&\${__url_time_range}&\${postgresql:queryparam}${analyzer}${vendorLicense}`;
    const ofVendorLicense = [here, `/d/license-vendor-license?${sources}${vendorLicense}`];
    const tables = panelsOf(dashboard).filter(({ type }) => type === 'table');
    expect(tables.map(linksOf)).toEqual([
      {
        Feature: [`${here}${featureName}`, `/d/license-feature?${sources}${vendorLicense}${featureName}`],
        'Vendor license': ofVendorLicense,
      },
      { 'Vendor license': ofVendorLicense },
    ]);
    const [use] = panelsOf(dashboard);
    expect(use?.title).toBe('Use against bought');
    expect(use?.links?.map(({ url }) => url)).toEqual([
      `/d/license-feature?${sources}&\${vendor_license:queryparam}&\${feature:queryparam}`,
      `/d/license-vendor-license?${sources}&\${vendor_license:queryparam}`,
    ]);
  });

  it('counts no days of the features that the alert ignores', () => {
    expect(featureSaturated.parameters.min_licenses.parse(undefined)).toBe(2);
    expect(JSON.stringify(dashboard)).toContain('peak >= bought AND bought > 1');
  });
});

describe.runIf(peer('postgres', 'initdb', 'psql'))('its queries', () => {
  let archive: Postgresql;
  const feature = 'it\'s "cad" \\ 100%, ü';
  const vendorLicense = '27000@lic\'1;ve"nd';
  const boston = 'Bos"ton\'s';
  type Values = Readonly<Record<'analyzer' | 'vendor_license' | 'feature', readonly string[]>>;
  const cologne: Values = { analyzer: ['Köln', 'other site'], vendor_license: [vendorLicense], feature: [feature] };
  const far: Values = { ...cologne, analyzer: [boston], feature: ['two'] };
  const at = (date: string): number => Date.parse(date) / 1000;
  const week = [localTime.startOf(DAY), localTime.startOf(DAY + 9)] as const;
  const year = [at('2025-01-01T05:00:00Z'), at('2026-01-01T05:00:00Z')] as const;
  const ask = (sql: string, values = cologne, [from, to]: readonly [number, number] = week): readonly string[] => {
    const rows = archive.query(`SET TIME ZONE 'UTC';\n${interpolate(sql, values, from, to)}`);
    return rows === '' ? [] : rows.split('\n');
  };
  const queryOf = (title: string): string => {
    const [target] = panelsOf(dashboard).find((panel) => panel.title === title)?.targets ?? [];
    return (target as unknown as { rawSql: string } | undefined)?.rawSql ?? '';
  };
  const [USE, DENIALS, HOURS] = ['Use against bought', 'Denials', 'License-hours'].map(queryOf) as [
    string,
    string,
    string,
  ];
  const WAITS = queryOf('Minutes that people waited, by cause');
  const BY_HOUR = queryOf('Use against bought by hour, the last 62 days of the range');
  const [TABLE, VENDOR_LICENSES] = ['Features of the vendor license', 'Vendor licenses'].map(queryOf) as [
    string,
    string,
  ];

  beforeAll(async () => {
    archive = await startPostgresql(cleanup);
    const store = openStore({ path: undefined, localTime, origin: 'x', maxSize: 2 ** 30, isArchived: true });
    runAtOnce(store.seal(DAY + 9));
    const base = { vendorLicense, package: '', featureType: 'feature' };
    for (const [series, top] of [[{ ...base, feature }, 10] as const, [{ ...base, feature: 'cam' }, 4] as const]) {
      for (const day of [DAY, DAY + 2]) {
        const start = localTime.startOf(day);
        const samples = Array.from({ length: 24 }, (_, hour) => ({
          at: start + hour * 3600,
          seconds: 3600,
          available: 10,
          inUse: hour === 9 ? top : 1,
          reserved: 2,
          users: 1,
          denials: hour === 9 && day === DAY ? 5 : 0,
        }));
        runAtOnce(store.add([{ series, day, samples }], ['x', 'y']));
      }
    }
    const wait = { cause: 'all_busy', ended: 'got', episodes: 2, people: 1, seconds: 90 } as const;
    const other = { ...wait, cause: 'unknown', seconds: 30 } as const;
    runAtOnce(
      store.addBlocked([
        [
          { ...base, feature },
          { day: DAY, waits: [wait, { ...wait, ended: 'gave_up' }, other] },
        ],
      ]),
    );
    await exchangeOnce(exchangeOptions(archive, 'Köln'), { store, localTime, origin: 'x' });
    // a year of another site: a feature of two packages, one of which has a gap, and features of which less is known
    archive.query(
      `WITH site AS (
        INSERT INTO license_exporter.analyzer (name, version, time_zone, history_of)
        VALUES (${quoted(boston)}::text, '1', 'America/New_York', 'y') RETURNING id
      ), series AS (
        INSERT INTO license_exporter.series (analyzer, vendor_license, feature, package, feature_type)
        SELECT id, '${vendorLicense.replaceAll("'", "''")}', feature, package, 'feature' FROM site, (VALUES
          ('two', 'a'), ('two', 'b'), ('one', ''), ('free', ''), ('dark', '')) AS v (feature, package) RETURNING *
      )
      INSERT INTO license_exporter.day (series, day, origin, seconds, peak, license_seconds, denials, available, uncounted, reserved, hours, change)
      SELECT id, day::date, 'live', 86400,
        CASE feature WHEN 'one' THEN 1 WHEN 'dark' THEN NULL ELSE 1 + extract(day FROM day)::int % 5 END,
        CASE WHEN feature <> 'dark' THEN 36000 END, CASE WHEN package = 'a' THEN 2 END,
        CASE feature WHEN 'one' THEN 1 WHEN 'two' THEN 5 END, feature = 'free', 0, '', 1
      FROM series, generate_series('2025-01-01'::timestamp, '2025-12-31', '1 day') AS day
      WHERE package <> 'b' OR day NOT BETWEEN '2025-02-01' AND '2025-02-28'`.replaceAll(
        quoted(boston),
        `'${boston.replaceAll("'", "''")}'`,
      ),
    );
  });

  it('find the names of the variables, the busiest first', () => {
    const queries = dashboard.templating.list.filter(({ type }: Variable) => type === 'query');
    expect(queries.map(({ name, query }) => [name, ask(String(query))])).toEqual([
      ['analyzer', [boston, 'Köln']],
      ['vendor_license', [vendorLicense]],
      ['feature', [feature, 'cam']],
    ]);
  });

  it('draw the days of a feature from midnight to midnight of the site, and a gap where nothing was recorded', () => {
    const drawn = ask(USE);
    expect(drawn.slice(0, 6)).toEqual([
      '2024-10-03 22:00:00+00|10|2|10',
      '2024-10-04 21:59:59.999+00|10|2|10',
      '2024-10-04 22:00:00+00|||',
      '2024-10-05 21:59:59.999+00|||',
      '2024-10-05 22:00:00+00|10|2|10',
      '2024-10-06 21:59:59.999+00|10|2|10',
    ]);
    expect(drawn).toHaveLength(2 * 9);
    expect(ask(DENIALS).slice(0, 4)).toEqual([
      '2024-10-03 22:00:00+00|5',
      '2024-10-04 22:00:00+00|',
      '2024-10-05 22:00:00+00|0',
      '2024-10-06 22:00:00+00|',
    ]);
    // without denials nobody waited, and of the days between nothing is known
    const minutes = ask(WAITS).map((row) => row.split('|').map((cell, i) => (i === 0 ? cell : Number(cell))));
    expect(minutes).toEqual([
      ['2024-10-03 22:00:00+00', 0, 0, 0, 3, 0, 0, 0, 0, 0, 0.5],
      ['2024-10-05 22:00:00+00', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]);
    const hours = ask(BY_HOUR);
    expect(hours).toHaveLength(48);
    expect(hours[9]).toBe('2024-10-04 07:00:00+00|10|2|10');
  });

  it('list features and vendor licenses', () => {
    expect(dateText(DAY)).toBe('2024-10-04');
    expect(ask(TABLE)).toEqual([
      `|${feature}|10|10|2|2|5|66|${vendorLicense}|Köln`,
      `|cam|4|10|0|2|5|54|${vendorLicense}|Köln`,
    ]);
    expect(ask(VENDOR_LICENSES)).toEqual([`|${vendorLicense}|120|10|2|Köln`]);
    expect(ask(HOURS)).toEqual([
      '2024-10-03 22:00:00+00|60.0000000000000000|',
      '2024-10-05 22:00:00+00|60.0000000000000000|',
    ]);
    expect(ask(HOURS, { ...cologne, vendor_license: ['x'] })[0]).toBe('2024-10-03 22:00:00+00||60.0000000000000000');
  });

  it('say in a dated row that nothing is recorded, and draw nothing', () => {
    const range = [localTime.startOf(DAY - 365), localTime.startOf(DAY - 334)] as const;
    expect(ask(TABLE, cologne, range)).toEqual(['Nothing is recorded from 2023-10-05 to 2023-11-04|||||||||']);
    expect(ask(VENDOR_LICENSES, cologne, range)).toEqual(['Nothing is recorded from 2023-10-05 to 2023-11-04|||||']);
    for (const sql of [USE, DENIALS, WAITS, HOURS, BY_HOUR]) expect(ask(sql, cologne, range)).toEqual([]);
  });

  it('ask an archive without analyzers without an error', () => {
    const none: Values = { analyzer: [], vendor_license: [''], feature: [''] };
    for (const sql of [USE, DENIALS, WAITS, HOURS, BY_HOUR]) expect(ask(sql, none)).toEqual([]);
    expect(ask(TABLE, none)).toEqual(['Nothing is recorded from 2024-10-03 to 2024-10-12|||||||||']);
  });

  it('count what is known: not the days of a single license, and no sum of which a part is missing', () => {
    expect(ask(TABLE, far, year)).toEqual([
      `|two|10|10|66|337|730|7020|${vendorLicense}|${boston}`,
      `|free|5|-1||365||3650|${vendorLicense}|${boston}`,
      `|one|1|1||365||3650|${vendorLicense}|${boston}`,
      `|dark||||0|||${vendorLicense}|${boston}`,
    ]);
    const february = [at('2025-02-01T05:00:00Z'), at('2025-02-15T05:00:00Z')] as const;
    expect(new Set(ask(USE, far, february).map((row) => row.split('|').slice(1).join()))).toEqual(new Set([',,']));
    expect(ask(TABLE, far, february)[0]).toBe(`|free|5|-1||14||140|${vendorLicense}|${boston}`);
  });

  it.each([
    ['days', [at('2025-03-01T05:00:00Z'), at('2025-05-01T04:00:00Z')], 61],
    ['weeks', year, 53],
    ['months', [at('2024-01-01T05:00:00Z'), year[1]], 24],
  ] as const)('agree with each other over %s', (_, range, steps) => {
    const numbers = (sql: string, column: number, values = far): number[] =>
      ask(sql, values, range).flatMap((row) => {
        const value = row.split('|')[column];
        return value === '' || value === undefined ? [] : [Number(value)];
      });
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    expect(ask(USE, far, range)).toHaveLength(2 * steps);
    expect(ask(DENIALS, far, range)).toHaveLength(steps);
    const listed = ask(TABLE, far, range);
    for (const row of listed) {
      const [, name = '', peak = '', , , , denials = ''] = row.split('|');
      const values = { ...far, feature: [name] };
      const drawn = numbers(USE, 1, values);
      expect([name, drawn.length === 0 ? '' : String(Math.max(...drawn))]).toEqual([name, peak]);
      const denied = numbers(DENIALS, 1, values);
      expect([name, denied.length === 0 ? '' : String(sum(denied))]).toEqual([name, denials]);
    }
    // nobody says who was denied
    expect(ask(WAITS, far, range)).toEqual([]);
    const hours = sum(listed.map((row) => Number(row.split('|')[7])));
    expect(hours).toBeGreaterThan(0);
    expect(sum(numbers(HOURS, 1))).toBeCloseTo(hours, 6);
    const denied = sum(listed.map((row) => Number(row.split('|')[6])));
    expect(ask(VENDOR_LICENSES, far, range)).toEqual([`|${vendorLicense}|${hours}|${denied}|4|${boston}`]);
  });
});
