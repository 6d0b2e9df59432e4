import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './harness.ts';
import { type Peer, startPeer } from './start-peer.ts';

type Labels = Readonly<Record<string, string>>;

/** An alert as the API of Alertmanager reports it. */
export interface AlertmanagerAlert {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly fingerprint: string;
  readonly status: { readonly state: 'active' | 'suppressed' | 'unprocessed'; readonly inhibitedBy: readonly string[] };
}

export interface Alertmanager extends Peer {
  /** Its data folder, to reuse after a restart. */
  readonly folder: string;
  alerts(): Promise<readonly AlertmanagerAlert[]>;
  /** Members of its cluster, itself included. */
  peers(): Promise<number>;
}

/** Receives the notifications of an Alertmanager. */
export interface Sink {
  readonly url: string;
  /** Every alert of every notification, in the order of arrival. */
  readonly notified: {
    readonly at: number;
    readonly status: string;
    readonly labels: Labels;
    readonly startsAt: string;
  }[];
  /** Statuses of one alert, in the order of arrival. A whole group is sent again when another alert joins it. */
  of(labels: Labels): readonly string[];
}

/** A webhook receiver that keeps the alerts it receives. */
export async function startSink(cleanup: Cleanup): Promise<Sink> {
  const notified: Sink['notified'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: Labels; startsAt: string }[] };
      for (const { status, labels, startsAt } of alerts) notified.push({ at: Date.now(), status, labels, startsAt });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    notified,
    of: (wanted) => {
      const ofAlert = notified.filter(({ labels }) =>
        Object.entries(wanted).every(([name, value]) => labels[name] === value),
      );
      return ofAlert.map(({ status }) => status);
    },
  };
}

interface AlertmanagerOptions {
  readonly folder?: string;
  readonly extra?: readonly string[];
  readonly groupBy?: string;
  readonly groupInterval?: string;
  readonly inhibitRules?: string;
  readonly listen?: string;
}

/** An Alertmanager that notifies a sink almost immediately. */
export async function startAlertmanager(
  cleanup: Cleanup,
  sink: Sink,
  options: AlertmanagerOptions = {},
): Promise<Alertmanager> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'license-exporter-alertmanager-'));
  if (options.folder === undefined) cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'alertmanager.yml'),
    `route: {receiver: sink, group_by: [${options.groupBy ?? '...'}], group_wait: 300ms, group_interval: ${options.groupInterval ?? '500ms'}, repeat_interval: 1h}
receivers: [{name: sink, webhook_configs: [{url: "${sink.url}", send_resolved: true}]}]
${options.inhibitRules ?? ''}
`,
  );
  const { extra = ['--cluster.listen-address='] } = options;
  const peer = await startPeer(cleanup, 'prometheus-alertmanager', [
    `--config.file=${folder}/alertmanager.yml`,
    `--storage.path=${folder}/data`,
    `--web.listen-address=${options.listen ?? '127.0.0.1:0'}`,
    ...extra,
  ]);
  const get = async (path: string): Promise<unknown> => (await fetch(`${peer.url}/api/v2/${path}`)).json();
  return {
    ...peer,
    folder,
    alerts: async () => (await get('alerts')) as AlertmanagerAlert[],
    peers: async () => ((await get('status')) as { cluster: { peers: unknown[] } }).cluster.peers.length,
  };
}
