import fc from 'fast-check';
import { createTask } from 'node-cron';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLocalTime } from '../../../src/base/model/local-time.ts';
import { cronProblem, longestGap, nextRun, nextRunOnce } from '../../../src/base/scheduling/runs.ts';
import { isLong } from '../../support/extent.ts';

const WEEK = 7 * 86_400;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** The same from a list of all runs of node-cron. */
function slowLongestGap(expression: string, timezone: string): number {
  const task = createTask(expression, () => undefined, { timezone });
  let runs: number[] = [];
  for (let count = 8; (runs.at(-1) ?? 0) <= (runs[0] ?? 0) + WEEK; count *= 4) {
    runs = task.getNextRuns(count).map((run) => run.getTime() / 1000);
  }
  void task.destroy();
  const end = (runs[0] ?? 0) + WEEK;
  const gaps = runs.slice(1).map((run, i) => ({ run, gap: run - (runs[i] ?? run) }));
  return Math.max(gaps[0]?.gap ?? 0, ...gaps.filter(({ run }) => run <= end).map(({ gap }) => gap));
}

const isHourly = (expression: string): boolean => /^([^ ]+ )?[^ ]+ \* [*?] \* [*?]$/.test(expression);

/** `never` for a day that does not exist. */
function outcome(find: () => number): number | 'never' {
  try {
    return find();
  } catch {
    return 'never';
  }
}

/** A field: single values, ranges, steps and lists of them. `few` keeps the slow way quick. */
const field = (min: number, max: number, few = false): fc.Arbitrary<string> => {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: few ? 12 : 1, max: max - min });
  const range = fc.tuple(value, value).map(([from, to]) => `${from}-${to}`);
  const stepped = fc.tuple(fc.oneof(range, fc.constant('*')), step).map(([of, by]) => `${of}/${by}`);
  const one = few ? fc.oneof(value.map(String), stepped) : fc.oneof(value.map(String), range, stepped);
  return fc.array(one, { minLength: 1, maxLength: 2 }).map((tokens) => tokens.join(','));
};
const orAny = (of: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(of, fc.constant('*'));

const expressions = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: field(0, 59, true) }),
    field(0, 59, true),
    orAny(field(0, 23)),
    orAny(fc.oneof(field(1, 28), fc.constantFrom('L', 'LW', '15W', 'L-2', '?'))),
    orAny(fc.oneof(field(1, 12), fc.constantFrom('jan,Jul', 'march-may'))),
    orAny(fc.oneof(field(0, 7), fc.constantFrom('mon-fri', 'Sunday', '5L', '1#2', '0,6'))),
  )
  .map((fields) => fields.join(' ').trim());

/** Around clock changes of the zones, and far from them. */
const moments = fc
  .tuple(
    fc.constantFrom('2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-10-04', '2026-12-30'),
    fc.integer({ min: -8 * 86_400, max: 86_400 }),
  )
  .map(([day, seconds]) => new Date(Date.parse(day) + 1000 * seconds));
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana');

/**
 * The same minute by minute, in two days: node-cron says which times of the clock match, and what the clock skips is what no minute
 * shows. An hourly schedule misses nothing: the next hour has the same times.
 */
function slowRuns(expression: string, after: number, zone: string): readonly number[] {
  const ofClock = createTask(expression, () => undefined, { timezone: 'UTC' });
  const { offsetAt } = createLocalTime(zone);
  const runs: number[] = [];
  const begin = Math.floor(after / 60) * 60;
  for (let at = begin; at < begin + 2 * 86_400; at += 60) {
    const [from, to] = [at - 60 + offsetAt(at - 60), at + offsetAt(at)];
    const missed = isHourly(expression) ? 0 : Math.max(0, (to - from) / 60 - 1);
    const skipped = Array.from({ length: missed }, (_, i) => from + 60 * (i + 1));
    if (at > after && [...skipped, to].some((clock) => ofClock.match(new Date(1000 * clock)))) runs.push(at);
  }
  void ofClock.destroy();
  return runs;
}

describe('the longest gap', () => {
  it.each([
    ['* * * * *', 60],
    ['*/5 * * * *', 300],
    ['7 * * * *', 3600],
    ['0,20 * * * *', 2400],
    ['*/10 * * * * *', 10],
    ['5,10 0 * * * *', 3595],
    ['@hourly', 3600],
    ['* * * * * *', 1],
    ['0 9-17 * * 1-5', 64 * 3600],
    // more runs than minutes of a week
    ['* * 9-17 * * 1-5', 63 * 3600 + 1],
    ['0 3 1 * *', 31 * 86_400],
    ['0 0 29 2 *', 4 * 366 * 86_400 - 3 * 86_400],
  ])('of %s is %i s', (expression, gap) => {
    vi.stubEnv('TZ', 'UTC');
    // starts on a fixed Wednesday, so that months and weekends are known
    vi.useFakeTimers({ now: new Date('2026-11-18T12:00:30Z') });
    expect(longestGap(expression)).toBe(gap);
  });

  it.each([
    ['* * * * *', 60],
    ['17 * * * *', 3600],
    ['0 0-23/2 * * *', 2 * 3600],
    ['30 2 * * *', 24 * 3600],
    ['30 3 * * *', 25 * 3600],
  ])('of %s, when the clocks go back, is %i s', (expression, gap) => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    vi.useFakeTimers({ now: new Date('2026-10-22T12:00:00Z') });
    expect(longestGap(expression)).toBe(gap);
  });

  it('is that of a list of all runs', () => {
    // node-cron loses runs when the clocks change
    const unchanged = fc.constantFrom('UTC', 'Asia/Kathmandu');
    fc.assert(
      fc.property(expressions, moments, unchanged, (expression, now, zone) => {
        vi.stubEnv('TZ', zone);
        vi.useFakeTimers({ now });
        expect(outcome(() => longestGap(expression))).toBe(outcome(() => slowLongestGap(expression, zone)));
      }),
      { numRuns: isLong ? 60 : 15 },
    );
  });
});

