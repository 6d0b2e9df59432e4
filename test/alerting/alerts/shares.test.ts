import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { AlertState } from '../../../src/alerting/alerts/alert.ts';
import { createStateFile, restore } from '../../../src/alerting/alerts/state-file.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';

/** A shard that begins with the state file of another share of the analyzer. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const NOW = 1_800_000_000;
const downOf = (vendorLicense: string): AlertState => ({
  rule: 'LicenseServerDown/critical',
  labels: { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: vendorLicense },
  annotations: {},
  value: 0,
  state: 'firing',
  activeAt: NOW - 600,
  firedAt: NOW - 600,
  keepFiringSince: undefined,
  resolvedAt: undefined,
  knownAt: NOW,
  unknownSince: undefined,
  threshold: undefined,
  ending: undefined,
});

/** What a shard continues that owns all but `given`, after a file of `share` with `mine` and `given`. */
async function continuedAfter(share: string) {
  const folder = mkdtempSync(join(tmpdir(), 'license-exporter-shares-'));
  cleanup.add(() => rmSync(folder, { recursive: true }));
  const log = createTestLog();
  const fileOf = (of: string) =>
    createStateFile(join(folder, 'alert-state.json'), ['lic:443'], {
      writes: createFileWrites('alert-state.json', log),
      stamp: () => ({ wall: NOW, uptime: 5000, boot: 'b1' }),
      log,
      share: of,
    });
  const alerts = [downOf('mine'), downOf('given')];
  await fileOf(share).save({ savedAt: NOW, alerts, ends: [], complete: ['LicenseServerDown'] });
  const owned = { ownsVendorLicense: (name: string) => name !== 'given', ownsFeature: () => true };
  const { alerts: continued, complete } = restore(fileOf('0/3'), 'lic:443', owned, NOW);
  const found = continued.map(({ labels, firedAt }) => [labels.vendor_license, firedAt]);
  return { found, complete };
}

it('does not end the alerts that it gives away, and does not know everything', async () => {
  expect(await continuedAfter('0/2')).toEqual({ found: [['mine', NOW - 600]], complete: [] });
});

it('of the same share continues what was saved', async () => {
  expect(await continuedAfter('0/3')).toEqual({ found: [['mine', NOW - 600]], complete: ['LicenseServerDown'] });
});
