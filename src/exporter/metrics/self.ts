import { Counter, Gauge, Summary } from 'prom-client';
import type { FailureKind } from '../../base/model/failure.ts';
import type { RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { endpointNames } from '../../base/query-api/endpoints.ts';
import { type AlertingState, exposeAlerting } from './alerting.ts';
import type { MetricName } from './catalogue.ts';
import {
  type DeniedRequests,
  exposeIdentity,
  exposeMessages,
  exposeRecording,
  exposeSources,
  type Identity,
  type LabelledValues,
  type PeopleMetrics,
  type ReceiverState,
  type StateWrites,
} from './own-state.ts';
import { configurationOf, createRegistry, exposeIn, renderRegistry } from './registry.ts';

/** The state of the logons at the analyzer, read at each scrape. */
export interface UpstreamState {
  /** Whether the last verdict on a logon was good; `undefined` before the first. */
  readonly authenticated: boolean | undefined;
  /** No logon is sent before this time, epoch seconds; 0 if one can be sent now. */
  readonly authRetryAt: number;
  readonly connectionsOpened: number;
  readonly roundTrips: number;
  readonly handshakes: number;
  readonly reauthentications: number;
  readonly rejectedLogons: number;
  readonly staleRetries: number;
}

/** How often limits of the listener took effect, by reason. */
interface WebState {
  readonly refused: Readonly<Record<string, number>>;
  readonly cut: Readonly<Record<string, number>>;
}

/** What the metrics of the exporter about itself are read from. */
export interface SelfMetricsOptions {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
  readonly demo: boolean;
  /** It can change at a reload. */
  readonly identity: () => Identity;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly shard: { readonly index: number; readonly total: number };
  /** `undefined` where nobody logs on: these metrics are then absent. */
  readonly upstream: () => UpstreamState | undefined;
  readonly web: () => WebState;
  /** Undefined while the alert engine is off; it then has no metrics. */
  readonly alerting: () => AlertingState | undefined;
  /** Receivers of messages about alerts. */
  readonly receivers: () => readonly ReceiverState[];
  /** Sources of an embedded analyzer in this process; none without one. */
  readonly sources: () => readonly SourceHealth[];
  /** The history that an analyzer in this process records; `undefined` without one. */
  readonly recording: () => RecordingHealth | undefined;
  /** Requests that sources of that analyzer reported as denied. */
  readonly denials: () => Iterable<DeniedRequests>;
  /** The people whom those sources name. */
  readonly people: () => PeopleMetrics | undefined;
  /** Licenses that could come back to them. */
  readonly reclaimable: () => LabelledValues;
  /** Files that are saved again and again. */
  readonly stateWrites: () => readonly StateWrites[];
  /** Whether to include metrics of the process. Tests that compare whole pages leave them out. */
  readonly processMetrics: boolean;
}

/** The metrics of the exporter about itself. */
export interface SelfMetrics {
  observeRequest(request: { endpoint: string; seconds: number; bytes: number; failure?: FailureKind }): void;
  /** @param at epoch seconds */
  setReload(successful: boolean, at: number): void;
  /** Whether the last reload was refused. */
  isReloadRefused(): boolean;
  setSeries(count: number, limitExceeded: boolean): void;
  render(format: 'text' | 'openmetrics'): Promise<string>;
  /** Increases when something changes that every later page must show: a reload or a failed request. */
  changes(): number;
}

/** The exporter's own metrics, in a separate registry without data of the API. */
export function createSelfMetrics(options: SelfMetricsOptions): SelfMetrics {
  const registry = createRegistry(options.processMetrics);
  const configuration = configurationOf(registry);
  const expose = exposeIn(registry);
  const show = (name: MetricName, read: () => number | undefined): void => expose(name, () => [[{}, read()]]);
  const showReasons = (name: MetricName, read: () => Readonly<Record<string, number>>): void =>
    expose(name, () => Object.entries(read()).map(([reason, count]) => [{ reason }, count]));
  const gauge = (name: MetricName): Gauge => new Gauge(configuration(name));
  const { version, revision, nodeVersion, demo, shard, upstream, web } = options;
  gauge('license_exporter_build_info').set({ version, revision, node_version: nodeVersion }, 1);
  exposeIdentity(expose, options.identity);
  show('license_exporter_time_seconds', options.now);
  gauge('license_exporter_demo').set(Number(demo));
  gauge('license_exporter_shard_index').set(shard.index);
  gauge('license_exporter_shards').set(shard.total);
  const ofLogons: readonly (readonly [MetricName, (state: UpstreamState) => number | undefined])[] = [
    [
      'license_upstream_authenticated',
      ({ authenticated }) => (authenticated === undefined ? undefined : Number(authenticated)),
    ],
    ['license_upstream_auth_retry_timestamp_seconds', ({ authRetryAt }) => authRetryAt],
    ['license_exporter_upstream_connections_opened_total', ({ connectionsOpened }) => connectionsOpened],
    ['license_exporter_upstream_round_trips_total', ({ roundTrips }) => roundTrips],
    ['license_exporter_upstream_handshakes_total', ({ handshakes }) => handshakes],
    ['license_exporter_upstream_reauthentications_total', ({ reauthentications }) => reauthentications],
    ['license_exporter_upstream_rejected_logons_total', ({ rejectedLogons }) => rejectedLogons],
    ['license_exporter_upstream_stale_retries_total', ({ staleRetries }) => staleRetries],
  ];
  for (const [name, read] of ofLogons) {
    show(name, () => {
      const state = upstream();
      return state && read(state);
    });
  }
  showReasons('license_exporter_http_requests_refused_total', () => web().refused);
  showReasons('license_exporter_http_connections_cut_total', () => web().cut);

  exposeAlerting(expose, options.alerting);
  exposeMessages(expose, options.receivers);
  exposeSources(expose, options.sources);
  exposeRecording(expose, options.recording);
  expose('license_feature_denials_total', () =>
    Iterator.from(options.denials()).map(({ labels, count }) => [labels, count]),
  );
  expose('license_people_blocked', () => options.people()?.now ?? []);
  expose('license_blocked_episodes_total', () => options.people()?.episodes ?? []);
  expose('license_blocked_seconds_total', () => options.people()?.seconds ?? []);
  expose('license_reclaimable_licenses', options.reclaimable);
  expose('license_exporter_state_write_errors_total', () =>
    options.stateWrites().map(({ file, errors }) => [{ file }, errors()]),
  );

  const requests = new Counter(configuration('license_exporter_upstream_requests_total'));
  const failures = new Counter(configuration('license_exporter_upstream_request_failures_total'));
  const bytes = new Counter(configuration('license_exporter_upstream_response_bytes_total'));
  const durations = new Summary({
    ...configuration('license_exporter_upstream_request_duration_seconds'),
    percentiles: [],
  });
  for (const endpoint of endpointNames) requests.inc({ endpoint }, 0);
  const series = gauge('license_exporter_series');
  const limitExceeded = gauge('license_exporter_series_limit_exceeded');
  const reloadSuccessful = gauge('license_exporter_config_last_reload_successful');
  const reloadedAt = gauge('license_exporter_config_last_reload_success_timestamp_seconds');

  let changes = 0;
  let isRefused = false;
  return {
    changes: () => changes,
    observeRequest: ({ endpoint, seconds, bytes: received, failure }) => {
      requests.inc({ endpoint });
      bytes.inc({ endpoint }, received);
      durations.observe({ endpoint }, seconds);
      if (failure === undefined) return;
      failures.inc({ endpoint, reason: failure });
      changes += 1;
    },
    setReload: (successful, at) => {
      reloadSuccessful.set(Number(successful));
      if (successful) reloadedAt.set(at);
      isRefused = !successful;
      changes += 1;
    },
    isReloadRefused: () => isRefused,
    setSeries: (count, exceeded) => {
      series.set(count);
      limitExceeded.set(Number(exceeded));
    },
    render: (format) => renderRegistry(registry, format),
  };
}
