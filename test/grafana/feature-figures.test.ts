import { describe, expect, it } from 'vitest';
import { builtIn, dashboards, interpolate, panelsOf } from '../support/dashboards.ts';
import { peer } from '../support/peers.ts';
import { type PromqlSample, promqlSamples } from '../support/promql-samples.ts';

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

/** What a query of a panel finds. */
async function samplesOf(title: string, versions: readonly Version[], refId = 'A'): Promise<readonly PromqlSample[]> {
  const panel = dashboard && panelsOf(dashboard).find((one) => one.title === title);
  const text = panel?.targets?.find((target) => target.refId === refId)?.expr ?? '';
  const values = { ...builtIn, job: ['.+'], instance: ['.+'], vendor_license: 'lic;d', feature: 'f' };
  const expression = interpolate(
    text.replaceAll('=~"$job"', '=~".+"').replaceAll('=~"$instance"', '=~".+"'),
    values,
    'prometheus',
  );
  return promqlSamples({ series: seriesOf(versions), expression, at: '10m' });
}

/** The figures of now, and the line of what was bought; NaN is not known, and an uncounted feature has no line. */
async function figuresOf(...versions: readonly Version[]) {
  const samples = await samplesOf('Now', versions);
  const named = (name: string) => samples.find(({ labels }) => labels.figure === name)?.value;
  const line = await samplesOf('In use, waiting and held, highest values', versions, 'F');
  return {
    inUse: named('in use'),
    bought: named('bought'),
    share: named('share'),
    line: line.map(({ value }) => value),
  };
}

describe.runIf(peer('promtool'))('the figures of a feature', () => {
  it('are those of all versions together', async () => {
    const { share, ...others } = await figuresOf({ inUse: 9, bought: 19 }, { inUse: 10, bought: 36 });
    expect(others).toEqual({ inUse: 19, bought: 55, line: [55] });
    expect(share).toBeCloseTo(19 / 55, 9);
  });

  it('are uncounted, which is no number, if one of them is', async () => {
    expect(await figuresOf({ inUse: 9, bought: 'uncounted' }, { inUse: 10, bought: 36 })).toEqual({
      inUse: 19,
      bought: -1,
      share: -1,
      line: [],
    });
    const now = dashboard && panelsOf(dashboard).find(({ title }) => title === 'Now');
    for (const name of ['bought', 'share']) {
      const { properties = [] } = now?.fieldConfig?.overrides.find(({ matcher }) => matcher.options === name) ?? {};
      const mappings = properties.find(({ id }) => id === 'mappings')?.value;
      expect(mappings).toMatchObject([
        { type: 'value', options: { '-1': { text: 'uncounted', color: 'text' } } },
        { type: 'special' },
      ]);
    }
  });

  it('are not known if one of them is not', async () => {
    expect(await figuresOf({ inUse: 9, bought: 19 }, { inUse: 10 })).toEqual({
      inUse: 19,
      bought: Number.NaN,
      share: Number.NaN,
      line: [Number.NaN],
    });
    expect(await figuresOf({ inUse: 9, bought: 19 }, { bought: 36 })).toEqual({
      inUse: Number.NaN,
      bought: 55,
      share: Number.NaN,
      line: [55],
    });
  });

  it('have no share without a license', async () => {
    const { share } = await figuresOf({ inUse: 0, bought: 0 });
    expect(share).toBeNaN();
  });
});
