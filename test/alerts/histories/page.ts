import { createExposition } from '../../../src/metrics/exposition.ts';
import { createSelfMetrics } from '../../../src/metrics/self.ts';
import { allCollectors } from '../../support/scenario.ts';
import { createInlineRendering } from '../../support/stored-answers.ts';
import type { Frame } from './frames.ts';
import { type History, timeOf } from './history.ts';
import { build, identityOfExporter, rightsizingOf } from './series.ts';
import { owners } from './site-owners.ts';

/** The samples on the page of metrics of a process, as the daemon renders it. */
export async function readPage(
  history: History,
  { minute, startedAt, inventory, authenticated, sources = [], forecasts }: Frame,
): Promise<readonly string[]> {
  const self = createSelfMetrics({
    ...build,
    demo: false,
    identity: () => identityOfExporter(history),
    now: () => timeOf(minute),
    shard: { index: 0, total: 1 },
    endpoints: [],
    sources: () => sources,
    alerting: () => undefined,
    receivers: () => [],
    web: () => ({ refused: {}, cut: {} }),
    upstream: () => ({
      authenticated,
      authRetryAt: 0,
      connectionsOpened: 0,
      roundTrips: 0,
      handshakes: 0,
      reauthentications: 0,
      rejectedLogons: 0,
      staleRetries: 0,
    }),
    recording: () => undefined,
    denials: () => [],
    stateWrites: () => [],
    processMetrics: false,
  });
  self.setReload(true, timeOf(startedAt));
  const isPolled = minute > startedAt;
  const exposition = createExposition({
    enabled: allCollectors,
    maxSeries: 500_000,
    self,
    features: createInlineRendering(owners),
    owners: () => owners,
    rightsizing: () => rightsizingOf(forecasts),
    latest: () => (isPolled ? inventory : undefined),
  });
  if (isPolled) await exposition.read(inventory);
  const { body, release } = await exposition.page({ accept: undefined, acceptEncoding: undefined, collect: [] });
  const text = Buffer.concat(Buffer.isBuffer(body) ? [body] : await Array.fromAsync<Uint8Array>(body)).toString();
  release();
  return text
    .replaceAll('+Inf', 'Infinity')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.endsWith(' NaN'));
}
