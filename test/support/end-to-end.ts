import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  alertsForPrometheus,
  createRuleFile,
  type RuleOptions,
  ruleFileText,
} from '../../src/alerting/alerts/prometheus/rule-file.ts';
import { ruleSettings } from '../../src/alerting/alerts/rules.ts';
import type { SettingKey } from '../../src/program/config/settings.ts';
import { account, type Cleanup, eventually, startAnalyzer } from './harness.ts';
import type { Alertmanager, AlertmanagerAlert } from './start-alertmanager.ts';
import type { Prometheus } from './start-prometheus.ts';

/** Shared by end-to-end tests of alerting: a site whose state tests control, fast polls, and fast rules. */

type Settings = Partial<Record<SettingKey, unknown>>;

/** Polls every second. Data is too old after ten seconds: a machine under load must not miss so many polls. */
export const quickPolls: Settings = {
  'poll.products': '* * * * * *',
  'poll.server_down': '* * * * * *',
  'poll.features': '* * * * * *',
  'poll.expirations': '* * * * * *',
  'poll.max_data_age': '10s',
};

/** The engine at high speed: a minute of the resend delay takes two seconds, a minute of the rules less. */
export const quickEngine = (alertmanagers: readonly string[]): Settings => ({
  ...(alertmanagers.length > 0 && { 'alerting.alertmanagers': alertmanagers }),
  'alerting.evaluation_interval': '250ms',
  'alerting.resend_delay': '2s',
  'alerting.rules': {
    LicenseServerDown: { keep_firing_for: '1s' },
    LicenseExpired: { for: '2s', keep_firing_for: '2s' },
    LicenseExpiringSoon: { for: '3s', keep_firing_for: '2s' },
    LicenseAnalyzerUnreachable: { for: '2s', keep_firing_for: '2s' },
    LicenseAnalyzerAuthFailing: { for: '1s', keep_firing_for: '2s' },
  },
});

/** What a process of its own that sends LicenseServerDown polls, and where it sends to. */
export interface ServerDownDaemon {
  /** Base URL of the analyzer. */
  readonly analyzer: string;
  readonly alertmanager: string;
  /** Seconds. */
  readonly resend: number;
}

/** Writes the configuration and the password of such a daemon into a folder. @returns the path of the configuration */
export function writeServerDownConfig(folder: string, { analyzer, alertmanager, resend }: ServerDownDaemon): string {
  writeFileSync(join(folder, 'password'), account.password, { mode: 0o600 });
  const everySecond = '* * * * * *';
  const config = {
    analyzer: { url: analyzer, username: 'CORP\\svc-lic', password_file: 'password' },
    poll: { products: everySecond, server_down: everySecond, max_data_age: '5s' },
    web: { listen_address: '127.0.0.1:0' },
    storage: { path: join(folder, 'state') },
    alerting: {
      alertmanagers: [alertmanager],
      evaluation_interval: '250ms',
      resend_delay: `${resend}s`,
      rules: { LicenseServerDown: { keep_firing_for: '1s' } },
    },
  };
  const file = join(folder, 'config.yml');
  writeFileSync(file, stringify(config));
  return file;
}

/** What a minute of the rules takes in tests, seconds. */
const MINUTE = 0.5;

/** Look-backs of the relay are a little longer than that: a machine under load misses a scrape. */
const LOOK_BACK = 2 * MINUTE;

/** Alerts about failed scrapes, which a machine under load has. They keep their minutes. */
const patient: readonly string[] = ['LicenseExporterDown', 'LicenseExporterAbsent', 'LicenseExporterSilent'];

/** Durations are shorter by the same factor. */
const shortened = (own: RuleOptions['own'][number]): RuleOptions['own'][number] =>
  patient.includes(own.alert)
    ? own
    : { ...own, for: (own.for * MINUTE) / 60, keepFiringFor: (own.keepFiringFor * MINUTE) / 60 };

const MINUTES = { m: 1, h: 60, d: 1440 } as const;

/** An expression with shorter look-backs. */
const quickExpression = (expr: string): string =>
  expr.replace(
    /\[(\d+)([mhd])\]/g,
    (_, count, unit: keyof typeof MINUTES) => `[${Number(count) * MINUTES[unit] * LOOK_BACK * 1000}ms]`,
  );

/** A copy of the rules in which a minute takes 500 ms. */
export function quickRules(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-rules-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'license-alerts.yml');
  const { relayed, own } = alertsForPrometheus(ruleSettings.parse({}), 'license-exporter');
  const { groups } = createRuleFile({
    relayed,
    own: own.map(shortened),
    owners: ['owner'],
    targetLabels: [],
    runbookBaseUrl: 'https://wiki.example.com/runbooks.md',
    externalUrl: undefined,
  });
  const quick = groups.map((group) => ({
    ...group,
    interval: '500ms',
    rules: group.rules.map((rule) =>
      'alert' in rule && patient.includes(rule.alert) ? rule : { ...rule, expr: quickExpression(rule.expr) },
    ),
  }));
  writeFileSync(path, ruleFileText({ groups: quick }));
  return path;
}

