import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAlertmanager } from '../../src/alerts/alertmanager.ts';
import { firing, quickEngine, quickPolls, startDoor, startSite } from '../support/end-to-end.ts';
import { createCleanup, createConfig, eventually, startApp } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startAlertmanager, startSink } from '../support/start-alertmanager.ts';

/** Alertmanager fails in every way it can, and one of a pair of daemons does. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const DAY = 86_400;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two ports that are free now. */
async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports.push((server.address() as { port: number }).port);
  }
  for (const server of servers) server.close();
  return ports as unknown as readonly [number, number];
}

async function start() {
  const site = await startSite(cleanup);
  const sink = await startSink(cleanup);
  const alertmanager = await startAlertmanager(cleanup, sink);
  const door = await startDoor(cleanup, alertmanager.url);
  const app = await startApp(createConfig(site.url, { ...quickPolls, ...quickEngine([door.url]) }));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const count = async (what: string) =>
    (await app.sample(`license_exporter_notifications_${what}_total{alertmanager="${door.url}"}`)) ?? Number.NaN;
  const down = { alertname: 'LicenseServerDown', vendor_license: site.vendorLicense };
  return { site, sink, alertmanager, door, app, count, down };
}

describe.runIf(peer('prometheus-alertmanager'))('an Alertmanager', () => {
  it.each([
    ['is down', (_: unknown, response: { destroy(): void }) => void response.destroy()],
    [
      'answers 500',
      (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(500).end(),
    ],
    ['hangs', () => {}],
  ])('that %s for several resend delays loses nothing, and delays nothing', { timeout: 60_000 }, async (_, answer) => {
    const { site, sink, alertmanager, door, app, count, down } = await start();
    const attempt = 'license_poll_last_attempt_timestamp_seconds{endpoint="GetServerDown"}';
    door.answer(answer);
    const before = await count('errors');
    await site.setDown(true);
    await eventually(
      'it fires',
      async () => (await app.sample('license_exporter_alerts{alertname="LicenseServerDown",state="firing"}')) === 1,
    );
    const polledAt = (await app.sample(attempt)) ?? 0;
    let slowest = 0;
    for (const end = Date.now() + 4000; Date.now() < end; await pause(100)) {
      const started = performance.now();
      await app.metrics();
      slowest = Math.max(slowest, performance.now() - started);
    }
    expect(slowest).toBeLessThan(1000);
    expect(((await app.sample(attempt)) ?? 0) - polledAt).toBeGreaterThan(2);
    // what hangs is given up after 10 s only
    if (answer.length > 0) expect(await count('errors')).toBeGreaterThan(before + 2);
    expect(sink.told).toEqual([]);
    door.answer(undefined);
    await eventually('told', () => sink.of(down).includes('firing'), 15_000);
    if (answer.length === 0) expect(await count('errors')).toBeGreaterThan(before);
    expect(await firing(alertmanager, down)).toHaveLength(1);
    await eventually('counted', async () => (await count('sent')) > 0);
    expect([sink.of(down), await count('dropped')]).toEqual([['firing'], 0]);
  });

  it('tells a daemon that asks of its own alerts only', async () => {
    const alertmanager = await startAlertmanager(cleanup, await startSink(cleanup));
    const client = createAlertmanager({
      url: alertmanager.url,
      timeout: 5,
      authorization: () => undefined,
      tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false },
      userAgent: 'test',
    });
    cleanup.add(() => client.close());
    const startsAt = new Date(Date.now() - 60_000).toISOString();
    const endsAt = new Date(Date.now() + 60_000).toISOString();
    const of = (source: string, analyzer: string) => ({
      labels: { alertname: 'LicenseServerDown', vendor_license: 'größe "x";d', source, analyzer },
      annotations: { summary: 's' },
      startsAt,
      endsAt,
    });
    const all = [of('license-exporter', 'a:1'), of('license-exporter', 'a:2'), of('prometheus', 'a:1')];
    expect(await client.post(JSON.stringify(all))).toEqual({ is: 'accepted' });
    const ours = { source: 'license-exporter', analyzer: 'a:1' };
    const { labels, annotations } = of(ours.source, ours.analyzer);
    expect(await client.known(ours)).toEqual([{ labels, annotations, startsAt: Date.parse(startsAt) / 1000 }]);
  });

  it('that is restarted and has forgotten everything is told again, without a second notification', {
    timeout: 60_000,
  }, async () => {
    const site = await startSite(cleanup);
    const sink = await startSink(cleanup);
    const first = await startAlertmanager(cleanup, sink);
    const app = await startApp(createConfig(site.url, { ...quickPolls, ...quickEngine([first.url]) }));
    cleanup.add(() => app.stop());
    const down = { alertname: 'LicenseServerDown' };
    await site.setDown(true);
    await eventually('told', () => sink.of(down).length === 1, 15_000);
    await first.stop();
    const second = await startAlertmanager(cleanup, sink, { folder: first.folder, listen: new URL(first.url).host });
    await eventually('known again', async () => (await firing(second, down)).length === 1, 5000);
    await pause(2000);
    expect(sink.of(down)).toEqual(['firing']);
  });

  it('that refuses one alert of a batch takes the others, and the counters tell', { timeout: 60_000 }, async () => {
    const { site, sink, door, count, down } = await start();
    const refused: number[] = [];
    door.answer((request, response, body) => {
      const alerts = JSON.parse(body) as { labels: { alertname: string } }[];
      if (alerts.some(({ labels }) => labels.alertname === 'LicenseExpired')) {
        refused.push(alerts.length);
        response.writeHead(422).end('{"code":602,"message":"0.labels in body is required"}');
      } else door.pass(request, response, body);
    });
    await site.setExpiry(-DAY);
    await site.setDown(true);
    await eventually('told', () => sink.of(down).includes('firing'), 15_000);
    await eventually('dropped', async () => (await count('dropped')) > 0, 15_000);
    // refused together with the other one, then alone
    expect(refused).toContain(1);
    expect(sink.of({ alertname: 'LicenseExpired' })).toEqual([]);
    door.answer(undefined);
    await eventually('told after all', () => sink.of({ alertname: 'LicenseExpired' }).includes('firing'), 15_000);
    expect(sink.of(down)).toEqual(['firing']);
  });
});

