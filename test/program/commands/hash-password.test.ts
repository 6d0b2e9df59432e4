import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from 'bcryptjs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseUsersFile } from '../../../src/program/config/users-file.ts';
import { readWebConfig } from '../../../src/program/config/web-config.ts';
import { createCleanup } from '../../support/harness.ts';
import { createRunner } from '../../support/run.ts';

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
    const empty = run(['hash-password', 'prom'], { input: '\n' });
    expect(await empty.exit).toBe(1);
    expect(empty.output()).toBe('the password is empty; write it to standard input\n');
  });

  describe('with --output', () => {
    const hashTo = async (file: string, name: string, password: string) => {
      const hashing = run(['hash-password', name, '--output', file], { input: `${password}\n` });
      return { exit: await hashing.exit, output: hashing.output() };
    };

    it('adds a user to a web config, or replaces the hash, and keeps everything else', async () => {
      const file = join(temporaryFolder(), 'web.yml');
      const head = '# of the operator\nhttp_server_config: {headers: {X-Frame-Options: deny}} # frames\n';
      writeFileSync(file, `${head}basic_auth_users:\n`, { mode: 0o640 });
      for (const [name, password] of [
        ['prom', 'first'],
        ['7 # x', 'other'],
        ['prom', 'geheim'],
      ] as const) {
        expect(await hashTo(file, name, password)).toEqual({
          exit: 0,
          output: `${file} has the user ${name}; a running daemon reads it within seconds\n`,
        });
      }
      const { users } = readWebConfig(file);
      expect([...users.keys()]).toEqual(['prom', '7 # x']);
      expect(await compare('geheim', users.get('prom') ?? '')).toBe(true);
      expect(readFileSync(file, 'utf8').startsWith(head)).toBe(true);
      expect(statSync(file).mode & 0o777).toBe(0o640);
    });

    it('makes a file with mode 0600', async () => {
      const file = join(temporaryFolder(), 'web.yml');
      expect((await hashTo(file, 'prom', 'geheim')).exit).toBe(0);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect([...readWebConfig(file).users.keys()]).toEqual(['prom']);
    });

    it.each([
      ['analyzer: {url: x}\n', 'is no web config: it has analyzer; valid are '],
      ['- prom\n', 'is no web config'],
      ['basic_auth_users: {\n', 'is not valid YAML; correct it first'],
    ])('leaves %j as it is', async (text, message) => {
      const file = join(temporaryFolder(), 'web.yml');
      writeFileSync(file, text);
      const { exit, output } = await hashTo(file, 'prom', 'geheim');
      expect(exit).toBe(2);
      expect(output).toContain(`${file}: ${message}`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    });
  });
});

describe('analyzer hash-password', () => {
  it('prints the NT hash of the password', async () => {
    const hashing = run(['analyzer', 'hash-password', 'svc'], { input: 'password\n' });
    expect(await hashing.exit).toBe(0);
    expect(hashing.output()).toBe('svc:8846f7eaee8fb117ad06bdd830b7586c\n');
  });

  it('takes no empty password and no colon in a name', async () => {
    const hashing = run(['analyzer', 'hash-password', 'svc'], { input: '\n' });
    expect(await hashing.exit).toBe(1);
    expect(hashing.output()).toContain('the password is empty; write it to standard input');
    const colon = run(['analyzer', 'hash-password', 'a:b'], { input: 'password\n' });
    expect(await colon.exit).toBe(1);
    expect(colon.output()).toContain('a user name must not contain a colon');
  });

  describe('with --output', () => {
    const modeOf = (file: string): number => statSync(file).mode & 0o777;
    const hashTo = async (file: string, name: string, password: string): Promise<string> => {
      const hashing = run(['analyzer', 'hash-password', name, '--output', file], { input: `${password}\n` });
      expect(await hashing.exit).toBe(0);
      return hashing.output();
    };

    it('writes a file with mode 0600 that the analyzer takes, and replaces the line of the same user', async () => {
      const file = join(temporaryFolder(), 'users');
      expect(await hashTo(file, 'svc', 'first')).toBe(
        `${file} has the user svc; a running analyzer reads it on SIGHUP\n`,
      );
      expect(modeOf(file)).toBe(0o600);
      await hashTo(file, 'other', 'other');
      await hashTo(file, 'SVC', 'password');
      const text = readFileSync(file, 'utf8');
      expect(text).toMatch(/^SVC:8846f7eaee8fb117ad06bdd830b7586c\nother:[0-9a-f]{32}\n$/);
      expect(parseUsersFile(text, file).map(({ name }) => name)).toEqual(['SVC', 'other']);
    });

    it('keeps comments, other users and the mode, and warns of a mode that is too wide', async () => {
      const file = join(temporaryFolder(), 'users');
      const other = `other:${'0'.repeat(32)}`;
      // without a line break at its end, and with a user twice, as after `>>`
      writeFileSync(file, `# Nagios\nsvc:${'1'.repeat(32)}\n${other}\nsvc:${'2'.repeat(32)}`, { mode: 0o644 });
      const output = await hashTo(file, 'svc', 'password');
      expect(output).toContain(`warning: ${file} can be read by every user; forbid it (chmod o= ${file})\n`);
      expect(readFileSync(file, 'utf8')).toBe(`# Nagios\nsvc:8846f7eaee8fb117ad06bdd830b7586c\n${other}\n`);
      expect(modeOf(file)).toBe(0o644);
    });

    it('leaves a file as it is that is no users file, and names what cannot be written', async () => {
      const folder = temporaryFolder();
      const file = join(folder, 'analyzer.yml');
      writeFileSync(file, 'embedded_analyzer:\n');
      const noUsers = run(['analyzer', 'hash-password', 'svc', `--output=${file}`], { input: 'password\n' });
      expect(await noUsers.exit).toBe(2);
      expect(noUsers.output()).toContain(`${file}:1: is not in the form name:nt-hash`);
      expect(readFileSync(file, 'utf8')).toBe('embedded_analyzer:\n');

      const nowhere = join(folder, 'gone/users');
      const unwritten = run(['analyzer', 'hash-password', 'svc', `--output=${nowhere}`], { input: 'password\n' });
      expect(await unwritten.exit).toBe(1);
      expect(unwritten.output()).toMatch(/gone\/users cannot be written: ENOENT/);
      expect(unwritten.output()).not.toContain(' at ');
    });
  });
});
