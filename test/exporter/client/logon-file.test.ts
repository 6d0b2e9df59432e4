import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { steadyNow } from '../../../src/base/model/steady-clock.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import { type LogonMessage, withMessage } from '../../../src/exporter/client/logon-budget.ts';
import { LogonFile } from '../../../src/exporter/client/logon-file.ts';
import { account, createCleanup, createTestGate, createTestLog, eventually } from '../../support/harness.ts';
import { createSmallDisk } from '../../support/small-disk.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'logons-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return folder;
}

function open(path: string, mayReplace = true) {
  const log = createTestLog();
  const writes = createFileWrites('logons.db', log);
  const file = new LogonFile({ path, writes, log, mayReplace });
  cleanup.add(() => file.close());
  return { file, writes, log };
}

const never = new AbortController().signal;
const MINUTE = 60_000;
const HOLD = 31 * MINUTE;

/** A message that is sent now. */
const messageOf = (password: string, id = 'a'): LogonMessage => {
  const sentAt = steadyNow();
  return { id, password, sentAt, countsUntil: sentAt + HOLD, carrier: 'cheap', outcome: 'in_flight' };
};

const idsIn = (file: LogonFile, credentials = account): readonly string[] =>
  file.read(credentials).messages.map(({ id }) => id);

/** The outcomes of the messages in a file that others may have open. */
function outcomesIn(path: string): readonly string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT record FROM logons').all() as { record: string }[];
  database.close();
  return rows.flatMap(({ record }) =>
    (JSON.parse(record) as { messages: LogonMessage[] }).messages.map((m) => m.outcome),
  );
}

/** A closed file that counts one message without verdict. */
async function createCounted(): Promise<string> {
  const path = join(createFolder(), 'logons.db');
  const { file } = open(path);
  (await createTestGate({ store: file }).acquire('cheap', never)).lost();
  file.close();
  return path;
}

/** Sets the times of a file, and of its journal, some minutes back. */
const age = (path: string, minutes: number): void => {
  const at = new Date(Date.now() - minutes * MINUTE);
  for (const end of ['', '-wal']) if (existsSync(path + end)) utimesSync(path + end, at, at);
};

