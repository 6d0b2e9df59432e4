import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Cleanup } from './harness.ts';
import type { Inhibition, Interval } from './routed-messages.ts';
import { type MailSink, startMailSink } from './start-mail-sink.ts';
import { startPeer } from './start-peer.ts';

/** The example configuration for Alertmanager, as it is and running. */

type Labels = Readonly<Record<string, string>>;

export interface Route {
  readonly receiver?: string;
  readonly matchers?: readonly string[];
  readonly group_by?: readonly string[];
  readonly group_wait?: string;
  readonly group_interval?: string;
  readonly repeat_interval?: string;
  readonly active_time_intervals?: readonly string[];
  readonly continue?: boolean;
  readonly routes?: readonly Route[];
}

export interface Example {
  readonly route: Route;
  readonly time_intervals: readonly Interval[];
  readonly inhibit_rules: readonly Inhibition[];
  readonly receivers: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[];
}

const folder = join(import.meta.dirname, '../../deploy/alertmanager');

export const exampleFile = join(folder, 'alertmanager.yml');

/** The text of the example with all its integrations, which are comments. */
export const withIntegrations = readFileSync(exampleFile, 'utf8').replace(/^( +)# (\w+_configs:| {2})/gm, '$1$2');

export const example: Example = parse(withIntegrations);

/** Integrations that send the end of alerts, unless their settings say something else. */
const withEnds: ReadonlySet<string> = new Set(['pagerduty_configs', 'webhook_configs']);

/** By the name of a receiver that has an integration: whether it sends the end of alerts. */
export const sendsResolved: ReadonlyMap<string, boolean> = new Map(
  example.receivers.flatMap(({ name, ...integrations }) =>
    Object.entries(integrations).map(([kind, list]) => {
      const [settings] = list as readonly { readonly send_resolved?: boolean }[];
      return [name, settings?.send_resolved ?? withEnds.has(kind)] as const;
    }),
  ),
);

/** A copy of the folder with another configuration. */
export function writeExample(cleanup: Cleanup, text: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'license-exporter-alertmanager-'));
  cleanup.add(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(folder, copy, { recursive: true });
  const file = join(copy, 'alertmanager.yml');
  writeFileSync(file, text);
  return file;
}

/** The route with waits of seconds instead of minutes. Alerts of one request are always in one message. */
export function quickened(route: Route): Route {
  const times = ['group_wait', 'group_interval', 'repeat_interval'].filter((name) => name in route);
  const quick = { group_wait: '2s', group_interval: '1s', repeat_interval: '1h' };
  return {
    ...route,
    ...Object.fromEntries(times.map((name) => [name, quick[name as keyof typeof quick]])),
    ...(route.routes !== undefined && { routes: route.routes.map(quickened) }),
  };
}

/** Every minute, or no minute of this century. */
const intervals = { always: [{}], never: [{ years: ['2000'] }] };

export interface PostedAlert {
  readonly labels: Labels;
  readonly annotations?: Labels;
}

export interface RunningExample extends Pick<MailSink, 'mails'> {
  /** Sends alerts that fire. */
  post(alerts: readonly PostedAlert[]): Promise<void>;
  /** Sends the end of alerts. */
  end(alerts: readonly PostedAlert[]): Promise<void>;
  /** The labels of alerts that are not suppressed by an inhibition. */
  active(): Promise<readonly Labels[]>;
}

/** Mails to the name of a receiver, with the end of alerts if its integration in the example sends it. */
function mailsOf({ name, ...integrations }: Example['receivers'][number]): object {
  if (['license-owners', 'license-digest', 'nobody'].includes(name)) return { name, ...integrations };
  const [integration] = Object.values(integrations).flat() as readonly { readonly send_resolved?: boolean }[];
  return {
    name,
    email_configs: [{ to: `${name}@example.com`, send_resolved: integration?.send_resolved ?? false }],
  };
}

/**
 * An Alertmanager with the example: its routes, groups, inhibitions and templates.
 *
 * @param digest when its hour is
 */
export async function startExample(cleanup: Cleanup, digest: 'always' | 'never'): Promise<RunningExample> {
  const sink = await startMailSink(cleanup);
  const config = {
    ...example,
    global: { smtp_smarthost: sink.address, smtp_from: 'test@example.com', smtp_require_tls: false },
    route: quickened(example.route),
    time_intervals: [{ name: 'digest-hour', time_intervals: intervals[digest] }],
    receivers: example.receivers.map(mailsOf),
  };
  const file = writeExample(cleanup, stringify(config, { lineWidth: 0 }));
  const { url } = await startPeer(cleanup, 'prometheus-alertmanager', [
    `--config.file=${file}`,
    `--storage.path=${file}.data`,
    '--web.listen-address=127.0.0.1:0',
    '--cluster.listen-address=',
  ]);
  const startedAt = Date.now();
  const isActive = (alert: { status: { state: string } }): boolean => alert.status.state === 'active';
  const send = async (alerts: readonly PostedAlert[], endsIn: number): Promise<void> => {
    const [startsAt, endsAt] = [startedAt, Date.now() + endsIn].map((ms) => new Date(ms).toISOString());
    const { ok, status } = await fetch(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts.map((alert) => ({ ...alert, startsAt, endsAt }))),
    });
    if (!ok) throw new Error(`Alertmanager answers ${status}`);
  };
  return {
    mails: sink.mails,
    post: (alerts) => send(alerts, 3_600_000),
    end: (alerts) => send(alerts, 0),
    active: async () => {
      const alerts = (await (await fetch(`${url}/api/v2/alerts`)).json()) as (PostedAlert & {
        status: { state: string };
      })[];
      return alerts.filter(isActive).map(({ labels }) => labels);
    },
  };
}
