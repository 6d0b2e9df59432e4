import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderArchive } from '../../grafana/generate.ts';
import { openStore } from '../../src/analyzer/history/store.ts';
import { createLocalTime, dateText } from '../../src/base/model/local-time.ts';
import { runAtOnce } from '../../src/base/scheduling/slices.ts';
import { exchangeOnce, exchangeOptions } from '../support/archive-peer.ts';
import { type Dashboard, panelsOf, type Variable } from '../support/dashboards.ts';
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
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;
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

  it('has a title, a description and a text for no data in each panel, and one data source', () => {
    for (const { title, description, datasource, targets = [], fieldConfig } of panelsOf(dashboard)) {
      expect(title).not.toBe('');
      expect(description.length).toBeGreaterThan(15);
      expect(fieldConfig?.defaults.noValue).toBe('nothing recorded');
      for (const target of targets) expect(target.datasource).toEqual(datasource);
      expect(datasource).toEqual({ type: 'grafana-postgresql-datasource', uid: `\${postgresql}` });
    }
  });
});

describe.runIf(peer('postgres', 'initdb', 'psql'))('its queries', () => {
  let archive: Postgresql;
  const feature = 'it\'s "cad"';
  const values: Record<string, readonly string[]> = {
    analyzer: ['Köln', 'other site'],
    vendor_license: ['lic1;vend'],
    feature: [feature],
  };
  const ask = (sql: string): readonly string[] => {
    const text = interpolate(sql, values, localTime.startOf(DAY), localTime.startOf(DAY + 9));
    const rows = archive.query(`SET TIME ZONE 'UTC';\n${text}`);
    return rows === '' ? [] : rows.split('\n');
  };
  const queryOf = (title: string): string => {
    const [target] = panelsOf(dashboard).find((panel) => panel.title === title)?.targets ?? [];
    return (target as unknown as { rawSql: string } | undefined)?.rawSql ?? '';
  };

  beforeAll(async () => {
    archive = await startPostgresql(cleanup);
    const store = openStore({ path: undefined, localTime, origin: 'x', maxSize: 2 ** 30, isArchived: true });
    runAtOnce(store.seal(DAY + 9));
    const base = { vendorLicense: 'lic1;vend', package: '', featureType: 'feature' };
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
    await exchangeOnce(exchangeOptions(archive, 'Köln'), { store, localTime, origin: 'x' });
  });

  it('find the names of the variables', () => {
    const queries = dashboard.templating.list.filter(({ type }: Variable) => type === 'query');
    expect(queries.map(({ name, query }) => [name, ask(String(query))])).toEqual([
      ['analyzer', ['Köln']],
      ['vendor_license', ['lic1;vend']],
      ['feature', ['cam', feature]],
    ]);
  });

  it('draw the days of a feature at midnight of the site, and leave a gap where nothing was recorded', () => {
    expect(ask(queryOf('Peak in use, bought and reserved'))).toEqual([
      '2024-10-03 22:00:00+00|10|10|2',
      '2024-10-05 22:00:00+00|10|10|2',
    ]);
    expect(ask(queryOf('Denied requests'))).toEqual(['2024-10-03 22:00:00+00|5', '2024-10-05 22:00:00+00|0']);
    const hours = ask(queryOf('Peak of each hour'));
    expect(hours).toHaveLength(48);
    expect(hours[9]).toBe('2024-10-04 07:00:00+00|10');
  });

  it('sum license-hours, and list the features', () => {
    expect(ask(queryOf('License-hours by month and vendor license'))).toEqual([
      '2024-09-30 22:00:00+00|lic1;vend|120.0000000000000000',
    ]);
    expect(dateText(DAY)).toBe('2024-10-04');
    expect(ask(queryOf('Features in the range'))).toEqual([
      `Köln|lic1;vend|${feature}||10|10|2|66|5|2`,
      'Köln|lic1;vend|cam||10|4|0|54|5|2',
    ]);
  });
});
