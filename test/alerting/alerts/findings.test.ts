import { describe, expect, it } from 'vitest';
import { FindingsRun } from './histories/findings.ts';
import { subjectOf } from './histories/firing.ts';
import { momentsOf } from './histories/frames.ts';
import { createReplica, createTimeline, type Episode, type Feature, type History } from './histories/history.ts';

/**
 * What the oracle of random histories says about alerts, tick by tick, without an engine: `R` raised, `c` not cleared, `.` false,
 * `?` unknown, `o` either, a space: not told of. What is expected is written by hand.
 */

const vendorLicenses = ['lic01;lmgrd', 'lic02;adskflex'];
const TICKS = 40;

const feature = (parts: Partial<Feature> = {}): Feature => ({
  vendorLicense: 0,
  feature: 'feature1',
  version: '1.0',
  package: '',
  featureType: 'feature',
  expiration: 'permanent',
  maxAvailable: 10,
  inUse: 1,
  queued: 0,
  runsOut: undefined,
  ...parts,
});

type Change = Episode extends infer E ? (E extends Episode ? Omit<E, 'from' | 'to' | 'period' | 'on'> : never) : never;

/** From a tick to another one, the last one excluded. */
const at = (from: number, to: number, change: Change): Episode =>
  ({ from, to, period: to, on: to, ...change }) as Episode;

const SIGNS = { raised: 'R', 'not cleared': 'c', false: '.', unknown: '?', open: 'o' };

const aboutServer = { alertname: 'LicenseServerDown', severity: 'critical', vendor_license: 'lic01;lmgrd' };
const aboutVanished = { alertname: 'LicenseVendorLicenseVanished', severity: 'warning', vendor_license: 'lic01;lmgrd' };
const ofFeature = { vendor_license: 'lic01;lmgrd', feature: 'feature1' };
const aboutQueue = { alertname: 'LicenseRequestsQueued', severity: 'warning', ...ofFeature };
const aboutFeature = { alertname: 'LicenseFeatureVanished', severity: 'warning', ...ofFeature };
const aboutCapacity = { alertname: 'LicenseCapacityDropped', severity: 'warning', ...ofFeature };
const aboutRunsOut = { alertname: 'LicenseRunsOut', severity: 'warning', ...ofFeature };
const aboutExpiry = { alertname: 'LicenseExpired', severity: 'critical', ...ofFeature, expires: '1970-01-01' };

/** @param saidFrom the tick from which the process says that it vanished */
function signsOf(parts: Partial<History>, labels: Record<string, string>, saidFrom = TICKS): string {
  const history = createTimeline({ ticks: TICKS, vendorLicenses, replicas: [createReplica('a')], ...parts });
  const run = new FindingsRun(history);
  const subject = subjectOf(labels);
  const said = new Set([subjectOf(aboutVanished), subjectOf(aboutFeature)]);
  return [...momentsOf(history)]
    .flatMap(({ frames }) => frames)
    .map((frame) => run.findings(frame, (each) => frame.tick >= saidFrom && said.has(each)).conditions.get(subject))
    .map((condition) => (condition === undefined ? ' ' : SIGNS[condition]))
    .join('');
}

/** `R5?3` is `RRRRR???`. */
const line = (text: string): string =>
  text.replace(/(\D)(\d+)/g, (_, sign: string, count: string) => sign.repeat(Number(count)));

describe('the oracle says of LicenseServerDown', () => {
  const down = at(5, TICKS, { is: 'server down', vendorLicense: 0 });

  it('what GetServerDown says', () => {
    const episodes = [at(5, 20, { is: 'server down', vendorLicense: 0 })];
    expect(signsOf({ episodes }, aboutServer)).toBe(line('?1.4R15.20'));
  });

  it('that it is unknown while nothing is listed, at first refused and then accepted', () => {
    const episodes = [down, at(10, 35, { is: 'products empty' })];
    expect(signsOf({ episodes }, aboutServer)).toBe(line('?1.4R5?25R5'));
  });

  it('that it is unknown once its vendor license has vanished, until the alert about that fires', () => {
    const episodes = [down, at(10, TICKS, { is: 'vendor license removed', vendorLicense: 0 })];
    expect(signsOf({ episodes }, aboutServer)).toBe(line('?1.4R5?30'));
    expect(signsOf({ episodes }, aboutServer, 25)).toBe(line('?1.4R5?15o1.14'));
    expect(signsOf({ episodes }, aboutVanished)).toBe(line('?1.9R30'));
  });

  it('that it goes on when the vendor license comes back down, and ends when it comes back up', () => {
    const back = at(10, 20, { is: 'vendor license removed', vendorLicense: 0 });
    expect(signsOf({ episodes: [down, back] }, aboutServer)).toBe(line('?1.4R5?10R20'));
    const up = at(5, 15, { is: 'server down', vendorLicense: 0 });
    expect(signsOf({ episodes: [up, back] }, aboutServer)).toBe(line('?1.4R5?10.20'));
  });

  it('that it is unknown while records of the list are unusable', () => {
    const episodes = [
      at(5, 10, { is: 'server down', vendorLicense: 0 }),
      at(10, 20, { is: 'bad records', endpoint: 'GetServerDown', count: 1 }),
    ];
    expect(signsOf({ episodes }, aboutServer)).toBe(line('?1.4R5?10.20'));
  });
});

