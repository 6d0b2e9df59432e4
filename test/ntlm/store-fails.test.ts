import { describe, expect, it } from 'vitest';
import { createMemoryStore, type LogonStore } from '../../src/ntlm/logon-store.ts';
import { createTestGate } from '../support/harness.ts';

const never = new AbortController().signal;

describe('a store that is temporarily not writable', () => {
  it('gets the pending verdicts before another message', async () => {
    const memory = createMemoryStore();
    let isBroken = false;
    const store: LogonStore = {
      ...memory,
      change: (...change) => {
        if (isBroken) throw new Error('the disk is full');
        memory.change(...change);
      },
    };
    let now = 0;
    const gate = createTestGate({ store, now: () => now });
    const permit = await gate.acquire('cheap', never);
    isBroken = true;
    permit.rejected({ code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' });
    now = 60_000;
    gate.pathChecked();
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_LOGON_NOT_KEPT' });
    isBroken = false;
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_CREDENTIALS_SUSPENDED' });
  });
});
