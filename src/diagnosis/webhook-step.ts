import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { WebhookConfig } from '../config/config.ts';
import { revealTls } from '../config/secret.ts';
import { readPasswordFile } from '../config/upstream-analyzer.ts';
import { tlsOptions } from '../model/client-tls.ts';
import { explainConnection, explainUnknown, type Peer } from '../model/connection-failure.ts';
import { hostOf, withinLimit } from './name-step.ts';
import { bad, explained, good, type Step } from './step.ts';
import { portOf } from './tcp-step.ts';

const peerOf = (url: string): Peer => ({
  name: `the webhook at ${new URL(url).host}`,
  url: 'alerting.webhook.url',
  tls: 'alerting.webhook.tls_config',
});

/** Connects as for a message, and sends nothing. @throws Error with a code */
async function tryConnecting(url: string, { tls, timeout }: WebhookConfig): Promise<void> {
  const [host, port] = [hostOf(url), portOf(url)];
  const isTls = url.startsWith('https:');
  const socket = isTls
    ? connectTls({
        host,
        port,
        ...(isIP(host) === 0 && { servername: host }),
        ...tlsOptions(revealTls(tls)),
      })
    : connect({ host, port });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once(isTls ? 'secureConnect' : 'connect', resolve);
    socket.on('error', reject);
  });
  try {
    await withinLimit(connected, timeout * 1000, 'ETIMEDOUT');
  } finally {
    socket.destroy();
  }
}

/** Whether the server of the webhook can be reached. No message is sent: `test-alert` does that. */
export const webhookStep: Step = {
  name: 'webhook',
  exit: 'delivery',
  needs: [],
  applies: ({ kind, config }) => kind !== 'demo' && config.alerting.webhook !== undefined,
  check: async ({ config }) => {
    const { webhook } = config.alerting;
    if (webhook === undefined) return good('none');
    const url =
      webhook.url ??
      readPasswordFile(webhook.urlFile ?? '')
        .reveal()
        .trim();
    // the URL in a file is a secret
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      return bad('the file of alerting.webhook.url_file has no URL', 'write the URL, such as https://…, into it');
    }
    try {
      await tryConnecting(url, webhook);
      return good(`${new URL(url).host} accepts connections`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return explained(explainConnection(code ?? '', error, peerOf(url)) ?? explainUnknown(code, peerOf(url)));
    }
  },
};
