import { z } from 'zod';
import type { ClientTls } from '../../base/model/client-tls.ts';
import { isHttpUrl } from '../../base/settings/addresses.ts';
import { clientTls } from '../../base/settings/client-tls.ts';
import type { Secret } from '../../base/settings/secret.ts';
import { listOf, recordOf } from '../../base/settings/structures.ts';
import type { ValuesOf } from '../../base/settings/table.ts';
import { boolean, duration, isNot, isNotAddress, schedule, text } from '../../base/settings/values.ts';
import { proxyKeys } from '../alerts/proxy-settings.ts';
import type { AlertmanagerConfig } from '../alerts/settings.ts';

/** Receivers of alerts beside Alertmanagers, with the keys of `email_config` and `webhook_config` of Alertmanager. */

const tlsConfig = clientTls('the host');

const SMARTHOST = /^(?:\[([0-9a-fA-F:.]+)\]|([^:/\s[\]@]+)):(\d{1,5})$/;
const smarthostForm = { error: isNot('a mail server with its port, such as smtp.example.com:587'), abort: true };
const smarthost = z
  .string(smarthostForm)
  .trim()
  .regex(SMARTHOST, smarthostForm)
  .transform((written) => {
    const [, bracketed, plain, port] = SMARTHOST.exec(written) ?? [];
    return { host: bracketed ?? plain ?? '', port: Number(port) };
  })
  .refine(({ port }) => port > 0 && port <= 65_535, { error: 'has no port from 1 to 65535' });

const ADDRESS = String.raw`[^\s<>@,;"()]+@[^\s<>@,;"()]+`;
const addressForm = { error: isNot('an address such as licenses@example.com'), abort: true };
const address = z
  .string(addressForm)
  .trim()
  .regex(new RegExp(`^${ADDRESS}$`), addressForm);
const senderForm = {
  error: isNot('an address such as licenses@example.com or License monitor <licenses@example.com>'),
  abort: true,
};
const sender = z
  .string(senderForm)
  .trim()
  .regex(new RegExp(`^(?:${ADDRESS}|[^\\r\\n<>,;@]*<${ADDRESS}>)$`), senderForm);

const addresses = listOf(address);

/** How alerts are sent as mails. */
const email = z.strictObject({
  smarthost: smarthost
    .optional()
    .describe('Mail server, as `host:port`, that receives alerts as e-mail. Port 465 uses TLS from the start.'),
  from: sender.optional().describe('Sender of the mails. Required with `alerting.email.smarthost`.'),
  to: addresses.prefault([]).describe('Addresses of all mails that do not go to an owner.'),
  owners: recordOf(text, addresses, isNot('a map of owners to addresses'), 'is not the name of an owner')
    .prefault({})
    .meta({
      description:
        'Addresses by owner. Alerts whose label `owner` is listed go to them instead of `alerting.email.to`.',
      fileOnly: true,
    }),
  auth_username: text.optional().describe('Account on the mail server. Without it, no logon is sent.'),
  auth_password_file: text
    .optional()
    .describe('File that holds the password of the account. It is read for each mail.'),
  require_tls: boolean
    .prefault(true)
    .describe('Whether mails are sent over TLS only. STARTTLS is required then, except on port 465.'),
  tls_config: tlsConfig,
  hello: text.optional().meta({ description: 'Name of this host in the greeting.', shownDefault: 'the host name' }),
  send_resolved: boolean.prefault(true).describe('Whether the end of an alert is sent.'),
  digest: schedule
    .prefault('0 7 * * 1-5')
    .describe(
      'When each owner gets one mail about what can wait: licenses that expire, run out or are scarce, and warnings about the monitoring, by the clock of `datasource.time_zone`. With `off`, each of these alerts is sent at once.',
    ),
});

const urlForm = { error: isNotAddress('an address such as https://chat.example.com/hooks/licenses'), abort: true };
const webhookUrl = z
  .string(urlForm)
  .trim()
  .refine((written) => isHttpUrl(written), urlForm)
  .refine((written) => new URL(written).username === '', {
    error: 'must not contain credentials; use basic_auth, or url_file if the whole URL is a secret',
  });

/** Where alerts are sent in Alertmanager's format. */
const webhook = z.strictObject({
  url: webhookUrl.optional().describe('URL that receives alerts as Alertmanager sends them to a webhook.'),
  url_file: text.optional().describe('File that holds the URL, if the URL is a secret. It is read for each request.'),
  basic_auth: z.strictObject({
    username: text.optional().describe('Account for basic authentication.'),
    password_file: text.optional().describe('File that holds its password. It is read for each request.'),
  }),
  authorization: z.strictObject({
    type: text.prefault('Bearer').describe('Type of the credentials in the Authorization header.'),
    credentials_file: text.optional().describe('File that holds the credentials. It is read for each request.'),
  }),
  tls_config: tlsConfig,
  ...proxyKeys,
  timeout: duration(0.1, 600).prefault('10s').describe('Timeout of a request.'),
  send_resolved: boolean.prefault(true).describe('Whether the end of an alert is sent.'),
  digest: schedule
    .prefault('0 7 * * 1-5')
    .describe('The same as `alerting.email.digest`: one request for each owner, with all alerts that can wait.'),
});

/** The keys of `alerting` about messages to people. */
export const messages = {
  email,
  webhook,
  group_wait: duration(0, 3600)
    .prefault('30s')
    .describe(
      'How long the first message about a vendor license, by e-mail or webhook, waits for further alerts. Messages about expiries that are sent at once wait ten times as long.',
    ),
  group_interval: duration(0, 86_400)
    .prefault('5m')
    .describe('Minimum time between two messages about the same vendor license, by e-mail or webhook.'),
  repeat_interval: duration(1).optional().meta({
    description:
      'How often a message about alerts that still fire is repeated, by e-mail or webhook. Digests have their own times.',
    shownDefault: 'by alert and severity, see docs/alerts.md',
  }),
} as const;

/** What messages have in common. Durations are seconds. */
export type MessagesSection = Omit<ValuesOf<typeof messages>, 'email' | 'webhook'>;

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
export interface WebhookConfig extends Pick<AlertmanagerConfig, 'basicAuth' | 'authorization' | 'tls' | 'proxy'> {
  /** Either it or its file is given. */
  readonly url: string | undefined;
  readonly urlFile: string | undefined;
  /** Seconds. */
  readonly timeout: number;
  readonly sendResolved: boolean;
  /** A cron expression; `undefined` without digests. */
  readonly digest: string | undefined;
}
