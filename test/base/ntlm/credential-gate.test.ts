import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CredentialGate, CredentialGateOptions, Permit } from '../../../src/exporter/client/credential-gate.ts';
import { createMemoryStore } from '../../../src/exporter/client/credential-gate.ts';
import type { Carrier } from '../../../src/exporter/client/logon-budget.ts';
import { isLong } from '../../support/extent.ts';
import { account, createTestGate } from '../../support/harness.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const RETRY_SECONDS = 1800;
/** `auth_retry` and a minute. */
const WINDOW = 31 * MINUTE;

const REJECTION = { code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' } as const;

const wrong = { ...account, password: 'wrong' };

const never = new AbortController().signal;

interface Clock {
  now: number;
}

function createGate(clock: Clock, options: Partial<CredentialGateOptions> = {}): CredentialGate {
  return createTestGate({ authRetrySeconds: RETRY_SECONDS, now: () => clock.now, ...options });
}

/** Returns a permit, the code of the refusal, or `waiting` if a verdict is pending. */
async function ask(gate: CredentialGate, carrier: Carrier = 'cheap'): Promise<Permit | string> {
  const patience = new AbortController();
  const outcome = gate.acquire(carrier, patience.signal).catch((error: { code?: string }) => error.code ?? 'waiting');
  const soon = new Promise<string>((resolve) => setImmediate(() => resolve('waiting')));
  const first = await Promise.race([outcome, soon]);
  if (first !== 'waiting') return first;
  patience.abort(new Error('enough'));
  await outcome;
  return 'waiting';
}

async function permit(gate: CredentialGate, carrier: Carrier = 'cheap'): Promise<Permit> {
  const given = await ask(gate, carrier);
  if (typeof given === 'string') throw new Error(`no permit: ${given}`);
  return given;
}

/** The table of states at the top of `logon-budget`. */
describe('the logon budget', () => {
  it('nothing was sent: at once, one at a time', async () => {
    const gate = createGate({ now: 0 });
    const first = await permit(gate);
    expect(await ask(gate)).toBe('waiting');
    first.accepted();
    expect(await ask(gate)).toBeTypeOf('object');
  });

  it('a message has no verdict yet: the next one waits, and is sent when the verdict comes', async () => {
    const gate = createGate({ now: 0 });
    const first = await permit(gate);
    const next = gate.acquire('cheap', never);
    first.accepted();
    (await next).accepted();
    expect(gate.authenticated).toBe(true);
  });

  it('a message without verdict: 30 s after it, if a check of the path succeeds', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    (await permit(gate)).lost();
    gate.pathChecked();
    expect([await ask(gate), gate.retryAt]).toEqual(['NTLM_PATH_UNCHECKED', 30 * SECOND]);
    clock.now = 30 * SECOND;
    expect(await ask(gate)).toBe('NTLM_PATH_UNCHECKED');
    gate.pathChecked();
    (await permit(gate)).accepted();
    expect(gate.standing()).toEqual({ is: 'ready' });
  });

  it('a message in flight for 3 min is treated as one without verdict, and a late verdict counts', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    const late = await permit(gate);
    clock.now = 29_999;
    expect(await ask(gate)).toBe('waiting');
    clock.now = 30_000;
    gate.pathChecked();
    expect([await ask(gate), gate.retryAt]).toEqual(['NTLM_PATH_UNCHECKED', 3 * MINUTE]);
    clock.now = 3 * MINUTE;
    gate.pathChecked();
    const second = await permit(gate);
    clock.now = 4 * MINUTE;
    expect(await ask(gate)).toBe('NTLM_CREDENTIALS_SUSPENDED');
    late.accepted();
    // the second one still counts, but does not delay others
    const third = await permit(gate);
    expect(await ask(gate)).toBe('waiting');
    third.lost();
    expect(await ask(gate)).toBe('NTLM_CREDENTIALS_SUSPENDED');
    second.accepted();
    // the third one is younger, and may reach the directory after it
    expect(gate.standing()).toEqual({ is: 'unchecked', from: 4 * MINUTE + 30 * SECOND });
  });

  it('a good verdict clears what was sent 30 s before it, also by a process that was killed', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    await permit(createGate(clock, { store }));
    clock.now = 31 * SECOND;
    const gate = createGate(clock, { store });
    gate.pathChecked();
    (await permit(gate)).accepted();
    // the message of the killed process does not count: one more is lost before the budget is used up
    (await permit(gate)).lost();
    expect(gate.standing()).toMatchObject({ is: 'unchecked' });
  });

  it('a good verdict does not clear what was sent less than 30 s before it', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const early = await permit(createGate(clock, { store }));
    clock.now = 31 * SECOND;
    const gate = createGate(clock, { store });
    gate.pathChecked();
    await permit(gate);
    // its verdict is late, and the younger message may still reach the directory
    clock.now = 40 * SECOND;
    early.accepted();
    (await permit(gate)).lost();
    clock.now = 71 * SECOND;
    expect(gate.standing()).toMatchObject({ is: 'suspended', because: 'spent' });
  });

  it('a message in flight, and a logged-on connection that is answered since: 30 s after it', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    await permit(gate);
    clock.now = 31 * SECOND;
    gate.pathChecked();
    expect([await ask(gate), gate.retryAt]).toEqual(['NTLM_PATH_UNCHECKED', 3 * MINUTE]);
    gate.served();
    expect(await ask(gate)).toBeTypeOf('object');
  });

  it('a message in flight whose connection is lost: no longer than for one without verdict', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    const first = await permit(gate);
    clock.now = 2 * MINUTE;
    first.lost();
    expect(await ask(gate)).toBe('NTLM_PATH_UNCHECKED');
    gate.pathChecked();
    expect(await ask(gate)).toBeTypeOf('object');
  });

  it('the whole budget without verdict: 31 min after the last one', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    (await permit(gate)).lost();
    clock.now = 30 * SECOND;
    gate.pathChecked();
    (await permit(gate)).lost();
    expect(gate.standing()).toEqual({ is: 'suspended', until: 30 * SECOND + WINDOW, because: 'spent' });
    clock.now = 30 * SECOND + WINDOW - 1;
    expect(await ask(gate)).toBe('NTLM_CREDENTIALS_SUSPENDED');
    clock.now += 1;
    expect(await ask(gate)).toBeTypeOf('object');
  });

  it('a rejection: 31 min after the verdict, also if it is late', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    const first = await permit(gate);
    clock.now = 5 * MINUTE;
    expect(first.rejected(REJECTION)).toMatchObject({
      code: 'NTLM_CREDENTIALS_REJECTED',
      retryAt: 5 * MINUTE + WINDOW,
    });
    expect([gate.authenticated, gate.retryAt]).toEqual([false, 5 * MINUTE + WINDOW]);
    clock.now = 5 * MINUTE + WINDOW - 1;
    expect(await ask(gate)).toBe('NTLM_CREDENTIALS_SUSPENDED');
    clock.now += 1;
    expect(await ask(gate)).toBeTypeOf('object');
    // the last verdict is valid until another one comes
    expect(gate.authenticated).toBe(false);
  });

  it('a verdict counts for the password of its message', async () => {
    const gate = createGate({ now: 0 });
    const old = await permit(gate);
    expect(gate.reconfigure(wrong)).toBe(true);
    old.rejected(REJECTION);
    expect([gate.standing(), gate.authenticated]).toEqual([{ is: 'ready' }, undefined]);
    gate.reconfigure(account);
    expect([await ask(gate), gate.authenticated]).toEqual(['NTLM_CREDENTIALS_SUSPENDED', false]);
  });

  it('another password: at once with what the budget has left, and then not', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    (await permit(gate)).rejected(REJECTION);
    gate.reconfigure(wrong);
    clock.now = MINUTE;
    (await permit(gate)).rejected(REJECTION);
    gate.reconfigure({ ...account, password: 'third' });
    expect(gate.standing()).toEqual({ is: 'suspended', until: MINUTE + WINDOW, because: 'spent' });
    clock.now = MINUTE + WINDOW;
    (await permit(gate)).accepted();
  });

  it('a message in flight with another password: after its verdict', async () => {
    const gate = createGate({ now: 0 });
    const old = await permit(gate);
    gate.reconfigure(wrong);
    expect(await ask(gate)).toBe('waiting');
    old.accepted();
    expect(await ask(gate)).toBeTypeOf('object');
  });

  it('a good verdict clears what was lost with another password, also in another process', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const other = createGate(clock, { store, credentials: wrong });
    (await permit(other)).lost();
    clock.now = 31 * SECOND;
    other.pathChecked();
    (await permit(other)).lost();
    expect(other.standing()).toMatchObject({ is: 'suspended' });
    const late = createGate(clock, { store });
    expect(late.standing()).toMatchObject({ is: 'suspended' });
    clock.now += WINDOW;
    (await permit(late)).accepted();
    expect(other.standing()).toEqual({ is: 'ready' });
  });

  it('a good verdict on another password: a rejected one stays stopped, and counts no more', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const bad = createGate(clock, { store, credentials: wrong });
    (await permit(bad)).rejected(REJECTION);
    clock.now = MINUTE;
    const good = createGate(clock, { store });
    (await permit(good)).accepted();
    expect(bad.standing()).toEqual({ is: 'suspended', until: WINDOW, because: 'rejected' });
    (await permit(good)).lost();
    expect(good.standing()).toMatchObject({ is: 'unchecked' });
    clock.now = WINDOW;
    good.pathChecked();
    (await permit(good)).accepted();
    expect(bad.standing()).toEqual({ is: 'ready' });
  });

  it('two rejections before a good verdict: another password waits, a proven one does not', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const start = (given: string) => createGate(clock, { store, credentials: { ...account, password: given } });
    (await permit(start('first'))).rejected(REJECTION);
    clock.now = MINUTE;
    (await permit(start('right'))).accepted();
    clock.now = 2 * MINUTE;
    (await permit(start('second'))).rejected(REJECTION);
    expect(start('right').standing()).toEqual({ is: 'ready' });
    clock.now = 3 * MINUTE;
    (await permit(start('right'))).accepted();
    expect(start('third').standing()).toEqual({ is: 'suspended', until: WINDOW, because: 'spent' });
  });

  it('a record that may lack messages: when what it lacks stops counting', async () => {
    const clock = { now: 100 * MINUTE };
    const memory = createMemoryStore();
    const store = {
      ...memory,
      read: (of: typeof account) => ({ ...memory.read(of), incompleteUntil: 80 * MINUTE }),
    };
    const gate = createGate(clock, { store });
    expect(gate.standing()).toEqual({ is: 'suspended', until: 80 * MINUTE + WINDOW, because: 'not_recorded' });
    expect(await ask(gate)).toBe('NTLM_LOGON_NOT_KEPT');
    clock.now = 80 * MINUTE + WINDOW;
    expect(await ask(gate)).toBeTypeOf('object');
  });

  it('a rejection that another process got names every cause, including a reverse proxy', async () => {
    const store = createMemoryStore();
    (await permit(createGate({ now: 0 }, { store }))).rejected(REJECTION);
    expect(createGate({ now: 0 }, { store }).refusal()?.message).toMatch(
      /until the credentials change: an earlier logon with these credentials was rejected: wrong password.* reverse proxy/,
    );
  });

  it('applies a changed auth_retry to the next hold', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    (await permit(gate)).rejected(REJECTION);
    gate.reconfigure(account, { authRetrySeconds: 60, maxFailedLogons: 2 });
    expect(gate.retryAt).toBe(WINDOW);
    clock.now = WINDOW;
    (await permit(gate)).rejected(REJECTION);
    expect(gate.retryAt).toBe(WINDOW + 2 * MINUTE);
  });

  it('a message that was not sent does not count', async () => {
    const gate = createGate({ now: 0 });
    (await permit(gate)).release();
    (await permit(gate)).release();
    expect((await permit(gate)).lost()).toBeUndefined();
  });

  it('a slow query does not delay the cheapest call, but counts', async () => {
    const clock = { now: 0 };
    const gate = createGate(clock);
    (await permit(gate)).accepted();
    const query = await permit(gate, 'query');
    expect(await ask(gate, 'query')).toBe('waiting');
    const cheap = await permit(gate);
    expect(await ask(gate)).toBe('waiting');
    cheap.accepted();
    expect(gate.isProvenSince(0)).toBe(true);
    query.release();
    expect(gate.standing()).toEqual({ is: 'ready' });
  });

  it('is authenticated for 24 hours, also by an earlier process, and as long as connections serve requests', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    (await permit(createGate(clock, { store }))).accepted();
    const gate = createGate(clock, { store });
    clock.now = 24 * 60 * MINUTE - 1;
    expect(gate.authenticated).toBe(true);
    clock.now += 1;
    expect(gate.authenticated).toBeUndefined();
    gate.served();
    expect(gate.authenticated).toBe(true);
  });
});