describe.runIf(peer('prometheus-alertmanager'))(
  'two daemons with resolve: expire and two Alertmanagers in a cluster',
  () => {
    it('tell once; one daemon dies: still firing; both are gone: it lapses', { timeout: 90_000 }, async () => {
      const site = await startSite(cleanup);
      const sink = await startSink(cleanup);
      const cluster = (port: number, peerPort?: number) => [
        `--cluster.listen-address=127.0.0.1:${port}`,
        `--cluster.advertise-address=127.0.0.1:${port}`,
        '--cluster.settle-timeout=2s',
        '--cluster.peer-timeout=2s',
        '--cluster.gossip-interval=50ms',
        ...(peerPort === undefined ? [] : [`--cluster.peer=127.0.0.1:${peerPort}`]),
      ];
      const [portA, portB] = await freePorts();
      const a = await startAlertmanager(cleanup, sink, { extra: cluster(portA) });
      const b = await startAlertmanager(cleanup, sink, { extra: cluster(portB, portA) });
      await eventually('a cluster of two', async () => (await a.peers()) === 2 && (await b.peers()) === 2, 20_000);
      const settings = { ...quickPolls, ...quickEngine([a.url, b.url]), 'alerting.resolve': 'expire' };
      const daemons = [];
      for (let i = 0; i < 2; i += 1) {
        const app = await startApp(createConfig(site.url, settings));
        cleanup.add(() => app.stop());
        daemons.push(app);
      }
      const down = { alertname: 'LicenseServerDown' };
      await site.setDown(true);
      await eventually('told', () => sink.of(down).includes('firing'), 20_000);
      // longer than the Alertmanagers wait for each other
      await pause(6000);
      expect(sink.of(down)).toEqual(['firing']);
      await daemons[0]?.stop();
      // longer than an alert lasts without being told again
      await pause(6000);
      expect(sink.of(down)).toEqual(['firing']);
      for (const alertmanager of [a, b]) expect(await firing(alertmanager, down)).toHaveLength(1);
      await daemons[1]?.stop();
      await eventually('it lapses', () => sink.of(down).includes('resolved'), 20_000);
      await pause(3000);
      expect(sink.of(down)).toEqual(['firing', 'resolved']);
    });
  },
);
