import { describe, expect, it } from 'vitest';
import { builtIn, dashboards, interpolate, panelsOf } from '../support/dashboards.ts';
import { peer } from '../support/peers.ts';
import { promqlSamples } from '../support/promql-samples.ts';

/** In use, bought and share on the dashboard Feature: of the same versions, added up as the exporter merges records. */

const dashboard = dashboards.find(({ uid }) => uid === 'license-feature');

interface Version {
  readonly inUse?: number;
  /** Without it, it is not known. */
  readonly bought?: number | 'uncounted';
}

/** The series of two exporters on one analyzer, for ten minutes. */
function seriesOf(versions: readonly Version[]): Readonly<Record<string, string>> {
  const series: Record<string, string> = {};
  for (const instance of ['a', 'b']) {
    for (const [i, { inUse, bought }] of versions.entries()) {
      const labels = `vendor_license="lic;d",feature="f",version="${i}.0",package="",feature_type="feature",job="j",instance="${instance}"`;
      const add = (name: string, value: number | undefined, more = ''): void => {
        if (value !== undefined) series[`${name}{${labels}${more}}`] = `${value}x10`;
      };
      add('license_feature_info', 1, `,license_type="${bought === 'uncounted' ? 'uncounted' : 'floating'}"`);
      add('license_feature_in_use', inUse);
      add('license_feature_max_available', bought === 'uncounted' ? undefined : bought);
    }
  }
  return series;
}

/** The values of a query of a panel; none if it is not known. */
async function valuesOf(title: string, versions: readonly Version[], query = 0): Promise<readonly number[]> {
  const panel = dashboard && panelsOf(dashboard).find((one) => one.title === title);
  const text = panel?.targets?.[query]?.expr ?? '';
  const values = { ...builtIn, job: ['.+'], instance: ['.+'], vendor_license: 'lic;d', feature: 'f' };
  const expression = interpolate(
    text.replaceAll('=~"$job"', '=~".+"').replaceAll('=~"$instance"', '=~".+"'),
    values,
    'prometheus',
  );
  const samples = await promqlSamples({ series: seriesOf(versions), expression, at: '10m' });
  return samples.map(({ value }) => value);
}

const figuresOf = async (...versions: readonly Version[]) => ({
  inUse: await valuesOf('In use', versions),
  bought: await valuesOf('Bought', versions),
  share: await valuesOf('Share', versions),
  line: await valuesOf('Licenses and use, highest values', versions, 2),
});

describe.runIf(peer('promtool'))('the figures of a feature', () => {
  it('are those of all versions together', async () => {
    const { share, ...others } = await figuresOf({ inUse: 9, bought: 19 }, { inUse: 10, bought: 36 });
    expect(others).toEqual({ inUse: [19], bought: [55], line: [55] });
    expect(share).toHaveLength(1);
    expect(share[0]).toBeCloseTo(19 / 55, 9);
  });

  it('are uncounted, which is no number, if one of them is', async () => {
    expect(await figuresOf({ inUse: 9, bought: 'uncounted' }, { inUse: 10, bought: 36 })).toEqual({
      inUse: [19],
      bought: [-1],
      share: [-1],
      line: [],
    });
    for (const title of ['Bought', 'Share']) {
      const panel = dashboard && panelsOf(dashboard).find((one) => one.title === title);
      const mappings = panel?.fieldConfig?.defaults.mappings;
      expect(mappings).toMatchObject([{ type: 'value', options: { '-1': { text: 'uncounted', color: 'text' } } }]);
    }
  });

  it('are not known if one of them is not', async () => {
    expect(await figuresOf({ inUse: 9, bought: 19 }, { inUse: 10 })).toEqual({
      inUse: [19],
      bought: [],
      share: [],
      line: [Number.NaN],
    });
    expect(await figuresOf({ inUse: 9, bought: 19 }, { bought: 36 })).toEqual({
      inUse: [],
      bought: [55],
      share: [],
      line: [55],
    });
  });

  it('have no share without a license', async () => {
    const { share } = await figuresOf({ inUse: 0, bought: 0 });
    expect(share).toEqual([]);
  });
});