describe('a proven password that is rejected', () => {
  const HOUR = 60 * MINUTE;

  /** A gate whose password is accepted at the time 0, and then rejected. */
  async function createUnconfirmed(options: Partial<CredentialGateOptions> = {}, rejectedAt = MINUTE) {
    const clock = { now: 0 };
    const gate = createGate(clock, options);
    (await permit(gate)).accepted();
    clock.now = rejectedAt;
    return { clock, gate, error: (await permit(gate)).rejected(REJECTION) };
  }

  it('is tried once more 60 s later, and says when', async () => {
    const { clock, gate, error } = await createUnconfirmed();
    expect([error.retryAt, gate.retryAt, gate.authenticated]).toEqual([2 * MINUTE, 2 * MINUTE, false]);
    expect(gate.standing()).toEqual({ is: 'suspended', until: 2 * MINUTE, because: 'unconfirmed' });
    expect(gate.refusal()?.message).toMatch(/^no logon is sent until \S+:02:00.000Z, .* tried once more: rejected$/);
    clock.now = 2 * MINUTE - 1;
    expect(await ask(gate)).toBe('NTLM_CREDENTIALS_SUSPENDED');
    clock.now += 1;
    const second = await permit(gate);
    expect(await ask(gate)).toBe('waiting');
    second.accepted();
    expect([gate.standing(), gate.authenticated]).toEqual([{ is: 'ready' }, true]);
  });

  it('is stopped by a second rejection, and a corrected password waits as long', async () => {
    const { clock, gate } = await createUnconfirmed();
    clock.now = 3 * MINUTE;
    expect((await permit(gate)).rejected(REJECTION).retryAt).toBe(3 * MINUTE + WINDOW);
    const until = 3 * MINUTE + WINDOW;
    expect(gate.standing()).toEqual({ is: 'suspended', until, because: 'rejected_and_spent' });
    expect(gate.refusal()?.message).toMatch(/a corrected password may wait as long/);
    gate.reconfigure(wrong);
    expect(gate.standing()).toEqual({ is: 'suspended', until, because: 'spent' });
    gate.reconfigure(account);
    clock.now = until - 1;
    expect(await ask(gate)).toBe('NTLM_CREDENTIALS_SUSPENDED');
    clock.now = until;
    // not accepted since
    (await permit(gate)).rejected(REJECTION);
    expect(gate.standing()).toEqual({ is: 'suspended', until: until + WINDOW, because: 'rejected' });
  });

  it('and accepted then: a second rejection within 31 min stops it, and a later one is the first', async () => {
    const { clock, gate } = await createUnconfirmed();
    clock.now = 2 * MINUTE;
    (await permit(gate)).accepted();
    clock.now = 30 * MINUTE;
    const second = await permit(gate);
    second.rejected(REJECTION);
    expect(gate.standing()).toMatchObject({ is: 'suspended', until: 30 * MINUTE + WINDOW });
    expect(gate.standing()).not.toMatchObject({ because: 'unconfirmed' });
    clock.now = 30 * MINUTE + WINDOW;
    (await permit(gate)).accepted();
    clock.now += WINDOW;
    (await permit(gate)).rejected(REJECTION);
    expect(gate.standing()).toMatchObject({ because: 'unconfirmed' });
  });

  it('and accepted then: a second rejection within 31 min stops it, also with a larger budget', async () => {
    const { clock, gate } = await createUnconfirmed({ maxFailedLogons: 3 });
    clock.now = 2 * MINUTE;
    (await permit(gate)).accepted();
    clock.now = 30 * MINUTE;
    (await permit(gate)).rejected(REJECTION);
    expect(gate.standing()).toEqual({ is: 'suspended', until: 30 * MINUTE + WINDOW, because: 'rejected' });
  });

  it('is tried once more by one process of all, whichever had the verdicts', async () => {
    const store = createMemoryStore();
    const { clock, gate } = await createUnconfirmed({ store });
    const others = [createGate(clock, { store }), createGate(clock, { store })] as const;
    expect(others[0].standing()).toMatchObject({ because: 'unconfirmed' });
    clock.now = 2 * MINUTE;
    const second = await permit(others[0]);
    expect([await ask(gate), await ask(others[1])]).toEqual(['waiting', 'waiting']);
    second.rejected(REJECTION);
    for (const each of [gate, ...others]) expect(each.standing()).toMatchObject({ because: 'rejected_and_spent' });
  });

  it('that gets no verdict then: nothing more for 31 min', async () => {
    const { clock, gate } = await createUnconfirmed();
    clock.now = 2 * MINUTE;
    (await permit(gate)).lost();
    expect(gate.standing()).toEqual({ is: 'suspended', until: 2 * MINUTE + WINDOW, because: 'spent' });
  });

  it.each([
    ['accepted 24 h before', {}, 24 * HOUR],
    ['with a budget of 1', { maxFailedLogons: 1 }, MINUTE],
  ])('%s: stopped at once', async (_, options, rejectedAt) => {
    const { gate } = await createUnconfirmed(options, rejectedAt);
    expect(gate.retryAt).toBe(rejectedAt + WINDOW);
  });

  it('after another one was accepted: stopped at once, because that is its successor', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const next = createGate(clock, { store, credentials: { ...account, password: 'next' } });
    const gate = createGate(clock, { store });
    (await permit(gate)).accepted();
    clock.now = MINUTE;
    (await permit(next)).accepted();
    clock.now = 2 * MINUTE;
    (await permit(gate)).rejected(REJECTION);
    expect(gate.standing()).toEqual({ is: 'suspended', until: 2 * MINUTE + WINDOW, because: 'rejected' });
  });

  it('before another one is accepted: stays stopped, because that is its successor', async () => {
    const store = createMemoryStore();
    const { clock, gate } = await createUnconfirmed({ store });
    clock.now = 2 * MINUTE - 1;
    (await permit(createGate(clock, { store, credentials: { ...account, password: 'next' } }))).accepted();
    clock.now = 3 * MINUTE;
    expect(gate.standing()).toEqual({ is: 'suspended', until: MINUTE + WINDOW, because: 'rejected' });
  });

  it('after another one was rejected: stopped at once, because the account has no logon left', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const gate = createGate(clock, { store });
    (await permit(createGate(clock, { store, credentials: wrong }))).rejected(REJECTION);
    clock.now = MINUTE;
    (await permit(gate)).accepted();
    clock.now = 2 * MINUTE;
    (await permit(gate)).rejected(REJECTION);
    expect(gate.standing()).toMatchObject({ until: 2 * MINUTE + WINDOW, because: 'rejected_and_spent' });
  });

  it('and accepted then, while another one was rejected too: waits, although it was accepted', async () => {
    const store = createMemoryStore();
    const { clock, gate } = await createUnconfirmed({ store });
    clock.now = 2 * MINUTE;
    (await permit(gate)).accepted();
    clock.now = 3 * MINUTE;
    (await permit(createGate(clock, { store, credentials: wrong }))).rejected(REJECTION);
    expect(gate.standing()).toEqual({ is: 'suspended', until: MINUTE + WINDOW, because: 'spent' });
  });

  it('is proven by connections that serve requests for days, also for the next process', async () => {
    const clock = { now: 0 };
    const store = createMemoryStore();
    const gate = createGate(clock, { store });
    (await permit(gate)).accepted();
    for (let hour = 1; hour <= 72; hour += 1) {
      clock.now = hour * HOUR;
      gate.served();
    }
    const next = createGate(clock, { store });
    expect(next.authenticated).toBe(true);
    (await permit(next)).rejected(REJECTION);
    expect(next.standing()).toMatchObject({ because: 'unconfirmed' });
    // an answer on a connection that is still logged on changes nothing
    gate.served();
    expect(gate.standing()).toMatchObject({ because: 'unconfirmed' });
  });

  it.each([2, 3])('a server that flaps: at most %i rejections in any 31 min, with two passwords', async (budget) => {
    const turns = fc.array(
      fc.record({
        seconds: fc.constantFrom(1, 20, 59, 60, 61, 300, 1800, 1860),
        flaps: fc.boolean(),
        which: fc.nat(3),
      }),
      { minLength: 10, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(turns, async (sequence) => {
        const clock = { now: 1_000_000 };
        const store = createMemoryStore();
        const gates = [account, account, account, wrong].map((credentials) =>
          createGate(clock, { store, maxFailedLogons: budget, credentials }),
        );
        const rejections: number[] = [];
        for (const { seconds, flaps, which } of sequence) {
          clock.now += seconds * SECOND;
          const gate = gates[which];
          const given = gate === undefined ? '' : await ask(gate);
          if (typeof given === 'string') continue;
          if (!flaps && given.credentials !== wrong) given.accepted();
          else {
            given.rejected(REJECTION);
            rejections.push(clock.now);
          }
          expect(rejections.filter((at) => clock.now - at < WINDOW).length).toBeLessThanOrEqual(budget);
        }
      }),
      { numRuns: isLong ? 5_000 : 200, seed: 20261128 },
    );
  });
});

