import { createAddress } from '../../../../src/alerting/alerts/address.ts';
import { groupLabels } from '../../../../src/alerting/alerts/alert.ts';
import type { AlertEngine } from '../../../../src/alerting/alerts/engine.ts';
import { type Condition, isFound } from './conditions.ts';
import { EngineRun } from './engine-run.ts';
import { FindingsRun } from './findings.ts';
import { type Firing, labelsOf, subjectOf, textOf } from './firing.ts';
import { type Frame, momentsOf, type ToldFrame } from './frames.ts';
import { activeEpisodes, analyzerOf, type History, type Replica, shardOf } from './history.ts';
import { evaluateRules, type Rules } from './promtool.ts';
import { RecordingAlertmanager, receive } from './receiver.ts';
import { pageOf, type Series, SeriesRun } from './series.ts';
import { ownersAt } from './site-owners.ts';

/** What happens in a history: what each process finds and says, and what Prometheus and Alertmanager make of it. */

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
  /** What fires in Alertmanager, which both the engines and Prometheus send to. */
  readonly alertmanager: Firing;
}

interface Evaluated {
  readonly frame: ToldFrame;
  readonly engine: AlertEngine;
}

/** @param found what processes have found until now */
function witnessOf(history: History, { frame, engine }: Evaluated, run: FindingsRun, found: Set<string>): Witness {
  const { replica, tick, begins, isScraped } = frame;
  const described = history.replicas[replica] as Replica;
  const analyzer = analyzerOf(history, described);
  const address = createAddress(() => ownersAt(history, tick), shardOf(described));
  const { statements } = engine.status();
  const said = new Map(statements?.alerts.map(({ labels, value }) => [textOf(labels), value]));
  const firing = new Set([...said].flatMap(([text, value]) => (value === 1 ? subjectOf(labelsOf(text)) : [])));
  const { conditions, unknown } = run.findings(frame, (subject) => firing.has(subject));
  for (const subject of firing) found.add(subject);
  for (const [subject, condition] of conditions) if (isFound(condition)) found.add(subject);
  return {
    replica,
    begins,
    isScraped,
    delivers: activeEpisodes(history, 'delivery fails', tick).every((episode) => episode.replica !== replica),
    shard: shardOf(described),
    shards: described.shard.total,
    conditions: new Map([...conditions].filter(([subject]) => found.has(subject))),
    textOf: (subject) => textOf({ ...groupLabels(address(labelsOf(subject))), analyzer }),
    said,
    complete: statements?.complete ?? new Set(),
    unknown,
  };
}

/** Runs the processes, and collects what Prometheus scrapes meanwhile. */
async function runHistory(history: History, metrics: ReadonlySet<string>) {
  const model = new RecordingAlertmanager();
  const engines = new EngineRun(history, model);
  const series = new SeriesRun(history, metrics);
  const witnesses: Witness[][] = [];
  const findings = new FindingsRun(history);
  const found = new Set<string>();
  for (const moment of momentsOf(history)) {
    engines.at(moment.tick);
    const all = await engines.evaluate(moment.frames);
    witnesses.push(
      moment.frames.map((frame, i) => {
        const { engine } = all[i] as (typeof all)[number];
        return witnessOf(history, { frame, engine }, findings, found);
      }),
    );
    const scraped = all.filter(({ frame }) => frame.isScraped);
    series.scrape(
      moment,
      new Map(scraped.map(({ frame, engine }) => [frame.replica, [...pageOf(history, frame, engine)]])),
    );
  }
  await engines.stop();
  return { history, witnesses, sent: model.sent, series: series.all as Series };
}

/** Runs histories of the same step, with one run of promtool. */
export async function observe(histories: readonly History[], rules: Rules): Promise<readonly Observed[]> {
  const runs = [];
  for (const history of histories) runs.push(await runHistory(history, rules.metrics));
  const scraped = runs.map(({ history: { ticks, step }, series }) => ({ ticks, step, series }));
  const fired = await evaluateRules(rules, scraped);
  return runs.map(({ series: _, sent, ...run }) => {
    const prometheus: Firing = fired.get(run.history.seed) ?? new Map();
    return { ...run, prometheus, alertmanager: receive(run.history, sent, prometheus) };
  });
}
