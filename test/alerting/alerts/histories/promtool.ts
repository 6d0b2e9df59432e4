import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { rareCollections } from '../../../support/promtool.ts';
import { type Firing, FiringTicks, textOf } from './firing.ts';
import type { Sample, Series } from './series.ts';

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

/** The values of a series in the notation of promtool. */
function notationOf(values: readonly Sample[]): string {
  const words: string[] = [];
  for (let at = 0; at < values.length; ) {
    const value = values[at];
    let end = at + 1;
    while (end < values.length && values[end] === value) end += 1;
    const count = end - at;
    if (value === 'stale') words.push(...new Array<string>(count).fill('stale'));
    else if (value === undefined) words.push(`_x${count}`);
    else words.push(count === 1 ? String(value) : `${value}x${count - 1}`);
    at = end;
  }
  return words.join(' ');
}

/** Ticks whose results are bits of one number. More of them are too many samples for a query of promtool. */
const BITS = 10;

/** In each of the last ticks in which an alert fired, one bit. The subquery has one step for each of them. */
const questionOf = (step: number): string =>
  `sum_over_time((ALERTS{alertstate="firing"} * (2 ^ ((time() / ${step * 60}) % ${BITS})))[${(BITS - 1) * step * 60 + 1}s:${step}m])`;

/** What is scraped in histories of the same length and step. */
export interface Scraped {
  readonly ticks: number;
  /** Minutes. */
  readonly step: number;
  readonly series: Series;
}

const fileOf = (all: readonly Scraped[]): string => {
  const { step } = all[0] as Scraped;
  const ticks = Math.max(...all.map((each) => each.ticks));
  const questions = Array.from({ length: Math.ceil(ticks / BITS) }, (_, i) => (i + 1) * BITS - 1);
  return JSON.stringify({
    rule_files: ['rules.yml'],
    evaluation_interval: `${step}m`,
    tests: [
      {
        interval: `${step}m`,
        input_series: all.flatMap(({ series }) =>
          [...series].map(([name, values]) => ({ series: name, values: notationOf(values) })),
        ),
        // every answer differs from this, so it is printed
        promql_expr_test: questions.map((tick) => ({
          expr: questionOf(step),
          eval_time: `${tick * step}m`,
          exp_samples: [],
        })),
      },
    ],
  });
};

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
  [...time.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * ({ d: 1440, h: 60, m: 1 }[unit ?? ''] ?? 0),
    0,
  );

/**
 * The alerts that rules fire, over histories of the same step.
 *
 * @returns by the number before the name of an instance, and in the label `analyzer`: the seed
 * @throws Error if a rule cannot be evaluated
 */
export async function evaluateRules(rules: Rules, scraped: readonly Scraped[]): Promise<ReadonlyMap<number, Firing>> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-histories-'));
  try {
    const file = join(folder, 'test.yml');
    writeFileSync(join(folder, 'rules.yml'), rules.text);
    writeFileSync(file, fileOf(scraped));
    return parseOutput(await run(file), scraped[0] as Scraped);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parseOutput(output: string, { step }: Scraped): ReadonlyMap<number, Firing> {
  if (!output.includes('FAILED') && !output.includes('SUCCESS')) throw new Error(output.slice(0, 2000));
  const problem = /\berr: .*/.exec(output)?.[0] ?? /unable to .*|parse error.*/.exec(output)?.[0];
  if (problem !== undefined) throw new Error(problem.slice(0, 2000));
  const firing = new Map<number, FiringTicks>();
  for (const [, time = '', got = ''] of output.matchAll(/time: (\S+),\s*exp:.*\s*got:(.*)/g)) {
    const end = minutesIn(time) / step;
    for (const [, text = '', bits = ''] of got.matchAll(/(\{[^{}]*\}) ([0-9.E+-]+)/g)) {
      const { alertstate: _, ...labels } = labelsIn(text);
      const seed = Number(
        /^analyzer-(\d+)|^(\d+)-/
          .exec(labels.analyzer ?? labels.instance ?? '')
          ?.slice(1)
          .join(''),
      );
      const found = firing.get(seed) ?? new FiringTicks();
      firing.set(seed, found);
      const flags = BigInt(Number(bits));
      for (let bit = 0; bit < BITS; bit += 1) {
        if (((flags >> BigInt(bit)) & 1n) === 1n) found.add(textOf(labels), end - BITS + 1 + bit);
      }
    }
  }
  return new Map([...firing].map(([seed, { all }]) => [seed, all]));
}
