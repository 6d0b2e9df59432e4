import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './harness.ts';
import { startPeer } from './start-peer.ts';

export interface Prometheus {
  readonly url: string;
  readonly pid: number;
  /** The samples of an instant query; empty when the query failed. */
  query(promql: string): Promise<[unknown, string][]>;
  /** How often it has evaluated its rules. */
  evaluations(): Promise<number>;
}

export interface PrometheusOptions {
  /** Additional scrape configuration. */
  readonly scrape?: string;
  /** A file of rules. */
  readonly rules?: string;
  /** URLs of the Alertmanagers that get alerts. */
  readonly alertmanagers?: readonly string[];
  /** Writes a file of OpenMetrics: samples that it has from the beginning. */
  readonly past?: (path: string) => void;
}

/** The span of a block of such samples: promtool reads the file once for each block. */
const PAST_BLOCK = '1536h';

/** A Prometheus that scrapes the targets every second, and evaluates rules twice as often. */
export async function startPrometheus(
  cleanup: Cleanup,
  targets: string | readonly string[],
  { scrape = '', rules, alertmanagers = [], past }: PrometheusOptions = {},
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-prometheus-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const hosts = (urls: readonly string[]): string => JSON.stringify(urls.map((address) => new URL(address).host));
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 500ms
  external_labels: {source: prometheus}
${rules === undefined ? '' : `rule_files: [${JSON.stringify(rules)}]`}
alerting:
  alertmanagers: [{api_version: v2, static_configs: [{targets: ${hosts(alertmanagers)}}]}]
scrape_configs:
  - job_name: license-exporter
    ${scrape}
    static_configs: [{targets: ${hosts([targets].flat())}}]
`,
  );
  if (past !== undefined) {
    const file = join(folder, 'past');
    past(file);
    const create = ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet', `--max-block-duration=${PAST_BLOCK}`];
    execFileSync('promtool', [...create, file, join(folder, 'data')]);
  }
  const { url, child } = await startPeer(cleanup, 'prometheus', [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    '--storage.tsdb.retention.time=1y',
    '--web.listen-address=127.0.0.1:0',
    '--rules.alert.resend-delay=1s',
  ]);
  const query: Prometheus['query'] = async (promql) => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(promql)}`);
    if (!response.ok) return [];
    const { data } = (await response.json()) as { data?: { result: { metric: unknown; value: [number, string] }[] } };
    return (data?.result ?? []).map(({ metric, value }) => [metric, value[1]]);
  };
  const evaluations = async (): Promise<number> => {
    const page = await (await fetch(`${url}/metrics`)).text();
    return Number(/^prometheus_rule_group_iterations_total\{.*\} (\S+)$/m.exec(page)?.[1] ?? 0);
  };
  return { url, pid: child.pid ?? 0, query, evaluations };
}
