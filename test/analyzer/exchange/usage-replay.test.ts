import { describe, expect, it } from 'vitest';
import { eachSaid } from '../../../src/analyzer/exchange/log-merge.ts';
import { MergedLog } from '../../../src/analyzer/exchange/merged-log.ts';
import { type BegunBefore, UsageReplay } from '../../../src/analyzer/exchange/usage-replay.ts';
import type { Sample } from '../../../src/analyzer/history/sample.ts';
import { random as randomFrom } from '../../../src/analyzer/simulated/simulated-random.ts';
import { DebugLogReader } from '../../../src/analyzer/sources/flexnet/debug-log-denials.ts';
import { debugLogUsage } from '../../../src/analyzer/sources/flexnet/debug-log-usage.ts';
import type { UsageEvents } from '../../../src/analyzer/sources/log/usage-log.ts';
import { createLocalTime, type LocalTime } from '../../../src/base/model/local-time.ts';
import { isLong } from '../../support/extent.ts';
import { generateLog, truthOf } from '../../support/generated-log.ts';
import { seed } from '../../support/seed.ts';

const utc = createLocalTime('UTC');

/** The samples of each day, by `daemon feature day`. */
type Days = Map<string, readonly Sample[]>;

async function replayOnce(text: string, localTime: LocalTime, begunBefore?: BegunBefore) {
  const days: Days = new Map();
  const lines = text.split('\n');
  const dates = debugLogUsage.findBeginning(localTime);
  dates.push(lines);
  const beginning = dates.beginning(undefined);
  if (beginning === undefined) throw new Error('the log has no date');
  const replay = new UsageReplay(
    {
      localTime,
      seriesOf: (daemon, feature) => ({ vendorLicense: daemon, feature, package: '', featureType: 'feature' }),
      isListed: () => true,
      userOf: (who) => who,
      write: (written) => {
        for (const { series, day, samples } of written) {
          const key = `${series.vendorLicense} ${series.feature} ${day}`;
          expect(days.has(key)).toBe(false);
          days.set(key, samples);
        }
      },
      writeBlocked: () => undefined,
    },
    begunBefore,
  );
  let unparsed = 0;
  const file = {
    beginning,
    member: undefined,
    read: (events: UsageEvents) =>
      debugLogUsage.readFile(localTime, beginning, events, () => {
        unparsed += 1;
      }),
    lines: async function* () {
      yield lines;
    },
  };
  const merged = new MergedLog(replay, [file]);
  await eachSaid([file], (part, said) => merged.add(part, said));
  replay.finish();
  return { days, replay, unparsed };
}

async function replayLog(text: string, localTime: LocalTime) {
  let last = await replayOnce(text, localTime);
  for (let i = 1; i < 3 && last.replay.isIncomplete; i += 1)
    last = await replayOnce(text, localTime, last.replay.begunBefore);
  return last;
}

const figuresOf = (samples: readonly Sample[]) => ({
  peak: Math.max(...samples.map(({ whole, inUse = 0 }) => whole?.peak ?? inUse)),
  licenseSeconds: samples.reduce(
    (sum, { whole, inUse = 0, seconds }) => sum + (whole?.licenseSeconds ?? inUse * seconds),
    0,
  ),
  denials: samples.reduce((sum, { denials = 0 }) => sum + denials, 0),
});

const zones = ['Europe/Berlin', 'UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Santiago'];
/** Before each change of the clocks somewhere, and on days without one. */
const starts = [
  '2026-03-06',
  '2026-03-26',
  '2026-04-02',
  '2026-06-01',
  '2026-09-03',
  '2026-10-01',
  '2026-10-22',
  '2026-10-29',
];

const cases = isLong ? 1000 : 150;

