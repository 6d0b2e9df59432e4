import { hostname } from 'node:os';
import { join } from 'node:path';
import { followTls } from '../base/files/followed-tls.ts';
import { readPasswordFile } from '../base/files/named-files.ts';
import { createLocalTime } from '../base/model/local-time.ts';
import type { Log } from '../base/model/log.ts';
import type { RecordingHealth } from '../base/model/observation/recording.ts';
import { nextRunOnce } from '../base/scheduling/runs.ts';
import type { StateWrites } from '../base/storage/file-writes.ts';
import { stateFiles } from '../base/storage/saved-files.ts';
import { stampOf } from '../base/storage/stamp.ts';
import { analyzerIdentity, type Identified, namesOfSaved } from '../exporter/client/identity.ts';
import { type PollingConfig, polledHistory } from '../exporter/poll/settings.ts';
import { type Alertmanager, createAlertmanager } from './alerts/alertmanager.ts';
import type { Subject } from './alerts/definition.ts';
import { engineAlertOf } from './alerts/definitions.ts';
import { createCounts, type DeliveryCounts } from './alerts/delivery.ts';
import { AlertEngine, type EngineOptions } from './alerts/engine.ts';
import { createHttpClient } from './alerts/http-client.ts';
import { createListedFile } from './alerts/listed-file.ts';
import { ownLabelsOf } from './alerts/notification.ts';
import { engineNames } from './alerts/rules.ts';
import type { AlertmanagerConfig } from './alerts/settings.ts';
import { createStateFile } from './alerts/state-file.ts';
import type { Channel } from './messages/channel.ts';
import { createEmailChannel, type EmailOptions } from './messages/email-channel.ts';
import { createMessages, type Messages, type MessagesOptions, type Receiver } from './messages/messages.ts';
import { createMessageCounts, type MessageCounts } from './messages/receiver-state.ts';
import type { EmailConfig, WebhookConfig } from './messages/settings.ts';
import type { SmtpOptions } from './messages/smtp.ts';
import { createWebhookChannel } from './messages/webhook-channel.ts';
import type { AlertingConfig } from './settings.ts';

/** Wires alerts: the engine, the Alertmanagers, and messages to people, for the daemon and for commands that try them. */

/** What alerts and messages read of the configuration. */
export interface AlertsConfig extends Identified {
  readonly alerting: AlertingConfig;
  readonly metrics: PollingConfig['metrics'];
  readonly history: PollingConfig['history'];
  readonly rightsizing: { readonly enabled: boolean };
  readonly storage: { readonly path: string | undefined };
  /** The zone of times in texts. */
  readonly datasource: { readonly timeZone: string };
}

/** What depends on where the analyzer is; `undefined` for what it does not have. */
export interface OwnSubjects {
  readonly logons: object | undefined;
  readonly sources: readonly unknown[] | undefined;
  readonly recording: Pick<RecordingHealth, 'archive'> | undefined;
}

/** The names of the rules about what is not configured. */
export function notConfiguredRules(
  config: Pick<AlertsConfig, 'metrics' | 'history' | 'rightsizing'>,
  { logons, sources = [], recording }: OwnSubjects,
): ReadonlySet<string> {
  const has: Readonly<Record<Subject, boolean>> = {
    // an analyzer in this process records them too
    denials: polledHistory(config).length > 0 || recording !== undefined,
    logons: logons !== undefined,
    forecasts: config.rightsizing.enabled,
    sources: sources.length > 0,
    recording: recording !== undefined,
    archive: recording?.archive !== undefined,
  };
  const lacks = (name: string): boolean => {
    const needs = engineAlertOf(name)?.needs;
    return needs !== undefined && !has[needs];
  };
  return new Set(engineNames.filter(lacks));
}

