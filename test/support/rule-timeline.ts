import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { defaultRules } from '../../deploy/prometheus/generate.ts';
import { type RuleFile, ruleFileText } from '../../src/rules/rule-file.ts';

/** Runs the rules for Prometheus over time with promtool, and says when each alert fires. A scrape and an evaluation a minute. */

/** A value by minute; `undefined` is no sample, and ends the series as a failed scrape does. */
export type ValueOf = number | ((minute: number) => number | undefined);

/** Series of one exporter by selector without job and instance, for example `license_server_up{vendor_license="v;d"}`. */
export type SeriesOf = Readonly<Record<string, ValueOf>>;

export interface Exporter {
  /** `e1` if missing. */
  readonly instance?: string;
  /** The analyzer that it polls; `a1` if missing, `null` for an exporter without the info metric. */
  readonly analyzer?: string | null;
  readonly shard?: string;
  /** Minutes in which Prometheus scrapes it; all if missing. */
  readonly isScraped?: (minute: number) => boolean;
  /** Minutes in which it is a target of Prometheus; all if missing. */
  readonly isTarget?: (minute: number) => boolean;
  /** In addition to those that every exporter has, or instead of them. */
  readonly series: SeriesOf;
}

export interface Timeline {
  readonly minutes: number;
  readonly exporters: readonly Exporter[];
  /** Rules other than the default ones. */
  readonly rules?: RuleFile;
  /** Minutes between two scrapes and evaluations, at most 4; 1 if missing. */
  readonly step?: number;
}

/** What every exporter serves that is well and has one vendor license, `v;d`. */
const wellSeries: SeriesOf = {
  license_exporter_config_last_reload_success_timestamp_seconds: 0,
  license_exporter_time_seconds: (minute) => minute * 60,
  license_up: 1,
  license_upstream_authenticated: 1,
  license_exporter_shards: 1,
  'license_data_known{data="vendor_licenses"}': 1,
  'license_poll_records{endpoint="GetProducts"}': 1,
  ...Object.fromEntries(
    ['GetProducts', 'GetServerDown', 'GetFeatures', 'GetExpirationFeatures'].map((endpoint) => [
      `license_poll_success{endpoint="${endpoint}"}`,
      1,
    ]),
  ),
};

/** What an exporter serves about a vendor license that is known completely. Every value can be replaced. */
export const vendorLicense = (name: string, value: ValueOf = 1, owner = ''): SeriesOf => ({
  [`license_vendor_license_info{vendor_license="${name}",server="s",daemon="d",owner="${owner}"}`]: value,
  ...Object.fromEntries(
    ['server', 'collection', 'usage', 'features', 'expirations'].map((data) => [
      `license_vendor_license_data_known{vendor_license="${name}",data="${data}"}`,
      value,
    ]),
  ),
});

/** The labels of a feature. */
export const featureLabels = (feature: string, version = '1', name = 'v;d'): string =>
  `vendor_license="${name}",feature="${feature}",version="${version}",package="",feature_type="feature"`;

const valueAt = (value: ValueOf, minute: number): number | undefined =>
  typeof value === 'number' ? value : value(minute);

/** The values of a series in the notation of promtool. */
function notation({ minutes, step = 1 }: Timeline, at: (minute: number) => number | undefined): string {
  const values: string[] = [];
  let before: number | undefined;
  for (let minute = 0; minute <= minutes; minute += step) {
    const value = at(minute);
    values.push(value === undefined ? (before === undefined ? '_' : 'stale') : String(value));
    before = value;
  }
  return values.join(' ');
}

/** A selector with further labels. */
const withLabels = (selector: string, labels: string): string =>
  selector.endsWith('}') ? `${selector.slice(0, -1)},${labels}}` : `${selector}{${labels}}`;

