import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder of public captures, beside the repository and not part of it. Undefined if it is missing, which is listed at
 * the end of the test run.
 */
export function sharedFixtures(name: string): string | undefined {
  const folder = join(import.meta.dirname, '../../../shared/fixtures', name);
  if (existsSync(folder)) return folder;
  const list = process.env.MISSING_PEERS_FILE;
  if (list !== undefined) appendFileSync(list, `the public captures of ${name} are missing: ${folder}\n`);
  return undefined;
}
