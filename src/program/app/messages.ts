import { hostname } from 'node:os';
import { join } from 'node:path';
import { createHttpClient } from '../../alerting/alerts/http-client.ts';
import { ownLabelsOf } from '../../alerting/alerts/notification.ts';
import type { Channel } from '../../alerting/messages/channel.ts';
import { createEmailChannel, type EmailOptions } from '../../alerting/messages/email-channel.ts';
import { createMessageCounts, type MessageCounts } from '../../alerting/messages/message-counts.ts';
import {
  createMessages,
  type Messages,
  type MessagesOptions,
  type Receiver,
} from '../../alerting/messages/messages.ts';
import type { EmailConfig, WebhookConfig } from '../../alerting/messages/settings.ts';
import type { SmtpOptions } from '../../alerting/messages/smtp.ts';
import { createWebhookChannel } from '../../alerting/messages/webhook-channel.ts';
import { followTls } from '../../base/files/followed-tls.ts';
import { readPasswordFile } from '../../base/files/named-files.ts';
import { createLocalTime } from '../../base/model/local-time.ts';
import type { Log } from '../../base/model/log.ts';
import { nextRun } from '../../base/scheduling/runs.ts';
import type { StateWrites } from '../../base/storage/file-writes.ts';
import { stateFiles } from '../../base/storage/saved-files.ts';
import type { Config } from '../config/config.ts';
import { authorizationOf, externalUrl } from '../../alerting/alerting.ts';
import { analyzerIdentity } from '../../exporter/client/identity.ts';

/** Creates the receivers of alerts beside Alertmanagers, for the daemon and for `test-alert`. */

const FILE = stateFiles.messages;

/** What receivers need besides the configuration. */
interface ReceiverInputs {
  /** The IANA name of the zone of times in texts. */
  readonly timeZone: string;
  readonly version: string;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly log: Log;
}

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

function emailOptions(config: Config, email: EmailConfig, { timeZone, log }: ReceiverInputs): EmailOptions {
  const { critical, warning, info } = config.alerting.rules.LicenseExpiringSoon.base;
  return {
    ...email,
    hasDigest: email.digest !== undefined,
    smtp: smtpOptions(email, log),
    texts: {
      alertsUrl: `${externalUrl(config)}/alerts`,
      analyzer: analyzerIdentity(config).analyzer,
      timeZone,
      thresholds: { critical, warning, info },
    },
  };
}

function webhookChannel(config: Config, webhook: WebhookConfig, { timeZone, version, log }: ReceiverInputs): Channel {
  const { url: written, urlFile, timeout, tls, sendResolved } = webhook;
  const url = (): string => written ?? (urlFile === undefined ? '' : readPasswordFile(urlFile).reveal().trim());
  return createWebhookChannel({
    url,
    target: URL.canParse(url()) ? new URL(url()).origin : 'alerting.webhook.url_file',
    client: createHttpClient({
      timeout,
      authorization: authorizationOf(webhook, log),
      tls: followTls(tls, log),
      userAgent: `license-exporter/${version}`,
    }),
    sendResolved,
    commonLabels: { ...config.alerting.externalLabels, ...ownLabelsOf(analyzerIdentity(config).analyzer) },
    generatorUrl: `${externalUrl(config)}/alerts`,
    externalUrl: externalUrl(config),
    timeZone,
  });
}

/** The receivers of the configuration, without counts. */
export function createChannels(config: Config, inputs: ReceiverInputs): readonly Channel[] {
  const { email, webhook } = config.alerting;
  return [
    ...(email === undefined ? [] : [createEmailChannel(emailOptions(config, email, inputs), inputs.now)]),
    ...(webhook === undefined ? [] : [webhookChannel(config, webhook, inputs)]),
  ];
}

type MessageInputs = ReceiverInputs &
  Pick<MessagesOptions, 'initial'> & {
    /** Counts by receiver. New ones are added. They survive a reload. */
    readonly counts: Map<string, MessageCounts>;
    readonly writes: StateWrites;
  };

/** Messages by e-mail and webhook. Without either, nothing is sent. */
export function createAppMessages(config: Config, inputs: MessageInputs): Messages {
  const { timeZone, counts, writes, initial, now, log } = inputs;
  const { alerting, storage } = config;
  const localTime = createLocalTime(timeZone);
  const digest = alerting.email?.digest;
  const receivers = createChannels(config, inputs).map((channel): Receiver => {
    const known = counts.get(channel.receiver) ?? createMessageCounts();
    counts.set(channel.receiver, known);
    return {
      channel,
      counts: known,
      schedule:
        channel.receiver !== 'email' || digest === undefined
          ? undefined
          : {
              nextRun: (after) => nextRun(digest, after, localTime.offsetAt),
              dayStart: (at) => localTime.startOf(localTime.dayOf(at)),
            },
    };
  });
  return createMessages({
    receivers,
    analyzer: analyzerIdentity(config).analyzer,
    unknownHold: alerting.unknownHold,
    groupWait: alerting.groupWait,
    groupInterval: alerting.groupInterval,
    repeatInterval: alerting.repeatInterval,
    file: storage.path === undefined ? undefined : { path: join(storage.path, FILE), writes: writes.of(FILE) },
    initial,
    now,
    log,
  });
}
