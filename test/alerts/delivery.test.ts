import { afterEach, describe, expect, it } from 'vitest';
import { createAlertmanager } from '../../src/alerts/alertmanager.ts';
import { createCounts, createDelivery, QUEUE_CAPACITY } from '../../src/alerts/delivery.ts';
import type { Notification } from '../../src/alerts/notification.ts';
import { type FakeAlertmanager, startFakeAlertmanager, status } from '../support/fake-alertmanager.ts';
import { createCleanup, createTestLog, eventually } from '../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NOW = 1_800_000_000;
const noTls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };

function notification(name: string, more: Partial<Notification> = {}): Notification {
  return {
    key: name,
    labels: { alertname: name },
    annotations: { summary: 'x' },
    startsAt: NOW - 60,
    endsAt: NOW + 240,
    isFiring: true,
    generatorURL: 'http://exporter:10319/alerts',
    ...more,
  };
}

const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => notification(`a${from + i}`));

async function start(options: { timeout?: number } = {}) {
  const fake: FakeAlertmanager = await startFakeAlertmanager(cleanup);
  const log = createTestLog();
  const alertmanager = createAlertmanager({
    url: fake.url,
    timeout: options.timeout ?? 5,
    authorization: () => undefined,
    tls: noTls,
    userAgent: 'license-exporter/test',
  });
  const counts = createCounts();
  const delivery = createDelivery({ alertmanager, counts, now: () => NOW, log });
  cleanup.add(() => delivery.stop(0));
  const names = () => fake.requests.map(({ alerts }) => alerts.map(({ labels }) => labels.alertname));
  return { fake, log, delivery, counts, names };
}

