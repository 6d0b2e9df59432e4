import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { type Cleanup, createCleanup, eventually } from '../support/harness.ts';
import { findProgram } from '../support/peers.ts';
import { type Prometheus, startPrometheus } from '../support/start-prometheus.ts';
import { readProcessorTime } from './processes.ts';
import { type Line, median } from './report.ts';
import { expectedAlerts, startPage } from './rules-page.ts';

/**
 * What the rules cost Prometheus, beside what the scrapes cost that bring what they read.
 *
 * A minute takes less than that: look-backs and `for` are shorter by one factor, and scrapes and evaluations as frequent as they
 * are by default, once in such a minute. Ranges have as many samples as with default settings, and nothing must wait for a
 * quarter of an hour. The alerts must fire before anything is measured.
 */

const RULES = join(import.meta.dirname, '../../deploy/prometheus/license-alerts.yml');
/** Minutes in which the alerts must fire. The longest `for` is 15 minutes. */
const PATIENCE = 40;
/** Minutes that are not measured, after the alerts fire. */
const WARM_UP = 3;

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** The text with durations in which a minute takes `minute` seconds. */
function shorten(text: string, minute: number): string {
  const shorter = (count: string, unit: string): string =>
    `${Math.round((Number(count) * secondsOf[unit as keyof typeof secondsOf] * 1000 * minute) / 60)}ms`;
  return text
    .replace(/\[(\d+)([smhd])\]/g, (_, count, unit) => `[${shorter(count, unit)}]`)
    .replace(/^( *(?:for|keep_firing_for): )(\d+)([smhd])$/gm, (_, key, count, unit) => key + shorter(count, unit));
}

/** Writes a copy of the rules with such minutes. */
function writeRules(cleanup: Cleanup, minute: number): string {
  const { groups } = parse(shorten(readFileSync(RULES, 'utf8'), minute)) as { groups: object[] };
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-bench-rules-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, 'rules.yml');
  const evaluated = groups.map((group) => ({ ...group, interval: `${minute * 1000}ms` }));
  writeFileSync(copy, stringify({ groups: evaluated }, { lineWidth: 0 }));
  return copy;
}

/** `LicenseExpired 5, LicenseServerDown 1` */
const listOf = (counts: readonly (readonly [alertname: string, count: number | string])[]): string =>
  counts
    .map(([alertname, count]) => `${alertname} ${count}`)
    .toSorted()
    .join(', ');

/** The alerts that fire, by name, except the one that always does. */
async function firingAlerts({ query }: Prometheus): Promise<string> {
  const counts = await query('count by (alertname) (ALERTS{alertstate="firing", alertname!="LicenseWatchdog"})');
  return listOf(counts.map(([metric, count]) => [(metric as { alertname: string }).alertname, count]));
}

interface Case {
  readonly page: string;
  /** The alerts that must fire, as `firingAlerts` writes them. */
  readonly expected: string;
  /** Seconds that a minute takes. */
  readonly minute: number;
  /** Evaluations that are measured. */
  readonly runs: number;
}

/** What was measured. */
interface Cost {
  /** Processor time of Prometheus, scrapes included, milliseconds. */
  readonly processor: number;
  /** In which time, milliseconds. */
  readonly time: number;
  /** How long each evaluation took, milliseconds; none without rules. */
  readonly durations: readonly number[];
  /** Series that the rules write. */
  readonly series: number;
}

/** @throws Error with the alerts that fire instead */
async function untilFiring(prometheus: Prometheus, { expected, minute }: Case): Promise<void> {
  let found = '';
  const isThere = async (): Promise<boolean> => {
    found = await firingAlerts(prometheus);
    return found === expected;
  };
  await eventually('the alerts fire', isThere, { within: PATIENCE * minute * 1000, every: minute * 500 }).catch(() => {
    throw new Error(`the alerts that fire are ${found}, not ${expected}`);
  });
}

/** The evaluations that are finished, and how long the last one took, milliseconds. Prometheus leaves out one that is due during another. */
async function readEvaluations({ url }: Prometheus): Promise<{ readonly count: number; readonly last: number }> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const figure = (name: string): number => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(page)?.[1]);
  return {
    count: figure('prometheus_rule_group_duration_seconds_count'),
    last: 1000 * figure('prometheus_rule_group_last_duration_seconds'),
  };
}

