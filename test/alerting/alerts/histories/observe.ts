import { createAddress } from '../../../../src/alerting/alerts/address.ts';
import { groupLabels, identityOf, type Labels } from '../../../../src/alerting/alerts/alert.ts';
import type { AlertEngine } from '../../../../src/alerting/alerts/engine.ts';
import type { EvaluatedRule } from '../../../../src/alerting/alerts/rule.ts';
import { AlertmanagerModel } from '../../../support/alertmanager-model.ts';
import { EngineRun } from './engine-run.ts';
import { type Firing, FiringTicks, labelsOf, subjectOf, textOf } from './firing.ts';
import { type Frame, momentsOf } from './frames.ts';
import { activeEpisodes, analyzerOf, type History, type Replica, shardOf } from './history.ts';
import { evaluateRules, type Rules } from './promtool.ts';
import { pageOf, type Series, SeriesRun } from './series.ts';
import { ownersAt, selectionOf } from './site-owners.ts';

/** What happens in a history: what each process finds and says, and what Prometheus and Alertmanager make of it. */

/** What the rule of an alert finds. `cleared`: only not yet, so it keeps firing. */
export type Condition = 'raised' | 'not cleared' | 'false' | 'unknown';

/** A process at one tick. */
export interface Witness {
  readonly replica: number;
  readonly begins: Frame['begins'];
  readonly isScraped: boolean;
  /** Whether Alertmanager accepts what it sends. */
  readonly delivers: boolean;
  readonly shard: string;
  readonly shards: number;
  /** By what the alerts are about, for those that a process has found until now. Only its share of the site. */
  readonly conditions: ReadonlyMap<string, Condition>;
  /** The text of the alert with who acts on it now. */
  textOf(subject: string): string;
  /** What it says, by the text of the alert. */
  readonly said: ReadonlyMap<string, number>;
  readonly complete: ReadonlySet<string>;
  /** Names of the alerts of which something is not known. */
  readonly unknown: ReadonlySet<string>;
}

export interface Observed {
  readonly history: History;
  /** By tick. */
  readonly witnesses: readonly (readonly Witness[])[];
  readonly prometheus: Firing;
  /** What the engines make fire in Alertmanager. */
  readonly alertmanager: Firing;
}

/** @param labels all of them, as the rule gives them */
function conditionOf(evaluated: readonly EvaluatedRule[], subject: string, labels: Labels): Condition {
  const found = evaluated.find(({ rule }) => rule.name === labels.alertname && rule.severity === labels.severity);
  const finding = found?.evaluation.findings.find((candidate) => subjectOf(identityOf(candidate.labels)) === subject);
  if (finding !== undefined) return finding.isRaised ? 'raised' : 'not cleared';
  return found?.evaluation.isUnknown(labels) === false ? 'false' : 'unknown';
}

interface Evaluated {
  readonly frame: Frame;
  readonly engine: AlertEngine;
  readonly evaluated: readonly EvaluatedRule[];
}

function witnessOf(history: History, { frame, engine, evaluated }: Evaluated, subjects: Map<string, Labels>): Witness {
  const { replica, tick, begins, isScraped } = frame;
  const described = history.replicas[replica] as Replica;
  const analyzer = analyzerOf(history, described);
  const { ownsVendorLicense } = selectionOf(described);
  const address = createAddress(() => ownersAt(history, tick), shardOf(described));
  for (const { evaluation } of evaluated) {
    for (const { labels } of evaluation.findings) {
      const identity = identityOf(labels);
      subjects.set(subjectOf(identity), identity);
    }
  }
  const isOwn = (subject: string): boolean => {
    const { vendor_license: vendorLicense } = labelsOf(subject);
    return vendorLicense === undefined || ownsVendorLicense(vendorLicense);
  };
  const { statements } = engine.status();
  return {
    replica,
    begins,
    isScraped,
    delivers: activeEpisodes(history, 'delivery fails', tick).every((episode) => episode.replica !== replica),
    shard: shardOf(described),
    shards: described.shard.total,
    conditions: new Map(
      [...subjects]
        .filter(([subject]) => isOwn(subject))
        .map(([subject, labels]) => [subject, conditionOf(evaluated, subject, labels)]),
    ),
    textOf: (subject) => textOf({ ...groupLabels(address(labelsOf(subject))), analyzer }),
    said: new Map(statements?.alerts.map(({ labels, value }) => [textOf(labels), value])),
    complete: statements?.complete ?? new Set(),
    unknown: new Set(evaluated.flatMap(({ rule, evaluation }) => (evaluation.unknownAbout.size > 0 ? rule.name : []))),
  };
}

/** Runs the processes, and collects what Prometheus scrapes meanwhile. */
async function runHistory(history: History, metrics: ReadonlySet<string>) {
  const model = new AlertmanagerModel();
  const engines = new EngineRun(history, model);
  const series = new SeriesRun(history, metrics);
  const alertmanager = new FiringTicks();
  const witnesses: Witness[][] = [];
  const subjects = new Map<string, Labels>();
  for (const moment of momentsOf(history)) {
    engines.at(moment.tick);
    const all = await engines.evaluate(moment.frames);
    witnesses.push(all.map((each) => witnessOf(history, each, subjects)));
    const scraped = all.filter(({ frame }) => frame.isScraped);
    series.scrape(
      moment,
      new Map(scraped.map(({ frame, engine }) => [frame.replica, [...pageOf(history, frame, engine)]])),
    );
    for (const labels of model.firing()) alertmanager.add(textOf(labels), moment.tick);
  }
  await engines.stop();
  return { history, witnesses, alertmanager: alertmanager.all, series: series.all as Series };
}

/** Runs histories of the same step, with one run of promtool. */
export async function observe(histories: readonly History[], rules: Rules): Promise<readonly Observed[]> {
  const runs = [];
  for (const history of histories) runs.push(await runHistory(history, rules.metrics));
  const scraped = runs.map(({ history: { ticks, step }, series }) => ({ ticks, step, series }));
  const fired = await evaluateRules(rules, scraped);
  return runs.map(({ series: _, ...run }) => ({ ...run, prometheus: fired.get(run.history.seed) ?? new Map() }));
}
