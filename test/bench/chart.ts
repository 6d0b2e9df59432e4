import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { startFaulty } from '../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startApp } from '../support/harness.ts';

/**
 * `node test/bench/chart.ts [megabytes] [shape]`: scrapes and health checks while a panel gets a chart of 170 MB. Analyzer and daemon
 * are processes of their own. The figures are the latency of `/metrics` and `/-/healthy`, and the blocks and CPU time of the daemon.
 */

const PRODUCT = 'sim-lic01;sim_cadd';
const [size = '170', shape = 'timeseries', role = 'driver', url = ''] = process.argv.slice(2);

/** A chart of about 1.6 million points, the most that the limit of items allows, indented to its size. */
function chart(megabytes: number): Buffer {
  const points = 550_000;
  const indent = ' '.repeat(Math.max(0, Math.floor((megabytes * 2 ** 20) / (3 * points)) - 28));
  const data = (index: number): string =>
    Array.from({ length: points }, (_, i) => `[${1.6e12 + i * 60_000},${indent}${index + (i % 1000) / 8}]`).join(',\n');
  const series = (name: string, i: number): string => `{"name":"${name}","data":[${data(i)}]}`;
  return Buffer.from(`[${['Max Available', 'Elapsed Time', 'Denials'].map(series).join(',')}]`);
}

async function serveChart(): Promise<void> {
  const body = chart(Number(size));
  const analyzer = await startFaulty(createCleanup());
  analyzer.break('GetHistory', (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  );
  process.send?.(analyzer.url);
}

/** The daemon. Between two messages it measures the delay of its event loop. */
async function serveDaemon(): Promise<void> {
  const app = await startApp(
    createConfig(url, {
      'analyzer.max_chart_size': '250MiB',
      'analyzer.timeout': '120s',
      'datasource.deadline': '120s',
      'datasource.cache_ttl': '0s',
    }),
  );
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  // the CPU time between two turns does not depend on what else runs on the machine
  let [longest, last] = [0, 0];
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage();
    if (last > 0) longest = Math.max(longest, (user + system - last) / 1000);
    last = user + system;
  };
  setInterval(turn, 1);
  let [cpu, thread] = [process.cpuUsage(), process.threadCpuUsage()];
  const ms = (usage: NodeJS.CpuUsage): number => Math.round((usage.user + usage.system) / 1000);
  process.on('message', (what) => {
    if (what === 'begin') {
      [cpu, thread] = [process.cpuUsage(), process.threadCpuUsage()];
      longest = 0;
      delay.reset();
      delay.enable();
    } else {
      delay.disable();
      process.send?.({
        'longest block, ms of CPU': longest,
        'longest block, ms': delay.max / 1e6,
        'p99 of the delay, ms': delay.percentile(99) / 1e6,
        'CPU of the main thread, ms': ms(process.threadCpuUsage(thread)),
        'CPU of all threads, ms': ms(process.cpuUsage(cpu)),
        'RSS, MB': process.memoryUsage.rss() / 2 ** 20,
        'peak RSS, MB': process.resourceUsage().maxRSS / 1024,
      });
    }
  });
  process.send?.(app.url);
}

function start(as: string, about: string): ChildProcess {
  return fork(import.meta.filename, [size, shape, as, about]);
}

const said = async <T>(child: ChildProcess): Promise<T> => (await once(child, 'message'))[0] as T;

/** Asks until the work has ended. @returns latencies in milliseconds */
async function latencies(address: string, work: Promise<unknown>): Promise<number[]> {
  const found: number[] = [];
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const started = performance.now();
    await (await fetch(address)).arrayBuffer();
    found.push(performance.now() - started);
    // about 100 a second
    await setTimeout(10);
  }
  return found.sort((a, b) => a - b);
}

async function drive(): Promise<void> {
  const analyzer = start('analyzer', '');
  const daemon = start('daemon', await said<string>(analyzer));
  const address = await said<string>(daemon);
  const ask = async (): Promise<number> => {
    const payload = { product: PRODUCT, feature: 'sim-mesh-2', ...(shape === 'long' && { shape }) };
    const response = await fetch(`${address}/grafana/query`, {
      method: 'POST',
      body: JSON.stringify({ targets: [{ refId: 'A', target: 'history', payload }] }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return bytes;
  };
  const without = async (): Promise<number> => {
    await setTimeout(4000);
    return 0;
  };
  // twice, because the code is compiled in the first run; the last one without a chart
  for (const [run, work] of [ask, ask, without].entries()) {
    daemon.send('begin');
    const started = performance.now();
    const answer = work();
    const [scrapes, checks] = await Promise.all(
      ['metrics', '-/healthy'].map((path) => latencies(`${address}/${path}`, answer)),
    );
    const figures = said<Record<string, number>>(daemon);
    daemon.send('end');
    const of = (times: readonly number[] = []) =>
      [0.5, 0.99, 1].map((part) => times[Math.ceil(times.length * part) - 1]?.toFixed(1)).join(' / ');
    const line = {
      run: run + 1,
      'answer, MB': ((await answer) / 2 ** 20).toFixed(1),
      'time, s': ((performance.now() - started) / 1000).toFixed(1),
      [`p50 / p99 / longest of ${scrapes?.length} scrapes, ms`]: of(scrapes),
      [`p50 / p99 / longest of ${checks?.length} health checks, ms`]: of(checks),
      ...Object.fromEntries(Object.entries(await figures).map(([name, figure]) => [name, Math.round(figure)])),
    };
    process.stdout.write(`${JSON.stringify(line, undefined, 2)}\n`);
  }
  analyzer.kill();
  daemon.kill();
}

await (role === 'analyzer' ? serveChart() : role === 'daemon' ? serveDaemon() : drive());
