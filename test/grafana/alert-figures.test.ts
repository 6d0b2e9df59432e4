import { describe, expect, it } from 'vitest';
import { dashboards, panelsOf } from '../support/dashboards.ts';
import { peer } from '../support/peers.ts';
import { promqlSamples } from '../support/promql-samples.ts';

/** The numbers of alerts on the dashboard Overview: 0 only if it is known, and known on a healthy site. */

const overview = dashboards.find(({ uid }) => uid === 'license-overview');
const panel = overview && panelsOf(overview).find(({ title }) => title === 'Alerts that fire');

const ids = 'job="j",instance="i"';

/** The figure of critical alerts at the end of 20 minutes, in which these were the values of `license_alerts_complete`. */
async function criticalOf(complete: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const query = panel?.targets?.[0]?.expr;
  const expression = String(query).replaceAll('"$job"', '".+"').replaceAll('"$instance"', '".+"');
  const series = Object.fromEntries(
    Object.entries(complete).map(([name, values]) => [`license_alerts_complete{alertname="${name}",${ids}}`, values]),
  );
  const evaluated = { [`license_alerts_evaluated_timestamp_seconds{${ids}}`]: '0+60x20' };
  const samples = await promqlSamples({ series: { ...series, ...evaluated }, expression, at: '20m' });
  return samples.filter(({ labels }) => labels.figure === 'critical').map(({ value }) => value);
}

describe.runIf(peer('promtool'))('the number of alerts', () => {
  it('is 0 if every alert has been said, and unknown while one is not', async () => {
    expect(await criticalOf({ A: '1x20', B: '1x20' })).toEqual([0]);
    expect(await criticalOf({ A: '1x20', B: '0x20' })).toEqual([Number.NaN]);
  });

  it('is 0 when an alert is not said any more, because what it is about is not configured now', async () => {
    expect(await criticalOf({ A: '1x20', B: '0x3 stale' })).toEqual([0]);
  });

  it('is what was said last after the exporter has stopped', async () => {
    expect(await criticalOf({ A: '1x3 stale', B: '1x3 stale' })).toEqual([0]);
    expect(await criticalOf({ A: '1x3 stale', B: '0x3 stale' })).toEqual([Number.NaN]);
  });
});
