import { afterEach, describe, expect, it } from 'vitest';
import { account, createCleanup, eventually } from '../support/harness.ts';
import type { Call } from '../support/scripted-server.ts';
import { setUpScripted } from './scripted-transport.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const next = { ...account, password: 'next' };

describe('credentials that change while something is under way', () => {
  it('are not proven by an answer on a connection of the old ones', async () => {
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

  it('are used at once when the old ones are rejected after it', async () => {
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

  it('make no difference to a message whose turn has come', async () => {
    const { gate } = await setUpScripted(cleanup, ({ proceed }) => proceed());
    const permit = await gate.acquire('cheap', new AbortController().signal);
    gate.reconfigure(next);
    expect(permit.credentials).toEqual(account);
    permit.release();
  });

  it('are others with another workstation, too, but no other password', async () => {
    const { gate } = await setUpScripted(cleanup, ({ proceed }) => proceed());
    const permit = await gate.acquire('cheap', new AbortController().signal);
    permit.rejected({ code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' });
    expect(gate.reconfigure({ ...account, workstation: 'OTHER' })).toBe(true);
    expect(gate.credentials.workstation).toBe('OTHER');
    expect(gate.standing()).toMatchObject({ is: 'suspended' });
  });
});
