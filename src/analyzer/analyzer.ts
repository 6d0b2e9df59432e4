import { uptime } from 'node:os';
import { join } from 'node:path';
import { createLocalTime } from '../base/model/local-time.ts';
import type { Log } from '../base/model/log.ts';
import type { Source, SourceHealth } from '../base/model/observation/source.ts';
import { errorFields } from '../base/model/operator-error.ts';
import type { Clock } from '../base/scheduling/clock.ts';
import { HISTORY_FILE } from '../base/storage/saved-files.ts';
import { setAside } from '../base/storage/set-aside.ts';
import { createArchiving } from './archive/archiving.ts';
import { BlockedPeople, type BlockedPeopleOptions } from './blocked/blocked-people.ts';
import { StoreError } from './history/history-file.ts';
import { IMPORT_FOLDER } from './history/staged-import.ts';
import type { ListenerOptions } from './server/http-front.ts';
import { type Analyzer, type AnalyzerOptions, createAnalyzer } from './server/server.ts';
import { type EmbeddedConfig, keptDays, type OwnConfig } from './settings.ts';
import { createSimulatedSite } from './simulated/simulated-site.ts';
import { createSources, type SourcesHost } from './sources/configured-sources.ts';

/** Maximum size of history in memory, bytes. */
const MAX_MEMORY = 2 ** 30;
/** By then, an exporter in the same process has polled. */
const PAST_DELAY = 2;
const LOST_HISTORY = 'the history up to now is in the renamed file only; restore a backup to have it back';
const HISTORY_PROBLEM = 'the embedded analyzer cannot use its history, only the live endpoints work';
/** How long one server of a simulated site has been down when it starts, seconds: longer than until it is listed as down. */
const DOWN_BEFORE_START = 40 * 60;
/** What real figures are of. Sources come and go, so their names are no part of it. */
export const LICENSE_MANAGERS = 'license managers';

/** What the owner of an analyzer decides. */
export interface Ownership extends Pick<AnalyzerOptions, 'version'> {
  /** Who may log on where it listens, and who is told about requests; `undefined` if it must not listen. */
  readonly clients: Pick<ListenerOptions, 'gate' | 'onRequest'> | undefined;
  /** Of this process. Who owns it lets it follow the clock of the host. */
  readonly clock: Clock;
  readonly log: Log;
}

function listenerOf(
  { listen, tls, limits }: EmbeddedConfig,
  clients: Ownership['clients'],
): ListenerOptions | undefined {
  if (listen === undefined || clients === undefined) return undefined;
  return {
    ...clients,
    host: listen.host,
    port: listen.port,
    ...(tls !== undefined && { tls: { cert: tls.cert, key: tls.key.reveal() } }),
    limits,
  };
}

function optionsOf(
  config: OwnConfig,
  { log, clock, version, clients }: Ownership,
): Omit<AnalyzerOptions, 'origin' | 'sources'> {
  const { embeddedAnalyzer: settings, storage } = config;
  const { timeZone } = settings;
  return {
    version,
    listener: listenerOf(settings, clients),
    history: {
      path: storage.path === undefined ? undefined : join(storage.path, HISTORY_FILE),
      timeZone,
      sampleDays: keptDays(settings.retention.samples),
      days: keptDays(settings.retention.history),
      maxSize: storage.path === undefined ? Math.min(settings.storeMaxSize, MAX_MEMORY) : settings.storeMaxSize,
    },
    now: clock.now,
    onClockMoved: clock.onMoved,
    onProblem: (error) => {
      if (error instanceof StoreError) log.error({ reason: error.message }, HISTORY_PROBLEM);
      else log.error(errorFields(error), 'the embedded analyzer has a problem');
    },
    onRecovery: (failures) => log.info({ failures }, 'the embedded analyzer records history again'),
    archive: storage.archive && createArchiving(storage.archive, { log, clock, version }),
    setAside: (path, reason) => setAside({ path, reason, lost: LOST_HISTORY }, log) !== undefined,
  };
}

/** History in memory begins on a day on which people work. That of a file goes on, so it has the week of the calendar. */
const openingOf = ({ storage, embeddedAnalyzer }: OwnConfig, at: number): number | undefined =>
  storage.path === undefined ? createLocalTime(embeddedAnalyzer.timeZone).dayOf(at) : undefined;

