import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCleanup } from '../support/harness.ts';
import { writePage, writeTable } from './page.ts';
import { type Part, parts } from './parts.ts';
import { chooseParts, type Result, runParts } from './run-parts.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const partOf = (name: string, code: string): Part => ({
  name,
  about: `about ${name}`,
  command: [process.execPath, '-e', code],
  figures: (output) => output.trim(),
});

const good = partOf('good', 'console.log("peers", process.env.REQUIRE_PEERS)');
const bad = partOf('bad', 'console.log("1 of 2"); console.error("why"); process.exitCode = 1');
const missing: Part = { ...partOf('missing', ''), command: ['no-such-program'] };

async function run(...chosen: readonly Part[]): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-verify-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  return await runParts(chosen, folder, () => undefined);
}

describe('verify', () => {
  it('goes on after a part that fails, and keeps the output of each', async () => {
    const results = await run(missing, bad, good);
    expect(results.map(({ part, isPassed, figures }) => [part.name, isPassed, figures])).toEqual([
      ['missing', false, ''],
      ['bad', false, '1 of 2'],
      ['good', true, 'peers 1'],
    ]);
    const logs = results.map(({ log }) => readFileSync(log, 'utf8'));
    expect(logs).toEqual(['spawn no-such-program ENOENT\n', expect.stringContaining('why\n'), 'peers 1\n']);
  });

  it('ends with a table', async () => {
    const table = writeTable(await run(bad, good)).split('\n');
    expect(table).toEqual([
      expect.stringMatching(/^bad {3}FAILED +\d\.\d min .*bad\.log$/),
      expect.stringMatching(/^good {2}passed +\d\.\d min .*good\.log$/),
      '',
    ]);
  });

  it('writes a page with commit, machine, results and figures', async () => {
    const results = (await run(bad, good)).map((result) => ({ ...result, minutes: 1.25 }));
    expect(writePage({ commit: 'abc', date: '2026-11-28', machine: '2 × x', results })).toBe(`# Verified

The last whole run of \`npm run verify\`, which writes this page. [Development](development.md) says when it is asked for.

- commit: \`abc\`
- date: 2026-11-28
- machine: 2 × x

| part | what | result | minutes |
|---|---|---|---|
| bad | about bad | FAILED | 1.3 |
| good | about good | passed | 1.3 |

## bad

\`\`\`text
1 of 2
\`\`\`

## good

\`\`\`text
peers 1
\`\`\`
`);
  });

  it('runs the parts that are named, in their own order, and refuses other names', () => {
    expect(chooseParts([good, bad], ['bad', 'good'])).toEqual([good, bad]);
    expect(chooseParts([good, bad], ['bad'])).toEqual([bad]);
    expect(chooseParts([good, bad], [])).toEqual([good, bad]);
    expect(() => chooseParts([good, bad], ['bda'])).toThrow('no part bda: the parts are good, bad');
  });

  it('calls scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    const called = parts.flatMap(({ command }) => (command[0] === 'npm' ? [command[3]] : []));
    expect(called.length).toBeGreaterThan(3);
    expect(called.filter((name) => scripts[name ?? ''] === undefined)).toEqual([]);
  });
});
