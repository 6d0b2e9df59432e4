import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './parts.ts';

/** How a part ended. */
export interface Result {
  readonly part: Part;
  readonly isPassed: boolean;
  readonly minutes: number;
  /** What the page shows of it. */
  readonly figures: string;
  /** Its whole output. */
  readonly log: string;
}

/** The parts with these names, in their own order; all of them without a name. @throws Error that lists the names */
export function chooseParts(parts: readonly Part[], names: readonly string[]): readonly Part[] {
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0)
    throw new Error(`no part ${unknown.join(', ')}: the parts are ${parts.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name));
}

/** Runs one part to its end, with every peer required. A program that cannot be started is a failure too. */
async function run(part: Part, folder: string): Promise<Result> {
  const [program, ...args] = part.command;
  const log = join(folder, `${part.name}.log`);
  const file = createWriteStream(log);
  const began = performance.now();
  const env = { ...process.env, REQUIRE_PEERS: '1', NO_COLOR: '1', ...part.env };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.push(text);
    file.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => file.write(text));
  const isPassed = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      file.write(`${error.message}\n`);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  await new Promise((resolve) => file.end(resolve));
  const minutes = (performance.now() - began) / 60_000;
  return { part, isPassed, minutes, figures: part.figures(output.join('')), log };
}

/** Runs parts one after the other, also after one that has failed. @param onEnd is told of each */
export async function runParts(
  parts: readonly Part[],
  folder: string,
  onEnd: (result: Result) => void,
): Promise<readonly Result[]> {
  mkdirSync(folder, { recursive: true });
  const results: Result[] = [];
  for (const part of parts) {
    const result = await run(part, folder);
    onEnd(result);
    results.push(result);
  }
  return results;
}
