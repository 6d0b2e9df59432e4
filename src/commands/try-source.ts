import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/problems.ts';
import { decodeOutput } from '../sources/transport/decode-output.ts';
import type { Capture } from './capture/capture-file.ts';
import { isUnderstood, recognize, replay } from './capture/replay.ts';
import type { CommandContext } from './command.ts';
import { understoodText } from './understood-text.ts';

const UNKNOWN =
  'is neither a capture nor a text that a license manager prints: lmstat -a, lmstat -i, rlmstat -a, an observation document, a license file or a debug log of FlexNet';

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