/** Where alerts are sent to, and from. */
export interface Sending {
  /** The URL of the daemon for people. */
  readonly url: string;
  readonly version: string;
  /** The clock of the times that are sent, epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The Authorization header. Its file is read each time. If that fails, the last good content is used. */
function authorizationOf(
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

/** The clients of the configured Alertmanagers. */
export const createAlertmanagers = (
  { alerting }: Pick<AlertsConfig, 'alerting'>,
  { version, now, log }: Omit<Sending, 'url'>,
): readonly Alertmanager[] =>
  alerting.alertmanagers.map((config) =>
    createAlertmanager({
      ...config,
      now,
      authorization: authorizationOf(config, log),
      tls: followTls(config.tls, log),
      userAgent: `license-exporter/${version}`,
    }),
  );

/** How to reach the mail server. Its password is read for each connection. */
export function smtpOptions(
  { host, port, hello, username, passwordFile, requireTls, tls }: EmailConfig,
  log: Log,
): SmtpOptions {
  return {
    host,
    port,
    hello: hello ?? hostname(),
    username,
    password: () => (passwordFile === undefined ? '' : readPasswordFile(passwordFile).reveal()),
    requireTls,
    tls: followTls(tls, log),
  };
}

function emailOptions(config: AlertsConfig, email: EmailConfig, { url, log }: Sending): EmailOptions {
  const { critical, warning, info } = config.alerting.rules.LicenseExpiringSoon.base;
  return {
    ...email,
    smtp: smtpOptions(email, log),
    texts: {
      alertsUrl: `${url}/alerts`,
      analyzer: analyzerIdentity(config).analyzer,
      timeZone: config.datasource.timeZone,
      thresholds: { critical, warning, info },
    },
  };
}

function webhookChannel(config: AlertsConfig, webhook: WebhookConfig, { url: ownUrl, version, log }: Sending): Channel {
  const { url: written, urlFile, timeout, tls, proxy, sendResolved } = webhook;
  const url = (): string => written ?? (urlFile === undefined ? '' : readPasswordFile(urlFile).reveal().trim());
  return createWebhookChannel({
    url,
    target: URL.canParse(url()) ? new URL(url()).origin : 'alerting.webhook.url_file',
    client: createHttpClient({
      timeout,
      authorization: authorizationOf(webhook, log),
      tls: followTls(tls, log),
      userAgent: `license-exporter/${version}`,
      proxy,
    }),
    sendResolved,
    commonLabels: { ...config.alerting.externalLabels, ...ownLabelsOf(analyzerIdentity(config).analyzer) },
    generatorUrl: `${ownUrl}/alerts`,
    externalUrl: ownUrl,
    timeZone: config.datasource.timeZone,
  });
}

/** The receivers of the configuration beside Alertmanagers. */
export function createChannels(config: AlertsConfig, sending: Sending): readonly Channel[] {
  const { email, webhook } = config.alerting;
  return [
    ...(email === undefined ? [] : [createEmailChannel(emailOptions(config, email, sending), sending.now)]),
    ...(webhook === undefined ? [] : [webhookChannel(config, webhook, sending)]),
  ];
}

/** What is counted over all reloads, and what an earlier engine of this process left. */
export interface AlertingNeighbors
  extends Sending,
    Pick<
      EngineOptions,
      | 'inventory'
      | 'authenticated'
      | 'sources'
      | 'recording'
      | 'forecasts'
      | 'denied'
      | 'isSeriesLimited'
      | 'isReloadRefused'
      | 'owners'
      | 'owned'
      | 'listed'
    > {
  /** By URL of the Alertmanager. New ones are added. */
  readonly deliveryCounts: Map<string, DeliveryCounts>;
  /** By receiver. New ones are added. */
  readonly messageCounts: Map<string, MessageCounts>;
  readonly writes: StateWrites;
  /** Those of the analyzer; `undefined` where nobody logs on. */
  readonly logons: object | undefined;
  readonly carried:
    | { readonly alerts: EngineOptions['initial']; readonly messages: MessagesOptions['initial'] }
    | undefined;
}

/** The counts of a name, which are made for a new one. */
function countsOf<Counts>(all: Map<string, Counts>, name: string, create: () => Counts): Counts {
  const known = all.get(name) ?? create();
  all.set(name, known);
  return known;
}

/** Messages by e-mail and webhook. Without either, nothing is sent. */
function createAllMessages(config: AlertsConfig, neighbors: AlertingNeighbors): Messages {
  const { messageCounts, writes, carried, now, log } = neighbors;
  const { alerting, storage, datasource } = config;
  const localTime = createLocalTime(datasource.timeZone);
  const schedules = { email: alerting.email?.digest, webhook: alerting.webhook?.digest };
  const file = stateFiles.messages;
  const receivers = createChannels(config, neighbors).map((channel): Receiver => {
    const digest = schedules[channel.receiver];
    const schedule = digest !== undefined && {
      nextRun: (after: number) => nextRunOnce(digest, after, localTime.offsetAt),
      dayStart: (at: number) => localTime.startOf(localTime.dayOf(at)),
    };
    return {
      channel,
      counts: countsOf(messageCounts, channel.receiver, createMessageCounts),
      schedule: schedule || undefined,
    };
  });
  return createMessages({
    groupWait: alerting.groupWait,
    groupInterval: alerting.groupInterval,
    repeatInterval: alerting.repeatInterval,
    unknownHold: alerting.unknownHold,
    receivers,
    analyzer: analyzerIdentity(config).analyzer,
    file: storage.path === undefined ? undefined : { path: join(storage.path, file), writes: writes.of(file) },
    initial: carried?.messages,
    now,
    log,
  });
}

/** The engine. Without an Alertmanager, it evaluates and sends nothing. */
function createEngine(config: AlertsConfig, neighbors: AlertingNeighbors, handOver: EngineOptions['handOver']) {
  const { alerting, storage, shard, datasource } = config;
  const { url, deliveryCounts, logons, writes, carried, now, log } = neighbors;
  const names = namesOfSaved(config);
  const runbooks = alerting.runbookBaseUrl ?? `${url}/runbooks`;
  const fileOf = (name: string) => ({ writes: writes.of(name), stamp: () => stampOf(now()), log });
  const { alerts: stateFile, listed: listedFile } = stateFiles;
  return new AlertEngine({
    ...neighbors,
    ...analyzerIdentity(config),
    rules: alerting.rules,
    ignore: alerting.ignore,
    resolve: alerting.resolve,
    evaluationInterval: alerting.evaluationInterval,
    resendDelay: alerting.resendDelay,
    unknownHold: alerting.unknownHold,
    externalLabels: alerting.externalLabels,
    alertmanagerExternalUrl: alerting.alertmanagerExternalUrl,

    notConfigured: () =>
      notConfiguredRules(config, { logons, sources: neighbors.sources(), recording: neighbors.recording() }),
    timeZone: datasource.timeZone,
    targets: createAlertmanagers(config, neighbors).map((alertmanager) => ({
      alertmanager,
      counts: countsOf(deliveryCounts, alertmanager.url, createCounts),
    })),
    runbookUrl: (name) => `${runbooks}#${name.toLowerCase()}`,
    generatorUrl: `${url}/alerts`,
    stateFile:
      storage.path === undefined
        ? undefined
        : createStateFile(join(storage.path, stateFile), names, {
            ...fileOf(stateFile),
            share: `${shard.index}/${shard.total}`,
          }),
    listedFile:
      storage.path === undefined
        ? undefined
        : createListedFile(join(storage.path, listedFile), names, fileOf(listedFile)),
    initial: carried?.alerts,
    handOver,
  });
}

/** Alerts and messages. Nothing runs yet. */
export function createAlerting(config: AlertsConfig, neighbors: AlertingNeighbors) {
  const messages = createAllMessages(config, neighbors);
  return { engine: createEngine(config, neighbors, messages.take), messages };
}
