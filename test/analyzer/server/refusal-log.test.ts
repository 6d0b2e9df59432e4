import { describe, expect, it } from 'vitest';
import { createRefusalLog, type RefusalLog, type RefusedLogons } from '../../../src/analyzer/server/refusal-log.ts';

interface Timed {
  readonly log: RefusalLog;
  readonly lines: RefusedLogons[];
  at: number;
}

function createTimed(): Timed {
  const lines: RefusedLogons[] = [];
  const timed = { at: 1_800_000_000_000, lines };
  return Object.assign(timed, {
    log: createRefusalLog(
      () => timed.at,
      (line) => lines.push(line),
    ),
  });
}

const refused = (user: string, address = '192.0.2.1', reason = 'bad-password' as const) => ({
  ok: false,
  reason,
  user,
  address,
});

describe('refused logons in the log', () => {
  it('are logged at once, and then once a minute for a user at an address, with their count', () => {
    const timed = createTimed();
    const { log, lines } = timed;
    log.add(refused('svc'));
    expect(lines).toEqual([{ user: 'svc', address: '192.0.2.1', count: 1, reasons: { 'bad-password': 1 } }]);
    log.add(refused('SVC'));
    for (let i = 0; i < 5; i += 1) log.add({ ok: false, reason: 'throttled', user: 'svc', address: '192.0.2.1' });
    timed.at += 59_999;
    log.flush();
    expect(lines).toHaveLength(1);
    log.add(refused('svc', '192.0.2.2'));
    log.add(refused('other'));
    expect(lines).toHaveLength(3);
    timed.at += 1;
    log.flush();
    log.flush();
    expect(lines.slice(3)).toEqual([
      { user: 'svc', address: '192.0.2.1', count: 6, reasons: { 'bad-password': 1, throttled: 5 } },
    ]);
    timed.at += 60_000;
    log.flush();
    log.end();
    expect(lines).toHaveLength(4);
    log.add(refused('svc'));
    expect(lines).toHaveLength(5);
  });

  it('are logged when the program ends', () => {
    const { log, lines } = createTimed();
    log.add(refused('svc'));
    log.add(refused('svc'));
    log.end();
    expect(lines.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('leave good ones out', () => {
    const { log, lines } = createTimed();
    log.add({ ok: true, user: 'svc', address: '192.0.2.1' });
    log.end();
    expect(lines).toEqual([]);
  });

  it('are logged together beyond a thousand pairs a minute, and none is lost', () => {
    const timed = createTimed();
    const { log, lines } = timed;
    for (let i = 0; i < 5000; i += 1) log.add(refused(`user${i}`));
    expect(lines).toHaveLength(1001);
    expect(lines.at(-1)).toMatchObject({ user: '(others)', address: '(others)', count: 1 });
    timed.at += 60_000;
    log.flush();
    expect(lines).toHaveLength(1002);
    expect(lines.at(-1)).toMatchObject({ user: '(others)', count: 3999 });
    // those that are quiet make room
    log.add(refused('user0'));
    expect(lines.at(-1)).toMatchObject({ user: 'user0', count: 1 });
  });

  it('name the user in a form that a terminal shows as it is', () => {
    const { log, lines } = createTimed();
    const hostile = 'a\n\u001b[2J\u009b\u202e\u2028\ud800b';
    for (const user of [hostile, 'ü'.repeat(64), '𝒳'.repeat(65), 'x'.repeat(6000)]) log.add(refused(user));
    expect(lines.map(({ user }) => user)).toEqual([
      'a\\u{a}\\u{1b}[2J\\u{9b}\\u{202e}\\u{2028}\\u{d800}b',
      'ü'.repeat(64),
      `${'𝒳'.repeat(64)}…`,
      `${'x'.repeat(64)}…`,
    ]);
  });
});
