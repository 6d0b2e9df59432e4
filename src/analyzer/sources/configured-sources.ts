import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followTls } from '../../base/files/followed-tls.ts';
import type { Log } from '../../base/model/log.ts';
import { createManagerSource } from './manager-source.ts';
import { pseudonymKeyIn } from './pseudonym-key.ts';
import { createReader } from './reading/read-output.ts';
import { createReadingThread } from './reading/reading-thread.ts';
import { createSourceSet, type SourceSet } from './source-set.ts';
import type { SourceConfig, SourceSettings } from './source-settings.ts';
import { rootWarning } from './transport/tool-check.ts';
import { createTransportHost, type TransportHost } from './transport/transport-host.ts';

/** The license managers that the embedded analyzer collects from, by the configuration. */

/** The settings of a source, with its secrets. */
export function settingsOf({ via, ...source }: SourceConfig, log: Log): SourceSettings {
  if (via?.kind !== 'http') return { ...source, via };
  return { ...source, via: { ...via, tls: followTls(via.tls, log) } };
}

/** What sources read of the configuration. */
export interface SourcesConfig {
  readonly embeddedAnalyzer: { readonly sources: readonly SourceConfig[] };
  readonly storage: { readonly path: string | undefined };
}

/** What sources need of others. */
export interface SourcesHost {
  /** Creates what asks other analyzers. Their logons are counted in the storage directory, if there is one. */
  readonly askAnalyzers: (
    storagePath: string | undefined,
    host: Pick<SourcesHost, 'now' | 'log'>,
  ) => { readonly transport: TransportHost['analyzer']; close(): void };
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The sources of a configuration, which a reload can replace. */
export interface ConfiguredSources extends Omit<SourceSet, 'replace'> {
  replace(config: SourcesConfig): Promise<void>;
}

/** What the transports of all sources share. @param isOnce for a command, whose user may not be that of the daemon */
export function createHost(
  { storage }: Pick<SourcesConfig, 'storage'>,
  { askAnalyzers, now, log }: SourcesHost,
  isOnce = false,
): TransportHost {
  const analyzers = askAnalyzers(storage.path, { now, log });
  const host = createTransportHost({
    // users of a host cannot share one below the folder for temporary files
    workFolder:
      storage.path === undefined || isOnce
        ? join(tmpdir(), `license-exporter-${process.getuid?.() ?? ''}`)
        : join(storage.path, 'work'),
    now,
    analyzer: analyzers.transport,
    onProblem: (reason) => log.warn({ reason }, 'sources are read less safely'),
  });
  return {
    ...host,
    close: () => {
      host.close();
      analyzers.close();
    },
  };
}

/** Creates the sources of this configuration, and what their transports share. */
export function createSources(config: SourcesConfig, sourcesHost: SourcesHost): ConfiguredSources {
  const { now, log } = sourcesHost;
  const { embeddedAnalyzer } = config;
  const { path: storagePath } = config.storage;
  const host = createHost(config, sourcesHost);
  const { sources } = embeddedAnalyzer;
  const asRoot = sources.some(({ via }) => via?.kind === 'command') ? rootWarning(process.getuid?.()) : undefined;
  if (asRoot !== undefined) log.warn({}, asRoot);
  const usesPseudonyms = (all: readonly SourceConfig[]): boolean =>
    all.some(({ users }) => users.names === 'pseudonym');
  let pseudonymKey = usesPseudonyms(sources) ? pseudonymKeyIn(storagePath, log) : '';
  const thread = createReadingThread();
  const set = createSourceSet(
    sources.map((source) => settingsOf(source, log)),
    (settings) =>
      createManagerSource(settings, { reader: createReader(settings, host, thread), now, pseudonymKey, log }),
  );
  return {
    sources: set.sources,
    health: set.health,
    replace: (changed) => {
      const next = changed.embeddedAnalyzer.sources;
      if (pseudonymKey === '' && usesPseudonyms(next)) pseudonymKey = pseudonymKeyIn(storagePath, log);
      return set.replace(next.map((source) => settingsOf(source, log)));
    },
    close: async () => {
      await set.close();
      await thread.close();
      host.close();
    },
  };
}