function inputSeries(timeline: Timeline, exporter: Exporter): { series: string; values: string }[] {
  const { instance = 'e1', analyzer = 'a1', shard = '', series } = exporter;
  const { isTarget = () => true, isScraped = () => true } = exporter;
  const target = `job="license-exporter",instance="${instance}"`;
  const info: SeriesOf =
    analyzer === null
      ? { 'license_exporter_build_info{version="0.1.0"}': 1 }
      : {
          [`license_exporter_analyzer_info{analyzer="${analyzer}",shard="${shard}",external_url="http://${instance}"}`]: 1,
        };
  const all = Object.entries({ ...info, ...wellSeries, ...series });
  return [
    {
      series: `up{${target}}`,
      values: notation(timeline, (minute) => (isTarget(minute) ? Number(isScraped(minute)) : undefined)),
    },
    ...all.map(([selector, value]) => ({
      series: withLabels(selector, target),
      values: notation(timeline, (minute) =>
        isTarget(minute) && isScraped(minute) ? valueAt(value, minute) : undefined,
      ),
    })),
  ];
}

const SAMPLE = /\{__name__="ALERTS", ((?:[^"}]|"(?:[^"\\]|\\.)*")*)\} 1E\+00/g;

/** Minutes of a duration as promtool prints it, such as `1h5m`. */
const minutesOf = (duration: string): number =>
  [...duration.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * { d: 1440, h: 60, m: 1, s: 0 }[unit as 'd' | 'h' | 'm' | 's'],
    0,
  );

/** Consecutive minutes as ranges: `3-17, 20-25`. */
function ranges(minutes: readonly number[], step: number): string {
  const found: [number, number][] = [];
  for (const minute of minutes) {
    const last = found.at(-1);
    if (last !== undefined && minute - last[1] <= step) last[1] = minute;
    else found.push([minute, minute]);
  }
  return found.map(([from, to]) => `${from}-${to}`).join(', ');
}

/** Runs promtool; its exit code is not looked at, because every expectation is empty and so fails. */
async function promtool(folder: string): Promise<string> {
  const options = { env: { ...process.env, TMPDIR: folder }, maxBuffer: 2 ** 30 };
  const run = promisify(execFile)('promtool', ['test', 'rules', join(folder, 'test.yml')], options);
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
}

/**
 * When each alert fires, by its labels without those in `hidden`: minutes from the start, both ends included.
 *
 * @throws Error if promtool fails for another reason than an alert
 */
export async function firing(
  timeline: Timeline,
  hidden: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const { minutes, exporters, rules = defaultRules(), step = 1 } = timeline;
  const folder = await mkdtemp(join(tmpdir(), 'license-exporter-timeline-'));
  try {
    await writeFile(join(folder, 'rules.yml'), ruleFileText(rules));
    const times = Array.from({ length: Math.floor(minutes / step) + 1 }, (_, i) => i * step);
    const test = {
      interval: `${step}m`,
      input_series: exporters.flatMap((exporter) => inputSeries(timeline, exporter)),
      promql_expr_test: times.map((minute) => ({
        expr: 'ALERTS{alertstate="firing", alertname!="LicenseWatchdog"}',
        eval_time: `${minute}m`,
        exp_samples: [],
      })),
    };
    const content = { rule_files: ['rules.yml'], evaluation_interval: `${step}m`, tests: [test] };
    await writeFile(join(folder, 'test.yml'), stringify(content));
    const output = await promtool(folder);
    const found = new Map<string, number[]>();
    for (const block of output.split(/\n\s*expr: /).slice(1)) {
      const time = /, time: (\S+?),\s*\n/.exec(block)?.[1];
      if (time === undefined) throw new Error(block);
      for (const [, labels = ''] of (block.split(/\n\s*got:/)[1] ?? '').matchAll(SAMPLE)) {
        const shown = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
          .filter(([, name = '']) => !['alertstate', 'job', ...hidden].includes(name))
          .map(([, name, value]) => (name === 'alertname' ? value : `${name}=${value}`));
        const key = shown.join(' ');
        found.set(key, [...(found.get(key) ?? []), minutesOf(time)]);
      }
    }
    if (found.size === 0 && !output.includes('SUCCESS')) throw new Error(output);
    return Object.fromEntries([...found].sort().map(([key, all]) => [key, ranges(all, step)]));
  } finally {
    await rm(folder, { recursive: true });
  }
}
