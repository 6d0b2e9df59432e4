import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { readWebConfig } from '../../src/config/web-config.ts';
import { createCleanup } from '../support/harness.ts';
import { createRunner } from '../support/run.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());
const { run, temporaryFolder } = createRunner(cleanup);

describe('hash-password', () => {
  it('prints a line that the web config takes', async () => {
    const hashing = run(['hash-password', 'prom'], { input: 'geheim\n' });
    expect(await hashing.exit).toBe(0);
    const web = join(temporaryFolder(), 'web.yml');
    writeFileSync(web, `basic_auth_users:\n  ${hashing.output()}`);
    const [[name, hash] = []] = readWebConfig(web).users;
    expect(name).toBe('prom');
    expect([await compare('geheim', hash ?? ''), await compare('gehein', hash ?? '')]).toEqual([true, false]);
  });

  it('refuses what the web config or bcrypt would not take', async () => {
    const colon = run(['hash-password', 'a:b'], { input: 'geheim\n' });
    expect(await colon.exit).toBe(1);
    expect(colon.output()).toBe('a user name must not contain a colon\n');
    const long = run(['hash-password', 'prom'], { input: `${'ü'.repeat(37)}\n` });
    expect(await long.exit).toBe(1);
    expect(long.output()).toBe('the password is longer than 72 bytes, the maximum of bcrypt\n');
  });
});

describe('analyzer hash-password', () => {
  it('prints the NT hash of the password', async () => {
    const hashing = run(['analyzer', 'hash-password', 'svc'], { input: 'password\n' });
    expect(await hashing.exit).toBe(0);
    expect(hashing.output()).toBe('svc:8846f7eaee8fb117ad06bdd830b7586c\n');
  });

  it('takes no empty password', async () => {
    const hashing = run(['analyzer', 'hash-password', 'svc'], { input: '\n' });
    expect(await hashing.exit).toBe(1);
    expect(hashing.output()).toContain('the password is empty; write it to standard input');
  });
});
