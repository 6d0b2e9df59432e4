import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createHttpClient } from '../../../src/alerting/alerts/http-client.ts';
import type { Episode } from '../../../src/alerting/messages/ledger.ts';
import { groupOf } from '../../../src/alerting/messages/message-group.ts';
import { createWebhookChannel } from '../../../src/alerting/messages/webhook-channel.ts';
import { evaluations, startSite } from '../../support/end-to-end.ts';
import { type Cleanup, eventually } from '../../support/harness.ts';
import { createMessageDaemon } from '../../support/message-daemon.ts';
import { peer } from '../../support/peers.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager } from '../../support/start-alertmanager.ts';

/** The webhook is that of Alertmanager, and its failures are said without its secrets. */

interface Payload {
  readonly status: string;
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>>; readonly [key: string]: unknown }[];
  readonly [key: string]: unknown;
}

interface Request {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly payload: Payload;
}

/** A server that keeps the requests it gets. */
async function startHook(cleanup: Cleanup) {
  const requests: Request[] = [];
  let answer: (response: ServerResponse) => void = (response) => response.end();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { url = '', headers } = request;
      requests.push({ url, headers, body, payload: JSON.parse(body) as Payload });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (next: typeof answer) => {
      answer = next;
    },
  };
}

const noTls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };

describe.runIf(peer('prometheus-alertmanager'))('the payload', () => {
  it.concurrent('of an alert is that of Alertmanager, key by key', async ({ cleanup }) => {
    const [site, ours, theirs] = await Promise.all([startSite(cleanup), startHook(cleanup), startHook(cleanup)]);
    const sink = { url: `${theirs.url}/`, notified: [], of: () => [] };
    const alertmanager = await startAlertmanager(cleanup, sink, { groupBy: 'analyzer, vendor_license' });
    const daemon = createMessageDaemon(cleanup, site, {
      alertmanagers: [alertmanager.url],
      external_labels: { site: 'München "1"' },
      webhook: { url: `${ours.url}/hook` },
    });
    const { url } = await daemon.start();
    // before, the time of the last collection is not known, and the text of the alert changes when it is
    await eventually('first poll', async () => (await fetch(`${url}/-/ready`)).ok);
    await site.setDown(true);
    const ofServer = ({ requests }: typeof ours, status: string): Payload | undefined =>
      requests
        .map(({ payload }) => payload)
        .find((payload) => payload.status === status && payload.alerts[0]?.labels.alertname === 'LicenseServerDown');
    const isIn = (status: string) => () =>
      ofServer(ours, status) !== undefined && ofServer(theirs, status) !== undefined;
    await eventually('both fire', isIn('firing'));
    await site.setDown(false);
    await eventually('both are resolved', isIn('resolved'));
    for (const status of ['firing', 'resolved']) {
      const mine = ofServer(ours, status);
      // these name the sender
      const sender = { receiver: 'license-exporter', externalURL: 'https://licenses.example.com' };
      const reference = ofServer(theirs, status);
      expect(mine).toEqual({ ...reference, ...sender });
      expect(Object.keys(mine ?? {})).toEqual(Object.keys(reference ?? {}));
    }
    expect(ours.requests[0]?.headers['content-type']).toBe('application/json');
  });
});

