import { existsSync, mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToOwnerOf } from './ownership.ts';

/**
 * Writes a value as a JSON file with mode 0600. The file is replaced atomically: even after a crash it has the old content
 * or the new content. Two writes of one file must not run at once, because they share a temporary file.
 *
 * @throws NodeJS.ErrnoException when the file or its directory cannot be written
 */
export async function writeJsonFile(path: string, content: unknown): Promise<void> {
  // `recursive` never returns if a parent cannot be created, for example in /proc
  const directory = dirname(path);
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  giveToOwnerOf(directory, temporary);
  await rename(temporary, path);
}
