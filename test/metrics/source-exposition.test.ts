import { describe, expect, it } from 'vitest';
import { createSourceExposition } from '../../src/metrics/source-exposition.ts';
import type { SourceHealth } from '../../src/observation/source.ts';

const health: SourceHealth = {
  name: 'cad',
  manager: 'flexnet',
  up: undefined,
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
async function samplesOf(name: string, sources: readonly SourceHealth[]): Promise<readonly string[]> {
  const page = createSourceExposition({
    version: '1.0.0',
    revision: '',
    nodeVersion: 'v24.0.0',
    identity: () => ({ analyzer: 'paris', shard: '', externalUrl: 'http://lic1:10321' }),
    sources: () => sources,
  });
  const { body } = await page({ accept: undefined });
  return body
    .toString()
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`));
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
