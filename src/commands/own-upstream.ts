import type { RecordedDemand } from '../analyzer/recorded-demand.ts';
import { type CollectingAnalyzer, createCollecting } from '../app/embedded-analyzer.ts';
import { createOwnAnalyzer, type OwnAnalyzer } from '../app/own-analyzer.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../model/log.ts';
import type { RecordingHealth } from '../model/observation/recording.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Clock } from '../scheduling/clock.ts';
import { NEEDS_RESTART, type Upstream } from './upstream.ts';

/** The license managers that an analyzer in this process collects from. */
export interface OwnUpstream extends Upstream, Pick<CollectingAnalyzer, 'health'> {
  readonly recorded: RecordedDemand;
  readonly recording: () => RecordingHealth;
  start(): Promise<void>;
  /** Resolves when every source has been read once, however long that takes. */
  firstCollection(): Promise<void>;
}

/** Collects from the license managers of this configuration. It is loaded only where there are some. */
export function ownUpstream(first: Config, clock: Clock, log: Log, version: string): OwnUpstream {
  let users = first.embeddedAnalyzer.users ?? [];
  let collecting: CollectingAnalyzer | undefined;
  const own: OwnAnalyzer = createOwnAnalyzer(first, { clock, log, version, others: () => users }, (options) => {
    collecting = createCollecting(first, options);
    return collecting.analyzer;
  });
  return {
    recorded: own.analyzer.demand,
    recording: own.analyzer.recording,
    health: () => collecting?.health() ?? [],
    start: async () => {
      log.info({ sources: first.embeddedAnalyzer.sources.length }, 'collecting from license managers');
      await own.analyzer.start();
      log.info({ address: own.analyzer.url }, 'embedded analyzer listening');
    },
    firstCollection: () => own.analyzer.collector.firstCollection(),
    reload: async (config) => {
      users = config.embeddedAnalyzer.users ?? [];
      await collecting?.reload(config);
      log.info({ sources: config.embeddedAnalyzer.sources.length }, 'sources reloaded');
    },
    appConfig: (config) => {
      if (config.analyzer !== undefined) throw new OperatorError(NEEDS_RESTART);
      // its history stays where it is
      const storagePath = first.storagePath ?? config.storagePath;
      return { ...config, storagePath, analyzer: own.config() };
    },
    stop: async () => {
      await collecting?.stop();
    },
  };
}