describe(`${cases} logs of two daemons`, () => {
  it('give the peak, the license-hours and the denials of each day, as they were', async () => {
    for (let i = 0; i < cases; i += 1) {
      const localTime = createLocalTime(zones[i % zones.length] ?? 'UTC');
      const start = Date.parse(`${starts[Math.floor(i / zones.length) % starts.length]}T00:00:00Z`) / 1000;
      let draws = 0;
      const random = (): number => {
        draws += 1;
        return randomFrom('log', seed, i, draws);
      };
      const log = generateLog({ localTime, start, days: 6, random, sessions: 40 });
      const truth = new Map(truthOf(log, localTime));
      const { days, unparsed } = await replayLog(log.text, localTime);
      expect(unparsed).toBe(0);
      for (const [key, samples] of days) {
        const wanted = truth.get(key) ?? { peak: 0, licenseSeconds: 0, denials: 0 };
        expect({ i, key, ...figuresOf(samples) }).toEqual({ i, key, ...wanted });
        truth.delete(key);
      }
      expect([...truth]).toEqual([]);
    }
  });
});

it('counts the same denials as the log did while it was followed, in any parts and any letter case', async () => {
  const now = Date.parse('2026-06-01T23:59:00Z') / 1000;
  for (let i = 0; i < cases; i += 1) {
    let draws = 0;
    const oneOf = <T>(values: readonly [T, ...T[]]): T => {
      draws += 1;
      return values[Math.floor(randomFrom('denials', seed, i, draws) * values.length)] ?? values[0];
    };
    let at = 8 * 3600;
    const lines = Array.from({ length: 60 }, () => {
      at += oneOf([0, 1, 2, 4, 5, 6, 30, 59, 60, 61, 300]);
      const clock = new Date(at * 1000).toISOString().slice(11, 19);
      const message = oneOf(['DENIED', 'DENIED', 'OUT']);
      return `${clock} (vend) ${message}: "${oneOf(['cad', 'Cad', 'CAD', 'mesh'])}" ${oneOf(['a@h', 'b@h', 'b@g'])}  `;
    });
    const text = log(...lines, '23:00:00 (lmgrd) TIMESTAMP 6/1/2026');

    const { days } = await replayLog(text, utc);
    const imported = [...days.values()].reduce((sum, samples) => sum + figuresOf(samples).denials, 0);
    const reader = new DebugLogReader(utc);
    const all = text.split('\n');
    const cut = oneOf([1, 7, 30, 59]);
    const followed = [all.slice(0, cut), all.slice(cut)].flatMap((part) => reader.push(part, { now, isRecent: true }));
    const live = [...followed, ...reader.settle(now + 10)].reduce((sum, { count }) => sum + count, 0);
    expect({ i, live }).toEqual({ i, live: imported });
    expect(live).toBeGreaterThan(0);
  }
});

/** A log of one day that begins with the start of the daemon. */
const log = (...lines: readonly string[]): string =>
  ['0:00:00 (lmgrd) TIMESTAMP 6/1/2026', '0:00:00 (lmgrd) Started vend (internet tcp_port 1 pid 2)', ...lines, ''].join(
    '\n',
  );
const day = utc.dayOf(Date.parse('2026-06-01') / 1000);
const start = day * 86_400;

const dayIn = (days: Days, one: number): readonly Sample[] => days.get(`vend cad ${one}`) ?? [];

const inUseAt = (samples: readonly Sample[] | undefined, clock: number): number | undefined =>
  samples?.findLast(({ at, seconds }) => at <= start + clock && start + clock < at + seconds)?.inUse;

