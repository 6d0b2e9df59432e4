import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';

/** What PromQL makes of given series, by `promtool test rules`: the test expects nothing, and promtool prints what it found. */

/** A sample without the name of its metric. */
export interface PromqlSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Asked {
  /** In the notation of promtool: `name{label="x"}` and its values, one each minute, such as `1 2 _ 4`. */
  readonly series: Readonly<Record<string, string>>;
  readonly expression: string;
  /** Such as `10m`. */
  readonly at: string;
}

const SAMPLE = /\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\} (\S+?)(?=,|"|\s|$)/g;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** @throws Error if the expression cannot be evaluated */
export async function promqlSamples({ series, expression, at }: Asked): Promise<readonly PromqlSample[]> {
  const folder = await mkdtemp(join(tmpdir(), 'license-exporter-promql-'));
  try {
    const test = {
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [{ expr: expression, eval_time: at, exp_samples: [] }],
    };
    await writeFile(join(folder, 'test.yml'), stringify({ rule_files: [], evaluation_interval: '1m', tests: [test] }));
    const run = promisify(execFile)('promtool', ['test', 'rules', join(folder, 'test.yml')], { cwd: folder });
    const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
    const output = stdout + stderr;
    if (output.includes('SUCCESS')) return [];
    const got = /\n\s*got:\s*(.*)/s.exec(output)?.[1];
    if (got === undefined) throw new Error(output);
    return [...got.matchAll(SAMPLE)].map(([, labels = '', value = '']) => ({
      labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, name = '', text = '']) => [name, text])),
      value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
    }));
  } finally {
    await rm(folder, { recursive: true });
  }
}