describe('a webhook', () => {
  it.concurrent('whose answer is missing gets the very same request again, with its secret URL nowhere else', async ({
    cleanup,
  }) => {
    const [site, hook] = await Promise.all([startSite(cleanup), startHook(cleanup)]);
    const daemon = createMessageDaemon(cleanup, site, {
      webhook: {
        url_file: 'hook-url',
        authorization: { credentials_file: 'token' },
      },
    });
    writeFileSync(join(daemon.folder, 'hook-url'), `${hook.url}/services/T0P-SECRET?key=1\n`, { mode: 0o600 });
    writeFileSync(join(daemon.folder, 'token'), 't0ken\n', { mode: 0o600 });
    hook.answer((response) => response.destroy());
    const running = await daemon.start();
    await site.setDown(true);
    await running.line('messages not delivered');
    hook.answer((response) => response.writeHead(500).end());
    const before = hook.requests.length;
    await eventually('another attempt', () => hook.requests.length > before);
    hook.answer((response) => response.end());
    await running.line('messages are delivered again');
    await evaluations(8, { app: running });
    expect(hook.requests.length).toBeGreaterThan(2);
    expect(new Set(hook.requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(hook.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(hook.requests[0]?.url).toBe('/services/T0P-SECRET?key=1');
    expect(hook.requests[0]?.headers.authorization).toBe('Bearer t0ken');
    expect(running.output()).toContain(hook.url);
    expect(running.output()).not.toMatch(/T0P-SECRET|t0ken/);
    expect(await (await fetch(`${running.url}/metrics`)).text()).not.toMatch(/T0P-SECRET|t0ken/);
  });

  const clientOf = () =>
    createHttpClient({ timeout: 10, authorization: () => undefined, tls: noTls, proxy: undefined, userAgent: 'test' });
  const channelTo = (url: string, client = clientOf()) =>
    createWebhookChannel({
      url: () => url,
      target: url === '' ? '' : new URL(url).origin,
      client,
      sendResolved: true,
      commonLabels: {},
      generatorUrl: 'http://exporter/alerts',
      externalUrl: 'http://exporter',
      timeZone: 'UTC',
    });
  const labels = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: 'a;b', owner: 'cad' };
  const annotations = { summary: 'It is down.' };
  const over = { startsAt: 1, state: 'resolved' as const, at: 2, dueSince: undefined };
  const about = (alertname: string, episode: Episode) => ({
    ...{ key: alertname, labels: { ...labels, alertname }, annotations },
    ...{ episodes: [episode], isNew: false, alert: undefined },
  });

  it.concurrent('gets an alert of another owner as another one, and how the former one goes on', async () => {
    const notices = [about('LicenseServerDown', { ...over, ending: 'now with cfd' })];
    const group = { key: 'g', labels: {}, kind: 'alerts' as const };
    const { body } = await channelTo('').writeGroup({ group, notices, isReminder: false }, 'id', 2);
    expect(JSON.parse(body)).toMatchObject({
      status: 'resolved',
      alerts: [{ status: 'resolved', annotations: { summary: 'It is down.', ending: 'now with cfd' } }],
    });
  });

  it.concurrent('gets the digest of an owner in one request, with what fires and what has ended', async () => {
    const channel = channelTo('');
    const denials = { alertname: 'LicenseDenials', severity: 'warning', vendor_license: 'a;b', owner: 'cad' };
    const group = groupOf(denials, { analyzer: 'lic:80', hasDigest: true, ownerOf: channel.ownerOf });
    const notices = [about('LicenseDenials', { ...over, state: 'firing' }), about('LicenseRunsOut', over)];
    const { body } = await channel.writeGroup({ group, notices, isReminder: false }, 'id', 2);
    expect(JSON.parse(body)).toMatchObject({
      status: 'firing',
      groupKey: '{}/{digest="true"}:{analyzer="lic:80", owner="cad"}',
      groupLabels: { analyzer: 'lic:80', owner: 'cad' },
      alerts: [
        { status: 'firing', labels: { alertname: 'LicenseDenials' } },
        { status: 'resolved', labels: { alertname: 'LicenseRunsOut' } },
      ],
    });
  });

  it.concurrent('that refuses a request says so with the status, and whether it is about its content', async ({
    cleanup,
  }) => {
    const hook = await startHook(cleanup);
    const client = clientOf();
    cleanup.add(() => client.close());
    const message = { key: 'k', id: 'i', at: 0, body: '{}', to: [], covered: [] };
    const send = (url: string) => channelTo(url, client).send(message, new AbortController().signal);
    const reasons: unknown[] = [];
    for (const status of [302, 404, 403, 429, 500, 413, 422]) {
      hook.answer((response) => response.writeHead(status).end('Cannot POST /secret'));
      const outcome = await send(`${hook.url}/secret`);
      expect(outcome).toMatchObject({ is: 'refused', isAboutMessage: status === 413 || status === 422 });
      reasons.push((outcome as { reason: string }).reason);
    }
    const says = (status: number, remedy: string): string => `${hook.url} answered with status ${status}; ${remedy}`;
    expect(reasons).toEqual([
      says(302, 'write the address to which it redirects in alerting.webhook.url, or the file of url_file'),
      says(404, 'check alerting.webhook.url, or the file of url_file'),
      says(403, 'check alerting.webhook.basic_auth or alerting.webhook.authorization, or the secret in the URL'),
      says(429, 'it limits the number of requests; raise alerting.group_interval'),
      says(500, 'check its log'),
      says(413, 'let it accept larger requests'),
      says(
        422,
        'a receiver that does not take the format of Alertmanager needs an Alertmanager, or a relay for it, in between',
      ),
    ]);
    expect(await send('http://127.0.0.1:1/secret')).toEqual({
      is: 'refused',
      isAboutMessage: false,
      reason:
        'no answer of http://127.0.0.1:1: nothing listens on 127.0.0.1:1 (ECONNREFUSED); start http://127.0.0.1:1 there, or correct host and port in alerting.webhook.url',
    });
  });

  it.concurrent('has its answer for the one who tests it, without what was secret in the request', async ({
    cleanup,
  }) => {
    const hook = await startHook(cleanup);
    const client = createHttpClient({
      timeout: 10,
      authorization: () => 'Bearer t0ken',
      tls: noTls,
      proxy: undefined,
      userAgent: 'test',
    });
    cleanup.add(() => client.close());
    const channel = channelTo(`${hook.url}/hooks/T0P-SECRET`, client);
    const message = { key: 'k', id: 'i', at: 0, body: '{}', to: [], covered: [] };
    const answerTo = async (status: number, body: string) => {
      hook.answer((response) => response.writeHead(status).end(body));
      return channel.send(message, new AbortController().signal);
    };
    expect(await answerTo(202, '')).toEqual({ is: 'accepted', refused: [], answer: '202 Accepted' });
    expect(await answerTo(400, 'no hook T0P-SECRET\r\nfor t0ken')).toMatchObject({
      reason: expect.not.stringContaining('no hook'),
      answer: expect.stringMatching(/^400 Bad Request, "no hook <secret> for <secret>"; a receiver that does not take/),
    });
  });
});
