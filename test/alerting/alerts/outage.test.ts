import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect } from 'vitest';
import { evaluations, firing, quickEngine, quickPolls, startDoor, startSite } from '../../support/end-to-end.ts';
import { type Cleanup, createConfig, eventually, startApp } from '../../support/harness.ts';
import { peer } from '../../support/peers.ts';
import { it } from '../../support/side-by-side.ts';
import { startAlertmanager, startSink } from '../../support/start-alertmanager.ts';

/** Alertmanager fails in every way it can, and one of a pair of daemons does. */

const DAY = 86_400;

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

async function start(cleanup: Cleanup) {
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

describe.runIf(peer('prometheus-alertmanager'))('an Alertmanager', { concurrent: true }, () => {
  it.concurrent.for<[what: string, answer: (response: ServerResponse) => void, isGivenUp: boolean]>([
    ['is down', (response) => void response.destroy(), true],
    ['answers 500', (response) => void response.writeHead(500).end(), true],
    // what hangs is given up after 10 s only
    ['hangs', () => {}, false],
  ])(
    'that %s for several resend delays loses nothing, and delays nothing',
    async ([, answer, isGivenUp], { cleanup }) => {
      const { site, sink, alertmanager, door, app, count, down } = await start(cleanup);
      const attempt = 'license_poll_last_attempt_timestamp_seconds{endpoint="GetServerDown"}';
      let last: ServerResponse | undefined;
      door.answer((_, response) => {
        last = response;
        answer(response);
      });
      const before = await count('errors');
      await site.setDown(true);
      await eventually('it fires', async () =>
        /^license_alert_firing\{.*"LicenseServerDown".* 1$/m.test(await app.metrics()),
      );
      const polledAt = (await app.sample(attempt)) ?? 0;
      /** Polls while one request waited for its answer. */
      let polls: { readonly during: ServerResponse | undefined; readonly at: Set<number> } | undefined;
      await eventually('polls go on for several resend delays', async () => {
        const during = last;
        const polled = (await app.sample(attempt)) ?? 0;
        if (isGivenUp) return polled - polledAt > 3 && (await count('errors')) > before + 2;
        if (polls?.during !== during) polls = { during, at: new Set() };
        if (during?.destroyed === false) polls?.at.add(polled);
        return (polls?.at.size ?? 0) > 3;
      });
      expect(sink.notified).toEqual([]);
      door.answer(undefined);
      await eventually('notified', () => sink.of(down).includes('firing'));
      if (!isGivenUp) expect(await count('errors')).toBeGreaterThan(before);
      expect(await firing(alertmanager, down)).toHaveLength(1);
      await eventually('counted', async () => (await count('sent')) > 0);
      expect([sink.of(down), await count('dropped')]).toEqual([['firing'], 0]);
    },
  );

  it.concurrent('that is restarted without its data gets the alerts again, and sends no second notification', async ({
    cleanup,
  }) => {
    const site = await startSite(cleanup);
    const sink = await startSink(cleanup);
    const first = await startAlertmanager(cleanup, sink);
    const app = await startApp(createConfig(site.url, { ...quickPolls, ...quickEngine([first.url]) }));
    cleanup.add(() => app.stop());
    const down = { alertname: 'LicenseServerDown' };
    await site.setDown(true);
    await eventually('notified', () => sink.of(down).length === 1);
    // Alertmanager notes a notification only after the receiver has answered
    await evaluations(4, { app });
    await first.stop();
    const second = await startAlertmanager(cleanup, sink, { folder: first.folder, listen: new URL(first.url).host });
    await eventually('known again', async () => (await firing(second, down)).length === 1);
    await evaluations(8, { app });
    expect(sink.of(down)).toEqual(['firing']);
  });

  it.concurrent('that refuses one alert of a batch accepts the others, and the counters show it', async ({
    cleanup,
  }) => {
    const { site, sink, door, count, down } = await start(cleanup);
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
    await eventually('notified', () => sink.of(down).includes('firing'));
    await eventually('dropped', async () => (await count('dropped')) > 0);
    // refused together with the other one, then alone
    expect(refused).toContain(1);
    expect(sink.of({ alertname: 'LicenseExpired' })).toEqual([]);
    door.answer(undefined);
    await eventually('notified in the end', () => sink.of({ alertname: 'LicenseExpired' }).includes('firing'));
    expect(sink.of(down)).toEqual(['firing']);
  });
});

describe.runIf(peer('prometheus-alertmanager'))(
  'two daemons with resolve: expire and two Alertmanagers in a cluster',
  { concurrent: true },
  () => {
    it.concurrent('send one notification; one daemon dies: still firing; both are gone: it lapses', async ({
      cleanup,
    }) => {
      const site = await startSite(cleanup);
      const sink = await startSink(cleanup);
      const cluster = (port: number, peerPort?: number) => [
        `--cluster.listen-address=127.0.0.1:${port}`,
        `--cluster.advertise-address=127.0.0.1:${port}`,
        '--cluster.settle-timeout=2s',
        // longer than a busy host may take to pass on what was notified
        '--cluster.peer-timeout=4s',
        '--cluster.gossip-interval=50ms',
        ...(peerPort === undefined ? [] : [`--cluster.peer=127.0.0.1:${peerPort}`]),
      ];
      const [portA, portB] = await freePorts();
      // as in production longer than one waits for the other, which would else go by what it saw before the wait
      const groupInterval = '5s';
      const a = await startAlertmanager(cleanup, sink, { groupInterval, extra: cluster(portA) });
      const b = await startAlertmanager(cleanup, sink, { groupInterval, extra: cluster(portB, portA) });
      await eventually('a cluster of two', async () => (await a.peers()) === 2 && (await b.peers()) === 2);
      const doors = [await startDoor(cleanup, a.url), await startDoor(cleanup, b.url)];
      const settings = { ...quickPolls, ...quickEngine(doors.map(({ url }) => url)), 'alerting.resolve': 'expire' };
      const daemons = [];
      for (let i = 0; i < 2; i += 1) {
        const app = await startApp(createConfig(site.url, settings));
        cleanup.add(() => app.stop());
        daemons.push(app);
      }
      const down = { alertname: 'LicenseServerDown' };
      await site.setDown(true);
      await eventually('notified', () => sink.of(down).includes('firing'));
      // longer than the Alertmanagers wait for each other
      await evaluations(24, { app: daemons[0] });
      expect(sink.of(down)).toEqual(['firing']);
      await daemons[0]?.stop();
      // longer than an alert lasts without a resend
      await evaluations(40, { app: daemons[1] });
      expect(sink.of(down)).toEqual(['firing']);
      for (const alertmanager of [a, b]) expect(await firing(alertmanager, down)).toHaveLength(1);
      // the alert ends in both at once: it would fire again in the one where it ends later
      const ends = () => Promise.all([a, b].map(async (of) => (await firing(of, down))[0]?.endsAt));
      await eventually('the last resend reaches both or none of them', async () => {
        for (const door of doors) door.answer(undefined);
        const [before] = await ends();
        await eventually('a resend', async () => (await ends())[0] !== before);
        for (const door of doors) door.answer((_, response) => void response.destroy());
        // what they let through arrives
        await new Promise((resolve) => setTimeout(resolve, 100));
        const [ofA, ofB] = await ends();
        return ofA === ofB;
      });
      await daemons[1]?.stop();
      await eventually('it lapses', () => sink.of(down).includes('resolved'));
      // no daemon is left that could be waited for: longer than it takes until both have dealt with the group again
      await new Promise((resolve) => setTimeout(resolve, 4000));
      expect(sink.of(down)).toEqual(['firing', 'resolved']);
    });
  },
);