describe('delivery', () => {
  it('sends what Alertmanager wants to see', async () => {
    const { fake, delivery, counts } = await start();
    delivery.enqueue([notification('a')]);
    await eventually('sent', () => counts.sent === 1);
    const [request] = fake.requests;
    expect([request?.method, request?.url, request?.headers['content-type'], request?.headers['user-agent']]).toEqual([
      'POST',
      '/api/v2/alerts',
      'application/json',
      'license-exporter/test',
    ]);
    expect(request?.alerts).toEqual([
      {
        labels: { alertname: 'a' },
        annotations: { summary: 'x' },
        startsAt: '2027-01-15T07:59:00.000Z',
        endsAt: '2027-01-15T08:04:00.000Z',
        generatorURL: 'http://exporter:10319/alerts',
      },
    ]);
    expect(counts).toEqual({ sent: 1, errors: 0, dropped: 0, lastSuccess: NOW });
  });

  it('sends batches of 64, one after the other', async () => {
    const { fake, delivery, counts } = await start();
    let open = 0;
    fake.answer((_, response) => {
      open += 1;
      expect(open).toBe(1);
      // long enough for a second one to come, if it were sent
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 5);
    });
    delivery.enqueue(many(200));
    await eventually('sent', () => counts.sent === 200);
    expect(fake.requests.map(({ alerts }) => alerts.length)).toEqual([64, 64, 64, 8]);
  });

  it('replaces a queued notification by a newer one of the same alert', async () => {
    const { fake, delivery, counts } = await start();
    const waiting: (() => void)[] = [];
    fake.answer((_, response) => void waiting.push(() => response.end()));
    delivery.enqueue([notification('first')]);
    await eventually('the first is on its way', () => waiting.length === 1);
    delivery.enqueue([notification('a'), notification('b')]);
    delivery.enqueue([notification('a', { isFiring: false, endsAt: NOW })]);
    expect(delivery.queueLength()).toBe(2);
    fake.answer(status(200));
    waiting[0]?.();
    await eventually('sent', () => counts.sent === 3);
    expect(fake.requests[1]?.alerts.map(({ labels, endsAt }) => [labels.alertname, endsAt])).toEqual([
      ['a', '2027-01-15T08:00:00.000Z'],
      ['b', '2027-01-15T08:04:00.000Z'],
    ]);
  });

  it('drops the oldest when the queue is full', async () => {
    const { fake, delivery, counts } = await start();
    fake.answer(() => {});
    delivery.enqueue([notification('on its way')]);
    await eventually('on its way', () => fake.requests.length === 1);
    delivery.enqueue(many(QUEUE_CAPACITY + 5));
    expect([delivery.queueLength(), counts.dropped]).toEqual([QUEUE_CAPACITY, 5]);
  });

  it('does not send a notification whose end has passed: it would look resolved', async () => {
    const { delivery, counts, names } = await start();
    delivery.enqueue([
      notification('late', { endsAt: NOW }),
      notification('resolved', { isFiring: false, endsAt: NOW - 5 }),
    ]);
    await eventually('sent', () => counts.sent === 1);
    expect([names(), counts.dropped]).toEqual([[['resolved']], 1]);
  });

  it.each([
    ['answers 500', status(500, '"no"'), 'status 500: no'],
    ['is not reached', ((_, response) => response.destroy()) as ReturnType<typeof status>, 'UND_ERR_SOCKET'],
    ['wants a logon', status(401), 'status 401'],
    ['answers nonsense', status(502, '<html>\n<b>Bad</b>'), 'status 502: <html> <b>Bad</b>'],
  ])('leaves it to the next resend when Alertmanager %s', async (_, answer, reason) => {
    const { fake, delivery, counts, log } = await start();
    fake.answer(answer);
    delivery.enqueue(many(70));
    await eventually('given up', () => counts.errors === 70);
    expect([counts.sent, counts.dropped, counts.lastSuccess, fake.requests.length]).toEqual([0, 0, undefined, 2]);
    // logged once, not for each batch
    expect(log.entries.map(({ level, fields, message }) => [level, message, fields.reason])).toEqual([
      ['warn', 'alerts not delivered', reason],
    ]);
    fake.answer(status(200));
    delivery.enqueue(many(2));
    await eventually('sent', () => counts.sent === 2);
    expect(log.entries.at(-1)?.message).toBe('alerts are delivered again');
  });

  it('gives up on an Alertmanager that hangs, and goes on', async () => {
    const { fake, delivery, counts, log } = await start({ timeout: 0.2 });
    fake.answer(() => {});
    delivery.enqueue(many(1));
    await eventually('given up', () => counts.errors === 1);
    expect(log.entries[0]?.fields.reason).toBe('no answer within 0.2 s');
    fake.answer(status(200));
    delivery.enqueue(many(1));
    await eventually('sent', () => counts.sent === 1);
  });

  it.each([400, 422, 413])('splits a batch that is refused with %i, once, and drops the bad ones', async (code) => {
    const { fake, delivery, counts, log, names } = await start();
    fake.answer(({ alerts }, response) => {
      const isBad = alerts.some(({ labels }) => labels.alertname === 'a1');
      status(isBad ? code : 200, isBad ? '{"code":602,"message":"1.labels is bad"}' : '')(undefined as never, response);
    });
    delivery.enqueue(many(3));
    await eventually('sent', () => counts.sent + counts.dropped === 3);
    expect(names()).toEqual([['a0', 'a1', 'a2'], ['a0'], ['a1'], ['a2']]);
    expect([counts.sent, counts.errors, counts.dropped]).toEqual([2, 1, 1]);
    expect(log.entries.map(({ message, fields }) => [message, fields.labels, fields.reason])).toEqual([
      ['alert refused by Alertmanager', { alertname: 'a1' }, `status ${code}: 1.labels is bad`],
    ]);
    // a batch of which the rest was taken has reached the Alertmanager
    expect(counts.lastSuccess).toBe(NOW);
  });

  it('sends an empty list as heartbeat, and counts one error when that fails', async () => {
    const { fake, delivery, counts } = await start();
    delivery.heartbeat();
    await eventually('taken', () => counts.lastSuccess === NOW);
    expect(fake.requests.map(({ alerts }) => alerts)).toEqual([[]]);
    expect(counts.sent).toBe(0);
    fake.answer(status(500));
    delivery.heartbeat();
    await eventually('counted', () => counts.errors === 1);
  });

  it('sends the rest of the queue at its stop, until a time limit', async () => {
    const { fake, delivery, counts } = await start();
    // slow enough for batches to wait
    fake.answer((_, response) => void setTimeout(() => response.end(), 20));
    delivery.enqueue(many(200));
    await delivery.stop(5);
    expect(counts.sent).toBe(200);

    const hanging = await start();
    hanging.fake.answer(() => {});
    hanging.delivery.enqueue(many(200));
    const started = performance.now();
    await hanging.delivery.stop(0.2);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(hanging.counts.sent).toBe(0);
  });
});
