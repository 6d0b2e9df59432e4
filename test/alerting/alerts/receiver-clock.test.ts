import { afterEach, expect, it, vi } from 'vitest';
import { createAlertmanager, createReceiverClock } from '../../../src/alerting/alerts/alertmanager.ts';
import { alertsBody, type Notification } from '../../../src/alerting/alerts/notification.ts';
import type { Look } from '../../../src/base/scheduling/clock.ts';
import { startFakeAlertmanager } from '../../support/fake-alertmanager.ts';
import { createCleanup } from '../../support/harness.ts';

const cleanup = createCleanup();
afterEach(async () => {
  vi.useRealTimers();
  await cleanup.run();
});

const START = Date.parse('2026-11-18T12:00:00Z') / 1000;
const dateOf = (seconds: number): string => new Date(seconds * 1000).toUTCString();

function createHost() {
  let at: Look = { wall: START, uptime: 100 };
  const pass = (wall: number, uptime: number): void => {
    at = { wall: at.wall + wall, uptime: at.uptime + uptime };
  };
  let now = START;
  const clock = createReceiverClock(
    () => now,
    () => at,
  );
  const setNow = (next: number): void => {
    now = next;
  };
  return { clock, pass, setNow };
}

it.each([
  [-7200, -7200],
  [-31, -31],
  [-30, 0],
  [0, 0],
  [30, 0],
  [31, 31],
  [7200, 7200],
])('takes the time of a receiver that is %d s ahead', (difference, ahead) => {
  const { clock } = createHost();
  expect([clock.isUncertain(), clock.ahead()]).toEqual([true, 0]);
  clock.receive(dateOf(START + difference));
  expect([clock.isUncertain(), clock.ahead()]).toEqual([false, ahead]);
});

it.each([
  ['time passes', 600, 600, false],
  ['the host sleeps', 7200, 7200, false],
  ['the clock is corrected by 10 s', 70, 60, false],
  ['the clock is set forward', 7260, 60, true],
  ['the clock is set back', -7140, 60, true],
])('is certain until the clock of the host is set: %s', (_, wall, uptime, isUncertain) => {
  const { clock, pass } = createHost();
  clock.receive(dateOf(START));
  pass(wall, uptime);
  expect(clock.isUncertain()).toBe(isUncertain);
});

it.each([undefined, 'soon'])('takes both clocks for equal when the header is %s', (date) => {
  const { clock } = createHost();
  clock.receive(date);
  expect([clock.isUncertain(), clock.ahead()]).toEqual([false, 0]);
});

it.each([-7200, 10_800])(
  'knows the clock of a receiver before its own one follows the host, which is set by %d s',
  (step) => {
    const { clock, pass, setNow } = createHost();
    clock.receive(dateOf(START));
    pass(step, 0);
    // on the same host
    clock.receive(dateOf(START + step));
    expect([clock.isUncertain(), clock.ahead()]).toEqual([false, step]);
    // on another host
    clock.receive(dateOf(START));
    expect([clock.isUncertain(), clock.ahead()]).toEqual([false, 0]);
    setNow(START + step);
    clock.receive(dateOf(START + step));
    expect([clock.isUncertain(), clock.ahead()]).toEqual([false, 0]);
  },
);

it.each([-7200, 10_800])('sends times in the clock of an Alertmanager when this host is set by %d s', async (step) => {
  const fake = await startFakeAlertmanager(cleanup);
  const client = createAlertmanager({
    now: () => Date.now() / 1000,
    url: fake.url,
    timeout: 5,
    authorization: () => undefined,
    proxy: undefined,
    tls: { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false },
    userAgent: 'license-exporter/test',
  });
  cleanup.add(() => client.close());
  const real = Date.now();
  // the fake one is in this process: it says the real time itself
  fake.setDate(() => dateOf(real / 1000));
  const send = (): Promise<unknown> => {
    const now = Date.now() / 1000;
    const alert: Notification = {
      key: 'a',
      labels: { alertname: 'a' },
      annotations: {},
      startsAt: now,
      endsAt: now + 240,
      isFiring: true,
      generatorURL: 'http://exporter:10319/alerts',
    };
    return client.post((ahead) => alertsBody([alert], ahead));
  };
  await send();
  vi.useFakeTimers({ now: real + step * 1000, toFake: ['Date'] });
  await send();
  const ends = fake.requests.map(({ alerts }) => Date.parse(alerts[0]?.endsAt ?? '') - real);
  // whole seconds of the header
  for (const end of ends) expect(Math.abs(end - 240_000)).toBeLessThan(30_000);
  expect(ends).toHaveLength(2);
});
