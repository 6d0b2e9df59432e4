import { afterEach, expect, it, vi } from 'vitest';
import { createSchedules } from '../../../src/exporter/poll/poller.ts';

const clock = (): number => Date.now() / 1000;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it.each([
  ['Europe/Berlin', '2026-10-24T23:50:30Z'],
  ['America/New_York', '2026-11-01T04:50:30Z'],
  ['Asia/Kathmandu', '2026-11-01T04:50:30Z'],
])('runs hourly schedules in the hour that %s repeats', async (zone, now) => {
  vi.stubEnv('TZ', zone);
  vi.useFakeTimers({ now: new Date(now) });
  const minutes: Record<string, number[]> = { often: [], hourly: [] };
  const expressions = new Map([
    ['often', '*/10 * * * *'],
    ['hourly', '17 * * * *'],
  ]);
  const schedules = createSchedules(expressions, 0, (name) => minutes[name]?.push(new Date().getMinutes()), clock);
  schedules.start();
  await vi.advanceTimersByTimeAsync(3 * 3600 * 1000);
  schedules.stop();
  expect([minutes.often?.length, minutes.hourly]).toEqual([18, [17, 17, 17]]);
});

it('runs once after several runs were missed, and then on schedule', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-18T12:00:30Z') });
  const runs: string[] = [];
  const run = (): void => void runs.push(new Date().toISOString().slice(11, 19));
  const schedules = createSchedules(new Map([['each', '* * * * *']]), 5, run, clock);
  schedules.start();
  vi.setSystemTime(new Date('2026-11-18T12:10:40Z'));
  await vi.advanceTimersByTimeAsync(120_000);
  schedules.stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(runs).toEqual(['12:11:15', '12:12:05']);
});

it('waits for a run that is further away than a timer can be set', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-18T12:00:30Z') });
  const runs: string[] = [];
  const run = (): void => void runs.push(new Date().toISOString().slice(0, 10));
  const schedules = createSchedules(new Map([['yearly', '@yearly']]), 0, run, clock);
  vi.stubEnv('TZ', 'UTC');
  schedules.start();
  await vi.advanceTimersByTimeAsync(50 * 86_400_000);
  schedules.stop();
  expect(runs).toEqual(['2027-01-01']);
});
