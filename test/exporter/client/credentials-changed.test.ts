import { afterEach, describe, expect, it } from 'vitest';
import { account, createCleanup, eventually } from '../../support/harness.ts';
import type { Call } from '../../support/scripted-server.ts';
import { setUpScripted } from './scripted-transport.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const next = { ...account, password: 'next' };

describe('credentials that change during a request', () => {
  it('are not proven by an answer on a connection with the old ones', async () => {
    let held: Call | undefined;
    const { gate, send } = await setUpScripted(cleanup, (call) => {
      if (call.number === 4) held = call;
      else call.proceed();
    });
    expect(await send()).toBe(200);
    const slow = send();
    await eventually('the query is at the server', () => held !== undefined);
    gate.reconfigure(next);
    held?.proceed();
    expect(await slow).toBe(200);
    expect(gate.authenticated).toBeUndefined();
  });

  it('are used at once if the old ones are rejected after the change', async () => {
    let held: Call | undefined;
    const { server, gate, send } = await setUpScripted(
      cleanup,
      (call) => {
        if (call.number === 2) held = call;
        else call.proceed();
      },
      { connections: 1 },
    );
    server.setPassword(next.password);
    const results = [send(), send()];
    await eventually('the logon is at the server', () => held !== undefined);
    gate.reconfigure(next);
    held?.proceed();
    expect(await Promise.all(results)).toEqual(['NTLM_CREDENTIALS_REJECTED', 200]);
  });

  it('do not change a message that is about to be sent', async () => {
    const { gate } = await setUpScripted(cleanup, ({ proceed }) => proceed());
    const permit = await gate.acquire('cheap', new AbortController().signal);
    gate.reconfigure(next);
    expect(permit.credentials).toEqual(account);
    permit.release();
  });

  it('are different with another workstation, but the logon budget is the same', async () => {
    const { gate } = await setUpScripted(cleanup, ({ proceed }) => proceed());
    const permit = await gate.acquire('cheap', new AbortController().signal);
    permit.rejected({ code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' });
    expect(gate.reconfigure({ ...account, workstation: 'OTHER' })).toBe(true);
    expect(gate.credentials.workstation).toBe('OTHER');
    expect(gate.standing()).toMatchObject({ is: 'suspended' });
  });
});
