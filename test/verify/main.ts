import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanCommit, describeMachine, writePage, writeTable } from './page.ts';
import { parts } from './parts.ts';
import { chooseParts, runParts } from './run-parts.ts';

/** `npm run verify`: what `.ci/run` leaves out, because it takes long or measures seconds. */

const root = join(import.meta.dirname, '../..');
const page = 'docs/developers/verified.md';

const help = `npm run verify -- [PART...]
Runs the parts one after the other; all of them without a name. The output of each is in build/verify.
A whole run of a checkout without changes writes ${page}.

${parts.map(({ name, about }) => `  ${name.padEnd(12)} ${about}\n`).join('')}`;

async function verify(names: readonly string[]): Promise<number> {
  const chosen = chooseParts(parts, names);
  const isWhole = chosen.length === parts.length;
  const commit = isWhole ? cleanCommit() : undefined;
  if (isWhole && commit === undefined)
    process.stderr.write(`${page} will not be written: the checkout has changes that are not committed\n`);
  const results = await runParts(chosen, relative('', join(root, 'build/verify')), ({ part, isPassed, minutes }) =>
    process.stderr.write(`${part.name} ${isPassed ? 'has passed' : 'HAS FAILED'} after ${minutes.toFixed(1)} min\n`),
  );
  process.stdout.write(writeTable(results));
  if (commit !== undefined && commit === cleanCommit()) {
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(join(root, page), writePage({ commit, date, machine: describeMachine(), results }));
    process.stdout.write(`${page} is written: commit it\n`);
  }
  return results.every(({ isPassed }) => isPassed) ? 0 : 1;
}

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.help) process.stdout.write(help);
else process.exitCode = await verify(positionals);
