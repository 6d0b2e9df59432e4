import type { AppConfig } from '../app/pipeline.ts';
import type { Config } from '../config/config.ts';

/** Where the data comes from. */
export interface Upstream {
  /** @throws OperatorError if the configuration has another kind of upstream */
  appConfig(config: Config): AppConfig;
  reload(config: Config): Promise<void>;
  stop(): Promise<void>;
}

/** Why a reload cannot change the kind of upstream. */
export const NEEDS_RESTART =
  'an analyzer at analyzer.url and an embedded analyzer with sources cannot replace each other without a restart';
