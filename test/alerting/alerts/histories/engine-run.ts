import { setImmediate } from 'node:timers/promises';
import { createCounts } from '../../../../src/alerting/alerts/delivery.ts';
import { AlertEngine } from '../../../../src/alerting/alerts/engine.ts';
import { Listed } from '../../../../src/alerting/alerts/listed.ts';
import type { EvaluatedRule } from '../../../../src/alerting/alerts/rule.ts';
import { createRules } from '../../../../src/alerting/alerts/rules.ts';
import { movedAlerts, type SavedAlerts } from '../../../../src/alerting/alerts/state-file.ts';
import { alerting as alertingSection } from '../../../../src/alerting/settings.ts';
import { sectionDefaults } from '../../../../src/base/settings/table.ts';
import { settingsOf } from '../../../support/alert-views.ts';
import type { AlertmanagerModel } from '../../../support/alertmanager-model.ts';
import { failingLog } from '../../../support/failing-log.ts';
import type { Frame } from './frames.ts';
import { activeEpisodes, aheadOf, analyzerOf, type History, type Replica, shardOf, timeOf } from './history.ts';
import { ownersAt, selectionOf } from './site-owners.ts';

/** The default settings of alerts, but for what is kept for shorter, so that a history has several ends. */
export const settings = settingsOf({
  LicenseServerDown: { keep_firing_for: '5m' },
  LicenseSourceDown: { keep_firing_for: '10m' },
});
/** The rules of the engine, with their default settings. */
export const engineRules = createRules(settings);
/** The alerts of the engine. */
export const alertNames: ReadonlySet<string> = new Set(engineRules.map(({ name }) => name));

/** The real engine of one process, with its real delivery. */
interface Running {
  readonly engine: AlertEngine;
  /** What it reads now. */
  frame: Frame;
  evaluated: readonly EvaluatedRule[];
  /** What its analyzer listed before. */
  readonly listed: Listed;
  /** A process that is gone neither saves nor sends. */
  isGone: boolean;
}

/** Whether replicas run side by side: then one must not send the end of what the other still finds. */
export const isSideBySide = ({ replicas }: History): boolean =>
  replicas.some((a, i) => replicas.some((b, j) => i !== j && a.from < b.to && b.from < a.to));

/** As another process reads it from a file. */
function copyOf({ since, vendorLicenses }: Listed): Listed {
  const copy = new Listed();
  if (since !== undefined) copy.restore(since, structuredClone([...vendorLicenses.values()]));
  return copy;
}

/** The engines of a history. Each process has its own. */
export class EngineRun {
  readonly #history: History;
  readonly #alertmanager: AlertmanagerModel;
  readonly #running = new Map<number, Running>();
  readonly #saved = new Map<number, SavedAlerts>();
  /** What was listed, by the replica that has it in a file. */
  readonly #listed = new Map<number, Listed>();

  constructor(history: History, alertmanager: AlertmanagerModel) {
    this.#history = history;
    this.#alertmanager = alertmanager;
  }

  /** Evaluates one tick. The result has the processes of the frames. */
  async evaluate(
    frames: readonly Frame[],
  ): Promise<readonly (Pick<Running, 'engine' | 'evaluated'> & { frame: Frame })[]> {
    for (const [replica, running] of this.#running) {
      const frame = frames.find((each) => each.replica === replica);
      if (frame?.begins !== undefined && frame.begins !== 'set') await this.#end(replica, running);
    }
    const all: Running[] = [];
    for (const frame of frames) all.push(await this.#evaluate(frame));
    // deliveries are over
    if (this.#history.delivers) await setImmediate();
    return all;
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    for (const [replica, running] of this.#running) await this.#end(replica, running);
  }

  async #end(replica: number, running: Running): Promise<void> {
    running.isGone = true;
    this.#running.delete(replica);
    await running.engine.stop();
  }

  async #evaluate(frame: Frame): Promise<Running> {
    const before = this.#running.get(frame.replica);
    if (before !== undefined && frame.begins === undefined) {
      before.frame = frame;
      await before.engine.evaluate();
      return before;
    }
    const running = this.#start(frame, before && (await this.#moved(frame, before)));
    this.#running.set(frame.replica, running);
    await running.engine.start();
    return running;
  }

  /** What a reload carries over after the clock was set. */
  async #moved(frame: Frame, before: Running): Promise<SavedAlerts | undefined> {
    const carried = before.engine.states();
    const by =
      aheadOf(this.#history, frame.replica, frame.tick) - aheadOf(this.#history, frame.replica, before.frame.tick);
    await this.#end(frame.replica, before);
    before.listed.move(by);
    return carried && movedAlerts(carried, by);
  }

  /** What was listed before a process begins. */
  #listedOf({ replica, begins }: Frame): Listed {
    const from = this.#listed.has(replica) ? replica : (this.#history.replicas[replica]?.continues ?? -1);
    const found = begins === 'fresh' ? undefined : this.#listed.get(from);
    const listed = found === undefined || from === replica ? (found ?? new Listed()) : copyOf(found);
    this.#listed.set(replica, listed);
    return listed;
  }

