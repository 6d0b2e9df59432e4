import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 10;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(6)} s`;

/** Prints the slowest files and one line of counts at the end of the run. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
    }
    const slowest = modules
      .map((module) => ({ file: relative('', module.moduleId), ms: module.diagnostic().duration }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    process.stdout.write(
      `\nThe slowest files:\n${slowest.map(({ file, ms }) => `${seconds(ms)}  ${file}\n`).join('')}` +
        `\nTests: ${counts.passed} passed, ${counts.failed + counts.pending} failed${skipped}\n`,
    );
  }
}
