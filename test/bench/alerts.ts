import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { labelsKey } from '../../src/alerting/alerts/alert.ts';
import { createAlertmanager } from '../../src/alerting/alerts/alertmanager.ts';
import { createCounts, createDelivery } from '../../src/alerting/alerts/delivery.ts';
import { AlertEngine } from '../../src/alerting/alerts/engine.ts';
import type { EngineStatus } from '../../src/alerting/alerts/engine-status.ts';
import { Listed } from '../../src/alerting/alerts/listed.ts';
import { alertsBody, createNotification } from '../../src/alerting/alerts/notification.ts';
import type { View } from '../../src/alerting/alerts/rule.ts';
import { createRules } from '../../src/alerting/alerts/rules.ts';
import { step } from '../../src/alerting/alerts/state-machine.ts';
import { alerting as alertingSection } from '../../src/alerting/settings.ts';
import { createOwners } from '../../src/base/model/owners.ts';
import { sectionDefaults } from '../../src/base/settings/table.ts';
import type { Inventory } from '../../src/exporter/inventory/inventory.ts';
import { collectAlerts } from '../../src/exporter/metrics/alerting.ts';
import { renderGauges } from '../../src/exporter/metrics/family.ts';
import { evaluateRule, pastOf, policy, settingsOf } from '../support/alert-views.ts';
import { deriveInventoryNow } from '../support/derived-inventory.ts';
import { quickRules } from '../support/end-to-end.ts';
import { type Cleanup, createCleanup, createTestLog, eventually } from '../support/harness.ts';
import { findProgram } from '../support/peers.ts';
import { answer, createSnapshot, feature, good } from '../support/scenario.ts';
import { startAlertmanager, startSink } from '../support/start-alertmanager.ts';
import { startPrometheus } from '../support/start-prometheus.ts';
import { compare, type Line, median } from './report.ts';

/** Many alerts that fire at once: the engine compared with Prometheus and the shipped rules, and with the speed of Alertmanager. */

const now = (): number => Date.now() / 1000;
const noTls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };
const settings = settingsOf({ LicenseFeatureSaturated: { for: '0s' } });
const ANALYZER = 'bench:1';
const nameOf = (i: number): string => `feature-${String(i).padStart(6, '0')}`;

/** Every feature is saturated. */
function inventoryOf(count: number) {
  const records = Array.from({ length: count }, (_, i) =>
    feature({ feature: nameOf(i), inUse: 10, maxAvailable: 10, licenseExpiration: Number.POSITIVE_INFINITY }),
  );
  const snapshot = createSnapshot({ features: { '': good(answer(records), now()) } });
  return deriveInventoryNow(snapshot, now(), policy);
}

/** Each feature has an owner of its own, and so an alert of its own. */
const owners = (count: number) =>
  createOwners(
    Array.from({ length: count }, (_, i) => ({
      vendorLicense: '*',
      feature: nameOf(i),
      labels: { owner: nameOf(i) },
    })),
  );

