import { bombs, drawPasswords, drawWeather } from './drawn.ts';
import type { Fault, PlannedFault } from './fault.ts';
import { during, inTurn, simple, withoutConnections } from './plans.ts';

/** What is done to the account, the connections or the files of the daemon. */
export type ActName =
  /** The server gets another password. */
  | 'rotate'
  /** The server gets its first password again. */
  | 'restore'
  /** The daemon gets the password of the server. */
  | 'correct'
  /** The daemon gets a password that is wrong. */
  | 'mistype'
  /** Every connection is reset, or one. */
  | 'reset'
  | 'reset one'
  /** The daemon is killed, every file of its state gets other bytes, and it is started again. */
  | 'damage'
  /** The disk of its state is full, or has room again. */
  | 'fill'
  | 'free'
  /** The process is stopped, or goes on. */
  | 'pause'
  | 'resume';

export interface Act {
  /** Milliseconds after the start. */
  readonly atMs: number;
  /** A number: the clock of the daemon is that many seconds ahead from now on. */
  readonly act: ActName | number;
}

/** One storm: the faults, and the limits for their effects. */
export interface Scenario {
  readonly name: string;
  readonly plan: readonly PlannedFault[];
  readonly acts?: readonly Act[];
  /** The plan and the acts take place this many times, each when everything is right again. By default once. */
  readonly times?: number;
  /** The state of the daemon is on a disk of its own. */
  readonly hasOwnDisk?: boolean;
  /** The plan begins before the daemon is started for the first time. */
  readonly isBrokenAtStart?: boolean;
  /** The daemon has a password that is not the account's. */
  readonly hasWrongPassword?: boolean;
  /** The daemon is started `count` times in total, and killed before each restart. */
  readonly starts?: { readonly count: number; readonly everyMs: number };
  /** Seconds after the last fault within which everything must be right. By default, what decision 30 allows. */
  readonly recoveryLimit?: number;
  /** Samples that are on the page during a fault, within a poll, and gone when everything is right. */
  readonly shows?: readonly string[];
  /** Beginnings of series of the site that never end. */
  readonly keeps?: readonly string[];
  /** It cannot recover by itself. */
  readonly staysDown?: boolean;
  /** Whether it is up in the end depends on what was drawn. */
  readonly hasAnyEnd?: boolean;
  /** How long the storm is watched at least. */
  readonly runMs?: number;
  readonly logonLimit?: number;
  readonly authRetrySeconds?: number;
  /** `auth_retry` is much shorter than the window in which the account counts bad logons, so it is locked in the end. */
  readonly mayLock?: boolean;
  /** How much more memory the process may use afterwards than before, bytes. */
  readonly memoryGrowth?: number;
  /** Features and expiries are polled at the start only, and when something happens. */
  readonly rarePolls?: boolean;
  /** How long one request may take. */
  readonly timeoutSeconds?: number;
}

/** How long recovery may take after a stall, resets, or a query that is too slow. */
const A_MINUTE = 60;

const clocks: readonly (readonly [string, number])[] = [
  ['clock set 3 h forward', 10_800],
  ['clock set 2 h back', -7200],
];

export interface ScenarioOptions {
  readonly seed: number;
  /** `quick`: a few seconds each. `long`: realistic durations. */
  readonly size: 'quick' | 'normal' | 'long';
}

