import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The checksums of a release, and their signature with the key of the one who releases. */

export const CHECKSUMS = 'SHA256SUMS';

/** Writes the checksums of all files in the folder, as `sha256sum` does. */
export function writeChecksums(folder: string): void {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(CHECKSUMS))
    .map(({ name }) => name)
    .sort();
  const lines = names.map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(join(folder, CHECKSUMS), lines.join(''));
}

/** How the programs sign a file, and the name of the signature. */
const programs = {
  minisign: {
    key: 'the file of the secret key',
    args: (key: string): readonly string[] => ['-S', '-s', key, '-m', CHECKSUMS],
    signature: `${CHECKSUMS}.minisig`,
  },
  gpg: {
    key: 'the fingerprint of the key',
    args: (key: string): readonly string[] => ['--yes', '--armor', '--local-user', key, '--detach-sign', CHECKSUMS],
    signature: `${CHECKSUMS}.asc`,
  },
} as const;

/** What signs a release. */
export interface Signer {
  readonly program: keyof typeof programs;
  readonly key: string;
}

/** @param text `minisign:KEYFILE` or `gpg:FINGERPRINT`. Throws an error with the remedy */
export function signerOf(text: string): Signer {
  const [, program = '', key = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
  if (program === 'gpg') return { program, key };
  if (program === 'minisign') {
    // npm changes to the folder of package.json
    const file = resolve(process.env.INIT_CWD ?? '.', key);
    if (existsSync(file)) return { program, key: file };
    throw new Error(`a release is not signed with "${text}": there is no file ${file}`);
  }
  const forms = Object.entries(programs).map(([name, of]) => `${name}:KEY, where KEY is ${of.key}`);
  throw new Error(`a release is not signed with "${text}": write ${forms.join(', or ')}`);
}

/** Signs the checksums in the folder. The program may ask for the password of the key. @returns the name of the signature */
export function signChecksums(folder: string, { program, key }: Signer): string {
  const { args, signature } = programs[program];
  execFileSync(program, args(key), { cwd: folder, stdio: 'inherit' });
  return signature;
}
