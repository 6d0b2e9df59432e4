import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cleanup } from '../harness.ts';
import { findProgram } from './peers.ts';

export interface Prometheus {
  readonly url: string;
  /** The samples of an instant query, none when it failed. */
  query(promql: string): Promise<[unknown, string][]>;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

/** A Prometheus that scrapes one target every half second. */
export async function startPrometheus(cleanup: Cleanup, target: string, scrape = ''): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-prometheus-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: {scrape_interval: 500ms, scrape_timeout: 500ms}
scrape_configs:
  - job_name: license-exporter
    ${scrape}
    static_configs: [{targets: ['${new URL(target).host}']}]
`,
  );
  const child = spawn(
    findProgram('prometheus') ?? 'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      '--web.listen-address=127.0.0.1:0',
      '--log.format=json',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  cleanup.add(() => stopChild(child));
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`prometheus ended with ${code}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const { msg, address: at } = JSON.parse(line) as { msg?: string; address?: string };
      if (msg === 'Listening on' && at !== undefined) resolve(at);
    });
  });
  const url = `http://${address}`;
  const query: Prometheus['query'] = async (promql) => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(promql)}`);
    if (!response.ok) return [];
    const { data } = (await response.json()) as { data?: { result: { metric: unknown; value: [number, string] }[] } };
    return (data?.result ?? []).map(({ metric, value }) => [metric, value[1]]);
  };
  return { url, query };
}
