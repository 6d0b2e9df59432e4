import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { historyPart, type PolledEndpoint, WHOLE } from '../../../src/base/model/snapshot.ts';
import { createFailureLog, type FailedPart } from '../../../src/exporter/poll/failure-log.ts';
import { createTestLog } from '../../support/harness.ts';

/** What the log says about polls that fail. */

const START = Date.UTC(2026, 10, 18, 9, 30) / 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const failure = (kind: FailedPart['kind'], part = WHOLE, code?: string): FailedPart => ({
  part,
  kind,
  message: `${kind}: do this`,
  ...(code !== undefined && { code }),
});

function createScenario() {
  const log = createTestLog();
  let at = START;
  const failures = createFailureLog({ log, now: () => at });
  /** The lines since the last call. */
  const lines = () => log.entries.splice(0).map(({ level, fields, message }) => ({ level, message, ...fields }));
  const pass = (endpoint: PolledEndpoint, failed: readonly FailedPart[] = [], parts = 1) =>
    failures.passEnded(endpoint, failed, parts);
  /** Time passes. What waits is written. */
  const wait = (seconds: number) => {
    at += seconds;
    vi.advanceTimersByTime(seconds * 1000);
  };
  /** Passes of an endpoint, one each minute. */
  const passEachMinute = (minutes: number, ...[endpoint, failed, parts]: Parameters<typeof pass>) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      wait(60);
      pass(endpoint, failed, parts);
    }
  };
  return { failures, lines, pass, wait, passEachMinute };
}

const refused = [failure('connect', WHOLE, 'ECONNREFUSED')];