export interface Site {
  readonly url: string;
  /** The vendor license whose state tests control, and a feature of it. */
  readonly vendorLicense: string;
  readonly feature: string;
  /** Makes the server fail half an hour ago, or recover. */
  setDown(isDown: boolean): Promise<void>;
  /** Makes the licenses of the feature expire in `seconds`. */
  setExpiry(inSeconds: number): Promise<void>;
  /** Stops the analyzer, or starts it again on the same port. */
  stop(): Promise<void>;
  restart(): Promise<void>;
}

/** Between two looks at a number of evaluations, milliseconds: each look is work that the evaluations wait for. */
const LOOK_MS = 100;

const wallClock = (): number => Date.now() / 1000;

/** A simulated site at the present time. */
export async function startSite(cleanup: Cleanup): Promise<Site> {
  const vendorLicense = 'sim-lic01;sim_cadd';
  let shift = 0;
  const now = (): number => wallClock() + shift;
  const forced: { down: string[]; expirations: Record<string, number> } = { down: [], expirations: {} };
  const start = async (at: number) => {
    const analyzer = await startAnalyzer({ vendorLicenses: 1, featuresPerVendorLicense: 3, now }, { port: at });
    analyzer.site.force(forced);
    await analyzer.collector.collect();
    return analyzer;
  };
  let analyzer = await start(0);
  cleanup.add(() => analyzer.stop());
  const port = Number(new URL(analyzer.url).port);
  const feature =
    analyzer.collector.current().find(({ name }) => name === vendorLicense)?.observation.pools[0]?.feature ?? '';
  // no other license must expire
  for (const { name, observation } of analyzer.collector.current()) {
    for (const pool of observation.pools) forced.expirations[`${name}/${pool.feature}`] = wallClock() + 400 * 86_400;
  }
  const collect = async (): Promise<void> => {
    analyzer.site.force(forced);
    await analyzer.collector.collect();
  };
  await collect();
  return {
    url: analyzer.url,
    vendorLicense,
    feature,
    setDown: async (isDown) => {
      forced.down = isDown ? [vendorLicense] : [];
      // its last collection is now, and half an hour passes
      if (isDown) shift += 2000;
      await collect();
    },
    setExpiry: async (inSeconds) => {
      forced.expirations[`${vendorLicense}/${feature}`] = wallClock() + inSeconds;
      await collect();
    },
    stop: () => analyzer.stop(),
    restart: async () => {
      analyzer = await start(port);
    },
  };
}

interface Evaluating {
  /** A daemon with an engine. */
  readonly app?: { readonly url: string } | undefined;
  readonly prometheus?: Pick<Prometheus, 'evaluations'> | undefined;
}

/** When the engine of a daemon evaluated last. The page of metrics would say it only once a second. */
async function evaluatedAt(url: string): Promise<string | undefined> {
  const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
    data: { groups: readonly { lastEvaluation: string }[] };
  };
  return data.groups[0]?.lastEvaluation;
}

/**
 * Waits for a number of evaluations of the engine, one every 250 ms, and for half as many of Prometheus. Each of them
 * could send an alert that must not be sent.
 */
export async function evaluations(count: number, { app, prometheus }: Evaluating): Promise<void> {
  const ofEngine = async (url: string): Promise<void> => {
    const seen = new Set<string | undefined>();
    const isEnough = async () => seen.add(await evaluatedAt(url)).size > count;
    await eventually(`${count} evaluations of the engine`, isEnough, { every: LOOK_MS });
  };
  const ofPrometheus = async ({ evaluations: counted }: Pick<Prometheus, 'evaluations'>): Promise<void> => {
    const before = await counted();
    const isEnough = async () => (await counted()) >= before + count / 2;
    await eventually(`${count / 2} evaluations of Prometheus`, isEnough, { every: LOOK_MS });
  };
  await Promise.all([app && ofEngine(app.url), prometheus && ofPrometheus(prometheus)]);
}

/** Alerts that fire in an Alertmanager. */
export async function firing(
  alertmanager: Alertmanager,
  labels: Readonly<Record<string, string>>,
): Promise<readonly AlertmanagerAlert[]> {
  const all = await alertmanager.alerts();
  return all.filter((alert) => Object.entries(labels).every(([name, value]) => alert.labels[name] === value));
}

/** Checks from now on that a condition holds. The returned function ends this and returns the observed violations. */
export function watch(condition: () => Promise<boolean>): () => Promise<number> {
  let failed = 0;
  let isOn = true;
  const watching = (async () => {
    while (isOn) {
      if (!(await condition())) failed += 1;
      // between two checks
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return async () => {
    isOn = false;
    await watching;
    return failed;
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** What stands before an Alertmanager and can fail in its place. */
interface Door {
  readonly url: string;
  /** `undefined` lets everything through. */
  answer(answer: Answer | undefined): void;
  /** Lets one request through. */
  readonly pass: Answer;
}

export async function startDoor(cleanup: Cleanup, target: string): Promise<Door> {
  let broken: Answer | undefined;
  const pass: Answer = (request, response, body) => {
    const { method = 'GET', url = '/' } = request;
    fetch(`${target}${url}`, {
      method,
      ...(method === 'POST' && { body, headers: { 'content-type': 'application/json' } }),
    })
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy());
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      (broken ?? pass)(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (answer) => {
      broken = answer;
    },
    pass,
  };
}
