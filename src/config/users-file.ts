import { ValueError } from './values.ts';

/** An account of the embedded analyzer. */
export interface AnalyzerAccount {
  readonly name: string;
  /** As good as the password, as far as NTLM is concerned. */
  readonly ntHash: Buffer;
}

/**
 * Accounts of a file with a line `name:nt-hash` each; empty lines and such that begin with `#` are passed over.
 *
 * @throws ValueError that names the line, and never what it says
 */
export function parseUsersFile(source: string, file: string): readonly AnalyzerAccount[] {
  const users = new Map<string, AnalyzerAccount>();
  for (const [i, raw] of source.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const refuse = (why: string): never => {
      throw new ValueError(
        `${file}:${i + 1} ${why}; make the line with "license-exporter analyzer hash-password NAME"`,
      );
    };
    const [, name = '', hash = ''] =
      /^([^:\\]+):([0-9a-fA-F]{32})$/.exec(line) ?? refuse('is not of the form name:nt-hash');
    if (users.has(name.toLowerCase())) refuse('names a user for the second time');
    users.set(name.toLowerCase(), { name, ntHash: Buffer.from(hash, 'hex') });
  }
  if (users.size === 0)
    throw new ValueError(`${file} names no user; make one with "license-exporter analyzer hash-password NAME"`);
  return [...users.values()];
}
