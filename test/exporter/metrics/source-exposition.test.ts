import { describe, expect, it } from 'vitest';
import type { SourceHealth } from '../../../src/base/model/observation/source.ts';
import { catalogue } from '../../../src/exporter/metrics/catalogue.ts';
import { createSourceExposition } from '../../../src/exporter/metrics/source-exposition.ts';
import { recorded } from '../../support/recording.ts';

const health: SourceHealth = {
  name: 'cad',
  manager: 'flexnet',
  up: undefined,
  isServerDown: undefined,
  failedReadings: undefined,
  problems: [],
  lastReadAt: undefined,
  lastSuccessAt: undefined,
  duration: undefined,
  lastDiagnostics: undefined,
  contradictions: 0,
  runs: new Map(),
  members: [],
  vendorLicenses: [],
};

/** The samples of one metric on the page of an analyzer. */
async function samplesOf(
  name: string,
  sources: readonly SourceHealth[],
  recording = recorded(100),
): Promise<readonly string[]> {
  const page = createSourceExposition({
    version: '1.0.0',
    revision: '',
    nodeVersion: 'v24.0.0',
    identity: () => ({ analyzer: 'paris', shard: '', externalUrl: 'http://lic1:10321' }),
    sources: () => sources,
    recording: () => recording,
  });
  const { body } = await page({ accept: undefined });
  return body
    .toString()
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('the metrics of sources', () => {
  it('name the analyzer as its alerts do', async () => {
    expect(await samplesOf('license_exporter_analyzer_info', [])).toEqual([
      'license_exporter_analyzer_info{analyzer="paris",shard="",external_url="http://lic1:10321"} 1',
    ]);
  });

  it('count failed readings from the first reading on', async () => {
    const sources = [
      health,
      { ...health, name: 'eda', failedReadings: 0 },
      { ...health, name: 'cae', failedReadings: 3 },
    ];
    expect(await samplesOf('license_source_failed_readings', sources)).toEqual([
      'license_source_failed_readings{source="eda",manager="flexnet"} 0',
      'license_source_failed_readings{source="cae",manager="flexnet"} 3',
    ]);
  });

  it('list its vendor licenses by the names of all other metrics', async () => {
    const vendorLicenses = ['27000@lic1;flexd', '27000@lic1;flexd;part', '27000@lic1;other'];
    expect(await samplesOf('license_source_vendor_license_info', [{ ...health, vendorLicenses }])).toEqual([
      'license_source_vendor_license_info{source="cad",manager="flexnet",vendor_license="27000@lic1;flexd"} 1',
      'license_source_vendor_license_info{source="cad",manager="flexnet",vendor_license="27000@lic1;other"} 1',
    ]);
  });
});

describe('the metrics of the history', () => {
  const all = async (changes: Parameters<typeof recorded>[1]): Promise<readonly string[]> => {
    const names = Object.keys(catalogue).filter((name) => name.startsWith('license_history_'));
    return (await Promise.all(names.map((name) => samplesOf(name, [], recorded(100, changes))))).flat();
  };

  it('are what the analyzer says', async () => {
    expect(await all({ since: 50, errors: 3 })).toEqual([
      'license_history_recording_start_timestamp_seconds 50',
      'license_history_last_sample_timestamp_seconds 100',
      'license_history_sample_interval_seconds 60',
      'license_history_write_errors_total 3',
      'license_history_store_size_bytes 4096',
      'license_history_store_limit_bytes 1073741824',
      'license_history_free_bytes 1099511627776',
    ]);
  });

  it('have no sample where something is not known, and never 0', async () => {
    const unknown = { lastRecordedAt: undefined, size: undefined, free: undefined, interval: Number.POSITIVE_INFINITY };
    expect(await all(unknown)).toEqual([
      'license_history_recording_start_timestamp_seconds 100',
      'license_history_write_errors_total 0',
      'license_history_store_limit_bytes 1073741824',
    ]);
  });
});