const daily = fc
  .tuple(field(0, 59, true), orAny(field(0, 23)), orAny(fc.constantFrom('mon-fri', 'Sunday', '0,6')))
  .map(([minute, hour, weekday]) => `${minute} ${hour} * * ${weekday}`);

it('the next runs are those of a clock that is looked at each minute', () => {
  fc.assert(
    fc.property(daily, moments, zones, (expression, now, zone) => {
      vi.stubEnv('TZ', zone);
      const after = now.getTime() / 1000;
      const expected = slowRuns(expression, after, zone);
      const runs: number[] = [];
      for (let last = after; runs.length < expected.length; runs.push(last)) last = nextRun(expression, last);
      // an hourly schedule is the same in each hour: half an hour is skipped and repeated on Lord Howe alone
      if (!(isHourly(expression) && zone === 'Australia/Lord_Howe')) expect(runs).toEqual(expected);
    }),
    { numRuns: isLong ? 100 : 25 },
  );
});

describe('when the clock is changed', () => {
  const runsFrom = (after: string, count: number, next: (after: number) => number): readonly string[] => {
    const runs: string[] = [];
    let last = Date.parse(after) / 1000;
    while (runs.length < count) {
      last = next(last);
      runs.push(new Date(1000 * last).toISOString().replace(':00.000Z', 'Z'));
    }
    return runs;
  };

  it.each([
    ['America/Havana', '2026-03-07T12:00:00Z', ['2026-03-08T05:00Z', '2026-03-09T04:20Z']],
    ['Asia/Beirut', '2026-03-28T12:00:00Z', ['2026-03-28T22:00Z', '2026-03-29T21:20Z']],
    ['America/Santiago', '2026-09-05T12:00:00Z', ['2026-09-06T04:00Z', '2026-09-07T03:20Z']],
    ['Africa/Cairo', '2026-04-23T12:00:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:20Z']],
    ['Europe/Berlin', '2026-03-28T12:00:00Z', ['2026-03-28T23:20Z', '2026-03-29T22:20Z']],
    // 0:20 comes twice
    ['America/Havana', '2026-10-31T12:00:00Z', ['2026-11-01T04:20Z', '2026-11-02T05:20Z']],
  ])('a job at 0:20 in %s runs once on each day', (zone, after, expected) => {
    const { offsetAt } = createLocalTime(zone);
    expect(runsFrom(after, 2, (at) => nextRunOnce('20 0 * * *', at, offsetAt))).toEqual(expected);
  });

  it('a poll runs in both of the hours that the clock shows twice, and once for those that it skips', () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(runsFrom('2026-10-24T23:50:00Z', 6, (at) => nextRun('0,30 1-2 * * *', at))).toEqual([
      ...['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z'],
      ...['2026-10-26T00:00Z', '2026-10-26T00:30Z'],
    ]);
    expect(runsFrom('2026-03-29T00:00:00Z', 4, (at) => nextRun('0,20,40 1-2 * * *', at))).toEqual([
      ...['2026-03-29T00:20Z', '2026-03-29T00:40Z', '2026-03-29T01:00Z', '2026-03-29T23:00Z'],
    ]);
  });
});

it('the next run can be by the clock of another time zone', () => {
  vi.stubEnv('TZ', 'America/New_York');
  const berlin = createLocalTime('Europe/Berlin').offsetAt;
  const next = (expression: string, after: string): string =>
    new Date(1000 * nextRunOnce(expression, Date.parse(after) / 1000, berlin)).toISOString();
  expect(next('20 0 * * *', '2026-11-22T12:00:00Z')).toBe('2026-11-22T23:20:00.000Z');
  expect(next('20 0 * * *', '2026-07-22T22:20:00Z')).toBe('2026-07-23T22:20:00.000Z');
  // the clock skips this time
  expect(next('30 2 * * *', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(next('0 * * * *', '2026-11-22T12:00:00Z')).toBe('2026-11-22T13:00:00.000Z');
});

it('checks expressions', () => {
  expect([cronProblem('* * * * *'), cronProblem('0 * * * * *')]).toEqual([undefined, undefined]);
  expect(cronProblem('* * *')).toContain('expected 5 or 6 fields');
  // April has 30 days
  expect(cronProblem('0 0 31W 4 *')).toBe('the schedule 0 0 31W 4 * never runs');
});
