import { afterEach, expect, it, vi } from 'vitest';
import { createApp } from '../../../src/program/app/app.ts';
import { startFakeAlertmanager } from '../../support/fake-alertmanager.ts';
import { json, startFaulty } from '../../support/faulty-analyzer.ts';
import {
  createCleanup,
  createConfig,
  createTestLog,
  eventually,
  startAnalyzer,
  startApp,
} from '../../support/harness.ts';

/** Alerts and Grafana have the newest data even when metrics cannot be rendered. */

const renderer = vi.hoisted(() => ({ isBroken: false }));
vi.mock('../../../src/exporter/metrics/family.ts', async (importOriginal) => {
  const actual = await importOriginal<typeof import('../../../src/exporter/metrics/family.ts')>();
  const { createBlock } = actual;
  return {
    ...actual,
    createBlock: (...args: Parameters<typeof createBlock>) => {
      if (renderer.isBroken) throw new Error('a bug in the renderer');
      return createBlock(...args);
    },
  };
});

const cleanup = createCleanup();
afterEach(async () => {
  renderer.isBroken = false;
  await cleanup.run();
});

it('when the renderer throws, alerts and Grafana have the newest data, and /metrics answers 500', async () => {
  const alertmanager = await startFakeAlertmanager(cleanup);
  const faulty = await startFaulty(cleanup);
  const app = await startApp(
    createConfig(faulty.url, {
      'poll.products': '* * * * * *',
      'poll.server_down': '* * * * * *',
      'alerting.alertmanagers': [alertmanager.url],
      'alerting.evaluation_interval': '250ms',
    }),
  );
  cleanup.add(() => app.stop());
  const isDown = async (): Promise<boolean> =>
    ((await (await fetch(`${app.url}/grafana/rows/server_down`)).json()) as { rows: { product: string }[] }).rows.some(
      ({ product }) => product === 'newly;down',
    );
  await eventually('the first poll', async () => (await app.sample('license_up')) === 1);
  expect(await isDown()).toBe(false);

  renderer.isBroken = true;
  faulty.break('GetServerDown', json('[{"Label":"newly;down"}]'));
  await eventually('Grafana shows it', isDown);
  await eventually('the alert is sent', () =>
    alertmanager.requests.some(({ alerts }) => alerts.some(({ labels }) => labels.vendor_license === 'newly;down')),
  );
  expect((await fetch(`${app.url}/metrics`)).status).toBe(500);
  const reported = app.log.entries.find(({ level, fields }) => level === 'error' && fields.reader === 'metrics');
  expect(reported?.message).toBe('the inventory could not be used');

  renderer.isBroken = false;
  await eventually('the page is back', async () =>
    (await app.metrics()).includes('license_server_up{vendor_license="newly;down"} 0'),
  );
});

it('a renderer that throws leaves a single poll without metrics, and not up', async () => {
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const log = createTestLog();
  const app = createApp(createConfig(analyzer.url), { log, version: '0.0.0', revision: 'test', demo: false });
  cleanup.add(() => app.stop());
  renderer.isBroken = true;
  expect(await app.runOnce()).toEqual({ page: [], up: false });
  expect(log.entries.map(({ message }) => message)).toContain('the inventory could not be used');
});