/** What the engine says of the same alerts, as a page of metrics. */
async function startPage(
  cleanup: Cleanup,
  { statements, rules, active, notConfigured }: EngineStatus,
): Promise<string> {
  const scope = { analyzer: ANALYZER, shard: '', shards: 1 };
  const families = collectAlerts(
    {
      rules,
      active,
      statements,
      notConfigured,
      alerts: [],
      deliveries: [],
      queueCapacity: 0,
      lastEvaluation: undefined,
    },
    scope,
  );
  const said = [...renderGauges(families)].map(({ bytes }) => bytes.toString()).join('');
  const page = `license_exporter_analyzer_info{analyzer="${ANALYZER}"} 1\n${said.replace(/^(license_alerts_delivered\{.*\}) 1$/gm, '$1 0')}`;
  const server = createServer((_, response) => response.setHeader('content-type', 'text/plain').end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Bytes that the alerts of one evaluation take, before anything else uses memory. */
function heapOfAlerts(inventory: Inventory): number {
  const view: View = {
    past: pastOf(inventory, now()),
    isSeriesLimited: false,
    isReloadRefused: false,
    now: now(),
    inventory,
    authenticated: true,
    sources: undefined,
    recording: undefined,
    forecasts: undefined,
    denied: undefined,
    timeZone: 'Europe/Berlin',
  };
  const used = (): number => {
    // what the first collection makes unreachable is removed by the second
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const evaluated = createRules(settings).map((rule) => ({ rule, evaluation: evaluateRule(rule, view) }));
  const { states } = step(new Map(), evaluated, view.now, {
    unknownHold: 3600,
    resolvedRetention: 900,
    address: (labels) => labels,
  });
  evaluated.length = 0;
  const bytes = used() - before;
  if (states.size !== inventory.features.length) throw new Error(`${states.size} alerts`);
  return bytes;
}

/** Seconds that Prometheus takes for one evaluation of the rules, which relay the same alerts. */
async function prometheusEvaluation(cleanup: Cleanup, count: number, status: EngineStatus): Promise<number> {
  const { url, query } = await startPrometheus(cleanup, await startPage(cleanup, status), {
    rules: quickRules(cleanup),
  });
  const firing = async () =>
    (await query('count(ALERTS{alertname="LicenseFeatureSaturated", alertstate="firing"})'))[0]?.[1];
  await eventually('Prometheus fires', async () => (await firing()) === String(count));
  const times: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const text = await (await fetch(`${url}/metrics`)).text();
    times.push(
      Number(/^prometheus_rule_group_last_duration_seconds\{[^}]*license-exporter"\} (\S+)$/m.exec(text)?.[1]),
    );
  }
  return median(times);
}

export async function benchAlerts(count: number, runs: number): Promise<Line[]> {
  if (findProgram('prometheus') === undefined || findProgram('prometheus-alertmanager') === undefined) {
    process.stderr.write('alerts are left out: apt-get install prometheus prometheus-alertmanager\n');
    return [];
  }
  const cleanup = createCleanup();
  try {
    const sink = await startSink(cleanup);
    const oneGroup = { groupBy: 'alertname' };
    const ours = await startAlertmanager(cleanup, sink, oneGroup);
    const peer = await startAlertmanager(cleanup, sink, oneGroup);
    const inventory = inventoryOf(count);
    const counts = createCounts();
    const heap = heapOfAlerts(inventory);
    const connect = () =>
      createAlertmanager({
        now: () => Date.now() / 1000,
        url: ours.url,
        timeout: 60,
        authorization: () => undefined,
        proxy: undefined,
        tls: noTls,
        userAgent: 'bench',
      });
    const mapping = owners(count);
    const engine = new AlertEngine({
      ...sectionDefaults(alertingSection),
      inventory: () => inventory,
      authenticated: () => true,
      rules: settings,
      ignore: [],
      targets: [{ alertmanager: connect(), counts }],
      evaluationInterval: 3600,
      resendDelay: 3600,
      unknownHold: 3600,
      resolve: 'explicit',
      analyzer: ANALYZER,
      shard: '',
      externalLabels: {},
      owners: () => mapping,
      sources: () => undefined,
      recording: () => undefined,
      notConfigured: () => new Set(),
      forecasts: () => undefined,
      denied: () => undefined,

      timeZone: 'Europe/Berlin',
      runbookUrl: (name) => `http://bench/runbooks#${name.toLowerCase()}`,
      generatorUrl: 'http://bench/alerts',
      owned: { ownsVendorLicense: () => true, ownsFeature: () => true },
      listed: new Listed(),
      listedFile: undefined,
      isSeriesLimited: () => false,
      isReloadRefused: () => false,
      stateFile: undefined,
      handOver: () => {},
      initial: undefined,
      now,
      log: createTestLog(),
    });
    await engine.start();
    await eventually('all delivered', () => counts.sent === count);
    const evaluations: number[] = [];
    for (let i = 0; i < runs; i += 1) {
      await engine.evaluate();
      evaluations.push(engine.status().lastEvaluation?.seconds ?? Number.NaN);
    }

    const { commonLabels } = engine.status();
    const options = { commonLabels, validity: 240, unknownHold: 3600, generatorUrl: 'http://bench/alerts' };
    const status = engine.status();
    const notifications = status.alerts.map((alert) =>
      createNotification(labelsKey(alert.labels), alert, now(), options),
    );
    const body = alertsBody(notifications, 0);
    const deliver = async (): Promise<void> => {
      const again = createCounts();
      const delivery = createDelivery({ alertmanager: connect(), counts: again, now, log: createTestLog() });
      delivery.enqueue(notifications);
      await delivery.stop(120);
      if (again.sent !== count) throw new Error(`${again.sent} alerts sent`);
    };
    const headers = { 'content-type': 'application/json' };
    const postAll = async (): Promise<void> => {
      const request = { method: 'POST', body: alertsBody(notifications, 0), headers };
      const { status: code } = await fetch(`${peer.url}/api/v2/alerts`, request);
      if (code !== 200) throw new Error(`status ${code}`);
    };
    const delivery = await compare(runs, deliver, postAll);
    const known = [(await ours.alerts()).length, (await peer.alerts()).length];
    if (known.some((alerts) => alerts !== count)) throw new Error(`known ${known}`);
    await engine.stop();
    // they would use processor time that Prometheus needs
    await ours.stop();
    await peer.stop();

    const evaluation = {
      ours: median(evaluations) * 1000,
      peer: (await prometheusEvaluation(cleanup, count, status)) * 1000,
    };
    const MB = 2 ** 20;
    const what = `${count} alerts firing`;
    return [
      {
        what: `${what}: evaluation (peer: Prometheus)`,
        ...evaluation,
        unit: 'ms',
        ratio: evaluation.peer / evaluation.ours,
      },
      {
        what: `${what}: delivery (peer: one request)`,
        ...delivery,
        unit: 'ms',
        ratio: delivery.peer / delivery.ours,
      },
      {
        what: `${what}: memory (peer: the text of one request)`,
        ours: heap / MB,
        peer: body.length / MB,
        unit: 'MB',
        ratio: body.length / heap,
      },
    ];
  } finally {
    await cleanup.run();
  }
}
