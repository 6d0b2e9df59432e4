import { afterEach, expect, it } from 'vitest';
import { createCollecting } from '../../../src/analyzer/analyzer.ts';
import { createClock } from '../../../src/base/scheduling/clock.ts';
import { camel } from '../../../src/base/settings/camel.ts';
import { createSourceAnalyzers } from '../../../src/program/app/source-analyzers.ts';
import type { Config } from '../../../src/program/config/config.ts';
import { type SettingKey, settingKeys, settings } from '../../../src/program/config/settings.ts';
import {
  createCleanup,
  createConfig,
  createTestLog,
  eventually,
  startAnalyzer,
  startApp,
} from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Values that are maps. Other threads get copies of some, which cannot be made of a proxy. */
const wholes = ['shard', 'metrics.collectors', 'alerting.rules', 'alerting.externalLabels', 'rightsizing.workingTime'];

const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The same configuration. The paths of the values that are read in it are added to `seen`. */
function observed<T extends object>(section: T, seen: Set<string>, above = ''): T {
  // a copy: a proxy cannot stand for the values of a frozen object
  return new Proxy(
    { ...section },
    {
      get: (values, name) => {
        const value: unknown = Reflect.get(values, name);
        const path = `${above}${String(name)}`;
        if (isSection(value) && !wholes.includes(path)) return observed(value, seen, `${path}.`);
        seen.add(path);
        return value;
      },
    },
  );
}

/** Where the configuration has what a setting, or a section, becomes, if it has another name there. */
const places: Readonly<Record<string, string>> = {
  'analyzer.name': 'analyzerName',
  'analyzer.tls.ca_file': 'analyzer.tls.ca',
  'analyzer.tls.cert_file': 'analyzer.tls.cert',
  'analyzer.tls.key_file': 'analyzer.tls.key',
  'web.config_file': 'web.access',
  'datasource.pseudonymise': 'datasource.pseudonymKey',
  'datasource.pseudonym_key_file': 'datasource.pseudonymKey',
  'rightsizing.price_file': 'prices.file',
  owners: 'owners.entries',
  owners_file: 'owners.file',
  'embedded_analyzer.source_defaults': 'embeddedAnalyzer.sources',
  'embedded_analyzer.source_files': 'embeddedAnalyzer.sources',
};
const placeOf = (key: SettingKey): string => places[key] ?? key.split('.').map(camel).join('.');

/** Settings that the commands read themselves: at each run, or as their own tests show, at each reload. */
const ofCommands: readonly SettingKey[] = [
  'alerting.prometheus_job',
  'alerting.prometheus_labels',
  'embedded_analyzer.users_file',
];

it('a setting takes effect by a reload, or says that it needs a restart', async () => {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const config = createConfig(analyzer.url, { 'web.enable_lifecycle': true, 'metrics.collectors.history': true });
  const seen = new Set<string>();
  const app = await startApp(config, { reload: async () => undefined });
  cleanup.add(() => app.stop());
  const next = observed(config, seen);
  await app.reload(next);
  const statusOf = async (path: string): Promise<number> => (await fetch(`${app.url}${path}`)).status;
  await eventually('the first poll', async () => (await statusOf('/-/ready')) === 200);
  // the last of the first polls
  await eventually('expiries', async () => (await statusOf('/expirations.csv')) === 200);
  for (const path of ['/', '/metrics', '/alerts', '/reclaim', '/expirations.csv', '/grafana/rows/products'])
    expect(await statusOf(path), path).toBe(200);
  // who may see names, and prices: nobody here
  expect(await statusOf('/grafana/rows/users?product=%25&feature=%25')).toBe(403);
  expect(await statusOf('/grafana/rows/rightsizing')).toBe(503);
  expect((await fetch(`${app.url}/-/reload`, { method: 'POST' })).status).toBe(200);

  const collecting = createCollecting(config, {
    clock: createClock(),
    log: createTestLog(),
    version: '0',
    clients: undefined,
    askAnalyzers: createSourceAnalyzers,
  });
  cleanup.add(() => collecting.stop());
  await collecting.reload(observed<Config>(config, seen));

  const isRead = (key: SettingKey): boolean =>
    [...seen].some((path) => path === placeOf(key) || placeOf(key).startsWith(`${path}.`));
  const forgotten = settingKeys.filter(
    (key) => !isRead(key) && settings[key].restart === undefined && !ofCommands.includes(key),
  );
  expect(forgotten).toEqual([]);
  expect(ofCommands.filter(isRead)).toEqual([]);
  expect([...next.restartValues.keys()]).toEqual(settingKeys.filter((key) => settings[key].restart !== undefined));
});
