import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHoldFile } from '../../src/client/hold-file.ts';
import { createCredentialGate } from '../../src/ntlm/credential-gate.ts';
import { account, createCleanup } from '../harness.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

function create(content?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-hold-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'state/logon-hold.json');
  const problems: string[] = [];
  if (content !== undefined) {
    const flat = join(folder, 'hold.json');
    writeFileSync(flat, content);
    return { path: flat, problems, store: createHoldFile(flat, (problem) => problems.push(problem)) };
  }
  return { path, problems, store: createHoldFile(path, (problem) => problems.push(problem)) };
}

const hold = { since: 1000, retryAt: 2000 };

describe('the hold file', () => {
  it('keeps a hold for the credentials it came from, and gives nothing away', () => {
    const { store, path, problems } = create();
    expect(store.load(account)).toBeUndefined();
    store.save(account, hold);
    expect(store.load(account)).toEqual(hold);
    expect(store.load({ ...account, password: 'other' })).toBeUndefined();
    expect(store.load({ ...account, username: 'other' })).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).not.toContain(account.password);
    store.save({ ...account, username: 'other' }, { since: 1, retryAt: 2 });
    store.save(account, undefined);
    expect(store.load(account)).toBeUndefined();
    expect(store.load({ ...account, username: 'other' })).toEqual({ since: 1, retryAt: 2 });
    expect(problems).toEqual([]);
  });

  it.each(['', '{', '[]', '{"v":2,"holds":{}}', '{"v":1,"holds":{"x":{}}}', 'null'])(
    'treats %j as no hold, and says so',
    (content) => {
      const { store, path, problems } = create(content);
      expect(store.load(account)).toBeUndefined();
      expect(problems).toEqual([`${path} is damaged and is not used; remove it`]);
    },
  );

  it('says when it cannot be written', () => {
    const { path: file } = create('{"v":1,"holds":{}}');
    const problems: string[] = [];
    createHoldFile(join(file, 'below/hold.json'), (problem) => problems.push(problem)).save(account, hold);
    expect(problems.at(-1)).toMatch(
      /cannot be written \(\w+\); a restart may spend another logon; check storage\.path$/,
    );
  });
});

describe('a gate with a stored hold', () => {
  it('begins suspended, and is free when the hold is over', () => {
    const { store } = create();
    let now = 1500;
    store.save(account, hold);
    const gate = createCredentialGate({ credentials: account, holdSeconds: 1, now: () => now, store });
    expect([gate.authenticated, gate.retryAt]).toEqual([false, 2000]);
    expect(() => gate.check()).toThrow(expect.objectContaining({ code: 'NTLM_CREDENTIALS_SUSPENDED', retryAt: 2000 }));
    now = 2000;
    expect(() => gate.check()).not.toThrow();
    expect(gate.retryAt).toBe(0);
    expect(store.load(account)).toBeUndefined();
  });

  it('lets one at a time log on, and the next only after the verdict', async () => {
    const gate = createCredentialGate({ credentials: account, holdSeconds: 60 });
    const signal = new AbortController().signal;
    const first = await gate.acquire(signal);
    let turns = 0;
    const others = [1, 2].map(async () => {
      const permit = await gate.acquire(signal);
      turns += 1;
      return permit;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toBe(0);
    first.accepted();
    const second = await Promise.race(others);
    expect(turns).toBe(1);
    second.rejected();
    const results = await Promise.allSettled(others);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('gives up waiting when it is told to', async () => {
    const gate = createCredentialGate({ credentials: account, holdSeconds: 60 });
    await gate.acquire(new AbortController().signal);
    const aborting = new AbortController();
    const waiting = gate.acquire(aborting.signal);
    aborting.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('does not take a verdict on old credentials for one on new ones', async () => {
    const gate = createCredentialGate({ credentials: account, holdSeconds: 60 });
    const permit = await gate.acquire(new AbortController().signal);
    gate.resetCredentials({ ...account, password: 'new' });
    permit.rejected();
    expect(gate.state).toBe('unknown');
    expect(() => gate.check()).not.toThrow();
  });
});
