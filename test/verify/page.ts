import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import type { Result } from './run-parts.ts';

/** What a run has found, and where. */
export interface Run {
  /** Of the checkout. */
  readonly commit: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly machine: string;
  readonly results: readonly Result[];
}

/** The system of this host, as in `2 × Xeon, 24 GiB, Debian GNU/Linux 12, Linux 6.1.0, Node v24.0.0`. */
export function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const system = /^PRETTY_NAME="?([^"\n(]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]?.trim();
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${availableParallelism()} × ${model}, ${memory} GiB, ${system ?? 'Linux'}, Linux ${release()}, Node ${process.version}`;
}

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The commit of the checkout; `undefined` while it has changes that are not committed. */
export const cleanCommit = (): string | undefined =>
  git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined;

const resultOf = ({ isPassed }: Result): string => (isPassed ? 'passed' : 'FAILED');

/** The table at the end of a run. */
export function writeTable(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ part }) => part.name.length));
  const rows = results.map((result) => {
    const minutes = result.minutes.toFixed(1).padStart(6);
    return `${result.part.name.padEnd(width)}  ${resultOf(result)}  ${minutes} min  ${result.log}\n`;
  });
  return rows.join('');
}

/** `docs/developers/verified.md`. */
export function writePage({ commit, date, machine, results }: Run): string {
  const rows = results.map(
    (result) => `| ${result.part.name} | ${result.part.about} | ${resultOf(result)} | ${result.minutes.toFixed(1)} |\n`,
  );
  const figures = results
    .filter((result) => result.figures !== '')
    .map((result) => `\n## ${result.part.name}\n\n\`\`\`text\n${result.figures}\n\`\`\`\n`);
  return `# Verified

The last whole run of \`npm run verify\`, which writes this page. [Development](development.md) says when it is asked for.

- commit: \`${commit}\`
- date: ${date}
- machine: ${machine}

| part | what | result | minutes |
|---|---|---|---|
${rows.join('')}${figures.join('')}`;
}
