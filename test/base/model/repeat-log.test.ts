import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitRepeats } from '../../../src/base/model/repeat-log.ts';
import { createTestLog } from '../../support/harness.ts';

/** A problem that comes with every request is a line a minute. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

function create() {
  const log = createTestLog();
  const lines = () => log.entries.splice(0);
  return { log: limitRepeats(log), lines };
}

it('writes the first line at once, and then the number of repeats once a minute', () => {
  const { log, lines } = create();
  const fail = (seconds: number) => log.error({ err: new Error('broken'), seconds }, 'request failed');
  for (let i = 0; i < 50; i += 1) fail(i);
  expect(lines()).toEqual([
    { level: 'error', message: 'request failed', fields: { err: new Error('broken'), seconds: 0 } },
  ]);
  vi.advanceTimersByTime(59_999);
  expect(lines()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(lines()).toMatchObject([{ message: 'request failed', fields: { repeated: 49 } }]);
  fail(1);
  vi.advanceTimersByTime(60_000);
  expect(lines()).toMatchObject([{ fields: { repeated: 1 } }]);
  vi.advanceTimersByTime(600_000);
  expect(lines()).toEqual([]);
  fail(2);
  expect(lines()).toMatchObject([{ fields: { seconds: 2 } }]);
});

it('tells other causes apart, by their texts and not by what is affected', () => {
  const { log, lines } = create();
  const failures: [object, string][] = [
    [{ err: new Error('a') }, 'request failed'],
    [{ err: new Error('b') }, 'request failed'],
    [{ err: new TypeError('b') }, 'request failed'],
    [{ reader: 'alerts', err: new Error('b') }, 'request failed'],
    [{ reader: 'alerts', err: new Error('b') }, 'another message'],
  ];
  for (const [fields, message] of failures) log.warn(fields, message);
  expect(lines()).toHaveLength(failures.length);
  log.warn({ reason: 'refused', labels: { alertname: 'a' } }, 'alert refused');
  log.warn({ reason: 'refused', labels: { alertname: 'b' } }, 'alert refused');
  expect(lines()).toMatchObject([{ fields: { labels: { alertname: 'a' } } }]);
});

it('counts the causes beyond the hundredth as one', () => {
  const { log, lines } = create();
  for (let i = 0; i < 1000; i += 1) log.error({ reason: `r${i}` }, 'request failed');
  expect(lines()).toHaveLength(101);
  vi.advanceTimersByTime(60_000);
  expect(lines()).toMatchObject([{ fields: { repeated: 899 } }]);
});

it('does not limit what is no problem', () => {
  const { log, lines } = create();
  for (let i = 0; i < 3; i += 1) log.info({}, 'configuration reloaded');
  log.debug({}, 'poll ended');
  log.debug({}, 'poll ended');
  expect(lines()).toHaveLength(5);
});
