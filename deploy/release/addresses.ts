import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './dependencies.ts';

/**
 * The addresses of this project. A fork fills them in, in package.json alone: `npm run generate` writes them where else they are.
 * `npm run placeholders` says which of them are placeholders.
 */

/** The keys of package.json that have addresses. */
export interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly bugs: string;
  readonly config: { readonly image: string; readonly security: string };
}

export interface Address {
  /** Where it is in package.json. */
  readonly key: string;
  readonly value: string;
  readonly use: string;
}

export const manifest = (): Manifest => JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest;

export const addressesOf = ({ repository: { url }, bugs, config }: Manifest): readonly Address[] => [
  { key: 'repository.url', value: url, use: 'links to runbooks and pages' },
  { key: 'bugs', value: bugs, use: 'where to report a problem' },
  { key: 'config.security', value: config.security, use: 'where to report a vulnerability' },
  { key: 'config.image', value: config.image, use: 'where the image is pushed' },
];

/** Names that are reserved for examples (RFC 2606) lead nowhere. */
export const placeholdersIn = (addresses: readonly Address[]): readonly Address[] =>
  addresses.filter(({ value }) => /[/@.](?:example\.(?:com|net|org)|example|invalid)(?:[:/]|$)|^example\./.test(value));

/** A line for each placeholder. */
export const placeholderLines = (addresses: readonly Address[]): readonly string[] =>
  placeholdersIn(addresses).map(
    ({ key, value, use }) =>
      `placeholder in package.json: ${key} is ${value} (${use}); write your own, then npm run generate`,
  );

if (import.meta.main) {
  const lines = placeholderLines(addressesOf(manifest()));
  process.stdout.write(lines.length === 0 ? 'no placeholders\n' : `${lines.join('\n')}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}
