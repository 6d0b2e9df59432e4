import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { openFilesProblem } from '../model/explanation.ts';

/** What SQLite says of any file that it cannot open. */
const SQLITE_CANTOPEN = 14;

/**
 * The limit and the remedy, if a file could not be opened because too many are open; `undefined` for any other error. SQLite does
 * not say why it cannot open a file: then another file is opened, to see.
 */
export function fileLimitProblem(error: unknown): string | undefined {
  const { errcode } = error as { errcode?: number };
  if (errcode === undefined || (errcode & 0xff) !== SQLITE_CANTOPEN) return openFilesProblem(error);
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (other) {
    return openFilesProblem(other);
  }
}