/**
 * Watches from the end of one evaluation to that of another one, so that a slow machine does not cut one in two.
 *
 * @param hasRules without rules, as many minutes are watched as evaluations otherwise
 */
async function watch(prometheus: Prometheus, { minute, runs }: Case, hasRules: boolean): Promise<Omit<Cost, 'series'>> {
  const step = Math.max(100, minute * 100);
  let { count } = await readEvaluations(prometheus);
  const durations: number[] = [];
  let begun: { readonly processor: number; readonly time: number } | undefined;
  const spent = () => ({ processor: readProcessorTime(prometheus.pid), time: performance.now() });
  if (!hasRules) begun = spent();
  for (let i = 0; hasRules ? durations.length < runs : i * step < runs * minute * 1000; i += 1) {
    await sleep(step);
    const now = await readEvaluations(prometheus);
    if (now.count === count) continue;
    count = now.count;
    if (begun === undefined) begun = spent();
    else durations.push(now.last);
  }
  const ended = spent();
  const { processor, time } = begun ?? ended;
  return { processor: ended.processor - processor, time: ended.time - time, durations };
}

async function measure(subject: Case, hasRules: boolean): Promise<Cost> {
  const { page, minute } = subject;
  const cleanup = createCleanup();
  try {
    const scrape = `scrape_interval: ${minute * 1000}ms\n    scrape_timeout: ${minute * 1000}ms`;
    const rules = hasRules ? { rules: writeRules(cleanup, minute) } : {};
    const prometheus = await startPrometheus(cleanup, page, { scrape, ...rules });
    if (hasRules) await untilFiring(prometheus, subject);
    await sleep(WARM_UP * minute * 1000);
    const cost = await watch(prometheus, subject, hasRules);
    if (hasRules) await untilFiring(prometheus, subject);
    const [written] = await prometheus.query('count({__name__=~"license:.*|ALERTS|ALERTS_FOR_STATE"})');
    return { ...cost, series: Number(written?.[1]) };
  } finally {
    await cleanup.run();
  }
}

/** The metrics that the rules read. */
const readMetrics = (): readonly string[] => readFileSync(RULES, 'utf8').match(/\blicense_\w+/g) ?? [];

export interface RuleSite {
  /** What it is called in the report. */
  readonly name: string;
  /** 15 % of them have a condition. */
  readonly features: number;
  /** The most that an evaluation may take, milliseconds. */
  readonly limit: number;
  /** Evaluations that are measured. */
  readonly runs: number;
}

export async function benchRules({ name, features, limit, runs }: RuleSite): Promise<Line[]> {
  if (findProgram('prometheus') === undefined) {
    process.stderr.write('rules are left out: apt-get install prometheus\n');
    return [];
  }
  const cleanup = createCleanup();
  try {
    const read = new Set(readMetrics());
    const { url: page, series } = await startPage(cleanup, features, (metric) => read.has(metric));
    const alerts = [...expectedAlerts(features)];
    const minute = Math.max(0.5, features / 4000);
    const subject = { page, expected: listOf(alerts), minute, runs };
    const scrapes = await measure(subject, false);
    const ours = await measure(subject, true);
    const conditions = alerts.reduce((sum, [, count]) => sum + count, 0);
    const line = (figure: string, unit: string, mine: number, peer: number): Line => ({
      what: `rules, ${name}: ${figure}, of ${features} features with ${conditions} conditions`,
      ours: mine,
      peer,
      unit,
      ratio: peer / mine,
    });
    const perMinute = scrapes.processor / scrapes.time;
    const processor = (ours.processor - perMinute * ours.time) / ours.durations.length;
    const duration = median(ours.durations);
    return [
      line('processor time of an evaluation (peer: a scrape)', 'ms', processor, perMinute * minute * 1000),
      line('duration of an evaluation (peer: its limit)', 'ms', duration, limit),
      line('series that they write (peer: that they read)', '', ours.series, series),
    ];
  } finally {
    await cleanup.run();
  }
}
