import type { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../support/harness.ts';

/** The thread that holds the features can end, for example because it runs out of memory. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

it('requests the features again at once when the thread that holds them ends, and says so', async () => {
  const threads: Worker[] = [];
  const onWorker = (worker: Worker): void => void threads.push(worker);
  process.on('worker', onWorker);
  cleanup.add(() => void process.off('worker', onWorker));
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  // after the first poll, nothing is scheduled
  const never = '0 0 1 1 *';
  const app = await startApp(createConfig(analyzer.url, { 'poll.features': never, 'poll.expirations': never }));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const features = (page: string): readonly string[] =>
    page.split('\n').filter((line) => /^license_feature_(info|expiration)/.test(line));
  const before = features(await app.metrics());
  expect(before.length).toBeGreaterThan(10);
  expect(threads).toHaveLength(1);

  await threads[0]?.terminate();
  await eventually('the features are back', async () => features(await app.metrics()).length === before.length);
  expect(features(await app.metrics())).toEqual(before);
  expect(threads).toHaveLength(2);
  expect(await app.sample('license_poll_success{endpoint="GetFeatures"}')).toBe(1);
  const logged = app.log.entries.find(({ level }) => level === 'error');
  expect(logged?.message).toBe('features and expiries are lost, and are requested again');
  expect(String(logged?.fields.err)).toContain('the thread that decodes answers ended with exit code');
});

it('starts no thread after the other when each of them ends at once, and says why', async () => {
  const threads: Worker[] = [];
  const onWorker = (worker: Worker): void => {
    threads.push(worker);
    void worker.terminate();
  };
  process.on('worker', onWorker);
  cleanup.add(() => void process.off('worker', onWorker));
  const analyzer = await startAnalyzer({}, { gate: 'none' });
  cleanup.add(() => analyzer.stop());
  const app = await startApp(createConfig(analyzer.url));
  cleanup.add(() => app.stop());
  await eventually('first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  const started = threads.length;
  expect(started).toBeLessThan(30);
  expect(await app.sample('license_up')).toBe(0);
  const reasons = app.log.entries.filter(({ level }) => level === 'error').map(({ fields }) => String(fields.err));
  expect(reasons.some((reason) => reason.includes('ended with exit code'))).toBe(true);

  process.off('worker', onWorker);
});