  #start(first: Frame, initial: SavedAlerts | undefined): Running {
    const history = this.#history;
    const { replica } = first;
    const described = history.replicas[replica] as Replica;
    const resend = history.step * 60;
    const listed = this.#listedOf(first);
    const answers = (): boolean =>
      activeEpisodes(history, 'delivery fails', running.frame.tick).every((episode) => episode.replica !== replica);
    const now = (): number => running.frame.now;
    const alertmanager = this.#alertmanager.client({ now, answers: () => running.isGone || answers() });
    const post: typeof alertmanager.post = async (write) =>
      running.isGone ? { is: 'accepted' } : alertmanager.post(write);
    const engine = new AlertEngine({
      ...sectionDefaults(alertingSection),
      rules: settings,
      ignore: [],
      runbookUrl: () => '',
      generatorUrl: 'http://monitor.example.com:10319/alerts',
      resendDelay: resend,
      evaluationInterval: resend,
      now,
      log: failingLog,
      inventory: () => running.frame.inventory,
      authenticated: () => running.frame.authenticated,
      sources: () => running.frame.sources,
      recording: () => undefined,
      notConfigured: () => new Set(),
      forecasts: () => running.frame.forecasts,
      denied: () => undefined,
      isSeriesLimited: () => undefined,
      isReloadRefused: () => false,
      targets: history.delivers ? [{ alertmanager: { ...alertmanager, post }, counts: createCounts() }] : [],
      owners: () => ownersAt(history, running.frame.tick),
      unknownHold: 3600,
      resolve: isSideBySide(history) ? 'expire' : 'explicit',
      analyzer: analyzerOf(history, described),
      shard: shardOf(described),
      externalLabels: {},

      timeZone: 'Europe/Berlin',
      owned: selectionOf(described),
      listed,
      // what it has is in memory here
      listedFile: undefined,
      stateFile: this.#stateFile(first, () => running.isGone),
      handOver: ({ evaluated }) => {
        running.evaluated = evaluated;
      },
      initial,
    });
    const running: Running = { engine, frame: first, evaluated: [], listed, isGone: false };
    return running;
  }

  #stateFile({ replica, begins }: Frame, isGone: () => boolean) {
    const described = this.#history.replicas[replica] as Replica;
    const from = this.#saved.has(replica) ? replica : (described.continues ?? -1);
    const shard = this.#history.replicas[from]?.shard;
    const isSameShare = shard?.index === described.shard.index && shard.total === described.shard.total;
    const found = begins === 'saved' ? this.#saved.get(from) : undefined;
    const content = found && (isSameShare ? found : { ...found, complete: [] });
    return {
      load: () => content,
      save: async ({ alerts, ...saved }: Omit<SavedAlerts, 'analyzer'>) => {
        if (isGone()) return;
        // the file does not have these
        const written = alerts.map((alert) => ({ ...alert, unknownSince: undefined }));
        this.#saved.set(replica, { ...saved, alerts: written, analyzer: analyzerOf(this.#history, described) });
      },
    };
  }

  /** Moves the clock of Alertmanager. */
  at(tick: number): void {
    this.#alertmanager.now = timeOf(this.#history, tick);
  }
}
