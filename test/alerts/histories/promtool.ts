import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { rareCollections } from '../../support/promtool.ts';
import { type Firing, FiringMinutes, identityOf } from './firing.ts';
import { MINUTES } from './history.ts';
import type { Series } from './series.ts';

/** Rules for Prometheus, as text. */
export interface Rules {
  readonly text: string;
  /** The metrics that they read. */
  readonly metrics: ReadonlySet<string>;
}

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly annotations?: object;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const namesIn = ({ expr }: Rule, pattern: RegExp): readonly string[] => expr.match(pattern) ?? [];

/** The rules for some alerts, and the recording rules that they read, directly or not. */
function reachable(rules: readonly Rule[], alerts: ReadonlySet<string>): ReadonlySet<Rule> {
  const found = new Set<Rule>();
  const add = (rule: Rule): void => {
    if (found.has(rule)) return;
    found.add(rule);
    const read = new Set(namesIn(rule, /\blicense:[a-z0-9_:]+/g));
    for (const other of rules) if (other.record !== undefined && read.has(other.record)) add(other);
  };
  for (const rule of rules) if (rule.alert !== undefined && alerts.has(rule.alert)) add(rule);
  return found;
}

/** What a file of rules needs for some alerts, without texts. The rest would take most of the time. */
export function readRules(path: string, alerts: ReadonlySet<string>): Rules {
  const { groups } = parse(readFileSync(path, 'utf8')) as RuleFile;
  const wanted = reachable(
    groups.flatMap(({ rules }) => rules),
    alerts,
  );
  const kept = groups.map(({ rules, ...group }) => ({
    ...group,
    rules: rules.filter((rule) => wanted.has(rule)).map(({ annotations: _texts, ...rule }) => rule),
  }));
  const metrics = new Set(['up', ...[...wanted].flatMap((rule) => namesIn(rule, /\blicense_[a-z0-9_]+/g))]);
  return { text: JSON.stringify({ groups: kept }), metrics };
}

/** The values of a series in the notation of promtool. A series that ends gets a marker, as from a scrape without it. */
function notationOf(values: readonly (number | undefined)[]): string {
  const words: string[] = [];
  let at = 0;
  while (at < values.length) {
    const value = values[at];
    let end = at + 1;
    while (end < values.length && values[end] === value) end += 1;
    const count = end - at;
    if (value === undefined) {
      const isEnd = at > 0;
      if (isEnd) words.push('stale');
      if (count > Number(isEnd)) words.push(`_x${count - Number(isEnd)}`);
    } else if (value === Number.POSITIVE_INFINITY) words.push(...new Array<string>(count).fill('Inf'));
    else words.push(count === 1 ? String(value) : `${value}x${count - 1}`);
    at = end;
  }
  return words.join(' ');
}

/** Minutes whose results are bits of one number. More of them are too many samples for a query of promtool. */
const BITS = 10;

/** In each of the last minutes in which an alert fired, one bit. The subquery has one step for each of them. */
const question = `sum_over_time((ALERTS{alertstate="firing"} * (2 ^ ((time() / 60) % ${BITS})))[${BITS - 1}m59s:1m])`;
const questionTimes = Array.from({ length: MINUTES / BITS }, (_, i) => (i + 1) * BITS - 1);

const fileOf = (series: readonly Series[]): string =>
  JSON.stringify({
    rule_files: ['rules.yml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.flatMap((each) =>
          [...each].map(([name, values]) => ({ series: name, values: notationOf(values) })),
        ),
        // every answer differs from this, so it is printed
        promql_expr_test: questionTimes.map((minute) => ({ expr: question, eval_time: `${minute}m`, exp_samples: [] })),
      },
    ],
  });

const run = (file: string): Promise<string> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...rareCollections }, maxBuffer: 2 ** 30 };
    execFile('promtool', ['test', 'rules', file], options, (_, out, error) => resolve(out + error));
  });

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, name, value]) => [name, JSON.parse(value ?? '')]),
  );

const minutesIn = (time: string): number =>
  [...time.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * ({ h: 60, m: 1 }[unit ?? ''] ?? 0),
    0,
  );

/**
 * The alerts that rules fire on series. The result has them by the label `analyzer`.
 *
 * @throws Error if a rule cannot be evaluated
 */
export async function evaluateRules(rules: Rules, series: readonly Series[]): Promise<ReadonlyMap<string, Firing>> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-histories-'));
  try {
    const file = join(folder, 'test.yml');
    writeFileSync(join(folder, 'rules.yml'), rules.text);
    writeFileSync(file, fileOf(series));
    return parseOutput(await run(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parseOutput(output: string): ReadonlyMap<string, Firing> {
  if (!output.includes('FAILED') && !output.includes('SUCCESS')) throw new Error(output.slice(0, 2000));
  const problem = /\berr: .*/.exec(output)?.[0] ?? /unable to .*|parse error.*/.exec(output)?.[0];
  if (problem !== undefined) throw new Error(problem.slice(0, 2000));
  const firing = new Map<string, FiringMinutes>();
  for (const [, time = '', got = ''] of output.matchAll(/time: (\S+),\s*exp:.*\s*got:(.*)/g)) {
    const end = minutesIn(time);
    for (const [, text = '', bits = ''] of got.matchAll(/(\{[^{}]*\}) ([0-9.E+-]+)/g)) {
      const labels = labelsIn(text);
      const analyzer = labels.analyzer ?? /^(.*)-\w+:\d+$/.exec(labels.instance ?? '')?.[1] ?? '';
      const minutes = firing.get(analyzer) ?? new FiringMinutes();
      firing.set(analyzer, minutes);
      const flags = BigInt(Number(bits));
      for (let bit = 0; bit < BITS; bit += 1) {
        if (((flags >> BigInt(bit)) & 1n) === 1n) minutes.add(identityOf(labels), end - BITS + 1 + bit);
      }
    }
  }
  return new Map([...firing].map(([analyzer, { all }]) => [analyzer, all]));
}