describe('a log', async () => {
  it('has the number of the moment at which a collection would be, and the peak beside it', async () => {
    const { days } = await replayLog(
      log(
        '10:01:00 (vend) OUT: "cad" a@h',
        '10:01:00 (vend) OUT: "cad" b@h',
        '10:04:00 (vend) IN: "cad" a@h',
        '10:30:00 (vend) IN: "cad" b@h',
      ),
      utc,
    );
    const samples = dayIn(days, day);
    expect(inUseAt(samples, 36_000)).toBe(0);
    expect(inUseAt(samples, 36_300)).toBe(1);
    expect(samples.find(({ at }) => at === start + 36_000)?.whole).toEqual({ peak: 2, licenseSeconds: 180 + 240 });
    expect(samples.find(({ at }) => at === start + 36_300)?.whole).toBeUndefined();
    expect(figuresOf(samples)).toEqual({ peak: 2, licenseSeconds: 180 + 29 * 60, denials: 0 });
  });

  it('tells of sessions that had begun before it, if they end in it', async () => {
    const text = [
      '0:00:00 (lmgrd) TIMESTAMP 6/1/2026',
      '1:00:00 (vend) OUT: "cad" a@h',
      '2:00:00 (vend) IN: "cad" b@h  (3 licenses)',
      '3:00:00 (vend) IN: "cad" a@h',
      '',
    ].join('\n');
    const { days, replay } = await replayLog(text, utc);
    const samples = dayIn(days, day);
    expect([0, 3600, 7200, 10_500].map((clock) => inUseAt(samples, clock))).toEqual([3, 4, 1, 1]);
    expect(samples[0]?.users).toBe(1);
    expect(replay.counts).toMatchObject({ begunBefore: 1, unmatched: 0, open: 0 });
  });

  it('tells of no session that ends without having begun, once the daemon has started', async () => {
    const { days, replay } = await replayLog(log('2:00:00 (vend) IN: "cad" b@h', '3:00:00 (vend) OUT: "cad" a@h'), utc);
    expect(figuresOf(dayIn(days, day)).peak).toBe(1);
    expect(replay.counts).toMatchObject({ unmatched: 1, open: 1 });
  });

  it('knows that nothing is in use from the first line of a start on', async () => {
    const started = '10:00:01 (vend) Server started on lic1 for: cad';
    const { days } = await replayLog(
      log(
        '9:00:00 (lmgrd) vend exited with status 28 (Communications error)',
        '10:00:00 (lmgrd) REStarted vend (internet tcp_port 1 pid 3)',
        started,
        '10:20:00 (vend) OUT: "cad" a@h',
      ),
      utc,
    );
    expect([32_400, 36_000, 36_300].map((clock) => inUseAt(dayIn(days, day), clock))).toEqual([undefined, 0, 0]);
  });

  it('knows nothing of the time in which the daemon does not run', async () => {
    const { days, replay } = await replayLog(
      log(
        '1:00:00 (vend) OUT: "cad" a@h',
        '1:00:00 (vend) OUT: "cad" b@h',
        '2:00:00 (vend) daemon shutdown requested - shutting down',
        '2:00:01 (vend) IN: "cad" a@h  (SHUTDOWN)',
        '4:00:00 (lmgrd) TIMESTAMP 6/1/2026',
        '5:00:00 (lmgrd) REStarted vend (internet tcp_port 1 pid 3)',
        '6:00:00 (vend) OUT: "cad" c@h',
        '8:00:00 (lmgrd) TIMESTAMP 6/1/2026',
      ),
      utc,
    );
    const samples = dayIn(days, day);
    expect([5400, 7200, 14_400, 18_000, 21_600, 28_790, 28_801].map((clock) => inUseAt(samples, clock))).toEqual([
      2,
      undefined,
      undefined,
      0,
      1,
      1,
      undefined,
    ]);
    expect(replay.counts).toMatchObject({ guessedEnds: 1, open: 1 });
  });

  it('that is silent for a night before a start does not tell when the daemon ended', async () => {
    const { days } = await replayLog(
      log(
        '1:00:00 (vend) OUT: "cad" a@h',
        '12:00:00 (lmgrd) FlexNet Licensing (v11.19) started on lic1 (linux) (6/1/2026)',
        '12:00:01 (lmgrd) Started vend (internet tcp_port 1 pid 3)',
        '13:00:00 (vend) OUT: "cad" a@h',
      ),
      utc,
    );
    const samples = dayIn(days, day);
    expect([1800, 7200, 43_500].map((clock) => inUseAt(samples, clock))).toEqual([0, undefined, 0]);
  });

  it('knows what was bought, and who else has licenses, in its verbose form', async () => {
    const details = (version: string, inUse: number, outOf: number): string =>
      `^^^ ${version} anna 10.0.0.1 29865 0x12CE ${inUse} ${outOf} - 11 19 6-1-2026 10:01:02 NO ^^^`;
    const text = [
      '0:00:00 (lmgrd) TIMESTAMP 6/1/2026',
      `1:00:00 (vend) OUT: "cad" @h ${details('1.0', 4, 9)}`,
      `2:00:00 (vend) IN: "cad" @h ${details('1.0', 3, 9)}`,
      '3:00:00 (lmgrd) TIMESTAMP 6/1/2026',
      '',
    ].join('\n');
    const samples = dayIn((await replayLog(text, utc)).days, day);
    expect([0, 3600, 7200].map((clock) => inUseAt(samples, clock))).toEqual([3, 4, 3]);
    expect(samples.map(({ available }) => available)).toEqual([undefined, 9, 9]);
  });

  it('takes the time of a peak, which was another day, for no date', async () => {
    const { days } = await replayLog(
      log(
        '10:00:00 (vend) OUT: "cad" a@h',
        '10:30:00 (vend) (@vend-SLOG@) Time: Mon Jun 01 2026 10:30:00 CEST',
        '10:30:00 (vend) (@vend-SLOG@) 2 ms at Thu May 28 2026 10:30:05 CEST,#1,(9K),(a,h,5)',
        '10:30:00 (vend) (@vend-SLOG@) Peak active connections #9 attempted at Thu May 28 2026 10:30:05 CEST',
        '11:00:00 (vend) IN: "cad" a@h',
      ),
      utc,
    );
    expect([...days.keys()]).toEqual([`vend cad ${day}`]);
    expect(inUseAt(dayIn(days, day), 39_000)).toBe(1);
  });

  it('knows that nobody uses what the daemon lists', async () => {
    const { days } = await replayLog(
      [
        '0:00:00 (lmgrd) TIMESTAMP 6/1/2026',
        '0:00:01 (vend) Server started on lic1 for:\tcad\t\t',
        '0:00:01 (vend) mesh\t\tsuite (consisting of:\t\tsim ',
        '0:00:01 (vend) route drc) viewer ',
        '0:00:01 (vend) EXTERNAL FILTERS are OFF',
        '1:00:00 (vend) OUT: "sim" a@h',
        '2:00:00 (lmgrd) TIMESTAMP 6/1/2026',
        '',
      ].join('\n'),
      utc,
    );
    const names = [...days.keys()].map((key) => key.split(' ')[1]);
    expect(names.sort()).toEqual(['cad', 'drc', 'mesh', 'route', 'sim', 'suite', 'viewer']);
    expect(inUseAt(days.get(`vend cad ${day}`), 5400)).toBe(0);
    expect(inUseAt(days.get(`vend sim ${day}`), 5400)).toBe(1);
  });

  it('counts a refusal that a checkout follows as none, also over midnight', async () => {
    const { days } = await replayLog(
      log(
        '12:00:00 (lmgrd) TIMESTAMP 6/1/2026',
        '23:59:58 (vend) DENIED: "cad" a@h  (x (-4,342))',
        '23:59:59 (vend) DENIED: "cad" b@h  (x (-4,342))',
        '0:00:01 (vend) OUT: "cad" a@h',
        '0:10:00 (lmgrd) TIMESTAMP 6/2/2026',
      ),
      utc,
    );
    expect(figuresOf(dayIn(days, day)).denials).toBe(1);
    expect(figuresOf(dayIn(days, day + 1)).denials).toBe(0);
  });
});
