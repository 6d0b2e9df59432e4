import { afterEach, expect, it, vi } from 'vitest';
import { createClock, type Look } from '../../../src/base/scheduling/clock.ts';

const START = Date.parse('2026-11-18T12:00:00Z') / 1000;

afterEach(() => {
  vi.useRealTimers();
});

function createHost() {
  let at: Look = { wall: START, uptime: 100 };
  const pass = (wall: number, uptime: number): void => {
    at = { wall: at.wall + wall, uptime: at.uptime + uptime };
  };
  return { clock: createClock(() => at), pass };
}

it.each([
  ['time passes', 600, 600],
  ['the host sleeps, or the process is paused', 7200, 7200],
  ['the clock is corrected by 10 s', 70, 60],
  ['the clock is corrected by -10 s', 50, 60],
])('shows the time of the host: %s', (_, wall, uptime) => {
  const { clock, pass } = createHost();
  pass(wall, uptime);
  expect([clock.now(), clock.moved(), clock.follow()]).toEqual([START + wall, 0, 0]);
});

it('follows any number of small corrections', () => {
  const { clock, pass } = createHost();
  for (let i = 0; i < 100; i += 1) {
    pass(11, 1);
    expect(clock.now()).toBe(START + 11 * (i + 1));
  }
});

it.each([
  ['forward', 10_800],
  ['back', -7200],
  ['forward, as a machine does whose time stood still', 600],
])('goes on as before while the clock is set %s, until it follows', (_, by) => {
  const { clock, pass } = createHost();
  pass(60 + by, 60);
  expect([clock.now(), clock.moved()]).toEqual([START + 60, by]);
  pass(5, 5);
  // small corrections in between
  expect([clock.now(), clock.moved()]).toEqual([START + 65, by]);
  expect([clock.follow(), clock.now(), clock.moved()]).toEqual([by, START + 65 + by, 0]);
  pass(5, 5);
  expect([clock.follow(), clock.now()]).toEqual([0, START + 70 + by]);
});

it('shows the time of the host again when the clock is set back to where it was', () => {
  const { clock, pass } = createHost();
  pass(10_800, 0);
  expect(clock.moved()).toBe(10_800);
  pass(-10_800, 3);
  expect([clock.now(), clock.moved(), clock.follow()]).toEqual([START, 0, 0]);
});

it('notices within 5 seconds that the clock was set, and asks until it is followed', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { clock, pass } = createHost();
  const seen: number[] = [];
  const stop = clock.watch(() => seen.push(clock.moved()));
  const look = (by = 0): void => {
    pass(5 + by, 5);
    vi.advanceTimersByTime(5000);
  };
  look();
  expect(seen).toEqual([]);
  look(-7200);
  look();
  expect(seen).toEqual([-7200, -7200]);
  clock.follow();
  look();
  expect(seen).toHaveLength(2);
  stop();
  look(10_800);
  expect(seen).toHaveLength(2);
});
