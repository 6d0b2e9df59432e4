import { describe, expect, it } from 'vitest';
import { BlockedPeople } from '../../../src/analyzer/blocked/blocked-people.ts';
import { debugLog } from '../../../src/analyzer/sources/flexnet/debug-log-denials.ts';
import { userOf as flexnetUserOf } from '../../../src/analyzer/sources/flexnet/debug-log-line.ts';
import { reportLog, userOf as rlmUserOf } from '../../../src/analyzer/sources/rlm/report-log.ts';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import type {
  BlockedCause,
  Collected,
  EndedWaits,
  PoolObservation,
  VendorLicenseObservation,
} from '../../../src/base/model/observation/observation.ts';
import { cases, isLong } from '../../support/extent.ts';
import { createRandom } from '../../support/random.ts';
import { generateWaitingSite, type SiteState, type WaitingSite } from '../../support/waiting-site.ts';

/** Generated sites whose people are known, read as the daemon reads them. */

const utc = createLocalTime('UTC');
const FEATURES = ['solver', 'Mesh_Pro', 'post'];
/** Seconds between two looks at a log, and between two collections. */
const [LOOK, COLLECTION] = [10, 60];

/** A feature of which no license can be had here. */
function poolOf(feature: string, state: SiteState, isFirst: boolean): PoolObservation {
  const idle = { state: 'inactive', seconds: 7200 } as const;
  const checkout = {
    user: 'other',
    host: 'ws',
    display: '',
    licenses: 1,
    shareHandle: undefined,
    borrowed: false,
    status: state === 'held_idle' ? idle : undefined,
  };
  return {
    feature,
    version: '1.0',
    package: '',
    featureType: 'feature',
    licenseType: 'floating',
    licenseModel: 'concurrent',
    increments: [],
    inUse: 1,
    // one server has some that those who ask others do not get
    available: state === 'free_elsewhere' && !isFirst ? 2 : 0,
    reservations: state === 'reserved_for_others' ? [{ holder: 'eve', licenses: 2, used: 0 }] : [],
    checkouts: [checkout],
    queued: undefined,
    denials: undefined,
  };
}

function collectedOf(site: WaitingSite, now: number): readonly Collected[] {
  return site.servers.map(({ server }, i) => {
    const pools = FEATURES.map((feature) => poolOf(feature, site.stateOf(feature, now), i === 0));
    const observation = { server, daemon: 'vend', part: '', reachable: true, pools };
    return { source: server, name: `${server};vend`, collectedAt: now, observation };
  });
}

type Ended = EndedWaits & { readonly feature: string };

/** What the daemon finds, which looks at each log every ten seconds, and may be restarted. */
function follow(site: WaitingSite, random: () => number, restarts: readonly number[]): readonly Ended[] {
  let now = site.from - 60;
  let current = collectedOf(site, now);
  const found: Ended[] = [];
  const kind = site.manager === 'flexnet' ? debugLog : reportLog('vend');
  const userOf = site.manager === 'flexnet' ? flexnetUserOf : rlmUserOf;
  const start = () => {
    const people = new BlockedPeople({ now: () => now, elapsed: () => now, dayOf: utc.dayOf, current: () => current });
    const logs = site.servers.map(({ server, lines, rotations }) => {
      const log = people.log({ userOf, vendorLicenseOf: (daemon) => `${server};${daemon}` });
      const reader = kind.createReader(utc, log);
      const next = lines.findIndex(({ at }) => at > now);
      reader.seek(lines.slice(Math.max(0, next - 20), next).map(({ text }) => text));
      return {
        server,
        lines,
        rotations,
        log,
        reader,
        next: next === -1 ? lines.length : next,
        lookAt: now + random() * LOOK,
      };
    });
    return { people, logs };
  };
  let { people, logs } = start();
  const take = (): void => {
    for (const { name, observation } of current) {
      const { pools }: VendorLicenseObservation = people.taken(observation, name);
      for (const { feature, blocked } of pools)
        found.push(...(blocked?.ended ?? []).map((one) => ({ feature, ...one })));
    }
  };
  for (; now < site.to + 3600; now += 1) {
    for (const one of logs) {
      if (now < one.lookAt) continue;
      const before = one.lookAt - LOOK;
      one.lookAt = now + LOOK;
      const lines: string[] = [];
      for (let line = one.lines[one.next]; line !== undefined && line.at <= now; line = one.lines[one.next]) {
        lines.push(line.text);
        one.next += 1;
      }
      if (one.rotations.some((at) => at > before && at <= now)) one.reader.beginFile();
      one.reader.push(lines, { now, isRecent: true });
      one.reader.settle(now);
      one.log.settle();
    }
    if (now % COLLECTION === 0) {
      current = collectedOf(site, now);
      take();
    }
    if (restarts.includes(now)) {
      people.end();
      take();
      ({ people, logs } = start());
    }
  }
  people.end();
  take();
  return found;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

describe('people who wait on generated sites', () => {
  it('are found, each once, for as long as they wait, with the cause', () => {
    const all = { right: 0, episodes: 0, seconds: 0, people: 0 };
    const truth = { episodes: 0, seconds: 0, people: 0 };
    for (let seed = 1; seed <= (isLong ? 1000 : cases(24)); seed += 1) {
      const random = createRandom(seed);
      const site = generateWaitingSite(random);
      const restarts = random.next() < 0.3 ? [Math.round(site.from + random.next() * (site.to - site.from))] : [];
      const found = follow(site, random.next, restarts);
      // a wait that goes on over a restart is lost, and begins again
      const parts = site.waits.flatMap((wait) => {
        const [at] = restarts;
        return at !== undefined && at > wait.from && at < wait.to ? [wait, wait] : [wait];
      });
      const episodes = sum(found.map((one) => one.episodes));
      // errors of one site cannot make up for those of another; of 1,000 sites, the worst has 5 of 82
      expect(Math.abs(episodes - parts.length), `episodes of site ${seed}`).toBeLessThanOrEqual(
        Math.max(3, 0.07 * parts.length),
      );
      const keyOf = ({ feature, cause }: { readonly feature: string; readonly cause: BlockedCause }) =>
        `${feature} ${cause}`;
      const causes = Map.groupBy(found, keyOf);
      const countOf = (key: string): number => sum((causes.get(key) ?? []).map((one) => one.episodes));
      all.right += sum([...Map.groupBy(parts, keyOf)].map(([key, own]) => Math.min(own.length, countOf(key))));
      all.episodes += episodes;
      all.seconds += sum(found.map((one) => one.seconds));
      truth.episodes += parts.length;
      truth.seconds += sum(site.waits.map(({ from, to }) => to - from));
      if (restarts.length > 0) continue;
      // after a restart, nobody is known again
      all.people += sum(found.map((one) => one.people));
      truth.people += new Set(
        site.waits.map(({ person, feature, to }) => `${utc.dayOf(to)} ${feature} ${person}`),
      ).size;
    }
    expect(Math.abs(all.episodes / truth.episodes - 1)).toBeLessThan(0.03);
    expect(Math.abs(all.seconds / truth.seconds - 1)).toBeLessThan(0.05);
    // who waits over midnight can be one of the people of both days: each site has a night
    expect(Math.abs(all.people / truth.people - 1)).toBeLessThan(0.06);
    expect(all.right / Math.max(all.episodes, truth.episodes)).toBeGreaterThan(0.95);
  });
});
