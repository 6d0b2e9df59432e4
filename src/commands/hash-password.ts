import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseUsersFile } from '../config/users-file.ts';
import { ntHash } from '../ntlm/primitives.ts';
import type { CommandContext } from './context.ts';

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

/** Prints the line of a user for `embedded_analyzer.users_file`. */
export async function hashPassword({ line, print }: CommandContext): Promise<number> {
  const { argument: name } = line;
  if (name === undefined) throw new Error('analyzer hash-password needs the name of the user', { cause: 'usage' });
  const lineOf = (hash: Buffer): string => `${name}:${hash.toString('hex')}`;
  // the name must be one the file can hold
  parseUsersFile(lineOf(Buffer.alloc(16)), 'NAME');
  const password = await readPassword();
  if (password === '') throw new Error('the password is empty; write it to standard input', { cause: 'usage' });
  print(`${lineOf(ntHash(password))}\n`);
  return 0;
}
