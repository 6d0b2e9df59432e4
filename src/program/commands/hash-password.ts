import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { hash, truncates } from 'bcryptjs';
import { isReadableByAll } from '../../base/files/named-files.ts';
import { OperatorError } from '../../base/model/operator-error.ts';
import { ntHash } from '../../base/ntlm/primitives.ts';
import { parseUsersFile, withUser } from '../config/users-file.ts';
import { withWebUser } from '../config/web-config.ts';
import type { CommandContext } from './command.ts';

/** The first line of standard input. On a terminal it is prompted for and not echoed. */
async function readFirstLine(open: CommandContext['input']): Promise<string> {
  const input = open();
  const isTerminal = input.isTTY === true;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: isTerminal });
  if (isTerminal) process.stderr.write('Password: ');
  // a terminal that does not echo sends Ctrl-C as a character
  lines.once('SIGINT', () => {
    process.stderr.write('\n');
    process.kill(process.pid, 'SIGINT');
  });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
}

/** @throws OperatorError if the password is empty */
async function readPassword(input: CommandContext['input']): Promise<string> {
  const password = await readFirstLine(input);
  if (password === '') throw new OperatorError('the password is empty; write it to standard input');
  return password;
}

/** Rounds of bcrypt, as a power of two: what the exporter-toolkit recommends. */
const COST = 10;

/** Prints the line of a user for `basic_auth_users` of a web config, or writes it to the web config. */
export async function hashPassword({ line, input, print }: CommandContext): Promise<number> {
  const {
    argument: name,
    values: { output: file },
  } = line;
  if (name.includes(':')) throw new OperatorError('a user name must not contain a colon');
  const password = await readPassword(input);
  if (truncates(password)) throw new OperatorError('the password is longer than 72 bytes, the maximum of bcrypt');
  const hashed = await hash(password, COST);
  if (file === undefined) print(`${JSON.stringify(name)}: ${hashed}\n`);
  else {
    writeUser(file, (before) => withWebUser(before, file, name, hashed));
    print(`${file} has the user ${name}; a running daemon reads it within seconds\n`);
    warnOfReaders(file, print);
  }
  return 0;
}

/** @throws OperatorError if a users file cannot contain the name */
function requireUserName(name: string, line: string): void {
  try {
    if (parseUsersFile(line, '')[0]?.name === name) return;
  } catch {
    // replaces a message that refers to a file
  }
  throw new OperatorError('a user name must not contain a colon or backslash, start with #, or have spaces around it');
}

/**
 * Adds a user to a file, which is made if it does not exist. It keeps its owner and mode: the daemon must be able to read it.
 *
 * @throws OperatorError if the file cannot be written, or is of another kind
 */
function writeUser(file: string, withUserIn: (before: string) => string): void {
  try {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    writeFileSync(file, withUserIn(before), { mode: 0o600 });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

function warnOfReaders(file: string, print: CommandContext['print']): void {
  if (isReadableByAll(file)) print(`warning: ${file} can be read by every user; forbid it (chmod o= ${file})\n`);
}

/** Prints the line of a user for `embedded_analyzer.users_file`, or writes it to a file. */
export async function hashAnalyzerPassword({ line, input, print }: CommandContext): Promise<number> {
  const {
    argument: name,
    values: { output: file },
  } = line;
  const lineOf = (hashed: Buffer): string => `${name}:${hashed.toString('hex')}`;
  requireUserName(name, lineOf(Buffer.alloc(16)));
  const written = lineOf(ntHash(await readPassword(input)));
  if (file === undefined) {
    print(`${written}\n`);
    return 0;
  }
  writeUser(file, (before) => withUser(before, file, written));
  print(`${file} has the user ${name}; a running analyzer reads it on SIGHUP\n`);
  warnOfReaders(file, print);
  return 0;
}