/** A directory that locks an account after `threshold` bad logons. A good logon or a quiet time resets the count. */
function createDirectory(threshold: number) {
  let bad = 0;
  let last = Number.NEGATIVE_INFINITY;
  return {
    isLocked: () => bad >= threshold,
    logon: (isGood: boolean, now: number): void => {
      if (now - last >= RETRY_SECONDS * SECOND) bad = 0;
      if (isGood) bad = 0;
      else {
        bad += 1;
        last = now;
      }
    },
  };
}

type Step =
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'send'; readonly process: number; readonly carrier: Carrier; readonly verdict: Fate }
  | { readonly do: 'late'; readonly verdict: 'arrives' | 'is lost' }
  /** `recover`: a check of the path succeeds after the quiet time, as in the daemon. */
  | { readonly do: 'recover' | 'check' | 'restart' | 'kill'; readonly process: number }
  /** The directory has another password, or the process is configured with another one. */
  | { readonly do: 'rotate'; readonly password: number }
  | { readonly do: 'configure'; readonly process: number; readonly password: number };

/** The fate of a message: processed and answered, only processed, lost on the way, or left in flight. */
type Fate = 'answered' | 'unanswered' | 'lost' | 'in flight';

/** A message of a running process, and what the server has decided on it. */
interface InFlight {
  readonly process: number;
  readonly permit: Permit;
  readonly sentAt: number;
  isGood?: boolean;
}

