import { afterEach, describe, expect, it } from 'vitest';
import { answerFaults } from '../../../src/exporter/inventory/decoding/answer-faults.ts';
import type { SettingKey } from '../../../src/program/config/settings.ts';
import { FEATURE, get, PRODUCT, post } from '../../support/datasource-daemon.ts';
import { type Fault, json, startFaulty, status } from '../../support/faulty-analyzer.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

/** What panels get when the analyzer fails, is slow or refuses the logon. Nothing else is affected. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

async function start(settings: Partial<Record<SettingKey, unknown>> = {}) {
  const faulty = await startFaulty(cleanup);
  const app = await startApp(createConfig(faulty.url, settings));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return { faulty, app, url: `${app.url}/grafana` };
}

const ask = (url: string, feature: string | readonly string[] = FEATURE) =>
  post(`${url}/query`, { targets: [{ refId: 'A', target: 'history', payload: { product: PRODUCT, feature } }] });

const AWAY =
  'the analyzer cannot be reached: the connection was closed before the answer was complete (UND_ERR_SOCKET); check the log of the analyzer, proxies on the way, and whether the port in analyzer.url is for http or https';
const reset: Fault = (request) => request.socket.destroy();

describe('an analyzer that fails', () => {
  it.each([
    ['500', status(500), 502, 'upstream_status', 'the analyzer answered 500'],
    ['HTML', json('<html>'), 502, 'upstream_json', answerFaults.ANSWER_HTML.message],
    ['an object', json('{}'), 502, 'upstream_json', 'the answer is not an array'],
    ['401', status(401), 502, 'upstream_status', 'the analyzer answered 401'],
    ['a reset connection', reset, 503, 'upstream_down', AWAY],
  ] as const)('with %s is reported, and requested again next time', async (_, fault, code, name, message) => {
    const { faulty, url } = await start();
    faulty.break('GetHistory', fault);
    const reply = await ask(url);
    expect([reply.status, reply.body.error.code]).toEqual([code, name]);
    expect(reply.body.message).toBe(reply.body.error.message);
    if (message !== undefined) expect(reply.body.message).toBe(message);
    const { message: sentence } = reply.body;
    expect(reply.reason).toBe(sentence.length > 120 ? `${sentence.slice(0, 117)}...` : sentence);
    faulty.break(undefined);
    expect((await ask(url)).status).toBe(200);
  });

  it('in part is a notice to panels and beside rows', async () => {
    const { faulty, url } = await start();
    faulty.break('feature=sim-cad-1', status(500));
    const reply = await ask(url, [FEATURE, 'sim-cad-1']);
    expect(reply.status).toBe(200);
    expect(reply.body).toHaveLength(3);
    expect(reply.body[0].meta.notices).toEqual([
      { severity: 'error', text: 'feature "sim-cad-1": the analyzer answered 500' },
    ]);
    const rows = await get(`${url}/rows/history?product=${PRODUCT}&feature=${FEATURE}&feature=sim-cad-1`);
    expect([rows.status, rows.body.notices]).toEqual([200, reply.body[0].meta.notices]);
    expect(new Set(rows.body.rows.map((row: Record<string, unknown>) => row.feature))).toEqual(new Set([FEATURE]));
  });

  it('at polling is reported by the live targets and by the health check', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetProducts', status(500));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const health = await get(`${app.url}/grafana`);
    expect([health.status, health.body.error]).toEqual([
      503,
      { code: 'upstream_down', message: 'GetProducts: the analyzer answered 500' },
    ]);
    const products = await get(`${app.url}/grafana/rows/products`);
    expect([products.status, products.body.error]).toEqual([
      502,
      { code: 'upstream_status', message: 'GetProducts: the analyzer answered 500' },
    ]);
    // the reason is the one that everything hangs on
    const expirations = await get(`${app.url}/grafana/rows/expirations?product=%25`);
    expect(expirations.body.message).toBe('GetProducts: the analyzer answered 500');
    const down = await get(`${app.url}/grafana/rows/server_down`);
    expect([down.status, down.body.rows]).toEqual([200, []]);
  });

  it('says nothing of a license whose end the analyzer leaves out, polled or asked for', async () => {
    const faulty = await startFaulty(cleanup);
    const records = [{ Feature: 'unknown' }, { Feature: 'permanent', LicenseExpiration: 0 }];
    faulty.break('GetExpirationFeatures', json(JSON.stringify(records)));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    for (const search of ['', '&search=2']) {
      const { body } = await get(`${app.url}/grafana/rows/expirations?product=${PRODUCT}${search}`);
      const named = body.rows.filter(({ feature }: { feature: string }) => ['unknown', 'permanent'].includes(feature));
      expect(named).toMatchObject([{ feature: 'permanent', expires: 'permanent', days_left: null }]);
    }
  });

  it('for one vendor license is a warning beside the others', async () => {
    const faulty = await startFaulty(cleanup);
    faulty.break('GetExpirationFeatures?product=sim-lic02', status(500));
    const app = await startApp(createConfig(faulty.url));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const { status: code, body } = await post(`${app.url}/grafana/query`, {
      targets: [{ refId: 'A', target: 'expirations', payload: { product: 'sim-lic0%' } }],
    });
    expect(code).toBe(200);
    expect(body[0].rows.length).toBeGreaterThan(0);
    expect(body[0].meta.notices).toEqual([
      { severity: 'warning', text: 'GetExpirationFeatures of sim-lic02;sim_meshd: the analyzer answered 500' },
    ]);
    const rows = await get(`${app.url}/grafana/rows/expirations?product=sim-lic0%25`);
    expect([rows.status, rows.body.notices]).toEqual([200, body[0].meta.notices]);
    expect(rows.body.rows.length).toBe(body[0].rows.length);
  });
});

describe('the path of the datasource', () => {
  it('can be another one', async () => {
    const { app } = await start({ 'datasource.path': '/json/v1' });
    expect((await get(`${app.url}/json/v1`)).status).toBe(200);
    expect((await get(`${app.url}/json/v1/rows/products`)).status).toBe(200);
    expect((await get(`${app.url}/json/v1/nothing`)).body.error.code).toBe('not_found');
    expect((await fetch(`${app.url}/grafana`)).status).toBe(404);
    expect(await (await fetch(app.url)).text()).toContain('href="json/v1"');
  });
});

describe('an analyzer that does not answer', () => {
  it('delays neither scrapes nor polls, and panels get an error in time', async () => {
    const { faulty, app, url } = await start({
      'datasource.deadline': '10s',
      'poll.products': '* * * * * *',
      'analyzer.concurrency': 4,
    });
    const hanging: (() => void)[] = [];
    faulty.break('GetHistory', (_, response) => hanging.push(() => response.destroy()));
    cleanup.add(() => {
      for (const end of hanging) end();
    });
    let answered = 0;
    // as many as one address can have at once: more would wait until these are answered
    const panels = Array.from({ length: 16 }, async (_, i) => {
      const reply = await ask(url, `f${i}`);
      answered += 1;
      return reply;
    });
    await eventually('requests hang', () => hanging.length === 2);
    const polled = 'license_poll_last_success_timestamp_seconds{endpoint="GetProducts"}';
    const before = await app.sample(polled);
    await eventually('another poll', async () => (await app.sample(polled)) !== before);
    expect(answered).toBe(0);
    // half of the connections is the most that panels get
    expect(hanging).toHaveLength(2);
    const replies = await Promise.all(panels);
    for (const { status: code, body } of replies) {
      expect([code, body.error.code, body.message]).toEqual([
        504,
        'deadline',
        'the analyzer did not answer within 10 s',
      ]);
    }
    faulty.break(undefined);
    expect((await ask(url)).status).toBe(200);
  });
});

describe('an analyzer that refuses the logon', () => {
  it('is never reported as 401', async () => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const app = await startApp(createConfig(analyzer.url, { 'analyzer.password': 'not-the-right-one' }));
    cleanup.add(() => app.stop());
    await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
    const reply = await ask(`${app.url}/grafana`);
    expect([reply.status, reply.body.error.code]).toEqual([502, 'upstream_auth']);
    expect(reply.body.message).toMatch(/logon|rejected|suspended/);
    expect(JSON.stringify(reply.body)).not.toContain('not-the-right-one');
    const live = await get(`${app.url}/grafana/rows/products`);
    expect([live.status, live.body.error.code]).toEqual([502, 'upstream_auth']);
    const health = await get(`${app.url}/grafana`);
    expect([health.status, health.body.error.code]).toEqual([503, 'upstream_down']);
  });
});
