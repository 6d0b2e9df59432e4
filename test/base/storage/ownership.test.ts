import { chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openHistoryFile } from '../../../src/analyzer/history/history-file.ts';
import { pseudonymKeyIn } from '../../../src/analyzer/sources/configured-sources.ts';
import { lockDirectory } from '../../../src/base/storage/directory-lock.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import { writeJsonFile } from '../../../src/base/storage/json-state.ts';
import { LogonFile } from '../../../src/exporter/client/logon-file.ts';
import { openKeptFile } from '../../../src/insight/advice/pass/kept-file.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';

/** A daemon that root starts by hand leaves nothing that the account of the service cannot use. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

it.runIf(process.getuid?.() === 0)(
  'files that root creates in storage.path belong to the owner of storage.path',
  async () => {
    const storage = mkdtempSync(join(tmpdir(), 'license-exporter-owner-'));
    cleanup.add(() => rmSync(storage, { recursive: true }));
    chownSync(storage, 1234, 2345);
    const log = createTestLog();
    const open = [
      lockDirectory(storage, ''),
      openHistoryFile({ path: join(storage, 'history.db'), timeZone: 'UTC', origin: 'test', maxSize: 2 ** 20 }),
      openKeptFile(join(storage, 'rightsizing.db')),
      new LogonFile({
        path: join(storage, 'logons.db'),
        writes: createFileWrites('logons.db', log),
        log,
        mayReplace: true,
      }),
    ];
    for (const file of open) cleanup.add(() => file.close());
    pseudonymKeyIn(storage, createTestLog());
    await writeJsonFile(join(storage, 'alert-state.json'), {});
    const owners = Object.fromEntries(
      readdirSync(storage).map((name) => {
        const { uid, gid } = statSync(join(storage, name));
        return [name, [uid, gid]];
      }),
    );
    expect(Object.keys(owners)).toEqual(
      expect.arrayContaining(['alert-state.json', 'history.db', 'rightsizing.db', 'pseudonym.key']),
    );
    expect(new Set(Object.values(owners).map(String))).toEqual(new Set(['1234,2345']));
  },
);