describe('polls that fail', () => {
  it('for one cause are one line when it begins, and one when it is over', () => {
    const { lines, pass, wait } = createScenario();
    for (const endpoint of ['GetProducts', 'GetServerDown', 'GetFeatures'] as const) {
      pass(endpoint, refused);
      wait(0.5);
    }
    expect(lines()).toEqual([]);
    wait(5);
    expect(lines()).toEqual([
      {
        level: 'warn',
        message: 'poll failed',
        endpoints: ['GetProducts', 'GetServerDown', 'GetFeatures'],
        kind: 'connect',
        code: 'ECONNREFUSED',
        reason: 'connect: do this',
      },
    ]);
    wait(60);
    pass('GetProducts', refused);
    pass('GetFeatures', refused);
    wait(32);
    for (const endpoint of ['GetProducts', 'GetServerDown', 'GetFeatures'] as const) pass(endpoint);
    wait(5);
    expect(lines()).toEqual([
      {
        level: 'info',
        message: 'poll recovered',
        endpoints: ['GetProducts', 'GetServerDown', 'GetFeatures'],
        seconds: 98.5,
        attempts: 5,
      },
    ]);
    wait(9999);
    pass('GetProducts');
    expect(lines()).toEqual([]);
  });

  it('are summarized after 5, 15 and 60 minutes, and then each hour', () => {
    const { lines, pass, passEachMinute } = createScenario();
    pass('GetProducts', refused);
    pass('GetServerDown', refused);
    const summaries: [number, unknown][] = [];
    for (let minute = 1; minute <= 300; minute += 1) {
      passEachMinute(1, 'GetProducts', refused);
      summaries.push(...lines().map((line): [number, unknown] => [minute, line]));
    }
    expect(summaries.map(([minute, line]) => [minute, (line as { message: string }).message])).toEqual([
      [1, 'poll failed'],
      ...[5, 20, 80, 140, 200, 260].map((minute) => [minute, 'poll still fails']),
    ]);
    expect(summaries[1]?.[1]).toEqual({
      level: 'warn',
      message: 'poll still fails',
      endpoints: ['GetProducts', 'GetServerDown'],
      kind: 'connect',
      code: 'ECONNREFUSED',
      reason: 'connect: do this',
      since: new Date(START * 1000),
      attempts: 7,
    });
  });

  it('are a new line for each kind, once', () => {
    const { lines, pass, wait } = createScenario();
    const kinds = ['connect', 'auth', 'auth_suspended', 'connect', 'auth_suspended'] as const;
    for (const kind of kinds) {
      pass('GetProducts', [failure(kind)]);
      wait(60);
    }
    expect(lines()).toMatchObject([{ kind: 'connect' }, { kind: 'auth' }, { kind: 'auth_suspended' }]);
    pass('GetProducts');
    wait(5);
    expect(lines()).toMatchObject([{ message: 'poll recovered', seconds: 300, attempts: 5 }]);
  });

  it('name a cause that is over before its line is written', () => {
    const { lines, pass, failures } = createScenario();
    pass('GetProducts', [failure('auth')]);
    pass('GetProducts', [failure('auth_suspended')]);
    pass('GetProducts');
    failures.flush();
    expect(lines()).toMatchObject([{ kind: 'auth' }, { kind: 'auth_suspended' }, { message: 'poll recovered' }]);
  });

  it('are two lines for two statuses', () => {
    const { lines, pass, wait } = createScenario();
    pass('GetProducts', [failure('status', WHOLE, '500')]);
    pass('GetConcurrentUsers', [failure('status', WHOLE, '405')]);
    wait(5);
    expect(lines()).toMatchObject([
      { endpoints: ['GetProducts'], code: '500' },
      { endpoints: ['GetConcurrentUsers'], code: '405' },
    ]);
  });

  it('of some vendor licenses are a line with up to three names, and the summary has the newest ones', () => {
    const { lines, pass, passEachMinute, wait } = createScenario();
    const failed = (...names: readonly string[]) => names.map((name) => failure('timeout', name));
    pass('GetExpirationFeatures', failed('a;x', 'b;x', 'c;x', 'd;x'), 9);
    wait(5);
    expect(lines()).toEqual([
      {
        level: 'warn',
        message: 'poll failed for some vendor licenses',
        endpoints: ['GetExpirationFeatures'],
        kind: 'timeout',
        code: undefined,
        reason: 'timeout: do this',
        failed: 4,
        vendor_licenses: ['a;x', 'b;x', 'c;x'],
      },
    ]);
    passEachMinute(7, 'GetExpirationFeatures', failed('d;x', 'e;x'), 9);
    expect(lines()).toMatchObject([
      {
        message: 'poll still fails for some vendor licenses',
        failed: 2,
        vendor_licenses: ['d;x', 'e;x'],
        attempts: 6,
      },
    ]);
    pass('GetExpirationFeatures', failed('a;x', 'b;x'), 2);
    wait(5);
    expect(lines()).toMatchObject([{ message: 'poll failed', kind: 'timeout' }]);
  });

  it('of histories are named by vendor license', () => {
    const { lines, pass, failures } = createScenario();
    const part = historyPart({ product: 'a;x', feature: 'f', package: '', featureType: '' });
    pass('GetHistory', [failure('timeout', part)], 2);
    failures.flush();
    expect(lines()).toMatchObject([{ failed: 1, vendor_licenses: ['a;x'] }]);
  });

  it('now and then are two lines in ten minutes', () => {
    const { lines, passEachMinute } = createScenario();
    const written: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      passEachMinute(1, 'GetProducts', refused);
      passEachMinute(1, 'GetProducts');
      written.push(...lines().map(({ message }) => message));
    }
    const pairs = Array.from({ length: 10 }, () => ['poll failed', 'poll recovered']);
    expect(written).toEqual(pairs.flat());
  });

  it('again soon and for long are said by the summary', () => {
    const { lines, pass, passEachMinute, wait } = createScenario();
    pass('GetProducts', refused);
    wait(60);
    pass('GetProducts');
    wait(5);
    lines();
    passEachMinute(9, 'GetProducts', refused);
    expect(lines()).toEqual([]);
    passEachMinute(1, 'GetProducts', refused);
    expect(lines()).toMatchObject([
      { message: 'poll still fails', since: new Date((START + 125) * 1000), attempts: 10 },
    ]);
    pass('GetProducts');
    wait(5);
    expect(lines()).toMatchObject([{ message: 'poll recovered' }]);
  });

  it('stand behind what was over before them', () => {
    const { failures, lines, pass, wait } = createScenario();
    pass('GetProducts', [failure('timeout')]);
    wait(5);
    lines();
    pass('GetProducts');
    pass('GetFeatures', refused);
    failures.flush();
    expect(lines()).toMatchObject([{ message: 'poll recovered' }, { message: 'poll failed', kind: 'connect' }]);
  });

  it('again after a while are a new line', () => {
    const { lines, pass, wait } = createScenario();
    pass('GetProducts', refused);
    wait(60);
    pass('GetProducts');
    wait(601);
    lines();
    pass('GetProducts', refused);
    wait(5);
    expect(lines()).toMatchObject([{ message: 'poll failed' }]);
  });

  it('are silent while the analyzer does not have the endpoint, until it has it again', () => {
    const { failures, lines, pass, passEachMinute, wait } = createScenario();
    pass('GetConcurrentUsers', [failure('status', WHOLE, '404')]);
    wait(5);
    lines();
    failures.failedAsExpected('GetConcurrentUsers');
    passEachMinute(100, 'GetProducts');
    expect(lines()).toEqual([]);
    pass('GetConcurrentUsers');
    wait(5);
    expect(lines()).toMatchObject([{ message: 'poll recovered', endpoints: ['GetConcurrentUsers'], attempts: 2 }]);
  });
});
