import { expect, it } from 'vitest';
import { createLogonLedger } from './logon-ledger.ts';

const MINUTE = 60_000;
const RETRY = 30 * MINUTE;

/** One message: seconds after the start, and the status the client received, if any. */
type Sent = readonly [at: number, status?: number];

const histories: readonly (readonly [string, readonly Sent[], worst: number, debt: number])[] = [
  ['nothing', [], 0, 0],
  [
    'good ones, one after the other',
    [
      [0, 200],
      [1, 200],
      [2, 404],
      [3, 403],
      [4, 405],
    ],
    1,
    0,
  ],
  ['one without verdict', [[0]], 1, 1],
  ['two without verdict', [[0], [30]], 2, 2],
  ['a third', [[0], [30], [60]], 3, 3],
  ['a third after the hold and a minute', [[0], [30], [30 + 31 * 60]], 2, 1],
  ['a good verdict between', [[0], [30, 200], [60], [90]], 2, 2],
  [
    'no verdict is no good verdict',
    [
      [0, 500],
      [30, 429],
      [60, 302],
    ],
    3,
    3,
  ],
  ['a rejection uses up the budget', [[0, 401]], 1, 2],
  ['one more after a rejection', [[0, 401], [1799]], 3, 2],
];

it.each(histories)('counts the logons against the budget: %s', (_, sent, worst, debt) => {
  let now = 0;
  const ledger = createLogonLedger(() => now);
  for (const [at, status] of sent) {
    now = at * 1000;
    const logon = ledger.add('svc');
    if (status !== undefined) logon.received = { status, at: now };
  }
  expect([ledger.worstDebt(2, RETRY), ledger.debt(2, RETRY)]).toEqual([worst, debt]);
});

it('allows a password that was accepted before one more logon, a minute after its rejection', () => {
  const worstOf = (...sent: readonly (readonly [at: number, status: number, password?: string])[]): number => {
    let now = 0;
    const ledger = createLogonLedger(() => now);
    for (const [at, status, password = 'first'] of sent) {
      now = at * 1000;
      ledger.add('svc', password).received = { status, at: now };
    }
    return ledger.worstDebt(2, RETRY);
  };
  expect(worstOf([0, 200], [10, 401], [70, 200])).toBe(2);
  expect(worstOf([0, 200], [10, 401], [69, 200])).toBe(3);
  expect(worstOf([0, 200], [10, 401], [70, 401], [200, 200])).toBe(3);
  expect(worstOf([10, 401], [70, 200])).toBe(3);
  expect(worstOf([0, 200], [10, 401], [60, 200, 'next'], [70, 200])).toBe(3);
});

it('counts a late verdict when it arrives, and gives other credentials what is left', () => {
  let now = 0;
  const ledger = createLogonLedger(() => now);
  ledger.give('first');
  const late = ledger.add('svc', 'first');
  now = 30_000;
  ledger.add('svc', 'first');
  late.received = { status: 200, at: 40_000 };
  // the younger one may reach the directory later
  expect(ledger.debt(2, RETRY)).toBe(1);
  now = 61_000;
  ledger.add('svc', 'first').received = { status: 200, at: 61_000 };
  expect(ledger.debt(2, RETRY)).toBe(0);
  now = 62_000;
  ledger.add('svc', 'first').received = { status: 401, at: 62_000 };
  expect(ledger.debt(2, RETRY)).toBe(2);
  ledger.give('second');
  expect(ledger.debt(2, RETRY)).toBe(1);
});

it('allows a new password a logon after the old one was rejected, whenever the daemon reads it, but no second of the old', () => {
  let now = 0;
  const ledger = createLogonLedger(() => now);
  ledger.give('old');
  ledger.give('new');
  // the daemon has not read it yet
  ledger.add('svc', 'old').received = { status: 401, at: 100 };
  now = 1000;
  ledger.add('svc', 'new').received = { status: 200, at: 1100 };
  expect(ledger.worstDebt(2, RETRY)).toBe(2);
  now = 2000;
  ledger.add('svc', 'old');
  expect(ledger.worstDebt(2, RETRY)).toBe(3);
});

it('counts the rejected logons in any 31 minutes', () => {
  let now = 0;
  const ledger = createLogonLedger(() => now);
  for (const minute of [0, 20, 30, 40, 61]) {
    now = minute * MINUTE;
    ledger.add('svc').verdict = 'rejected';
  }
  expect(ledger.worstRejections()).toBe(3);
});
