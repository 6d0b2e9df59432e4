import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

// each file, and each run of the program, is a process that would compile the same sources again
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // npm run test:install
    exclude: [...configDefaults.exclude, 'test/install/**'],
    globalSetup: ['test/support/missing-peers.ts'],
    setupFiles: ['test/support/seeded-checks.ts'],
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    // one more than the cores that it is to be quick on: the longest files mostly wait for other programs
    maxWorkers: 3,
    // of tests that run beside the others of their file
    maxConcurrency: 6,
    // for a machine under load: nothing is expected to take so long
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
