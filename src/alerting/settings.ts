import { z } from 'zod';
import type { ClientTls } from '../base/model/client-tls.ts';
import { baseUrl } from '../base/settings/addresses.ts';
import { labelMap, labelName, matchers } from '../base/settings/labels.ts';
import type { Secret } from '../base/settings/secret.ts';
import { listOf, oneOrMore } from '../base/settings/structures.ts';
import type { SectionOf } from '../base/settings/table.ts';
import { duration, oneOf, text } from '../base/settings/values.ts';
import { ruleSettings } from './alerts/rules.ts';
import { type AlertmanagerEntry, alertmanagers } from './alerts/settings.ts';
import { email, webhook } from './messages/settings.ts';

/** The alert engine: its rules, its receivers and its Alertmanagers. */
export const alerting = z
  .strictObject({
    alertmanagers: alertmanagers
      .prefault([])
      .describe(
        'Alertmanagers that receive alerts, as in the configuration of Prometheus, or as URLs. If empty, alerts are evaluated and shown at `/alerts`, and sent only by e-mail or webhook, if these are configured.',
      ),
    email,
    webhook,
    group_wait: duration(0, 3600)
      .prefault('30s')
      .describe(
        'How long the first message about a vendor license, by e-mail or webhook, waits for further alerts. Messages about expiries wait ten times as long.',
      ),
    group_interval: duration(0, 86_400)
      .prefault('5m')
      .describe('Minimum time between two messages about the same vendor license, by e-mail or webhook.'),
    repeat_interval: duration(1)
      .prefault('12h')
      .describe('How often a message about alerts that still fire is repeated, by e-mail or webhook.'),
    alertmanager_external_url: baseUrl('https://alertmanager.example.com')
      .optional()
      .describe('URL of Alertmanager for people. Alerts link to a silence that is filled in for them.'),
    external_labels: labelMap.prefault({}).meta({ description: 'Labels added to every alert.', fileOnly: true }),
    evaluation_interval: duration(0.1, 600)
      .prefault('30s')
      .describe('How often the rules are evaluated. They are also evaluated after each poll.'),
    resend_delay: duration(0.1, 3600).prefault('1m').describe('How often a firing alert is sent again.'),
    resolve: oneOf('explicit', 'expire')
      .prefault('explicit')
      .describe(
        'How an alert ends in Alertmanager: `explicit` sends it as resolved, `expire` stops sending it. Use `expire` for two daemons side by side.',
      ),
    unknown_hold: duration(0, 30 * 86_400)
      .prefault('1h')
      .describe(
        'How long an alert is kept while there is no data about it, but about others. While nothing can be seen, it is kept for a day at most.',
      ),
    ignore: oneOrMore(matchers).prefault([]).meta({
      description: 'Matchers, such as `vendor_license="lic01;cdslmd"`. Alerts that match an entry are ignored.',
      fileOnly: true,
    }),
    rules: ruleSettings
      .prefault({})
      .meta({ description: 'Thresholds and durations for each alert, see docs/alerts.md.', fileOnly: true }),
    prometheus_job: text
      .prefault('license-exporter')
      .describe('The job under which Prometheus scrapes the exporter. The command `rules` writes it into the rules.'),
    prometheus_labels: listOf(labelName)
      .prefault([])
      .describe(
        'Labels of the target in Prometheus, such as `cluster`, that alerts keep. The command `rules` writes them into the rules.',
      ),
    runbook_base_url: baseUrl('https://wiki.example.com/runbooks.md').optional().meta({
      description: 'URL of your copy of `deploy/runbooks.md`. Alerts link to their section of it.',
      shownDefault: '`/runbooks` of the daemon',
    }),
  })
  .describe('The alert engine.');

/** An Alertmanager that receives alerts. Durations are seconds. Secrets stay in their files, which are read for each request. */
export interface AlertmanagerConfig extends Omit<AlertmanagerEntry, 'tls'> {
  readonly tls: ClientTls<Secret>;
}

/** A mail server that receives alerts. The password stays in its file, which is read for each mail. */
export interface EmailConfig {
  readonly host: string;
  readonly port: number;
  readonly from: string;
  readonly to: readonly string[];
  /** Addresses by owner. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
  readonly requireTls: boolean;
  readonly tls: ClientTls<Secret>;
  readonly hello: string | undefined;
  readonly sendResolved: boolean;
  /** A cron expression; `undefined` without digests. */
  readonly digest: string | undefined;
}

/** A URL that receives alerts. Secrets stay in their files, which are read for each request. */
export interface WebhookConfig extends Pick<AlertmanagerConfig, 'basicAuth' | 'authorization' | 'tls'> {
  /** Either it or its file is given. */
  readonly url: string | undefined;
  readonly urlFile: string | undefined;
  /** Seconds. */
  readonly timeout: number;
  readonly sendResolved: boolean;
}

/** The alert engine. Durations are seconds. */
export interface AlertingConfig extends Omit<SectionOf<typeof alerting>, 'alertmanagers' | 'email' | 'webhook'> {
  readonly alertmanagers: readonly AlertmanagerConfig[];
  readonly email: EmailConfig | undefined;
  readonly webhook: WebhookConfig | undefined;
}
