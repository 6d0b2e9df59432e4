import { describe, expect, it } from 'vitest';
import { createReclaimableRecord } from '../../../src/analyzer/history/recorded-reclaimable.ts';
import { createSimulatedSite, type SimulatedSite } from '../../../src/analyzer/simulated/simulated-site.ts';
import { parseServer } from '../../../src/base/model/license-server.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { type Collected, vendorLicenseName } from '../../../src/base/model/observation/observation.ts';
import { reclaimKinds } from '../../../src/base/model/reclaim.ts';

const HOUR = 3600;
/** A Monday, 00:00 in Berlin. */
const MONDAY = Date.UTC(2026, 10, 29, 23) / 1000;
const localTime = createLocalTime('Europe/Berlin');

const site: SimulatedSite = createSimulatedSite({
  seed: 1,
  vendorLicenses: 10,
  featuresPerVendorLicense: 20,
  timeZone: 'Europe/Berlin',
  now: () => MONDAY,
  interval: 60,
  opening: localTime.dayOf(MONDAY),
});

/** Licenses of the features with this name, or of all, by kind. */
async function countsAt(at: number, only?: string): Promise<Readonly<Record<string, number>>> {
  const current = site.observe(at).map((observation): Collected => {
    return { source: '', name: vendorLicenseName(observation), collectedAt: at, observation };
  });
  const record = createReclaimableRecord(
    () => current,
    () => at,
  );
  await record.add(current);
  const features = [...record.now()].flatMap((one) => one.features ?? []).filter((one) => feature(one, only));
  const sum = (kind: (typeof reclaimKinds)[number]) =>
    features.reduce((all, { licenses }) => all + (licenses[kind] ?? 0), 0);
  return Object.fromEntries(reclaimKinds.map((kind) => [kind, sum(kind)]));
}

const feature = (one: { readonly feature: string }, only: string | undefined): boolean =>
  only === undefined || one.feature === only;

describe('the simulated site', () => {
  it('has licenses of each kind that could come back at every hour of a week', async () => {
    for (let hour = 0; hour < 168; hour += 3) {
      const counts = await countsAt(MONDAY + hour * HOUR);
      for (const kind of reclaimKinds) expect([hour, kind, counts[kind]]).not.toEqual([hour, kind, 0]);
    }
  });

  it('could have some of the feature that is full in the morning', async () => {
    const { idle = 0, orphan = 0 } = await countsAt(MONDAY + 10 * HOUR, 'cad_assembly');
    expect(idle + orphan).toBeGreaterThan(2);
  });

  it('names the license server of most checkouts, and the end of borrowed ones alone', () => {
    const observations = site.observe(MONDAY + 10 * HOUR);
    const servers = observations.map(({ pools }) => [
      ...new Set(pools.flatMap(({ checkouts }) => checkouts.map(({ server }) => server))),
    ]);
    expect(servers.slice(0, 5)).toEqual([
      ['flexnet:27000@demo-lic01'],
      ['flexnet:27000@demo-lic02'],
      ['rlm:5053@demo-lic03/fluidd'],
      [undefined],
      ['flexnet:27000@demo-lic05'],
    ]);
    for (const server of servers.flat()) if (server !== undefined) expect(parseServer(server)).toBeDefined();
    for (const { borrowed, until } of observations.flatMap(({ pools }) => pools.flatMap((pool) => pool.checkouts)))
      expect(until !== undefined).toBe(borrowed);
  });
});
