import { describe, expect, it } from 'vitest';
import { createTestGate } from '../support/harness.ts';

const MINUTE = 60_000;
/** `auth_retry` and a minute. */
const WINDOW = 31 * MINUTE;

const never = new AbortController().signal;
const REJECTION = { code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' } as const;

function createGate() {
  const clock = { now: 100 * MINUTE };
  return { clock, gate: createTestGate({ now: () => clock.now }) };
}

describe('a clock that is set back', () => {
  it('does not prolong the hold after a rejection', async () => {
    const { clock, gate } = createGate();
    (await gate.acquire('cheap', never)).rejected(REJECTION);
    clock.now = 0;
    expect(gate.retryAt).toBe(WINDOW);
    clock.now = WINDOW;
    expect(gate.standing()).toEqual({ is: 'ready' });
  });

  it('does not delay the end of a recovery, and does not begin the next one with an old check of the path', async () => {
    const { clock, gate } = createGate();
    (await gate.acquire('cheap', never)).lost();
    gate.pathChecked();
    clock.now = 0;
    expect(gate.standing()).toEqual({ is: 'unchecked', from: 30_000 });
    clock.now = 30_000;
    gate.pathChecked();
    (await gate.acquire('cheap', never)).accepted();
  });

  it('does not prolong the wait for a verdict', async () => {
    const { clock, gate } = createGate();
    await gate.acquire('cheap', never);
    clock.now = 0;
    expect(gate.standing()).toEqual({ is: 'waiting' });
    clock.now = 180_000;
    gate.pathChecked();
    expect(await gate.acquire('cheap', never)).toBeTypeOf('object');
  });

  it('does not prolong the validity of a proof', async () => {
    const { clock, gate } = createGate();
    (await gate.acquire('cheap', never)).accepted();
    clock.now = 50 * MINUTE;
    expect(gate.isProvenSince(clock.now - 10_000)).toBe(false);
  });
});
