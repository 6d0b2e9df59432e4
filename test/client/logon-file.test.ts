import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { LogonFileError, openLogonFile } from '../../src/client/logon-file.ts';
import { emptyRecord, withMessage } from '../../src/ntlm/logon-budget.ts';
import { account, createCleanup, createTestGate } from '../support/harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'logons-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

function open(path: string) {
  const problems: string[] = [];
  const file = openLogonFile(path, ({ message }) => problems.push(message));
  cleanup.add(() => file.close());
  return { file, problems };
}

const message = { id: 'a', sentAt: 1, countsUntil: 2, carrier: 'cheap', outcome: 'in_flight' } as const;
const never = new AbortController().signal;

describe('the logon file', () => {
  it('is created for its owner only, is shared by processes, and contains no password', () => {
    const path = join(createFolder(), 'state/logons.db');
    const { file } = open(path);
    const other = open(path).file;
    file.change(account, (record) => withMessage(record, message));
    expect(other.read(account)).toEqual({ messages: [message] });
    expect(other.read({ ...account, password: 'another' })).toEqual(emptyRecord);
    expect(other.read({ ...account, username: 'other' })).toEqual(emptyRecord);
    // the same account in another case is the same account
    expect(other.read({ ...account, username: 'SVC-LIC', domain: 'corp' })).toEqual({ messages: [message] });
    for (const name of readdirSync(join(path, '..'))) {
      expect(statSync(join(path, '..', name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(path, '..', name), 'latin1')).not.toContain(account.password);
    }
  });

  it.each([
    [
      'is a text',
      (folder: string) => {
        writeFileSync(join(folder, 'logons.db'), 'no database, '.repeat(100));
        return join(folder, 'logons.db');
      },
      'it is not a logon file; set analyzer.logon_file to another path, or move the file away',
    ],
    [
      'is below a file',
      (folder: string) => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file/logons.db');
      },
      'part of its path is a file; set storage.path or analyzer.logon_file to another path',
    ],
    [
      'is a directory',
      (folder: string) => {
        mkdirSync(join(folder, 'logons.db'));
        return join(folder, 'logons.db');
      },
      'it is a directory; set analyzer.logon_file to another path, or move the directory away',
    ],
    [
      'has no parent directory',
      (folder: string) => join(folder, 'no/such/logons.db'),
      'its directory does not exist; create it and make it writable for the user that runs license-exporter',
    ],
  ])('cannot be used if it %s', (_, prepare, reason) => {
    const path = prepare(createFolder());
    expect(() => openLogonFile(path, () => undefined)).toThrow(
      new LogonFileError(`the logon file ${path} cannot be used: ${reason}`),
    );
  });

  it('reports later problems, and then nothing is sent', async () => {
    const path = join(createFolder(), 'logons.db');
    const { file, problems } = open(path);
    const gate = createTestGate({ store: file });
    (await gate.acquire('cheap', never)).accepted();
    chmodSync(path, 0o400);
    file.close();
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_LOGON_NOT_KEPT' });
    expect(gate.standing()).toEqual({ is: 'ready' });
    expect(problems.at(-1)).toContain(`the logon file ${path} cannot be used: `);
  });

  it('reports why a change failed that SQLite has already rolled back', () => {
    const path = join(createFolder(), 'logons.db');
    const { file, problems } = open(path);
    const other = new DatabaseSync(path);
    other.exec("CREATE TRIGGER full BEFORE INSERT ON logons BEGIN SELECT RAISE(ROLLBACK, 'no room'); END");
    other.close();
    expect(() => file.change(account, (record) => withMessage(record, message))).toThrow('no room');
    expect(problems).toEqual([`the logon file ${path} cannot be used: no room`]);
  });

  it('with other content is reported, and nothing is sent', async () => {
    const path = join(createFolder(), 'logons.db');
    const { file, problems } = open(path);
    file.change(account, (record) => withMessage(record, message));
    const other = new DatabaseSync(path);
    other.exec("UPDATE logons SET record = '{}'");
    other.close();
    const gate = createTestGate({ store: file });
    expect(gate.authenticated).toBeUndefined();
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_LOGON_NOT_KEPT' });
    expect(problems.at(-1)).toContain('it was written by another version; delete it');
  });

  it.runIf(existsSync('/proc/self/fd'))('is not left open if it cannot be used', () => {
    const path = join(createFolder(), 'logons.db');
    writeFileSync(path, 'other content that is long enough to be read as the header of a file');
    const count = (): number => readdirSync('/proc/self/fd').length;
    const before = count();
    for (let i = 0; i < 20; i += 1) expect(() => openLogonFile(path, () => undefined)).toThrow(LogonFileError);
    expect(count()).toBeLessThan(before + 10);
  });

  it('counts across processes that are killed while a logon is in flight', async () => {
    const path = join(createFolder(), 'logons.db');
    const script = `
      import { openLogonFile } from ${JSON.stringify(new URL('../../src/client/logon-file.ts', import.meta.url).href)};
      import { createCredentialGate } from ${JSON.stringify(new URL('../../src/ntlm/credential-gate.ts', import.meta.url).href)};
      // simulates the end of the quiet time
      Date.now = ((now) => () => now() + Number(process.argv[1]))(Date.now);
      const gate = createCredentialGate({
        credentials: ${JSON.stringify(account)}, authRetrySeconds: 1800, maxFailedLogons: 2,
        store: openLogonFile(${JSON.stringify(path)}, () => undefined),
      });
      gate.pathChecked();
      gate.acquire('cheap', AbortSignal.timeout(500)).then(() => 'sent', ({ code, name }) => (typeof code === 'string' ? code : name))
        .then((outcome) => process.stdout.write(outcome + '\\n'));
      // lives until it is killed
      setTimeout(() => undefined, 60_000);
    `;
    const run = async (later: number): Promise<string> => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, String(later)]);
      const [outcome] = (await once(child.stdout, 'data')) as [Buffer];
      child.kill('SIGKILL');
      await once(child, 'exit');
      return outcome.toString().trim();
    };
    expect(await run(0)).toBe('sent');
    // it may still be in flight in a running process
    expect(await run(0)).toBe('TimeoutError');
    expect(await run(31_000)).toBe('sent');
    expect(await run(62_000)).toBe('NTLM_CREDENTIALS_SUSPENDED');
  });
});
