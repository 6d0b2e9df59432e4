import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startCollectingApp } from '../support/collecting-app.ts';
import { account, createCleanup, eventually, startAnalyzer } from '../support/harness.ts';
import { peer } from '../support/peers.ts';
import { startSambaAccounts } from '../support/samba-accounts.ts';
import { startSambaFront } from '../support/samba-front.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const isInstalled = peer('winbindd', 'ntlm_auth', 'pdbedit', 'smbpasswd', 'libnss_wrapper.so');

// Samba's servers need root
describe.runIf(isInstalled && process.getuid?.() === 0)(
  'another analyzer behind a Samba account with a threshold of 3',
  () => {
    it('is never asked so often with a wrong password that the account is locked, and is read again with the right one', async () => {
      const analyzer = await startAnalyzer({ now: () => Math.floor(Date.now() / 1000) }, { gate: 'none' });
      cleanup.add(() => analyzer.stop());
      const accounts = await startSambaAccounts(cleanup, 'CORP', { [account.username]: account.password });
      const front = await startSambaFront(cleanup, accounts, analyzer.url);
      const folder = mkdtempSync(join(tmpdir(), 'license-exporter-samba-source-'));
      cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
      const password_file = join(folder, 'password');
      writeFileSync(password_file, 'not it', { mode: 0o600 });
      const app = await startCollectingApp(
        cleanup,
        [
          {
            name: 'north',
            manager: 'query-api',
            via: { analyzer: { url: front.url, username: `CORP\\${account.username}`, password_file } },
          },
        ],
        { 'storage.path': folder },
      );
      for (let i = 0; i < 10; i += 1) await app.collect();
      expect(app.health()).toMatchObject([{ up: false, problems: [{ kind: 'refused' }] }]);
      expect(accounts.badLogons(account.username)).toEqual({ count: 1, isLocked: false });
      writeFileSync(password_file, account.password);
      await eventually('the corrected password is used', async () => {
        await app.collect();
        return app.health()[0]?.up === true;
      });
      expect(accounts.badLogons(account.username)).toMatchObject({ isLocked: false });
      await eventually('data', async () => (await app.metrics()).includes('license_feature_in_use{'));
    });
  },
);
