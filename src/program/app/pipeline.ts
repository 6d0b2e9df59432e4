import { type AlertingNeighbors, createAlerting } from '../../alerting/alerting.ts';
import type { AlertEngine } from '../../alerting/alerts/engine.ts';
import { Listed } from '../../alerting/alerts/listed.ts';
import { createSaturation } from '../../alerting/alerts/saturation.ts';
import type { Messages } from '../../alerting/messages/messages.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { Connection, ConnectionListeners } from '../../exporter/client/analyzer-connection.ts';
import { analyzerIdentity } from '../../exporter/client/identity.ts';
import { createExporter, type Exporter, type ExporterNeighbors } from '../../exporter/exporter.ts';
import { createInsight, type Insight, type InsightNeighbors } from '../../insight/insight.ts';
import type { SharedBackend } from '../../site/grafana/answers/backend.ts';
import { createBackend } from '../../site/site.ts';
import type { Config } from '../config/config.ts';
import { type FormerName, siteNamesOf } from '../config/effects/site-names.ts';
import { externalUrl } from '../config/listeners.ts';
import type { Carried } from './carried.ts';
import type { EffectWatch } from './effect-watch.ts';
import { createDenialWatch, recordedNames } from './recorded.ts';
import { readWaits } from './recorded-people.ts';

/** Everything from the client of the analyzer to the readers of the inventory. A reload creates a new pipeline. */
export interface Pipeline {
  readonly config: Config;
  readonly exporter: Exporter;
  readonly insight: Insight;
  readonly engine: AlertEngine;
  readonly messages: Messages;
  /** What the analyzer listed before. */
  readonly listed: Listed;
  /** The data behind Grafana and the pages, without what depends on the user of a request. */
  readonly backend: SharedBackend;
  /** Starts polling, alerts and messages. Resolves when the first poll is over. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a pipeline shares with the parts of the daemon that survive a reload. */
export interface PipelineNeighbors
  extends Pick<ExporterNeighbors, 'self' | 'owners' | 'writes' | 'now' | 'log'>,
    Pick<AlertingNeighbors, 'deliveryCounts' | 'messageCounts' | 'version'>,
    Pick<InsightNeighbors, 'rightsizing' | 'prices'> {
  readonly connect: (config: Config, listeners: ConnectionListeners) => Connection;
  readonly carried: Carried | undefined;
  /** The history of an analyzer in this process; `undefined` without one. */
  readonly recorded: RecordedDemand | undefined;
  /** Whether the people who wait may be known. */
  readonly knowsPeople: boolean;
  /** Sources of an analyzer in this process; `undefined` without one. */
  readonly sources: () => readonly SourceHealth[] | undefined;
  /** How that history is recorded; `undefined` without one. */
  readonly recording: () => RecordingHealth | undefined;
  /** Says which patterns and names of the configuration have no effect. */
  readonly effects: EffectWatch;
}

function* rememberedIn({ vendorLicenses }: Listed): Generator<FormerName, void> {
  for (const { name: vendorLicense, features } of vendorLicenses.values()) {
    yield { vendorLicense, feature: '' };
    for (const feature of features.keys()) yield { vendorLicense, feature };
  }
}

/** Puts the wings together. Nothing runs yet. */
export function createPipeline(config: Config, neighbors: PipelineNeighbors): Pipeline {
  const { self, carried, recorded, owners, now, log } = neighbors;
  const isSaturated = createSaturation(config.alerting.rules);
  const exporter = createExporter(config, {
    ...neighbors,
    isSaturated,
    connect: (listeners) => neighbors.connect(config, listeners),
    rightsizing: () => insight.forecasts(),
  });
  const { logons, inventory, exposition, poller, selection } = exporter;
  const insight = createInsight(config, { ...neighbors, exporter });
  const listed = carried?.listed ?? new Listed();
  const { engine, messages } = createAlerting(config, {
    ...neighbors,
    url: externalUrl(config.web),
    inventory: () => inventory.latest(),
    logons,
    authenticated: () => logons?.gate.authenticated,
    forecasts: insight.forecasts,
    denied: createDenialWatch(recorded, insight.owns, now),
    isSeriesLimited: exposition.isLimited,
    isReloadRefused: self.isReloadRefused,
    owned: selection,
    listed,
  });
  const { total: shards } = config.shard;
  exposition.showAlerts(() => ({ state: engine.status(), scope: { ...analyzerIdentity(config), shards } }));
  inventory.subscribe({ name: 'alerts', read: () => engine.evaluate() });
  inventory.subscribe({
    name: 'settings',
    read: (known) =>
      neighbors.effects.see(() =>
        siteNamesOf({
          snapshot: poller.latest(),
          inventory: known,
          sources: neighbors.sources() ?? [],
          recorded: () => recordedNames(recorded),
          // it is restored from its file before it observes anything
          remembered: () => (listed.since === undefined ? undefined : rememberedIn(listed)),
          shards,
        }),
      ),
  });
  neighbors.effects.use(config);
  const { proposals } = insight;

  return {
    config,
    exporter,
    insight,
    engine,
    messages,
    listed,
    backend: createBackend(config, {
      ...{ exporter, engine, proposals, owners, isSaturated, now },
      isAnalyzerHere: recorded !== undefined,
      waits: readWaits(recorded, neighbors.knowsPeople, insight.owns),
    }),
    start: async () => {
      void inventory.commit(poller.latest());
      messages.start();
      engine.start().catch((error: unknown) => log.error({ err: error }, 'alerting did not start'));
      await poller.start();
      await inventory.commit(poller.latest());
    },
    stop: async () => {
      await poller.stop();
      await engine.stop();
      await messages.stop();
      await exporter.stop();
    },
  };
}
