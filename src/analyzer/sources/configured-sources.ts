import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { followTls } from '../../base/files/followed-tls.ts';
import type { Log } from '../../base/model/log.ts';
import type { SourceHealth } from '../../base/model/observation/source.ts';
import type { SourceProblem } from '../../base/model/observation/source-failure.ts';
import { giveToOwnerOf } from '../../base/storage/files.ts';
import { PSEUDONYM_KEY } from '../../base/storage/saved-files.ts';
import { setAside } from '../../base/storage/set-aside.ts';
import type { BlockedPeople } from '../blocked/blocked-people.ts';
import { createManagerSource, type ManagerSource } from './manager-source.ts';
import { managerNamed, managers } from './managers.ts';
import { createReader } from './reading/read-output.ts';
import { createReadingThread } from './reading/reading-thread.ts';
import type { SourceConfig, SourceSettings } from './source-settings.ts';
import { rootWarning } from './transport/tool-check.ts';
import { createFileHost, createTransportHost, type TransportHost } from './transport/transport-host.ts';

/** The license managers that the embedded analyzer collects from, by the configuration. */

/** What this program writes: base64url. */
const IS_KEY = /^[\w-]+\s*$/;
const LOST = 'users have other pseudonyms from now on; restore a backup to have the former ones';

/**
 * The key of the pseudonyms of license users. It is kept in the storage directory, so that a user has the same pseudonym
 * after a restart. A damaged file is set aside and gets a new key. Without a directory, and while the file cannot be used,
 * a key is made for this run: no name of a user is shown without one.
 */
export function pseudonymKeyIn(storagePath: string | undefined, log: Log): string {
  const fresh = randomBytes(32).toString('base64url');
  if (storagePath === undefined) return fresh;
  const path = join(storagePath, PSEUDONYM_KEY);
  try {
    return keptKey(path, fresh.length, log) ?? createKey(path, fresh);
  } catch (error) {
    const reason = (error as Error).message;
    const remedy = 'check the disk, and the owner and mode of storage.path';
    log.error({ file: path, reason, remedy }, 'users have other pseudonyms until the next start');
    return fresh;
  }
}

/** The key in the file; `undefined` without one. @throws NodeJS.ErrnoException if it cannot be read */
function keptKey(path: string, length: number, log: Log): string | undefined {
  try {
    const key = readFileSync(path, 'utf8');
    if (key.length >= length && IS_KEY.test(key)) return key;
    setAside({ path, reason: 'it is not a key', lost: LOST }, log);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') setAside({ path, reason: 'it is a directory', lost: LOST }, log);
    else if (code !== 'ENOENT') throw error;
  }
  return undefined;
}

function createKey(path: string, key: string): string {
  const directory = dirname(path);
  // `recursive` never returns if a parent cannot be created, for example in /proc
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o750 });
  // never over a file that could not be set aside
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' });
  giveToOwnerOf(directory, path);
  return key;
}

export interface SourceSet {
  /** In the order of the settings. A source whose settings have not changed stays the same object. */
  sources(): readonly ManagerSource[];
  health(): readonly SourceHealth[];
  /** Sources that are no longer there are closed once `sources` is no longer used. */
  replace(settings: readonly SourceSettings[]): Promise<void>;
  close(): Promise<void>;
}

/** Two settings with the same key mean the same source. */
const keyOf = (settings: SourceSettings): string =>
  JSON.stringify(settings, (_, value: unknown) => (value instanceof RegExp ? value.source : value));

/** The sources of a configuration, of which a reload keeps those that have not changed. */
export function createSourceSet(
  settings: readonly SourceSettings[],
  create: (settings: SourceSettings) => ManagerSource,
): SourceSet {
  let byKey = new Map(settings.map((one) => [keyOf(one), create(one)]));
  return {
    sources: () => [...byKey.values()],
    health: () => [...byKey.values()].map((source) => source.health()),
    replace: async (next) => {
      const before = byKey;
      byKey = new Map(next.map((one) => [keyOf(one), before.get(keyOf(one)) ?? create(one)]));
      const kept = new Set(byKey.values());
      await Promise.all([...before.values()].filter((source) => !kept.has(source)).map((source) => source.close()));
    },
    close: async () => {
      await Promise.all([...byKey.values()].map((source) => source.close()));
    },
  };
}

/** The settings of a source, with its secrets. */
export function settingsOf({ via, ...source }: SourceConfig, log: Log): SourceSettings {
  if (via?.kind !== 'http') return { ...source, via };
  return { ...source, via: { ...via, tls: followTls(via.tls, log) } };
}

/** What is wrong with the files of a source beside its output, as a reading finds it. @param now epoch seconds */
export async function checkSourceFiles(source: SourceConfig, now: () => number): Promise<readonly SourceProblem[]> {
  const { checkFiles } = await managers[managerNamed(source.manager)].code();
  return (await checkFiles?.({ ...source, via: undefined }, createFileHost(now))) ?? [];
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
  /** The people whom logs name; absent if nobody wants to know of them. */
  readonly people?: BlockedPeople | undefined;
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
  const { now, log, people } = sourcesHost;
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
      createManagerSource(settings, {
        reader: createReader(settings, host, thread, { people }),
        now,
        pseudonymKey,
        log,
      }),
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
