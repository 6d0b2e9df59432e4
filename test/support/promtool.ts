import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { type RuleFile, ruleFileText } from '../../src/alerting/alerts/prometheus/rule-file.ts';

/** Finds out with `promtool test rules` which alerts fire: the test expects none, and promtool prints those that it found. */

/** The annotations of an alert. */
export type Annotations = Readonly<Record<string, string>>;

/** A label of an alert as promtool prints it. */
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const LABELS = String.raw`((?:[^"}]|"(?:[^"\\]|\\.)*")*)`;
const SAMPLE = new RegExp(String.raw`\{__name__="ALERTS", ${LABELS}\} 1E\+00`, 'g');
const ALERT = new RegExp(String.raw`Labels:\{${LABELS}\}\s+Annotations:\{${LABELS}\}`, 'g');

const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, JSON.parse(`"${value}"`) as string]),
  );

/** Minutes of a duration as promtool prints it, such as `1h5m`. */
const minutesOf = (duration: string): number =>
  [...duration.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * { d: 1440, h: 60, m: 1, s: 0 }[unit as 'd' | 'h' | 'm' | 's'],
    0,
  );

/** A test in the notation of promtool. */
interface Test {
  readonly interval: string;
}

/**
 * Environment of a promtool that collects garbage rarely: it makes much of it and keeps little, so that collections would take
 * a quarter of its time.
 */
export const rareCollections = { GOGC: '400', GOMEMLIMIT: '1GiB' };

/** Runs promtool; its exit code is not looked at, because every expectation is empty and so fails. */
async function promtool(test: Test, rules: RuleFile): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'license-exporter-timeline-'));
  try {
    const content = {
      rule_files: ['rules.yml'],
      evaluation_interval: test.interval,
      tests: [test],
    };
    await writeFile(join(folder, 'rules.yml'), ruleFileText(rules));
    await writeFile(join(folder, 'test.yml'), stringify(content));
    const options = { env: { ...process.env, ...rareCollections, TMPDIR: folder }, maxBuffer: 2 ** 30 };
    const run = promisify(execFile)('promtool', ['test', 'rules', join(folder, 'test.yml')], options);
    const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
    return stdout + stderr;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** One alert at one minute. */
export interface FoundAlert {
  readonly minute: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Missing if they were not asked for. */
  readonly annotations?: Annotations;
}

/** What promtool found instead of the empty expectations. @throws Error if it failed for another reason */
function foundIn(output: string): readonly FoundAlert[] {
  const blocks = output.split(/\n\s*(?=expr: |alertname: )/).slice(1);
  if (blocks.length === 0 && !output.includes('SUCCESS')) throw new Error(output);
  return blocks.flatMap((block) => {
    const time = /,\s*time: (\S+?),\s*\n/.exec(block)?.[1];
    if (time === undefined) throw new Error(block);
    const minute = minutesOf(time);
    const got = block.split(/\n\s*got:/)[1] ?? '';
    return block.startsWith('expr')
      ? [...got.matchAll(SAMPLE)].map(([, labels = '']) => ({ minute, labels: pairsOf(labels) }))
      : [...got.matchAll(ALERT)].map(([, labels = '', annotations = '']) => ({
          minute,
          labels: pairsOf(labels),
          annotations: pairsOf(annotations),
        }));
  });
}

/**
 * The alerts that a test of promtool finds with queries of `ALERTS`, and with tests of alerts, which find the annotations too.
 *
 * @throws Error if promtool fails for another reason than an alert
 */
export const findAlerts = async (test: Test, rules: RuleFile): Promise<readonly FoundAlert[]> =>
  foundIn(await promtool(test, rules));
