import { test } from 'vitest';
import { createCleanup } from './harness.ts';

/**
 * For tests that mostly wait, and therefore run concurrently with `it.concurrent`. Each has its own `cleanup`, because
 * `afterEach` would also end what the other tests started.
 */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads here which fixtures this one needs
export const it = test.extend('cleanup', async ({}, { onCleanup }) => {
  const cleanup = createCleanup();
  onCleanup(() => cleanup.run());
  return cleanup;
});
