import { ConfigError, type Problem } from './problems.ts';

/** An account of the embedded analyzer. */
export interface AnalyzerAccount {
  readonly name: string;
  /** For NTLM it is equivalent to the password. */
  readonly ntHash: Buffer;
}

const REMEDY = 'with "license-exporter analyzer hash-password NAME"';

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
    const refuse = (why: string): void =>
      void problems.push({ key: '', where: `${file}:${i + 1}`, message: `${why}; create the line ${REMEDY}` });
    const [, name = '', hash = ''] = /^([^:\\]+):([0-9a-fA-F]{32})$/.exec(line) ?? [];
    if (name === '') refuse('is not in the form name:nt-hash');
    else if (users.has(name.toLowerCase())) refuse('repeats a user');
    else users.set(name.toLowerCase(), { name, ntHash: Buffer.from(hash, 'hex') });
  }
  if (users.size === 0 && problems.length === 0) {
    problems.push({ key: '', where: file, message: `has no users; add one ${REMEDY}` });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return [...users.values()];
}