describe('the logon file', () => {
  it('is created for its owner only, is shared by processes, and contains no password', () => {
    const path = join(createFolder(), 'state/logons.db');
    const { file } = open(path);
    const other = open(path).file;
    const before = steadyNow();
    file.change(account, (record) => withMessage(record, messageOf(record.password)));
    const [message] = other.read(account).messages;
    expect(message).toMatchObject({ id: 'a', carrier: 'cheap', outcome: 'in_flight' });
    const sentAt = (message?.countsUntil ?? 0) - HOLD;
    // wall times have whole milliseconds
    expect([sentAt - before > -20, steadyNow() - sentAt > -20]).toEqual([true, true]);
    expect(idsIn(other, { ...account, username: 'other' })).toEqual([]);
    // the same account in another case is the same account
    expect(idsIn(other, { ...account, username: 'SVC-LIC', domain: 'corp' })).toEqual(['a']);
    for (const name of readdirSync(join(path, '..'))) {
      expect(statSync(join(path, '..', name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(path, '..', name), 'latin1')).not.toContain(account.password);
    }
  });

  it('has one record for each account, and knows which password a message was sent with', () => {
    const { file } = open(join(createFolder(), 'logons.db'));
    const next = { ...account, password: 'next' };
    file.change(account, (record) => withMessage(record, messageOf(record.password)));
    file.change(next, (record) => withMessage(record, messageOf(record.password, 'b')));
    const { messages, password } = file.read(next);
    expect(messages.map((message) => [message.id, message.password === password])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('keeps when a rejected password was proven, for the next process', async () => {
    const path = join(createFolder(), 'logons.db');
    const { file } = open(path);
    const gate = createTestGate({ store: file });
    (await gate.acquire('cheap', never)).accepted();
    const rejectedAt = steadyNow();
    (await gate.acquire('cheap', never)).rejected({ code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' });
    file.close();
    const next = createTestGate({ store: open(path).file });
    expect(next.standing()).toMatchObject({ is: 'suspended', because: 'unconfirmed' });
    expect(Math.abs(next.retryAt - rejectedAt - MINUTE)).toBeLessThan(MINUTE / 2);
    // another password was never accepted
    const other = createTestGate({ store: open(path).file, credentials: { ...account, password: 'other' } });
    (await other.acquire('cheap', never)).rejected({ code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' });
    expect(other.standing()).toMatchObject({ is: 'suspended', because: 'rejected_and_spent' });
  });

  it('of an earlier version is read: it has one row for each password, and no uptime', () => {
    const path = join(createFolder(), 'logons.db');
    const { file } = open(path);
    file.close();
    const old = new DatabaseSync(path);
    const before = steadyNow();
    const sentAt = Date.now() - MINUTE;
    const message = { id: 'old', sentAt, countsUntil: sentAt + HOLD, carrier: 'cheap', outcome: 'no_verdict' };
    const insert = old.prepare("INSERT INTO logons VALUES ('corp\\svc-lic', ?, ?, ?)");
    insert.run('aa', JSON.stringify({ messages: [message] }), sentAt);
    insert.run('bb', JSON.stringify({ messages: [], verdict: { isGood: true, at: sentAt } }), sentAt);
    old.close();
    const { messages, verdicts } = open(path).file.read(account);
    expect(messages).toMatchObject([{ id: 'old', password: 'aa' }]);
    expect(verdicts).toMatchObject({ bb: { isGood: true } });
    const read = (messages[0]?.sentAt ?? 0) + MINUTE;
    expect([read - before > -20, steadyNow() - read > -20]).toEqual([true, true]);
  });

  it.each([
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
  ])('that %s: says so, and no logon is sent', async (_, prepare, reason) => {
    const path = prepare(createFolder());
    const { file, writes } = open(path);
    const gate = createTestGate({ store: file });
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_LOGON_NOT_KEPT' });
    expect(writes.problem()).toBe(`the logon file ${path} cannot be used: ${reason}`);
  });
});

/** Each makes a file of an earlier run unusable. */
const damages: readonly (readonly [string, (path: string) => void])[] = [
  ['is a text', (path) => writeFileSync(path, 'no database, '.repeat(100))],
  ['begins with zeros', (path) => writeFileSync(path, Buffer.alloc(4096))],
  ['lost its end', (path) => truncateSync(path, 5000)],
  [
    'has other bytes in its pages',
    (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0x5a, 1000));
    },
  ],
  [
    'has a damaged record',
    (path) => {
      const database = new DatabaseSync(path);
      database.exec("UPDATE logons SET record = '{'");
      database.close();
    },
  ],
  [
    'has a record of another form',
    (path) => {
      const database = new DatabaseSync(path);
      database.exec("UPDATE logons SET record = '{}'");
      database.close();
    },
  ],
];

describe('a logon file that is damaged', () => {
  it.each(damages)('%s: is set aside, and no logon is sent while what it counted matters', async (_, damage) => {
    const path = await createCounted();
    damage(path);
    age(path, 20);
    const { file, log, writes } = open(path);
    const gate = createTestGate({ store: file });
    const standing = gate.standing();
    expect(standing).toMatchObject({ is: 'suspended', because: 'not_recorded' });
    if (standing.is === 'suspended') expect((standing.until - steadyNow()) / MINUTE).toBeCloseTo(11, 0);
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_LOGON_NOT_KEPT' });
    expect(log.entries).toMatchObject([{ level: 'error', fields: { file: path } }]);
    expect(readdirSync(join(path, '..')).filter((name) => /^logons\.db\.damaged-[0-9TZ]+$/.test(name))).toHaveLength(1);
    expect(writes.problem()).toBeUndefined();
    // another process finds a new file, and the one beside it
    expect(createTestGate({ store: open(path).file }).standing()).toMatchObject({ because: 'not_recorded' });
  });

  it.each(damages)('%s: does not matter after auth_retry and a minute', async (_, damage) => {
    const path = await createCounted();
    damage(path);
    age(path, 31);
    const gate = createTestGate({ store: open(path).file });
    (await gate.acquire('cheap', never)).accepted();
    expect(createTestGate({ store: open(path).file }).authenticated).toBe(true);
  });

  it('stays where it is if it may not be replaced, as by doctor', async () => {
    const path = await createCounted();
    writeFileSync(path, 'no database, '.repeat(100));
    const { file, writes } = open(path, false);
    expect(createTestGate({ store: file }).standing()).toMatchObject({ because: 'not_recorded' });
    expect(writes.problem()).toContain('it is not a logon file');
    expect(readFileSync(path, 'latin1')).toContain('no database');
  });

  it('while it is open: is set aside, and processes that share it find the new one', async () => {
    const path = await createCounted();
    const [file, other] = [open(path).file, open(path).file];
    expect(idsIn(other)).toHaveLength(1);
    const database = new DatabaseSync(path);
    database.exec("UPDATE logons SET record = '{'");
    database.close();
    expect(createTestGate({ store: file }).standing()).toMatchObject({ because: 'not_recorded' });
    expect(createTestGate({ store: other }).standing()).toMatchObject({ because: 'not_recorded' });
    other.change(account, (record) => withMessage(record, messageOf(record.password, 'new')));
    expect(idsIn(file)).toEqual(['new']);
    expect(readdirSync(join(path, '..')).filter((name) => /damaged-[0-9TZ]+$/.test(name))).toHaveLength(1);
  });

  it.runIf(existsSync('/proc/self/fd'))('is not left open', () => {
    const path = join(createFolder(), 'logons.db');
    writeFileSync(path, 'other content that is long enough to be read as the header of a file');
    const count = (): number => readdirSync('/proc/self/fd').length;
    const before = count();
    for (let i = 0; i < 20; i += 1) open(path, false);
    expect(count()).toBeLessThan(before + 10);
  });

  it('begins again when it is deleted', async () => {
    const path = await createCounted();
    const { file } = open(path);
    expect(idsIn(file)).toHaveLength(1);
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    expect(createTestGate({ store: file }).standing()).toEqual({ is: 'ready' });
  });
});

describe.runIf(process.getuid?.() === 0)('a logon file on a full disk', () => {
  it('cannot be created: no logon is sent, until it can', async () => {
    const disk = createSmallDisk(cleanup);
    const path = join(disk.path, 'logons.db');
    disk.fill();
    const { file, writes } = open(path);
    const gate = createTestGate({ store: file });
    await expect(gate.acquire('cheap', never)).rejects.toMatchObject({ code: 'NTLM_LOGON_NOT_KEPT' });
    expect(writes.problem()).toContain('the disk is full');
    disk.empty();
    const again = createTestGate({ store: open(path).file });
    (await again.acquire('cheap', never)).accepted();
  });

  it('that was used before: gets the verdict when there is room', async () => {
    const disk = createSmallDisk(cleanup);
    const path = join(disk.path, 'logons.db');
    const { file, writes } = open(path);
    const gate = createTestGate({ store: file });
    const permit = await gate.acquire('cheap', never);
    disk.fill();
    // what is in the file already may have room for the first changes
    for (let i = 0; writes.problem() === undefined; i += 1) {
      expect(i).toBeLessThan(5000);
      file.change(account, (record) => ({ ...record }));
    }
    permit.rejected({ code: 'NTLM_CREDENTIALS_REJECTED', message: 'rejected' });
    expect(gate.standing()).toMatchObject({ is: 'suspended', because: 'rejected' });
    expect(outcomesIn(path)).toEqual(['in_flight']);
    disk.empty();
    await eventually('the file is used again', () => {
      gate.standing();
      return writes.problem() === undefined;
    });
    expect(outcomesIn(path)).toEqual(['rejected']);
    expect(gate.standing()).toMatchObject({ is: 'suspended', because: 'rejected' });
  });
});

describe('the count of logons', () => {
  it('counts across processes that are killed while a logon is in flight', async () => {
    const path = join(createFolder(), 'logons.db');
    const script = `
      import os from 'node:os';
      import { syncBuiltinESMExports } from 'node:module';
      import { LogonFile } from ${JSON.stringify(new URL('../../../src/exporter/client/logon-file.ts', import.meta.url).href)};
      import { CredentialGate } from ${JSON.stringify(new URL('../../../src/exporter/client/credential-gate.ts', import.meta.url).href)};
      // simulates the end of the quiet time
      const later = Number(process.argv[1]);
      Date.now = ((now) => () => now() + later)(Date.now);
      os.uptime = ((uptime) => () => uptime() + later / 1000)(os.uptime);
      syncBuiltinESMExports();
      const gate = new CredentialGate({
        credentials: ${JSON.stringify(account)}, authRetrySeconds: 1800, maxFailedLogons: 2,
        store: new LogonFile({ path: ${JSON.stringify(path)}, mayReplace: true, writes: { succeeded: () => undefined } }),
      });
      gate.pathChecked();
      gate.acquire('cheap', AbortSignal.timeout(3000)).then(() => 'sent', ({ code, name }) => (typeof code === 'string' ? code : name))
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
