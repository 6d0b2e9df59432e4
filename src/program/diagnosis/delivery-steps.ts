import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createAlertmanagers, smtpOptions } from '../../alerting/alerting.ts';
import { type ForwardProxy, ProxyError, proxyFor } from '../../alerting/alerts/proxy.ts';
import type { WebhookConfig } from '../../alerting/messages/settings.ts';
import { tryConnection } from '../../alerting/messages/smtp.ts';
import { readPasswordFile } from '../../base/files/named-files.ts';
import { tlsOptions } from '../../base/model/client-tls.ts';
import { explainConnection, explainUnknown, type Peer } from '../../base/model/connection-failure.ts';
import { revealTls } from '../../base/settings/secret.ts';
import { alertmanagerProblem } from './alertmanager-problem.ts';
import { hostOf, portOf, withinLimit } from './network-steps.ts';
import { bad, explained, good, type Step } from './step.ts';

/** How long the conversation may take, milliseconds. */
const LIMIT_MS = 20_000;

/** Whether the mail server accepts the connection, TLS and the logon. No mail is sent: `test-alert` does that. */
export const mailStep: Step = {
  name: 'mail',
  exit: 'delivery',
  needs: [],
  applies: ({ kind, config }) => kind !== 'demo' && config.alerting.email !== undefined,
  check: async ({ config, log }) => {
    const { email } = config.alerting;
    if (email === undefined) return good('none');
    const server = `${email.host}:${email.port}`;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const problem = await tryConnection(smtpOptions(email, log), limit);
    if (limit.aborted) {
      return bad(
        `${server} does not answer within ${LIMIT_MS / 1000} s`,
        'check alerting.email.smarthost and the firewall; port 465 is for TLS from the start',
      );
    }
    if (problem !== undefined) return bad(problem);
    return good(`${server} accepts ${email.username === undefined ? 'the connection' : 'the logon'}`);
  },
};

/** Whether every Alertmanager answers. No alert is sent: `test-alert` does that. */
export const alertmanagersStep: Step = {
  name: 'Alertmanagers',
  exit: 'delivery',
  needs: [],
  applies: ({ kind, config }) => kind !== 'demo' && config.alerting.alertmanagers.length > 0,
  check: async ({ config, version, log }) => {
    const alertmanagers = createAlertmanagers(config, { version, now: () => Date.now() / 1000, log });
    try {
      const problems = await Promise.all(
        alertmanagers.map(async (alertmanager) => {
          const found = alertmanagerProblem(alertmanager.url, await alertmanager.status());
          return found && { finding: `the Alertmanager ${alertmanager.url} ${found.does}`, remedy: found.remedy };
        }),
      );
      const problem = problems.find((found) => found !== undefined);
      return problem === undefined
        ? good(`${alertmanagers.length} of ${alertmanagers.length} answer`)
        : explained(problem);
    } finally {
      await Promise.all(alertmanagers.map((alertmanager) => alertmanager.close()));
    }
  },
};

const webhookPeer = (url: string): Peer => ({
  name: `the webhook at ${new URL(url).host}`,
  url: 'alerting.webhook.url',
  tls: 'alerting.webhook.tls_config',
});

/** Connects as for a message, and sends nothing. @throws Error with a code, or a ProxyError */
async function tryConnecting(
  url: string,
  proxy: ForwardProxy | undefined,
  { tls: files, timeout }: WebhookConfig,
): Promise<void> {
  const [host, port, tls] = [hostOf(url), portOf(url), revealTls(files)];
  const isTls = url.startsWith('https:');
  if (proxy !== undefined && !isTls) {
    (await proxy.connect({ timeout, tls })).destroy();
    return;
  }
  const tunnel = await proxy?.tunnel(new URL(url), { timeout, tls });
  const socket = isTls
    ? connectTls({
        ...(tunnel === undefined ? { host, port } : { socket: tunnel }),
        ...(isIP(host) === 0 && { servername: host }),
        ...tlsOptions(tls),
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
      const proxy = proxyFor(webhook.proxy)(new URL(url));
      await tryConnecting(url, proxy, webhook);
      if (proxy === undefined) return good(`${new URL(url).host} accepts connections`);
      return good(
        url.startsWith('https:')
          ? `${new URL(url).host} accepts connections through ${proxy.name}`
          : `${proxy.name} accepts connections; whether it leads to ${new URL(url).host}, test-alert shows`,
      );
    } catch (error) {
      if (error instanceof ProxyError) return explained(error);
      const { code } = error as NodeJS.ErrnoException;
      return explained(explainConnection(code, error, webhookPeer(url)) ?? explainUnknown(code, webhookPeer(url)));
    }
  },
};
