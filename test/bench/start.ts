import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type Line, median } from './report.ts';

/**
 * The demo from the start of the process to its first good scrape, compared with a program that loads the same packages and
 * answers one scrape. It is CPU time of all threads, because the time on the clock depends on what else runs.
 */

interface Program {
  readonly args: readonly string[];
  /** A line of its log that it writes when it has data. */
  readonly ready: RegExp;
}

const root = join(import.meta.dirname, '../..');

const demo: Program = {
  args: [
    'src/launch.js',
    'demo',
    '--log.format=json',
    '--web.listen-address=127.0.0.1:0',
    '--embedded-analyzer.listen-address=127.0.0.1:0',
  ],
  ready: /"ready: open http/,
};

const bareSource = `
  import Fastify from 'fastify';
  import { pino } from 'pino';
  import { Gauge, collectDefaultMetrics, register } from 'prom-client';
  import 'undici';
  import 'yaml';
  import 'zod';
  collectDefaultMetrics();
  new Gauge({ name: 'license_up', help: 'Always up.' }).set(1);
  const app = Fastify();
  app.get('/metrics', () => register.metrics());
  process.once('SIGTERM', () => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  pino(pino.destination(2)).info({ address }, 'listening');`;
const bare: Program = { args: ['--input-type=module', '--eval', bareSource], ready: /"listening"/ };

/** Loaded before the program, and in its threads: reports the CPU time of the process when it is asked. */
const reporter = `process.on('message', () => process.send(process.cpuUsage())); process.channel?.unref();`;
const RETRY_MS = 20;

/** The address of the metrics, when the program has data. @throws Error with its log if it ends before */
async function addressOf(child: ChildProcess, ready: RegExp): Promise<string> {
  if (child.stderr === null) throw new Error('the log of the program is not readable');
  let text = '';
  for await (const line of createInterface({ input: child.stderr })) {
    text += `${line}\n`;
    const address = /"address":"(http:[^"/]*\/\/[^"/]+)"[^\n]*"listening"/.exec(text)?.[1];
    if (address !== undefined && ready.test(text)) return address;
  }
  throw new Error(`the program ended:\n${text}`);
}

/** Milliseconds of CPU up to the first good scrape. */
async function measure({ args, ready }: Program, cache: string): Promise<number> {
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exit = once(child, 'exit');
  try {
    const address = await addressOf(child, ready);
    child.stderr?.resume();
    const isGood = async (): Promise<boolean> =>
      /^license_up 1$/m.test(await (await fetch(`${address}/metrics`)).text());
    while (!(await isGood())) await setTimeout(RETRY_MS);
    const answer = once(child, 'message');
    child.send('cpu');
    const [{ user, system }] = (await answer) as [NodeJS.CpuUsage];
    return (user + system) / 1000;
  } finally {
    // the cache is written at the end of the process
    child.kill();
    await exit;
  }
}

/** Starts with an empty compile cache, and with a filled one. */
export async function benchStart(runs: number): Promise<readonly Line[]> {
  const times = {
    empty: { ours: [] as number[], peer: [] as number[] },
    filled: { ours: [] as number[], peer: [] as number[] },
  };
  for (let run = 0; run < runs; run += 1) {
    const cache = mkdtempSync(join(tmpdir(), 'license-exporter-bench-start-'));
    try {
      for (const state of ['empty', 'filled'] as const) {
        times[state].ours.push(await measure(demo, join(cache, 'ours')));
        times[state].peer.push(await measure(bare, join(cache, 'peer')));
      }
    } finally {
      rmSync(cache, { recursive: true });
    }
  }
  return (['empty', 'filled'] as const).map((state) => {
    const ours = median(times[state].ours);
    const peer = median(times[state].peer);
    const what = `first good scrape of the demo, CPU from the start of the process, compile cache ${state}`;
    return { what, ours, peer, unit: 'ms', ratio: peer / ours };
  });
}
