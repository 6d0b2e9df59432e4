import type { Analyzer } from '../analyzer/server.ts';
import type { Config } from '../config/config.ts';
import type { SourceHealth } from '../model/observation/source.ts';
import { createCollectingAnalyzer, type Ownership } from './embedded-analyzer.ts';
import { createSources } from './sources.ts';

/** An analyzer with the license managers that it collects from. */
export interface CollectingAnalyzer {
  readonly analyzer: Analyzer;
  health(): readonly SourceHealth[];
  /** Uses the sources of another configuration. Those that have not changed go on undisturbed. */
  reload(config: Config): Promise<void>;
  /** Resolves when no process of a source runs any more. */
  stop(): Promise<void>;
}

/** @throws OperatorError if a file that it needs cannot be used */
export function createCollecting(config: Config, own: Ownership): CollectingAnalyzer {
  const sources = createSources(config, own.clock.now, own.log);
  const analyzer = createCollectingAnalyzer(config, sources.sources(), own);
  return {
    analyzer,
    health: sources.health,
    reload: async (next) => {
      const replaced = sources.replace(next);
      analyzer.collector.replace(sources.sources());
      await replaced;
    },
    stop: async () => {
      // ends running collections; the analyzer then records what is complete
      await Promise.all([analyzer.stop(), sources.close()]);
    },
  };
}