const PROCESSES = 3;
const process = fc.nat(PROCESSES - 1);
const password = fc.nat(3);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 29, 30, 31, 299, 600, 1799, 1860) }),
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('send' as const),
        process,
        carrier: fc.constant<Carrier>('cheap'),
        verdict: fc.constantFrom<Fate>('answered', 'unanswered', 'lost', 'in flight'),
      }),
    },
    fc.record({ do: fc.constant('late' as const), verdict: fc.constantFrom('arrives' as const, 'is lost' as const) }),
    { weight: 3, arbitrary: fc.record({ do: fc.constant('recover' as const), process }) },
    fc.record({ do: fc.constantFrom('check' as const, 'restart' as const, 'kill' as const), process }),
    fc.record({ do: fc.constant('rotate' as const), password }),
    fc.record({ do: fc.constant('configure' as const), process, password }),
  ),
  { maxLength: 60 },
);

describe('in random histories', () => {
  it.each([1, 2, 3])(
    'a budget of %i is never exceeded, and does not lock an account that allows one more bad logon',
    async (budget) => {
      await fc.assert(
        fc.asyncProperty(steps, password, async (sequence, first) => {
          const clock = { now: 1_000_000 };
          const store = createMemoryStore();
          const directory = createDirectory(budget + 1);
          const withPassword = (which: number) => ({ ...account, password: String(which) });
          const configured = Array.from({ length: PROCESSES }, () => 0);
          const start = (which: number): CredentialGate =>
            createGate(clock, { store, maxFailedLogons: budget, credentials: withPassword(configured[which] ?? 0) });
          const gates = configured.map((_, which) => start(which));
          let right = first;
          /** Messages of running processes that the server has not processed yet. */
          let inFlight: InFlight[] = [];
          /** The messages since the last good verdict. */
          let counted: InFlight[] = [];
          /** The server decides on a message within 30 s, even if its verdict comes later. */
          const decide = (message: InFlight, at: number): boolean => {
            if (message.isGood === undefined) {
              message.isGood = message.permit.credentials.password === String(right);
              directory.logon(message.isGood, at);
            }
            return message.isGood;
          };
          const settle = (message: InFlight): void => {
            if (!decide(message, clock.now)) message.permit.rejected(REJECTION);
            else {
              message.permit.accepted();
              const since = message.sentAt - 30 * SECOND;
              counted = counted.filter((other) => other !== message && other.sentAt > since);
            }
          };
          const pass = (seconds: number): void => {
            clock.now += seconds * SECOND;
            for (const message of inFlight) {
              const latest = message.sentAt + 30 * SECOND;
              if (latest <= clock.now) decide(message, latest);
            }
          };
          const end = (which: number): void => {
            inFlight = inFlight.filter((message) => message.process !== which);
            gates[which] = start(which);
          };
          for (const step of sequence) {
            if (step.do === 'wait') pass(step.seconds);
            else if (step.do === 'rotate') right = step.password;
            else if (step.do === 'configure') {
              configured[step.process] = step.password;
              gates[step.process]?.reconfigure(withPassword(step.password));
            } else if (step.do === 'recover') {
              pass(31);
              gates[step.process]?.pathChecked();
            } else if (step.do === 'check') gates[step.process]?.pathChecked();
            else if (step.do === 'kill') {
              // the server may still process what the killed process sent
              for (const message of inFlight) if (message.process === step.process) decide(message, clock.now);
              end(step.process);
            } else if (step.do === 'restart') {
              for (const message of inFlight) if (message.process === step.process) message.permit.lost();
              end(step.process);
            } else if (step.do === 'late') {
              const message = inFlight.shift();
              if (message === undefined || clock.now - message.sentAt >= 10 * MINUTE) message?.permit.lost();
              else if (step.verdict === 'arrives') settle(message);
              else {
                decide(message, clock.now);
                message.permit.lost();
              }
            } else if (step.do === 'send') {
              const gate = gates[step.process];
              const given = gate === undefined ? '' : await ask(gate, step.carrier);
              if (typeof given === 'string') continue;
              if (clock.now - (counted.at(-1)?.sentAt ?? 0) >= WINDOW) counted = [];
              const message: InFlight = { process: step.process, permit: given, sentAt: clock.now };
              counted.push(message);
              if (step.verdict === 'answered') settle(message);
              else if (step.verdict === 'in flight') inFlight.push(message);
              else {
                if (step.verdict === 'unanswered') decide(message, clock.now);
                given.lost();
              }
            }
            expect(counted.length).toBeLessThanOrEqual(budget);
            expect(directory.isLocked()).toBe(false);
          }
        }),
        { numRuns: isLong ? 5_000 : 100, seed: 20261121 },
      );
    },
  );
});
