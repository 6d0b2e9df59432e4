import type { Log } from '../base/model/log.ts';
import type { OwnerMapping } from '../base/model/owners.ts';
import { limitRepeats } from '../base/model/repeat-log.ts';
import type { Snapshot } from '../base/model/snapshot.ts';
import { type AnalyzerConfig, analyzer as analyzerSection } from '../base/settings/analyzer.ts';
import { sectionDefaults } from '../base/settings/table.ts';
import type { StateWrites } from '../base/storage/file-writes.ts';
import type { Connection, ConnectionListeners, Logons } from './client/analyzer-connection.ts';
import { analyzerIdentity, type Identified } from './client/identity.ts';
import { createQueryClient, type QueryClient } from './client/query-client.ts';
import { CurrentInventory } from './inventory/current.ts';
import { AskedDecoder } from './inventory/decoding/asked-decoder.ts';
import type { Answers } from './inventory/decoding/decode.ts';
import { createPolledDecoder } from './inventory/decoding/polled-decoder.ts';
import { createFieldContract, type FieldContract, type KeptContract } from './inventory/field-contract.ts';
import { createFieldFile } from './inventory/field-file.ts';
import { createSelection, type Selection } from './inventory/selection.ts';
import type { ExpirationSection, SelectSection } from './inventory/settings.ts';
import { createExposition, type Exposition, type ExpositionOptions } from './metrics/exposition.ts';
import type { SelfMetrics } from './metrics/self.ts';
import type { MetricsSection } from './metrics/settings.ts';
import { createPoller, type Poller } from './poll/poller.ts';
import type { PollingConfig } from './poll/settings.ts';

/** Wires the exporter: from the client of the analyzer to the page of metrics. */

/** What the exporter reads of the configuration. */
export interface ExporterConfig extends Identified, Pick<PollingConfig, 'poll' | 'features' | 'history'> {
  /** The analyzer to poll; `undefined` if it is in this process. */
  readonly analyzer: AnalyzerConfig | undefined;
  readonly select: SelectSection;
  readonly metrics: MetricsSection;
  readonly expiration: ExpirationSection;
  readonly storage: { readonly path: string | undefined };
}

/** What the exporter needs of others. */
export interface ExporterNeighbors {
  readonly connect: (listeners: ConnectionListeners) => Connection;
  readonly self: SelfMetrics;
  /** Who acts on a vendor license or a feature. It can change at any time; the inventory must be committed again then. */
  readonly owners: () => OwnerMapping;
  /** Which features are saturated. */
  readonly isSaturated: ExpositionOptions['isSaturated'];
  /** The advice for the page; `undefined` before the first pass. */
  readonly rightsizing: ExpositionOptions['rightsizing'];
  /** What an earlier exporter of this process left. */
  readonly carried: { readonly data: Snapshot; readonly fields: KeptContract } | undefined;
  /** How writing the state files goes. */
  readonly writes: StateWrites;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** What others read of the exporter. */
export interface Exporter {
  readonly logons: Logons | undefined;
  /** Asks the analyzer for what is not polled. */
  readonly asked: QueryClient<Answers>;
  /** Requests to the analyzer that are sent at once. */
  readonly concurrency: number;
  readonly selection: Selection;
  readonly inventory: CurrentInventory;
  readonly exposition: Exposition;
  readonly poller: Poller;
  /** Which fields the answers have. */
  readonly fieldContract: FieldContract;
  stop(): Promise<void>;
}

/** Nothing runs yet: the poller starts all of it. */
export function createExporter(config: ExporterConfig, neighbors: ExporterNeighbors): Exporter {
  const { self, carried, now, log } = neighbors;
  const analyzer = config.analyzer ?? sectionDefaults(analyzerSection);
  const limitedLog = limitRepeats(log);
  const selection = createSelection({ shard: config.shard, ...config.select });

  const { transport, logons } = neighbors.connect({
    observe: self.observeRequest,
    onRecovered: () => poller.retryFailed(),
  });
  const { permanentAfter } = config.expiration;
  const askedDecoder = new AskedDecoder({ permanentAfter, maxResponseSize: analyzer.maxResponseSize });
  const polledDecoder = createPolledDecoder({ permanentAfter, whole: askedDecoder });

  const fieldFile = createFieldFile(config.storage.path, analyzerIdentity(config).analyzer, neighbors);
  const fieldContract = createFieldContract({
    absent: analyzer.absentFields,
    isOwnAnalyzer: () => transport.isOwnAnalyzer,
    kept: () => carried?.fields ?? fieldFile.load(),
    now,
    log,
    onChange: fieldFile.save,
  });
  const inventory = new CurrentInventory({
    policy: { ...selection, usageWhenNotCurrent: config.metrics.usageWhenNotCurrent },
    fields: fieldContract.states,
    now,
    onProblem: (reader, error) => limitedLog.error({ reader, err: error }, 'the inventory could not be used'),
  });
  const exposition = createExposition({
    metrics: config.metrics,
    self,
    owners: neighbors.owners,
    isSaturated: neighbors.isSaturated,
    rightsizing: neighbors.rightsizing,
    latest: () => inventory.latest(),
    isOutdated: (shown) => inventory.isOutdated(shown),
    renew: () => inventory.renew(),
  });
  const poller = createPoller({
    client: createQueryClient(transport, polledDecoder),
    config: { ...config, analyzer },
    selection,
    now,
    clockAhead: () => transport.clockAhead,
    log,
    onCommit: (snapshot) => {
      fieldContract.observe(snapshot);
      void inventory.commit(snapshot);
    },
    ...(carried !== undefined && { initial: carried.data }),
  });
  inventory.subscribe(exposition);

  return {
    logons,
    asked: createQueryClient<Answers>(transport, askedDecoder),
    concurrency: analyzer.concurrency,
    selection,
    inventory,
    exposition,
    poller,
    fieldContract,
    stop: async () => {
      inventory.stop();
      await polledDecoder.close();
      await askedDecoder.close();
      await transport.close();
      await fieldFile.settled();
    },
  };
}
