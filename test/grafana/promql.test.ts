import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ONE_FEATURE, SEVERAL_VENDOR_LICENSES } from '../../grafana/queries.ts';
import { builtIn, dashboards, interpolate, queriesOf, type Values } from '../support/dashboards.ts';
import { startFakeAlertmanager } from '../support/fake-alertmanager.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp, WORKDAY } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startPrometheus } from '../support/start-prometheus.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const names = ['sim-"quoted"', 'sim-back\\slash', "it's", 'a.b+c', '100%', '{x}', '$y'];

/** A scrape target with features of these names. */
async function serveNames(): Promise<string> {
  const escaped = (name: string): string => name.replace(/\\/g, '\\\\').replace(/"/g, '\\"');
  const text = names
    .map((name) => `license_feature_info{vendor_license="srv;d",feature="${escaped(name)}"} 1\n`)
    .join('');
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4').end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The option that Grafana makes of a result of `query_result`: labels are not escaped. */
function optionOf(labels: object, value: unknown, regex: string): string | undefined {
  const shown = Object.entries(labels).map(([name, text]) => `${name}="${text}"`);
  const [, pattern = ''] = /^\/(.*)\/$/.exec(regex) ?? [];
  return new RegExp(pattern).exec(`{${shown.join(',')}} ${value} 1795000000000`)?.[1];
}

/** Queries that may be empty on a site without problems, and why. */
const mayBeEmpty: Readonly<Record<string, string>> = {
  'license-exporter: Sources B': 'this exporter has no source, as a row says',
  'license-exporter: Sources C': 'this exporter has no source, as a row says',
  'license-exporter: Failed requests B': 'no request has failed',
  'license-exporter: Logons per minute E': 'this exporter needs a logon',
};

describe.runIf(peer('prometheus'))('PromQL of the dashboards in a real Prometheus', () => {
  it('returns data for every panel, variable and annotation', async () => {
    let at = WORKDAY - 3600;
    const analyzer = await startAnalyzer({ vendorLicenses: 10, featuresPerVendorLicense: 20, now: () => at });
    cleanup.add(() => analyzer.stop());
    // for the annotations of servers that are down
    analyzer.site.force({ down: ['sim-lic02;sim_meshd'] });
    at = WORKDAY;
    await analyzer.collector.collect();
    const alertmanager = await startFakeAlertmanager(cleanup);
    const engine = { 'alerting.alertmanagers': [alertmanager.url], 'alerting.resend_delay': '500ms' };
    const app = await startApp(createConfig(analyzer.url, engine));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const { url, query } = await startPrometheus(cleanup, app.url);
    // counters need two scrapes for a rate
    await eventually('scrapes', async () => (await query('count_over_time(license_up[1m]) >= 4')).length === 1);

    const label = async (promql: string, name: string): Promise<string[]> =>
      (await query(promql)).map(([labels]) => String((labels as Record<string, string>)[name]));
    const vendorLicenses = await label('license_vendor_license_info', 'vendor_license');
    const single: Values = {
      ...builtIn,
      job: ['.+'],
      instance: ['.+'],
      vendor_license: 'sim-lic01;sim_cadd',
      feature: 'sim-mesh-2',
    };
    const values: Values = { ...single, vendor_licenses: vendorLicenses };
    const interpolated = (text: string): string =>
      // the value for all is inserted unchanged
      interpolate(text.replaceAll('=~"$job"', '=~".+"').replaceAll('=~"$instance"', '=~".+"'), values, 'prometheus');

    const empty: string[] = [];
    for (const { where, target } of queriesOf('prometheus')) {
      const expression = interpolated(target.expr ?? '');
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const answer = (await response.json()) as { status: string; error?: string; data?: { result: unknown[] } };
      expect({ where, error: answer.error, status: answer.status }).toEqual({
        where,
        error: undefined,
        status: 'success',
      });
      if (answer.data?.result.length === 0) empty.push(where);
    }
    expect(empty.filter((where) => mayBeEmpty[where] === undefined)).toEqual([]);
    // every query on the list must exist
    const all = queriesOf('prometheus').map(({ where }) => where);
    expect(Object.keys(mayBeEmpty).filter((where) => !all.includes(where))).toEqual([]);

    for (const { uid, templating } of dashboards) {
      for (const { name, definition = '', regex = '' } of templating.list.filter(({ type }) => type === 'query')) {
        const [, selector = '', wanted = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
        const [, expression = ''] = /^query_result\((.+)\)$/.exec(definition) ?? [];
        const found =
          expression === ''
            ? await label(interpolated(selector), wanted)
            : (await query(interpolated(expression))).map(([labels, value]) =>
                optionOf(labels as object, value, regex),
              );
        expect({ uid, name, found: found.length > 0 && !found.includes(undefined as never) }).toEqual({
          uid,
          name,
          found: true,
        });
      }
    }
  });

  it('finds names with quotes, backslashes and dots, which Grafana does not escape', async () => {
    const { url, query } = await startPrometheus(cleanup, await serveNames());
    await eventually('scrapes', async () => (await query('license_feature_info')).length === names.length);
    for (const feature of names) {
      for (const [matcher, value] of [
        [ONE_FEATURE, { vendor_license: 'srv;d', feature }],
        [SEVERAL_VENDOR_LICENSES, { vendor_licenses: ['srv;d', 'other'] }],
      ] as const) {
        const expression = `license_feature_info{${interpolate(matcher, value, 'prometheus')}}`;
        const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
        expect({ expression, body: await response.json() }).toMatchObject({ body: { status: 'success' } });
        const found = (await query(expression)).map(([labels]) => (labels as { feature: string }).feature);
        expect(found).toContain(feature);
      }
      const regex = dashboards
        .flatMap(({ templating }) => templating.list)
        .find(({ name }) => name === 'feature')?.regex;
      expect(optionOf({ feature }, 0.5, regex ?? '')).toBe(feature);
    }
  });
});
