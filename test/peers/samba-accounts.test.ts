import { afterEach, describe, expect, it } from 'vitest';
import { account, createCleanup, createClient, startAnalyzer } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startSambaAccounts } from '../support/samba-accounts.ts';
import { startSambaFront } from '../support/samba-front.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const never = new AbortController().signal;

const isInstalled = peer('winbindd', 'ntlm_auth', 'pdbedit', 'smbpasswd', 'libnss_wrapper.so');

// Samba's servers need root
describe.runIf(isInstalled && process.getuid?.() === 0)('a Samba account', () => {
  it('accepts our logons, counts one bad logon for many requests, and is locked by three processes', async () => {
    const analyzer = await startAnalyzer({}, { gate: 'none' });
    cleanup.add(() => analyzer.stop());
    const accounts = await startSambaAccounts(cleanup, 'CORP', { [account.username]: account.password });
    const front = await startSambaFront(cleanup, accounts, analyzer.url);
    const ask = async (password: string): Promise<readonly string[]> => {
      const { client } = createClient(front.url, { credentials: { ...account, password } });
      const asked = Array.from({ length: 8 }, () => client.getHttpUserName({}, never));
      const outcomes = await Promise.allSettled(asked);
      await client.close();
      return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.kind));
    };
    expect(new Set(await ask(account.password))).toEqual(new Set(['CORP\\svc-lic']));
    for (const count of [1, 2, 3]) {
      expect(await ask('not it')).toContain('auth');
      expect(accounts.badLogons(account.username)).toEqual({ count, isLocked: count === 3 });
    }
    expect(await ask(account.password)).toContain('auth');
  });
});
