import type { AnswerQuestion } from '../../analyzer/server/query-answers.ts';
import type { Log } from '../../base/model/log.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { AnalyzerConfig } from '../../base/settings/analyzer.ts';
import type { Config } from '../config/config.ts';

/** What doctor examines: the analyzer that is configured, that of the demo, or the license managers of this process. */

interface CommonSite {
  readonly config: Config;
  readonly sources: readonly SourceHealth[];
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly version: string;
}

/** An analyzer that requires a logon. */
export interface AnalyzerSite extends CommonSite {
  /** `demo`: the simulated one, beside which nothing is configured. */
  readonly kind: 'remote' | 'demo';
  readonly analyzer: AnalyzerConfig;
  /** The directory whose count of logons is shared with the daemon. */
  readonly storagePath: string | undefined;
}

/** License managers, from which this process collects. */
export interface OwnSite extends CommonSite {
  readonly kind: 'own';
  readonly answer: AnswerQuestion;
}

export type Site = AnalyzerSite | OwnSite;
