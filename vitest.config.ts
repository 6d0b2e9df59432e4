import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { drawnYears, hangLimit, hasYears, isMatrix, matrix, patience } from './test/support/extent.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

// each file, and each run of the program, is a process that would compile the same sources again
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile');

const tests = 'test/**/*.test.ts';
// test:install has its own configuration
const leftOut = [
  ...configDefaults.exclude,
  'test/install/**',
  ...(isMatrix ? [] : matrix),
  ...(hasYears ? [] : drawnYears),
];
// what a file replaces in a module, others would import
const mocking = globSync(tests).filter((path) => readFileSync(path, 'utf8').includes('vi.mock('));

export default defineConfig({
  test: {
    // one import of the sources serves many files: more than any test, importing costs
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: [tests], exclude: [...leftOut, ...mocking], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: mocking, exclude: leftOut } },
    ],
    globalSetup: ['test/support/missing-peers.ts'],
    setupFiles: ['test/support/seeded-checks.ts'],
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    // more than the cores that it is to be quick on: the longest files mostly wait for other programs
    maxWorkers: 4,
    // of tests that run beside the others of their file
    maxConcurrency: 6,
    testTimeout: hangLimit,
    hookTimeout: hangLimit,
    expect: { poll: { timeout: patience } },
  },
});
