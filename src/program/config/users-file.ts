import type { AnalyzerAccount } from '../../analyzer/settings.ts';
import { ConfigError, type Problem } from './problems.ts';

const REMEDY = 'with "license-exporter analyzer hash-password NAME"';

const LINE = /^([^:\\]+):([0-9a-fA-F]{32})$/;

/**
 * The accounts of a file, one `name:nt-hash` per line. Empty lines and lines that start with `#` are ignored.
 *
 * @throws ConfigError with the number of each invalid line, never with its content
 */
export function parseUsersFile(source: string, file: string): readonly AnalyzerAccount[] {
  const users = new Map<string, AnalyzerAccount>();
  const problems: Problem[] = [];
  for (const [i, raw] of source.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const refuse = (message: string): void => void problems.push({ key: '', where: `${file}:${i + 1}`, message });
    const [, name = '', hash = ''] = LINE.exec(line) ?? [];
    if (name === '') refuse(`is not in the form name:nt-hash; create the line ${REMEDY}`);
    else if (users.has(name.toLowerCase())) refuse('repeats a user; remove one of the lines');
    else users.set(name.toLowerCase(), { name, ntHash: Buffer.from(hash, 'hex') });
  }
  if (users.size === 0 && problems.length === 0) {
    problems.push({ key: '', where: file, message: `has no users; add one ${REMEDY}` });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return [...users.values()];
}

/**
 * The text of a users file with the line of a user, which replaces the earlier lines of this user. Case is ignored.
 *
 * @throws ConfigError if the file has other lines than those of users
 */
export function withUser(source: string, file: string, line: string): string {
  const nameIn = (other: string): string | undefined => LINE.exec(other.trim())?.[1]?.toLowerCase();
  const name = nameIn(line);
  const lines = source === '' ? [] : source.replace(/\n$/, '').split('\n');
  const at = lines.findIndex((other) => nameIn(other) === name);
  const others = lines.filter((other) => nameIn(other) !== name);
  const text = `${(at < 0 ? [...others, line] : others.toSpliced(at, 0, line)).join('\n')}\n`;
  parseUsersFile(text, file);
  return text;
}