/** Every storm. */
export function createScenarios({ seed, size }: ScenarioOptions): Scenario[] {
  const stallMs = { quick: 12_000, normal: 40_000, long: 150_000 }[size];
  const faultMs = { quick: 6000, normal: 10_000, long: 30_000 }[size];
  const soakMs = { quick: 60_000, normal: 90_000, long: 600_000 }[size];
  const swallow: Fault = { kind: 'swallow' };
  return [
    // first, so that both exporters are under faults at the same time
    ...[seed, seed + 1].map(
      (of, at): Scenario => ({
        name: `soak of two exporters, ${at + 1}, seed ${of}`,
        plan: drawWeather(of, soakMs),
        authRetrySeconds: 10,
        recoveryLimit: A_MINUTE + 20,
        // answers of 100 MB leave room with the allocator: the same after 4 and 10 minutes, while heap and buffers are as before
        memoryGrowth: 250 * 2 ** 20,
      }),
    ),
    {
      name: 'a hang of 90 s that ends with resets',
      plan: during({ kind: 'stall' }, 90_000, 'past_challenge'),
      // at once: a logon that is lost to this reset, and one to the hang, would use up the budget
      acts: [
        { atMs: 0, act: 'reset' },
        { atMs: 90_000, act: 'reset' },
      ],
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'two lost verdicts of 6 s, no other connection',
      plan: during({ kind: 'stall', forwards: true }, 6000, 'verdicts'),
      acts: withoutConnections,
      times: 2,
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'two lost verdicts of 6 s, other connections',
      plan: during({ kind: 'stall', forwards: true }, 6000, 'verdicts'),
      acts: [{ atMs: 500, act: 'reset one' }],
      times: 2,
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'every logon is rejected for 6 s',
      plan: [],
      acts: [{ atMs: 0, act: 'rotate' }, ...withoutConnections, { atMs: 6000, act: 'restore' }],
      runMs: 6000,
      // a minute until the second logon, and three exchanges before it
      recoveryLimit: A_MINUTE + 20,
    },
    {
      name: 'every logon is rejected for 75 s',
      plan: [],
      acts: [{ atMs: 0, act: 'rotate' }, ...withoutConnections, { atMs: 75_000, act: 'restore' }],
      runMs: 80_000,
      // the second rejection stops the password
      hasAnyEnd: true,
    },
    {
      name: '401 to every request for 6 s',
      plan: during({ kind: 'status', status: 401 }, 6000),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE + 20,
    },
    {
      name: `passwords changed at random moments, seed ${seed}`,
      plan: [],
      acts: drawPasswords(seed, soakMs),
      runMs: soakMs,
      hasAnyEnd: true,
    },
    {
      name: 'damaged state, then a restart',
      plan: [],
      acts: [{ atMs: 500, act: 'damage' }],
      runMs: 1000,
      // no logon is sent for this long and a minute
      authRetrySeconds: 1,
      recoveryLimit: A_MINUTE + 20,
    },
    // only root can make a disk
    ...(process.getuid?.() === 0
      ? [
          {
            name: 'state on a full disk',
            plan: [],
            acts: [
              { atMs: 500, act: 'fill' as const },
              { atMs: 1500, act: 'reset' as const },
              { atMs: 12_000, act: 'free' as const },
            ],
            runMs: 12_000,
            hasOwnDisk: true,
            recoveryLimit: A_MINUTE,
          },
        ]
      : []),
    { name: 'calm', plan: [], runMs: faultMs },
    {
      name: 'stall behind the logon, answered late',
      plan: during({ kind: 'stall', forwards: true, late: true }, stallMs, 'past_challenge'),
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'stall behind the logon, then a restart',
      plan: during({ kind: 'stall' }, stallMs, 'past_challenge'),
      acts: [{ atMs: stallMs, act: 'reset' }],
      recoveryLimit: A_MINUTE,
    },
    { name: 'stall from the first byte', plan: during({ kind: 'stall' }, stallMs), recoveryLimit: A_MINUTE },
    { name: 'resets for 6 s', plan: during({ kind: 'reset' }, 6000), recoveryLimit: A_MINUTE },
    {
      name: 'resets for 6 s, behind the logon',
      plan: during({ kind: 'reset' }, 6000, 'past_challenge'),
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'only GetFeatures is too slow, from the start',
      plan: during({ kind: 'stall', forwards: true, late: true }, stallMs, 'GetFeatures'),
      isBrokenAtStart: true,
      recoveryLimit: A_MINUTE,
    },
    ...simple.map(([name, fault]): Scenario => ({ name, plan: during(fault, faultMs), acts: withoutConnections })),
    {
      name: '500, 502, 503',
      plan: inTurn(
        [500, 502, 503].map((status) => ({ kind: 'status', status })),
        faultMs / 3,
        'past_challenge',
      ),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE,
    },
    {
      name: '429 and 503 with Retry-After: 3',
      plan: inTurn(
        [429, 503].map((status) => ({ kind: 'status', status, retryAfter: 3 })),
        faultMs / 2,
      ),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE,
    },
    {
      name: '429 without Retry-After',
      plan: during({ kind: 'status', status: 429 }, faultMs),
      acts: withoutConnections,
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'a renamed field in all records',
      plan: during({ kind: 'records', change: 'field' }, faultMs, 'GetFeatures'),
      shows: [
        'license_poll_field_missing{endpoint="GetFeatures",field="InUse"} 1',
        'license_vendor_license_data_known{vendor_license="*",data="usage"} 0',
      ],
      keeps: ['license_vendor_license_info{', 'license_feature_info{', 'license_feature_max_available{'],
    },
    {
      name: 'an unusable product',
      plan: during({ kind: 'records', change: 'unnamed' }, faultMs, 'GetProducts'),
      shows: ['license_poll_incomplete{endpoint="GetProducts"} 1', 'license_data_known{data="vendor_licenses"} 0'],
      keeps: ['license_vendor_license_info{', 'license_feature_info{', 'license_feature_in_use{'],
    },
    {
      name: 'an unusable feature',
      plan: during({ kind: 'records', change: 'unnamed' }, faultMs, 'GetFeatures'),
      shows: [
        'license_poll_incomplete{endpoint="GetFeatures"} 1',
        'license_vendor_license_data_known{vendor_license="*",data="features"} 0',
      ],
      keeps: ['license_vendor_license_info{', 'license_feature_info{'],
    },
    { name: 'bombs', plan: inTurn(bombs, faultMs, 'past_challenge') },
    {
      name: 'verdicts swallowed, 6 starts in 24 s',
      plan: during(swallow, 24_000, 'verdicts'),
      isBrokenAtStart: true,
      starts: { count: 6, everyMs: 4000 },
      recoveryLimit: A_MINUTE,
    },
    {
      name: 'verdicts stalled, 6 starts in 24 s, wrong password',
      plan: during({ kind: 'stall', forwards: true }, 24_000, 'verdicts'),
      isBrokenAtStart: true,
      hasWrongPassword: true,
      // each process ends before its logon times out
      starts: { count: 6, everyMs: 4000 },
      timeoutSeconds: 30,
      staysDown: true,
      logonLimit: 2,
      runMs: 40_000,
    },
    {
      name: 'wrong password from the start',
      plan: [],
      isBrokenAtStart: true,
      hasWrongPassword: true,
      staysDown: true,
      authRetrySeconds: 5,
      mayLock: size === 'long',
      // one logon per auth_retry and a minute
      runMs: size === 'long' ? 140_000 : 15_000,
      logonLimit: size === 'long' ? 3 : 1,
    },
    {
      name: 'password rotated while proven, then corrected',
      plan: [],
      acts: [
        { atMs: 2000, act: 'rotate' },
        { atMs: 2000, act: 'reset' },
        { atMs: 8000, act: 'correct' },
      ],
      runMs: 8000,
    },
    ...clocks.map(
      ([name, act]): Scenario => ({
        name,
        plan: [],
        acts: [{ atMs: 1000, act }],
        rarePolls: true,
        runMs: 1000,
        recoveryLimit: 15,
      }),
    ),
    {
      name: 'paused for several polls',
      plan: [],
      acts: [
        { atMs: 1000, act: 'pause' },
        { atMs: 8000, act: 'resume' },
      ],
      runMs: 8000,
      recoveryLimit: 15,
    },
  ];
}
