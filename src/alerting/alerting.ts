import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Alertmanager, createAlertmanager } from './alerts/alertmanager.ts';
import { createCounts, type DeliveryCounts } from './alerts/delivery.ts';
import { AlertEngine, type EngineOptions } from './alerts/engine.ts';
import { createListedFile } from './alerts/listed-file.ts';
import type { AlertmanagerConfig } from './alerts/settings.ts';
import { createStateFile } from './alerts/state-file.ts';
import { followTls } from '../base/files/followed-tls.ts';
import { readPasswordFile } from '../base/files/named-files.ts';
import type { Log } from '../base/model/log.ts';
import type { StateWrites } from '../base/storage/file-writes.ts';
import { stateFiles } from '../base/storage/saved-files.ts';
import { stampOf } from '../base/storage/stamp.ts';
import type { Config } from '../program/config/config.ts';
import { analyzerIdentity, namesOfSaved } from '../exporter/client/identity.ts';

/** Creates the clients of the Alertmanagers from the configuration, for the daemon and for `test-alert`. */

const { alerts: STATE_FILE, listed: LISTED_FILE } = stateFiles;

/** The Authorization header. Its file is read each time. If that fails, the last good content is used. */
export function authorizationOf(
  { basicAuth, authorization }: Pick<AlertmanagerConfig, 'basicAuth' | 'authorization'>,
  log: Log,
): () => string | undefined {
  const file = basicAuth?.passwordFile ?? authorization?.credentialsFile;
  if (file === undefined) return () => undefined;
  let secret = '';
  return () => {
    try {
      secret = readPasswordFile(file).reveal();
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'password for alerts cannot be used, the last one is kept');
    }
    if (authorization !== undefined) return `${authorization.type} ${secret.trim()}`;
    return `Basic ${Buffer.from(`${basicAuth?.username}:${secret}`).toString('base64')}`;
  };
}

/** @param now the clock of the times that are sent, epoch seconds */
export function createAlertmanagers(
  { alerting }: Config,
  version: string,
  now: () => number,
  log: Log,
): readonly Alertmanager[] {
  return alerting.alertmanagers.map((config) =>
    createAlertmanager({
      url: config.url,
      now,
      timeout: config.timeout,
      authorization: authorizationOf(config, log),
      tls: followTls(config.tls, log),
      userAgent: `license-exporter/${version}`,
    }),
  );
}

/** Addresses that mean every address of the host. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The URL of the daemon for users: as configured, else from the first listen address, else from the host name. */
export function externalUrl({ web }: Pick<Config, 'web'>): string {
  const [{ host, port } = { host: undefined, port: 0 }] = web.listen;
  const name = host === undefined || EVERYWHERE.has(host) ? hostname() : host;
  const scheme = web.access?.tls === undefined ? 'http' : 'https';
  return web.externalUrl ?? `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** What the engine needs from other parts of the daemon. */
type EngineInputs = Pick<
  EngineOptions,
  | 'inventory'
  | 'authenticated'
  | 'sources'
  | 'recording'
  | 'notConfigured'
  | 'forecasts'
  | 'denied'
  | 'isSeriesLimited'
  | 'isReloadRefused'
  | 'owners'
  | 'owned'
  | 'listed'
  | 'timeZone'
  | 'handOver'
  | 'now'
  | 'log'
> & {
  readonly version: string;
  /** Counts by URL of the Alertmanager. New ones are added. They survive a reload. */
  readonly counts: Map<string, DeliveryCounts>;
  readonly writes: StateWrites;
  readonly initial: EngineOptions['initial'];
};

/** The engine. Without an Alertmanager, it evaluates and sends nothing. */
export function createAlerting(
  config: Config,
  { version, counts, writes, initial, ...surroundings }: EngineInputs,
): AlertEngine {
  const { alerting, storage } = config;
  const { now, log } = surroundings;
  const { analyzer, shard } = analyzerIdentity(config);
  const countsOf = (target: string): DeliveryCounts => {
    const known = counts.get(target) ?? createCounts();
    counts.set(target, known);
    return known;
  };
  const stateOf = (file: string) => ({ writes: writes.of(file), stamp: () => stampOf(now()), log });
  const names = namesOfSaved(config);
  const url = externalUrl(config);
  const runbooks = alerting.runbookBaseUrl ?? `${url}/runbooks`;
  return new AlertEngine({
    ...surroundings,
    rules: alerting.rules,
    ignore: alerting.ignore,
    alertmanagers: createAlertmanagers(config, version, now, log).map((alertmanager) => ({
      alertmanager,
      counts: countsOf(alertmanager.url),
    })),
    evaluationInterval: alerting.evaluationInterval,
    resendDelay: alerting.resendDelay,
    unknownHold: alerting.unknownHold,
    resolve: alerting.resolve,
    analyzer,
    shard,
    externalLabels: alerting.externalLabels,
    alertmanagerUrl: alerting.alertmanagerExternalUrl,
    runbookUrl: (name) => `${runbooks}#${name.toLowerCase()}`,
    generatorUrl: `${url}/alerts`,
    stateFile:
      storage.path === undefined
        ? undefined
        : createStateFile(join(storage.path, STATE_FILE), names, {
            ...stateOf(STATE_FILE),
            share: `${config.shard.index}/${config.shard.total}`,
          }),
    listedFile:
      storage.path === undefined
        ? undefined
        : createListedFile(join(storage.path, LISTED_FILE), names, stateOf(LISTED_FILE)),
    initial,
  });
}
