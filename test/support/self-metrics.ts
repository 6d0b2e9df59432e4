import { createSelfMetrics, type SelfMetrics, type SelfMetricsOptions } from '../../src/exporter/metrics/self.ts';
import { NOW } from './scenario.ts';

type Given = Partial<Omit<SelfMetricsOptions, 'upstream'>> & {
  readonly upstream?: Partial<ReturnType<SelfMetricsOptions['upstream']>>;
};

/** The metrics of an exporter about itself that does nothing, except for what is given. Those of the process are left out. */
export const selfMetricsOf = ({ upstream, ...given }: Given = {}): SelfMetrics =>
  createSelfMetrics({
    version: '',
    revision: '',
    nodeVersion: '',
    demo: false,
    identity: () => ({ analyzer: 'lic.example.com:8443', shard: '', externalUrl: 'http://monitor.example.com:10319' }),
    now: () => NOW,
    shard: { index: 0, total: 1 },
    sources: () => [],
    alerting: () => undefined,
    receivers: () => [],
    web: () => ({ refused: {}, cut: {} }),
    upstream: () => ({
      authenticated: undefined,
      authRetryAt: 0,
      connectionsOpened: 0,
      roundTrips: 0,
      handshakes: 0,
      reauthentications: 0,
      rejectedLogons: 0,
      staleRetries: 0,
      ...upstream,
    }),
    recording: () => undefined,
    denials: () => [],
    people: () => undefined,
    reclaimable: () => [],
    stateWrites: () => [],
    processMetrics: false,
    ...given,
  });
