import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import type { SentAlert } from '../../../src/alerting/alerts/groups.ts';
import { createHttpClient } from '../../../src/alerting/alerts/http-client.ts';
import type { Channel } from '../../../src/alerting/messages/channel.ts';
import type { Notice } from '../../../src/alerting/messages/ledger.ts';
import { groupOf, isForPeople } from '../../../src/alerting/messages/message-group.ts';
import { createWebhookChannel } from '../../../src/alerting/messages/webhook-channel.ts';
import { NOW } from '../../support/scenario.ts';
import { writingChannel } from '../../support/writing-channel.ts';
import { compareGolden } from './golden.ts';
import { ofEngine } from './sent-alerts.ts';

/** Every alert in the daemon's own mails and webhook, as people and programs get it. */

const noticeOf = (alert: SentAlert, i: number): Notice => ({
  key: `${i}`,
  labels: alert.labels,
  annotations: alert.annotations,
  episodes: [{ startsAt: NOW, state: 'firing', at: NOW, dueSince: NOW }],
  isNew: true,
  alert,
});

/** The messages of a channel about all alerts at once. */
async function messagesOf(channel: Channel) {
  const notices = ofEngine()
    .filter(({ labels }) => isForPeople(labels))
    .map(noticeOf);
  const options = { analyzer: 'lic:80', hasDigest: true, ownerOf: channel.ownerOf };
  const groups = Map.groupBy(notices, ({ labels }) => groupOf(labels, options).key);
  return Promise.all(
    [...groups.values()].map(async (own) => {
      const group = groupOf(own[0]?.labels ?? {}, options);
      return { ...(await channel.writeGroup({ group, notices: own, isReminder: false }, 'id', NOW)), notices: own };
    }),
  );
}

it('mails say what, who is hit, what to do first and where to read more', async () => {
  const mails = await Promise.all(
    (await messagesOf(writingChannel())).map(async ({ body, notices }) => {
      const { subject = '', text = '', html = '' } = await PostalMime.parse(body);
      return { subject, text, html: html.replaceAll('&quot;', '"').replaceAll('&amp;', '&'), notices };
    }),
  );
  const lacking = mails.flatMap(({ text, html, notices }) =>
    notices.flatMap(({ labels, annotations }) => {
      const { impact = '', step = '', runbook_url: link = '' } = annotations;
      const subject = labels.feature ?? labels.vendor_license ?? '';
      return [impact, step, link, subject]
        .filter((part) => !text.includes(part) || !html.includes(part))
        .map((part) => `${labels.alertname} lacks ${part}`);
    }),
  );
  expect(lacking).toEqual([]);
  compareGolden(
    'own',
    mails.map(({ subject, text }) => ({ to: 'mail', text: `Subject: ${subject}\n\n${text}` })),
  );
});

it('webhooks have the same of each alert', async () => {
  const tls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };
  const webhook = createWebhookChannel({
    url: () => '',
    target: '',
    client: createHttpClient({ timeout: 10, authorization: () => undefined, tls, proxy: undefined, userAgent: 'test' }),
    sendResolved: true,
    commonLabels: {},
    generatorUrl: 'https://licenses.example.com/alerts',
    externalUrl: 'https://licenses.example.com',
    timeZone: 'Europe/Berlin',
  });
  const sent = (await messagesOf(webhook)).map(
    ({ body }) => JSON.parse(body) as { readonly alerts: readonly object[] },
  );
  for (const { alerts } of sent) {
    for (const alert of alerts) {
      expect(alert).toMatchObject({
        annotations: {
          summary: expect.stringMatching(/./),
          impact: expect.stringMatching(/./),
          step: expect.stringMatching(/./),
          runbook_url: expect.stringMatching(/^https:/),
        },
        generatorURL: expect.stringMatching(/^https:/),
      });
    }
  }
  compareGolden(
    'own-json',
    sent.map((payload) => ({ to: 'webhook', text: JSON.stringify(payload, undefined, 2) })),
  );
});
