import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNotes } from './changelog.ts';

/** Prints the release notes of the version of package.json, or of the version that is the argument. */

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
const version = process.argv[2] ?? JSON.parse(read('package.json')).version;
try {
  process.stdout.write(releaseNotes(read('CHANGELOG.md'), version));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
