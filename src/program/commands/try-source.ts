import { readFile } from 'node:fs/promises';
import { managerCodes } from '../../analyzer/sources/manager-codes.ts';
import { managerNames } from '../../analyzer/sources/managers.ts';
import { decodeOutput } from '../../analyzer/sources/transport/decode-output.ts';
import { ConfigError } from '../config/problems.ts';
import type { Capture } from './capture/capture-file.ts';
import { isUnderstood, recognize, replay } from './capture/replay.ts';
import type { CommandContext } from './command.ts';
import { understoodText } from './understood-text.ts';

/** What can be tried, by the titles of all managers. */
const titles = managerNames.flatMap((name) =>
  Object.values(managerCodes[name].texts).flatMap(({ title, recognize: how }) => (how === 'inCaptures' ? [] : [title])),
);
const UNKNOWN = `is neither a capture nor a text that a license manager prints or writes: ${titles.join(', ')}`;

async function read(path: string): Promise<Capture | string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code}; check the path`;
  }
  try {
    return recognize(decodeOutput(bytes), Date.now() / 1000) ?? UNKNOWN;
  } catch (error) {
    return `cannot be tried: ${(error as Error).message}`;
  }
}

/** Prints what is understood of a file, and each line that is not. Returns 0 or 1. @throws ConfigError if the file cannot be tried */
export async function trySource({ line, print }: CommandContext): Promise<number> {
  const capture = await read(line.argument);
  if (typeof capture === 'string') {
    throw new ConfigError([{ key: '', where: line.argument, message: `the file ${capture}` }]);
  }
  const replayed = replay(capture);
  print(understoodText(capture, replayed));
  return isUnderstood(replayed) ? 0 : 1;
}
