import { afterEach, describe, expect, it } from 'vitest';
import { builtIn, dashboards, interpolate, queriesOf, type Values } from '../support/dashboards.ts';
import { startFakeAlertmanager } from '../support/fake-alertmanager.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp, WORKDAY } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startPrometheus } from '../support/start-prometheus.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Queries that may be empty on a site without problems, and why. */
const mayBeEmpty: Readonly<Record<string, string>> = {
  'license-exporter: Failed requests A': 'no request has failed',
  'license-optimisation: Pools that shrank A': 'Prometheus has no data from a week ago',
  'license-optimisation: Forecast A': 'a trend of seconds may lead anywhere',
  // the selected vendor license is up
  'license-vendor-license: annotation Server down': 'the server is up',
  'license-feature: annotation Server down': 'the server is up',
};

describe.runIf(peer('prometheus'))('PromQL of the dashboards in a real Prometheus', () => {
  it('returns data for every panel, variable and annotation', { timeout: 90_000 }, async () => {
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
    const several: Values = { ...single, vendor_license: vendorLicenses };
    const valuesOf = (uid: string): Values => (/expirations|optimisation/.test(uid) ? several : single);
    const interpolated = (text: string, uid: string): string =>
      // the value for all is inserted unchanged
      interpolate(
        text.replaceAll('=~"$job"', '=~".+"').replaceAll('=~"$instance"', '=~".+"'),
        valuesOf(uid),
        'prometheus',
      );

    const empty: string[] = [];
    for (const { where, dashboard, target } of queriesOf('prometheus')) {
      const expression = interpolated(target.expr ?? '', dashboard.uid);
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
      for (const { name, definition } of templating.list.filter(({ type }) => type === 'query')) {
        const [, selector = '', wanted = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition ?? '') ?? [];
        const found = await label(interpolated(selector, uid), wanted);
        expect({ uid, name, found: found.length > 0 }).toEqual({ uid, name, found: true });
      }
    }
  });
});
