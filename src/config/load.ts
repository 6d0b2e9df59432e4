import { alertmanagersOf } from './alertmanager-files.ts';
import type { Config } from './config.ts';
import { Draft, type LoadOptions } from './draft.ts';
import { embeddedOf } from './embedded-files.ts';
import { ConfigError, inOrder } from './problems.ts';
import { checkRelations } from './relations.ts';
import { analyzerOf } from './upstream-analyzer.ts';
import { datasourceOf, webOf } from './web-files.ts';

/** How long polls are spread, seconds. */
const SPREAD = 10;

/**
 * Makes the configuration from flags, environment and file, in this order of precedence.
 *
 * @throws ConfigError with everything that is wrong
 */
export function loadConfig(options: LoadOptions): Config {
  const draft = new Draft(options);
  const analyzer = analyzerOf(draft);
  const embeddedAnalyzer = embeddedOf(draft);
  const web = webOf(draft);
  const datasource = datasourceOf(draft);
  const alertmanagers = alertmanagersOf(draft);
  checkRelations(draft);
  if (draft.problems.length > 0) throw new ConfigError(inOrder(draft.problems));

  const poll = draft.section('poll');
  const shard = draft.section('shard');
  const expiration = draft.section('expiration');
  return Object.freeze<Config>({
    analyzer,
    poll: {
      ...poll,
      startOffset: poll.startOffset === 'auto' ? (shard.index / shard.total) * SPREAD : poll.startOffset,
    },
    featuresRequest: draft.section('features').request,
    select: draft.section('select'),
    historyFeatures: draft.section('history').features,
    metrics: draft.section('metrics'),
    expirationSearch: expiration.search,
    permanentAfter: expiration.permanentAfter,
    storagePath: draft.pathOf('storage.path'),
    web,
    alerting: { ...draft.section('alerting'), alertmanagers },
    datasource,
    shard,
    log: draft.section('log'),
    embeddedAnalyzer,
    warnings: [...draft.warnings],
  });
}
