import type { Config } from '../config/config.ts';

/** Where the data comes from. */
export interface Upstream {
  /** What the exporter uses of a configuration. @throws OperatorError if it has another kind of upstream */
  configOf(config: Config): Config;
  reload(config: Config): Promise<void>;
  stop(): Promise<void>;
}

/** Why a reload cannot change the kind of upstream. */
export const NEEDS_RESTART =
  'an analyzer at analyzer.url and an embedded analyzer with sources cannot replace each other without a restart';
