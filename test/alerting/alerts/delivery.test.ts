import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { CONNECTIONS, createAlertmanager, type Outcome } from '../../../src/alerting/alerts/alertmanager.ts';
import { createCounts, createDelivery, QUEUE_CAPACITY } from '../../../src/alerting/alerts/delivery.ts';
import type { Notification } from '../../../src/alerting/alerts/notification.ts';
import { type FakeAlertmanager, startFakeAlertmanager, status } from '../../support/fake-alertmanager.ts';
import { createCleanup, createTestLog, eventually } from '../../support/harness.ts';

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
    now: () => Date.now() / 1000,
    url: fake.url,
    timeout: options.timeout ?? 5,
    authorization: () => undefined,
    proxy: undefined,
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

  it('sends batches of 256, as many at once as there are connections', async () => {
    const { fake, delivery, counts } = await start();
    const waiting: (() => void)[] = [];
    fake.answer((_, response) => void waiting.push(() => response.end()));
    delivery.enqueue(many(CONNECTIONS * 256 + 300));
    await eventually('all connections are in use', () => waiting.length === CONNECTIONS);
    expect(delivery.queueLength()).toBe(300);
    fake.answer(status(200));
    for (const answer of waiting) answer();
    await eventually('sent', () => counts.sent === CONNECTIONS * 256 + 300);
    expect(fake.requests.map(({ alerts }) => alerts.length).sort((x, y) => x - y)).toEqual([
      44,
      ...new Array(CONNECTIONS + 1).fill(256),
    ]);
  });

  it('sends a newer notification of an alert only after the older one, and the newest of those that wait', async () => {
    const { fake, delivery, counts } = await start();
    const waiting: (() => void)[] = [];
    fake.answer((_, response) => void waiting.push(() => response.end()));
    delivery.enqueue([notification('a'), notification('b')]);
    await eventually('they are on their way', () => waiting.length === 1);
    delivery.enqueue([notification('a'), notification('b')]);
    delivery.enqueue([notification('a', { isFiring: false, endsAt: NOW }), notification('c')]);
    await eventually('another alert does not wait', () => waiting.length === 2);
    expect(delivery.queueLength()).toBe(2);
    fake.answer(status(200));
    for (const answer of waiting) answer();
    await eventually('sent', () => counts.sent === 5);
    const sent = fake.requests.map(({ alerts }) => alerts.map(({ labels, endsAt }) => [labels.alertname, endsAt]));
    expect(sent.slice(1)).toEqual([
      [['c', '2027-01-15T08:04:00.000Z']],
      [
        ['a', '2027-01-15T08:00:00.000Z'],
        ['b', '2027-01-15T08:04:00.000Z'],
      ],
    ]);
  });

  it('never has an alert in two requests at once, and sends its states in order, however requests end', async () => {
    const action = fc.oneof(
      fc.record({ enqueue: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1 }) }),
      fc.record({ end: fc.nat({ max: 9 }), outcome: fc.constantFrom('accepted', 'failed', 'rejected') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const open: { readonly keys: string[]; readonly end: (outcome: Outcome) => void }[] = [];
        const sent = new Map<string, number>();
        const newest = new Map<string, number>();
        const post = (write: (ahead: number) => string): Promise<Outcome> => {
          const alerts = JSON.parse(write(0)) as { labels: { alertname: string }; annotations: { round: string } }[];
          const keys = alerts.map(({ labels }) => labels.alertname);
          for (const { labels, annotations } of alerts) {
            const round = Number(annotations.round);
            expect(open.some((other) => other.keys.includes(labels.alertname))).toBe(false);
            // a rejected batch is sent once more
            expect(round).toBeGreaterThanOrEqual(sent.get(labels.alertname) ?? 0);
            sent.set(labels.alertname, round);
          }
          expect(open.length).toBeLessThan(CONNECTIONS);
          return new Promise((resolve) => open.push({ keys, end: resolve }));
        };
        const alertmanager = {
          url: 'x',
          post,
          status: async () => ({ is: 'accepted' as const }),
          known: async () => [],
          close: async () => {},
        };
        const delivery = createDelivery({ alertmanager, counts: createCounts(), now: () => NOW, log: createTestLog() });
        const end = async (index: number, is: Outcome['is']): Promise<void> => {
          const [request] = open.splice(index % Math.max(1, open.length), 1);
          request?.end(is === 'accepted' ? { is } : { is, status: 400, reason: 'x' });
          await setImmediate();
        };
        for (const [round, step] of actions.entries()) {
          if ('end' in step) await end(step.end, step.outcome as Outcome['is']);
          else {
            for (const i of step.enqueue) newest.set(`a${i}`, round);
            delivery.enqueue(step.enqueue.map((i) => notification(`a${i}`, { annotations: { round: String(round) } })));
          }
        }
        while (open.length > 0) await end(0, 'accepted');
        expect([delivery.queueLength(), sent]).toEqual([
          0,
          new Map([...sent.keys()].map((key) => [key, newest.get(key)])),
        ]);
        expect(sent.size).toBe(newest.size);
        await delivery.stop(0);
      }),
    );
  });

  it('drops the oldest when the queue is full', async () => {
    const { fake, delivery, counts } = await start();
    fake.answer(() => {});
    delivery.enqueue(many(CONNECTIONS * 256));
    await eventually('on their way', () => fake.requests.length === CONNECTIONS);
    delivery.enqueue(many(QUEUE_CAPACITY + 5, CONNECTIONS * 256));
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
    delivery.enqueue(many(300));
    await eventually('given up', () => counts.errors === 300);
    expect([counts.sent, counts.dropped, counts.lastSuccess, fake.requests.length]).toEqual([0, 0, undefined, 2]);
    // logged once, not for each batch
    expect(log.entries.map(({ level, fields, message }) => [level, message, fields.reason])).toEqual([
      ['warn', 'alerts not delivered', reason],
    ]);
    expect(delivery.failing()).toEqual({ since: NOW, reason });
    fake.answer(status(200));
    delivery.enqueue(many(2));
    await eventually('sent', () => counts.sent === 2);
    expect(log.entries.at(-1)?.message).toBe('alerts are delivered again');
    expect(delivery.failing()).toBeUndefined();
  });

  it('gives up on an Alertmanager that hangs, and goes on', async () => {
    const { fake, delivery, counts, log } = await start({ timeout: 3 });
    fake.answer(() => {});
    delivery.enqueue(many(1));
    await eventually('given up', () => counts.errors === 1);
    expect(log.entries[0]?.fields.reason).toBe('no answer within 3 s');
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
    const { delivery, counts } = await start();
    delivery.enqueue(many(CONNECTIONS * 256 + 300));
    await delivery.stop(5);
    expect(counts.sent).toBe(CONNECTIONS * 256 + 300);

    // nothing else ends the request
    const hanging = await start({ timeout: 600 });
    hanging.fake.answer(() => {});
    hanging.delivery.enqueue(many(200));
    await hanging.delivery.stop(0.2);
    expect(hanging.counts.sent).toBe(0);
  });
});
