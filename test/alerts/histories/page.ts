import type { AlertEngine } from '../../../src/alerts/engine.ts';
import { createExposition } from '../../../src/metrics/exposition.ts';
import { allCollectors } from '../../support/scenario.ts';
import { selfMetricsOf } from '../../support/self-metrics.ts';
import { createInlineRendering } from '../../support/stored-answers.ts';
import type { Frame } from './frames.ts';
import type { History, Replica } from './history.ts';
import { build, identityOfExporter, statementsOf } from './series.ts';
import { ownersAt } from './site-owners.ts';

/** The samples on the page of metrics of a process, as the daemon renders it. */
export async function readPage(
  history: History,
  { tick, now, replica, inventory, authenticated, sources = [] }: Frame,
  engine: AlertEngine,
): Promise<readonly string[]> {
  const described = history.replicas[replica] as Replica;
  const owners = ownersAt(history, tick);
  const self = selfMetricsOf({
    ...build,
    identity: () => identityOfExporter(history, described),
    now: () => now,
    shard: described.shard,
    sources: () => sources,
    upstream: { authenticated },
  });
  const exposition = createExposition({
    enabled: allCollectors,
    maxSeries: 500_000,
    self,
    features: createInlineRendering(owners),
    owners: () => owners,
    rightsizing: () => undefined,
    latest: () => inventory,
  });
  exposition.showAlerts(() => statementsOf(history, described, engine));
  if (inventory !== undefined) await exposition.read(inventory);
  const { body, release } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
  const text = Buffer.concat(Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body)).toString();
  release();
  return text
    .replaceAll('+Inf', 'Infinity')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.endsWith(' NaN'));
}
