import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/exporter/metrics/family.ts';
import { inflatePieces } from '../../../src/exporter/metrics/gzip.ts';
import {
  collectRightsizing,
  RightsizingBlock,
  type RightsizingFigures,
  type RightsizingState,
} from '../../../src/exporter/metrics/site-collector.ts';
import { startOf } from '../../support/forecasts.ts';
import { NOW } from '../../support/scenario.ts';

/** The metrics of right-sizing: values, the limit of series, and that a large site is rendered in slices and once. */

const DAY = 20_900;

const row = (feature: string, fields: Partial<RightsizingFigures> = {}): RightsizingFigures => ({
  vendorLicense: 'lic01;cdslmd',
  feature,
  package: '',
  featureType: 'feature',
  needed: 7,
  confirmedRunsOut: undefined,
  ...fields,
});

const stateOf = (rows: readonly RightsizingFigures[], fields: Partial<RightsizingState> = {}): RightsizingState => ({
  computedAt: NOW,
  durationSeconds: 9,
  rows,
  startOf,
  ...fields,
});

async function textOf({ pieces }: Block): Promise<string> {
  return Buffer.concat(await Array.fromAsync<Buffer>(inflatePieces(pieces))).toString();
}

const samplesOf = async (block: Block): Promise<readonly string[]> =>
  (await textOf(block)).split('\n').filter((line) => line.startsWith('license_'));

const labels = (feature: string): string =>
  `{vendor_license="lic01;cdslmd",feature="${feature}",package="",feature_type="feature"}`;

describe('the metrics of right-sizing', () => {
  it('have no sample of what is unknown', async () => {
    const rows = [row('a', { confirmedRunsOut: DAY }), row('b', { needed: undefined }), row('c', { needed: 0 })];
    const block = await new RightsizingBlock().render(stateOf(rows, { durationSeconds: undefined }), 100);
    expect(await samplesOf(block)).toEqual([
      `license_feature_needed${labels('a')} 7`,
      `license_feature_needed${labels('c')} 0`,
      `license_feature_runs_out_timestamp_seconds${labels('a')} ${startOf(DAY)}`,
      `license_rightsizing_last_success_timestamp_seconds ${NOW}`,
    ]);
    expect(block).toMatchObject({ series: 4, isLimited: false });
  });

  it('have no sample before the first pass', async () => {
    expect(await new RightsizingBlock().render(undefined, 100)).toMatchObject({ pieces: [], length: 0, series: 0 });
  });

  it('are those of all of 20,000 features, in slices', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => row(`f${i}`, { needed: i % 50 === 0 ? undefined : i }));
    const steps = collectRightsizing(stateOf(rows));
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBe(80);
    const samples = await samplesOf(await new RightsizingBlock().render(stateOf(rows), 100_000));
    expect(samples).toEqual([
      ...rows.flatMap(({ feature, needed }) =>
        needed === undefined ? [] : [`license_feature_needed${labels(feature)} ${needed}`],
      ),
      `license_rightsizing_last_success_timestamp_seconds ${NOW}`,
      'license_rightsizing_duration_seconds 9',
    ]);
  });

  it('are rendered once for each pass', async () => {
    const block = new RightsizingBlock();
    const rows = [row('a')];
    const first = await block.render(stateOf(rows), 100);
    expect(await block.render(stateOf(rows), 100)).toBe(first);
    // another number of series that are left
    expect(await block.render(stateOf(rows), 99)).toBe(first);
    const next = await block.render(stateOf([row('b')]), 100);
    expect(await textOf(next)).toContain('feature="b"');
    const same = await block.render(stateOf([row('b')], { computedAt: NOW + 1 }), 100);
    expect(await textOf(same)).toContain(`last_success_timestamp_seconds ${NOW + 1}\n`);
    expect((await block.render(undefined, 100)).series).toBe(0);
  });

  it('leaves out features when there are too many series, and shows them when there is room again', async () => {
    const block = new RightsizingBlock();
    const rows = ['a', 'b', 'c', 'd'].map((name) => row(name));
    expect(await block.render(stateOf(rows), 6)).toMatchObject({ series: 6, isLimited: false });
    const limited = await block.render(stateOf(rows), 5);
    expect(limited).toMatchObject({ series: 5, isLimited: true });
    expect(await samplesOf(limited)).toContain(`license_feature_needed${labels('a')} 7`);
    expect(await block.render(stateOf(rows), 0)).toMatchObject({ series: 0, isLimited: true });
    expect(await block.render(stateOf(rows), 6)).toMatchObject({ series: 6, isLimited: false });
  });
});
