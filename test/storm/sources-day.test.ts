import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createCleanup } from '../support/harness.ts';
import { runSimulatedDay } from './sources/simulated-day.ts';

const cleanup = createCleanup();
afterEach(() => cleanup.run());

it('fourteen license managers, most of which fail in turn, are collected on time, kept, and recorded for twelve hours', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-sources-day-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const result = await runSimulatedDay({ seed: 2, sources: 14, hours: 12, interval: 900, folder });
  expect(result.problems).toEqual([]);
  // 48 slots, and the start
  expect(result.readings + result.skipped).toBe(14 * 49);
  expect(result.byFault.size).toBeGreaterThan(8);
  expect(result.samples).toBeGreaterThan(2000);
});
