import { afterEach, describe, expect, it } from 'vitest';
import type { RecordedBlocked } from '../../../src/analyzer/history/recorded-blocked.ts';
import type { RecordedDemand } from '../../../src/analyzer/history/recorded-demand.ts';
import type { DeniedDay } from '../../../src/analyzer/history/recorded-denials.ts';
import type { BlockedCause, EndedWaits } from '../../../src/base/model/observation/observation.ts';
import { peopleMetrics, withoutPeople } from '../../../src/program/app/recorded-people.ts';
import { createCleanup, createConfig, eventually, startAnalyzer, startApp } from '../../support/harness.ts';

/** The people who wait, in metrics and alerts, and with the setting that nobody may know of them. */

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const VENDOR_LICENSE = 'sim-lic01;sim_cadd';
const FEATURE = 'sim-mesh-2';
const series = { vendorLicense: VENDOR_LICENSE, feature: FEATURE, package: '', featureType: 'feature' };
const part = { ...series, vendorLicense: `${VENDOR_LICENSE};b` };
const waiting = (cause: BlockedCause, people: number) => ({ cause, people, fresh: people, since: 0, seconds: 60 });
const wait: EndedWaits = { cause: 'all_busy', ended: 'got', episodes: 5, seconds: 5580, people: 4 };
const counted = { cause: 'all_busy', ended: 'got', episodes: 5, seconds: 5580 } as const;

const blocked: RecordedBlocked = {
  now: () => [
    { ...series, day: 0, now: [waiting('all_busy', 2), waiting('expired', 1)] },
    { ...part, day: 0, now: [waiting('all_busy', 3)] },
    { ...series, feature: 'other', day: 0, now: [waiting('all_busy', 9)] },
  ],
  sinceStart: () => [
    { ...series, ...counted },
    { ...part, ...counted, ended: 'lost', episodes: 1, seconds: 20 },
    { ...series, feature: 'other', ...counted },
  ],
};

const day = async (): Promise<DeniedDay> => ({ series: [{ ...series, denials: 989, waits: [wait] }] });

async function start(people: boolean): Promise<(path: string) => Promise<string>> {
  const analyzer = await startAnalyzer();
  cleanup.add(() => analyzer.stop());
  const denials = { sinceStart: () => [], today: day, yesterday: async () => ({ series: [] }) };
  const settings = { people, alerting: { rules: { LicenseDenials: { for: '0s' } } } };
  const app = await startApp(createConfig(analyzer.url, settings), {
    recorded: { ...analyzer.demand, denials, blocked },
  });
  cleanup.add(() => app.stop());
  await eventually('the first poll', async () => (await fetch(`${app.url}/-/ready`)).ok);
  return async (path) => (await fetch(`${app.url}${path}`)).text();
}

describe('metrics of people', () => {
  it('are sums over the parts of a vendor license, of what is selected', () => {
    const { now, episodes, seconds } = peopleMetrics(blocked, ({ feature }) => feature !== 'other');
    const labels = { vendor_license: VENDOR_LICENSE, feature: FEATURE };
    expect([...now]).toEqual([
      [{ ...labels, cause: 'all_busy' }, 5],
      [{ ...labels, cause: 'expired' }, 1],
    ]);
    expect([...episodes]).toEqual([
      [{ ...labels, cause: 'all_busy', ended: 'got' }, 5],
      [{ ...labels, cause: 'all_busy', ended: 'lost' }, 1],
    ]);
    expect([...seconds]).toEqual([[{ ...labels, cause: 'all_busy' }, 5600]]);
  });
});

describe('a history without people', () => {
  it('has the same requests, and nothing of people', async () => {
    const analyzer = await startAnalyzer();
    cleanup.add(() => analyzer.stop());
    const denials = { sinceStart: () => [], today: day, yesterday: day };
    const waits: RecordedDemand['waits'] = () => [{ day: 1, waits: [wait] }];
    const without = withoutPeople({ ...analyzer.demand, denials, blocked, waits });
    const asRequests = { series: [{ ...series, denials: 989, waits: undefined }] };
    expect([await without.denials.today(), await without.denials.yesterday()]).toEqual([asRequests, asRequests]);
    expect([[...without.blocked.now()], [...without.blocked.sinceStart()]]).toEqual([[], []]);
    expect(without.waits({ ...series, id: 1 }, 0, 10)).toEqual([]);
    expect(without.origin).toBe(analyzer.demand.origin);
  });
});

describe('the setting people', () => {
  const alertOf = async (load: (path: string) => Promise<string>): Promise<string> => {
    await eventually('the alert', async () => (await load('/api/v1/alerts')).includes('LicenseDenials'));
    return load('/api/v1/alerts');
  };

  it('is on: metrics have people, and the alert says how long they waited', async () => {
    const load = await start(true);
    const metrics = await load('/metrics');
    const labels = `vendor_license="${VENDOR_LICENSE}",feature="${FEATURE}",cause="all_busy"`;
    expect(metrics).toContain(`license_people_blocked{${labels}} 5`);
    expect(metrics).toContain(`license_blocked_episodes_total{${labels},ended="got"} 5`);
    expect(metrics).toContain(`license_blocked_seconds_total{${labels}} 5600`);
    const alerts = await alertOf(load);
    expect(alerts).toContain('people waited');
    expect(alerts).not.toMatch(/\b989\b/);
  });

  it('is off: no metric has people, and the alert speaks of requests', async () => {
    const load = await start(false);
    expect(await load('/metrics')).not.toMatch(/^license_(?:people|blocked)/m);
    const alerts = await alertOf(load);
    expect(alerts).toContain('989 requests for');
    expect(alerts).not.toContain('waited');
  });
});
