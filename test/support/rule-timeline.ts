import { defaultRules } from '../../deploy/prometheus/generate.ts';
import type { RuleFile } from '../../src/alerting/alerts/prometheus/rule-file.ts';
import { type SeriesOf, valueAt, wellSeries } from './exporter-series.ts';
import { type Annotations, type FoundAlert, findAlerts } from './promtool.ts';

/**
 * Runs the rules for Prometheus over time with promtool, and says when each alert fires, and with which annotations. A scrape
 * and an evaluation a minute.
 */

export interface Exporter {
  /** `e1` if missing. */
  readonly instance?: string;
  /** The analyzer that it polls; `a1` if missing, `null` for an exporter without the info metric. */
  readonly analyzer?: string | null;
  readonly shard?: string;
  /** The job under which it is scraped. */
  readonly job?: string;
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
  /** Alerts whose annotations are of interest, each with a minute. */
  readonly texts?: readonly (readonly [alert: string, minute: number])[];
  /** Whether Prometheus scrapes nothing else. If missing, one run of promtool can have several timelines. */
  readonly isAlone?: boolean;
}

/** What the rules did with a timeline. Alerts are named by their labels, see `nameOf`. */
export interface Outcome {
  /** Minutes from the start in which each alert fires, both ends included: `3-17, 20-25`. */
  readonly firing: Readonly<Record<string, string>>;
  /** Annotations of the alerts in `texts` of the timeline. */
  readonly texts: Readonly<Record<string, Annotations>>;
}

/** The values of a series in the notation of promtool. */
function notation({ minutes, step = 1 }: Timeline, at: (minute: number) => number | undefined): string {
  const values: string[] = [];
  let before: number | undefined;
  for (let minute = 0; minute <= minutes; minute += step) {
    const value = at(minute);
    values.push(
      value === undefined ? (before === undefined ? '_' : 'stale') : String(value).replace('Infinity', 'Inf'),
    );
    before = value;
  }
  return values.join(' ');
}

/** A selector with further labels. */
const withLabels = (selector: string, labels: string): string =>
  selector.endsWith('}') ? `${selector.slice(0, -1)},${labels}}` : `${selector}{${labels}}`;

/** Before the names of analyzers and instances, so that the timelines of one run do not meet. */
const prefixOf = (at: number): string => `timeline${at}-`;

function inputSeries(timeline: Timeline, exporter: Exporter, prefix: string): { series: string; values: string }[] {
  const { analyzer = 'a1', shard = '', series, isTarget = () => true, isScraped = () => true } = exporter;
  const instance = `${prefix}${exporter.instance ?? 'e1'}`;
  const target = `job="${exporter.job ?? 'license-exporter'}",instance="${instance}"`;
  const info: SeriesOf =
    analyzer === null
      ? {}
      : {
          [`license_exporter_analyzer_info{analyzer="${prefix}${analyzer}",shard="${shard}",external_url="http://${instance}"}`]: 1,
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

/** Labels that are not in the name of an alert if they have this value. */
const usual: Readonly<Record<string, string>> = { alertstate: 'firing', analyzer: 'a1', feature_type: 'feature' };

/** `LicensePollStale endpoint=GetProducts severity=warning`: the alert, and its labels without those that are the same in most timelines. */
function nameOf({ alertname = '', ...labels }: Readonly<Record<string, string>>): string {
  const isAboutExporter = 'analyzer' in labels || 'instance' in labels;
  const shown = Object.entries(labels).filter(
    ([name, value]) => usual[name] !== value && !(name === 'job' && isAboutExporter),
  );
  return [alertname, ...shown.map(([name, value]) => `${name}=${value}`)].join(' ');
}

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

/** The alerts of one of the timelines of a run, without the prefix. */
function outcomeOf({ minutes, step = 1, texts = [] }: Timeline, prefix: string, found: readonly FoundAlert[]): Outcome {
  const own = (pairs: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, value.replaceAll(prefix, '')]));
  const times = new Map<string, number[]>();
  const annotationsOf: [string, Annotations][] = [];
  for (const { minute, labels, annotations } of found) {
    const name = nameOf(own(labels));
    if (minute > minutes) continue;
    if (annotations === undefined) times.set(name, [...(times.get(name) ?? []), minute]);
    else if (texts.some(([alert, at]) => alert === labels.alertname && at === minute))
      annotationsOf.push([name, own(annotations)]);
  }
  return {
    firing: Object.fromEntries([...times].sort().map(([name, all]) => [name, ranges(all, step)])),
    texts: Object.fromEntries(annotationsOf.sort()),
  };
}

