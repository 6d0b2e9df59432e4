import { createEmailChannel, type EmailOptions } from '../../src/alerting/messages/email-channel.ts';

/** Mails as the channel writes them, without a mail server. */

const DAY = 86_400;

/** The channel of a site in Berlin, with an owner who has an address. */
export const writingChannel = (more: Partial<EmailOptions> = {}) =>
  createEmailChannel(
    {
      smtp: {
        host: 'smtp.example.com',
        port: 587,
        hello: 'h',
        username: undefined,
        password: () => '',
        requireTls: true,
        tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false },
      },
      from: 'licenses@example.com',
      to: ['team@example.com'],
      owners: new Map([['cad', ['cad@example.com']]]),
      sendResolved: true,
      texts: {
        alertsUrl: 'https://licenses.example.com/alerts',
        analyzer: 'lic:80',
        timeZone: 'Europe/Berlin',
        thresholds: { critical: 7 * DAY, warning: 30 * DAY, info: 60 * DAY },
      },
      ...more,
    },
    () => 0,
  );
