import type { ArchiveHealth, RecordingHealth } from '../../base/model/observation/recording.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import { parseVendorLicense } from '../../base/model/vendor-license.ts';
import type { MetricName } from './catalogue.ts';
import type { Expose } from './registry.ts';

/** Failed attempts to save one file. */
export interface StateWrites {
  readonly file: string;
  errors(): number;
}

/** Whether the last attempt to use the archive succeeded; unknown before the first one. */
function isUp(archive: ArchiveHealth | undefined): number | undefined {
  if (archive === undefined) return undefined;
  if (archive.problem !== undefined) return 0;
  return archive.lastSuccessAt === undefined ? undefined : 1;
}

/** Registers the metrics of the history. They have no samples without an analyzer in this process. */
export function exposeRecording(expose: Expose, recording: () => RecordingHealth | undefined): void {
  const show = (name: MetricName, read: (health: RecordingHealth) => number | undefined): void =>
    expose(name, () => {
      const health = recording();
      const value = health && read(health);
      // a store without a limit has none to show
      return [[{}, Number.isFinite(value) ? value : undefined]];
    });
  show('license_history_recording_start_timestamp_seconds', ({ since }) => since);
  show('license_history_last_sample_timestamp_seconds', ({ lastRecordedAt }) => lastRecordedAt);
  show('license_history_sample_interval_seconds', ({ interval }) => interval);
  show('license_history_store_size_bytes', ({ size }) => size);
  show('license_history_store_limit_bytes', ({ maxSize }) => maxSize);
  show('license_history_free_bytes', ({ free }) => free);
  show('license_history_write_errors_total', ({ errors }) => errors);
  show('license_history_archive_up', ({ archive }) => isUp(archive));
  show('license_history_archive_last_success_timestamp_seconds', ({ archive }) => archive?.lastSuccessAt);
  show('license_history_archive_waiting_days', ({ archive }) => archive?.waiting);
}

/** Requests that were denied for one cause, since the start. */
export interface DeniedRequests {
  /** With the labels of its metric. */
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

/** The people who wait for licenses, and the waits since the start, with the labels of their metrics. */
export interface PeopleMetrics {
  readonly now: LabelledValues;
  readonly episodes: LabelledValues;
  readonly seconds: LabelledValues;
}

/** Samples of one metric. */
export type LabelledValues = Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>;

/** What one receiver has got. */
export interface SentCounts {
  readonly sent: number;
  readonly errors: number;
  readonly dropped: number;
  /** Epoch seconds. */
  readonly lastSuccess: number | undefined;
}

/** How messages reach one receiver, read at each scrape. */
export interface ReceiverState {
  readonly receiver: string;
  readonly waiting: number;
  readonly counts: SentCounts;
}

/** Registers the metrics of messages by e-mail and webhook. They have no samples without receivers. */
export function exposeMessages(expose: Expose, receivers: () => readonly ReceiverState[]): void {
  const show = (name: MetricName, read: (state: ReceiverState) => number | undefined): void =>
    expose(name, () => receivers().map((state) => [{ receiver: state.receiver }, read(state)]));
  show('license_exporter_messages_sent_total', ({ counts }) => counts.sent);
  show('license_exporter_messages_errors_total', ({ counts }) => counts.errors);
  show('license_exporter_messages_dropped_total', ({ counts }) => counts.dropped);
  show('license_exporter_messages_waiting', ({ waiting }) => waiting);
  show('license_exporter_messages_last_success_timestamp_seconds', ({ counts }) => counts.lastSuccess);
}

/** Who is monitored, and by whom. */
export interface Identity {
  /** The label `analyzer` of alerts. */
  readonly analyzer: string;
  /** The shard that is monitored; empty with a single shard. */
  readonly shard: string;
  /** The URL of this daemon for users. */
  readonly externalUrl: string;
}

/** Registers the metric that rules for Prometheus get the labels of their alerts from. */
export function exposeIdentity(expose: Expose, identity: () => Identity): void {
  expose('license_exporter_analyzer_info', () => {
    const { analyzer, shard, externalUrl } = identity();
    return [[{ analyzer, shard, external_url: externalUrl }, 1]];
  });
}

/** Samples of one source, with the labels that they have beside its own. */
type Read = (
  health: SourceHealth,
) => readonly (readonly [more: Readonly<Record<string, string>>, value: number | undefined])[];

const known = (up: boolean | undefined): number | undefined => (up === undefined ? undefined : Number(up));

/** Registers the metrics of sources. They have no samples without sources. */
export function exposeSources(expose: Expose, sources: () => readonly SourceHealth[]): void {
  const show = (name: MetricName, read: Read): void =>
    expose(name, () =>
      sources().flatMap((health) => {
        const { name: source, manager } = health;
        return read(health).map(([more, value]) => [{ source, manager, ...more }, value] as const);
      }),
    );
  show('license_source_up', ({ up }) => [[{}, known(up)]]);
  show('license_source_member_up', ({ members }) => members.map(({ server, up }) => [{ server }, known(up)]));
  show('license_source_failed_readings', ({ failedReadings }) => [[{}, failedReadings]]);
  show('license_source_vendor_license_info', ({ vendorLicenses }) =>
    // one with several third parts is one vendor license
    vendorLicenses.map((name) => [{ vendor_license: parseVendorLicense(name).vendorLicense }, 1]),
  );
  show('license_source_last_success_timestamp_seconds', ({ lastSuccessAt }) => [[{}, lastSuccessAt]]);
  show('license_source_duration_seconds', ({ duration }) => [[{}, duration]]);
  show('license_source_unparsed_lines', ({ lastDiagnostics }) => [[{}, lastDiagnostics?.unparsed]]);
  show('license_source_contradictions_total', ({ contradictions }) => [[{}, contradictions]]);
  show('license_source_runs_total', ({ runs }) => [...runs].map(([result, count]) => [{ result }, count]));
}