describe('the oracle says of alerts about features', () => {
  const features = [feature({ queued: 2 })];
  const removed = at(10, TICKS, { is: 'feature removed', feature: 0 });

  it('that they are unknown once the feature has vanished, until the alert about that fires', () => {
    expect(signsOf({ features, episodes: [removed] }, aboutQueue, 25)).toBe(line('?1R9?15o1.14'));
    expect(signsOf({ features, episodes: [removed] }, aboutFeature)).toBe(line('?1.9R30'));
  });

  it('that a feature is not missed while its server is down', () => {
    const episodes = [removed, at(8, 30, { is: 'server down', vendorLicense: 0 })];
    expect(signsOf({ features, episodes }, aboutFeature)).toBe(line('?1.9?20R10'));
    expect(signsOf({ features, episodes }, aboutQueue)).toBe(line('?1R7?32'));
  });

  it('that one that was listed for 15 minutes after its expiry is not missed', () => {
    const expiring = [feature({ expiration: 300 })];
    const episodes = [at(21, TICKS, { is: 'feature removed', feature: 0 })];
    expect(signsOf({ features: expiring, episodes }, aboutExpiry)).toBe(line(' 1.4R16o1.18'));
    expect(signsOf({ features: expiring, episodes }, aboutFeature)).toBe(line('?1.39'));
  });

  it('that one that is removed sooner after its expiry is missed', () => {
    const expiring = [feature({ expiration: 300 })];
    const episodes = [at(20, TICKS, { is: 'feature removed', feature: 0 })];
    expect(signsOf({ features: expiring, episodes }, aboutExpiry)).toBe(line(' 1.4R15?20'));
    expect(signsOf({ features: expiring, episodes }, aboutFeature)).toBe(line('?1.19R20'));
  });

  it('that what has vanished stays so while its vendor license is missed too', () => {
    const episodes = [removed, at(30, TICKS, { is: 'vendor license removed', vendorLicense: 0 })];
    expect(signsOf({ features, episodes }, aboutQueue, 25)).toBe(line('?1R9?15o1.14'));
  });

  it('that they are unknown while the list of vendor licenses is too old, and it is not known which are down', () => {
    const queued = at(2, 12, { is: 'queued', feature: 0, queued: 2 });
    const old = at(10, 30, { is: 'endpoint fails', endpoint: 'GetProducts' });
    const parts = { features: [feature()], episodes: [old, queued] };
    expect(signsOf(parts, aboutQueue)).toBe(line('?1.1R10.28'));
    const both = [...parts.episodes, at(10, 30, { is: 'endpoint fails', endpoint: 'GetServerDown' })];
    expect(signsOf({ ...parts, episodes: both }, aboutQueue)).toBe(line('?1.1R10.2?16.10'));
  });

  it('that the licenses of one that is gone do not run out', () => {
    const growing = [feature({ runsOut: 0 })];
    expect(signsOf({ features: growing, episodes: [removed] }, aboutRunsOut, 25)).toBe(line('?1R9?15o1.14'));
  });

  it('that licenses are missing on the first day, compared with the first number', () => {
    const counted = [feature({ maxAvailable: 100 })];
    const episodes = [at(15, 30, { is: 'capacity', feature: 0, maxAvailable: 50 })];
    expect(signsOf({ features: counted, episodes }, aboutCapacity)).toBe(line('?15R15.10'));
    const twice = [
      at(5, 8, { is: 'capacity', feature: 0, maxAvailable: 50 }),
      at(8, TICKS, { is: 'capacity', feature: 0, maxAvailable: 49 }),
    ];
    expect(signsOf({ features: counted, episodes: twice }, aboutCapacity)).toBe(line('?5R3o32'));
  });

  it('that licenses of a version that has expired are not missing', () => {
    const counted = [feature({ maxAvailable: 100, expiration: 900 })];
    const renewed = at(10, TICKS, {
      is: 'new version',
      feature: 0,
      version: '2.0',
      expiration: 'permanent',
      maxAvailable: 50,
    });
    expect(signsOf({ features: counted, episodes: [renewed] }, aboutCapacity)).toBe(line('?10R30'));
    const later = { ...renewed, from: 20 };
    expect(signsOf({ features: counted, episodes: [later] }, aboutCapacity)).toBe(line('?20o20'));
  });

  it('that they are unknown while an empty list is refused, although the last answers are young', () => {
    const episodes = [at(0, 8, { is: 'queued', feature: 0, queued: 2 }), at(10, 12, { is: 'products empty' })];
    expect(signsOf({ features: [feature()], episodes }, aboutQueue)).toBe(line('?1R7.2?2.28'));
  });
});
