import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { hash, truncates } from 'bcryptjs';
import type { Command } from '../config/flags.ts';
import { parseUsersFile } from '../config/users-file.ts';
import { ntHash } from '../ntlm/primitives.ts';
import type { CommandContext } from './command.ts';

/** The first line of standard input; on a terminal it is asked for and not shown. */
async function readPassword(): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal });
  if (isTerminal) process.stderr.write('Password: ');
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}

/** The name from the command line and the password from standard input. */
async function readAccount(command: Command, name: string | undefined): Promise<{ name: string; password: string }> {
  if (name === undefined) throw new Error(`${command} needs the name of the user`, { cause: 'usage' });
  const password = await readPassword();
  if (password === '') throw new Error('the password is empty; write it to standard input', { cause: 'usage' });
  return { name, password };
}

/** Rounds of bcrypt, as a power of two: what the exporter-toolkit recommends. */
const COST = 10;

/** Prints the line of a user for `basic_auth_users` of a web config. */
export async function hashPassword({ line, print }: CommandContext): Promise<number> {
  if (line.argument?.includes(':')) throw new Error('a user name has no colon', { cause: 'usage' });
  const { name, password } = await readAccount('hash-password', line.argument);
  if (truncates(password)) throw new Error('the password is longer than the 72 bytes bcrypt takes', { cause: 'usage' });
  print(`${JSON.stringify(name)}: ${await hash(password, COST)}\n`);
  return 0;
}

/** Prints the line of a user for `embedded_analyzer.users_file`. */
export async function hashAnalyzerPassword({ line, print }: CommandContext): Promise<number> {
  const lineOf = (name: string, ntHash: Buffer): string => `${name}:${ntHash.toString('hex')}`;
  // the name must be one the file can hold
  if (line.argument !== undefined) parseUsersFile(lineOf(line.argument, Buffer.alloc(16)), 'NAME');
  const { name, password } = await readAccount('analyzer hash-password', line.argument);
  print(`${lineOf(name, ntHash(password))}\n`);
  return 0;
}
