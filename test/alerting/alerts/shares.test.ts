import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { AlertState } from '../../../src/alerting/alerts/alert.ts';
import type { KnownAlert } from '../../../src/alerting/alerts/alertmanager.ts';
import { createCounts } from '../../../src/alerting/alerts/delivery.ts';
import { type RestoreOptions, restore } from '../../../src/alerting/alerts/restore.ts';
import { createStateFile } from '../../../src/alerting/alerts/state-file.ts';
import { noOwners } from '../../../src/base/model/owners.ts';
import { createFileWrites } from '../../../src/base/storage/file-writes.ts';
import { createCleanup, createTestLog } from '../../support/harness.ts';
import { engineRules } from './histories/engine-run.ts';

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
  now: undefined,
});
const sent = (vendorLicense: string): KnownAlert => ({ ...downOf(vendorLicense), startsAt: NOW - 900 });

/** What a shard continues that owns `mine` and `taken`, after a file of `share` with `mine` and `given`. */
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
  const known = async (): Promise<readonly KnownAlert[]> => [sent('mine'), sent('taken'), sent('given')];
  const options: RestoreOptions = {
    stateFile: fileOf('0/3'),
    alertmanagers: [{ alertmanager: { url: '', known } as never, counts: createCounts() }],
    analyzer: 'lic:443',
    shard: '0',
    owners: () => noOwners,
    owned: { ownsVendorLicense: (name) => name !== 'given', ownsFeature: () => true },
    now: () => NOW,
    log,
  };
  const { alerts: continued, complete } = await restore(engineRules, {}, options);
  const found = continued.map(({ labels, firedAt }) => [labels.vendor_license, firedAt]);
  return { found, complete };
}

it('does not end the alerts that it gives away, continues those that it takes over, and does not know everything', async () => {
  expect(await continuedAfter('0/2')).toEqual({
    found: [
      ['mine', NOW - 600],
      ['taken', NOW - 900],
    ],
    complete: [],
  });
});

it('of the same share continues what was saved', async () => {
  expect(await continuedAfter('0/3')).toEqual({ found: [['mine', NOW - 600]], complete: ['LicenseServerDown'] });
});