/** The rules with the annotations of some alerts: Prometheus would expand those of all that fire. */
const withTexts = ({ groups }: RuleFile, alerts: ReadonlySet<string>): RuleFile => ({
  groups: groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) =>
      'alert' in rule && !alerts.has(rule.alert) ? { ...rule, annotations: {} } : rule,
    ),
  })),
});

/** Timelines with the same rules and the same step, in one run. */
async function runTogether(timelines: readonly Timeline[]): Promise<readonly Outcome[]> {
  const [{ rules = defaultRules(), step = 1 } = {}] = timelines;
  const length = Math.max(...timelines.map(({ minutes }) => minutes));
  const texts = timelines.flatMap((timeline) => timeline.texts ?? []);
  const asked = texts.map(([alert, minute]) => `${minute}m ${alert}`);
  const test = {
    interval: `${step}m`,
    input_series: timelines.flatMap((timeline, at) =>
      timeline.exporters.flatMap((exporter) => inputSeries(timeline, exporter, prefixOf(at))),
    ),
    alert_rule_test: [...new Set(asked)].map((text) => {
      const [eval_time, alertname] = text.split(' ');
      return { eval_time, alertname, exp_alerts: [] };
    }),
    promql_expr_test: Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => ({
      expr: 'ALERTS{alertstate="firing", alertname!="LicenseWatchdog"}',
      eval_time: `${i * step}m`,
      exp_samples: [],
    })),
  };
  const found = await findAlerts(test, withTexts(rules, new Set(texts.map(([alert]) => alert))));
  const isOf = (prefix: string, { labels }: FoundAlert): boolean =>
    Object.values(labels).some((value) => value.startsWith(prefix));
  return timelines.map((timeline, at) => {
    const prefix = prefixOf(at);
    // an alert about no exporter
    const own = timelines.length === 1 ? found : found.filter((alert) => isOf(prefix, alert));
    return outcomeOf(timeline, prefix, own);
  });
}

/** Whether two timelines can be in one run. An evaluation mostly costs the same, however many timelines there are. */
const canMeet = (one: Timeline, other: Timeline): boolean =>
  one.isAlone !== true && other.isAlone !== true && one.rules === other.rules && (one.step ?? 1) === (other.step ?? 1);

/**
 * Collects timelines, which run together when the first outcome is asked for. Asking throws if promtool fails for another
 * reason than an alert.
 */
export function createTimelines(): (timeline: Timeline) => () => Promise<Outcome> {
  const collected: Timeline[] = [];
  const run = async (): Promise<ReadonlyMap<Timeline, Outcome>> => {
    const runs: Timeline[][] = [];
    for (const timeline of collected) {
      const together = runs.find(([other]) => other !== undefined && canMeet(timeline, other));
      if (together === undefined) runs.push([timeline]);
      else together.push(timeline);
    }
    const outcomes = await Promise.all(
      runs.map(async (timelines) => {
        const all = await runTogether(timelines);
        return timelines.map((timeline, at) => [timeline, all[at] as Outcome] as const);
      }),
    );
    return new Map(outcomes.flat());
  };
  let all: Promise<ReadonlyMap<Timeline, Outcome>> | undefined;
  return (timeline) => {
    if (all !== undefined)
      throw new Error('the timelines have been run: collect this one before the first outcome is asked for');
    collected.push(timeline);
    return async () => {
      all ??= run();
      return (await all).get(timeline) as Outcome;
    };
  };
}

/** The outcome of one timeline. @throws Error if promtool fails for another reason than an alert */
export const outcome = (timeline: Timeline): Promise<Outcome> => createTimelines()(timeline)();
