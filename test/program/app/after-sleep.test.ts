import { afterEach, expect, it } from 'vitest';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';
import { createHostClock } from '../../support/host-clock.ts';

/** A machine that slept, or a process that was stopped: the timers of the process are late, and time has passed. */

const YEARLY = '0 0 1 1 *';
const endpoints = ['products', 'server_down', 'concurrent_users', 'features', 'expirations'] as const;
const rarely = Object.fromEntries(endpoints.map((name) => [`poll.${name}`, YEARLY]));

const cleanup = createCleanup();
afterEach(() => cleanup.run());

async function start() {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const host = createHostClock();
  const settings = { ...rarely, 'poll.max_data_age': '1h' };
  const app = await startApp(createConfig(analyzer.url, settings), { clock: host.clock });
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return { app, host };
}

const DATA = /^license_(server_up|feature_in_use)\{/m;

it('answers the first scrape after it without data that is too old', async () => {
  const { app, host } = await start();
  host.pass(3000);
  expect(await app.metrics()).toMatch(DATA);
  host.pass(3600);
  const page = await app.metrics();
  expect(page).not.toMatch(DATA);
  expect(page).toContain('license_poll_success{endpoint="GetFeatures"}');
});

it('does not repeat an answer from before it', async () => {
  const { app, host } = await start();
  const asked = await Promise.all([app.metrics(), app.metrics({ 'accept-encoding': 'identity' })]);
  for (const page of asked) expect(page).toMatch(DATA);
  host.pass(7200);
  const [plain, compressed, part] = await Promise.all([
    app.metrics({ 'accept-encoding': 'identity' }),
    app.metrics(),
    (await fetch(`${app.url}/metrics?collect[]=features`)).text(),
  ]);
  for (const page of [plain, compressed, part]) expect(page).not.toMatch(DATA);
});

it.each(['features', 'expirations'])('answers rows of %s without data that is too old', async (rows) => {
  const { app, host } = await start();
  const read = async (): Promise<string> => (await fetch(`${app.url}/grafana/rows/${rows}?product=%25`)).text();
  expect(await read()).toContain('"feature":"sim-');
  host.pass(7200);
  expect(await read()).not.toContain('"feature":"sim-');
});