function simulatedSiteOf(
  config: Pick<OwnConfig, 'embeddedAnalyzer'>,
  now: () => number,
  { opening, people }: { readonly opening?: number | undefined; readonly people?: BlockedPeople | undefined } = {},
): ReturnType<typeof createSimulatedSite> {
  const { seed, vendorLicenses, features, timeZone, collectionInterval, historyDays, knowledge } =
    config.embeddedAnalyzer;
  return createSimulatedSite({
    seed,
    vendorLicenses,
    featuresPerVendorLicense: features,
    timeZone,
    now,
    interval: collectionInterval,
    historyDays,
    knowledge,
    downSince: now() - DOWN_BEFORE_START,
    ...(opening !== undefined && { opening }),
    people,
  });
}

/** Undefined if nobody may know of them. */
function createPeople(
  { people, embeddedAnalyzer }: OwnConfig,
  { clock }: Ownership,
  current: BlockedPeopleOptions['current'],
): BlockedPeople | undefined {
  if (!people) return undefined;
  const { dayOf } = createLocalTime(embeddedAnalyzer.timeZone);
  return new BlockedPeople({ now: clock.now, elapsed: uptime, dayOf, current });
}

/** What the history of this configuration is of: license managers, or a simulated site. */
export const originOf = (config: Pick<OwnConfig, 'embeddedAnalyzer'>): string =>
  config.embeddedAnalyzer.sources.length > 0 ? LICENSE_MANAGERS : simulatedSiteOf(config, () => 0).origin;

/** The configured embedded analyzer on a simulated site. */
export function createSimulatedAnalyzer(config: OwnConfig, own: Ownership): Analyzer {
  const people = createPeople(config, own, () => analyzer.collector.current());
  const site = simulatedSiteOf(config, own.clock.now, { opening: openingOf(config, own.clock.now()), people });
  const analyzer = createAnalyzer({
    ...optionsOf(config, own),
    origin: site.origin,
    sources: [site],
    lastSeen: site.lastSeen(),
    past: site.past,
    pastDelay: PAST_DELAY,
    ...(people !== undefined && { people }),
  });
  return analyzer;
}

/** The configured embedded analyzer on license managers. */
function createCollectingAnalyzer(
  config: OwnConfig,
  { sources, people }: { readonly sources: readonly Source[]; readonly people: BlockedPeople | undefined },
  own: Ownership,
): Analyzer {
  const { path: storagePath } = config.storage;
  return createAnalyzer({
    ...optionsOf(config, own),
    origin: LICENSE_MANAGERS,
    isOriginRequired: true,
    sources,
    ...(people !== undefined && { people }),
    importFolder: storagePath && join(storagePath, IMPORT_FOLDER),
    onTakenUp: ({ form, name, series, days }) =>
      own.log.info({ form, name, series, days }, 'imported history is in use now'),
  });
}

/** An analyzer with the license managers that it collects from. */
export interface CollectingAnalyzer {
  readonly analyzer: Analyzer;
  health(): readonly SourceHealth[];
  /** Uses the sources of another configuration. Those that have not changed go on undisturbed. */
  reload(config: OwnConfig): Promise<void>;
  /** Resolves when no process of a source runs any more. */
  stop(): Promise<void>;
}

/** @throws OperatorError if a file that it needs cannot be used */
export function createCollecting(
  config: OwnConfig,
  own: Ownership & Pick<SourcesHost, 'askAnalyzers'>,
): CollectingAnalyzer {
  const { now } = own.clock;
  const people = createPeople(config, own, () => analyzer.collector.current());
  const sources = createSources(config, { ...own, now, people });
  const analyzer = createCollectingAnalyzer(config, { sources: sources.sources(), people }, own);
  return {
    analyzer,
    health: () =>
      sources.health().map((health) => {
        const nextReadAt = analyzer.collector.nextOf(health.name);
        return nextReadAt === undefined ? health : { ...health, nextReadAt };
      }),
    reload: async (next) => {
      const replaced = sources.replace(next);
      analyzer.collector.replace(sources.sources());
      await replaced;
    },
    stop: async () => {
      // ends running collections; the analyzer then records what is complete
      await Promise.all([analyzer.stop(), sources.close()]);
    },
  };
}
