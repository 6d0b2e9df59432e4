import { defineConfig } from 'vitest/config';
import everyTest from './vitest.config.ts';

/** `npm run test:install`: what is shipped is built once, and installed and started on bare machines. */
// one process for each file, on an own list of files
const { projects, ...settings } = everyTest.test ?? {};

export default defineConfig({
  test: {
    ...settings,
    include: ['test/install/**/*.test.ts'],
    exclude: [],
    globalSetup: ['test/support/missing-peers.ts', 'test/support/artefacts.ts'],
    // in turn: each copies whole systems
    fileParallelism: false,
  },
});
