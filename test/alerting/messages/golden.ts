import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rendered } from '../../support/rendered-messages.ts';

const golden = join(import.meta.dirname, 'golden');

/**
 * Compares messages with a file of the folder `golden` for each receiver. `UPDATE_GOLDEN=1` writes the files: read the difference as
 * an administrator does who knows nothing of the program.
 *
 * @param sender the end of the names of its files
 */
export function compareGolden(sender: string, messages: readonly Pick<Rendered, 'to' | 'text'>[]): void {
  const byReceiver = Map.groupBy(messages, ({ to }) => `${to.replace(' ', '-')}.${sender}.txt`);
  for (const [file, all] of byReceiver) {
    const path = join(golden, file);
    const text = `${all
      .map((message) => message.text.trim())
      .sort()
      .join(`\n${'='.repeat(80)}\n`)}\n`;
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(golden, { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(readFileSync(path, 'utf8'));
  }
  expect(
    readdirSync(golden)
      .filter((name) => name.includes(`.${sender}.`))
      .sort(),
  ).toEqual([...byReceiver.keys()].sort());
}
