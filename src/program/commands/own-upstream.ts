import { type CollectingAnalyzer, createCollecting } from '../../analyzer/analyzer.ts';
import type { RecordedDemand } from '../../analyzer/history/recorded-demand.ts';
import type { Analyzer } from '../../analyzer/server/server.ts';
import type { Log } from '../../base/model/log.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import type { Clock } from '../../base/scheduling/clock.ts';
import { createSourceAnalyzers } from '../app/source-analyzers.ts';
import type { Config } from '../config/config.ts';
import { logClients } from './client-log.ts';
import { NEEDS_RESTART, type Upstream } from './upstream.ts';

/** The license managers that an analyzer in this process collects from. */
export interface OwnUpstream extends Upstream, Pick<CollectingAnalyzer, 'health'> {
  readonly analyzer: Pick<Analyzer, 'answer' | 'onCollected'>;
  readonly recorded: RecordedDemand;
  readonly recording: () => RecordingHealth;
  start(): Promise<void>;
  /** Resolves when every source has been read once, however long that takes. */
  firstCollection(): Promise<void>;
}

interface OwnOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Where logons are counted, also if nothing else is stored there. */
  readonly logonsIn: string | undefined;
}

/** Collects from the license managers of this configuration. It is loaded only where there are some. */
export function ownUpstream(first: Config, { clock, log, version, logonsIn }: OwnOptions): OwnUpstream {
  let users = first.embeddedAnalyzer.users ?? [];
  const logged = logClients(first.embeddedAnalyzer, () => users, log);
  const { analyzer, health, reload, stop } = createCollecting(first, {
    clock,
    log,
    version,
    clients: logged.clients,
    askAnalyzers: (_, options) => createSourceAnalyzers(logonsIn, options),
  });
  return {
    analyzer,
    recorded: analyzer.demand,
    recording: analyzer.recording,
    health,
    start: async () => {
      log.info({ sources: first.embeddedAnalyzer.sources.length }, 'collecting from license managers');
      await analyzer.start();
      if (analyzer.url !== undefined) log.info({ address: analyzer.url }, 'embedded analyzer listening');
    },
    firstCollection: () => analyzer.collector.firstCollection(),
    reload: async (config) => {
      users = config.embeddedAnalyzer.users ?? [];
      await reload(config);
      log.info({ sources: config.embeddedAnalyzer.sources.length }, 'sources reloaded');
    },
    configOf: (config) => {
      if (config.analyzer !== undefined) throw new OperatorError(NEEDS_RESTART);
      // its history stays where it is
      const path = first.storage.path ?? config.storage.path;
      return { ...config, storage: { ...config.storage, path } };
    },
    stop: async () => {
      await stop();
      logged.end();
    },
  };
}
