import { test } from 'vitest';
import { createCleanup } from './harness.ts';

/**
 * For tests that mostly wait and so run beside the others of their file, with `it.concurrent`: each has a `cleanup` of
 * its own, where `afterEach` would end what the others started.
 */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads here which fixtures this one needs
export const it = test.extend('cleanup', async ({}, { onCleanup }) => {
  const cleanup = createCleanup();
  onCleanup(() => cleanup.run());
  return cleanup;
});
